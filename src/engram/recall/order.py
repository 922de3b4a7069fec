"""The order of a pack: what a memory depends on comes before it (C34)."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Place", "load_order"]


class Place(Record):
    """One memory's place in load order.

    ``needed_by`` is empty for a hit; for a memory that is there only because another one needs it, that one's key.
    """

    key: str
    needed_by: str = ""


def load_order(hits: Sequence[str], needs: Callable[[str], Sequence[str]]) -> list[Place]:
    """Return the hits with everything they depend on before them, each once.

    Args:
        hits: keys, best first.
        needs: gives the keys that a memory depends on directly, in its own order; unknown ones are left out by it.

    A cycle is broken where it closes.
    """
    own = set(hits)
    ordered: dict[str, Place] = {}
    for hit in hits:
        pending = [(hit, False)]
        open_keys: set[str] = set()
        while pending:
            key, expanded = pending.pop()
            if key in ordered:
                continue
            if expanded:
                ordered[key] = Place(key, "" if key in own else hit)
                continue
            if key in open_keys:
                continue
            open_keys.add(key)
            pending.append((key, True))
            pending += [(need, False) for need in reversed(needs(key)) if need not in open_keys]
    return list(ordered.values())
