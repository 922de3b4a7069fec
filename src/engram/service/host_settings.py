"""What hosts' own settings say about Engram: who may write unasked, and what the host still waits for (C9)."""

from __future__ import annotations

import os

from engram.errors import EngramError
from engram.hosts.places import places
from engram.record import Record
from engram.store.host_files import open_host_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Literal

    from engram.service.session import Session

    Level = Literal["info", "warning", "error"]

__all__ = ["HostSetting", "unasked"]

_COMMIT = "engram_commit"


class HostSetting(Record):
    """Something that a host's settings say; as a finding of ``engram doctor``."""

    id: str
    level: Level
    message: str
    command: str
    file: str


def unasked(session: Session) -> Iterator[HostSetting]:
    """Yield what the settings of every host say, in files that can be parsed; broken ones are named elsewhere."""
    project = session.workspace.project if session.workspace else session.start
    where = places(session.environ, project)
    for look in (_claude, _codex, _gemini, _opencode, _cursor, _cline):
        yield from look(where)


def _claude(where: Mapping[str, str]) -> Iterator[HostSetting]:
    project, user = where["project"], where["claude"]
    files = [
        os.path.join(project, ".claude", "settings.json"),
        os.path.join(project, ".claude", "settings.local.json"),
        os.path.join(user, "settings.json"),
    ]
    approved = False
    for file in files:
        data = _json(file)
        permissions = _table(data.get("permissions"))
        for rule in _texts(permissions.get("allow")):
            if rule.partition("(")[0] in {"mcp__engram", "mcp__engram__*", f"mcp__engram__{_COMMIT}", "mcp__*", "*"}:
                yield _run_unasked(file, "permissions.allow", rule)
        if permissions.get("defaultMode") == "bypassPermissions":
            yield _run_unasked(file, "permissions.defaultMode", "bypassPermissions")
        approved = approved or data.get("enableAllProjectMcpServers") is True
        approved = approved or "engram" in _texts(data.get("enabledMcpjsonServers"))
        if "engram" in _texts(data.get("disabledMcpjsonServers")):
            message = "Claude Code was told not to use the server of .mcp.json."
            yield HostSetting("host.claude_disabled", "warning", message, "In claude: /mcp", file)
    entry = os.path.join(project, ".mcp.json")
    if "engram" in _table(_json(entry).get("mcpServers")) and not approved and not _approved_by_hand(where, project):
        message = "Claude Code has not been asked yet whether it may use the server of .mcp.json."
        yield HostSetting(
            "host.claude_pending", "info", message, "Start claude in this project and approve engram.", entry
        )


def _approved_by_hand(where: Mapping[str, str], project: str) -> bool:
    """Tell whether Claude Code's own file says that the project's server was approved."""
    for folder in (where["home"], where["claude"]):
        projects = _table(_json(os.path.join(folder, ".claude.json")).get("projects"))
        if "engram" in _texts(_table(projects.get(project)).get("enabledMcpjsonServers")):
            return True
    return False


def _codex(where: Mapping[str, str]) -> Iterator[HostSetting]:
    for folder in (os.path.join(where["project"], ".codex"), where["codex"]):
        file = os.path.join(folder, "config.toml")
        data = _toml(file)
        entry = _table(_table(data.get("mcp_servers")).get("engram"))
        args = _texts(entry.get("args"))
        mode = _table(_table(entry.get("tools")).get(_COMMIT)).get("approval_mode")
        if mode == "approve" and "--no-elicitation" in args:
            message = (
                "Codex runs engram_commit unasked (approve), and --no-elicitation takes the dialog away that asks."
            )
            command = "engram link codex --global --no-elicitation (writes prompt)"
            yield HostSetting("host.codex_commit", "warning", message, command, file)
        if entry.get("default_tools_approval_mode") == "approve" and mode not in {"prompt", "auto"}:
            yield _run_unasked(file, "mcp_servers.engram.default_tools_approval_mode", "approve")
        hooks = os.path.join(folder, "hooks.json")
        if "engram hook codex" in _text(hooks) and not _table(data.get("hooks")).get("state"):
            message = "Codex runs a hook only after you reviewed it."
            yield HostSetting("host.codex_hooks", "info", message, "Start codex and type /hooks.", hooks)


def _gemini(where: Mapping[str, str]) -> Iterator[HostSetting]:
    for folder in (os.path.join(where["project"], ".gemini"), where["gemini"]):
        file = os.path.join(folder, "settings.json")
        data = _json(file)
        entry = _table(_table(data.get("mcpServers")).get("engram"))
        if entry.get("trust") is True:
            message = "Gemini CLI trusts the server (trust: true), so engram_commit runs with nobody asked."
            command = "Take trust out of mcpServers.engram."
            yield HostSetting("host.gemini_trust", "warning", message, command, file)
        for rule in _texts(_table(data.get("tools")).get("allowed")):
            if rule in {"*", "mcp_engram_*", f"mcp_engram_{_COMMIT}", f"engram__{_COMMIT}", _COMMIT}:
                yield _run_unasked(file, "tools.allowed", rule)
    used = "engram" in _table(_json(os.path.join(where["project"], ".gemini", "settings.json")).get("mcpServers"))
    trusted = _json(os.path.join(where["gemini"], "trustedFolders.json"))
    if used and not any(where["project"].startswith(folder) for folder in trusted if "TRUST" in str(trusted[folder])):
        message = "Gemini CLI starts no server and no hook in a folder that it does not trust."
        yield HostSetting("host.gemini_folder", "info", message, "In gemini: /permissions", where["project"])


def _opencode(where: Mapping[str, str]) -> Iterator[HostSetting]:
    for folder in (where["project"], where["opencode"]):
        for name in ("opencode.json", "opencode.jsonc"):
            file = os.path.join(folder, name)
            permission = _json(file).get("permission")
            if permission == "allow":
                yield _run_unasked(file, "permission", "allow")
            rules = _table(permission)
            for rule in ("*", "engram_*", f"engram_{_COMMIT}"):
                if rules.get(rule) == "allow" and rules.get(f"engram_{_COMMIT}", "allow") == "allow":
                    yield _run_unasked(file, f"permission.{rule}", "allow")


def _cursor(where: Mapping[str, str]) -> Iterator[HostSetting]:
    file = os.path.join(where["home"], ".cursor", "permissions.json")
    for rule in _texts(_json(file).get("mcpAllowlist")):
        if rule in {"*", "*:*", "engram:*", f"engram:{_COMMIT}"}:
            yield _run_unasked(file, "mcpAllowlist", rule)


def _cline(where: Mapping[str, str]) -> Iterator[HostSetting]:
    file = where["cline_settings"]
    entry = _table(_table(_json(file).get("mcpServers")).get("engram"))
    for rule in _texts(entry.get("autoApprove")):
        if rule in {"*", _COMMIT}:
            yield _run_unasked(file, "mcpServers.engram.autoApprove", rule)


def _run_unasked(file: str, key: str, value: str) -> HostSetting:
    message = f"{key} holds {value}, so engram_commit runs with nobody asked."
    return HostSetting("host.commit_unasked", "warning", message, "Name the reading tools one by one instead.", file)


def _text(file: str) -> str:
    try:
        return open_host_file(file).text
    except EngramError:
        return ""


def _json(file: str) -> dict[str, Any]:
    from engram.text.jsonc import JsoncError, parse

    text = _text(file)
    try:
        return _table(parse(text.removeprefix("\ufeff"))) if text.strip() else {}
    except JsoncError:
        return {}


def _toml(file: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_text(file).removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
