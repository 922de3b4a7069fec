"""When to say nothing (H3, architecture decision 7)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.recall.query import Query
    from engram.recall.rank import Group
    from engram.recall.source import Source

__all__ = ["below_floor"]


def below_floor(
    sources: Sequence[Source],
    groups: list[Group],
    query: Query,
    order: list[int],
    scores: dict[int, int],
    unknown: tuple[str, ...],
) -> str:
    """Return why nothing is shown, or an empty string."""
    return ""
