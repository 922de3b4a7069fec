"""Bring a root's index up to date: by what changed where it can, from nothing where it must (architecture, decision 1).

The index is a function of the ledger and the files: a memory is in it with the hash that the ledger names, and every
active file that is not is a problem with its reason. Whichever process comes first does the work; a process that cannot
(no SQLite, no writable folder, a damaged file that stays) reads the files instead, and says so.
"""

from __future__ import annotations

import os

from engram.index.database import Database, SqliteError, available
from engram.index.stamp import changed_names, folders_in, list_folder, private_in, stamp_of
from engram.model import FOLDERS
from engram.record import Record
from engram.store.files import leaves
from engram.store.ledger import LEDGER, LEGACY_LEDGER
from engram.store.root import LINK_REASON, Skipped, Stored, duplicate, is_active, serving_order, stem
from engram.text.slugs import fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from engram.index.source import Source
    from engram.model import Memory
    from engram.store.root import MemoryRoot

__all__ = ["Index", "discard", "is_current", "open_index", "put_away", "read_files", "rebuild"]

_FILE = "index.sqlite"
_SEEN = "ledger.seen"
_STAMP = "stamp"
# Of so many changed files a rebuild is cheaper than updates, and a quarter of those that are there.
_MANY = 500
# Another process may be faster: so often its result is looked at before the files are read instead.
_TRIES = 3
# sqlite.org/rescode.html#busy
_BUSY = 5
_PROGRESS_EVERY = 1000
# So many of the files that were wrong are looked at by every call: mending one may change no stamp.
_LOOKED_AT = 20


class Index(Record):
    """A root's memories, ready to be searched.

    Attributes:
        source: the index file, or the same in memory where there can be none.
        problems: files that are no part of it, as far as is known without reading them again.
        stamp: the ledger and the folders that it was made from; empty where they could not be looked at.
        fallback: why the files were read instead; empty in the usual case.
    """

    source: Source
    problems: tuple[Skipped, ...]
    stamp: str
    fallback: str = ""


def open_index(
    root: MemoryRoot,
    cache: str,
    progress: Callable[[int], None] | None = None,
    learn: Callable[[str, Memory], None] | None = None,
) -> Index:
    """Return the index of ``root``, as the ledger and the folders are now.

    Args:
        root: the memory root.
        cache: the folder for derived files; it may not exist and may not be writable.
        progress: called now and then during a rebuild with the number of files read.
        learn: called with the hash and the text of each memory that comes in.
    """
    path = os.path.join(cache, _FILE)
    why = "" if available() else "this Python has no SQLite"
    try:
        for _ in range(_TRIES if available() else 0):
            found = _open(path)
            if found is None:
                rebuild(root, cache, progress, learn)
                continue
            database, problems = found
            now = stamp_of(root.path, folders_in(str(database.state[_STAMP])), root.private)
            if now == database.state[_STAMP] and not any(_is_settled(root, skip) for skip in problems[:_LOOKED_AT]):
                return Index(database, problems, now)
            if not _update(root, cache, database, learn):
                rebuild(root, cache, progress, learn)
        why = why or "it changes faster than it can be indexed"
    except (SqliteError, OSError) as error:
        why = str(error)
    except UnicodeEncodeError:
        why = "the name of a folder in it is no UTF-8"
    return read_files(root, why)


