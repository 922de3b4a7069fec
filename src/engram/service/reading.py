"""Reading without a ranking: one memory by id, all of them, a file as it is."""

from __future__ import annotations

import os

from engram.errors import FormatError, IntegrityError, NotFoundError, UsageError
from engram.markdown.memory import read_memory
from engram.model import KINDS, Memory
from engram.recall.pack import Item, Pack, join_whole
from engram.recall.validity import is_superseded, out_of_service
from engram.record import Record
from engram.service.caches import count_reads
from engram.service.giving import entry_of, give_text
from engram.service.session import Entry, check_reading, skipped_lines
from engram.store.files import digest, read_guarded, today
from engram.store.root import MemoryRoot, Skipped, Stored
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.session import Session

__all__ = [
    "Entry",
    "Shown",
    "check_filters",
    "check_reading",
    "checked_entry",
    "list_memories",
    "load_id",
    "read_all",
    "show_memory",
    "skipped_lines",
]


class Shown(Record):
    """One memory file as it is: its text, and what is known about it."""

    entry: Entry
    text: str
    archived: bool


def load_id(session: Session, text: str, *, counted: bool = True) -> tuple[Pack, Entry]:
    """Return one active memory or working note whole, by id; what replaced it is named (I1).

    Args:
        session: where one is.
        text: an id, ``global/<id>``, or ``note/<id>`` where a durable memory has the id of a note.
        counted: whether it counts as used (C61); not where nobody is given it.

    Raises:
        NotFoundError: with the closest ids (C37), or that it is archived.
        IntegrityError: when its bytes are not the approved ones.
        FormatError: when the file cannot be read as a memory.
    """
    check_reading(session)
    try:
        entry = _named(session, text)
    except NotFoundError as error:
        if _show_archived(session, text):
            raise NotFoundError(
                f"{check_id(text)[1]} is archived, so it is not given to agents.", hint=f"Read it: engram show {text}"
            ) from error
        raise
    if entry.is_note:
        from engram.service.notebook import note_item

        return join_whole((note_item(entry),)), entry
    notes = [note for note in (out_of_service(entry.memory, today()), entry.doubt) if note]
    item = Item(entry.memory, entry.key, foreign=entry.foreign, note="; ".join(notes))
    if counted:
        count_reads(session, [entry])
    return join_whole((item,)), entry


def show_memory(session: Session, text: str) -> Shown:
    """Return one memory file for a person: an active one, else a working note, else the archived one of that id.

    Raises:
        UsageError: when the text is no id (F12).
        NotFoundError: with the closest ids (C37).
        IntegrityError: when its bytes are not the approved ones: an agent may be reading along.
        FormatError: when the file cannot be read as a memory.
    """
    try:
        entry = _named(session, text)
    except NotFoundError:
        if archived := _show_archived(session, text):
            return archived
        raise
    data = read_guarded(entry.root.path, entry.path)
    if digest(data) != entry.hash:
        raise IntegrityError(f"{entry.path} is changing right now.", hint="Run the command again.", path=entry.path)
    shown = data.decode("utf-8")
    if entry.is_note:
        from engram.service.notebook import note_file

        return Shown(entry, note_file(session, entry, shown), archived=False)
    count_reads(session, [entry])
    return Shown(entry, give_text(session, entry, shown), archived=False)


def list_memories(
    session: Session, *, kind: str = "", scope: str = "", everything: bool = False
) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
    """Return the active memories of all roots, by scope, kind and id, after them the working notes that are in service.

    What may not be shown comes second.

    Args:
        session: where one is.
        kind: only this type of memory.
        scope: only this scope.
        everything: also what is superseded, which leaves every list (I1).

    Raises:
        UsageError: for an unknown kind or scope.
    """
    check_filters(kind, scope)
    entries, skipped = read_all(session)
    if any(root.has_notes() for root in session.roots):
        from engram.service.notebook import list_notes

        notes, no_notes = list_notes(session)
        entries += notes
        skipped += no_notes
    chosen = [
        entry
        for entry in entries
        if kind in {"", entry.memory.type}
        and scope in {"", entry.memory.scope}
        and (everything or not is_superseded(entry.memory))
    ]
    return chosen, skipped


