"""What recall asks of an index, be it a file or in memory."""

from __future__ import annotations

from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engram.index.layout import Entry, Kept

__all__ = ["Source"]


class Source(Protocol):
    """An open index. Only type checkers import this module: at run time it would cost what ``typing`` costs."""

    @property
    def count(self) -> int:
        """The number of memories."""

    @property
    def length(self) -> int:
        """The length of all memories together, in terms."""

    @property
    def dead(self) -> frozenset[int]:
        """Numbers of memories that were replaced or removed; postings may still name them."""

    @property
    def kept(self) -> Kept | None:
        """What recall may keep for its next question; None where there will be none."""

    def lookup(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return number and document frequency of each term that some memory has."""

    def spelled(self, words: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return for each word that some memory has the term it is stored as, and its document frequency."""

    def beginning(self, start: str, shortest: int, longest: int) -> dict[str, tuple[str, int]]:
        """Return the same for the words that begin with ``start``, which is not empty, and have so many letters."""

    def named(self, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Return term and document frequency by the number of a term."""

    def postings(self, number: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return where a term stands: numbers of memories, ascending, and for each a code (see ``layout``)."""

    def entries(self, docs: Iterable[int]) -> dict[int, Entry]:
        """Return what is known of memories, by number."""

    def all_rows(self) -> list[Entry]:
        """Return what is known of every memory, in no order."""

    def hashes(self) -> Mapping[str, str]:
        """Return path and SHA-256 of all memories."""

    def kinds(self) -> dict[str, int]:
        """Return how many memories there are of each kind; ``superseded`` ones are a kind of their own (I1)."""

    def expired(self, day: str) -> int:
        """Return how many memories' ``valid_until`` was over before ``day`` and wait for a review (I3)."""

    def close(self) -> None:
        """Close what is open; nothing may be asked afterwards."""

    def with_ids(self, folded: Iterable[str]) -> list[Entry]:
        """Return the memories with these ids, folded as in F11."""

    def sequences(self, docs: Iterable[int]) -> dict[int, bytes]:
        """Return the first ``LOOKED_AT`` term numbers of memories, packed in 32 bits each (see ``layout``)."""
