"""What recall by meaning needs of a session; where it is off, nothing but one look at whether its file is there.

``engram semantic on`` (module ``semantic``) makes that file.
"""

from __future__ import annotations

import os

from engram.config.files import embedding_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.index.embedding import Embedding
    from engram.model import Memory
    from engram.recall.scorer import Scorer
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["VectorMaker", "open_scorers"]

# So many new memories wait until their vectors are made together.
_TOGETHER = 500
# From so many on it pays to read the whole table.
_MANY = 50


def open_scorers(session: Session, roots: Sequence[tuple[MemoryRoot, str]]) -> tuple[Scorer, ...]:
    """Return the scorers that are switched on, to be closed by the caller.

    Args:
        session: where one is. It is told of a table that cannot be read.
        roots: each root, and its folder for derived files.
    """
    path = embedding_table(session.environ)
    if not os.path.exists(path):
        return ()
    from engram.index.database import SqliteError, available

    if not available():
        return ()
    from engram.index.embedding import Embedding
    from engram.index.vectors import Vectors
    from engram.recall.semantic import SemanticScorer

    try:
        table = Embedding(path)
    except SqliteError as error:
        session.say(
            "warning",
            "semantic",
            f"Recall goes by words alone: the table of embeddings cannot be read ({error}).",
            path=path,
            hint="Make it anew: engram semantic on",
        )
        return ()
    return (SemanticScorer(table, [(Vectors(cache, table.fingerprint), root) for root, cache in roots]),)


class VectorMaker:
    """Makes the vectors of memories while they enter the index, where recall by meaning is on.

    No fault of it stops the index: what could not be made is made when recall first meets the memory.
    """

    def __init__(self, session: Session, cache: str) -> None:
        self._table_path = embedding_table(session.environ)
        self._cache = cache
        self._on: bool | None = None
        self._table: Embedding | None = None
        self._waiting: list[tuple[str, Memory]] = []

    def learn(self, value: str, memory: Memory) -> None:
        """Take in one memory, by the SHA-256 (hex) of its bytes."""
        if self._on is None:
            self._on = os.path.exists(self._table_path)
        if self._on:
            self._waiting.append((value, memory))
            if len(self._waiting) >= _TOGETHER:
                self._make()

    def finish(self) -> None:
        """Make what waits, and close the table."""
        if self._waiting:
            self._make()
        if self._table is not None:
            self._table.close()
            self._table = None

    def _make(self) -> None:
        from engram.index.database import SqliteError, available
        from engram.index.embedding import Embedding
        from engram.index.vectors import Vectors

        waiting, self._waiting = self._waiting, []
        if not available():
            self._on = False
            return
        try:
            if self._table is None:
                self._table = Embedding(self._table_path)
            vectors = Vectors(self._cache, self._table.fingerprint)
            ready = vectors.get(value for value, _ in waiting)
            missing = [(value, memory) for value, memory in waiting if value not in ready]
            if len(missing) >= _MANY:
                self._table.read_all()
            vectors.add(self._table, missing)
        except SqliteError:
            self._on = False
