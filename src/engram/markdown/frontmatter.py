"""A memory file taken apart, and its frontmatter: a strict and lossless reader of the part of YAML that it uses.

What is no memory file at all is refused (F5, F8, F9).

Values are texts and lists of texts; dates, numbers and booleans stay the text that they are written as, and null is an
empty text. Everything is kept as the lines it came in, so that a rewrite touches only what it changes. Below a key that
Engram does not know, other structures are kept as they are.

>>> entries, rest = parse_entries(["id: a", "tags: [x, 'y z']", "# a note", "x_team:", "  name: b"])
>>> [(entry.key, entry.value) for entry in entries]
[('id', 'a'), ('tags', ('x', 'y z')), ('x_team', '  name: b')]
>>> format_entry("tags", ("a, b", "c"))
'tags: ["a, b", c]'
"""

from __future__ import annotations

from engram.errors import FormatError
from engram.model import MAX_BYTES
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from engram.markdown.entries import Reader

    Value = str | tuple[str, ...]

__all__ = [
    "DATE_KEYS",
    "INTEGER_KEYS",
    "KNOWN_KEYS",
    "LIST_KEYS",
    "NULLS",
    "Entry",
    "Source",
    "format_entry",
    "parse_entries",
    "read_values",
    "split_source",
]

_BOM_BYTES = b"\xef\xbb\xbf"
DATE_KEYS = frozenset(
    {
        "archived_at", "created", "last_confirmed", "last_verified", "review_after", "updated", "valid_from",
        "valid_until",
    }
)  # fmt: skip
INTEGER_KEYS = frozenset({"revision", "schema_version"})
LIST_KEYS = frozenset(
    {
        "depends_on", "derived_from", "evidence_refs", "role", "source_files", "source_hashes", "supersedes", "tags",
        "task_types", "triggers",
    }
)  # fmt: skip
# F6, and `author` of schemas 1 and 2.
KNOWN_KEYS = DATE_KEYS | INTEGER_KEYS | LIST_KEYS | {
    "author", "author_email", "author_name", "authority", "confidence", "evidence_status", "id", "level", "lifecycle",
    "objective", "parent", "scope", "source", "superseded_by", "tier", "type",
}  # fmt: skip


# What stands for no value.
NULLS = frozenset({"", "~", "null", "Null", "NULL"})


class Entry(Record):
    """One key of the frontmatter.

    ``value`` is a text or a list of texts; where an unknown key holds another structure it is that structure's source.
    ``lines`` are the source lines, everything below included, and ``before`` the comments and blank lines above it;
    both without LF, with the CR where there was one.
    """

    key: str
    value: Value
    lines: tuple[str, ...]
    before: tuple[str, ...] = ()


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
        return _parts_of(data)
    except FormatError as error:
        error.path = path
        raise


def _parts_of(data: bytes) -> Source:
    if len(data) > MAX_BYTES:
        _refuse_file(f"it has {len(data):,} bytes, and a memory holds at most {MAX_BYTES:,} (256 KiB)", 0)
    if not data:
        _refuse_file("the file is empty", 0)
    if b"\0" in data:
        _refuse_file("a NUL byte stands in the file", data.count(b"\n", 0, data.index(b"\0")) + 1)
    bom = data.startswith(_BOM_BYTES)
    try:
        text = (data[3:] if bom else data).decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start + (3 if bom else 0)
        _refuse_file(f"byte {offset} is no valid UTF-8", data.count(b"\n", 0, offset) + 1)
    if "<<<<<<< " in text:
        from engram.markdown.conflicts import find_conflict  # hardly any file holds one

        if line := find_conflict(text):
            _refuse_file("a Git conflict marker stands in the file; settle the conflict", line)
    start = text.find("\n") + 1
    opening = text[:start]
    if not opening.startswith("---") or opening.rstrip(" \t\r\n") != "---":
        _refuse_file("there is no frontmatter: the first line is not ---", 1)
    at = start - 1
    while True:
        at = text.find("\n---", at)
        if at < 0:
            _refuse_file("the frontmatter is never closed: a second line --- is missing", 1)
        end = text.find("\n", at + 1) + 1 or len(text)
        if text[at + 1 : end].rstrip(" \t\r\n") == "---":
            break
        at += 1
    return Source(bom, opening, text[start:at] if at >= start else None, text[at + 1 : end], text[end:])


