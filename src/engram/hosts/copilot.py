"""GitHub Copilot: the CLI, and in VS Code."""

from __future__ import annotations

from engram.hosts.claude import MCP_JSON, SKILL_FILE
from engram.hosts.json_part import JsonEntry, JsonHooks
from engram.hosts.part import Host, Show, Skip
from engram.hosts.text_part import OwnFile, TextBlock
from engram.hosts.texts import BLOCK, SKILL, SKILL_NAME, command_text

__all__ = ["HOST"]

_HOOK = {"type": "command", "bash": "$hook", "powershell": "$hook", "timeoutSec": 5}
_EVENTS = ("sessionStart", "userPromptSubmitted")

HOST = Host(
    id="copilot",
    title="GitHub Copilot",
    programs=("copilot", "code"),
    folders=("{home}/.copilot", "{home}/.vscode"),
    workspace=(
        MCP_JSON,
        JsonEntry(
            part="mcp",
            file="{project}/.vscode/mcp.json",
            key=("servers", "engram"),
            entry={"type": "stdio", "command": "$command", "args": "$args"},
        ),
        TextBlock(part="instructions", file="{project}/AGENTS.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{project}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL, borrow=SKILL_FILE),
        OwnFile(
            part="command",
            file="{project}/.github/prompts/engram.prompt.md",
            body=command_text("${input:words}", head="description: Engram memory"),
        ),
        JsonHooks(
            part="hooks",
            file="{project}/.github/hooks/engram.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            fresh={"version": 1},
        ),
    ),
    everywhere=(
        JsonEntry(
            part="mcp",
            file="{home}/.copilot/mcp-config.json",
            key=("mcpServers", "engram"),
            entry={"type": "local", "command": "$command", "args": "$args", "tools": ["*"]},
        ),
        Show(
            part="mcp",
            line='code --add-mcp \'{"name":"engram","type":"stdio","command":$command,"args":$args}\'',
            unline="In VS Code: MCP: List Servers, engram, Uninstall",
            reason="VS Code keeps the servers of a user in the profile that is in use",
        ),
        Skip(part="instructions", reason="no instruction file for all projects is documented"),
        OwnFile(
            part="skill",
            file=f"{{home}}/.agents/skills/{SKILL_NAME}/SKILL.md",
            body=SKILL,
        ),
        Skip(part="command", reason="prompt files for all projects are kept in the profile that is in use"),
        JsonHooks(
            part="hooks",
            file="{home}/.copilot/hooks/engram.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            fresh={"version": 1},
        ),
    ),
)
