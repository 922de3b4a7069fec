"""Ask the indexes of all roots that apply here; whatever an index file holds, the files are the truth (F3, E2)."""

from __future__ import annotations

import os

from engram.config.paths import cache_home
from engram.index.database import DAMAGE, SqliteError
from engram.index.refresh import discard, open_index, read_files
from engram.service.scorers import VectorMaker
from engram.store.files import digest, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from engram.index.refresh import Index
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

    T = TypeVar("T")

__all__ = ["ask_indexes", "cache_of"]


def ask_indexes(session: Session, question: Callable[[Sequence[Index]], T]) -> T:
    """Open the index of every root, brought up to date, and return what ``question`` makes of them.

    An index that turns out to be damaged while it is asked is taken away, and the question is put to the files instead.
    What cannot be indexed is said.

    Args:
        session: where one is.
        question: gets the indexes in the order of ``session.roots``; it is called again after damage. The sources are
            closed when it returns.

    Raises:
        NotFoundError: where there is no memory at all.
    """
    indexes = []
    for root in session.require_roots():
        maker = VectorMaker(session, cache_of(session, root))
        indexes.append(open_index(root, cache_of(session, root), session.progress, maker.learn))
        maker.finish()
    try:
        return _ask(session, indexes, question)
    except (SqliteError, *DAMAGE) as error:
        if all(index.fallback for index in indexes):
            raise
        for root in session.roots:
            discard(cache_of(session, root))
        read = [read_files(root, f"its index is damaged ({error})") for root in session.roots]
        return _ask(session, read, question)


def cache_of(session: Session, root: MemoryRoot) -> str:
    """Return the folder for what is derived of a root: its ``.cache/``, of a read-only one the user's cache (F3)."""
    if os.access(root.path, os.W_OK):
        return inside(root.path, ".cache")
    return os.path.join(cache_home(session.environ), "roots", digest(os.fsencode(root.path))[:16])


def _ask(session: Session, indexes: Sequence[Index], question: Callable[[Sequence[Index]], T]) -> T:
    for root, index in zip(session.roots, indexes, strict=True):
        if index.fallback:
            session.say("info", "no_index", f"Recall reads the files of {root.path} one by one: {index.fallback}.")
    try:
        return question(indexes)
    finally:
        for index in indexes:
            index.source.close()
