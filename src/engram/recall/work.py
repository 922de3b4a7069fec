"""What the steps of one ranking hand to each other."""

from __future__ import annotations

from _bisect import bisect_left  # the C module alone: the one around it takes as long again to load

from engram.index.layout import BREAK, FIELD_END, FIELDS
from engram.recall.score import SCALE, step_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.index.layout import Entry
    from engram.index.source import Source
    from engram.recall.query import Query

__all__ = ["SOURCE_BITS", "Group", "Work"]

# Memories of several sources are told apart by the source's number above this many bits of the memory's own.
SOURCE_BITS = 24
_OWN = (1 << SOURCE_BITS) - 1


class Group:
    """One word of the query and where it stands: numbers of memories, ascending, with a code each."""

    __slots__ = ("codes", "corrected", "docs", "frequency", "idf", "most", "numbers", "text", "values")

    def __init__(self, text: str) -> None:
        self.text = text
        self.corrected = ""
        self.frequency = 0
        self.idf = 0.0
        self.most = 0
        """What it adds to a memory at most."""
        self.numbers: list[set[int]] = []
        """The numbers of its terms in each source."""
        self.docs: Sequence[int] = ()
        self.codes: Sequence[int] = ()
        self.values: Mapping[int, int] = {}
        """What a code adds to the score. Where several forms were put together the code is the value."""

    def value(self, doc: int) -> int:
        """Return what the word adds to a memory, 0 where it does not stand."""
        at = bisect_left(self.docs, doc)
        return self.values[self.codes[at]] if at < len(self.docs) and self.docs[at] == doc else 0


class Work:
    """One ranking while it is made: numbers of memories are those of ``SOURCE_BITS``."""

    __slots__ = (
        "_fields", "aside", "count", "entries", "equals", "groups", "most", "off", "query", "reasons", "scores",
        "sequences", "sources", "unknown",
    )  # fmt: skip

    def __init__(self, sources: Sequence[Source], query: Query, off: frozenset[str], most: int) -> None:
        self.sources = sources
        self.query = query
        self.off = off
        self.most = most
        """So many candidates are looked at more closely."""
        self.count = step_up(sum(source.count for source in sources))
        """The number of memories, in steps (G3)."""
        self.aside: set[int] = set()
        """What the question is not about; it takes no place among the candidates."""
        self.groups: list[Group] = []
        self.unknown: list[str] = []
        self.entries: dict[int, Entry] = {}
        self.equals: list[int] = []
        """The candidates in the order that equals keep."""
        self.sequences: dict[int, bytes] = {}
        self.scores: dict[int, int] = {}
        """The scores of the candidates, times ``SCALE``."""
        self.reasons: dict[int, list[tuple[str, float, str]]] = {}
        self._fields: dict[int, list[list[int]]] = {}

    def add(self, doc: int, signal: str, value: float, about: str) -> None:
        """Add to a candidate's score, and to its reasons."""
        self.scores[doc] += int(value * SCALE)
        self.reasons[doc].append((signal, value, about))

    def fields(self, doc: int) -> list[list[int]]:
        """Return the term numbers of a candidate, field by field as in ``FIELDS``; second chances are left out."""
        kept = self.sources[doc >> SOURCE_BITS].kept
        known = self._fields if kept is None else kept.fields
        key = doc if kept is None else doc & _OWN
        found = known.get(key)
        if found is None:
            numbers = memoryview(self.sequences[doc]).cast("I").tolist()
            found = known[key] = []
            start = 0
            for _ in FIELDS:
                try:
                    end = numbers.index(FIELD_END, start)
                except ValueError:  # a long memory, cut
                    end = len(numbers)
                found.append(numbers[start:end])
                start = end + 1
        return found

    def counts(self, doc: int) -> dict[int, int]:
        """Return how often each term stands in a candidate, each field with its weight."""
        kept = self.sources[doc >> SOURCE_BITS].kept
        found = kept.counts.get(doc & _OWN) if kept else None
        if not found:
            found = {}
            for numbers, (_, weight) in zip(self.fields(doc), FIELDS, strict=True):
                for number in numbers:
                    found[number] = found.get(number, 0) + weight
            found.pop(BREAK, None)
            if kept:
                kept.counts[doc & _OWN] = found
        return found

    def known_counts(self, doc: int) -> dict[int, int] | None:
        """Return the same of a candidate that was met before, None at the first time: most are met only once."""
        kept = self.sources[doc >> SOURCE_BITS].kept
        if kept is None:
            return None
        if doc & _OWN in kept.counts:
            return self.counts(doc)
        kept.counts[doc & _OWN] = {}
        return None

    def own(self, docs: Sequence[int], source: int) -> list[int]:
        """Return the numbers that memories have in a source, of those that are in it."""
        first = source << SOURCE_BITS
        return [doc - first for doc in docs if doc >> SOURCE_BITS == source]
