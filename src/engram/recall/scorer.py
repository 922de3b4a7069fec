"""A second opinion on the candidates of the word ranking: what a scorer is."""

from __future__ import annotations

from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.index.layout import Entry
    from engram.recall.query import Query

__all__ = ["Scorer"]


class Scorer(Protocol):
    """Judges memories by something other than their words. Only type checkers import this module (see ``source``).

    A scorer sees the candidates that the words found, at most a hundred; it never brings in another one, and never
    fails: a memory that it cannot judge is missing from its answer.
    """

    @property
    def name(self) -> str:
        """The signal that it is switched off by, and that ``--explain`` shows."""

    @property
    def weight(self) -> float:
        """What its best memory gets, as a share of the best score by words."""

    def score(self, query: Query, docs: Mapping[int, Entry]) -> dict[int, float]:
        """Return how near each memory is, the higher the nearer; 0 and below is not near at all.

        Args:
            query: the task.
            docs: the candidates by their numbers in this ranking, best by words first.
        """

    def close(self) -> None:
        """Close what it has open."""
