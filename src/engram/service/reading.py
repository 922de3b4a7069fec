"""Reading: load, list, show, verify, status."""

from __future__ import annotations

import os

from engram.errors import FormatError, IntegrityError, NotFoundError, RefusedError, UsageError
from engram.markdown.archive import read_archived
from engram.markdown.memory import read_memory
from engram.model import KINDS, Memory
from engram.recall.pack import DISCLOSURES, Item, Pack, build_pack, join_whole
from engram.recall.rank import rank
from engram.recall.validity import out_of_service
from engram.record import Record
from engram.store.files import digest, read_guarded
from engram.store.root import REVIEW_COMMAND, MemoryRoot, Skipped, Stored
from engram.store.write import today
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engram.service.session import Session

__all__ = ["Entry", "Loaded", "Shown", "list_memories", "load", "load_id", "show_memory", "skipped_lines"]

# More skipped files than this are said in one line with their count (F13).
_SAID_ONE_BY_ONE = 3


class Entry(Record):
    """A memory in the place where it was found."""

    memory: Memory
    key: str
    path: str
    root: MemoryRoot
    hash: str


class Loaded(Record):
    """The answer to a load: the pack, and the lines for what may not be shown."""

    pack: Pack
    entries: tuple[Entry, ...]
    skipped: tuple[str, ...]


class Shown(Record):
    """One memory file as it is: its text, and what is known about it."""

    entry: Entry
    text: str
    archived: bool


def load(
    session: Session,
    query: str,
    *,
    budget: int | None = None,
    disclosure: str = "auto",
    full: bool = False,
) -> Loaded:
    """Return the memories that a task needs, in tiers and within the token budget (C33 to C35).

    Args:
        session: where one is.
        query: the task, in any language.
        budget: tokens for the text; ``load.max_tokens`` by default.
        disclosure: ``auto``, ``bodies`` or ``cards``.
        full: whole memories instead of tiers, as many as it takes where no budget is given.

    Raises:
        UsageError: for an unknown disclosure or a budget out of range.
        RefusedError: when reading is switched off (``read: off``).
        NotFoundError: where there is no memory at all.
    """
    _check_reading(session)
    if disclosure not in DISCLOSURES:
        raise UsageError(f"{disclosure} is no disclosure.", hint=f"It is one of {', '.join(DISCLOSURES)}.")
    settings = session.settings
    tokens = settings.integer("load.max_tokens") if budget is None else budget
    if not 50 <= tokens <= 16000:
        raise UsageError(f"A budget of {tokens} tokens is out of range.", hint="It goes from 50 to 16000.")
    entries, skipped = read_all(session)
    routed = [entry for entry in entries if _is_routed(entry.memory, settings.strings("roles"))]
    hits = rank(query, [entry.memory for entry in routed])
    ordered = _prerequisites_first([routed[hit.number] for hit in hits], routed)
    items = [_item(entry) for entry in ordered]
    limit = settings.integer("load.limit")
    if full:
        pack = join_whole(items[:limit], budget)
    else:
        pack = build_pack(
            items, limit=limit, budget=tokens, disclosure=disclosure, variant=settings.string("rule_variant")
        )
    return Loaded(pack, tuple(ordered[: limit * 2]), skipped_lines(skipped))


def load_id(session: Session, text: str) -> Loaded:
    """Return one active memory whole, by id; what replaced it is named where it was superseded (I1).

    Raises:
        NotFoundError: with the closest ids (C37), or that it is archived.
        IntegrityError: when its bytes are not the approved ones.
        FormatError: when the file cannot be read as a memory.
    """
    _check_reading(session)
    try:
        root, path = session.locate(text)
    except NotFoundError as error:
        if _show_archived(session, text):
            raise NotFoundError(
                f"{check_id(text)[1]} is archived, so it is not given to agents.", hint=f"Read it: engram show {text}"
            ) from error
        raise
    entry = _checked(session, root, path)
    return Loaded(join_whole((_item(entry).replace(note=out_of_service(entry.memory, today())),)), (entry,), ())


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
    entry = _checked(session, root, path)
    data = read_guarded(root.path, path)
    if digest(data) != entry.hash:
        raise IntegrityError(f"{path} is changing right now.", hint="Run the command again.", path=path)
    return Shown(entry, data.decode("utf-8"), archived=False)


def list_memories(
    session: Session, *, kind: str = "", scope: str = ""
) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
    """Return the active memories of all roots, by scope, kind and id, and the files that may not be shown.

    Raises:
        UsageError: for an unknown kind or scope.
    """
    if kind and kind not in KINDS:
        raise UsageError(f"{kind} is no kind of memory.", hint=f"Kinds are {', '.join(KINDS)}.")
    if scope and scope not in {"workspace", "global"}:
        raise UsageError(f"{scope} is no scope.", hint="Scopes are workspace and global.")
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


def _check_reading(session: Session) -> None:
    if session.settings.string("read") == "off":
        raise RefusedError(
            "Reading memory is switched off here (read: off).", hint="Switch it on: engram config set read auto"
        )


def _is_routed(memory: Memory, roles: Sequence[str]) -> bool:
    """Tell whether lifecycle, validity and role let a memory be given for a task (F21, I1, I3)."""
    if out_of_service(memory, today()):
        return False
    wanted = {role.casefold() for role in roles}
    return not wanted or not memory.role or any(role.casefold() in wanted for role in memory.role)


def _prerequisites_first(hits: Iterable[Entry], routed: Sequence[Entry]) -> list[Entry]:
    """Return the hits with their prerequisites before them, each once; a cycle is broken where it closes (C34)."""
    by_id: dict[str, Entry] = {}
    for entry in routed:
        by_id.setdefault(fold_id(entry.memory.id), entry)
    ordered: dict[str, Entry] = {}
    for hit in hits:
        pending = [(hit, False)]
        open_keys: set[str] = set()
        while pending:
            entry, expanded = pending.pop()
            if entry.key in ordered:
                continue
            if expanded or entry.key in open_keys:
                ordered[entry.key] = entry
                continue
            open_keys.add(entry.key)
            pending.append((entry, True))
            needed = [by_id[fold_id(name)] for name in entry.memory.depends_on if fold_id(name) in by_id]
            pending += [(need, False) for need in reversed(needed) if need.key not in open_keys]
    return list(ordered.values())


def _item(entry: Entry) -> Item:
    return Item(entry.memory, entry.key, foreign=entry.root.foreign)


def _entry(root: MemoryRoot, stored: Stored, key: str) -> Entry:
    return Entry(stored.memory, key, stored.path, root, stored.hash)


def _checked(session: Session, root: MemoryRoot, path: str) -> Entry:
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
                raise IntegrityError(f"SKIPPED {path}: it changed since it was archived", path=path)
            try:
                header, inner = read_archived(data)
                # The file's own folder tells the kind where the memory does not: archive/<day>/<kind>/<id>.md.
                folder = path.rpartition("/")[0].rpartition("/")[2]
                memory = read_memory(inner, path=f"{folder}/{memory_id}.md", scope=root.scope)
            except FormatError as error:
                full = os.path.join(root.path, *path.split("/"))
                raise FormatError(f"SKIPPED {path}: {error.message}", path=full, line=error.line) from error
            memory = memory.replace(archived_at=header.get("archived", ""), lifecycle="archived")
            return Shown(Entry(memory, memory.id, path, root, value), data.decode("utf-8"), archived=True)
    return None
