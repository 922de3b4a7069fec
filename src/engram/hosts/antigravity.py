"""Antigravity. Sources about its files disagree by version: what is not in Gemini's own files is only printed (C2)."""

from __future__ import annotations

from engram.hosts.gemini import USER_ENTRY
from engram.hosts.part import Host, Show, Skip
from engram.hosts.text_part import OwnFile, TextBlock
from engram.hosts.texts import BLOCK, SKILL, SKILL_NAME

__all__ = ["HOST"]

_DISAGREE = "sources disagree about where it keeps them"
_ENTRY = '"mcpServers": {"engram": {"command": $command, "args": $args}}'

HOST = Host(
    id="antigravity",
    title="Antigravity",
    programs=("antigravity", "agy"),
    folders=("{gemini}/antigravity", "{gemini}/config", "{gemini}/antigravity-cli"),
    workspace=(
        Show(
            part="mcp",
            line=f"In .agents/mcp_config.json: {_ENTRY}",
            unline='In .agents/mcp_config.json, take out mcpServers "engram".',
            reason=_DISAGREE,
        ),
        TextBlock(part="instructions", file="{project}/AGENTS.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{project}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        Skip(part="command", reason=_DISAGREE),
        Skip(part="hooks", reason="an error in its hooks file drops all hooks silently, and the format is not settled"),
    ),
    everywhere=(
        USER_ENTRY,
        Show(
            part="mcp",
            line=f"In ~/.gemini/config/mcp_config.json, where a newer version reads it: {_ENTRY}",
            unline='In ~/.gemini/config/mcp_config.json, take out mcpServers "engram".',
            reason=_DISAGREE,
        ),
        TextBlock(part="instructions", file="{gemini}/GEMINI.md", body=BLOCK),
        Skip(part="skill", reason=_DISAGREE),
        Skip(part="command", reason=_DISAGREE),
        Skip(part="hooks", reason="an error in its hooks file drops all hooks silently, and the format is not settled"),
    ),
    in_workspace=False,
)
