"""``engram repair``: every kind of damage in a memory folder, why it is one, and what mends it.

Only what cannot lose anything is mended here: the form of the ledger, of the changelog and of Git's two files after a
merge (F2a), a second ledger that fell out of step (F14), an index that nobody can read. Everything else is a decision
about somebody's text, and the answer names the command with which a human takes it.
"""

from __future__ import annotations

import os

from engram.errors import EngramError, FormatError
from engram.markdown.conflicts import find_conflict
from engram.markdown.memory import read_memory
from engram.model import FOLDERS, KIND_OF_FOLDER
from engram.portable import away_line
from engram.proposals.pending import FILE as APPROVALS
from engram.record import Record
from engram.service.caches import cache_of
from engram.service.graphing import NOT_AS_APPROVED, dependency_graph
from engram.service.inbox import FOLDER as INBOX
from engram.service.inbox import waiting_in
from engram.store.files import (
    JOURNAL,
    LEDGER,
    LEGACY_LEDGER,
    digest,
    leaves,
    read_guarded,
    read_owned,
    today,
    walk_markdown,
)
from engram.store.journal import CHANGELOG
from engram.store.ledger import format_ledger, read_legacy
from engram.store.root import LINK_REASON, NOTES, REVIEW_COMMAND, MemoryRoot, duplicate
from engram.store.write import GIT_FILES, has_markers, missing_lines
from engram.text.slugs import fold_id, link_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from engram.model import Memory
    from engram.service.session import Session

    DamageKind = Literal[
        "changelog", "conflict", "cycle", "dangling", "deferred", "duplicate", "git", "index", "ledger", "misshaped",
        "mismatch", "misplaced", "missing", "orphan", "unparsable",
    ]  # fmt: skip

__all__ = ["Damage", "examine_form", "examine_memory", "mend_memory"]

_MOST_DAYS = 30  # a deferred candidate that waits longer is named
_KNOWN_FOLDERS = frozenset({*FOLDERS.values(), "archive", "traces", INBOX, NOTES})
# What has to be a file, and what a folder, where it is there at all (F2).
_ALL_FILES = (CHANGELOG, LEDGER, LEGACY_LEDGER, *GIT_FILES, ".lock", APPROVALS)
_ALL_FOLDERS = (*FOLDERS.values(), "archive", "traces", INBOX, NOTES, JOURNAL, ".cache")
_NO_MEMORIES = frozenset({CHANGELOG, "README.md"})


class Damage(Record):
    """One thing that is not as it should be.

    Attributes:
        root: the memory root.
        kind: what kind of damage it is.
        path: relative to the root.
        reason: half a sentence that explains it.
        mend: what to do, usually a command.
        line: the 1-based line in the file, 0 for the whole file.
        fixable: ``engram repair --fix`` mends it.
    """

    root: str
    kind: DamageKind
    path: str
    reason: str
    mend: str
    line: int = 0
    fixable: bool = False


def examine_memory(session: Session) -> list[Damage]:
    """Return what is wrong in the memory that applies here, by root and path; nothing is changed.

    Raises:
        NotFoundError: where there is no memory.
    """
    found: list[Damage] = []
    known = True
    for root in session.require_roots():
        found += examine_form(root)
        found += _misplaced(root)
        if not _ledger_reads(root):
            known = False  # without the ledger nothing is known of any file
            continue
        for one in (_files(root), _waiting(session, root)):
            found += one
        found += _index(session, root)
    if known:
        found += _links(session)
    order = {root.path: number for number, root in enumerate(session.roots)}
    return sorted(found, key=lambda one: (order[one.root], one.path, one.line, one.kind))


def _shape(root: MemoryRoot) -> Iterator[Damage]:
    """Yield what stands where Engram keeps a file or a folder of its own (F2), and is none."""
    for names, is_it, reason in (
        (_ALL_FILES, os.path.isfile, "it is no regular file"),
        (_ALL_FOLDERS, os.path.isdir, "it is no folder"),
    ):
        for name in names:
            place = os.path.join(root.private if name in {INBOX, NOTES} else root.path, name)
            if os.path.exists(place) and not is_it(place):
                mend = (
                    f"Where it replaced something, bring that back from Git once it is moved away: {away_line(place)}"
                )
                yield Damage(root.path, "misshaped", name, reason, mend)


def examine_form(root: MemoryRoot) -> Iterator[Damage]:
    """Yield what is wrong with ledger, changelog, Git's lines and folders, which takes no look into the memories."""
    misshaped = list(_shape(root))
    yield from misshaped
    paths = {one.path for one in misshaped}
    if not paths & {LEDGER, LEGACY_LEDGER}:
        yield from _ledger(root)
    if not paths & {CHANGELOG, *GIT_FILES}:
        yield from _git(root)


