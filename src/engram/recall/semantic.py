"""The scorer of meaning by static embeddings (decision 0009): how near the words of a task and a memory are."""

from __future__ import annotations

from engram.index.database import SqliteError
from engram.index.embedding import DIMENSIONS, cosine, memory_text
from engram.recall import weights
from engram.store.root import Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engram.index.embedding import Embedding
    from engram.index.layout import Entry
    from engram.index.vectors import Vectors
    from engram.recall.query import Query
    from engram.store.root import MemoryRoot

__all__ = ["SemanticScorer"]


class SemanticScorer:
    """Compares a task with memories by the mean of their pieces' vectors.

    Args:
        table: the open table; the scorer closes it.
        roots: the vectors of each root, and the root where vectors that are missing can be made from its files.
    """

    name = "semantic"
    weight = weights.SEMANTIC

    def __init__(self, table: Embedding, roots: Sequence[tuple[Vectors, MemoryRoot | None]]) -> None:
        self._table = table
        self._roots = roots

    def score(self, query: Query, docs: Mapping[int, Entry]) -> dict[int, float]:
        """Return the cosines of the memories that have a vector. Stop words of the task do not count.

        A vector that is not there is made now, for all candidates alike: a pack must not depend on earlier calls (C35).
        """
        try:
            asked = self._table.embed(" ".join(word.text for word in query.words))
            ready: dict[str, bytes] = {}
            for vectors, _ in self._roots:
                ready.update(vectors.get({entry.sha256 for entry in docs.values()} - ready.keys()))
            missing = [entry for entry in docs.values() if entry.sha256 not in ready]
            if missing:
                ready.update(self._make(missing))
        except (SqliteError, LookupError, TypeError, ValueError):
            return {}  # a damaged table: the words alone decide
        # A task without a word that says anything has no direction: all cosines are 0.
        dimensions = memoryview(asked).cast("b")[:DIMENSIONS].tolist()
        length = asked[-2] | asked[-1] << 8
        return {
            doc: cosine(ready[entry.sha256], dimensions, length) for doc, entry in docs.items() if entry.sha256 in ready
        }

    def _make(self, entries: Iterable[Entry]) -> dict[str, bytes]:
        """Make and keep the vectors of some memories, read from their files."""
        made: dict[str, bytes] = {}
        for vectors, root in self._roots:
            if root is None:
                continue
            found = {}
            for entry in entries:
                stored = root.read(entry.path) if entry.scope == root.scope else None
                if isinstance(stored, Stored) and stored.hash == entry.sha256:
                    found[stored.hash] = self._table.embed(memory_text(stored.memory))
            if found:
                vectors.put(found.items())
                made.update(found)
        return made

    def close(self) -> None:
        """Close the table."""
        self._table.close()
