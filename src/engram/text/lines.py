r"""Lines as CommonMark and YAML end them: LF, CR LF or CR, and nothing else.

``str.splitlines`` also ends a line at U+2028, form feed and others, which stand inside a line of Markdown.

>>> split_lines("a\r\nb\u2028c\n")
['a', 'b\u2028c', '']
>>> lines_with_ends("a\r\nb\rc")
['a\r\n', 'b\r', 'c']
"""

from __future__ import annotations

__all__ = ["lines_with_ends", "split_lines", "unix_lines", "without_marks"]


def unix_lines(text: str) -> str:
    """Return the text with each line end as LF."""
    if "\r" in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def split_lines(text: str) -> list[str]:
    """Return the lines without their ends; a text that ends with a line end has an empty last line."""
    return unix_lines(text).split("\n")


def lines_with_ends(text: str) -> list[str]:
    """Return the lines with their ends, so that joining them gives the text back; an empty text has no lines."""
    # bytes.splitlines knows only the three line ends that count here, and surrogates pass through unchanged.
    return [line.decode("utf-8", "surrogatepass") for line in text.encode("utf-8", "surrogatepass").splitlines(True)]


def without_marks(line: str, marks: str) -> str:
    """Return a stripped line without the marks at its beginning that white space, or nothing at all, follows.

    A bullet is a mark before a blank or a tab (CommonMark 0.31, list markers); a bullet may stand within a bullet.
    """
    while line and line[0] in marks and (len(line) == 1 or line[1].isspace()):
        line = line[1:].lstrip()
    return line
