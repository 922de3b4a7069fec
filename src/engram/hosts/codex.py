"""Codex."""

from __future__ import annotations

from engram.hosts.json_part import JsonHooks
from engram.hosts.part import Host, Skip
from engram.hosts.text_part import OwnFile, TextBlock
from engram.hosts.texts import BLOCK, SKILL, SKILL_NAME
from engram.hosts.toml_part import TomlTables

__all__ = ["HOST"]

_KEY = ("mcp_servers", "engram")
_HOOK = {"hooks": [{"type": "command", "command": "$hook", "timeout": 5}]}  # seconds
_EVENTS = ("SessionStart", "UserPromptSubmit")
_STRICT = frozenset({"comments", "commas", "bom"})
_NO_COMMAND = Skip(part="command", reason="Codex gives up prompt files for skills: the skill serves instead")

HOST = Host(
    id="codex",
    title="Codex",
    programs=("codex",),
    folders=("{codex}",),
    workspace=(
        TomlTables(part="mcp", file="{project}/.codex/config.toml", key=_KEY, approved="engram_commit"),
        TextBlock(part="instructions", file="{project}/AGENTS.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{project}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        _NO_COMMAND,
        JsonHooks(
            part="hooks",
            file="{project}/.codex/hooks.json",
            key=("hooks",),
            events=_EVENTS,
            item=_HOOK,
            refuses=_STRICT,
        ),
    ),
    everywhere=(
        TomlTables(part="mcp", file="{codex}/config.toml", key=_KEY, approved="engram_commit"),
        TextBlock(part="instructions", file="{codex}/AGENTS.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{home}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        _NO_COMMAND,
        JsonHooks(part="hooks", file="{codex}/hooks.json", key=("hooks",), events=_EVENTS, item=_HOOK, refuses=_STRICT),
    ),
    in_workspace=False,
    advice={
        "workspace": (
            ("mcp", "hooks"),
            "Codex reads .codex/ only in a project that it trusts, and runs a hook only after you reviewed it: /hooks.",
        ),
        "global": (("hooks",), "Codex runs a hook only after you reviewed it: start codex and type /hooks."),
    },
    unasked="codex",
)
