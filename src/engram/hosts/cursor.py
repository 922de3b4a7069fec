"""Cursor; for all projects it gets a plugin of its own, all of whose files are ours."""

from __future__ import annotations

from engram.hosts.json_part import JsonEntry, JsonHooks
from engram.hosts.part import Host
from engram.hosts.text_part import OwnFile
from engram.hosts.texts import SKILL, SKILL_NAME, command_text, rule_text
from engram.text.jsonc import dumps

__all__ = ["HOST"]

_KEY = ("mcpServers", "engram")
_ENTRY: dict[str, object] = {"command": "$command", "args": "$args"}
_HOOK = {"command": "$hook", "timeout": 5}  # seconds
_EVENTS = ("sessionStart", "beforeSubmitPrompt")
_RULE = rule_text("description: Project memory (Engram)\nalwaysApply: true")
_PLUGIN = "{home}/.cursor/plugins/local/engram"
_MANIFEST = dumps({"name": "engram", "description": "Project memory that a human approves (Engram)"}) + "\n"

HOST = Host(
    id="cursor",
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    folders=("{home}/.cursor",),
    workspace=(
        JsonEntry(part="mcp", file="{project}/.cursor/mcp.json", key=_KEY, entry=_ENTRY),
        OwnFile(part="instructions", file="{project}/.cursor/rules/engram.mdc", body=_RULE),
        OwnFile(part="skill", file=f"{{project}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        OwnFile(part="command", file="{project}/.cursor/commands/engram.md", body=command_text("")),
        JsonHooks(
            part="hooks",
            file="{project}/.cursor/hooks.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            fresh={"version": 1},
        ),
    ),
    everywhere=(
        OwnFile(part="plugin", file=f"{_PLUGIN}/.cursor-plugin/plugin.json", body=_MANIFEST, comment=""),
        JsonEntry(part="mcp", file=f"{_PLUGIN}/mcp.json", key=_KEY, entry=_ENTRY),
        OwnFile(part="instructions", file=f"{_PLUGIN}/rules/engram.mdc", body=_RULE),
        OwnFile(part="skill", file=f"{_PLUGIN}/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        OwnFile(part="command", file=f"{_PLUGIN}/commands/engram.md", body=command_text("")),
        JsonHooks(
            part="hooks",
            file=f"{_PLUGIN}/hooks/hooks.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            fresh={"version": 1},
        ),
    ),
    own_folder=_PLUGIN,
)
