"""Scores by words and the opinions of scorers in one sum: ``words / best + weight · opinion / best``.

The sum is taken in units of the best score by words, so that what a reason says it added can be compared with the
reasons of the other signals.
"""

from __future__ import annotations

from engram.recall.score import SCALE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.recall.scorer import Scorer
    from engram.recall.work import Work

__all__ = ["Fusion"]

_NOT_READY = "not compared yet"


class Fusion:
    """The opinions of some scorers on the candidates of one ranking."""

    def __init__(self, work: Work, scorers: Sequence[Scorer]) -> None:
        self._work = work
        self._opinions: list[tuple[str, float, dict[int, float], float]] = []
        self._best = 0
        self._given: dict[int, int] = {}
        for scorer in scorers:
            if scorer.name in work.off:
                continue
            docs = {doc: work.entries[doc] for doc in work.scores}
            near = {doc: max(0.0, value) for doc, value in scorer.score(work.query, docs).items()}
            best = max(near.values(), default=0.0)
            if best > 0:
                shares = {doc: value / best for doc, value in near.items()}
                # A memory that could not be judged is taken for an average one: neither raised nor held back.
                self._opinions.append((scorer.name, scorer.weight, shares, sum(shares.values()) / len(shares)))

    def add(self) -> None:
        """Add the opinions to the scores. Called again after the scores by words rose, it adds what is missing."""
        if not self._opinions:
            return
        work, given = self._work, self._given
        best = max(score - given.get(doc, 0) for doc, score in work.scores.items())
        grown = best - self._best
        self._best = best
        for name, weight, shares, average in self._opinions:
            for doc in work.scores:
                share = shares.get(doc)
                value = int(weight * grown * (average if share is None else share))
                given[doc] = given.get(doc, 0) + value
                work.scores[doc] += value
                _explain(
                    work.reasons[doc],
                    name,
                    value / SCALE,
                    _NOT_READY if share is None else f"{share:.0%} of the nearest",
                )

    def near(self, order: Sequence[int], share: float) -> list[int]:
        """Return the candidates that are no noise: that have this share of the best by words.

        An opinion lifts one there by what it says beyond the average. It finds everything somewhat near, so all of it
        would lift the farthest over the floor too. What the words find near stays, whatever is said of it.
        """
        scores, given = self._work.scores, self._given
        plain = {doc: score - given.get(doc, 0) for doc, score in scores.items()}
        least = share * max(plain.values())
        common = sum(weight * self._best * average for _, weight, _, average in self._opinions)
        return [doc for doc in order if plain[doc] >= least or scores[doc] - common >= least]


def _explain(reasons: list[tuple[str, float, str]], name: str, value: float, about: str) -> None:
    for at, (known, before, _) in enumerate(reasons):
        if known == name:
            reasons[at] = (name, before + value, about)
            return
    reasons.append((name, value, about))
