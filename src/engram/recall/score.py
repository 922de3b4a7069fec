"""BM25 over weighted fields, from postings."""

from __future__ import annotations

from math import log, log2

from engram.index.layout import steps_to_length
from engram.recall import weights

__all__ = ["SCALE", "Impacts", "full", "idf", "nearest_step", "saturation", "step_up"]

# Scores are whole numbers, so that a sum never depends on the order of its parts (G2).
SCALE = 100_000
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
