"""The tools, a module for each group; ``tools/list`` has them in the order of ``register_tools`` (C27).

A module declares its tools and translates: arguments to a call of the service, its answer to text and data. What the
service needs is imported by the first call, not by the handshake (C29c).
"""

from __future__ import annotations

from engram.mcp.tools import configuring, keeping, noting, proposing, recalling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.mcp.desk import Desk
    from engram.mcp.registry import Registry

__all__ = ["register_tools"]


def register_tools(registry: Registry, desk: Desk, *, always_load: bool = False) -> None:
    """Offer all tools; ``always_load`` has Claude Code put ``engram_load`` into the prompt (C10)."""
    recalling.register(registry, desk, always_load=always_load)
    keeping.register(registry, desk)
    proposing.register(registry, desk)
    configuring.register(registry, desk)
    noting.register(registry, desk)
