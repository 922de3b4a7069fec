"""Titles and ids: how a text becomes a file name that works on every file system and in every script (F10 to F12).

>>> slug(title_of("Use pnpm for every install; npm rewrites the lockfile."))
'use-pnpm-for-every-install'
>>> slug("用户身份。")
'用户身份'
>>> unique_slug("deploy", {"deploy", "deploy-2"})
'deploy-3'
>>> check_id("global/deploy")
('global', 'deploy')
"""

from __future__ import annotations

from engram.errors import UsageError
from engram.portable import FORBIDDEN, fold, is_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import NoReturn

__all__ = [
    "MAX_ID_BYTES", "MAX_ID_CHARS", "check_id", "fold_id", "has_words", "link_id", "slug", "title_of", "unique_slug",
]  # fmt: skip

# Ids are names of files, and are compared as such (F11).
fold_id = fold

MAX_TITLE = 80
MAX_ID_CHARS = 80
MAX_ID_BYTES = 180  # with ".md" and a suffix this stays below the 255 bytes of a file name, also under eCryptfs

_SENTENCE_ENDS = (". ", "; ", "。", "；")
_END_PUNCTUATION = ".;:,!?。；：，！？…、"
_MARKER = "[redacted: "  # as `safety.scan.redact` writes it
_CLOSE_TO_END = 2  # a cut at a word must leave at least half, or a single long word would vanish

# Marks and letters that show nothing: two ids that differ only in them would look the same.
_INVISIBLE_MARKS = frozenset("\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
# Characters that turn the direction of what a terminal shows after them.
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_PLAIN_ID = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_ ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def title_of(text: str) -> str:
    """Return the title that a TEXT without one gets: its first sentence, at most 80 characters, on one line (F10).

    The sentence ends at ``. ``, ``; ``, ``。``, ``；`` or the line's end; its end punctuation and a leading bullet or
    number are taken off. The title is empty only where the text is blank.
    """
    lines = text.strip().splitlines()
    line = " ".join(_without_marker(lines[0]).split()) if lines else ""
    ends = [at for mark in _SENTENCE_ENDS if (at := line.find(mark)) >= 0]
    sentence = line[: min(ends)] if ends else line
    title = sentence.rstrip(_END_PUNCTUATION + " ") or sentence or line
    if len(title) <= MAX_TITLE:
        return title
    at = title.rfind(" ", 0, MAX_TITLE + 1)
    if at * _CLOSE_TO_END < MAX_TITLE:
        at = _cluster_start(title, MAX_TITLE)
    marker = title.rfind(_MARKER, 0, at + len(_MARKER) - 1)
    end = title.find("]", marker) + 1
    if marker >= 0 and end > at:
        # Half of a marker would no longer say that something was taken out.
        at = marker if title[:marker].strip() else end
    return title[:at].rstrip(_END_PUNCTUATION + " ")


def has_words(text: str) -> bool:
    """Tell whether a text says anything: whether it has a letter or a digit that can be seen (F10)."""
    return any(char.isalnum() and char not in _INVISIBLE_LETTERS for char in text)


def slug(title: str, fallback: str = "memory") -> str:
    """Return the id for a title: letters and digits of any script, lower case, NFC, others as ``-`` (F10, F11).

    Marks stay with the letter that they stand on, so that Hindi, Thai and Vietnamese stay readable. The result has at
    most 80 characters and 180 bytes of UTF-8, cut at a word where one ends in its second half, and is no Windows device
    name. A title without any letter or digit gives ``fallback``.
    """
    import unicodedata

    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", title).lower())
    kept: list[str] = []
    on_letter = False
    for char in text:
        if char.isalnum() and char not in _INVISIBLE_LETTERS:
            kept.append(char)
            on_letter = char.isalpha()
        elif char > "\x7f" and unicodedata.category(char)[0] == "M":
            if on_letter and not _is_invisible_mark(char):
                kept.append(char)
        else:
            kept.append(" ")
            on_letter = False
    name = _cut("-".join("".join(kept).split()), MAX_ID_CHARS, MAX_ID_BYTES) or fallback
    return f"{name}-memory" if is_device(name) else name


def unique_slug(base: str, taken: Container[str]) -> str:
    """Return ``base``, or ``base-2``, ``base-3``, … for the first that is free (F11).

    Args:
        base: an id as ``slug`` gives it; it is shortened where the number needs the room.
        taken: the ids of the root, each as ``fold_id`` gives it.
    """
    if fold_id(base) not in taken:
        return base
    number = 2
    while True:
        suffix = f"-{number}"
        name = _cut(base, MAX_ID_CHARS - len(suffix), MAX_ID_BYTES - len(suffix)) + suffix
        if fold_id(name) not in taken:
            return name
        number += 1


def check_id(text: str) -> tuple[str, str]:
    """Return the scope and the id of a text that came in as an id (F12).

    One prefix ``global/`` or ``workspace/`` is the scope; without one the scope is ``""``. The id is NFC. Whatever an
    existing folder may hold as a file stem passes: spaces, upper case, dots inside.

    Raises:
        UsageError: for a path, a drive, an empty or hidden name, a control character, or one that is too long.
    """
    scope, slash, rest = text.partition("/")
    if slash and scope in {"global", "workspace"}:
        name = rest
    else:
        scope, name = "", text
    if not (0 < len(name) <= MAX_ID_CHARS and _PLAIN_ID.issuperset(name)):
        import unicodedata

        name = unicodedata.normalize("NFC", name)
        _refuse_hostile(name, text)
    if not name.strip():
        _refuse(text, "it is empty")
    return scope, name


def link_id(text: str) -> str:
    """Return the id that a memory names in its frontmatter, folded and without its scope (F12).

    Nothing is refused: a file may hold anything there, and what is no id is the id of no memory.
    """
    scope, _, rest = text.partition("/")
    return fold_id(rest if rest and scope in {"global", "workspace"} else text)


def _refuse_hostile(name: str, text: str) -> None:
    import unicodedata

    if not name:
        _refuse(text, "it is empty")
    if len(name) > 1 and name[1] == ":":
        _refuse(text, "it begins with a drive letter")
    if name in {".", ".."} or "/" in name or "\\" in name:
        _refuse(text, "it is a path")
    if name[0] == ".":
        _refuse(text, "it begins with a dot")
    for char in name:
        if char in FORBIDDEN:
            _refuse(text, f"{char!r} cannot stand in a file name")
        if char in _DIRECTION or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}:
            _refuse(text, f"it holds the control character U+{ord(char):04X}")
    if len(name) > MAX_ID_CHARS or len(name.encode()) > MAX_ID_BYTES:
        _refuse(text, f"it is longer than {MAX_ID_CHARS} characters or {MAX_ID_BYTES} bytes")


