"""Pseudo relevance feedback (RM3): the best three lend their telling words, and the best hundred are ranked again."""

from __future__ import annotations

from engram.index.layout import BREAK, FIELD_END, FIELDS, length_step, posting_code
from engram.recall.score import SCALE, Impacts, idf, nearest_step, step_up
from engram.recall.work import SOURCE_BITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.recall.work import Work

__all__ = ["expand"]

FEEDBACK = 3
TERMS = 20
# The share of the query's own words in the new score.
ALPHA = 0.7


def expand(work: Work, order: list[int]) -> None:
    """Add to scores and reasons what each candidate shares with the first of ``order``."""
    sources, sequences, scores = work.sources, work.sequences, work.scores
    model: dict[str, float] = {}
    best = sum(scores[doc] for doc in order[:FEEDBACK])
    for doc in order[:FEEDBACK]:
        counts: dict[int, int] = {}
        for number in _weighted(sequences[doc]):
            counts[number] = counts.get(number, 0) + 1
        counts.pop(BREAK, None)
        total = sum(counts.values()) or 1
        trust = scores[doc] / best
        for number, (term, _) in sources[doc >> SOURCE_BITS].named(counts).items():
            model[term] = model.get(term, 0.0) + trust * counts[number] / total
    looked = [source.lookup(model) for source in sources]
    weighed = []
    for term, share in model.items():
        # Frequencies in steps: a memory that shares no word with the task does not move its pack (G3).
        frequency = step_up(sum(found[term][1] for found in looked if term in found))
        rarity = idf(work.count, frequency)
        weighed.append((share * rarity, term, share, rarity))
    weighed.sort(key=lambda item: (-item[0], item[1]))
    chosen = weighed[:TERMS]
    # Scaled so that ALPHA weighs the mean of the query's words against the mean of the lent ones.
    factor = (1 - ALPHA) / ALPHA * len(work.groups) / (sum(share for _, _, share, _ in chosen) or 1.0)
    lent: list[dict[int, Impacts]] = []
    for source, found in zip(sources, looked, strict=True):
        average = nearest_step(source.length / source.count) if source.count else 1.0
        lent.append(
            {
                found[term][0]: Impacts(rarity * share * factor, average)
                for _, term, share, rarity in chosen
                if term in found
            }
        )
    about = ", ".join(term for _, term, _, _ in chosen[:5])
    for doc in order:
        impacts = lent[doc >> SOURCE_BITS]
        numbers = _weighted(sequences[doc])
        step = length_step(work.entries[doc].length)
        added = 0
        for number in impacts.keys() & set(numbers):
            added += impacts[number][posting_code(numbers.count(number), step)]
        if added:
            work.add(doc, "expansion", added / SCALE, about)


def _weighted(blob: bytes) -> list[int]:
    """Return the term numbers of a memory, each as often as its field weighs; second chances are left out."""
    numbers = memoryview(blob).cast("I").tolist()
    weighted: list[int] = []
    start = 0
    for _, weight in FIELDS:
        try:
            end = numbers.index(FIELD_END, start)
        except ValueError:  # a long memory, cut
            end = len(numbers)
        weighted += numbers[start:end] * weight
        start = end + 1
    return weighted
