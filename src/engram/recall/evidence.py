"""What the texts of the candidates add to their words: phrases, whole triggers and tags, rare names."""

from __future__ import annotations

from sys import byteorder

from engram.index.layout import BREAK, FIELD_END
from engram.recall.work import SOURCE_BITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.recall.work import Work

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


def texts_add(work: Work, docs: list[int]) -> None:
    """Add to scores and reasons what the term sequences of some candidates show."""
    rare_below = max(2.0, work.count * _RARE)
    rare = [group for group in work.groups if group.frequency <= rare_below and not group.text.isalpha()]
    if "anchors" in work.off:
        rare = []
    wholes = [whole for whole in (("triggers", 1, TRIGGER), ("tags", 2, TAG)) if whole[0] not in work.off]
    numbered = range(len(work.sources))
    pairs = [_pairs(work, at) if "phrase" not in work.off else [] for at in numbered]
    weights = [{number: group.idf for group in work.groups for number in group.numbers[at]} for at in numbered]
    for doc in docs:
        blob = work.sequences[doc]
        at = doc >> SOURCE_BITS
        for starts, ends, weight, about in pairs[at]:
            share = _together(blob, starts, ends)
            if share:
                work.add(doc, "phrase", weight * share, about)
        for group in rare:
            if group.value(doc):
                work.add(doc, "anchors", ANCHOR * group.idf, group.text)
        for name, field, share in wholes:
            weight = _whole(blob, field, weights[at])
            if weight:
                work.add(doc, name, weight * share, "")


def _pairs(work: Work, source: int) -> list[tuple[list[bytes], list[bytes], float, str]]:
    """Return the pairs of words that follow each other in the query, as packed term numbers of one source."""
    by_word = {group.text: group for group in work.groups}
    found = []
    words = work.query.words
    for first, second in work.query.pairs:
        left, right = by_word.get(words[first].text), by_word.get(words[second].text)
        if left and right:
            starts, ends = left.numbers[source], right.numbers[source]
            if starts and ends and starts != ends:
                found.append((_packed(starts), _packed(ends), min(left.idf, right.idf), f"{left.text} {right.text}"))
    return found


def _packed(numbers: set[int]) -> list[bytes]:
    return [number.to_bytes(4, byteorder) for number in sorted(numbers)]


def _together(blob: bytes, starts: list[bytes], ends: list[bytes]) -> float:
    """Return how close two words come: ``PHRASE`` side by side in order, ``NEAR`` within a few terms, else 0."""
    best = 0.0
    for end in ends:
        if end not in blob:
            continue
        for start in starts:
            at = blob.find(start)
            seen = 0
            while at >= 0 and seen < 32:
                if at % 4 == 0:
                    seen += 1
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
    numbers = memoryview(blob)[start:stop].cast("I").tolist()
    if weights.keys().isdisjoint(numbers):
        return 0.0
    best = total = 0.0
    whole = True
    for number in (*numbers, BREAK):
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
