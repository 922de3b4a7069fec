"""When to say nothing (H3, architecture decision 7).

The measure is what one word is worth that no memory has: ``idf`` at frequency 0. A memory is near enough when its score
reaches ``SCORE`` of that, as one rare word of a short text does, or two less rare ones; or when it has the
``SHARE`` of what the whole task says, unknown words counted as the rarest. One common word of a long task reaches
neither. Both figures were chosen on the development queries (``benchmarks/recall.py`` prints what they cost).
"""

from __future__ import annotations

from engram.recall.score import SCALE, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.recall.ranking import Group

__all__ = ["SCORE", "SHARE", "below_floor"]

SCORE = 0.85
SHARE = 0.3
# A word that was read as another one counts as less of a match.
_CORRECTED = 0.8
# So many of the best are looked at.
_BEST = 10


def below_floor(
    groups: Sequence[Group], unknown: int, count: float, best: Sequence[int], scores: dict[int, int]
) -> str:
    """Return why nothing is near enough, or an empty string.

    Args:
        groups: the words of the task that some memory has.
        unknown: how many of its words no memory has.
        count: the number of memories, in steps.
        best: the best memories, best first.
        scores: their BM25.
    """
    rarest = idf(count, 0)
    said = sum(group.idf for group in groups) + unknown * rarest
    for doc in best[:_BEST]:
        shared = sum(group.idf * (_CORRECTED if group.corrected else 1) for group in groups if group.value(doc))
        if scores[doc] >= SCORE * rarest * SCALE or shared >= SHARE * said:
            return ""
    words = [group.text for group in groups if group.value(best[0])]
    return f"the nearest memory shares only {', '.join(words[:3])} with it"
