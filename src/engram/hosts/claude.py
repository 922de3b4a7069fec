"""Claude Code."""

from __future__ import annotations

from engram.hosts.json_part import JsonEntry, JsonHooks
from engram.hosts.part import Host, Show
from engram.hosts.text_part import OwnFile, TextBlock
from engram.hosts.texts import BLOCK, SKILL, SKILL_NAME, command_text

__all__ = ["HOST", "MCP_JSON", "SKILL_FILE"]

SKILL_FILE = f"{{project}}/.claude/skills/{SKILL_NAME}/SKILL.md"
_COMMAND = command_text(
    "$ARGUMENTS",
    head="description: Engram memory\nargument-hint: load TASK | search WORDS | save TEXT | ss [-f] | status",
)
# The timeout is in seconds.
_HOOK = {"hooks": [{"type": "command", "command": "$hook", "timeout": 5}]}
_EVENTS = ("SessionStart", "UserPromptSubmit")
_SETTINGS = frozenset({"comments", "commas"})

# Read by every host that knows the file, Copilot's among them (C2).
MCP_JSON = JsonEntry(
    part="mcp",
    file="{project}/.mcp.json",
    key=("mcpServers", "engram"),
    entry={"command": "$command", "args": "$args"},
    refuses=_SETTINGS,  # 2.1.197: "MCP config is not a valid JSON"; a byte-order mark is accepted
    always_load=True,
)

HOST = Host(
    id="claude",
    title="Claude Code",
    programs=("claude",),
    folders=("{claude}",),
    workspace=(
        MCP_JSON,
        TextBlock(part="instructions", file="{project}/CLAUDE.md", body=BLOCK),
        OwnFile(part="skill", file=SKILL_FILE, body=SKILL),
        OwnFile(part="command", file="{project}/.claude/commands/engram.md", body=_COMMAND),
        JsonHooks(
            part="hooks",
            file="{project}/.claude/settings.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            refuses=_SETTINGS,
        ),
    ),
    everywhere=(
        Show(
            part="mcp",
            line="claude mcp add --scope user engram -- $server",
            again="claude mcp remove --scope user engram && claude mcp add --scope user engram -- $server",
            unline="claude mcp remove --scope user engram",
            reason="Claude Code keeps the servers of a user in a file that it writes itself",
            always_load=True,
        ),
        TextBlock(part="instructions", file="{claude}/CLAUDE.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{claude}}/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        OwnFile(part="command", file="{claude}/commands/engram.md", body=_COMMAND),
        JsonHooks(
            part="hooks",
            file="{claude}/settings.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            refuses=_SETTINGS,
        ),
    ),
    advice={
        "workspace": (
            ("mcp",),
            "Claude Code asks once whether it may use .mcp.json: start claude here and approve engram.",
        )
    },
)