def mend_memory(session: Session) -> list[Damage]:
    """Mend what cannot lose anything, and return what was mended.

    Raises:
        NotFoundError: where there is no memory.
        StoreError: when a folder cannot be written.
    """
    mended: list[Damage] = []
    for root in session.require_roots():
        damage = _fixable(session, root)
        if any(one.kind == "index" for one in damage):
            from engram.index.refresh import discard

            discard(cache_of(session, root))
        if any(one.kind != "index" for one in damage):
            what = ", ".join(dict.fromkeys(one.kind for one in damage if one.kind != "index"))
            with session.writer(root.path) as writer:
                if not writer.is_tidy():
                    writer.tidy(f"repair {what}", "command")
        if damage:
            left = {(one.kind, one.path) for one in _fixable(session, root)}
            mended += [one for one in damage if (one.kind, one.path) not in left]
    return mended


def _fixable(session: Session, root: MemoryRoot) -> list[Damage]:
    """Return what ``mend_memory`` mends in a root; no memory has to be read for it."""
    return [one for one in (*examine_form(root), *_index(session, root)) if one.fixable]


def _files(root: MemoryRoot) -> Iterator[Damage]:
    """Yield what is wrong with the files of active memories, and with those of the archive."""
    for folder in FOLDERS.values():
        if leaves(root.path, folder) and not root.ignores(folder, folder=True):
            yield Damage(root.path, "unparsable", folder, LINK_REASON, "Put a folder there.")
    owners: dict[str, str] = {}
    unlisted: list[tuple[str, str]] = []
    named: list[tuple[str, str]] = []
    paths = list(root.active_paths())
    gone = root.gone(set(paths))
    moved_from = {value: skip.path for skip in gone for value in root.ledger().lookup(skip.path)}
    moved_to: dict[str, str] = {}
    for path in paths:
        try:
            data = read_guarded(root.path, path)
        except (OSError, FormatError) as error:
            reason = error.message if isinstance(error, FormatError) else f"it cannot be read ({error.strerror})"
            yield Damage(root.path, "unparsable", path, reason, _mend_file(error))
            continue
        memory, damage = _parsed(root, path, data)
        if damage is not None:
            yield damage
        value = digest(data)
        skip = root.check(path, data, value)
        if skip is not None and (damage is None or damage.kind != "conflict"):
            kind: DamageKind = "orphan" if skip.kind == "unlisted" else "mismatch"
            was = moved_from.get(value, "") if kind == "orphan" else ""
            if was:
                moved_to[was] = path
            yield Damage(root.path, kind, path, skip.reason.partition(";")[0], _move_back(was) or REVIEW_COMMAND)
        if memory is None:
            continue
        if KIND_OF_FOLDER[path.partition("/")[0]] != memory.type:
            target = f"{FOLDERS[memory.type]}/{path.partition('/')[2]}"
            reason = f"it is a {memory.type} and lies in {path.partition('/')[0]}/"
            yield Damage(root.path, "misplaced", path, reason, f"Move it to {target}, then: {REVIEW_COMMAND}")
        if memory.named:
            named.append((path, memory.named))
        folded = fold_id(memory.id)
        if skip is not None and skip.kind == "unlisted":
            unlisted.append((folded, path))
        elif folded in owners:
            yield _duplicate(root, path, owners[folded])
        else:
            owners[folded] = path
    for path, name in named:
        if (owner := owners.get(fold_id(name), path)) != path:
            reason = f"it names itself {name}, which is the id of {owner}"
            mend = f"Write the file's own name into its id, then: {REVIEW_COMMAND}"
            yield Damage(root.path, "duplicate", path, reason, mend)
    for folded, path in unlisted:  # what nobody approved takes no id from what somebody did
        if owners.setdefault(folded, path) != path:
            yield _duplicate(root, path, owners[folded])
    for skip in gone:
        now = moved_to.get(skip.path, "")
        reason = skip.reason.partition(";")[0] + (f": it lies at {now} now" if now else "")
        yield Damage(root.path, "missing", skip.path, reason, _move_back(now and skip.path) or REVIEW_COMMAND)
    ledger = root.ledger()
    archived = set(root.archived_paths())
    for path in sorted(archived):
        expected = ledger.lookup(path)
        try:
            value = digest(read_guarded(root.path, path))
        except (OSError, FormatError) as error:
            yield Damage(root.path, "unparsable", path, str(error), "Bring it back from Git.")
            continue
        if expected and value not in expected:
            yield Damage(root.path, "mismatch", path, "it changed since it was archived", REVIEW_COMMAND)
    for path in sorted(ledger.hashes):
        if path.startswith("archive/") and path not in archived and not root.ignores(path):
            yield Damage(root.path, "missing", path, f"{LEDGER} names it, but the file is gone", REVIEW_COMMAND)


