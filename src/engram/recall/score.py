"""BM25 over weighted fields, from postings; and when to say nothing (H3, architecture decision 7).

The measure is what a word is worth that one memory has and no other. A memory is near enough when its score reaches
``FLOOR_SCORE`` of that, as one such word in a text of common length does, or two less rare ones; or when it has
the ``FLOOR_SHARE`` of what the whole task says, where words that no memory has count as the rarest. One common word of
a long task reaches neither. A word that was read as another one is half a match, and gives no score here: most such
words are no slips, but words that the memories do not speak of. ``benchmarks/recall.py`` prints what the floor costs.
"""

from __future__ import annotations

from math import log, log2

from engram.index.layout import steps_to_length
from engram.recall import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.recall.work import Work

__all__ = ["SCALE", "Impacts", "below_floor", "full", "idf", "nearest_step", "saturation", "step_up"]

# Scores are whole numbers, so that a sum never depends on the order of its parts (G2).
SCALE = 100_000
# So many of the best candidates are looked at before nothing is said.
_BEST = 10
# By length step and average length: 256 steps, and an average is one of a few powers of two.
_saturations: dict[tuple[int, float], float] = {}


def step_up(value: float) -> float:
    """Return the smallest power of two that is not below a value: collection figures enter in such steps (G3)."""
    power = 1.0
    while power < value:
        power *= 2
    return power


def nearest_step(value: float) -> float:
    """Return the power of two that is nearest to a value by ratio."""
    return float(2 ** round(log2(value))) if value > 0 else 1.0


def idf(count: float, frequency: float) -> float:
    """Return how much a term says that so many of the memories have."""
    return log(1 + (max(count, frequency) - frequency + 0.5) / (frequency + 0.5))


def full(weight: float) -> float:
    """Return what a term of this weight adds to a score where it stands without end, times ``SCALE``."""
    return weight * (weights.K1 + 1) * SCALE


def saturation(step: int, average: float) -> float:
    """Return how often a term must stand in a memory of this length step to add half of that."""
    known = _saturations.get((step, average))
    if known is None:
        known = weights.K1 * (1 - weights.B + weights.B * steps_to_length(step) / average)
        _saturations[step, average] = known
    return known


class Impacts(dict[int, int]):
    """Code of a posting to what it adds to a score, worked out when first asked for."""

    def __init__(self, weight: float, average: float) -> None:
        super().__init__()
        self._weight = full(weight)
        self._average = average

    def __missing__(self, code: int) -> int:
        often = code >> 8
        value = self[code] = int(self._weight * often / (often + saturation(code & 255, self._average)))
        return value


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
