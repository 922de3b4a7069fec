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
    having = {group.text: {doc for doc in docs if group.value(doc)} for group in work.groups}
    if "phrase" not in work.off:
        _phrases_add(work, docs, having)
    for group in rare:
        for doc in having[group.text]:
            work.add(doc, "anchors", weights.ANCHOR * group.idf, group.text)
    numbered = range(len(work.sources))
    worth = [{number: group.idf for group in work.groups for number in group.numbers[at]} for at in numbered]
    # The first word of several that may be stored as one term says it.
    asked = [{n: group.text for group in reversed(work.groups) for n in group.numbers[at]} for at in numbered]
    for doc in docs:
        at = doc >> SOURCE_BITS
        fields = work.fields(doc)
        for name, field, share in wholes:
            weight, numbers = _whole(fields[field], worth[at])
            if weight:
                about = " ".join(dict.fromkeys([asked[at][number] for number in numbers]))
                work.add(doc, name, weight * share, about)


def _phrases_add(work: Work, docs: list[int], having: dict[str, set[int]]) -> None:
    """Add for the words that follow each other in the query, or nearly, and do so in a candidate.

    ``having`` says which of the candidates have a word.
    """
    groups = {group.text: group for group in work.groups}
    words = work.query.words
    blobs: dict[int, bytes] = {}
    for first, second in work.query.pairs:
        left, right = groups.get(words[first].text), groups.get(words[second].text)
        if not left or not right:
            continue
        both = having[left.text] & having[right.text]
        if not both:
            continue
        weight, about = min(left.idf, right.idf), f"{left.text} {right.text}"
        packed = [
            (_packed(starts), _packed(ends)) if starts != ends else ([], [])
            for starts, ends in zip(left.numbers, right.numbers, strict=True)
        ]
        for doc in docs:
            if doc not in both:
                continue
            blob = blobs.get(doc)
            if blob is None:
                # Second chances follow the fields in no order of the text, so no phrase is looked for there.
                blob = blobs[doc] = work.sequences[doc][: 4 * sum([len(numbers) + 1 for numbers in work.fields(doc)])]
            share = _together(blob, *packed[doc >> SOURCE_BITS])
            if share:
                work.add(doc, "phrase", weight * share, about)


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
    if not numbers or len(numbers) > _LONGEST or worth.keys().isdisjoint(numbers):
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
