"""Memories as postings in memory: what a rebuild writes into the database, and what recall reads without one (F3)."""

from __future__ import annotations

from array import array

from engram.index.layout import (
    BREAK,
    FIELD_END,
    FIELDS,
    LOOKED_AT,
    SPELLING,
    Entry,
    Kept,
    commonest,
    length_step,
    posting_code,
)
from engram.model import standing
from engram.store.files import digest
from engram.text.slugs import fold_id
from engram.text.stop import language
from engram.text.terms import Analyzer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from engram.model import Memory

__all__ = ["Segment"]


class Segment:
    """Postings of a number of memories, built in memory.

    It answers the same four questions as ``database.Database``: ``lookup``, ``postings``, ``entries``, ``sequences``.
    """

    def __init__(
        self,
        first: int = 1,
        number: Callable[[str], int] | None = None,
        spelling: Callable[[str, int], int] | None = None,
    ) -> None:
        """Start an empty segment.

        Args:
            first: the number of its first memory.
            number: gives the number of a term, where terms have numbers already.
            spelling: gives the number of a word that is stored under another term, by word and that term's number.
        """
        self.numbers: dict[str, int] = {}
        self.spellings: dict[tuple[str, int], int] = {}
        self.spelled_in: dict[int, int] = {}
        """How many memories have a spelling, by its number."""
        self.chunks: dict[int, tuple[array[int], array[int]]] = {}
        self.rows: list[Entry] = []
        self.blobs: list[bytes] = []
        self.length = 0
        self.dead: frozenset[int] = frozenset()
        self.first = first
        self.kept: Kept | None = None
        self._names: list[str] = []
        self._stored: dict[str, list[int]] = {}
        self._stored_of = 0
        self._analyzer = Analyzer(number or self._number, spelling or self._spelling)

    def _number(self, term: str) -> int:
        return self.numbers.setdefault(term, len(self.numbers) + 1)

    def _spelling(self, word: str, number: int) -> int:
        return self.spellings.setdefault((word, number), SPELLING + len(self.spellings))

    def add(self, path: str, sha256: str, memory: Memory) -> None:
        """Index one memory that was read from ``path`` (relative to its root) and whose bytes have this hash."""
        n = self.first + len(self.rows)
        content = "\n".join(
            text for text in (memory.context, memory.content, memory.example, memory.human_note) if text
        )
        for _, text in memory.variants:
            content += "\n" + text
        texts = ((memory.title,), memory.triggers, memory.tags, (content,))
        lang = language("\n".join((memory.title, *memory.triggers, content))[:4000].lower().split())
        extras: set[int] = set()
        spellings: set[int] = set()
        sequence: list[int] = []
        counts: dict[int, int] = {}
        get = counts.get
        length = 0
        for parts, (_, weight) in zip(texts, FIELDS, strict=True):
            for part in parts:
                found = self._analyzer.read(part, lang, extras, spellings)
                length += len(found)
                for term in found:
                    counts[term] = get(term, 0) + weight
                sequence += found
                if len(parts) > 1:
                    sequence.append(BREAK)
            sequence.append(FIELD_END)
        extras.difference_update(counts)
        sequence += sorted(extras)
        sequence += sorted(spellings)
        for spelling in spellings:
            self.spelled_in[spelling] = self.spelled_in.get(spelling, 0) + 1
        for term in extras:
            counts[term] = 1
        step = length_step(length)
        chunks = self.chunks
        for term, count in counts.items():
            known = chunks.get(term)
            if known is None:
                known = chunks[term] = (array("I"), array("H"))
            known[0].append(n)
            known[1].append(posting_code(count, step))
        self.length += length
        self.blobs.append(array("I", sequence).tobytes())
        self.rows.append(
            Entry((
                n, memory.id, path, sha256, memory.type, memory.scope, memory.title, memory.confidence,
                memory.lifecycle, memory.valid_from, memory.valid_until, memory.superseded_by, memory.last_confirmed,
                "\n".join(memory.role), "\n".join(_task_types(memory)), "\n".join(memory.depends_on), length,
                fold_id(memory.id), digest(memory.content.encode("utf-8", "replace"))[:16], standing(memory),
            ))
        )  # fmt: skip

    # What recall asks.

    @property
    def count(self) -> int:
        """The number of memories."""
        return len(self.rows)

    def lookup(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return number and document frequency of each term that some memory has."""
        found = {}
        for term in terms:
            number = self.numbers.get(term)
            if number is not None:
                found[term] = (number, len(self.chunks[number][0]))
        return found

    def spelled(self, words: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return for each word that some memory has the term it is stored as, and its document frequency."""
        wanted = list(words)
        found = {word: (word, frequency) for word, (_, frequency) in self.lookup(wanted).items()}
        stored = self._stored_words()
        for word in wanted:
            if word in stored:
                found[word] = commonest(self.named(stored[word]).values())
        return found

    def beginning(self, start: str, shortest: int, longest: int) -> dict[str, tuple[str, int]]:
        """Return the same for the words that begin with ``start`` and have so many letters."""
        known = (word for words in (self.numbers, self._stored_words()) for word in words)
        return self.spelled({word for word in known if shortest <= len(word) <= longest and word.startswith(start)})

    def _stored_words(self) -> dict[str, list[int]]:
        """Return the numbers of the terms that each word is stored as, of those that are stored as another one."""
        if self._stored_of < len(self.spellings):
            self._stored = {}
            for word, number in self.spellings:
                self._stored.setdefault(word, []).append(number)
            self._stored_of = len(self.spellings)
        return self._stored

    def named(self, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Return term and document frequency by the number of a term."""
        if len(self._names) != len(self.numbers):
            self._names = list(self.numbers)
        return {number: (self._names[number - 1], len(self.chunks[number][0])) for number in numbers}

    def postings(self, number: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return where a term stands: numbers of memories, ascending, and for each a code (see ``layout``)."""
        return self.chunks[number]

    def entries(self, docs: Iterable[int]) -> dict[int, Entry]:
        """Return what is known of memories, by number."""
        return {n: self.rows[n - self.first] for n in docs}

    def all_rows(self) -> list[Entry]:
        """Return what is known of every memory, in no order."""
        return list(self.rows)

    def close(self) -> None:
        """Nothing is open: the memories are in this process."""

    def hashes(self) -> Mapping[str, str]:
        """Return path and SHA-256 of all memories."""
        return {row.path: row.sha256 for row in self.rows}

    def kinds(self) -> dict[str, int]:
        """Return how many memories there are of each kind; ``superseded`` ones are a kind of their own (I1)."""
        found: dict[str, int] = {}
        for row in self.rows:
            kind = "superseded" if row.standing == "superseded" else row.type
            found[kind] = found.get(kind, 0) + 1
        return found

    def expired(self, day: str) -> int:
        """Return how many memories' ``valid_until`` was over before ``day`` and wait for a review (I3)."""
        return sum(1 for row in self.rows if not row.standing and row.valid_until and row.valid_until < day)

    def with_ids(self, folded: Iterable[str]) -> list[Entry]:
        """Return the memories with these ids, folded as in F11."""
        wanted = set(folded)
        return [row for row in self.rows if row.folded in wanted]

    def sequences(self, docs: Iterable[int]) -> dict[int, bytes]:
        """Return the first ``LOOKED_AT`` term numbers of memories, packed in 32 bits each (see ``layout``)."""
        return {n: self.blobs[n - self.first][: 4 * LOOKED_AT] for n in docs}


def _task_types(memory: Memory) -> list[str]:
    """Return the types of task that a memory names, in its field and in tags such as ``task_type:release``."""
    tagged = [tag.partition(":")[2].strip() for tag in memory.tags if tag.startswith("task_type:")]
    return [name for name in dict.fromkeys((*memory.task_types, *tagged)) if name]
