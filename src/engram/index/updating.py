"""Bring an index up to date: by what changed where it can, from nothing where it must (architecture, decision 1)."""

from __future__ import annotations

import os

from engram.index.folder import make_cache
from engram.index.refresh import INDEX_FILE, STAMP, problems_of
from engram.index.stamp import changed_names, folders_in, left_alone_in, list_folder, stamp_line, stamp_of
from engram.index.writing import Beside, StaleError, build, update
from engram.model import FOLDERS
from engram.portable import replace
from engram.store.files import LEDGER, LEGACY_LEDGER, leaves
from engram.store.root import LINK_REASON, Skipped, Stored, duplicate, is_active, serving_order, stem
from engram.text.slugs import fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import FileIO

    from engram.index.database import Database
    from engram.model import Memory
    from engram.store.root import MemoryRoot

__all__ = ["all_folders", "rebuild", "update_index"]

_SEEN = "ledger.seen"
# Of so many changed files a rebuild is cheaper than updates, and a quarter of those that are there.
_MANY = 500
_PROGRESS_EVERY = 1000
# So many bytes of two ledgers are compared at once.
_STEP = 1 << 16
# So many bytes of a ledger are copied at once.
_COPIED = 1 << 18


def rebuild(
    root: MemoryRoot,
    cache: str,
    progress: Callable[[int], None] | None = None,
    learn: Callable[[str, Memory], None] | None = None,
) -> int:
    """Make the index from nothing, every file hashed; return the number of memories in it.

    The arguments are those of ``refresh.open_index``. A ``progress`` that raises ``StaleError`` ends it before it is
    done: another process made the index meanwhile, and that is the one to look at.

    Raises:
        OSError: the cache folder cannot be written.
        SqliteError: SQLite cannot write there.
    """
    make_cache(cache)
    _keep_ledger(root.path, cache)
    folders = all_folders(root)
    stamp = stamp_of(root.path, folders, root.left_alone)
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
                elif found.kind != "missing" or root.lost((path,)):  # else it was archived since the folder was read
                    problems.append(found)
        problems.extend(root.gone(seen))

    try:
        return build(os.path.join(cache, INDEX_FILE), memories(), lambda: Beside(((STAMP, stamp),), _rows(problems)))
    except StaleError:
        return 0


