"""Keeping memory in order: inject, archive, verify, status."""

from __future__ import annotations

import os

from engram.config.edit import new_config_text, set_key
from engram.config.keys import validate
from engram.config.paths import expand
from engram.errors import FormatError, IntegrityError, UsageError
from engram.markdown.archive import archive_bytes
from engram.recall.validity import is_expired
from engram.record import Record
from engram.roots.find import Workspace, new_workspace
from engram.safety.scan import check, refusal
from engram.service.session import CONFIG_FILE, Session
from engram.store.files import atomic_write, digest, read_guarded, read_optional
from engram.store.ledger import LEDGER
from engram.store.root import MemoryRoot, Skipped
from engram.store.trust import trust_workspace
from engram.store.write import Receipt, RootWriter, Write, create_root, today

__all__ = ["Archived", "Injected", "RootState", "Verified", "archive", "inject", "root_states", "verify"]

# Before a root exists it has no configuration of its own; this is the default of lock.timeout.
_LOCK_S = 10


class Injected(Record):
    """What ``inject`` made: the root, the files in it, and what it changed elsewhere."""

    root: str
    scope: str
    made: tuple[str, ...]
    notes: tuple[str, ...]


class Archived(Record):
    """Where an archived memory went: the root, and the path in it."""

    id: str
    root: str
    path: str
    receipts: tuple[Receipt, ...]


class Verified(Record):
    """One root checked whole: how many files match, and what does not."""

    root: str
    scope: str
    checked: int
    problems: tuple[Skipped, ...]
    unrecorded: tuple[str, ...]


class RootState(Record):
    """One root at a glance."""

    root: str
    scope: str
    foreign: bool
    rules: int
    skills: int
    knowledge: int
    archived: int
    skipped: int
    expired: int
    writable: bool


def inject(session: Session, *, global_path: str = "") -> Injected:
    """Create the workspace memory here, or a global one; where it already is, nothing changes.

    Raises:
        UsageError: in a folder that is no project (F1).
        StoreError: when a folder cannot be written.
    """
    return _inject_global(session, global_path) if global_path else _inject_workspace(session)


def archive(session: Session, text: str, *, reason: str) -> Archived:
    """Move a memory to ``archive/`` with the reason; its bytes stay as they were (F17).

    Raises:
        UsageError: without a reason.
        NotFoundError: with the closest ids.
        IntegrityError: when its bytes are not the approved ones: review them first.
    """
    reason = " ".join(reason.split())
    if not reason:
        raise UsageError(
            "An archived memory needs a reason.", hint='engram archive ID --reason "why it no longer holds"'
        )
    checked = check(reason, kind="knowledge", actions=session.settings.action)
    if checked.blocked:
        raise refusal(checked.blocked)
    root, _ = session.locate(text)
    with RootWriter(root.path, session.lock_timeout_s) as writer:
        for sentence in writer.healed:
            session.say("info", "healed", sentence, path=root.path)
        _, path = session.locate(text)
        stored = root.read(path)
        if isinstance(stored, Skipped):
            if stored.kind in {"mismatch", "unlisted"}:
                raise IntegrityError(f"Not archived. {stored.text}.", path=path)
            raise FormatError(f"Not archived. {stored.text}", path=path, line=stored.line)
        day = today()
        data = read_guarded(root.path, path)
        kind = path.partition("/")[0]
        target = _free(root, f"archive/{day}/{kind}/{stored.memory.id}")
        kept = archive_bytes(data, date=day, original=f"{root.scope}:{path}", reason=checked.text)
        writes = [Write(target, "", kept), Write(path, stored.hash, None)]
        receipts = writer.apply(writes, f"archive {stored.memory.type}: {stored.memory.id}", "command")
    return Archived(stored.memory.id, root.path, target, tuple(receipts))


