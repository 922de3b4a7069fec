"""Ask the indexes of all roots that apply here; whatever an index file holds, the files are the truth (F3, E2)."""

from __future__ import annotations

import os

from engram.config.files import embedding_table
from engram.errors import EngramError
from engram.index.database import DAMAGE, SqliteError
from engram.index.refresh import catch_up, discard, open_index, read_files
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
    Learn = Callable[[str, Memory], None]

__all__ = ["ask_indexes", "by_meaning", "index_written"]


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
    return _learning(session, root, cache, lambda learn: open_index(root, cache, session.progress, learn))


def index_written(session: Session, path: str) -> None:
    """Bring the index of a root that was written up to date: a save takes longer than that, a recall does not.

    Whatever stands in the way, and where there is no index yet, the next recall sees to it: the write is done, so
    nothing here may look as if it had failed.
    """
    try:
        for root in session.roots:
            if root.path == path:
                _catch_up(session, root)
    except (EngramError, OSError):  # settings that cannot be read, for example
        return


def _catch_up(session: Session, root: MemoryRoot) -> None:
    cache = cache_of(session, root)
    _learning(session, root, cache, lambda learn: catch_up(root, cache, learn))


def _learning(session: Session, root: MemoryRoot, cache: str, make: Callable[[Learn], T]) -> T:
    """Return what ``make`` returns, given what has to see each memory that comes into an index."""
    learner = Learner(session, root)
    if not by_meaning(session):
        made = make(learner.learn)
        learner.finish()
        return made
    from engram.service.scorers import VectorMaker

    maker = VectorMaker(session, cache)

    def learn(value: str, memory: Memory) -> None:
        maker.learn(value, memory)
        learner.learn(value, memory)

    made = make(learn)
    maker.finish()
    learner.finish()
    return made


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
