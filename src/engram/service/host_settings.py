"""What hosts' own settings say about Engram: who may write unasked, and what the host still waits for (C9)."""

from __future__ import annotations

import json
import os
from fnmatch import fnmatchcase

from engram.errors import EngramError
from engram.hosts.launch import hook_host
from engram.hosts.places import places
from engram.portable import command_line
from engram.record import Record
from engram.store.files import digest
from engram.store.host_files import open_host_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Literal

    from engram.service.session import Session

    Level = Literal["info", "warning", "error"]

__all__ = ["HostSetting", "claude_user_server", "unasked"]

_COMMIT = "engram_commit"
_LARGE = 1 << 18  # characters
_CURSOR_RULES = frozenset({"*", "*:*", "engram:*", f"*:{_COMMIT}", f"engram:{_COMMIT}"})


class HostSetting(Record):
    """Something that a host's settings say; as a finding of ``engram doctor``.

    Attributes:
        advice: what to do about it.
        file: where it stands.
        command: where that is done; empty for an editor on the file.
    """

    id: str
    level: Level
    message: str
    advice: str
    file: str
    command: str = ""


def claude_user_server(environ: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return Claude Code's own file, and the words of the server ``engram`` that it has there for all projects."""
    where = places(environ, "")
    folder = where["claude"] if environ.get("CLAUDE_CONFIG_DIR") else where["home"]
    file = os.path.join(folder, ".claude.json")
    servers = _table(_json(file).get("mcpServers"))
    entry = _table(servers.get("engram"))
    command = entry.get("command") or entry.get("url")
    return file, (command, *_texts(entry.get("args"))) if isinstance(command, str) else ()


def unasked(session: Session) -> Iterator[HostSetting]:
    """Yield what the settings of every host say, in files that can be parsed; broken ones are named elsewhere."""
    project = session.workspace.project if session.workspace else session.start
    where = places(session.environ, project)
    for look in (_claude, _codex, _gemini, _opencode, _vscode, _cursor, _cline):
        yield from look(where)


def _claude(where: Mapping[str, str]) -> Iterator[HostSetting]:
    project = where["project"]
    files = [
        os.path.join(project, ".claude", "settings.json"),
        os.path.join(project, ".claude", "settings.local.json"),
        os.path.join(where["claude"], "settings.json"),
    ]
    settings = [(file, _json(file)) for file in files]
    permissions = [(file, _table(data.get("permissions"))) for file, data in settings]
    # A rule that asks or denies comes before one that allows, in whatever file it stands.
    asks = any(
        _is_commit(rule) for _, rules in permissions for name in ("ask", "deny") for rule in _texts(rules.get(name))
    )
    for file, rules in permissions:
        for rule in _texts(rules.get("allow")):
            if _is_commit(rule) and not asks:
                yield _run_unasked(file, "permissions.allow", rule)
        if rules.get("defaultMode") == "bypassPermissions":
            yield _run_unasked(file, "permissions.defaultMode", "bypassPermissions")
    entry = os.path.join(project, ".mcp.json")
    if "engram" not in _table(_json(entry).get("mcpServers")):
        return
    settings += _claudes_own(where)
    disabled = next((file for file, data in settings if "engram" in _texts(data.get("disabledMcpjsonServers"))), "")
    if disabled:
        message = "Claude Code was told not to use the server of .mcp.json."
        advice = "Type /mcp there, and switch engram on."
        yield HostSetting("host.claude_disabled", "warning", message, advice, disabled, _start("claude", project))
    elif not any(
        data.get("enableAllProjectMcpServers") is True or "engram" in _texts(data.get("enabledMcpjsonServers"))
        for _, data in settings
    ):
        message = "Claude Code has not been asked yet whether it may use the server of .mcp.json."
        advice = "It asks when it starts in the project: approve engram."
        yield HostSetting("host.claude_pending", "info", message, advice, entry, _start("claude", project))


def _is_commit(rule: str) -> bool:
    """Tell whether a permission rule of Claude Code is about ``engram_commit``; a server's name means all its tools."""
    name = rule.partition("(")[0]
    return name == "mcp__engram" or fnmatchcase(f"mcp__engram__{_COMMIT}", name)


def _claudes_own(where: Mapping[str, str]) -> list[tuple[str, dict[str, Any]]]:
    """Return what Claude Code's own file says about the project: answers to its dialog are kept there."""
    files = [os.path.join(where[folder], ".claude.json") for folder in ("home", "claude")]
    return [(file, _table(_table(_json(file).get("projects")).get(where["project"]))) for file in files]


def _codex(where: Mapping[str, str]) -> Iterator[HostSetting]:
    user = _toml(os.path.join(where["codex"], "config.toml"))
    inside = os.path.join(where["project"], ".codex")
    for folder in (inside, where["codex"]):
        file = os.path.join(folder, "config.toml")
        entry = _table(_table(_toml(file).get("mcp_servers")).get("engram"))
        mode = _table(_table(entry.get("tools")).get(_COMMIT)).get("approval_mode")
        if mode == "approve" and "--no-elicitation" in _texts(entry.get("args")):
            message = (
                "Codex runs engram_commit unasked (approve), and --no-elicitation takes the dialog away that asks."
            )
            scope = "--workspace" if folder == inside else "--global"
            command = f"engram link codex {scope} --no-elicitation --force"
            advice = "It writes the entry afresh, with prompt."
            yield HostSetting("host.codex_commit", "warning", message, advice, file, command)
        if entry.get("default_tools_approval_mode") == "approve" and mode not in {"prompt", "auto"}:
            yield _run_unasked(file, "mcp_servers.engram.default_tools_approval_mode", "approve")
        hooks = os.path.join(folder, "hooks.json")
        keys = _codex_hooks(hooks)
        if folder == inside and (entry or keys) and not _codex_trusts(user, where["project"]):
            message = "Codex reads .codex/ only in a project that it trusts."
            advice = "It asks when it starts in the project: trust it."
            yield HostSetting("host.codex_folder", "info", message, advice, folder, _start("codex", where["project"]))
        known = _reviewed(user)
        message = ""
        if not keys.keys() <= known.keys():
            message = "Codex runs a hook only after you reviewed it."
        elif any(known[name] != value for name, value in keys.items()):
            message = "Codex runs a hook only as you reviewed it, and this one changed since."
        if message:
            advice = "Type /hooks there."
            yield HostSetting("host.codex_hooks", "info", message, advice, hooks, _start("codex", where["project"]))


def _codex_hooks(file: str) -> dict[str, str]:
    """Return Engram's hooks in a file as Codex keeps what was reviewed: a name (path, event, places) and a hash."""
    found = {}
    for event, groups in _table(_json(file).get("hooks")).items():
        label = "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")
        for at, group in enumerate(map(_table, groups if isinstance(groups, list) else ())):
            items = group.get("hooks")
            for number, item in enumerate(map(_table, items if isinstance(items, list) else ())):
                if hook_host(item.get("command")) == "codex":
                    name = f"{os.path.realpath(file)}:{label}:{at}:{number}"
                    found[name] = _codex_hash(label, group.get("matcher"), item)
    return found


