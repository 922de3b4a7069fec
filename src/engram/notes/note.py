"""What a working note is, and its Markdown file (C54, F6): a memory with an objective and a day on which it ends."""

from __future__ import annotations

from engram.errors import FormatError
from engram.markdown.document import parse_document
from engram.markdown.memory import read_memory
from engram.markdown.writing import render_memory, update_document
from engram.model import Memory
from engram.portable import fold
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.config.author import Author
    from engram.model import Kind, Scope

__all__ = [
    "PREFIX", "SOURCE", "TIER", "Note", "ended_at_sight", "folded", "has_ended", "last_day", "new_note", "read_note",
    "renewed",
]  # fmt: skip

# Before an id it says that the working note is meant, where a durable memory has the same id (C57).
PREFIX = "note/"
SOURCE, TIER = "note", "working"


class Note(Record):
    """A working note as read from its file: the memory that it would be, and what it is for.

    ``memory`` holds what a note may say and nothing that would let it act: whatever the file claims, it is reference,
    needs no other memory, and is for every role.
    """

    memory: Memory
    objective: str = ""


def last_day(day: str, days: int) -> str:
    """Return the day until which a note of ``day`` (``YYYY-MM-DD``) is valid, ``days`` later (C54)."""
    from datetime import date, timedelta

    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def has_ended(note: Note, day: str) -> bool:
    """Tell whether a note is expired on ``day``: the day that it is valid until is its last one."""
    return note.memory.valid_until < day


def ended_at_sight(data: bytes, day: str) -> bool:
    """Tell whether a file as Engram writes it says that it ended before ``day``: old notes stay until a review.

    False for whatever is written in another way; ``has_ended`` then tells.
    """
    head, closed, _ = data.partition(b"\n---\n")
    _, named, rest = head.partition(b"\nvalid_until: ")
    said = rest[:11].rstrip(b"\n").decode("ascii", "replace")
    return bool(closed and named) and _is_day(said) and said < day and rest[10:11] in {b"", b"\n"}


def folded(objective: str) -> str:
    """Return the form in which two objectives are compared: case, width of blanks and Unicode form do not count."""
    return " ".join(fold(objective).split())


def new_note(
    name: str,
    kind: Kind,
    scope: Scope,
    *,
    title: str,
    text: str,
    objective: str,
    day: str,
    until: str,
    author: Author,
) -> bytes:
    """Return the file of a new note with the id ``name``: the same bytes for the same arguments, always (F5).

    Raises:
        FormatError: for a text that no memory file may hold, or too much of it (F9).
    """
    extra = (("objective", objective),) if objective else ()
    return render_memory(
        Memory(
            id=name,
            type=kind,
            scope=scope,
            title=title,
            content=text,
            confidence="medium",
            source=SOURCE,
            created=day,
            updated=day,
            valid_from=day,
            valid_until=until,
            last_confirmed=day,
            author_name=author.name,
            author_email=author.email,
            extra=(*extra, ("tier", TIER)),
        )
    )


def renewed(data: bytes, path: str, *, kind: Kind, objective: str, day: str, until: str) -> bytes:
    """Return the file of a note that is noted again: the same text, valid from ``day`` on (F8: the rest stays).

    Raises:
        FormatError: where the file cannot be changed.
    """
    revision = read_memory(data, path=path, scope="workspace").revision + 1
    changes: dict[str, object] = {
        "last_confirmed": day,
        "objective": objective,
        "revision": revision,
        "type": kind,
        "updated": day,
        "valid_until": until,
    }
    return update_document(parse_document(data, path), changes).to_bytes()


def read_note(data: bytes, *, path: str, scope: Scope) -> Note:
    """Return the note that a file holds.

    Args:
        data: the file's bytes.
        path: where it is in its root, with ``/``.
        scope: whose note it is; what the file says about it does not count.

    Raises:
        FormatError: where the file cannot be read as a memory (F9), or does not say until when it is valid.
    """
    found = read_memory(data, path=path, scope=scope)
    if not _is_day(found.valid_until):
        document = parse_document(data, path)
        said = f"`valid_until` is {found.valid_until!r}, and" if found.valid_until else "it says no `valid_until`:"
        raise FormatError(f"{said} a working note ends on a day", path=path, line=document.line_of("valid_until"))
    memory = Memory(
        id=found.id,
        type=found.type,
        scope=found.scope,
        title=found.title,
        content=found.content,
        confidence=found.confidence,
        source=SOURCE,
        revision=found.revision,
        created=found.created,
        updated=found.updated,
        valid_until=found.valid_until,
        last_confirmed=found.last_confirmed,
        author_name=found.author_name,
        author_email=found.author_email,
        context=found.context,
        example=found.example,
        origin=found.origin,
        human_note=found.human_note,
    )
    return Note(memory, dict(found.extra).get("objective", ""))


def _is_day(text: str) -> bool:
    """Tell whether a text is a day as days are compared here: ``YYYY-MM-DD``."""
    parts = text.split("-")
    return text.isascii() and [len(part) for part in parts] == [4, 2, 2] and all(part.isdigit() for part in parts)
