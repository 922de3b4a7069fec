"""BM25 over weighted fields, from postings."""

from __future__ import annotations

from math import log, log2

from engram.index.layout import steps_to_length

__all__ = ["SCALE", "Impacts", "idf", "nearest_step", "step_up"]

K1 = 1.2
B = 0.75
# Scores are whole numbers, so that a sum never depends on the order of its parts (G2).
SCALE = 100_000


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


class Impacts(dict[int, int]):
    """Code of a posting to what it adds to a score, worked out when first asked for."""

    def __init__(self, weight: float, average: float) -> None:
        super().__init__()
        self._weight = weight * (K1 + 1) * SCALE
        self._average = average

    def __missing__(self, code: int) -> int:
        often = code >> 8
        norm = K1 * (1 - B + B * steps_to_length(code & 255) / self._average)
        value = self[code] = int(self._weight * often / (often + norm))
        return value
