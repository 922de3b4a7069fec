"""Link reference definitions (``[label]: address "title"``) at the beginning of a paragraph: CommonMark 0.31, 4.7.

A paragraph that holds nothing else is no text, so a line of ``=`` below it makes no heading.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["definition_lines"]

_MAX_LABEL = 999
_TITLE_ENDS = {'"': '"', "'": "'", "(": ")"}
_BLANK = " \t\n"


def definition_lines(lines: Sequence[str]) -> int:
    """Return how many lines at the beginning of a paragraph are link reference definitions.

    Args:
        lines: the lines of the paragraph, without indentation and without line ends.
    """
    text = "\n".join(lines)
    at = 0
    while text.startswith("[", at):
        end = _after_definition(text, at)
        if end < 0:
            break
        at = end
    return len(lines) if at >= len(text) else text.count("\n", 0, at)


def _after_definition(text: str, at: int) -> int:
    """Return where the line after a definition at ``at`` begins (or the end of the text), or -1."""
    at = _after_label(text, at + 1)
    if at < 0 or not text.startswith(":", at):
        return -1
    at = _after_address(text, _skip(text, at + 1))
    if at < 0:
        return -1
    without_title = _line_end(text, at)
    begin = _skip(text, at)
    if begin > at and text[begin : begin + 1] in _TITLE_ENDS:
        end = _after_title(text, begin)
        if end > 0 and (line_end := _line_end(text, end)) >= 0:
            return line_end
    return without_title


def _skip(text: str, at: int) -> int:
    """Skip blanks with at most one line end among them; a paragraph holds no blank line, so that all count."""
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _line_end(text: str, at: int) -> int:
    """Return the beginning of the next line where only blanks remain on this one, else -1."""
    end = text.find("\n", at)
    if end < 0:
        return len(text) if not text[at:].strip(" \t") else -1
    return end + 1 if not text[at:end].strip(" \t") else -1


def _after_label(text: str, begin: int) -> int:
    at = begin
    while at < len(text) and at - begin <= _MAX_LABEL:
        char = text[at]
        if char == "]":
            return at + 1 if text[begin:at].strip() else -1
        if char == "[":
            return -1
        at += 2 if char == "\\" else 1
    return -1


def _after_address(text: str, at: int) -> int:
    if text.startswith("<", at):
        at += 1
        while at < len(text) and text[at] not in "\n<":
            if text[at] == ">":
                return at + 1
            at += 2 if text[at] == "\\" and text[at + 1 : at + 2] not in {"\n", ""} else 1
        return -1
    begin, depth = at, 0
    while at < len(text):
        char = text[at]
        if char <= " " or char == "\x7f":
            break
        if char == "\\" and text[at + 1 : at + 2] > " ":
            at += 2
            continue
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth < 0:
                return -1
        at += 1
    return at if at > begin and depth == 0 else -1


def _after_title(text: str, at: int) -> int:
    opening, closing = text[at], _TITLE_ENDS[text[at]]
    at += 1
    while at < len(text):
        char = text[at]
        if char == closing:
            return at + 1
        if char == opening:
            return -1
        at += 2 if char == "\\" else 1
    return -1
