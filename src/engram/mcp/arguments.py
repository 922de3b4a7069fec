"""Checks what a model gave to a tool against the tool's ``inputSchema``, and says what was expected (C27, C29)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from engram.mcp.registry import Tool

__all__ = ["checked", "problem_with"]

# So many arguments that a tool does not have are named; a model can make up any number.
_LOOKED_AT = 1_000  # characters of a value that is quoted, in which a key is looked for
_NAMED = 5
_ARTICLES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def checked(tool: Tool, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments that a handler gets, and a sentence for everything that is wrong with them.

    An empty string for an optional argument is the same as none, but where the tool says otherwise (C27).

    Args:
        tool: with the schema.
        given: ``arguments`` of the call.
    """
    schema = tool.definition["inputSchema"]
    properties: dict[str, Any] = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    taken: dict[str, Any] = {}
    problems = []
    unknown: list[str] = []
    for original, value in given.items():
        name = tool.aliases.get(original, original)
        if name not in properties:
            if schema.get("additionalProperties", True) is False:
                unknown.append(original)
            continue
        if value == "" and name not in required and name not in tool.keeps_empty:
            continue
        if name in taken:
            problems.append(f"{name} is given twice, as {_short(original)} too.")
            continue
        problem = problem_with(value, properties[name])
        if problem and name in tool.also_takes:
            other = tool.also_takes[name]
            both = f"expected {_expected(properties[name])} or {_expected(other)}"
            problem = problem_with(value, other) and problem.replace(f"expected {_expected(properties[name])}", both)
        if problem:
            problems.append(f"{name}: {problem}.")
        if type(value) is float and properties[name].get("type") == "integer" and value.is_integer():
            value = int(value)  # noqa: PLW2901 (8.0 is an integer in JSON Schema; handlers count with int)
        taken[name] = value
    if unknown:
        known = ", ".join(properties) or "it takes none"
        problems.insert(0, f"There is no argument {_named(unknown)}; known: {known}.")
    problems += [
        f"{name} is required: {_expected(properties[name])}."
        for name in required
        if name not in taken and not any(problem.startswith(f"{name}:") for problem in problems)
    ]
    if problems:
        from engram.safety.fence import show_inert

        problems = [show_inert(problem) for problem in problems]  # they quote what came in
    return taken, problems


def problem_with(value: object, schema: Mapping[str, Any]) -> str:
    """Say what a schema expected and what came instead; empty when the value fits.

    >>> problem_with(20, {"type": "integer", "minimum": 50, "maximum": 16000})
    'expected an integer from 50 to 16000, got 20'
    >>> problem_with("8", {"type": "integer"})
    'expected an integer, got a string'
    """
    kind = _kind(value)
    expected = schema.get("type")
    if expected and not (kind == expected or (kind == "integer" and expected == "number") or _whole(value, expected)):
        return f"expected {_expected(schema)}, got {_ARTICLES[kind] if kind != 'boolean' else 'a boolean'}"
    if "enum" in schema and value not in schema["enum"]:
        return f"expected {_expected(schema)}, got {_short(value)}"
    if isinstance(value, (int, float)) and (
        value < schema.get("minimum", value) or value > schema.get("maximum", value)
    ):
        return f"expected {_expected(schema)}, got {_short(value)}"
    if isinstance(value, str) and _outside(len(value), schema, "minLength", "maxLength"):
        return f"expected {_expected(schema)}, got {len(value)} characters"
    if isinstance(value, list):
        if _outside(len(value), schema, "minItems", "maxItems"):
            return f"expected {_expected(schema)}, got {len(value)} entries"
        for number, entry in enumerate(value, 1):
            problem = problem_with(entry, schema.get("items", {}))
            if problem:
                return f"entry {number}: {problem}"
    return ""


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, name in ((str, "string"), (int, "integer"), (float, "number"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "object"


def _whole(value: object, expected: str) -> bool:
    return expected == "integer" and isinstance(value, float) and value.is_integer()


def _outside(size: int, schema: Mapping[str, Any], least: str, most: str) -> bool:
    return bool(size < schema.get(least, 0) or size > schema.get(most, size))


def _expected(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(_short(value) for value in schema["enum"])
    text = _ARTICLES.get(schema.get("type", ""), "a value")
    for least, most, unit in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " entries"),
    ):
        if least in schema and most in schema:
            text += (
                f" from {schema[least]} to {schema[most]}{unit}"
                if not unit
                else (f" of {schema[least]} to {schema[most]}{unit}")
            )
        elif least in schema:
            text += f" of at least {schema[least]}{unit}"
        elif most in schema:
            text += f" of at most {schema[most]}{unit}"
    return text


def _named(names: list[str]) -> str:
    more = f" (and {len(names) - _NAMED:,} more)" if len(names) > _NAMED else ""
    return " or ".join(map(_short, names[:_NAMED])) + more


def _short(value: object) -> str:
    """Return a value as it may stand in a sentence: what a model made up can be a megabyte, and hold a key (C3)."""
    from engram.safety.scan import mask_secrets

    # A key that is cut, or that an escape stands before, is one for no rule: masked first.
    text = mask_secrets(str(value)[:_LOOKED_AT])
    text = repr(text) if isinstance(value, str) else text
    return text if len(text) <= 60 else f"{text[:57]}…"
