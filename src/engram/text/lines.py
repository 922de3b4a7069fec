r"""Lines as CommonMark and YAML end them: LF, CR LF or CR, and nothing else.

``str.splitlines`` also ends a line at U+2028, form feed and others, which stand inside a line of Markdown.

>>> split_lines("a\r\nb\u2028c\n")
['a', 'b\u2028c', '']
>>> lines_with_ends("a\r\nb\rc")
['a\r\n', 'b\r', 'c']
"""

from __future__ import annotations

__all__ = ["lines_with_ends", "split_lines", "unix_lines"]


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
