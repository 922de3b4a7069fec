"""Pseudo relevance feedback (RM3): the best three lend their telling words, and all candidates are ranked again."""

from __future__ import annotations

from engram.index.layout import FIELDS, length_step
from engram.recall import weights
from engram.recall.score import SCALE, full, idf, nearest_step, saturation, step_up
from engram.recall.work import SOURCE_BITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.recall.work import Work

__all__ = ["expand"]

_SHORTEST_PIECE = 10  # characters of a piece of a key that gives something away


def expand(work: Work, order: list[int]) -> None:
    """Add to scores and reasons what each candidate shares with the first of ``order``."""
    sources, scores = work.sources, work.scores
    model: dict[str, float] = {}
    looked: list[dict[str, tuple[int, int]]] = [{} for _ in sources]
    best = sum(scores[doc] for doc in order[: weights.FEEDBACK])
    for doc in order[: weights.FEEDBACK]:
        words = work.counts(doc)
        total = sum(words.values()) or 1
        trust = scores[doc] / best
        found = looked[doc >> SOURCE_BITS]
        for number, (term, often) in sources[doc >> SOURCE_BITS].named(words).items():
            model[term] = model.get(term, 0.0) + trust * words[number] / total
            found[term] = number, often
    for source, found in zip(sources, looked, strict=True):
        if others := model.keys() - found.keys():
            found.update(source.lookup(others))
    weighed = []
    rarities: dict[int, float] = {}
    for term, share in model.items():
        often = sum([found[term][1] for found in looked if term in found])
        rarity = rarities.get(often)
        if rarity is None:
            # Frequencies in steps: a memory that shares no word with the task does not move its pack (G3).
            rarity = rarities[often] = idf(work.count, step_up(often))
        weighed.append((-share * rarity, term, share, rarity))
    weighed.sort()
    chosen = weighed[: weights.LENT]
    # Scaled so that ALPHA weighs the mean of the query's words against the mean of the lent ones.
    factor = (1 - weights.ALPHA) / weights.ALPHA * len(work.groups) / (sum(share for _, _, share, _ in chosen) or 1.0)
    lent = [
        {found[term][0]: full(rarity * share * factor) for _, term, share, rarity in chosen if term in found}
        for found in looked
    ]
    averages = [nearest_step(source.length / source.count) if source.count else 1.0 for source in sources]
    about = ", ".join(term for _, term, _, _ in chosen[:5] if not _may_be_of_key(term))
    norms: dict[tuple[int, int], float] = {}
    for doc in order:
        at = doc >> SOURCE_BITS
        impacts = lent[at]
        counts = work.known_counts(doc)
        if counts is not None:
            counted = {number: counts[number] for number in impacts.keys() & counts.keys()}
        else:
            counted = {}
            for numbers, (_, weight) in zip(work.fields(doc), FIELDS):  # noqa: B905 - a hundred times in a load
                for number in numbers:
                    if number in impacts:
                        counted[number] = counted.get(number, 0) + weight
        if counted:
            length = work.entries[doc].length
            norm = norms.get((at, length))
            if norm is None:
                norm = norms[at, length] = saturation(length_step(length), averages[at])
            added = sum([int(impacts[number] * count / (count + norm)) for number, count in counted.items()])
            work.add(doc, "expansion", added / SCALE, about)


def _may_be_of_key(term: str) -> bool:
    """Say whether a word could be a secret's, or a piece of one: it ranks, and no explanation shows it (decision 8).

    The index has the words of the file in lower case, where nothing tells a key by its mark any more.
    """
    return len(term) >= _SHORTEST_PIECE and not term.isalpha() and not term.isdigit()
