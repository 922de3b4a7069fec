"""Any agent that reads AGENTS.md."""

from __future__ import annotations

from engram.hosts.part import Host, Skip
from engram.hosts.text_part import OwnFile, TextBlock
from engram.hosts.texts import BLOCK, SKILL, SKILL_NAME

__all__ = ["HOST"]

_NONE = "AGENTS.md is a convention for a project, and knows nothing else"

HOST = Host(
    id="agents-md",
    title="AGENTS.md",
    programs=(),
    folders=(),
    workspace=(
        Skip(part="mcp", reason=_NONE),
        TextBlock(part="instructions", file="{project}/AGENTS.md", body=BLOCK),
        OwnFile(part="skill", file=f"{{project}}/.agents/skills/{SKILL_NAME}/SKILL.md", body=SKILL),
        Skip(part="command", reason=_NONE),
        Skip(part="hooks", reason=_NONE),
    ),
    everywhere=(
        Skip(part="mcp", reason=_NONE),
        Skip(part="instructions", reason=_NONE),
        Skip(part="skill", reason=_NONE),
        Skip(part="command", reason=_NONE),
        Skip(part="hooks", reason=_NONE),
    ),
)