def rebuild(
    root: MemoryRoot,
    cache: str,
    progress: Callable[[int], None] | None = None,
    learn: Callable[[str, Memory], None] | None = None,
) -> int:
    """Make the index from nothing, every file hashed; return the number of memories in it.

    The arguments are those of ``open_index``.

    Raises:
        OSError: the cache folder cannot be written.
        SqliteError: SQLite cannot write there.
    """
    from engram.index.folder import make_cache
    from engram.index.writing import Beside, build

    make_cache(cache)
    held = _hold_ledger(root.path, cache)
    folders = _all_folders(root)
    stamp = stamp_of(root.path, folders, root.private)
    problems: list[Skipped] = []
    _ = root.ledger().hashes  # splits the ledger once instead of searching it for every path

    def memories() -> Iterator[tuple[str, str, Memory]]:
        owners: dict[str, str] = {}
        seen = set()
        count = 0
        for folder in sorted((*FOLDERS.values(), *folders), key=lambda name: serving_order(f"{name}/")):
            if leaves(root.path, folder) and not root.ignores(folder, folder=True):
                problems.append(Skipped(folder, "unreadable", LINK_REASON))
            for path in list_folder(root.path, folder, root.passes_over)[0]:
                count += 1
                if progress is not None and count % _PROGRESS_EVERY == 0:
                    progress(count)
                seen.add(path)
                found = root.read(path)
                if isinstance(found, Stored) and (owner := owners.setdefault(fold_id(stem(path)), path)) != path:
                    found = duplicate(path, owner)
                if isinstance(found, Stored):
                    if learn is not None:
                        learn(found.hash, found.memory)
                    yield path, found.hash, found.memory
                else:
                    problems.append(found)
        problems.extend(root.gone(seen))

    try:
        count = build(os.path.join(cache, _FILE), memories(), lambda: Beside(((_STAMP, stamp),), _rows(problems)))
    except BaseException:
        _let_go(held, cache)
        raise
    _keep_ledger(held, cache)
    return count


def read_files(root: MemoryRoot, why: str) -> Index:
    """Return the same without an index file: every memory is read, and the postings stay in this process (F3)."""
    from engram.index.segment import Segment

    segment = Segment()
    try:
        stamp = stamp_of(root.path, _all_folders(root), root.private)
    except OSError:
        stamp = ""
    found, skipped = root.memories()
    for stored in found:
        segment.add(stored.path, stored.hash, stored.memory)
    return Index(segment, tuple(skipped), stamp, why)


def put_away(index: Index) -> bool:
    """Let an index rest until the next call of this process; False, and it is closed, where it cannot be kept."""
    if not index.stamp:
        index.source.close()
        return False
    if isinstance(index.source, Database):
        try:
            if os.name != "nt":  # Windows lets nobody replace a file that is open, not even with a better one
                index.source.rest()
                return True
        except SqliteError:
            pass
        index.source.close()
        return False
    return True


def is_current(root: MemoryRoot, index: Index) -> bool:
    """Tell whether an index that was put away says what ``open_index`` would say now; then it may be asked."""
    if stamp_of(root.path, folders_in(index.stamp), root.private) != index.stamp:
        return False
    if any(_is_settled(root, skip) for skip in index.problems[:_LOOKED_AT]):
        return False
    return not isinstance(index.source, Database) or index.source.wake()


def discard(cache: str) -> None:
    """Take a damaged index away, so that the next call makes it anew."""
    try:
        os.unlink(os.path.join(cache, _FILE))
    except OSError:
        pass  # a folder, or a place that cannot be written: the next call reads the files again


def _is_settled(root: MemoryRoot, problem: Skipped) -> bool:
    """Tell whether a file whose bytes were not the approved ones is in order now."""
    if problem.kind not in {"mismatch", "unreadable", "missing"}:
        return False
    return isinstance(root.read(problem.path), Stored)


def _open(path: str) -> tuple[Database, tuple[Skipped, ...]] | None:
    """Return the index file with the problems that it names, None where there is none that can be read: E2."""
    for tries_left in range(_TRIES - 1, -1, -1):
        try:
            database = Database(path)
            break
        except SqliteError as error:
            # Another process commits an update; everything else that SQLite may say means that the file is of no use.
            if getattr(error, "sqlite_errorcode", 0) != _BUSY or not tries_left:
                return None
    try:
        if _STAMP in database.state:
            return database, _problems(database)
    except SqliteError:
        pass  # a table is gone or damaged: of no use either
    database.close()
    return None


