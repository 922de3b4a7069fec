"""The table of configuration keys as a JSON Schema and as a page of documentation, both made from it (F21)."""

from __future__ import annotations

from engram.config.keys import ACTIONS, GROUPS, KEYS, variable_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.config.keys import Key

__all__ = ["config_page", "config_schema", "key_lines"]

_TITLE = "engram.config.json"
# A kind of finding, as a key names it.
_KIND = "[a-z][a-z0-9_]*"
_COUNTS = {
    "adds": "Each file adds to what the others say, and takes nothing back.",
    "counts": "",
    "never": "In a workspace's file it never counts: such a file may come with a clone.",
    "stricter": "In a workspace's file it counts only where it is stricter than the value below.",
    "safety": "In a workspace's file a looser value counts only once the workspace is trusted, and never for secrets.",
}


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a configuration file; unknown keys are allowed, since they are kept."""
    root: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        "description": "Settings of an Engram memory. JSON with comments; a key may also stand whole: load.limit.",
        "type": "object",
        "properties": {},
    }
    for key in KEYS:
        root["properties"][key.name] = _value(key)
    for key in KEYS:
        parts = key.name.split(".")
        at = root
        # A key may stand whole at each depth: `hosts.codex.approval_mode`, `codex.approval_mode` in `hosts`.
        for depth, group in enumerate(parts[:-1], 1):
            at = at["properties"].setdefault(group, {"type": "object", "properties": {}})
            if "properties" not in at:
                break  # `safety.personal` is a value and a group
            at["properties"][".".join(parts[depth:])] = _value(key)
    action = {"enum": list(reversed(ACTIONS))}
    groups = "|".join(GROUPS)
    kinds = {group: {"anyOf": [action, {"type": "object", "additionalProperties": action}]} for group in GROUPS}
    whole = {f"^({groups})\\.{_KIND}$": action}
    root["properties"]["safety"] = {"type": "object", "properties": kinds, "patternProperties": whole}
    root["patternProperties"] = {f"^safety\\.({groups})\\.{_KIND}$": action}
    return root


def _value(key: Key) -> dict[str, Any]:
    found: dict[str, Any] = {"description": key.help}
    match key.type:
        case "integer":
            found |= {"type": "integer", "minimum": key.minimum, "maximum": key.maximum}
        case "enum":
            found |= {"enum": list(key.choices)}
        case "list":
            found |= {"type": "array", "items": {"type": "string", "pattern": "\\S"}}
        case _:
            found |= {"type": "string"}
    if key.default not in ("", ()):
        found["default"] = key.default
    return found


def key_lines(key: Key) -> list[str]:
    """Return what there is to say about a key, a sentence each."""
    lines = [
        key.help,
        f"Values: {_range(key)}.",
        f"Default: {_shown(key.default)}.",
        f"Variable: {variable_of(key.name)}.",
    ]
    if key.risk:
        lines.append(f"What is at risk: {key.risk}")
    if counts := _COUNTS[key.workspace_rule]:
        lines.append(counts)
    return lines


def config_page() -> str:
    """Return the page of documentation, as Markdown."""
    lines = [
        "# Configuration",
        "",
        "Made from the table in `src/engram/config/keys.py`; a test compares it. Settings stand in",
        "`.agents/.engram/engram.config.json` of a workspace, in the same file of the global memory, and in",
        "`~/.engram/engram.config.json`: the workspace's are above the global ones, the environment is above both.",
        "`engram config view` shows what counts and where it comes from, `engram config explain KEY` one of these.",
        "",
    ]
    for key in KEYS:
        lines += [f"## `{key.name}`", "", *[f"- {line}" for line in key_lines(key)], ""]
    return "\n".join(lines)


def _range(key: Key) -> str:
    match key.type:
        case "integer":
            return f"{key.minimum} to {key.maximum} {key.unit}".strip()
        case "enum":
            return ", ".join(key.choices)
        case "list":
            return "a list of texts"
        case _:
            return "a folder"


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "empty"
    return str(value) if value != "" else "none"
