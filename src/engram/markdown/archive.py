"""An archived memory: its old bytes under a header that says when, what and why (F17).

>>> header, inner = read_archived(archive_bytes(b"old", date="2026-03-02", original="rules/a.md", reason="done"))
>>> header["reason"], inner
('done', b'old')
"""

from __future__ import annotations

from engram.errors import FormatError

__all__ = ["archive_bytes", "read_archived"]

_FIRST = b"<!-- Archived "
_END = b" -->"
_BOM = b"\xef\xbb\xbf"


def archive_bytes(data: bytes, *, date: str, original: str, reason: str) -> bytes:
    """Return the bytes of an archived file: the public header, an empty line, and ``data`` unchanged.

    Args:
        data: the memory file as it was.
        date: the ISO day.
        original: where it was, as ``rules/a.md`` or ``workspace:rules/a.md``.
        reason: why, in words; line breaks become blanks, and an end of a comment is broken up.
    """
    header = (
        f"<!-- Archived {_safe(date)} -->\n<!-- Original: {_safe(original)} -->\n<!-- Reason: {_safe(reason)} -->\n\n"
    )
    return header.encode("utf-8", "replace") + data


def read_archived(data: bytes) -> tuple[dict[str, str], bytes]:
    """Return the header (``archived``, ``original``, ``reason``; those that are there) and the memory's old bytes.

    Raises:
        FormatError: when the file does not begin with such a header.
    """
    rest = data.removeprefix(_BOM)
    if not rest.startswith(_FIRST):
        raise FormatError("there is no header of an archived memory: the first line is not <!-- Archived … -->", line=1)
    header: dict[str, str] = {}
    while rest.startswith(b"<!-- "):
        line, newline, after = rest.partition(b"\n")
        line = line.removesuffix(b"\r")
        if not line.endswith(_END) or len(line) < len(b"<!-- ") + len(_END):
            break
        text = line[len(b"<!-- ") : -len(_END)].decode("utf-8", "replace")
        if not header:
            header["archived"] = text.removeprefix("Archived ")
        else:
            name, colon, value = text.partition(": ")
            key = name.lower().rstrip(":")
            if key in header or (not colon and not name.endswith(":")):
                break
            header[key] = value
        rest = after
        if not newline:
            break
    for blank in (b"\r\n", b"\n"):
        if rest.startswith(blank):
            return header, rest.removeprefix(blank)
    return header, rest


def _safe(text: str) -> str:
    """Return a text on one line in which no comment can end."""
    line = " ".join("".join([char if char.isprintable() else " " for char in text]).split())
    return line.replace("-->", "-- >").replace("--!>", "--! >")