def verify(session: Session, *, scope: str = "") -> list[Verified]:
    """Hash every memory file and compare it with the ledger (F13).

    Raises:
        UsageError: for an unknown scope.
        NotFoundError: where there is no memory.
    """
    if scope not in {"", "all", "workspace", "global"}:
        raise UsageError(f"{scope} is no scope.", hint="Scopes are workspace, global and all.")
    roots = session.require_roots()
    if scope in {"workspace", "global"}:
        roots = [session.root("workspace" if scope == "workspace" else "global")]
    return [_verify_root(root) for root in roots]


def root_states(session: Session) -> list[RootState]:
    """Return the counts of each root; no text is read from files that do not match."""
    states = []
    day = today()
    for root in session.roots:
        found, skipped = root.memories()
        kinds = [stored.memory.type for stored in found]
        states.append(
            RootState(
                root=root.path,
                scope=root.scope,
                foreign=root.foreign,
                rules=kinds.count("rule"),
                skills=kinds.count("skill"),
                knowledge=kinds.count("knowledge"),
                archived=sum(1 for _ in root.archived_paths()),
                skipped=len(skipped),
                expired=sum(is_expired(stored.memory, day) for stored in found),
                writable=os.access(root.path, os.W_OK),
            )
        )
    return states


def _inject_workspace(session: Session) -> Injected:
    found = session.workspace
    if found is not None:
        if _is_memory(found.root):
            return Injected(found.root, "workspace", (), _foreign_note(session))
        fresh: Workspace = found
    else:
        fresh = new_workspace(session.start, session.environ, session.config_dir)
    made = create_root(fresh.root, new_config_text(), _LOCK_S)
    trust_workspace(fresh, session.config_dir, today())
    return Injected(fresh.root, "workspace", tuple(made), ("This workspace is trusted: you made its memory here.",))


def _inject_global(session: Session, folder: str) -> Injected:
    path = os.path.realpath(expand(folder, session.environ))
    validate("global_path", path, "--global-path")  # before anything is made
    notes = []
    made = [] if _is_memory(path) else create_root(path, new_config_text(), _LOCK_S)
    data = read_optional(session.user_file)
    configured = session.settings.string("global_path")
    if not configured or os.path.realpath(configured) != path:
        text = "{}\n" if data is None else data.decode("utf-8")
        atomic_write(session.user_file, set_key(text, "global_path", path).encode("utf-8"))
        before = f" (it was {configured})" if configured else ""
        notes.append(f"global_path is now {path}{before}, in {session.user_file}.")
    return Injected(path, "global", tuple(made), tuple(notes))


def _is_memory(root: str) -> bool:
    """Tell whether a folder already holds memory, so that nothing in it may be made or trusted anew."""
    names = (LEDGER, "memory.hashes.json", CONFIG_FILE, "rules", "skills", "knowledge", "archive", "changelog.md")
    return any(os.path.lexists(os.path.join(root, name)) for name in names)


def _foreign_note(session: Session) -> tuple[str, ...]:
    if session.trusted:
        return ()
    return ("This memory came with the project and is foreign: reference only until you run engram trust.",)


def _free(root: MemoryRoot, base: str) -> str:
    number = 1
    while True:
        path = f"{base}.md" if number == 1 else f"{base}-{number}.md"
        if not os.path.lexists(os.path.join(root.path, *path.split("/"))):
            return path
        number += 1


def _verify_root(root: MemoryRoot) -> Verified:
    found, problems = root.memories()
    checked = len(found)
    unrecorded = []
    ledger = root.ledger()
    seen = {stored.path for stored in found} | {skip.path for skip in problems}
    for path in root.archived_paths():
        seen.add(path)
        expected = ledger.lookup(path)
        try:
            value = digest(read_guarded(root.path, path))
        except (OSError, FormatError) as error:
            problems.append(Skipped(path, "unreadable", str(error)))
            continue
        if not expected:
            unrecorded.append(path)
        elif value in expected:
            checked += 1
        else:
            problems.append(Skipped(path, "mismatch", "it changed since it was archived"))
    for path in sorted(ledger.hashes):
        if path not in seen:
            problems.append(Skipped(path, "missing", f"{LEDGER} names it, but the file is gone"))
    return Verified(root.path, root.scope, checked, tuple(problems), tuple(unrecorded))