def _move_back(path: str) -> str:
    """Return what mends a file that was moved by hand from where the ledger names it, ``""`` for no path."""
    return f"Move it back to {path}, or approve the move: {REVIEW_COMMAND}" if path else ""


def _duplicate(root: MemoryRoot, path: str, owner: str) -> Damage:
    reason = duplicate(path, owner).reason.partition(";")[0]
    return Damage(root.path, "duplicate", path, reason, "Rename one of them, then: " + REVIEW_COMMAND)


def _parsed(root: MemoryRoot, path: str, data: bytes) -> tuple[Memory | None, Damage | None]:
    line = find_conflict(data.decode("utf-8", "replace"))
    if line:
        mend = f"Settle what stands between the marks, then: {REVIEW_COMMAND}"
        return None, Damage(root.path, "conflict", path, "Git could not merge it: it holds both versions", mend, line)
    try:
        return read_memory(data, path=path, scope=root.scope), None
    except FormatError as error:
        return None, Damage(root.path, "unparsable", path, error.message.rstrip("."), _mend_file(error), error.line)


def _mend_file(error: OSError | FormatError) -> str:
    """Return what mends a file that cannot be read, in the words of the error where it has some."""
    hint = error.hint.rstrip(".") if isinstance(error, FormatError) else ""
    return f"{hint or 'Mend the file'}, then: {REVIEW_COMMAND}"


def _misplaced(root: MemoryRoot) -> Iterator[Damage]:
    """Yield Markdown files where no memory is looked for."""
    found: list[str] = []
    with os.scandir(root.path) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.name.startswith(".") or entry.name in _NO_MEMORIES or entry.name in _KNOWN_FOLDERS:
                continue
            if entry.is_dir(follow_symlinks=False):
                found += walk_markdown(root.path, entry.name, root.passes_over)
            elif entry.name.endswith(".md") and not root.ignores(entry.name):
                found.append(entry.name)
    for path in root.archived_paths():
        parts = path.split("/")
        day = parts[1].split("-")
        if len(parts) < 4 or [len(part) for part in day] != [4, 2, 2] or parts[2] not in KIND_OF_FOLDER:
            found.append(path)
    for path in found:
        reason = "it is where no memory is looked for"
        mend = f"Move it to rules/, skills/ or knowledge/, then: {REVIEW_COMMAND}"
        if path.startswith("archive/"):
            # An archived file without a line in the ledger is none that a review asks about.
            then = f", then: {REVIEW_COMMAND}" if _ledger_reads(root) and root.ledger().lookup(path) else ""
            mend = f"Move it to archive/<day>/<kind>/{then}"
        yield Damage(root.path, "misplaced", path, reason, mend)


def _ledger_reads(root: MemoryRoot) -> bool:
    try:
        root.ledger()
    except EngramError:
        return False
    return True


def _unread(root: MemoryRoot, kind: DamageKind, name: str, error: EngramError) -> Damage:
    reason = error.message.partition(f"{name}: ")[2].rstrip(".") or error.message.rstrip(".")
    return Damage(root.path, kind, name, reason, error.hint or "Look at it.")


def _ledger(root: MemoryRoot) -> Iterator[Damage]:
    """Yield what is wrong with the form of the ledgers; what they say about files is found there."""
    try:
        ledger = root.ledger()
    except EngramError as error:
        yield _unread(root, "ledger", os.path.basename(error.path) or LEDGER, error)
        return
    if not ledger.hashes and not ledger.legacy and any(root.active_paths()):
        reason = f"it {'names nothing' if ledger.exists else 'is not there'}, so that no memory counts as approved"
        mend = f"Bring it back from Git or a backup, or approve each file: {REVIEW_COMMAND}"
        yield Damage(root.path, "ledger", LEDGER, reason, mend)
    if not ledger.exists:
        return
    source = ledger.source
    doubled = [path for path, values in ledger.hashes.items() if len(values) > 1 and not root.ignores(path)]
    for path in doubled:
        # Where no hash matches the file, the file is named as one that changed, and its review leaves one line.
        fixable = _matches(root, path)
        mend = "engram repair --fix" if fixable else REVIEW_COMMAND
        yield Damage(root.path, "ledger", LEDGER, f"{path} has several lines", mend, fixable=fixable)
    if has_markers(source):
        yield Damage(
            root.path, "ledger", LEDGER, "it holds what Git leaves where it could not merge", "engram repair --fix",
            fixable=True,
        )  # fmt: skip
    elif not doubled and source != format_ledger(ledger.hashes):
        lines = source.splitlines()
        reason = "its lines are not in order, or some are no ledger lines"
        if b"\r\n" in source:
            reason = "its lines do not end as Engram ends them"  # Git for Windows, without our .gitattributes
        elif len(set(lines)) < len(lines):
            reason = "a line stands there twice"
        yield Damage(root.path, "ledger", LEDGER, reason, "engram repair --fix", fixable=True)
    try:
        legacy = read_legacy(root.path)
    except EngramError as error:
        yield _unread(root, "ledger", LEGACY_LEDGER, error)
        return
    if legacy is not None and any(
        len(ledger.hashes.get(path, ())) == 1 and ledger.hashes[path][0] != value for path, value in legacy.items()
    ):
        reason = f"it says otherwise than {LEDGER}, which counts"
        yield Damage(root.path, "ledger", LEGACY_LEDGER, reason, "engram repair --fix", fixable=True)


