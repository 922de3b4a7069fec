"""Where what is derived of a root lies, and the count of what was read."""

from __future__ import annotations

import os

from engram.config.paths import cache_home
from engram.errors import StoreError
from engram.store.files import digest, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.service.reading import Entry
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["cache_of", "count_reads"]


def cache_of(session: Session, root: MemoryRoot) -> str:
    """Return the folder for what is derived of a root: its ``.cache/``, of a read-only one the user's cache (F3)."""
    if os.access(root.path, os.W_OK):
        return inside(root.path, ".cache")
    return os.path.join(cache_home(session.environ), "roots", digest(os.fsencode(root.path))[:16])


def count_reads(session: Session, entries: Iterable[Entry]) -> None:
    """Count memories as used once more (C60, C61): those whose text was given whole, to an agent or a person.

    That are the bodies of a pack, and what was asked for by its id; cards, lists and snippets do not count.
    """
    from engram.index.usage import count_use

    ids: dict[str, tuple[MemoryRoot, list[str]]] = {}
    for entry in entries:
        ids.setdefault(entry.root.path, (entry.root, []))[1].append(entry.memory.id)
    for root, names in ids.values():
        try:
            count_use(cache_of(session, root), names)
        except StoreError:
            pass  # its cache leads out of the root: nothing is written there
