"""Reading without a ranking: one memory by id, all of them, a file as it is."""

from __future__ import annotations

import os

from engram.errors import FormatError, IntegrityError, NotFoundError, RefusedError, UsageError
from engram.markdown.memory import read_memory
from engram.model import KINDS, Memory
from engram.recall.pack import Item, Pack, join_whole
from engram.recall.validity import out_of_service
from engram.record import Record
from engram.service.caches import count_reads
from engram.store.files import digest, read_guarded, today
from engram.store.root import REVIEW_COMMAND, MemoryRoot, Skipped, Stored
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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

# More skipped files than this are said in one line with their count (F13).
_SAID_ONE_BY_ONE = 3


class Entry(Record):
    """A memory in the place where it was found."""

    memory: Memory
    key: str
    path: str
    root: MemoryRoot
    hash: str


class Shown(Record):
    """One memory file as it is: its text, and what is known about it."""

    entry: Entry
    text: str
    archived: bool


def load_id(session: Session, text: str, *, counted: bool = True) -> tuple[Pack, Entry]:
    """Return one active memory whole, by id; what replaced it is named where it was superseded (I1).

    Args:
        session: where one is.
        text: an id, or ``global/<id>``.
        counted: whether it counts as used (C61); not where nobody is given it.

    Raises:
        NotFoundError: with the closest ids (C37), or that it is archived.
        IntegrityError: when its bytes are not the approved ones.
        FormatError: when the file cannot be read as a memory.
    """
    check_reading(session)
    try:
        root, path = session.locate(text)
    except NotFoundError as error:
        if _show_archived(session, text):
            raise NotFoundError(
                f"{check_id(text)[1]} is archived, so it is not given to agents.", hint=f"Read it: engram show {text}"
            ) from error
        raise
    entry = checked_entry(session, root, path)
    item = Item(entry.memory, entry.key, foreign=entry.root.foreign, note=out_of_service(entry.memory, today()))
    if counted:
        count_reads(session, [entry])
    return join_whole((item,)), entry


def show_memory(session: Session, text: str) -> Shown:
    """Return one memory file for a person: an active one, else the archived one of that id.

    Raises:
        UsageError: when the text is no id (F12).
        NotFoundError: with the closest ids (C37).
        IntegrityError: when its bytes are not the approved ones: an agent may be reading along.
        FormatError: when the file cannot be read as a memory.
    """
    try:
        root, path = session.locate(text)
    except NotFoundError:
        if archived := _show_archived(session, text):
            return archived
        raise
    entry = checked_entry(session, root, path)
    data = read_guarded(root.path, path)
    if digest(data) != entry.hash:
        raise IntegrityError(f"{path} is changing right now.", hint="Run the command again.", path=path)
    count_reads(session, [entry])
    return Shown(entry, data.decode("utf-8"), archived=False)


def list_memories(
    session: Session, *, kind: str = "", scope: str = ""
) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
    """Return the active memories of all roots, by scope, kind and id, and the files that may not be shown.

    Raises:
        UsageError: for an unknown kind or scope.
    """
    check_filters(kind, scope)
    entries, skipped = read_all(session)
    chosen = [e for e in entries if kind in {"", e.memory.type} and scope in {"", e.memory.scope}]
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
            entries.append(_entry(root, stored, key))
    return entries, skipped


def skipped_lines(skipped: Sequence[tuple[MemoryRoot, Skipped]]) -> tuple[str, ...]:
    """Return one line for each skipped file; many of one kind in one scope are one line with their count (F13)."""
    groups: dict[tuple[str, str], list[Skipped]] = {}
    for root, skip in skipped:
        groups.setdefault((root.scope, skip.kind), []).append(skip)
    lines = []
    for (scope, kind), group in groups.items():
        if len(group) <= _SAID_ONE_BY_ONE:
            lines += [skip.text for skip in group]
        else:
            how = {
                "mismatch": "changed since they were approved",
                "unlisted": "are not in SHA256SUMS",
                "unreadable": "cannot be read as memory",
                "duplicate": "have the id of another file",
                "missing": "are gone",
            }[kind]
            command = "engram verify" if kind in {"unreadable", "duplicate"} else REVIEW_COMMAND
            lines.append(f"SKIPPED {len(group)} files in {scope} memory: they {how}; see them: {command}")
    return tuple(lines)


def check_filters(kind: str, scope: str) -> None:
    """Raise UsageError for a kind or a scope that a list cannot be narrowed to; an empty one narrows nothing."""
    if kind and kind not in KINDS:
        raise UsageError(f"{kind} is no kind of memory.", hint=f"Kinds are {', '.join(KINDS)}.")
    if scope and scope not in {"workspace", "global"}:
        raise UsageError(f"{scope} is no scope.", hint="Scopes are workspace and global.")


def check_reading(session: Session) -> None:
    """Raise RefusedError when reading is switched off here (F21 ``read``)."""
    if session.settings.string("read") == "off":
        raise RefusedError(
            "Reading memory is switched off here (read: off).", hint="Switch it on: engram config set read auto"
        )


def _entry(root: MemoryRoot, stored: Stored, key: str) -> Entry:
    return Entry(stored.memory, key, stored.path, root, stored.hash)


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
        return _entry(root, stored, f"global/{memory_id}" if both else memory_id)
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
            return Shown(Entry(memory, memory.id, path, root, value), data.decode("utf-8"), archived=True)
    return None
