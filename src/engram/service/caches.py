"""What is derived of a root: where it lies, its index, and how often each memory was given whole (C61).

Whatever an index file holds, the files are the truth (F3, E2): the indexes of all roots that apply are asked here.

The count is a log that is written without a lock. A line is an id, or an id, a tab and a number where older lines were
put together. Any number of processes append at once; a line that is lost in a crash, or while another process puts the
lines together, harms nothing. No pack depends on it (C35).
"""

from __future__ import annotations

import os

from engram.config.files import cache_home, embedding_table
from engram.errors import EngramError, StoreError
from engram.index.database import DAMAGE, SqliteError
from engram.index.refresh import catch_up, discard, open_index, read_files
from engram.portable import replace
from engram.service.giving import Learner
from engram.store.files import OWN_FILE, digest, inside, read_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from engram.index.refresh import Index
    from engram.model import Memory
    from engram.service.reading import Entry
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

    T = TypeVar("T")
    Learn = Callable[[str, Memory], None]

__all__ = ["ask_indexes", "by_meaning", "cache_of", "count_reads", "index_written", "usage_counts"]

_FILE = "usage"
# From this size on, in bytes, the lines are put together when they are next read.
_LONG = 64 * 1024
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | OWN_FILE
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OWN_FILE


def cache_of(session: Session, root: MemoryRoot) -> str:
    """Return the folder for what is derived of a root: its ``.cache/``, of a read-only one the user's cache (F3).

    So it is where ``.cache`` is a link out of the root: nothing is read or written there (F4), and the user is told.
    """
    elsewhere = os.path.join(cache_home(session.environ), "roots", digest(os.fsencode(root.path))[:16])
    if os.access(root.path, os.W_OK):
        try:
            return inside(root.path, ".cache")
        except StoreError as error:
            session.say("warning", "cache", error.message, path=error.path, hint=error.hint)
    return elsewhere


def ask_indexes(session: Session, question: Callable[[Sequence[Index]], T]) -> T:
    """Open the index of every root, brought up to date, and return what ``question`` makes of them.

    An index that turns out to be damaged while it is asked is taken away, and the question is put to the files instead.
    What cannot be indexed is said.

    Args:
        session: where one is.
        question: gets the indexes in the order of ``session.roots``; it is called again after damage. It may use the
            sources until it returns.

    Raises:
        NotFoundError: where there is no memory at all.
    """
    indexes = [_index_of(session, root) for root in session.require_roots()]
    try:
        return _ask(session, indexes, question)
    except (SqliteError, *DAMAGE) as error:
        if all(index.fallback for index in indexes):
            raise
        for root in session.roots:
            discard(cache_of(session, root))
        read = [read_files(root, f"its index is damaged ({error})") for root in session.roots]
        return _ask(session, read, question)


def by_meaning(session: Session) -> bool:
    """Tell whether recall by meaning is on: one look, so that it costs nothing else where it is off."""
    return os.path.exists(embedding_table(session.environ))


def _index_of(session: Session, root: MemoryRoot) -> Index:
    return session.shelf.take(root, lambda: _open(session, root)) if session.shelf else _open(session, root)


def _open(session: Session, root: MemoryRoot) -> Index:
    cache = cache_of(session, root)
    return _learning(session, root, cache, lambda learn: open_index(root, cache, session.progress, learn))


def index_written(session: Session, path: str) -> None:
    """Bring the index of a root that was written up to date: a save takes longer than that, a recall does not.

    Whatever stands in the way, and where there is no index yet, the next recall sees to it: the write is done, so
    nothing here may look as if it had failed.
    """
    try:
        for root in session.roots:
            if root.path == path:
                _catch_up(session, root)
    except (EngramError, OSError):  # settings that cannot be read, for example
        return


def _catch_up(session: Session, root: MemoryRoot) -> None:
    cache = cache_of(session, root)
    _learning(session, root, cache, lambda learn: catch_up(root, cache, learn))


def _learning(session: Session, root: MemoryRoot, cache: str, make: Callable[[Learn], T]) -> T:
    """Return what ``make`` returns, given what has to see each memory that comes into an index."""
    learner = Learner(session, root)
    if not by_meaning(session):
        made = make(learner.learn)
        learner.finish()
        return made
    from engram.service.scorers import VectorMaker

    maker = VectorMaker(session, cache)

    def learn(value: str, memory: Memory) -> None:
        maker.learn(value, memory)
        learner.learn(value, memory)

    made = make(learn)
    maker.finish()
    learner.finish()
    return made


def _ask(session: Session, indexes: Sequence[Index], question: Callable[[Sequence[Index]], T]) -> T:
    for root, index in zip(session.roots, indexes, strict=True):
        if index.fallback:
            session.say("info", "no_index", f"Recall reads the files of {root.path} one by one: {index.fallback}.")
    kept = False
    try:
        answer = question(indexes)
        kept = session.shelf is not None
        return answer
    finally:
        for root, index in zip(session.roots, indexes, strict=True):
            if kept and session.shelf:
                session.shelf.put(root, index)
            else:
                index.source.close()


def count_reads(session: Session, entries: Iterable[Entry]) -> None:
    """Count memories as used once more (C60, C61): those whose text was given whole, to an agent or a person.

    That are the bodies of a pack, and what was asked for by its id; cards, lists and snippets do not count.
    """
    ids: dict[str, tuple[MemoryRoot, list[str]]] = {}
    for entry in entries:
        ids.setdefault(entry.root.path, (entry.root, []))[1].append(entry.memory.id)
    for root, names in ids.values():
        _count(cache_of(session, root), names)


def _count(cache: str, ids: Iterable[str]) -> None:
    """Note that memories were given whole. A cache folder that cannot be written counts nothing."""
    lines = b"".join(os.fsencode(name) + b"\n" for name in ids if "\n" not in name and "\t" not in name)
    if not lines:
        return
    path = os.path.join(cache, _FILE)
    try:
        try:
            file = os.open(path, _APPEND, 0o666)
        except FileNotFoundError:
            from engram.index.folder import make_cache

            make_cache(cache)
            file = os.open(path, _APPEND, 0o666)
    except OSError:
        return
    try:
        os.write(file, lines)  # one write, so that lines of two processes do not mix
    except OSError:
        pass  # a full disk: what is read matters more than that it is counted
    finally:
        os.close(file)


def usage_counts(cache: str) -> dict[str, int]:
    """Return how often each id of a root was given whole; empty where nothing was counted or nothing can be read."""
    path = os.path.join(cache, _FILE)
    try:
        data = read_optional(path) or b""
    except OSError:
        return {}
    found: dict[str, int] = {}
    for line in data.split(b"\n"):
        name, tab, number = line.partition(b"\t")
        if name and (not tab or (number.isdigit() and len(number) < 16)):
            key = os.fsdecode(name)
            found[key] = found.get(key, 0) + int(number or b"1")
    if len(data) > _LONG:
        _put_together(path, found)
    return found


def _put_together(path: str, found: dict[str, int]) -> None:
    lines = b"".join(os.fsencode(name) + b"\t%d\n" % number for name, number in sorted(found.items()))
    from engram.index.leftovers import sweep, temporary_of

    sweep(path)
    temporary = temporary_of(path)
    try:
        with open(os.open(temporary, _NEW, 0o666), "wb") as file:
            file.write(lines)
        replace(temporary, path)
    except OSError:
        pass  # it stays long