def _update(root: MemoryRoot, cache: str, database: Database, learn: Callable[[str, Memory], None] | None) -> bool:
    """Bring the index up to date by what changed; False where a rebuild has to do it. Closes the database."""
    from engram.index.writing import Beside, StaleError, update

    old = str(database.state[_STAMP])
    held = _hold_ledger(root.path, cache)
    now = stamp_of(root.path, folders_in(old), root.private)
    problems = {problem.path: problem for problem in _problems(database)}
    try:
        try:
            look_at = _look_at(root, cache, database, now, problems)
            if look_at is None or len(look_at) > max(_MANY, database.count // 4):
                return False
            gone, new = _read_again(root, database, sorted(look_at), problems)
        finally:
            database.close()
        beside = Beside(((_STAMP, now),), _rows(problems.values()))
        worn = update(os.path.join(cache, _FILE), gone, new, beside, (_STAMP, old))
        _keep_ledger(held, cache)
        if learn is not None:
            for _, value, memory in new:
                learn(value, memory)
        return not worn
    except StaleError:
        return True
    finally:
        _let_go(held, cache)


def _look_at(
    root: MemoryRoot, cache: str, database: Database, now: str, problems: dict[str, Skipped]
) -> set[str] | None:
    """Return the paths that may have changed; None where the folders did, and only a rebuild sees everything."""
    old = str(database.state[_STAMP])
    if not all(map(is_active, problems)) or private_in(old) != private_in(now):
        return None  # a folder was wrong, not a file; or other files are left alone
    # What was wrong may be right by now, so it is looked at again.
    look_at = set(problems)
    names = changed_names(old, now)
    if LEDGER in names or LEGACY_LEDGER in names:
        look_at |= _changed_lines(root, cache, old, database)
    known_folders = set(folders_in(old))
    for folder in names:
        if folder in {LEDGER, LEGACY_LEDGER}:
            continue
        files, deeper = list_folder(root.path, folder, root.passes_over)
        if not known_folders.issuperset(deeper) or f"{folder}\t-" in now.split("\n"):
            return None
        known = {path for path in database.hashes(folder) if path.rpartition("/")[0] == folder}
        look_at |= known.symmetric_difference(files)
    return {path for path in look_at if not root.ignores(path)} if root.private else look_at


def _read_again(
    root: MemoryRoot, database: Database, look_at: Sequence[str], problems: dict[str, Skipped]
) -> tuple[list[str], list[tuple[str, str, Memory]]]:
    """Read changed files: what goes out of the index, what comes in; ``problems`` is brought up to date."""
    if len(look_at) > 20:
        _ = root.ledger().hashes  # splits the ledger once instead of searching it for every path
    gone: list[str] = []
    new: dict[str, tuple[str, str, Memory]] = {}
    for path in look_at:
        problems.pop(path, None)
        if _is_text(path):
            gone.append(path)
        if not is_active(path):
            continue
        found = root.read(path)
        if isinstance(found, Stored):
            new[path] = (path, found.hash, found.memory)
        elif found.kind != "missing" or root.ledger().lookup(path):
            problems[path] = found
    owners = {entry.folded: entry.path for entry in database.with_ids(fold_id(stem(path)) for path in new)}
    for path in sorted(new, key=serving_order):
        folded = fold_id(stem(path))
        owner = owners.get(folded, "")
        if not owner or owner in gone or owner == path:
            owners[folded] = path
        elif serving_order(owner) < serving_order(path):
            problems[path] = duplicate(path, owner)
            del new[path]
        else:
            problems[owner] = duplicate(owner, path)
            gone.append(owner)
            owners[folded] = path
    return gone, list(new.values())


def _changed_lines(root: MemoryRoot, cache: str, old: str, database: Database) -> set[str]:
    """Return the active paths whose ledger lines differ from those that the index was made from."""
    before = _seen_ledger(cache, old)
    after = root.ledger().source if root.ledger().exists else None
    if before is None or after is None:
        known = database.hashes()
        wanted = {path: values for path, values in root.ledger().hashes.items() if is_active(path)}
        return {path for path, values in wanted.items() if known.get(path) not in values} | (known.keys() - wanted)
    first, last = _common_ends(before, after)
    lines = set(before[first : len(before) - last].split(b"\n")) ^ set(after[first : len(after) - last].split(b"\n"))
    paths = (line[66:].decode("utf-8", "surrogateescape").rstrip("\r") for line in lines)
    return {path for path in paths if is_active(path)}


def _common_ends(before: bytes, after: bytes) -> tuple[int, int]:
    """Return how many bytes two ledgers have in common at their beginning and at their end, in whole lines."""
    most = min(len(before), len(after))
    first = _longest(most, lambda size: before[:size] == after[:size])
    first = before.rfind(b"\n", 0, first) + 1
    last = _longest(most - first, lambda size: before[len(before) - size :] == after[len(after) - size :])
    line = before.find(b"\n", len(before) - last)
    return first, 0 if line < 0 else len(before) - line - 1


def _longest(most: int, equal: Callable[[int], bool]) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if equal(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _seen_ledger(cache: str, stamp: str) -> bytes | None:
    """Return the ledger that the index was made from, None where it was not kept or was written to since."""
    try:
        with open(os.path.join(cache, _SEEN), "rb") as file:
            info = os.fstat(file.fileno())
            line = stamp.partition("\n")[0]
            # Every writer replaces the ledger, so a second name keeps the old bytes; an editor may write into them.
            if not line.startswith(f"{LEDGER}\t{info.st_size} {info.st_mtime_ns} "):
                return None
            return file.read()
    except OSError:
        return None


def _hold_ledger(root: str, cache: str) -> str:
    """Give the ledger's bytes of now a second name and return it, ``""`` where that is not possible.

    This changes the ledger's ctime, so it comes before the stamp. Without it the next update compares every line.
    """
    kept, held = os.path.join(cache, _SEEN), os.path.join(cache, f"{_SEEN}.{os.getpid()}")
    try:
        if os.path.exists(kept) and os.path.samefile(kept, os.path.join(root, LEDGER)):
            return kept
        if os.path.lexists(held):
            os.unlink(held)
        os.link(os.path.join(root, LEDGER), held)
    except OSError:
        return ""
    return held


def _keep_ledger(held: str, cache: str) -> None:
    """Make the ledger that was held the one that the index was made from."""
    kept = os.path.join(cache, _SEEN)
    try:
        if held:
            os.replace(held, kept)
        elif os.path.lexists(kept):
            os.unlink(kept)
    except OSError:
        pass  # the next update compares every line


def _let_go(held: str, cache: str) -> None:
    if held and held != os.path.join(cache, _SEEN) and os.path.lexists(held):
        os.unlink(held)


def _all_folders(root: MemoryRoot) -> list[str]:
    found: list[str] = []
    pending = list(FOLDERS.values())
    while pending:
        deeper = list_folder(root.path, pending.pop(0), root.passes_over)[1]
        found += deeper
        pending += deeper
    return found


def _is_text(path: str) -> bool:
    """Tell whether a path is UTF-8: of no other can the index hold a memory."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _problems(database: Database) -> tuple[Skipped, ...]:
    rows: Iterable[Any] = database.problems()
    return tuple(Skipped(os.fsdecode(path), kind, os.fsdecode(why), line) for path, kind, why, line in rows)


def _rows(problems: Iterable[Skipped]) -> tuple[tuple[bytes, str, bytes, int], ...]:
    # As bytes: SQLite takes no text that is no UTF-8, and the name of a file may be none.
    return tuple((os.fsencode(skip.path), skip.kind, os.fsencode(skip.reason), skip.line) for skip in problems)
