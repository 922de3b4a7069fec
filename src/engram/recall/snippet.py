"""The part of a text that answers a search, with the matches marked."""

from __future__ import annotations

from engram.safety.fence import show_inert
from engram.text.words import fold, is_unspaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["snippet_of"]

_WIDTH = 140
_LEAD = 40


def snippet_of(text: str, words: Sequence[str]) -> str:
    """Return one line of at most some 140 characters around the densest matches, each match in ``**``.

    Args:
        text: the content of a memory.
        words: folded words of the query; where they come from a stem, the beginning of a word matches.
    """
    flat = " ".join(show_inert(text).split())
    found = sorted(set(_matches(flat, words)))
    if not found:
        return flat[:_WIDTH] + ("…" if len(flat) > _WIDTH else "")
    start = max(found, key=lambda at: (sum(at[0] <= other[0] < at[0] + _WIDTH - _LEAD for other in found), -at[0]))[0]
    start = max(0, start - _LEAD)
    if start:
        start = flat.find(" ", start) + 1 or start
    end = min(len(flat), start + _WIDTH)
    if end < len(flat):
        end = flat.rfind(" ", start, end) if flat.rfind(" ", start, end) > start + _LEAD else end
    parts, at = ["…" if start else ""], start
    for begin, stop in _joined(found):
        if begin < at or stop > end:
            continue
        parts += [flat[at:begin], "**", flat[begin:stop], "**"]
        at = stop
    return "".join([*parts, flat[at:end], "…" if end < len(flat) else ""])


def _matches(text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    folded = text.casefold()
    if len(folded) != len(text):
        folded = "".join(char.casefold() if len(char.casefold()) == 1 else char for char in text)
    plain = ""
    for word in words:
        spans = _spans(folded, word)
        if not spans:
            # Recall takes diacritics off as a second chance, so they are here.
            plain = plain or "".join(map(_without_marks, folded))
            spans = _spans(plain, fold(word))
        yield from spans


def _spans(folded: str, word: str) -> list[tuple[int, int]]:
    """Return where a word stands in a folded text."""
    # The query's words are whole, the text's may be inflected: the word itself, then its beginning.
    for needle in dict.fromkeys((word, word[: max(4, len(word) - 2)])):
        found = []
        at = folded.find(needle)
        while at >= 0 and needle:
            if not needle.isascii() or at == 0 or not _goes_on(folded[at - 1]):
                stop = at + len(needle)
                while needle.isascii() and stop < len(folded) and _goes_on(folded[stop]):
                    stop += 1
                found.append((at, stop))
            at = folded.find(needle, at + len(needle))
        if found:
            return found
    return []


def _goes_on(char: str) -> bool:
    """Tell whether a character is in one word with its neighbour; a script without blanks ends a word of another."""
    return char.isalnum() and not is_unspaced(char)


def _without_marks(char: str) -> str:
    plain = fold(char)
    return plain if len(plain) == 1 else char


def _joined(found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for begin, stop in found:
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(stop, spans[-1][1]))
        else:
            spans.append((begin, stop))
    return spans
