"""Characters that a person does not see and a model does, and comments that hide orders.

Joiners are letters' servants in Persian, Arabic and the Indic scripts and glue in emoji, directional marks belong into
Hebrew and Arabic lines, and tag characters spell the flags of England, Scotland and Wales: there they stay. Nothing
here needs a pattern; a text whose characters all are visible costs one pass over its set of characters.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engram.safety.rule import Hit

__all__ = ["bare", "comments", "find", "kind_of", "unseen"]

_JOINERS = "\u200c\u200d"
_MARKS = "\u200e\u200f\u061c"
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" + _MARKS)
# Blank by design though Unicode files them under letters, marks or symbols; and the separators that break lines unseen.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u2028\u2029")
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
    if char in _BLANK:
        return "zero-width"
    if "\U000e0000" <= char <= "\U000e007f":
        return "tag"
    category = unicodedata.category(char)
    if category == "Cf":
        return "zero-width"
    return "control" if category in ("Cc", "Cs") and char not in "\n\t" else ""


def _selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def unseen(text: str) -> list[tuple[int, str]]:
    """Return the offset and kind of every character of ``text`` that hides something; the legitimate ones are left out.

    A carriage return before a line end, and a byte order mark at the very start, hide nothing.
    """
    kinds = {char: kind for char in set(text) if (kind := kind_of(char) or ("variation" if _selector(char) else ""))}
    if not kinds or (len(kinds) == 1 and "\r" in kinds and text.count("\r") == text.count("\r\n")):
        return []
    flags = _flag_tags(text) if _BLACK_FLAG in text else frozenset[int]()
    found = []
    line_end, right_to_left = -1, False
    for index, char in enumerate(text):
        kind = kinds.get(char, "")
        if not kind or index in flags or (char == "\ufeff" and index == 0):
            continue
        before = text[index - 1] if index else ""
        after = text[index + 1 : index + 2]
        if char in _MARKS and index > line_end:
            start, line_end = _line(text, index)
            right_to_left = any(_within(other, _RIGHT_TO_LEFT) for other in text[start:line_end] if other not in _MARKS)
        if (
            (char == "\r" and after == "\n")
            or (char in _JOINERS and _joins(before, char, after))
            or (kind == "variation" and not _selector(before))
            or (char in _MARKS and right_to_left)
        ):
            continue
        found.append((index, kind))
    return found


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


def bare(text: str) -> tuple[str, list[int]]:
    """Return ``text`` without control, format and blank characters, and each remaining character's offset in it.

    Line ends and tabs stay. Both parts are empty where nothing would be taken out: then the text itself is the copy.
    """
    out = {char for char in set(text) if kind_of(char) or _selector(char)}
    if not out or (out == {"\r"} and text.count("\r") == text.count("\r\n")):
        return "", []
    offsets = [index for index, char in enumerate(text) if char not in out]
    return "".join(text[index] for index in offsets), offsets


def find(text: str) -> Iterator[Hit]:
    """Yield runs of hidden characters, one hit a run of one kind."""
    # Recall shows text with this module and looks for nothing: the rules stay out of its start.
    from engram.safety.rule import Hit

    run: list[int] = []
    kind = ""
    for index, this in unseen(text):
        if run and this == kind and index == run[-1] + 1:
            run.append(index)
            continue
        if run:
            yield Hit(kind, _label(text, kind, run[0]), run[0], run[-1] + 1)
        run, kind = [index], this
    if run:
        yield Hit(kind, _label(text, kind, run[0]), run[0], run[-1] + 1)


def _label(text: str, kind: str, start: int) -> str:
    return f"{_LABELS[kind]} (U+{ord(text[start]):04X})"


def comments(text: str) -> list[tuple[int, int]]:
    """Return the spans of HTML comments and of Markdown's ``[//]: # (…)`` lines, which no renderer shows.

    A comment that is never closed hides the rest of the text.
    """
    spans = []
    start = text.find("<!--")
    while start >= 0:
        close = text.find("-->", start + 4)
        end = len(text) if close < 0 else close + 3
        spans.append((start, end))
        start = text.find("<!--", end)
    start = text.find("[//]:")
    while start >= 0:
        close = text.find("\n", start)
        end = len(text) if close < 0 else close
        spans.append((start, end))
        start = text.find("[//]:", end)
    return spans
