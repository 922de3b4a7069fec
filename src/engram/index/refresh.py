"""Open a root's index as the ledger and the folders are now (architecture, decision 1).

The index is a function of the ledger and the files: a memory is in it with the hash that the ledger names, and every
active file that is not is a problem with its reason. Whichever process comes first brings it up to date (module
``updating``, which most calls need not load); a process that cannot (no SQLite, no writable folder, a damaged file that
stays) reads the files instead, and says so.
"""

from __future__ import annotations

import os

from engram.errors import EngramError
from engram.index.database import DAMAGE, Database, SqliteError, available
from engram.index.stamp import folders_in, stamp_of
from engram.portable import REPLACES_OPEN_FILES
from engram.record import Record
from engram.store.root import Skipped, Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from engram.index.source import Source
    from engram.model import Memory
    from engram.store.root import MemoryRoot

__all__ = [
    "INDEX_FILE",
    "STAMP",
    "Index",
    "catch_up",
    "discard",
    "is_current",
    "open_index",
    "problems_of",
    "put_away",
    "read_files",
]

INDEX_FILE = "index.sqlite"
# The key of the state under which the stamp stands that the index was made from.
STAMP = "stamp"
# Other processes may be faster: so often their result is looked at before the files are read instead, which takes
# longer than many a look. Of what SQLite refuses, such as to write on a full disk, a few tries are enough.
_LOOKS = 12
_TRIES = 4
# sqlite.org/rescode.html#busy
_BUSY = 5
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
    path = os.path.join(cache, INDEX_FILE)
    why = "" if available() else "this Python has no SQLite"
    try:
        refused = 0
        for _ in range(_LOOKS if available() else 0):
            try:
                if (index := _current(root, cache, path, progress, learn)) is not None:
                    return index
                why = ""
            except SqliteError as error:
                # Other processes make the index at the same moment: the next look finds theirs.
                why = f"{path} cannot be used ({error})"
                refused += 1
                if refused == _TRIES:
                    break
        why = why or "it changes faster than it can be indexed"
    except OSError as error:
        # What could not take its name has two, and the second is the one that is in the way.
        name = error.filename2 or error.filename
        why = f"{name} cannot be used ({error.strerror})" if name else str(error)
    except UnicodeEncodeError:
        why = "the name of a folder in it is no UTF-8"
    return read_files(root, why)


def catch_up(root: MemoryRoot, cache: str, learn: Callable[[str, Memory], None] | None = None) -> None:
    """Bring an index that is there up to date, if an update does it and nobody else is at it; the next reader sees it.

    The arguments are those of ``open_index``.
    """
    if not available() or (found := _open(os.path.join(cache, INDEX_FILE))) is None:
        return
    try:
        from engram.index.updating import update_index

        update_index(root, cache, found[0], learn)
    except (EngramError, SqliteError, *DAMAGE, ImportError, OSError):
        pass  # no module can be loaded where no more files may be open


def _current(
    root: MemoryRoot,
    cache: str,
    path: str,
    progress: Callable[[int], None] | None,
    learn: Callable[[str, Memory], None] | None,
) -> Index | None:
    """Return the index where it is as the ledger and the folders are; else make or update it, and return None."""
    found = _open(path)
    if found is None:
        from engram.index.updating import rebuild

        rebuild(root, cache, progress, learn)
        return None
    database, problems = found
    now = stamp_of(root.path, folders_in(str(database.state[STAMP])), root.left_alone)
    if now == database.state[STAMP] and not any(_is_settled(root, skip) for skip in problems[:_LOOKED_AT]):
        return Index(database, problems, now)
    from engram.index.updating import rebuild, update_index

    if not update_index(root, cache, database, learn):
        rebuild(root, cache, progress, learn)
    return None


def read_files(root: MemoryRoot, why: str) -> Index:
    """Return the same without an index file: every memory is read, and the postings stay in this process (F3)."""
    from engram.index.segment import Segment
    from engram.index.updating import all_folders

    segment = Segment()
    try:
        stamp = stamp_of(root.path, all_folders(root), root.left_alone)
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
            if REPLACES_OPEN_FILES:
                index.source.rest()
                return True
        except SqliteError:
            pass
        index.source.close()
        return False
    return True


def is_current(root: MemoryRoot, index: Index) -> bool:
    """Tell whether an index that was put away says what ``open_index`` would say now; then it may be asked."""
    if stamp_of(root.path, folders_in(index.stamp), root.left_alone) != index.stamp:
        return False
    if any(_is_settled(root, skip) for skip in index.problems[:_LOOKED_AT]):
        return False
    return not isinstance(index.source, Database) or index.source.wake()


def discard(cache: str) -> None:
    """Take a damaged index away, so that the next call makes it anew."""
    try:
        os.unlink(os.path.join(cache, INDEX_FILE))
    except OSError:
        pass  # a folder, or a place that cannot be written: the next call reads the files again


def _is_settled(root: MemoryRoot, problem: Skipped) -> bool:
    """Tell whether a file whose bytes were not the approved ones is in order now."""
    if problem.kind not in {"mismatch", "unreadable", "missing"}:
        return False
    return isinstance(root.read(problem.path), Stored)


def _open(path: str) -> tuple[Database, tuple[Skipped, ...]] | None:
    """Return the index file with the problems that it names, None where there is none that can be read: E2."""
    if not os.path.isfile(path):
        return None  # SQLite would wait for ever for somebody to write into a pipe
    for tries_left in range(_TRIES - 1, -1, -1):
        try:
            database = Database(path)
            break
        except SqliteError as error:
            # Another process commits an update; everything else that SQLite may say means that the file is of no use.
            if getattr(error, "sqlite_errorcode", 0) != _BUSY or not tries_left:
                return None
    try:
        if STAMP in database.state:
            return database, problems_of(database)
    except SqliteError:
        pass  # a table is gone or damaged: of no use either
    database.close()
    return None


def problems_of(database: Database) -> tuple[Skipped, ...]:
    """Return the files that are no part of an index, as it names them."""
    rows: Iterable[Any] = database.problems()
    return tuple(Skipped(os.fsdecode(path), kind, os.fsdecode(why), line) for path, kind, why, line in rows)
