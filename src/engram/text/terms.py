"""Words to index terms: stems by language, and second chances without diacritics.

A term is what the index counts. Both sides of recall use this module: a memory's texts while it is indexed, and a
query, for which each word gives every term that it could be stored as.
"""

from __future__ import annotations

from engram.text.stems import english, russian, singulars, spanish
from engram.text.words import fold, is_unspaced, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Analyzer", "variants"]

# The cache of pieces is dropped when it holds this many: some 40 MB in a rebuild of very large memories.
_MOST_PIECES = 200_000
# How much a word counts that was found by the other language's stem, or without its diacritics.
_OTHER_STEM = 0.9
_FOLDED = 0.8
# Shorter words without their marks are other words: đô is no do, bàn is no ban.
_SHORTEST_FOLDED = 4
# Greek and Latin come before Cyrillic (unicode.org/charts), everything else after it.
_CYRILLIC = "\u0400"


class Analyzer:
    """Turns texts into numbered terms, and remembers the pieces that it has seen.

    Args:
        number: gives the number of a term, making a new one where there is none.
        spelling: gives the number of a word that is stored under another term, by word and that term's number.
    """

    def __init__(self, number: Callable[[str], int], spelling: Callable[[str, int], int]) -> None:
        self._number = number
        self._spelling = spelling
        self._pieces: dict[str, dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]] = {}

    def read(self, text: str, lang: str, extras: set[int], spellings: set[int]) -> list[int]:
        """Return the numbered terms of a text in order, and add its second chances to ``extras``.

        The numbers of its words that are stored under another term go to ``spellings``.

        Second chances are words without their diacritics, and single characters of scripts without blanks: they can
        be found, but they make a text no longer than it is.
        """
        pieces = self._pieces.setdefault(lang, {})
        found: list[int] = []
        for piece in text.split():
            known = pieces.get(piece)
            if known is None:
                if len(pieces) > _MOST_PIECES:
                    pieces.clear()
                known = pieces[piece] = self._analyze(piece, lang)
            found += known[0]
            if known[1]:
                extras.update(known[1])
            if known[2]:
                spellings.update(known[2])
        return found

    def _analyze(self, piece: str, lang: str) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        stem = spanish if lang == "es" else english
        main: list[int] = []
        extra: list[int] = []
        other: list[int] = []
        for word in split(piece):
            term = stem(word) if word[0] < _CYRILLIC else russian(word)
            main.append(self._number(term))
            if term != word:
                other.append(self._spelling(word, main[-1]))
            if word.endswith("aux") or not word.isascii():
                extra += [self._number(stem(single)) for single in singulars(word)]
            if word.isascii():
                continue
            if is_unspaced(word[0]):
                if len(word) > 1:
                    extra += [self._number(char) for char in word]
            elif (plain := fold(word)) != word:
                extra.append(self._number(stem(plain) if plain[0] < _CYRILLIC else russian(plain)))
        return tuple(main), tuple(extra), tuple(other)


def variants(word: str, lang: str) -> list[tuple[str, float]]:
    """Return the terms that a word of a query may be stored as, with how much each counts, the surest first.

    A query that shows its language takes its stems; another one takes those of both.
    """
    stems = (spanish, english) if lang == "es" else (english,) if lang == "en" else (english, spanish)
    if word[0] >= _CYRILLIC:
        stems = (russian,)
    found: dict[str, float] = {}
    for stem in stems:
        found.setdefault(stem(word), _OTHER_STEM if found else 1.0)
    if not word.isascii() and not is_unspaced(word[0]):
        plain = fold(word)
        if len(plain) >= _SHORTEST_FOLDED:
            for stem in stems:
                found.setdefault(stem(plain), _FOLDED)
    if word.endswith("aux") or not word.isascii():
        for single in singulars(word):
            for stem in stems:
                found.setdefault(stem(single), _FOLDED)
    return list(found.items())
