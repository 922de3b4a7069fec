"""``engram upgrade``: hosts' entries pinned afresh, ledgers and older memories in today's form (C4, F7, F14)."""

from __future__ import annotations

import os

from engram.errors import FormatError
from engram.markdown.document import parse_document
from engram.record import Record
from engram.roots.find import is_folder
from engram.service.linking import refresh
from engram.service.session import skipped_lines
from engram.store.files import LEGACY_LEDGER, digest, read_error, read_guarded
from engram.store.root import Skipped, Stored
from engram.store.write import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.link_report import LinkReport
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["RootUpgrade", "Upgrade", "upgrade"]

_BACKUP = ".pre-v3.bak"
_SCHEMA = "3"


class RootUpgrade(Record):
    """What is brought to today's form in one root; paths are relative to it.

    Attributes:
        migrated: memories of an older schema, rewritten; their bytes are kept beside them as ``<file>.pre-v3.bak``.
        older: memories of an older schema that stay as they are, since nobody asked for them.
        ledger: ``SHA256SUMS`` is made, or cleaned after a merge.
        retired: the older ledger is taken away.
    """

    root: str
    scope: str
    migrated: tuple[str, ...]
    older: tuple[str, ...]
    ledger: bool
    retired: bool

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.migrated or self.ledger or self.retired)

    @property
    def files(self) -> int:
        """How many files that changes."""
        return len(self.migrated) + self.ledger + self.retired


class Upgrade(Record):
    """What an upgrade did, or with a plan would do."""

    hosts: LinkReport
    roots: tuple[RootUpgrade, ...]


def upgrade(session: Session, *, plan: bool, migrate: bool = False) -> Upgrade:
    """Bring hosts' files and memory roots to today's form; a second run finds nothing to do.

    Args:
        session: where one is.
        plan: only say what would be done.
        migrate: rewrite memories of schemas 1 and 2 as schema 3 (F7).

    Raises:
        StoreError: a root cannot be written; what was written before it stands.
    """
    hosts = refresh(session, plan=plan)
    roots = []
    for root in session.roots:
        if not _is_there(root.path):
            continue
        todo, bad = _plan(root, migrate=migrate)
        if migrate:
            # What is not as approved, or cannot be read, is not rewritten, and not passed over in silence either.
            for line in skipped_lines([(root, skip) for skip in bad]):
                session.say("skipped", "skipped", line)
        roots.append(_apply(session, root, todo) if todo.changes and not plan else todo)
    return Upgrade(hosts, tuple(roots))


def _is_there(folder: str) -> bool:
    """Tell whether a memory root is there; one that cannot be looked at is none that needs nothing."""
    try:
        return is_folder(folder)
    except OSError as error:
        raise read_error(error, folder) from error


def _plan(root: MemoryRoot, *, migrate: bool) -> tuple[RootUpgrade, list[Skipped]]:
    found, bad = root.memories()
    older = tuple(stored.path for stored in found if stored.memory.schema < int(_SCHEMA))
    ledger = root.ledger()
    doubled = any(len(values) > 1 for values in ledger.hashes.values())
    has_older = os.path.lexists(os.path.join(root.path, LEGACY_LEDGER))
    todo = RootUpgrade(
        root=root.path,
        scope=root.scope,
        migrated=older if migrate else (),
        older=() if migrate else older,
        ledger=doubled or (has_older and not ledger.exists),
        retired=has_older,
    )
    return todo, bad


def _apply(session: Session, root: MemoryRoot, todo: RootUpgrade) -> RootUpgrade:
    """Do what is planned, and return what was done."""
    with session.writer(root.path) as writer:
        writes: list[Write] = []
        lines: list[tuple[str, str]] = []
        done: list[str] = []
        for path in todo.migrated:
            before = read_guarded(root.path, path)
            stored = root.read(path)
            if not isinstance(stored, Stored) or stored.hash != digest(before):
                # Changed since the plan, which is somebody's work, or not to be read any more.
                reason = stored.text if isinstance(stored, Skipped) else f"SKIPPED {path}: it is changing right now"
                session.say("skipped", "skipped", reason)
                continue
            done.append(path)
            writes.append(Write(path, digest(before), _migrated(stored, before)))
            if not os.path.lexists(os.path.join(root.path, *(path + _BACKUP).split("/"))):
                writes.append(Write(path + _BACKUP, "", before, like=path))
            lines.append((path, f"migrate from schema {stored.memory.schema}"))
        if writes:
            writer.apply(writes, lines[0][1], "command", lines[1:])
        writer.settle_ledger(retire=todo.retired)
    return todo.replace(migrated=tuple(done))


def _migrated(stored: Stored, before: bytes) -> bytes:
    """Return a memory as schema 3: its body byte for byte, the keys of F6 that it lacks beside its own."""
    memory = stored.memory
    document = parse_document(before, stored.path)
    values: dict[str, str | tuple[str, ...] | None] = {
        "id": memory.id,
        "type": memory.type,
        "scope": memory.scope,
        "authority": memory.authority,
        "tags": memory.tags,
        "confidence": memory.confidence,
        "source": memory.source or "manual",
        "revision": str(memory.revision),
        "schema_version": _SCHEMA,
        "created": memory.created,
        "updated": memory.updated or memory.created,
        "valid_from": memory.valid_from or memory.created,
        "last_confirmed": memory.last_confirmed or memory.updated or memory.created,
        "author_name": memory.author_name,
        "author_email": memory.author_email,
    }
    fresh = {key: value for key, value in values.items() if not document.has(key) or key == "schema_version"}
    after = document.with_values(fresh).to_bytes()
    if not after.endswith(document.body.encode("utf-8")):
        raise FormatError("its body would change", path=stored.path)
    return after
