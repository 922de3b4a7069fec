"""Cline: the CLI, and the extension, which takes over the same settings file."""

from __future__ import annotations

from engram.hosts.json_part import JsonEntry
from engram.hosts.part import Host, Skip
from engram.hosts.text_part import OwnFile
from engram.hosts.texts import SKILL, SKILL_NAME, command_text, rule_text

__all__ = ["HOST"]

_NO_HOOKS = Skip(
    part="hooks", reason="a folder holds one program for an event, which may be yours; its documentation leaves them"
)

HOST = Host(
    id="cline",
    title="Cline",
    programs=("cline",),
    folders=("{home}/.cline",),
    workspace=(
        Skip(part="mcp", reason="Cline knows servers of a user only (--global)"),
        OwnFile(part="instructions", file="{project}/.clinerules/engram.md", body=rule_text("")),
        OwnFile(part="skill", file=f"{{project}}/.cline/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        OwnFile(part="command", file="{project}/.clinerules/workflows/engram.md", body=command_text("")),
        _NO_HOOKS,
    ),
    everywhere=(
        JsonEntry(
            part="mcp",
            file="{cline_settings}",
            key=("mcpServers", "engram"),
            entry={"command": "$command", "args": "$args", "disabled": False},
            refuses=frozenset({"comments", "commas", "bom"}),
        ),
        Skip(part="instructions", reason="no rules file for all projects is documented"),
        OwnFile(part="skill", file=f"{{home}}/.cline/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        Skip(part="command", reason="no folder of workflows for all projects is documented"),
        _NO_HOOKS,
    ),
    in_workspace=False,
)