def _refuse(text: str, reason: str) -> NoReturn:
    shown = text if len(text) <= MAX_ID_CHARS else text[:MAX_ID_CHARS] + "…"
    raise UsageError(
        f"{ascii(shown) if not shown.isprintable() else repr(shown)} is no memory id: {reason}",
        hint="an id is the name of a memory's file without .md, as `engram list` shows it",
    )


def _without_marker(line: str) -> str:
    """Take a bullet (``- ``, ``* ``, ``+ ``) or a number (``1. ``, ``1) ``) off the beginning of a line."""
    if line[:2] in {"- ", "* ", "+ "}:
        return line[2:]
    head, blank, rest = line.partition(" ")
    if blank and head[-1] in ".)" and head[:-1].isdecimal() and rest.strip():
        return rest
    return line


def _is_invisible_mark(char: str) -> bool:
    return char in _INVISIBLE_MARKS or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _cluster_start(text: str, at: int) -> int:
    """Return the nearest place at or before ``at`` that is not between a letter and its marks."""
    import unicodedata

    start = at
    while start > 0 and start < len(text) and unicodedata.category(text[start])[0] == "M":
        start -= 1
    return start or at


def _cut(name: str, chars: int, size: int) -> str:
    """Return ``name`` with at most ``chars`` characters and ``size`` bytes, cut at ``-`` where that leaves half."""
    if len(name) <= chars and len(name.encode("utf-8", "surrogatepass")) <= size:
        return name
    at = min(chars, len(name))
    while len(name[:at].encode("utf-8", "surrogatepass")) > size:
        at -= 1
    if name[at : at + 1] != "-":
        word = name.rfind("-", 0, at)
        at = word if word * _CLOSE_TO_END >= at else _cluster_start(name, at)
    return name[:at].rstrip("-")
