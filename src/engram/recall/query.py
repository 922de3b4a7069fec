"""What a person asked, as groups of terms: a group is one word with every form that it may be stored in."""

from __future__ import annotations

from engram.record import Record
from engram.text.stop import language, stop_words
from engram.text.terms import variants
from engram.text.words import words

__all__ = ["Query", "Word", "read"]

# C59c: of a very long text the end counts, in characters. People put the question last.
_LONGEST = 10_000
# More different words than this do not make a search any sharper.
_MOST_WORDS = 64


class Word(Record):
    """One word of the query: as it was typed, and the terms it may be stored as with how much each counts."""

    text: str
    terms: tuple[tuple[str, float], ...]


class Query(Record):
    """A task text, read.

    ``words`` are the words that say something, each once, in order; ``pairs`` those that follow each other in the
    text with nothing but stop words between, as indexes into ``words``.
    """

    text: str
    lang: str
    words: tuple[Word, ...]
    pairs: tuple[tuple[int, int], ...]


def read(text: str) -> Query:
    """Read a task text or a search of any length and content; nothing in it is an operator (H2)."""
    if len(text) > _LONGEST:
        text = text[-_LONGEST:]
        text = text[text.find(" ") + 1 :]  # not half a word
    found = words(text)
    lang = language(found)
    stop = stop_words(found)
    if len(stop) == len(set(found)) and len(found) <= 6:
        stop = frozenset()  # nothing but stop words, as in a title: they are all there is
    places: dict[str, int] = {}
    kept: list[Word] = []
    pairs: list[tuple[int, int]] = []
    before = -1
    for word in found:
        if word in stop or (len(word) == 1 and word.isascii() and not word.isdigit()):
            continue
        at = places.get(word, -1)
        if at < 0:
            at = places[word] = len(kept)
            kept.append(Word(word, tuple(variants(word, lang))))
        if before >= 0 and before != at and (before, at) not in pairs:
            pairs.append((before, at))
        before = at
    if len(kept) > _MOST_WORDS:
        kept = kept[-_MOST_WORDS:]
        pairs = []
    return Query(text, lang, tuple(kept), tuple(pairs))
