"""The bytes of a memory file, taken apart: the frontmatter and the body, and what is no memory file at all (F8, F9)."""

from __future__ import annotations

from engram.errors import FormatError
from engram.model import MAX_BYTES
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["Source", "split_source"]

_BOM_BYTES = b"\xef\xbb\xbf"


class Source(Record):
    """One memory file. ``opening`` and ``closing`` are the two ``---`` lines with their ends.

    ``front`` is what stands between them without the last line end, None where there is not even an empty line;
    ``body`` is everything after them.
    """

    bom: bool
    opening: str
    front: str | None
    closing: str
    body: str


def split_source(data: bytes, path: str = "") -> Source:
    """Return the parts of the memory file that the bytes are.

    Raises:
        FormatError: with line and reason, for what is not accepted (F9): no UTF-8, NUL, more than 256 KiB, no or an
            unclosed frontmatter, a Git conflict.
    """
    try:
        return _split(data)
    except FormatError as error:
        error.path = path
        raise


def _split(data: bytes) -> Source:
    if len(data) > MAX_BYTES:
        _refuse(f"it has {len(data):,} bytes, and a memory holds at most {MAX_BYTES:,} (256 KiB)", 0)
    if not data:
        _refuse("the file is empty", 0)
    if b"\0" in data:
        _refuse("a NUL byte stands in the file", data.count(b"\n", 0, data.index(b"\0")) + 1)
    bom = data.startswith(_BOM_BYTES)
    try:
        text = (data[3:] if bom else data).decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start + (3 if bom else 0)
        _refuse(f"byte {offset} is no valid UTF-8", data.count(b"\n", 0, offset) + 1)
    if "<<<<<<< " in text:
        from engram.markdown.conflicts import find_conflict  # hardly any file holds one

        if line := find_conflict(text):
            _refuse("a Git conflict marker stands in the file; settle the conflict", line)
    start = text.find("\n") + 1
    opening = text[:start]
    if not opening.startswith("---") or opening.rstrip(" \t\r\n") != "---":
        _refuse("there is no frontmatter: the first line is not ---", 1)
    at = start - 1
    while True:
        at = text.find("\n---", at)
        if at < 0:
            _refuse("the frontmatter is never closed: a second line --- is missing", 1)
        end = text.find("\n", at + 1) + 1 or len(text)
        if text[at + 1 : end].rstrip(" \t\r\n") == "---":
            break
        at += 1
    return Source(bom, opening, text[start:at] if at >= start else None, text[at + 1 : end], text[end:])


def _refuse(reason: str, line: int) -> NoReturn:
    raise FormatError(reason, line=line)
