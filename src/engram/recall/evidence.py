"""What the texts of the candidates add to their words: phrases, whole triggers and tags, rare names."""

from __future__ import annotations

from sys import byteorder

from engram.index.segment import BREAK, FIELD_END
from engram.recall.score import SCALE, step_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.recall.query import Query
    from engram.recall.rank import Group
    from engram.recall.source import Source

__all__ = ["texts_add"]

# What each signal adds, as a share of the idf of its words.
PHRASE = 0.05
NEAR = 0.05
TRIGGER = 0.5
TAG = 0.25
ANCHOR = 0.1
# Two words are near each other with at most so many terms between them.
_WINDOW = 5
# A name (a word with more in it than letters) is rare when at most this share of the memories has it.
_RARE = 1 / 256


def texts_add(
    sources: Sequence[Source],
    groups: list[Group],
    query: Query,
    candidates: list[int],
    sequences: dict[int, bytes],
    off: frozenset[str],
    scores: dict[int, int],
    reasons: dict[int, list[tuple[str, float, str]]],
) -> None:
    """Add to ``scores`` and ``reasons`` what the term sequences of the candidates show."""
    by_word = {group.text: group for group in groups}
    pairs = []
    if "phrase" not in off:
        for first, second in query.pairs:
            left, right = by_word.get(query.words[first].text), by_word.get(query.words[second].text)
            if left and right and left.numbers != right.numbers:
                pairs.append((left, right, min(left.idf, right.idf)))
    rare_below = max(2.0, step_up(sum(source.count for source in sources)) * _RARE)
    rare = [group for group in groups if group.frequency <= rare_below and not group.text.isalpha()]
    if "anchors" in off:
        rare = []
    weights: list[dict[int, float]] = []
    for at in range(len(sources)):
        weights.append({number: group.idf for group in groups for number in group.numbers[at]})
    for doc in candidates:
        blob = sequences[doc]
        at = doc >> 24
        for left, right, weight in pairs:
            share = _together(blob, left.numbers[at], right.numbers[at])
            if share:
                _add(doc, "phrase", weight * share, f"{left.text} {right.text}", scores, reasons)
        for group in rare:
            if group.value(doc):
                _add(doc, "anchors", ANCHOR * group.idf, group.text, scores, reasons)
        for name, share in (("triggers", TRIGGER), ("tags", TAG)):
            if name not in off:
                weight = _whole(blob, 1 if name == "triggers" else 2, weights[at])
                if weight:
                    _add(doc, name, weight * share, "", scores, reasons)


def _add(
    doc: int,
    signal: str,
    value: float,
    about: str,
    scores: dict[int, int],
    reasons: dict[int, list[tuple[str, float, str]]],
) -> None:
    scores[doc] += int(value * SCALE)
    reasons[doc].append((signal, value, about))


def _together(blob: bytes, left: set[int], right: set[int]) -> float:
    """Return how close two words come: ``PHRASE`` side by side in order, ``NEAR`` within a few terms, else 0."""
    best = 0.0
    ends = [number.to_bytes(4, byteorder) for number in sorted(right)]
    for number in sorted(left):
        start = number.to_bytes(4, byteorder)
        at = blob.find(start)
        seen = 0
        while at >= 0 and seen < 32:
            if at % 4 == 0:
                seen += 1
                for end in ends:
                    if blob.startswith(end, at + 4):
                        return PHRASE
                    near = blob.find(end, max(0, at - 4 * _WINDOW), at + 4 * _WINDOW + 4)
                    if near >= 0 and near % 4 == 0:
                        best = NEAR
            at = blob.find(start, at + 1)
    return best


def _whole(blob: bytes, field: int, weights: dict[int, float]) -> float:
    """Return the weight of the heaviest trigger (or tag) all of whose words the query has."""
    end = FIELD_END.to_bytes(4, byteorder)
    start = 0
    for _ in range(field):
        start = _aligned(blob, end, start) + 4
    stop = _aligned(blob, end, start)
    if stop <= start or stop - start > 4 * 400:
        return 0.0
    best = total = 0.0
    whole = True
    for number in (*memoryview(blob)[start:stop].cast("I"), BREAK):
        if number == BREAK:
            best = max(best, total) if whole else best
            total, whole = 0.0, True
        elif number in weights:
            total += weights[number]
        else:
            whole = False
    return best


def _aligned(blob: bytes, what: bytes, start: int) -> int:
    at = blob.find(what, start)
    while at % 4 and at >= 0:
        at = blob.find(what, at + 1)
    return at if at >= 0 else len(blob)
