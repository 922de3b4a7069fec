"""Ask the indexes of all roots that apply here; whatever an index file holds, the files are the truth (F3, E2)."""

from __future__ import annotations

import os

from engram.config.paths import embedding_table
from engram.index.database import DAMAGE, SqliteError
from engram.index.refresh import discard, open_index, read_files
from engram.service.caches import cache_of
from engram.service.giving import Learner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from engram.index.refresh import Index
    from engram.model import Memory
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

    T = TypeVar("T")

__all__ = ["ask_indexes", "by_meaning"]


def ask_indexes(session: Session, question: Callable[[Sequence[Index]], T]) -> T:
    """Open the index of every root, brought up to date, and return what ``question`` makes of them.

    An index that turns out to be damaged while it is asked is taken away, and the question is put to the files instead.
    What cannot be indexed is said.

    Args:
        session: where one is.
        question: gets the indexes in the order of ``session.roots``; it is called again after damage. It may use the
            sources until it returns.

    Raises:
        NotFoundError: where there is no memory at all.
    """
    indexes = [_index_of(session, root) for root in session.require_roots()]
    try:
        return _ask(session, indexes, question)
    except (SqliteError, *DAMAGE) as error:
        if all(index.fallback for index in indexes):
            raise
        for root in session.roots:
            discard(cache_of(session, root))
        read = [read_files(root, f"its index is damaged ({error})") for root in session.roots]
        return _ask(session, read, question)


def by_meaning(session: Session) -> bool:
    """Tell whether recall by meaning is on: one look, so that it costs nothing else where it is off."""
    return os.path.exists(embedding_table(session.environ))


def _index_of(session: Session, root: MemoryRoot) -> Index:
    return session.shelf.take(root, lambda: _open(session, root)) if session.shelf else _open(session, root)


def _open(session: Session, root: MemoryRoot) -> Index:
    cache = cache_of(session, root)
    learner = Learner(session, root)
    if not by_meaning(session):
        index = open_index(root, cache, session.progress, learner.learn)
        learner.finish()
        return index
    from engram.service.scorers import VectorMaker

    maker = VectorMaker(session, cache)

    def learn(value: str, memory: Memory) -> None:
        maker.learn(value, memory)
        learner.learn(value, memory)

    index = open_index(root, cache, session.progress, learn)
    maker.finish()
    learner.finish()
    return index


def _ask(session: Session, indexes: Sequence[Index], question: Callable[[Sequence[Index]], T]) -> T:
    for root, index in zip(session.roots, indexes, strict=True):
        if index.fallback:
            session.say("info", "no_index", f"Recall reads the files of {root.path} one by one: {index.fallback}.")
    kept = False
    try:
        answer = question(indexes)
        kept = session.shelf is not None
        return answer
    finally:
        for root, index in zip(session.roots, indexes, strict=True):
            if kept and session.shelf:
                session.shelf.put(root, index)
            else:
                index.source.close()