def update_index(root: MemoryRoot, cache: str, database: Database, learn: Callable[[str, Memory], None] | None) -> bool:
    """Bring the index up to date by what changed; False where a rebuild has to do it. Closes the database."""
    old = str(database.state[STAMP])
    seen = _open_seen(cache)
    try:
        _keep_ledger(root.path, cache)
        now = stamp_of(root.path, folders_in(old), root.left_alone)
        problems = {problem.path: problem for problem in problems_of(database)}
        look_at = _look_at(root, seen, database, now, problems)
        if look_at is None or len(look_at) > max(_MANY, database.count // 4):
            return False
        gone, new = _read_again(root, database, sorted(look_at), problems)
    finally:
        database.close()
        if seen is not None:
            seen.close()
    beside = Beside(((STAMP, now),), _rows(problems.values()))
    try:
        worn = update(os.path.join(cache, INDEX_FILE), gone, new, beside, (STAMP, old))
    except StaleError:
        return True
    if learn is not None:
        for _, value, memory in new:
            learn(value, memory)
    return not worn


def _look_at(
    root: MemoryRoot, seen: FileIO | None, database: Database, now: str, problems: dict[str, Skipped]
) -> set[str] | None:
    """Return the paths that may have changed; None where the folders did, and only a rebuild sees everything."""
    old = str(database.state[STAMP])
    if not all(map(is_active, problems)) or left_alone_in(old) != left_alone_in(now):
        return None  # a folder was wrong, not a file; or other files are left alone
    # What was wrong may be right by now, so it is looked at again.
    look_at = set(problems)
    names = changed_names(old, now)
    if LEDGER in names or LEGACY_LEDGER in names:
        look_at |= _changed_lines(root, seen, old, database)
    known_folders = set(folders_in(old))
    for folder in names:
        if folder in {LEDGER, LEGACY_LEDGER}:
            continue
        files, deeper = list_folder(root.path, folder, root.passes_over)
        if not known_folders.issuperset(deeper) or f"{folder}\t-" in now.split("\n"):
            return None
        look_at |= database.paths_in(folder).symmetric_difference(files)
    return {path for path in look_at if not root.ignores(path)} if root.left_alone else look_at


def _read_again(
    root: MemoryRoot, database: Database, look_at: Sequence[str], problems: dict[str, Skipped]
) -> tuple[list[str], list[tuple[str, str, Memory]]]:
    """Read changed files: what goes out of the index, what comes in; ``problems`` is brought up to date."""
    if len(look_at) > 20:
        _ = root.ledger().hashes  # splits the ledger once instead of searching it for every path
    gone: list[str] = []
    new: dict[str, tuple[str, str, Memory]] = {}
    absent = {path for path in look_at if is_active(path) and not os.path.lexists(f"{root.path}/{path}")}
    # Asked once of all: each time the ledger may have to be read again, and a checkout takes hundreds of files away.
    lost = set(root.lost(absent))
    for path in look_at:
        problems.pop(path, None)
        if _is_text(path):
            gone.append(path)
        if path in lost:
            problems[path] = root.missing(path)
        if path in absent or not is_active(path):
            continue
        found = root.read(path)
        if isinstance(found, Stored):
            new[path] = (path, found.hash, found.memory)
        elif found.kind != "missing" or root.lost((path,)):
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


def _changed_lines(root: MemoryRoot, seen: FileIO | None, old: str, database: Database) -> set[str]:
    """Return the active paths whose ledger lines differ from those that the index was made from."""
    before = _seen_ledger(seen, old)
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
    first = _agree(most, lambda start, stop: before[start:stop] == after[start:stop])
    first = before.rfind(b"\n", 0, first) + 1
    ends = len(before), len(after)
    last = _agree(
        most - first,
        lambda start, stop: before[ends[0] - stop : ends[0] - start] == after[ends[1] - stop : ends[1] - start],
    )
    line = before.find(b"\n", len(before) - last)
    return first, 0 if line < 0 else len(before) - line - 1


def _agree(most: int, equal: Callable[[int, int], bool]) -> int:
    """Return how far two texts are equal, at most ``most``; ``equal`` compares them from one distance to another."""
    at, step = 0, _STEP
    while step:
        # A piece at a time, so that twelve megabytes are copied once and not for each guess.
        if at + step <= most and equal(at, at + step):
            at += step
        else:
            step //= 2
    return at


def _open_seen(cache: str) -> FileIO | None:
    """Open the ledger that the last index was made from, None where it was not kept."""
    try:
        return open(os.path.join(cache, _SEEN), "rb", buffering=0)
    except OSError:
        return None


def _seen_ledger(seen: FileIO | None, stamp: str) -> bytes | None:
    """Return the ledger that the index was made from, None where another one was kept."""
    line = f"{stamp.partition(chr(10))[0]}\n".encode()
    if seen is None or seen.read(len(line)) != line:
        return None
    return seen.readall()


def _keep_ledger(root: str, cache: str) -> None:
    """Keep a copy of the ledger as it is now: the next update compares its lines with the ledger's of then.

    A copy and no second name of the same file: whatever befalls a file of the cache, the ledger stays as it is. Above
    it stands the ledger's line of the stamp: a size and a time alone may be those of two ledgers, and an update that
    failed, or is not done yet, leaves the copy newer than the index. Where there can be none the next update compares
    every line.
    """
    kept = os.path.join(cache, _SEEN)
    held = f"{kept}.{os.getpid()}"
    line = stamp_line(root, LEDGER)
    try:
        with open(os.path.join(root, LEDGER), "rb", buffering=0) as ledger:
            if _is_copy(kept, line):
                return
            if os.path.lexists(held):
                os.unlink(held)
            with open(held, "xb", buffering=0) as copy:
                copy.write(f"{line}\n".encode())
                while step := ledger.read(_COPIED):
                    copy.write(step)
        if stamp_line(root, LEDGER) == line:
            replace(held, kept, patience=0.1)
        else:
            os.unlink(held)  # another ledger came meanwhile: what was copied may not be what the line says
    except OSError:
        for path in (held, kept):
            try:
                os.unlink(path)
            except OSError:
                pass


def _is_copy(kept: str, line: str) -> bool:
    """Tell whether the ledger with this line of the stamp is kept already."""
    start = f"{line}\n".encode()
    try:
        with open(kept, "rb", buffering=0) as copy:
            return copy.read(len(start)) == start
    except OSError:
        return False


def all_folders(root: MemoryRoot) -> list[str]:
    """Return the sub-folders of active memories, as paths from the root."""
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


def _rows(problems: Iterable[Skipped]) -> tuple[tuple[bytes, str, bytes, int], ...]:
    # As bytes: SQLite takes no text that is no UTF-8, and the name of a file may be none.
    return tuple((os.fsencode(skip.path), skip.kind, os.fsencode(skip.reason), skip.line) for skip in problems)
