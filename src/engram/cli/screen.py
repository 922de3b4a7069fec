"""Text on a terminal of some width: no line breaks where the terminal likes, and no piece can pass for a line.

A terminal breaks a long line at its edge, and what comes after the break begins at the left like a line of Engram's own
(C42). So lines are broken here, and each piece of somebody's text begins with a mark.
"""

from __future__ import annotations

import os
import sys
import unicodedata

from engram.cli.output import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["cut", "fold_marked", "fold_own", "screen_width"]

_USUAL = 80
_LEAST = 40
_TAB = 4
_CONTINUED = "» "


def screen_width(stream: TextIO | None = None) -> int:
    """Return how many columns a stream's terminal has; 0 where it is none, so that nothing is to be broken."""
    out = sys.stdout if stream is None else stream
    if not is_terminal(out):
        return 0
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdecimal() and len(columns) < 5 and int(columns):
        return max(_LEAST, int(columns))
    try:
        found = os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):
        found = 0
    # A terminal that does not know its width says 0.
    return max(_LEAST, found) if found else _USUAL


def fold_marked(line: str, width: int) -> list[str]:
    """Return a line of a preview, whose first character is its mark, as pieces that begin with that mark.

    Args:
        line: as it is shown, inert.
        width: as ``screen_width`` gives it; 0 breaks nothing.
    """
    if not width:
        return [line]
    first, *rest = _pieces(line, width - 1, width - 1 - len(_CONTINUED) - 1)
    return [first, *(f"{line[:1]}{_CONTINUED}{piece}" for piece in rest)]


def fold_own(line: str, width: int, indent: str = "  ") -> list[str]:
    """Return a line of Engram's own, which may quote a name or a reason; further pieces are indented."""
    if not width:
        return [line]
    first, *rest = _pieces(line, width - 1, width - 1 - len(indent), words=True)
    return [first, *(f"{indent}{piece}" for piece in rest)]


def cut(text: str, width: int) -> str:
    """Return as much of a text as fits into so many columns, with ``…`` where something is left out; 0 cuts nothing."""
    if not width or _cells(text) < width:
        return text
    return text[: _head(text, width - 2)] + "…"


def _pieces(line: str, first: int, following: int, *, words: bool = False) -> list[str]:
    line = line.replace("\t", " " * _TAB)
    pieces = []
    room = first
    while _cells(line) > room:
        end = max(1, _head(line, room))
        if words and (blank := line.rfind(" ", 1, end + 1)) > 0:
            word = line[blank + 1 :].partition(" ")[0]
            # An id that fits into the next line stays in one piece, so that it can be copied.
            if blank > room // 2 or _cells(word) <= following:
                end = blank
        pieces.append(line[:end])
        line = line[end:].lstrip(" ") if words else line[end:]
        room = following
    return [*pieces, line]


def _head(text: str, cells: int) -> int:
    """Return how many characters of a text fit into so many cells."""
    for at, char in enumerate(text):
        cells -= _cell(char)
        if cells < 0:
            return at
    return len(text)


def _cells(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_cell, text))


def _cell(char: str) -> int:
    """Return how many cells a character takes at most, on one terminal or another."""
    if char.isascii():
        return 1
    # What is wide on some terminals counts as wide: a break that comes too early does no harm.
    return 2 if unicodedata.east_asian_width(char) in {"W", "F", "A"} or char >= "\U0001f000" else 1
