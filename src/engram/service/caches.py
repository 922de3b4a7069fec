"""What is derived of a root beside its index: where it lies, and how often each memory was given whole (C61).

The count is a log that is written without a lock. A line is an id, or an id, a tab and a number where older lines were
put together. Any number of processes append at once; a line that is lost in a crash, or while another process puts the
lines together, harms nothing. No pack depends on it (C35).
"""

from __future__ import annotations

import os

from engram.config.files import cache_home
from engram.errors import StoreError
from engram.portable import replace
from engram.store.files import OWN_FILE, digest, inside, read_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.service.reading import Entry
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["cache_of", "count_reads", "usage_counts"]

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
