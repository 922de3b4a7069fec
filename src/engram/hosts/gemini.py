"""Gemini CLI."""

from __future__ import annotations

from engram.hosts.json_part import JsonEntry, JsonHooks
from engram.hosts.part import Host
from engram.hosts.text_part import OwnFile, TextBlock
from engram.hosts.texts import BLOCK, SKILL, SKILL_NAME, gemini_command

__all__ = ["HOST", "USER_ENTRY"]

_KEY = ("mcpServers", "engram")
_ENTRY: dict[str, object] = {"command": "$command", "args": "$args"}
_HOOK = {"hooks": [{"type": "command", "name": "engram", "command": "$hook", "timeout": 5000}]}  # milliseconds
_EVENTS = ("SessionStart", "BeforeAgent")
# 0.61.0 reads comments; anything else beyond JSON ends it with an error.
_REFUSES = frozenset({"commas", "bom"})

USER_ENTRY = JsonEntry(part="mcp", file="{gemini}/settings.json", key=_KEY, entry=_ENTRY, refuses=_REFUSES)

HOST = Host(
    id="gemini",
    title="Gemini CLI",
    programs=("gemini",),
    folders=("{gemini}",),
    workspace=(
        JsonEntry(part="mcp", file="{project}/.gemini/settings.json", key=_KEY, entry=_ENTRY, refuses=_REFUSES),
        TextBlock(part="instructions", file="{project}/GEMINI.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{project}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        OwnFile(part="command", file="{project}/.gemini/commands/engram.toml", body=gemini_command(), comment="# {}"),
        JsonHooks(
            part="hooks",
            file="{project}/.gemini/settings.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            refuses=_REFUSES,
        ),
    ),
    everywhere=(
        USER_ENTRY,
        TextBlock(part="instructions", file="{gemini}/GEMINI.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{home}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        OwnFile(part="command", file="{gemini}/commands/engram.toml", body=gemini_command(), comment="# {}"),
        JsonHooks(
            part="hooks", file="{gemini}/settings.json", key=("hooks",), events=_EVENTS, item=_HOOK, refuses=_REFUSES
        ),
    ),
    advice={
        "workspace": (
            ("mcp", "hooks"),
            "Gemini CLI starts neither servers nor hooks in a folder that it does not trust: /permissions",
        ),
    },
)
