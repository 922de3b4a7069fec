"""What the texts of the candidates add to their words: phrases, whole triggers and tags, rare names."""

from __future__ import annotations

from sys import byteorder

from engram.index.layout import BREAK
from engram.recall import weights
from engram.recall.work import SOURCE_BITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.recall.work import Work

__all__ = ["texts_add"]

# Two words are near each other with at most so many terms between them.
_WINDOW = 5
# Triggers or tags of more terms than this are a text of their own.
_LONGEST = 400
# A name (a word with more in it than letters) is rare when at most this share of the memories has it.
_RARE = 1 / 256


def texts_add(work: Work, docs: list[int]) -> None:
    """Add to scores and reasons what the term sequences of some candidates show."""
    rare_below = max(2.0, work.count * _RARE)
    rare = [group for group in work.groups if group.frequency <= rare_below and not group.text.isalpha()]
    if "anchors" in work.off:
        rare = []
    wholes = [
        whole for whole in (("triggers", 1, weights.TRIGGER), ("tags", 2, weights.TAG)) if whole[0] not in work.off
    ]
    numbered = range(len(work.sources))
    pairs = [_pairs(work, at) if "phrase" not in work.off else [] for at in numbered]
    worth = [{number: group.idf for group in work.groups for number in group.numbers[at]} for at in numbered]
    for doc in docs:
        fields = work.fields(doc)
        # Second chances follow the fields in no order of the text, so no phrase is looked for there.
        blob = work.sequences[doc][: 4 * sum(len(numbers) + 1 for numbers in fields)]
        at = doc >> SOURCE_BITS
        present = worth[at].keys() & [number for numbers in fields for number in numbers]
        for starts, ends, weight, about in pairs[at]:
            if starts.isdisjoint(present) or ends.isdisjoint(present):
                continue
            share = _together(blob, _packed(starts), _packed(ends))
            if share:
                work.add(doc, "phrase", weight * share, about)
        for group in rare:
            if group.value(doc):
                work.add(doc, "anchors", weights.ANCHOR * group.idf, group.text)
        for name, field, share in wholes:
            weight, numbers = _whole(fields[field], worth[at]) if fields[field] else (0.0, [])
            if weight:
                work.add(doc, name, weight * share, _as_asked(work, at, numbers))


def _pairs(work: Work, source: int) -> list[tuple[set[int], set[int], float, str]]:
    """Return the pairs of words that follow each other in the query, as packed term numbers of one source."""
    by_word = {group.text: group for group in work.groups}
    found = []
    words = work.query.words
    for first, second in work.query.pairs:
        left, right = by_word.get(words[first].text), by_word.get(words[second].text)
        if left and right:
            starts, ends = left.numbers[source], right.numbers[source]
            if starts and ends and starts != ends:
                found.append((starts, ends, min(left.idf, right.idf), f"{left.text} {right.text}"))
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
            at = _find(blob, start, 0, len(blob))
            seen = 0
            while at >= 0 and seen < 32:
                seen += 1
                if blob.startswith(end, at + 4):
                    return weights.PHRASE
                if _find(blob, end, max(0, at - 4 * _WINDOW), at + 4 * _WINDOW + 4) >= 0:
                    best = weights.NEAR
                at = _find(blob, start, at + 4, len(blob))
    return best


def _find(blob: bytes, number: bytes, start: int, stop: int) -> int:
    """Return where a number stands in a sequence; the same bytes across two numbers are none of its places."""
    at = blob.find(number, start, stop)
    while at >= 0 and at % 4:
        at = blob.find(number, at + 1, stop)
    return at


def _whole(numbers: list[int], worth: dict[int, float]) -> tuple[float, list[int]]:
    """Return weight and terms of the heaviest trigger (or tag) all of whose words the query has."""
    best, found = 0.0, numbers[:0]
    if len(numbers) > _LONGEST or worth.keys().isdisjoint(numbers):
        return best, found
    total, start = 0.0, 0
    whole = True
    for at, number in enumerate((*numbers, BREAK)):
        if number == BREAK:
            if whole and total > best:
                best, found = total, numbers[start:at]
            total, start, whole = 0.0, at + 1, True
        elif number in worth:
            total += worth[number]
        else:
            whole = False
    return best, found


def _as_asked(work: Work, source: int, numbers: list[int]) -> str:
    """Return the words of the query that stand for some terms."""
    words = [next(group.text for group in work.groups if number in group.numbers[source]) for number in numbers]
    return " ".join(dict.fromkeys(words))
