"""All hosts, by name."""

from __future__ import annotations

from engram.hosts.agents_md import HOST as AGENTS_MD
from engram.hosts.antigravity import HOST as ANTIGRAVITY
from engram.hosts.claude import HOST as CLAUDE
from engram.hosts.cline import HOST as CLINE
from engram.hosts.codex import HOST as CODEX
from engram.hosts.copilot import HOST as COPILOT
from engram.hosts.cursor import HOST as CURSOR
from engram.hosts.gemini import HOST as GEMINI
from engram.hosts.opencode import HOST as OPENCODE
from engram.hosts.windsurf import HOST as WINDSURF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.part import Host

__all__ = ["HOSTS", "find_host"]

# In the order in which they are linked: Claude's skill serves others too, so it comes before them.
HOSTS: tuple[Host, ...] = (
    CLAUDE,
    CODEX,
    GEMINI,
    CURSOR,
    OPENCODE,
    WINDSURF,
    COPILOT,
    CLINE,
    ANTIGRAVITY,
    AGENTS_MD,
)


def find_host(name: str) -> Host | None:
    """Return the host of that id or alias."""
    return next((host for host in HOSTS if name == host.id or name in host.aliases), None)