def _refuse_file(reason: str, line: int) -> NoReturn:
    raise FormatError(reason, line=line)


def parse_entries(lines: list[str]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Return the entries of a frontmatter and the comment and blank lines after the last one.

    Args:
        lines: what stands between the two ``---`` lines, split at LF.

    Raises:
        FormatError: with the line in the file (the first of ``lines`` is its second) and the reason.
    """
    source = "\n".join(lines)
    has_cr = "\r" in source
    clean = [line.removesuffix("\r") for line in lines] if has_cr else lines
    if has_cr:
        for index, line in enumerate(clean):
            if "\r" in line:
                _fail(index, "a carriage return stands inside the line")
    reader: Reader | None = None
    entries: list[Entry] = []
    seen: set[str] = set()
    index, count = 0, len(lines)
    simple = "\t" not in source
    while index < count:
        line = clean[index]
        key, colon, rest = line.partition(": ")
        value: Value | None = None
        # The common line: a known key with a plain text or a plain list, and no line that could belong to it.
        if simple and colon and key in KNOWN_KEYS and (index + 1 == count or clean[index + 1][:1].isalpha()):
            value = _quick_value(rest)
        if value is not None:
            entry = Entry(key, value, (lines[index],), reader.take_before() if reader else ())
            index += 1
        else:
            if reader is None:
                from engram.markdown.entries import Reader  # a file as Engram writes it never needs it

                reader = Reader(lines, clean)
            maybe, index = reader.entry(index)
            if maybe is None:
                continue
            entry, key = maybe, maybe.key
        if key in seen:
            _fail(index - len(entry.lines), f"the key `{key}` stands twice")
        seen.add(key)
        entries.append(entry)
    return tuple(entries), reader.take_before() if reader else ()


def read_values(front: str | None) -> dict[str, Value]:
    """Return the values of a frontmatter by key.

    Args:
        front: what stands between the two ``---`` lines, None where there is nothing.

    Raises:
        FormatError: as ``parse_entries``.
    """
    values: dict[str, Value] = {}
    lines = [] if front is None else front.split("\n")
    # As Engram writes it: nothing but known keys, each once with a plain value.
    plain = front is None or not ("\t" in front or "\r" in front)
    for line in lines if plain else ():
        key, colon, rest = line.partition(": ")
        value = _quick_value(rest) if colon and key in KNOWN_KEYS and key not in values else None
        if value is None:
            plain = False
            break
        values[key] = value
    return values if plain else {entry.key: entry.value for entry in parse_entries(lines)[0]}


def _fail(index: int, reason: str) -> NoReturn:
    from engram.markdown.values import fail

    fail(index, reason)


def format_entry(key: str, value: Value) -> str:
    """Return one line of frontmatter, without its end (F5, F6).

    Dates and integers of the keys that hold such are plain; a list is inline; everything else is quoted only where
    plain YAML would read something else.
    """
    from engram.markdown.scalars import is_date, quote_scalar  # for writing only

    name = quote_scalar(key)
    if isinstance(value, tuple):
        return f"{name}: [{', '.join([quote_scalar(item, in_list=True) for item in value])}]"
    if (key in DATE_KEYS and is_date(value)) or (key in INTEGER_KEYS and value.isascii() and value.isdigit()):
        return f"{name}: {value}"
    return f"{name}: {quote_scalar(value)}"


def _quick_value(rest: str) -> Value | None:
    """Return the value of a plain text or a plain inline list; None where it takes a closer look."""
    first, last = rest[:1], rest[-1:]
    if first.isalnum():
        if last in " :" or ": " in rest or " #" in rest:
            return None
        return "" if rest in NULLS else rest
    if first == "[" and last == "]":
        inner = rest[1:-1]
        if not inner:
            return ()
        if '"' in inner or "'" in inner or "[" in inner or "]" in inner or "{" in inner or "}" in inner:
            return None
        if "#" in inner or ": " in inner:
            return None
        items = tuple([item.strip(" ") for item in inner.split(",")])
        for item in items:
            if not item[:1].isalnum() or item[-1] == ":" or item in NULLS:
                return None
        return items
    return None
