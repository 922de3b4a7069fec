"""Words that no memory has, read as the nearest words that some memory has."""

from __future__ import annotations

from engram.recall import weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.index.source import Source

__all__ = ["corrections", "neighbours"]

# The longer of the two words has at least so many letters.
SHORTEST = 5
# A word longer than this has more neighbours than are worth asking for.
LONGEST = 24
# A query is forgiven at most so many words.
_WORDS = 12


def corrections(sources: Sequence[Source], words: list[str]) -> dict[str, list[tuple[str, str, float]]]:
    """Return for each word that has neighbours in the indexes the commonest as (what it is read as, term, weight)."""
    fixed: dict[str, list[tuple[str, str, float]]] = {}
    for word in [word for word in words if SHORTEST - 1 <= len(word) <= LONGEST and word.isalpha()][:_WORDS]:
        near = neighbours(word)
        if len(word) < SHORTEST:
            near = [other for other in near if len(other) >= SHORTEST]
        best = _commonest(sources, near)
        if best:
            fixed[word] = [(other, term, weights.NEIGHBOUR) for other, term in best]
    return fixed


def _commonest(sources: Sequence[Source], words: list[str]) -> list[tuple[str, str]]:
    """Return the ``NEIGHBOURS`` words that the most memories have, as (word, term)."""
    frequency: dict[str, int] = {}
    spelling: dict[str, str] = {}
    for source in sources:
        own: dict[str, int] = {}
        for word, (term, often) in sorted(source.spelled(words).items()):
            spelling.setdefault(term, word)
            own[term] = often
        for term, often in own.items():
            frequency[term] = frequency.get(term, 0) + often
    best = sorted(frequency, key=lambda term: (-frequency[term], term))[: weights.NEIGHBOURS]
    return [(spelling[term], term) for term in best]


def neighbours(word: str) -> list[str]:
    """Return the words at one edit from a word: a letter less, more, other, or two changed over."""
    letters = _alphabet(word)
    found: dict[str, None] = {}
    for at in range(len(word) + 1):
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


def _alphabet(word: str) -> str:
    """Return the letters that a slip in such a word may bring: those of its script."""
    if word[0] < "\u0250":
        return "abcdefghijklmnopqrstuvwxyz" + "".join(sorted({char for char in word if char > "z"}))
    if "\u0370" <= word[0] < "\u0400":
        return "αβγδεζηθικλμνξοπρστυφχψω"
    if "\u0400" <= word[0] < "\u0530":
        return "абвгдежзийклмнопрстуфхцчшщъыьэюя"
    return "".join(sorted(set(word)))
