"""OpenCode; its hooks are a plugin, one small file that calls ``engram hook opencode``."""

from __future__ import annotations

from engram.hosts.claude import SKILL_FILE
from engram.hosts.json_part import JsonEntry
from engram.hosts.opencode_plugin import OpencodePlugin
from engram.hosts.part import Host
from engram.hosts.text_part import OwnFile, TextBlock
from engram.hosts.texts import BLOCK, SKILL, SKILL_NAME, command_text

__all__ = ["HOST"]

_KEY = ("mcp", "engram")
_ENTRY: dict[str, object] = {"type": "local", "command": "$argv", "args": [], "enabled": True}  # C6
# OpenCode writes this into a configuration without it; a file that is ours shall stay as we made it.
_FRESH: dict[str, object] = {"$schema": "https://opencode.ai/config.json"}
_COMMAND = command_text("$ARGUMENTS", head="description: Engram memory")

HOST = Host(
    id="opencode",
    title="OpenCode",
    programs=("opencode",),
    folders=("{opencode}",),
    workspace=(
        JsonEntry(
            part="mcp",
            file="{project}/opencode.json",
            order=("{project}/opencode.jsonc", "{project}/opencode.json"),
            key=_KEY,
            entry=_ENTRY,
            fresh=_FRESH,
        ),
        TextBlock(part="instructions", file="{project}/AGENTS.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{project}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL, borrow=SKILL_FILE),
        OwnFile(part="command", file="{project}/.opencode/commands/engram.md", body=_COMMAND),
        OpencodePlugin(part="hooks", file="{project}/.opencode/plugins/engram.js"),
    ),
    everywhere=(
        JsonEntry(
            part="mcp",
            file="{opencode}/opencode.jsonc",
            order=("{opencode}/opencode.jsonc", "{opencode}/opencode.json"),
            key=_KEY,
            entry=_ENTRY,
            fresh=_FRESH,
        ),
        TextBlock(part="instructions", file="{opencode}/AGENTS.md", body=BLOCK),
        OwnFile(
            part="skill",
            file=f"{{home}}/.agents/skills/{SKILL_NAME}/SKILL.md",
            body=SKILL,
            borrow=f"{{home}}/.claude/skills/{SKILL_NAME}/SKILL.md",
        ),
        OwnFile(part="command", file="{opencode}/commands/engram.md", body=_COMMAND),
        OpencodePlugin(part="hooks", file="{opencode}/plugins/engram.js"),
    ),
)