def _codex_hash(label: str, matcher: object, item: Mapping[str, Any]) -> str:
    """Return the hash of a hook as Codex 0.171.0 computes it: of its event and form, with its defaults."""
    handler = {"timeout": 600, "async": False, **item}
    form: dict[str, object] = {"event_name": label, "hooks": [handler]}
    if isinstance(matcher, str):
        form["matcher"] = matcher
    text = json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{digest(text.encode('utf-8', 'replace'))}"


def _reviewed(user: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the hooks that the user's configuration of Codex says were reviewed, with their hashes."""
    found = {}
    for name, state in _table(_table(user.get("hooks")).get("state")).items():
        file, *places_in_it = name.rsplit(":", 3)
        if value := _table(state).get("trusted_hash"):
            found[":".join((os.path.realpath(file), *places_in_it))] = str(value)
    return found


def _codex_trusts(user: Mapping[str, Any], project: str) -> bool:
    levels = {os.path.realpath(name): _table(level) for name, level in _table(user.get("projects")).items()}
    return levels.get(os.path.realpath(project), {}).get("trust_level") == "trusted"


def _gemini(where: Mapping[str, str]) -> Iterator[HostSetting]:
    used = False
    for folder in (os.path.join(where["project"], ".gemini"), where["gemini"]):
        file = os.path.join(folder, "settings.json")
        data = _json(file)
        servers = _table(data.get("mcpServers"))
        used = used or "engram" in servers or _has_hook(data.get("hooks"), "gemini")
        if _table(servers.get("engram")).get("trust") is True:
            message = "Gemini CLI trusts the server (trust: true), so engram_commit runs with nobody asked."
            yield HostSetting("host.gemini_trust", "warning", message, "Take trust out of mcpServers.engram.", file)
        for rule in _texts(_table(data.get("tools")).get("allowed")):
            if rule in {"*", "mcp_engram_*", f"mcp_engram_{_COMMIT}", f"engram__{_COMMIT}", _COMMIT}:
                yield _run_unasked(file, "tools.allowed", rule)
    if used and not _gemini_trusts(where):
        message = "Gemini CLI starts no server and no hook in a folder that it does not trust."
        project = where["project"]
        advice = "Type /permissions there, and trust the folder."
        yield HostSetting("host.gemini_folder", "info", message, advice, project, _start("gemini", project))


def _gemini_trusts(where: Mapping[str, str]) -> bool:
    """Tell whether Gemini CLI trusts the project: of the rules for a folder above it the longest decides."""
    security = _table(_json(os.path.join(where["gemini"], "settings.json")).get("security"))
    if _table(security.get("folderTrust")).get("enabled") is False:
        return True
    project = os.path.realpath(where["project"])
    longest, decided = "", ""
    for name, level in _json(where["gemini_folders"]).items():
        folder = os.path.realpath(os.path.dirname(name) if level == "TRUST_PARENT" else name)
        if (project + os.sep).startswith(folder.rstrip(os.sep) + os.sep) and len(name) > len(longest):
            longest, decided = name, str(level)
    return decided in {"TRUST_FOLDER", "TRUST_PARENT"}


def _has_hook(value: object, host: str) -> bool:
    """Tell whether a command line of ours stands anywhere in a value."""
    if isinstance(value, dict):
        return any(_has_hook(item, host) for item in value.values())
    if isinstance(value, list):
        return any(_has_hook(item, host) for item in value)
    return hook_host(value) == host


def _opencode(where: Mapping[str, str]) -> Iterator[HostSetting]:
    decided: HostSetting | None = None
    # The project's files lie over the user's, and of the rules that match the last one holds.
    for folder in (where["opencode"], where["project"]):
        for name in ("opencode.json", "opencode.jsonc"):
            file = os.path.join(folder, name)
            permission = _json(file).get("permission")
            rules = {"*": permission} if isinstance(permission, str) else _table(permission)
            for rule, answer in rules.items():
                if isinstance(answer, str) and fnmatchcase(f"engram_{_COMMIT}", rule):
                    key = "permission" if rules is not permission else f"permission.{rule}"
                    decided = _run_unasked(file, key, answer) if answer == "allow" else None
    if decided:
        yield decided


def _vscode(where: Mapping[str, str]) -> Iterator[HostSetting]:
    for folder in (where["vscode_user"], os.path.join(where["project"], ".vscode")):
        file = os.path.join(folder, "settings.json")
        data = _json(file)
        for key in ("chat.tools.global.autoApprove", "chat.tools.autoApprove"):
            if data.get(key) is True:
                yield _run_unasked(file, key, "true")


def _cursor(where: Mapping[str, str]) -> Iterator[HostSetting]:
    file = os.path.join(where["home"], ".cursor", "permissions.json")
    for rule in _texts(_json(file).get("mcpAllowlist")):
        if rule in _CURSOR_RULES:
            yield _run_unasked(file, "mcpAllowlist", rule)
    # Its command-line program has files of its own, and there the rules that deny come first.
    files = (
        os.path.join(where["home"], ".cursor", "cli-config.json"),
        os.path.join(where["project"], ".cursor", "cli.json"),
    )
    permissions = [(file, _table(_json(file).get("permissions"))) for file in files]
    named = {f"Mcp({rule})" for rule in _CURSOR_RULES}
    if any(rule in named for _, rules in permissions for rule in _texts(rules.get("deny"))):
        return
    for file, rules in permissions:
        for rule in _texts(rules.get("allow")):
            if rule in named:
                yield _run_unasked(file, "permissions.allow", rule)


def _cline(where: Mapping[str, str]) -> Iterator[HostSetting]:
    file = where["cline_settings"]
    entry = _table(_table(_json(file).get("mcpServers")).get("engram"))
    for rule in _texts(entry.get("autoApprove")):
        if rule in {"*", _COMMIT}:
            yield _run_unasked(file, "mcpServers.engram.autoApprove", rule)


def _run_unasked(file: str, key: str, value: str) -> HostSetting:
    message = f"{key} holds {value}, so engram_commit runs with nobody asked."
    named = value not in {"allow", "approve", "true", "bypassPermissions"}  # a list of tools, not a switch for all
    advice = "Name the reading tools one by one instead." if named else f"Take {value} out of {key}, or let it ask."
    return HostSetting("host.commit_unasked", "warning", message, advice, file)


def _start(program: str, folder: str) -> str:
    """Return the command line that starts a host in a folder."""
    return f"{command_line(['cd', folder])} && {program}"


def _text(file: str) -> str:
    try:
        return open_host_file(file).text
    except EngramError:
        return ""


def _json(file: str) -> dict[str, Any]:
    from engram.hosts.json_text import is_blank, read
    from engram.hosts.part import PartError

    text = _text(file)
    if len(text) > _LARGE and "\\ud" not in text and "\\uD" not in text:
        # Claude Code's own file grows by megabytes; it is plain JSON, and nothing in it is to be changed.
        try:
            return _table(json.loads(text))
        except (ValueError, RecursionError):
            pass
    try:
        return {} if is_blank(text) else _table(read(text).value)
    except PartError:
        return {}


def _toml(file: str) -> dict[str, Any]:
    from engram.text.toml_edit import TomlError, parse

    try:
        return parse(_text(file))
    except TomlError:
        return {}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
