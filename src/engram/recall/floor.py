"""When to say nothing (H3, architecture decision 7).

The measure is what a word is worth that one memory has and no other. A memory is near enough when its score reaches
``SCORE`` of that, as one such word in a text of common length does, or two less rare ones; or when it has the ``SHARE``
of what the whole task says, where words that no memory has count as the rarest. One common word of a long task reaches
neither. Both figures were chosen on the development queries (``benchmarks/recall.py`` prints what they cost).
"""

from __future__ import annotations

from engram.recall.score import SCALE, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.recall.work import Work

__all__ = ["SCORE", "SHARE", "below_floor"]

SCORE = 1.0
SHARE = 0.3
# A word that was read as another one is half a match, and gives no score here: most such words are no slips, but words
# that the memories do not speak of.
_CORRECTED = 0.5
# So many of the best are looked at.
_BEST = 10


def below_floor(work: Work, best: list[int]) -> str:
    """Return why none of the candidates, best first, is near enough, or an empty string."""
    rare = idf(work.count, 1)
    said = sum(group.idf for group in work.groups) + len(work.unknown) * idf(work.count, 0)
    for doc in best[:_BEST]:
        score = shared = 0.0
        for group in work.groups:
            if value := group.value(doc):
                shared += group.idf * (_CORRECTED if group.corrected else 1)
                score += 0 if group.corrected else value
        if score >= SCORE * rare * SCALE or shared >= SHARE * said:
            return ""
    words = [group.text for group in work.groups if group.value(best[0])]
    return f"the nearest memory shares only {', '.join(words[:3])} with it"
