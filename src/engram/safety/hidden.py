"""Characters that a person does not see and a model does, letters that pass for others, and what no page shows.

Joiners are letters' servants in Persian, Arabic and the Indic scripts and glue in emoji, directional marks belong into
Hebrew and Arabic lines, and tag characters spell the flags of England, Scotland and Wales: there they stay. What shows
text inert needs no pattern; a text whose characters all are visible costs one pass over its set of characters.
"""

from __future__ import annotations

from engram.safety.fence import BLANK, all_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engram.safety.rule import Hit

__all__ = ["Offsets", "bare", "comments", "find", "joined", "kind_of", "unseen"]

_JOINERS = "\u200c\u200d"
_MARKS = "\u200e\u200f\u061c"
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" + _MARKS)
# Blocks whose scripts are written with joiners: Arabic to Mandaic, Devanagari to Sinhala, Tibetan, Myanmar, Khmer,
# Mongolian, and the presentation forms of Arabic.
_JOINING = (
    (0x0590, 0x08FF),
    (0x0900, 0x0DFF),
    (0x0F00, 0x109F),
    (0x1780, 0x18AF),
    (0xA800, 0xABFF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
)
_RIGHT_TO_LEFT = ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFE), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF))
_BLACK_FLAG, _TAG_END = "\U0001f3f4", "\U000e007f"
# Letters of other scripts that look like a Latin one, in the order of the Latin ones below.
_LIKE = "асеорхуіјѕһԁԛԝѵӏАВСЕНІЈКМОРЅТХУҮѴΑΒΕΖΗΙΚΜΝΟΡΤΥΧοօսհցզɡɑανρικυχкᎪᎬᎻᎢᏚᏞ"
_LATIN = "aceopxyijshdqwvlABCEHIJKMOPSTXYYVABEZHIKMNOPTYXoouhgqgaavpikuxkAEHTSL"
_TWINS = dict(zip(_LIKE, _LATIN, strict=True))
# Of these a word of Latin letters holds none by custom; the others also stand in formulas.
_FALSE = _LIKE[:55]
_LABELS = {
    "zero-width": "a zero-width character",
    "bidirectional": "a character that turns the direction of text",
    "tag": "tag characters, which spell unseen text",
    "control": "a control character",
    "variation": "a run of variation selectors, which can spell unseen text",
}


def kind_of(char: str) -> str:
    """Return the kind of an unseen character, or ``""`` for one that is seen, a line end or a tab.

    A lone variation selector is part of the character before it, so it counts as seen here.
    """
    import unicodedata

    if char in _BIDI:
        return "bidirectional"
    if char in BLANK:
        return "zero-width"
    if "\U000e0000" <= char <= "\U000e007f":
        return "tag"
    category = unicodedata.category(char)
    if category == "Cf":
        return "zero-width"
    return "control" if category in ("Cc", "Cs") and char not in "\n\t" else ""


def _selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _kinds(text: str) -> dict[str, str]:
    """Return the kinds of the characters of ``text`` that may hide something; empty for a text that is all visible."""
    if all_seen(text):
        return {}
    kinds = {char: kind for char in set(text) if (kind := kind_of(char) or ("variation" if _selector(char) else ""))}
    if len(kinds) == 1 and "\r" in kinds and text.count("\r") == text.count("\r\n"):
        return {}
    return kinds