def _matches(root: MemoryRoot, path: str) -> bool:
    try:
        return digest(read_guarded(root.path, path)) in root.ledger().lookup(path)
    except (OSError, FormatError):
        return False


def _git(root: MemoryRoot) -> Iterator[Damage]:
    """Yield what a merge left in the changelog, and what Git would do wrong for want of a line."""
    try:
        if has_markers(read_owned(root.path, CHANGELOG) or b""):
            yield Damage(
                root.path, "changelog", CHANGELOG, "it holds what Git leaves where it could not merge",
                "engram repair --fix", fixable=True,
            )  # fmt: skip
    except EngramError as error:
        yield _unread(root, "changelog", CHANGELOG, error)
    try:
        for name, lines in missing_lines(root.path).items():
            reason = f"it lacks {', '.join(lines)}"
            yield Damage(root.path, "git", name, reason, "engram repair --fix", fixable=True)
    except EngramError as error:
        yield _unread(root, "git", os.path.basename(error.path), error)


def _waiting(session: Session, root: MemoryRoot) -> Iterator[Damage]:
    """Yield candidates that wait for too long, and texts of writes that were interrupted."""
    waiting, bad = waiting_in(session, root)
    day = today()
    for one in waiting:
        days = _days(one.since, day)
        if days > _MOST_DAYS:
            yield Damage(root.path, "deferred", one.path, f"it waits for a human since {one.since}", "engram review")
    for line in bad:
        name = line.removeprefix("SKIPPED ").partition(":")[0]
        yield Damage(root.path, "unparsable", name, line.partition(": ")[2], "Look at it, and take it away.")
    folder = os.path.join(root.path, INBOX)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.startswith("interrupted-"):
            reason = "it is the text of a write that was interrupted while its file changed"
            yield Damage(root.path, "deferred", f"{INBOX}/{name}", reason, "Read it, save what you need, take it away.")


def _days(since: str, until: str) -> int:
    from datetime import date

    try:
        return (date.fromisoformat(until) - date.fromisoformat(since)).days
    except ValueError:
        return 0


def _index(session: Session, root: MemoryRoot) -> Iterator[Damage]:
    from engram.index.database import Database, SqliteError
    from engram.index.refresh import INDEX_FILE

    path = os.path.join(cache_of(session, root), INDEX_FILE)
    name = os.path.relpath(path, root.path).replace(os.sep, "/")
    if os.path.isdir(path):
        mend = f"Look at what is in it, and move it away: {away_line(path)}"
        yield Damage(root.path, "index", name, "a folder stands where the index belongs", mend)
    elif os.path.lexists(path):
        try:
            Database(path).close()
        except (SqliteError, EngramError) as error:
            yield Damage(root.path, "index", name, f"it cannot be read ({error})", "engram repair --fix", fixable=True)


def _links(session: Session) -> Iterator[Damage]:
    """Yield what depends on a memory that is not there, or on itself through others."""
    graph = dependency_graph(session)
    for entry in graph.entries.values():
        if fold_id(entry.memory.id) in map(link_id, entry.memory.depends_on):
            mend = f"Take it out of its own depends_on, then: {REVIEW_COMMAND}"
            yield Damage(entry.root.path, "cycle", entry.path, "it depends on itself", mend)
    replaced = {fold_id(old): new for old, new in graph.superseded.items()}
    for key, name in graph.dangling:
        entry = graph.entries[key]
        successor = replaced.get(link_id(name), "")
        why = f"which {successor} has replaced" if successor else graph.missing[name]
        if why == NOT_AS_APPROVED:
            continue  # the file is named with what mends it
        first = f"Name {successor} in its place" if successor else f"Save {name}"
        mend = f"{first}, or take it out of depends_on, then: {REVIEW_COMMAND}"
        yield Damage(entry.root.path, "dangling", entry.path, f"it depends on {name}, {why}", mend)
    for circle in graph.cycles:
        for key in circle:
            entry = graph.entries[key]
            others = ", ".join(other for other in circle if other != key)
            mend = f"Take one of them out of depends_on, then: {REVIEW_COMMAND}"
            yield Damage(entry.root.path, "cycle", entry.path, f"it and {others} need each other in a circle", mend)
