"""When to say nothing (H3, architecture decision 7).

The measure is what a word is worth that one memory has and no other. A memory is near enough when its score reaches
``FLOOR_SCORE`` of that, as one such word in a text of common length does, or two less rare ones; or when it has
the ``FLOOR_SHARE`` of what the whole task says, where words that no memory has count as the rarest. One common word of
a long task reaches neither. A word that was read as another one is half a match, and gives no score here: most such
words are no slips, but words that the memories do not speak of. ``benchmarks/recall.py`` prints what the floor costs.
"""

from __future__ import annotations

from engram.recall import weights
from engram.recall.score import SCALE, idf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.recall.work import Work

__all__ = ["below_floor"]

# So many of the best are looked at.
_BEST = 10


def below_floor(work: Work, best: list[int]) -> str:
    """Return why none of the candidates, best first, is near enough, or an empty string."""
    # In a handful of memories that are all about one thing its words tell nothing apart, but they do say that the task
    # is about that thing: what a word says is measured as in a memory of some size.
    count = max(work.count, weights.FLOOR_COUNT)
    rare = idf(count, 1)
    says = {group.text: idf(count, group.frequency) for group in work.groups}
    said = sum(says.values()) + len(work.unknown) * idf(count, 0)
    for doc in best[:_BEST]:
        score = shared = 0.0
        for group in work.groups:
            if value := group.value(doc):
                shared += says[group.text] * (weights.FLOOR_CORRECTED if group.corrected else 1)
                score += 0 if group.corrected else value * says[group.text] / group.idf
        if score >= weights.FLOOR_SCORE * rare * SCALE or shared >= weights.FLOOR_SHARE * said:
            return ""
    words = [group.text for group in work.groups if group.value(best[0])]
    return f"the nearest memory shares only {', '.join(words[:3])} with it"
