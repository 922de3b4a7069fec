"""The value types that every room of Engram speaks in. Frozen, no I/O, cheap to import."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Protocol

    Kind = Literal["rule", "skill", "knowledge"]
    Scope = Literal["workspace", "global"]
    SaveScope = Literal["workspace", "global", "both"]
    VerdictWord = Literal["ADD", "UPDATE", "SUPERSEDE", "NOOP"]
    Standing = Literal["", "superseded", "archived"]

    class Aged(Protocol):
        """What the standing is read from: a memory, or what the index knows of it."""

        @property
        def lifecycle(self) -> str: ...
        @property
        def superseded_by(self) -> str: ...


__all__ = ["FOLDERS", "KINDS", "KIND_OF_FOLDER", "MAX_BYTES", "Memory", "standing"]

KINDS: tuple[Kind, ...] = ("rule", "skill", "knowledge")
FOLDERS: dict[str, str] = {"rule": "rules", "skill": "skills", "knowledge": "knowledge"}
KIND_OF_FOLDER: dict[str, Kind] = {"rules": "rule", "skills": "skill", "knowledge": "knowledge"}

# F9: the size over which a file is not read as a memory, in bytes.
MAX_BYTES = 256 * 1024


class Memory(Record):
    """One memory as read from its file (F5, F6). Absent text is ``""``, an absent list is ``()``.

    ``content`` is the text under ``## Content``, outer blank lines removed, line ends as LF. Dates are ISO days, as
    written. ``extra`` holds the frontmatter keys that Engram does not know, with their values as text. ``named`` is the
    ``id`` in the file where it is another than the file's name, which alone counts.
    """

    id: str
    type: Kind
    scope: Scope
    title: str
    content: str
    authority: str = "reference"
    tags: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    task_types: tuple[str, ...] = ()
    level: str = ""
    parent: str = ""
    confidence: str = "medium"
    source: str = ""
    revision: int = 1
    schema: int = 3
    created: str = ""
    updated: str = ""
    valid_from: str = ""
    valid_until: str = ""
    last_confirmed: str = ""
    author_name: str = ""
    author_email: str = ""
    lifecycle: str = "active"
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    archived_at: str = ""
    review_after: str = ""
    context: str = ""
    example: str = ""
    origin: str = ""
    human_note: str = ""
    variants: tuple[tuple[str, str], ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    named: str = ""


def standing(memory: Aged) -> Standing:
    """Return how a memory went out of service for good, ``""`` where it did not (F17): the one place that says it."""
    if memory.superseded_by or memory.lifecycle == "superseded":
        return "superseded"
    return "archived" if memory.lifecycle == "archived" else ""