def unseen(text: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and kind of every character of ``text`` that hides something; the legitimate ones are left out.

    A carriage return before a line end, and a byte order mark at the very start, hide nothing.
    """
    kinds = _kinds(text)
    if kinds:
        context = _Context(text)
        for index, char in enumerate(text):
            if char in kinds and context.hides(index, char):
                yield index, kinds[char]


class _Context:
    """What stands around a character, which tells whether it hides something there. To be asked in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._flags = _flag_tags(text) if _BLACK_FLAG in text else frozenset[int]()
        self._line_end = -1
        self._right_to_left = False

    def hides(self, index: int, char: str) -> bool:
        """Tell whether a character of a kind hides something at its place."""
        text = self._text
        if char == "\r":
            return text[index + 1 : index + 2] != "\n"
        if char in _JOINERS:
            return not _joins(text[index - 1] if index else "", char, text[index + 1 : index + 2])
        if char in _MARKS:
            if index > self._line_end:
                start, self._line_end = _line(text, index)
                line = set(text[start : self._line_end]).difference(_MARKS)
                self._right_to_left = any(_within(other, _RIGHT_TO_LEFT) for other in line)
            return not self._right_to_left
        if char == "\ufeff":
            return index > 0
        if _selector(char):
            return index > 0 and _selector(text[index - 1])
        return index not in self._flags


def _flag_tags(text: str) -> frozenset[int]:
    """Return the offsets of tag characters that follow a black flag, are at most seven, and end as a flag does."""
    offsets: set[int] = set()
    start = text.find(_BLACK_FLAG)
    while start >= 0:
        end = text.find(_TAG_END, start, start + 9)
        if end > 0 and all("\U000e0030" <= char <= "\U000e007a" for char in text[start + 1 : end]):
            offsets.update(range(start + 1, end + 1))
        start = text.find(_BLACK_FLAG, start + 1)
    return frozenset(offsets)


def _within(char: str, blocks: Sequence[tuple[int, int]]) -> bool:
    return bool(char) and any(low <= ord(char) <= high for low, high in blocks)


def _joins(before: str, joiner: str, after: str) -> bool:
    """Say whether a joiner between these two is part of a word in a joining script, or of an emoji."""
    import unicodedata

    if _within(before, _JOINING):
        return True
    # In emoji only the joiner itself, and between pictures: the arrows among them are filed under mathematics.
    emoji = (
        bool(before)
        and joiner == "\u200d"
        and (unicodedata.category(before) in ("So", "Sk") or before in "\ufe0f\u20e3")
    )
    return emoji and after > "\x7f" and unicodedata.category(after) in ("So", "Sm")


def _line(text: str, index: int) -> tuple[int, int]:
    """Return the start and end of the line that ``index`` is in."""
    end = text.find("\n", index)
    return text.rfind("\n", 0, index) + 1, len(text) if end < 0 else end


class Offsets:
    """Where the characters of a copy stand in the text that it was made from.

    Args:
        removed: the offsets of what was left out, ascending.
        changed: the offsets of that and of what stands there as another character, ascending.
    """

    __slots__ = ("_keys", "changed")

    def __init__(self, removed: Sequence[int], changed: Sequence[int]) -> None:
        from itertools import count
        from operator import sub

        self.changed = changed
        self._keys = list(map(sub, removed, count()))

    def __getitem__(self, index: int) -> int:
        """Return the offset in the text of the character at ``index`` in the copy."""
        from bisect import bisect_right

        return index + bisect_right(self._keys, index)


def bare(text: str) -> tuple[str, Offsets | None]:
    """Return ``text`` as it looks: without unseen characters, and with look-alike letters as those they pass for.

    Line ends and tabs stay. ``("", None)`` where nothing would change: then the text itself is the copy.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return "", None
    import unicodedata

    out: set[str] = set()
    table: dict[int, str | None] = {}
    for char in set(text):
        if kind_of(char) or _selector(char):
            out.add(char)
            table[ord(char)] = None
        elif char in _TWINS:
            table[ord(char)] = _TWINS[char]
        elif char > "\u02ff" and len(plain := unicodedata.normalize("NFKC", char)) == 1 and plain.isascii():
            table[ord(char)] = plain
    if not table or (out == {"\r"} == {chr(code) for code in table} and text.count("\r") == text.count("\r\n")):
        return "", None
    import re

    changed = [*map(re.Match.start, re.finditer(f"[{re.escape(''.join(map(chr, table)))}]", text))]
    removed = changed if len(out) == len(table) else [at for at in changed if text[at] in out] if out else []
    return text.translate(table), Offsets(removed, changed)


def joined(text: str) -> tuple[str, Offsets | None]:
    """Return ``text`` as a page shows it where a comment parts a word: without that comment.

    ``("", None)`` where no word is parted. Comments that stand side by side count as one.
    """
    parts = []
    removed: list[int] = []
    start, done = text.find("<!--"), 0
    while start >= 0:
        end = start
        while text.startswith("<!--", end):
            close = text.find("-->", end + 4)
            if close < 0:
                break
            end = close + 3
        if end == start:  # it hides the rest
            break
        if text[start - 1 : start].strip() and text[end : end + 1].strip():
            parts.append(text[done:start])
            removed.extend(range(start, end))
            done = end
        start = text.find("<!--", end)
    return ("".join((*parts, text[done:])), Offsets(removed, removed)) if removed else ("", None)


def find(text: str) -> Iterator[Hit]:
    """Yield runs of hidden characters, one hit a run of one kind, and words with look-alike letters."""
    # Recall shows text with this module and looks for nothing: the rules stay out of its start.
    from engram.safety.rule import LIMIT, Hit

    for count, (start, end, kind) in enumerate(_runs(text), 1):
        label = f"{_LABELS[kind]} (U+{ord(text[start]):04X})"
        if count == LIMIT:
            yield Hit(kind, f"{label}, and more to the end of the text", start, len(text))
            break
        yield Hit(kind, label, start, end)
    if not text.isascii():
        yield from _look_alikes(text)


def _runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of the runs of hidden characters of one kind."""
    kinds = _kinds(text)
    if not kinds:
        return
    import re

    context = _Context(text)
    start = end = 0
    kind = ""
    by_kind = ("".join(map(re.escape, sorted(char for char in kinds if kinds[char] == name))) for name in _LABELS)
    for match in re.finditer("|".join(f"[{chars}]+" for chars in by_kind if chars), text):
        first, last = match.span()
        this = kinds[text[first]]
        if this == "tag" or (this == "bidirectional" and set(match.group()).isdisjoint(_MARKS)):
            places = [(first, last)] if _BLACK_FLAG not in text else []
        else:
            places = []
        if not places:
            places = [(at, at + 1) for at in range(first, last) if context.hides(at, text[at])]
        for begin, stop in places:
            if kind == this and begin == end:
                end = stop
                continue
            if kind:
                yield start, end, kind
            start, end, kind = begin, stop, this
    if kind:
        yield start, end, kind


def _look_alikes(text: str) -> Iterator[Hit]:
    """Yield Latin words with letters of another script among them, and words in letters meant for formulas."""
    from engram.safety.rule import LIMIT, Hit, compiled

    label = "letters that look like others"
    count = 0
    if not set(_FALSE).isdisjoint(text):
        for match in compiled(_MIXED).finditer(text):
            word = match.group()
            latin = word.rstrip(_FALSE)
            # An ending of its own language behind an acronym: nobody is deceived.
            if len(word) < 3 or (latin.isupper() and len(latin) > 1 and latin.isascii() and len(word) - len(latin) < 4):
                continue
            count += 1
            end = match.end() if count < LIMIT else len(text)
            yield Hit("look-alike", label, match.start(), end)
            if count == LIMIT:
                return
    if any("\U0001d400" <= char <= "\U0001d7ff" or "\u24b6" <= char <= "\u24e9" for char in set(text)):
        for match in compiled(_STYLED).finditer(text):
            yield Hit("look-alike", label, match.start(), match.end())
            count += 1
            if count >= LIMIT:
                return


# A whole word of Latin letters and their false twins, at least one of each.
_MIXED = rf"(?<![^\W\d_])(?=[A-Za-z]*+[{_FALSE}])(?=[{_FALSE}]*+[A-Za-z])[A-Za-z{_FALSE}]++(?![^\W\d_])"
_STYLED = "(?:[\U0001d400-\U0001d7ff\u24b6-\u24e9]{3,}+[ ]?)++"
# Elements that a browser does not draw.
_UNDRAWN = (
    r"<[a-zA-Z][^<>]{0,300}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden"
    r"|(?:font-size|opacity)\s{0,3}:\s{0,3}0(?![.0-9]*[1-9])|\shidden(?=[\s>=]))[^<>]{0,300}>"
)
_UNDRAWN_WORDS = ("display", "visibility", "font-size", "opacity", " hidden")


def comments(text: str) -> list[tuple[int, int]]:
    """Return the spans that no renderer shows: HTML comments, Markdown's ``[//]: # (…)`` lines, undrawn elements.

    A comment that is never closed hides the rest of the text.
    """
    spans = []
    start = text.find("<!--")
    while start >= 0:
        close = text.find("-->", start + 4)
        end = len(text) if close < 0 else close + 3
        spans.append((start, end))
        start = text.find("<!--", end)
    for mark in ("]: #", "]: <>"):
        at = text.find(mark)
        while at >= 0:
            start, end = _line(text, at)
            spans.append((start, end))
            at = text.find(mark, end)
    if "<" in text and any(word in text for word in _UNDRAWN_WORDS):
        from engram.safety.rule import compiled

        for match in compiled(_UNDRAWN).finditer(text):
            close = text.find("</", match.end())
            spans.append((match.start(), len(text) if close < 0 else close))
            if close < 0:
                break
    return spans
