"""Keeping memory in order: inject, archive, verify."""

from __future__ import annotations

import os

from engram.config.edit import new_config_text, set_key
from engram.config.files import CONFIG_NAME, expand
from engram.config.keys import validate
from engram.errors import FormatError, IntegrityError, UsageError
from engram.markdown.archive import archive_bytes
from engram.model import FOLDERS
from engram.recall.validity import unreadable_days
from engram.record import Record
from engram.roots.find import Workspace, new_workspace
from engram.safety.fence import show_line
from engram.safety.scan import check, refusal
from engram.store.accepted import Accepted
from engram.store.files import atomic_write, digest, read_guarded, read_optional, today
from engram.store.journal import CHANGELOG
from engram.store.ledger import LEDGER, LEGACY_LEDGER
from engram.store.root import MemoryRoot, Skipped, is_active
from engram.store.trust import recheck_trust, revoke_trust, trust_key, trust_workspace
from engram.store.write import Receipt, Write, create_root
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.session import Session

__all__ = [
    "SHOWN_PROBLEMS",
    "Archived",
    "Injected",
    "Verified",
    "archive",
    "inject",
    "verified_lines",
    "verify",
    "verify_root",
]

# So many of the files that do not match are named one by one.
SHOWN_PROBLEMS = 20
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
    """One root checked whole: how many files match, and what does not.

    ``renamed`` are files whose ``id`` is another than their name, as (path, id); the name counts, and nothing is wrong.
    ``undated`` are (path, key, value) of days of validity that are written as no day (F6).
    """

    root: str
    scope: str
    checked: int
    problems: tuple[Skipped, ...]
    unrecorded: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()
    undated: tuple[tuple[str, str, str], ...] = ()


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
        raise refusal(checked.blocked, field="reason", done="archived")
    root, _ = session.locate(text)
    with session.writer(root.path) as writer:
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
        writes = [Write(target, "", kept, like=path), Write(path, stored.hash, None)]
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
    return [verify_root(root) for root in roots]


def verified_lines(report: Verified) -> list[str]:
    """Return what a check found as lines for a person, the first with the count of what is in order."""
    match = "matches" if report.checked == 1 else "match"
    lines = [f"{report.scope} memory {report.root}: {counted(report.checked, 'file')} {match} the ledger."]
    lines += [f"  {problem.text}" for problem in report.problems[:SHOWN_PROBLEMS]]
    if len(report.problems) > SHOWN_PROBLEMS:
        lines.append(f"  and {len(report.problems) - SHOWN_PROBLEMS} more (engram verify --json lists all)")
    if report.unrecorded:
        files = counted(len(report.unrecorded), "archived file")
        lines.append(f"  {files} without a hash on record (an older folder kept none).")
    lines += [
        f"  {path} names itself {named}; the file's name is its id." for path, named in report.renamed[:SHOWN_PROBLEMS]
    ]
    lines += [
        f"  {path}: {key} is {show_line(text)}, which is no day: write it as YYYY-MM-DD (engram edit)."
        for path, key, text in report.undated[:SHOWN_PROBLEMS]
    ]
    return lines


def _inject_workspace(session: Session) -> Injected:
    found = session.workspace
    if found is not None:
        if _is_memory(found.root):
            return Injected(found.root, "workspace", (), _foreign_note(session))
        fresh: Workspace = found
    else:
        fresh = new_workspace(session.start, session.environ, session.config_dir)
    # Trust comes first: a root that was made and not trusted would pass for one that came with the project.
    known = recheck_trust(fresh, {}, session.config_dir)
    if not known:
        trust_workspace(fresh, session.config_dir, today())
    try:
        made = create_root(fresh.root, new_config_text(), _LOCK_S)
    except BaseException:
        if not known and not _is_memory(fresh.root):
            revoke_trust(fresh, session.config_dir)
        raise
    recheck_trust(fresh, {}, session.config_dir)  # outside Git the folder that trust is bound to is there only now
    if not known:
        Accepted(session.config_dir, trust_key(fresh)).replace(())  # what comes without a save here was brought (F18)
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
    names = (LEDGER, LEGACY_LEDGER, CONFIG_NAME, *FOLDERS.values(), "archive", CHANGELOG)
    return any(os.path.lexists(os.path.join(root, name)) for name in names)


def _foreign_note(session: Session) -> tuple[str, ...]:
    if session.trusted:
        return ()
    return ("Nobody on this machine has accepted it, so it is foreign: reference only until you run engram trust.",)


def _free(root: MemoryRoot, base: str) -> str:
    number = 1
    while True:
        path = f"{base}.md" if number == 1 else f"{base}-{number}.md"
        if not os.path.lexists(os.path.join(root.path, *path.split("/"))):
            return path
        number += 1


def verify_root(root: MemoryRoot) -> Verified:
    """Hash every file of one root and compare it with the ledger (F13)."""
    found, problems = root.memories()
    renamed = [(stored.path, stored.memory.named) for stored in found if stored.memory.named]
    undated = [(stored.path, *day) for stored in found for day in unreadable_days(stored.memory)]
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
    unseen = (path for path in ledger.hashes if path not in seen and not is_active(path) and not root.ignores(path))
    problems += [root.missing(path) for path in sorted(root.lost(unseen))]
    return Verified(root.path, root.scope, checked, tuple(problems), tuple(unrecorded), tuple(renamed), tuple(undated))
