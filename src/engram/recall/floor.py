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
    from engram.recall.work import Work

__all__ = ["SCORE", "SHARE", "below_floor"]

SCORE = 0.85
SHARE = 0.3
# A word that was read as another one counts as less of a match.
_CORRECTED = 0.8
# So many of the best are looked at.
_BEST = 10


def below_floor(work: Work, best: list[int]) -> str:
    """Return why none of the candidates, best first, is near enough, or an empty string."""
    rarest = idf(work.count, 0)
    said = sum(group.idf for group in work.groups) + len(work.unknown) * rarest
    for doc in best[:_BEST]:
        shared = sum(group.idf * (_CORRECTED if group.corrected else 1) for group in work.groups if group.value(doc))
        if work.scores[doc] >= SCORE * rarest * SCALE or shared >= SHARE * said:
            return ""
    words = [group.text for group in work.groups if group.value(best[0])]
    return f"the nearest memory shares only {', '.join(words[:3])} with it"
