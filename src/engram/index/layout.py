"""How the index lays memories out: fields, posting codes, sequences. What a reader needs, and no more.

A posting is a memory's number and a code of 16 bits: how often the term stands there, each field with its weight, and
the memory's length in steps of some six per cent. No average and no count of memories is stored in a posting, so that
one more memory changes nothing but its own terms (G3) and no save ever makes the other postings stale.

A sequence is a memory's term numbers in order, 32 bits each: the fields of ``FIELDS``, each closed by ``FIELD_END``,
the parts of a list by ``BREAK``; then its second chances (``text.terms``), which stand in no order, and the
numbers of its spellings, from ``SPELLING`` on.
"""

from __future__ import annotations

from _operator import itemgetter  # the C module alone
from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BREAK", "FIELDS", "FIELD_END", "LOOKED_AT", "SPELLING", "Entry", "Kept", "commonest", "length_step",
    "posting_code", "steps_to_length",
]  # fmt: skip

# The fields of a memory in the order of its sequence, and how much a word in each counts.
FIELDS: tuple[tuple[str, int], ...] = (("title", 2), ("triggers", 2), ("tags", 2), ("content", 1))
# In a sequence of term numbers, which begin at 1: the end of a field, and the end of one trigger or tag of several.
FIELD_END = 0
BREAK = 0xFFFFFFFF
# Numbers of spellings (words that are stored under another term) begin here, so that none is a term's.
SPELLING = 0x80000000
# Of a long memory so many terms are looked at for phrases and expansion.
LOOKED_AT = 4000
_STEPS_PER_E = 16


class Entry(tuple[object, ...]):
    """What the index knows of one memory without its text, a row of its table. Lists are joined with line ends.

    Hundreds are made in a load, of which most are looked at once, so it is the row itself with names for its columns.
    """

    __slots__ = ()

    n: int
    id: str
    path: str
    sha256: str
    type: str
    scope: str
    title: str
    confidence: str
    lifecycle: str
    valid_from: str
    valid_until: str
    superseded_by: str
    last_confirmed: str
    role: str
    task_types: str
    depends_on: str
    length: int
    folded: str
    """The id as ids are compared (F11)."""
    body: str
    """The first digits of the content's SHA-256: the same text may stand in both scopes (F20)."""
    standing: str
    """How it went out of service for good (``model.standing``)."""


for _at, _name in enumerate(Entry.__annotations__):
    setattr(Entry, _name, property(itemgetter(_at)))


class Kept:
    """What a process that lives long keeps of the memories it met, by number; it holds for one state of an index.

    Attributes:
        counts: how often each term stands there, each field with its weight; empty where it was not yet counted.
        entries: what the index knows without the text.
        fields: the term numbers, field by field.
        named: the same as ``entries`` by folded id, also of ids that no memory has.
        postings: where a term stands, by its own number.
        room: so many postings may still be kept.
        sequences: the same as ``fields``, packed.
        terms: term and document frequency, by the term's own number.
    """

    __slots__ = ("counts", "entries", "fields", "named", "postings", "room", "sequences", "terms")

    def __init__(self) -> None:
        self.counts: dict[int, dict[int, int]] = {}
        self.entries: dict[int, Entry] = {}
        self.fields: dict[int, list[list[int]]] = {}
        self.named: dict[str, list[Entry]] = {}
        self.postings: dict[int, tuple[list[int], list[int]]] = {}
        self.room = 200_000  # some 15 MB
        self.sequences: dict[int, bytes] = {}
        self.terms: dict[int, tuple[str, int]] = {}


def commonest(terms: Iterable[tuple[str, int]]) -> tuple[str, int]:
    """Return the term that the most memories have; of equals the first in the order of their characters (G2)."""
    return min(terms, key=lambda pair: (-pair[1], pair[0]))


def length_step(length: int) -> int:
    """Return the step (0 to 255) of a length in terms."""
    return min(255, int(log(length) * _STEPS_PER_E + 0.5)) if length > 1 else 0


def steps_to_length(step: int) -> float:
    """Return the length in the middle of a step."""
    return float(2.718281828459045 ** (step / _STEPS_PER_E))


def posting_code(count: int, step: int) -> int:
    """Return the code of a term that stands so often, weighted, in a memory whose length has this step."""
    return min(count, 255) << 8 | step
