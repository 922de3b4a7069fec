"""Words that no memory has, read as the nearest words that some memory has."""

from __future__ import annotations

from engram.recall import weights
from engram.text.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.index.source import Source

__all__ = ["changed_at_start", "corrections", "is_neighbour"]

# The longer of the two words has at least so many letters.
SHORTEST = 5
# A word longer than this has more neighbours than are worth asking for.
LONGEST = 24
# A query is forgiven at most so many words.
_WORDS = 12
# A slip in one of the first letters is looked for by every word that it may have made, one behind them among the words
# that begin alike: three letters leave few of those, and a third of the guesses.
_KEPT = 3


def corrections(sources: Sequence[Source], words: list[str]) -> dict[str, list[tuple[str, str, float]]]:
    """Return for each word that has neighbours in the indexes the commonest as (what it is read as, term, weight)."""
    fixed: dict[str, list[tuple[str, str, float]]] = {}
    for word in [word for word in words if SHORTEST - 1 <= len(word) <= LONGEST and word.isalpha()][:_WORDS]:
        best = _commonest(sources, word)
        if not best and (plain := fold(word)) != word:
            # A letter with a mark may be what is missing: there are too many to try each, and plain ones are few.
            best = _commonest(sources, plain)
        if best:
            fixed[word] = [(other, term, weights.NEIGHBOUR) for other, term in best]
    return fixed


def _commonest(sources: Sequence[Source], word: str) -> list[tuple[str, str]]:
    """Return the ``NEIGHBOURS`` neighbours of a word that the most memories have, as (word, term)."""
    shortest, longest = max(len(word) - 1, SHORTEST if len(word) < SHORTEST else 0), len(word) + 1
    guesses = [other for other in changed_at_start(word, _KEPT) if len(other) >= shortest]
    letters = _alphabet(word)
    frequency: dict[str, int] = {}
    spelling: dict[str, str] = {}
    for source in sources:
        near = source.spelled(guesses)
        for other, stored in source.beginning(word[:_KEPT], shortest, longest).items():
            if is_neighbour(word, other, letters):
                near[other] = stored
        own: dict[str, int] = {}
        for other, (term, often) in sorted(near.items()):
            spelling.setdefault(term, other)
            own[term] = often
        for term, often in own.items():
            frequency[term] = frequency.get(term, 0) + often
    best = sorted(frequency, key=lambda term: (-frequency[term], term))[: weights.NEIGHBOURS]
    return [(spelling[term], term) for term in best]


def changed_at_start(word: str, most: int) -> list[str]:
    """Return the words at one edit in the first letters: a letter less, more, other, or two changed over."""
    letters = _alphabet(word)
    found: dict[str, None] = {}
    for at in range(min(most, len(word) + 1)):
        left, right = word[:at], word[at:]
        if right:
            found[left + right[1:]] = None
            if len(right) > 1:
                found[left + right[1] + right[0] + right[2:]] = None
            for letter in letters:
                found[left + letter + right[1:]] = None
        for letter in letters:
            found[left + letter + right] = None
    found.pop(word, None)
    return list(found)


def is_neighbour(word: str, other: str, letters: str) -> bool:
    """Tell whether one edit makes the other word of a word, and no letter comes in that is not among ``letters``."""
    at, same = 0, min(len(word), len(other))
    while at < same and word[at] == other[at]:
        at += 1
    longer = len(other) - len(word)
    if longer == 1:
        return other[at] in letters and other[at + 1 :] == word[at:]
    if longer == -1:
        return other[at:] == word[at + 1 :]
    if longer or at == len(word):
        return False
    if word[at + 1 :] == other[at + 1 :]:
        return other[at] in letters
    return word[at + 1 : at + 2] + word[at] == other[at : at + 2] and word[at + 2 :] == other[at + 2 :]


def _alphabet(word: str) -> str:
    """Return the letters that a slip in such a word may bring: those of its script, and what else the word has."""
    first = word[0]
    if first < "\u0250" or "\u1e00" <= first < "\u1f00":  # the second has most of Vietnamese
        script = "abcdefghijklmnopqrstuvwxyz"
    elif "\u0370" <= first < "\u0400":
        script = "αβγδεζηθικλμνξοπρστυφχψω"
    elif "\u0400" <= first < "\u0530":
        script = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
    else:
        script = ""
    return script + "".join(sorted(set(word).difference(script)))