def read_all(session: Session) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
    """Read every active memory of the roots that apply here.

    Where both scopes hold the same text under one id, only the workspace's counts (F20).
    """
    entries: list[Entry] = []
    skipped: list[tuple[MemoryRoot, Skipped]] = []
    in_workspace: dict[str, Memory] = {}
    for root in session.require_roots():
        found, bad = root.memories()
        skipped += [(root, skip) for skip in bad]
        for stored in found:
            folded = fold_id(stored.memory.id)
            twin = in_workspace.get(folded)
            if root.scope == "workspace":
                in_workspace[folded] = stored.memory
            elif twin is not None and twin.content == stored.memory.content:
                continue
            key = stored.memory.id if root.scope == "workspace" or twin is None else f"global/{stored.memory.id}"
            entries.append(entry_of(session, root, stored, key))
    return entries, skipped


def check_filters(kind: str, scope: str) -> None:
    """Raise UsageError for a kind or a scope that a list cannot be narrowed to; an empty one narrows nothing."""
    if kind and kind not in KINDS:
        raise UsageError(f"{kind} is no kind of memory.", hint=f"Kinds are {', '.join(KINDS)}.")
    if scope and scope not in {"workspace", "global"}:
        raise UsageError(f"{scope} is no scope.", hint="Scopes are workspace and global.")


def _named(session: Session, text: str) -> Entry:
    """Return the memory, else the working note, that a text names; ``note/<id>`` names a note only."""
    # The modules of notes are for who has some: the prefix is spelt out here.
    if not text.startswith("note/"):
        try:
            root, path = session.locate(text)
        except NotFoundError:
            if not any(root.has_notes() for root in session.roots):
                raise
        else:
            return checked_entry(session, root, path)
    from engram.service.notebook import find_note

    return find_note(session, text)


def checked_entry(session: Session, root: MemoryRoot, path: str) -> Entry:
    """Return the memory at a path that ``Session.locate`` gave.

    Raises:
        IntegrityError: when its bytes are not the approved ones.
        FormatError: when the file cannot be read as a memory.
    """
    stored = root.read(path)
    if isinstance(stored, Stored):
        memory_id = stored.memory.id
        others = (other for other in session.roots if other.scope == "workspace")
        # The same key that a pack gives it (C35).
        both = root.scope == "global" and any(other.find(memory_id) for other in others)
        return entry_of(session, root, stored, f"global/{memory_id}" if both else memory_id)
    full = os.path.join(root.path, *path.split("/"))
    if stored.kind in {"mismatch", "unlisted"}:
        raise IntegrityError(stored.text, path=full)
    raise FormatError(stored.text, path=full, line=stored.line)


def _show_archived(session: Session, text: str) -> Shown | None:
    from engram.markdown.archive import read_archived

    scope, memory_id = check_id(text)
    for root in session.roots:
        if scope not in {"", root.scope}:
            continue
        for path in reversed(root.find_archived(memory_id)):
            data = read_guarded(root.path, path)
            value = digest(data)
            expected = root.ledger().lookup(path)
            # Older folders kept no hashes of archived files (F14); where there is one it counts.
            if expected and value not in expected:
                raise IntegrityError(Skipped(path, "mismatch", "it changed since it was archived").text, path=path)
            try:
                header, inner = read_archived(data)
                # The file's own folder tells the kind where the memory does not: archive/<day>/<kind>/<id>.md.
                folder = path.rpartition("/")[0].rpartition("/")[2]
                memory = read_memory(inner, path=f"{folder}/{memory_id}.md", scope=root.scope)
            except FormatError as error:
                full = os.path.join(root.path, *path.split("/"))
                reason = Skipped(path, "unreadable", error.message).text
                raise FormatError(reason, path=full, line=error.line) from error
            memory = memory.replace(archived_at=header.get("archived", ""), lifecycle="archived")
            entry = entry_of(session, root, Stored(memory, path, value), memory.id)
            return Shown(entry, give_text(session, entry, data.decode("utf-8")), archived=True)
    return None
