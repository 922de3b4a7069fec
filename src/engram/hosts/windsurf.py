"""Windsurf, whose agent is called Cascade."""

from __future__ import annotations

from engram.hosts.json_part import JsonEntry
from engram.hosts.part import Host, Skip
from engram.hosts.text_part import OwnFile
from engram.hosts.texts import SKILL, SKILL_NAME, command_text, rule_text

__all__ = ["HOST"]

_NO_HOOKS = Skip(part="hooks", reason="a hook of Windsurf can block a prompt, but it cannot give the agent anything")

HOST = Host(
    id="windsurf",
    title="Windsurf",
    programs=("windsurf",),
    folders=("{home}/.codeium/windsurf",),
    workspace=(
        Skip(part="mcp", reason="its public contract documents only user-level MCP configuration (--global)"),  # C3
        OwnFile(part="instructions", file="{project}/.windsurf/rules/engram.md", body=rule_text("trigger: always_on")),
        OwnFile(part="skill", file=f"{{project}}/.windsurf/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        OwnFile(
            part="command",
            file="{project}/.windsurf/workflows/engram.md",
            body=command_text("", head="description: Engram memory"),
        ),
        _NO_HOOKS,
    ),
    everywhere=(
        JsonEntry(
            part="mcp",
            file="{home}/.codeium/windsurf/mcp_config.json",
            key=("mcpServers", "engram"),
            entry={"command": "$command", "args": "$args"},
        ),
        Skip(part="instructions", reason="no rules file for all projects is documented"),
        Skip(part="skill", reason="no folder of skills for all projects is documented"),
        Skip(part="command", reason="no folder of workflows for all projects is documented"),
        _NO_HOOKS,
    ),
    in_workspace=False,
    aliases=("cascade",),
)
