"""Pseudo relevance feedback (RM3): the best three lend their telling words, and the best hundred are ranked again."""

from __future__ import annotations

from sys import byteorder

from engram.index.segment import BREAK, FIELD_END, FIELDS
from engram.recall.score import SCALE, Impacts, idf, nearest_step, step_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.recall.rank import Group
    from engram.recall.source import Source

__all__ = ["expand"]

FEEDBACK = 3
TERMS = 20
# The share of the query's own words in the new score.
ALPHA = 0.7


def expand(
    sources: Sequence[Source],
    groups: list[Group],
    order: list[int],
    sequences: dict[int, bytes],
    scores: dict[int, int],
    reasons: dict[int, list[tuple[str, float, str]]],
) -> None:
    """Add to ``scores`` and ``reasons`` what each candidate shares with the first of ``order``."""
    model: dict[str, float] = {}
    names: dict[str, list[tuple[int, int]]] = {}
    best = sum(scores[doc] for doc in order[:FEEDBACK])
    for doc in order[:FEEDBACK]:
        counts = _weighted(sequences[doc])
        total = sum(counts.values()) or 1
        share = scores[doc] / best
        named = sources[doc >> 24].named(counts)
        for number, often in counts.items():
            term = named[number][0]
            model[term] = model.get(term, 0.0) + share * often / total
    looked = [source.lookup(model) for source in sources]
    count = step_up(sum(source.count for source in sources))
    weighed = []
    for term, weight in model.items():
        # Frequencies in steps: a memory that shares no word with the task does not move its pack (G3).
        frequency = step_up(sum(found[term][1] for found in looked if term in found))
        rarity = idf(count, frequency)
        weighed.append((weight * rarity, term, weight, rarity))
    weighed.sort(key=lambda item: (-item[0], item[1]))
    chosen = weighed[:TERMS]
    mass = sum(weight for _, _, weight, _ in chosen) or 1.0
    added = dict.fromkeys(order, 0)
    # Scaled so that ALPHA weighs the mean of the query's words against the mean of the lent ones.
    factor = (1 - ALPHA) / ALPHA * max(1, len(groups)) / mass
    for _, term, weight, rarity in chosen:
        for at, (source, found) in enumerate(zip(sources, looked, strict=True)):
            if term not in found:
                continue
            impacts = Impacts(rarity * weight * factor, nearest_step(source.length / source.count))
            postings = source.postings(found[term][0])
            codes = dict(zip(postings.docs, postings.codes, strict=True))
            shift = at << 24
            for doc in order:
                if doc >> 24 == at and (doc - shift) in codes:
                    added[doc] += impacts[codes[doc - shift]]
    about = ", ".join(term for _, term, _, _ in chosen[:5])
    for doc, value in added.items():
        if value:
            scores[doc] += value
            reasons[doc].append(("expansion", value / SCALE, about))


def _weighted(blob: bytes) -> dict[int, int]:
    """Return the terms of a memory with their weighted counts."""
    counts: dict[int, int] = {}
    field = 0
    for number in memoryview(blob[: len(blob) // 4 * 4]).cast("I").tolist():
        if number == FIELD_END:
            field += 1
            if field == len(FIELDS):
                break
        elif number != BREAK:
            counts[number] = counts.get(number, 0) + FIELDS[field][1]
    return counts
