"""Static embeddings from a table: a text is the mean of its pieces' vectors (decision 0009).

The table is one SQLite file per machine, made by ``embedding_table`` from an installed package and only looked up
here: neither that package nor numpy is imported. All sums are of whole numbers, so that a vector is the same in every
process.
"""

from __future__ import annotations

from array import array
from math import isqrt
from operator import mul
from sys import byteorder

from engram.index.database import SqliteFile, connect, sqlite
from engram.text.pieces import byte_pieces, chunks, merge, substrings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from engram.model import Memory

__all__ = ["DIMENSIONS", "VECTOR_BYTES", "VERSION", "Embedding", "cosine", "memory_text"]

# Goes up with every change of the table, of the splitting or of the text that stands for a memory.
VERSION = 1
DIMENSIONS = 256
# A vector as it is kept: int8 for each dimension, then its length times 16 in two bytes, the lower one first.
VECTOR_BYTES = DIMENSIONS + 2
# Of a memory so many characters count: a mean of many pieces means little, and the beginning says what it is about.
_LONGEST = 600
# Words whose pieces are remembered while many texts are read.
_MOST_WORDS = 100_000
_LANE = 8
_LOW = 0 if byteorder == "little" else _LANE - 1


class Embedding(SqliteFile):
    """The table, opened for look-ups.

    Raises:
        SqliteError: the file is missing, damaged, locked, or of another version.
    """

    def __init__(self, path: str) -> None:
        self._connection = connect(path, "ro")
        self._ask = self._connection.execute
        try:
            self._check_version("table", VERSION)
            state = dict(self._ask("select key, value from state"))
            self.fingerprint: str = state["fingerprint"]
            """What vectors of this table have in common; those of another table cannot be compared with them."""
            self.made_from: str = state["made_from"]
            joints: str = state["joints"]
            self._joints = frozenset(joints[at : at + 2] for at in range(0, len(joints), 2))
        except (KeyError, TypeError) as error:
            self._connection.close()
            raise sqlite.DatabaseError(f"the table lacks {error}") from error
        except BaseException:
            self._connection.close()
            raise
        self._numbers: dict[str, int] = {}
        self._rows: dict[int, tuple[int, bytes]] = {}
        self._words: dict[str, tuple[int, ...]] = {}
        self._whole = False

    def read_all(self) -> None:
        """Read the whole table (10 MB) at once, where many texts are to be embedded."""
        if not self._whole:
            self._numbers = dict(self._ask("select piece, number from pieces"))
            self._rows = {number: (scale, row) for number, scale, row in self._ask("select * from vectors")}
            self._whole = True

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text."""
        found = self._numbered(text)
        names = {number: piece for piece, number in self._numbers.items()}
        return [names[number] for number in found]

    def embed(self, text: str) -> bytes:
        """Return the vector of a text as it is kept: all zeros for a text without any word."""
        counts: dict[int, int] = {}
        for number in self._numbered(text):
            counts[number] = counts.get(number, 0) + 1
        if not counts:
            return bytes(VECTOR_BYTES)
        self._read_rows(counts)
        # One long whole number has all dimensions side by side, each with room for its sum.
        lanes = bytearray(DIMENSIONS * _LANE)
        total = weight = 0
        for number, count in counts.items():
            scale, row = self._rows[number]
            lanes[_LOW::_LANE] = row
            total += int.from_bytes(lanes, byteorder) * (scale * count)
            weight += scale * count
        zero = 128 * weight
        return _packed([v - zero for v in memoryview(total.to_bytes(len(lanes), byteorder)).cast("Q").tolist()])

    def _numbered(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text."""
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")  # half of a pair is no text that SQLite takes
        words = text.split()
        known = self._words
        new = {word for word in words if word not in known}
        if new:
            if len(known) > _MOST_WORDS:
                known.clear()
                new = set(words)
            self._split(new)
        found: list[int] = []
        for word in words:
            found += known[word]
        return found

    def _split(self, words: Iterable[str]) -> None:
        """Find the pieces of words, all with a few questions to the table."""
        runs = {word: chunks(word, self._joints) for word in words}
        numbers = self._numbers
        self._look_up({run for parts in runs.values() for run in parts})
        # A run that is a piece itself needs no merging: in such a vocabulary every piece is what its letters merge to.
        wanted: set[str] = set()
        for run in {run for parts in runs.values() for run in parts if run not in numbers}:
            wanted |= substrings(run)
        self._look_up(wanted)
        strange = {text for text in wanted if len(text) == 1 and text not in numbers}
        self._look_up({piece for char in strange for piece in byte_pieces(char)})
        for word, parts in runs.items():
            found: list[int] = []
            for run in parts:
                if run in numbers:
                    found.append(numbers[run])
                    continue
                for part in merge(run, numbers):
                    found += (
                        [numbers[part]]
                        if part in numbers
                        else [numbers[piece] for piece in byte_pieces(part) if piece in numbers]
                    )
            self._words[word] = tuple(found)

    def _look_up(self, pieces: Iterable[str]) -> None:
        if not self._whole:
            for some in _portions([piece for piece in pieces if piece not in self._numbers]):
                marks = ",".join("?" * len(some))
                self._numbers.update(self._ask(f"select piece, number from pieces where piece in ({marks})", some))  # noqa: S608

    def _read_rows(self, numbers: Iterable[int]) -> None:
        for some in _portions([number for number in numbers if number not in self._rows]):
            marks = ",".join("?" * len(some))
            for number, scale, row in self._ask(f"select * from vectors where number in ({marks})", some):  # noqa: S608
                self._rows[number] = (scale, row)


def memory_text(memory: Memory) -> str:
    """Return the text that stands for a memory."""
    return "\n".join((memory.title, *memory.triggers, *memory.tags, memory.content))[:_LONGEST]


def cosine(one: bytes, other: Sequence[int], length: int) -> float:
    """Return the cosine of a kept vector with one that was unpacked: its dimensions, and its length times 16."""
    own = one[-2] | one[-1] << 8
    if not own or not length:
        return 0.0
    dot: int = sum(map(mul, memoryview(one).cast("b")[:DIMENSIONS], other))
    return dot * 256 / (own * length)


def _packed(values: list[int]) -> bytes:
    most = max(map(abs, values)) or 1
    small = [(254 * value + most) // (2 * most) for value in values]
    length = isqrt(256 * sum(map(mul, small, small)))
    return array("b", small).tobytes() + length.to_bytes(2, "little")


def _portions(keys: list[Any]) -> Iterable[list[Any]]:
    for at in range(0, len(keys), 500):
        yield keys[at : at + 500]
