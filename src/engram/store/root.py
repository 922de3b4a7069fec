"""A memory root, read: which memories are active, and whether their bytes are the approved ones (F2, F13)."""

from __future__ import annotations

import os
import time

from engram.errors import EngramError, FormatError, LockedError, NotFoundError
from engram.markdown.memory import read_memory
from engram.model import FOLDERS, Memory
from engram.record import Record
from engram.store.files import (
    IGNORE_FILE,
    LEDGER,
    LEGACY_LEDGER,
    digest,
    has_open_journal,
    leaves,
    read_guarded,
    stat_of,
    walk_markdown,
)
from engram.text.slugs import fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import Literal

    from engram.model import Scope
    from engram.store.accepted import Accepted
    from engram.store.ignore import Ignore
    from engram.store.ledger import Ledger

    SkipKind = Literal["mismatch", "unlisted", "unreadable", "duplicate", "missing", "note"]

__all__ = [
    "LINK_REASON",
    "NOTES",
    "REVIEW_COMMAND",
    "MemoryRoot",
    "Skipped",
    "Stored",
    "closest_hint",
    "duplicate",
    "is_active",
    "serving_order",
    "stem",
    "white_space_forms",
]

LINK_REASON = "it is a link that leaves the memory folder; nothing behind it is read"
NOTES = "working"  # F2: the folder of working notes, which no Git sees and no ledger names
REVIEW_COMMAND = "engram verify --review"


# Memories as they were read before, by path and hash. A server shows the same ones all day; a cold process meets each
# once.
_parsed: dict[tuple[str, str, str], Memory] = {}
_MOST_PARSED = 1000
# FAT counts in steps of two seconds, and no file system in longer ones.
_LONGEST_TICK_NS = 3_000_000_000


class Stored(Record):
    """A memory with the file it came from: path relative to the root, and the SHA-256 of its bytes."""

    memory: Memory
    path: str
    hash: str


class Skipped(Record):
    """A memory file whose text is not given to anyone, and why (F13)."""

    path: str
    kind: SkipKind
    reason: str
    line: int = 0

    @property
    def text(self) -> str:
        """The line that people and agents see in place of the memory: one line, whatever the file is called."""
        from engram.safety.fence import show_line  # what is in order never needs it

        place = f" (line {self.line})" if self.line else ""
        return f"SKIPPED {show_line(self.path)}: {show_line(self.reason)}{place}"


class MemoryRoot:
    """One folder of memory, opened for reading.

    Args:
        path: the folder, absolute and resolved.
        scope: whose memory it is.
        foreign: True where no human of this machine has accepted it yet (F18).
        private: the root whose ``inbox/`` and ``working/`` are used in place of its own (F1).
        project: the folder whose ``.engramignore`` counts here, the root's own by default.
        patterns: what the configuration leaves alone (``ignore.patterns``).
        accepted: the content hashes that a human of this machine accepted; None where all are (F18).
    """

    def __init__(
        self,
        path: str,
        scope: Scope,
        *,
        foreign: bool = False,
        private: str = "",
        project: str = "",
        patterns: Sequence[str] = (),
        accepted: Accepted | None = None,
    ) -> None:
        self.path = path
        self.scope: Scope = scope
        self.foreign = foreign
        self._accepted = accepted
        self.private = private or path
        self._project = project or path
        self._below = path[len(self._project) + 1 :].replace(os.sep, "/")
        self._patterns = tuple(patterns)
        self._left_alone: str | None = None
        self._ignore: Ignore | None = None
        self._ledger: Ledger | None = None
        self._ledger_stat: tuple[int, ...] = ()
        self._ledger_in_doubt = False

    def is_foreign(self, value: str) -> bool:
        """Tell whether the memory with this content hash is for reference only: its root is, or it waits (F18)."""
        return self.foreign or (self._accepted is not None and not self._accepted.has(value))

    def ignores(self, path: str, folder: bool = False) -> bool:
        """Tell whether a path of the root is left alone: it is neither read nor named.

        Raises:
            ConfigError: when what is private here is not known.
        """
        if not self.left_alone:
            return False
        if self._ignore is None:
            from engram.store.ignore import Ignore

            self._ignore = Ignore(self._project, self._patterns, (self.path,))
        return self._ignore.ignores(f"{self._below}/{path}" if self._below else path, folder=folder)

    @property
    def left_alone(self) -> str:
        """A text that changes when what is left alone does; ``""`` where nothing is, for the price of a few stats."""
        if self._left_alone is None:
            parts = ["\n".join(self._patterns)] if self._patterns else []
            above = self._below.split("/") if self._below else []
            folders = ["/".join((self._project, *above[:size])) for size in range(len(above) + 1)]
            for folder in (*folders, *(f"{self.path}/{name}" for name in FOLDERS.values())):
                try:
                    info = os.lstat(f"{folder}/{IGNORE_FILE}")
                except OSError:
                    continue
                parts.append(f"{folder} {info.st_size} {info.st_mtime_ns} {info.st_ctime_ns} {info.st_ino}")
            self._left_alone = digest("\n".join(parts).encode("utf-8", "replace"))[:16] if parts else ""
        return self._left_alone

    @property
    def passes_over(self) -> Callable[[str, bool], bool] | None:
        """``ignores``, None where nothing is left alone."""
        return self.ignores if self.left_alone else None

    def ledger(self) -> Ledger:
        """Return the ledger as it is on disk now; it is read again only when its stat changed."""
        now = stat_of(os.path.join(self.path, LEDGER))
        if self._ledger is None or self._ledger_in_doubt or not now or now != self._ledger_stat:
            from engram.store.ledger import read_ledger  # an index that is up to date names the hashes itself

            found = read_ledger(self.path)
            if self._ledger is None or not (found.exists and found.source == self._ledger.source):
                self._ledger = found  # else it stays, with its lines split
            self._ledger_stat, self._ledger_in_doubt = now, False
        return self._ledger

    def _doubt_ledger(self) -> None:
        """Let the ledger be read again before it says that something is wrong: a writer may have finished meanwhile.

        Its stat tells (``ledger``), but for a change within the same tick of the file system's clock. Where it is older
        than any tick nothing is read: of ten thousand files that are wrong, each would read it all.
        """
        changed = max(self._ledger_stat[1], self._ledger_stat[3]) if self._ledger_stat else 0
        if not changed or time.time_ns() - changed <= _LONGEST_TICK_NS:
            self._ledger_in_doubt = True

    def ledger_state(self) -> tuple[object, ...]:
        """Return what changes with the ledger, for a stat or two."""
        return stat_of(os.path.join(self.path, LEDGER)), stat_of(os.path.join(self.path, LEGACY_LEDGER))

    def heal(self) -> list[str]:
        """Finish or undo what a dead writer left, if the lock is free at once; say what was done (F15)."""
        if not has_open_journal(self.path):
            return []
        from engram.store.journal import recover
        from engram.store.lock import RootLock

        try:
            with RootLock(self.path, 0):
                said = recover(self.path)
        except LockedError:
            return []  # a writer is at work: old and new hashes both count
        except EngramError as error:
            return [f"An interrupted write could not be finished or undone: {error.message}"]
        self._ledger = None
        return said

    def has_notes(self) -> bool:
        """Tell whether something lies in the folder of working notes: all that a reader without notes has to ask."""
        folder = f"{self.private}/{NOTES}"
        try:
            return os.path.islink(folder) or bool(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True  # something that cannot be read, which whoever reads the notes says

    def active_paths(self) -> Iterator[str]:
        """Yield the paths of all active memory files, by kind and name."""
        for folder in FOLDERS.values():
            yield from walk_markdown(self.path, folder, self.passes_over)

    def archived_paths(self) -> Iterator[str]:
        """Yield the paths of all archived memory files."""
        yield from walk_markdown(self.path, "archive", self.passes_over)

    def read(self, path: str, approved: str = "", again: int = 3) -> Stored | Skipped:
        """Read one active file and check it against the ledger (F13).

        Args:
            path: relative to the root.
            approved: the hash that the ledger is known to name for it, which saves reading the ledger.
            again: how often it is read again where somebody writes it at the same time.
        """
        try:
            data = read_guarded(self.path, path)
        except FormatError as error:
            return Skipped(path, "unreadable", error.message)
        except FileNotFoundError:
            return self.missing(path) if self.lost((path,)) else Skipped(path, "missing", "the file is gone")
        except OSError as error:
            return Skipped(path, "unreadable", f"it cannot be read ({error.strerror})")
        value = digest(data)
        if value != approved and (skipped := self.check(path, data, value)):
            # What was read may be what a writer has replaced since; then its new bytes count.
            return skipped if again <= 0 or self._stands(path, data) else self.read(path, approved, again - 1)
        known = _parsed.get((value, path, self.scope))
        if known is None:
            try:
                known = read_memory(data, path=path, scope=self.scope)
            except FormatError as error:
                return Skipped(path, "unreadable", error.message, error.line)
            if approved:  # who reads all of them reads each once
                if len(_parsed) >= _MOST_PARSED:
                    _parsed.clear()
                _parsed[value, path, self.scope] = known
        return Stored(known, path, value)

    def check(self, path: str, data: bytes, value: str) -> Skipped | None:
        """Return why bytes of the given hash may not be shown, or None where the ledger vouches for them."""
        expected = self.ledger().lookup(path)
        if value in expected:
            return None
        if has_open_journal(self.path):
            from engram.store.journal import journal_hashes

            if value in journal_hashes(self.path).get(path, ()):
                return None
        # A writer may have finished between our two reads.
        self._doubt_ledger()
        expected = self.ledger().lookup(path)
        if value in expected:
            return None
        if not expected:
            reason = f"it is not in {LEDGER}, so nobody approved it; review it: {REVIEW_COMMAND}"
            return Skipped(path, "unlisted", reason)
        if any(digest(form) in expected for form in white_space_forms(data)):
            return Skipped(
                path, "mismatch", f"only white space changed since it was approved; accept it: {REVIEW_COMMAND}"
            )
        return Skipped(path, "mismatch", f"it changed since it was approved; review it: {REVIEW_COMMAND}")

    def memories(self) -> tuple[list[Stored], list[Skipped]]:
        """Read every active memory; of two files with one id the first in serving order counts (F11)."""
        found: list[Stored] = []
        skipped = [
            Skipped(folder, "unreadable", LINK_REASON)
            for folder in FOLDERS.values()
            if leaves(self.path, folder) and not self.ignores(folder, folder=True)
        ]
        owners: dict[str, str] = {}
        seen = set()
        for path in self.active_paths():
            seen.add(path)
            stored = self.read(path)
            if isinstance(stored, Skipped):
                if stored.kind != "missing" or self.lost((path,)):  # else it was archived since the folder was read
                    skipped.append(stored)
                continue
            folded = fold_id(stored.memory.id)
            if folded in owners:
                skipped.append(duplicate(path, owners[folded]))
                continue
            owners[folded] = path
            found.append(stored)
        return found, skipped + self.gone(seen)

    def gone(self, seen: Container[str]) -> list[Skipped]:
        """Return the active files that the ledger names and nobody has; ``seen`` are those that are there."""
        shut = tuple(f"{folder}/" for folder in FOLDERS.values() if leaves(self.path, folder))
        unseen = (
            path
            for path in self.ledger().hashes
            if is_active(path) and path not in seen and not path.startswith(shut) and not self.ignores(path)
        )
        return [self.missing(path) for path in sorted(self.lost(unseen))]

    def lost(self, paths: Iterable[str]) -> list[str]:
        """Return those of the paths that the ledger names and nobody has, whatever a writer does meanwhile.

        The order counts: a writer that takes a file away opens the journal before, and has changed the ledger when it
        closes it.
        """
        found = [path for path in paths if not os.path.lexists(os.path.join(self.path, *path.split("/")))]
        if not found:
            return found
        if has_open_journal(self.path):
            from engram.store.journal import journal_hashes

            written = journal_hashes(self.path)
            found = [path for path in found if path not in written]
        self._doubt_ledger()
        return [path for path in found if self.ledger().lookup(path)]

    def _stands(self, path: str, data: bytes) -> bool:
        """Tell whether a file still holds these bytes."""
        try:
            return read_guarded(self.path, path) == data
        except (OSError, FormatError):
            return False

    def active_hashes(self) -> list[str]:
        """Return the content hashes that the ledger names for active memories."""
        return [value for path, values in self.ledger().hashes.items() if is_active(path) for value in values]

    def missing(self, path: str) -> Skipped:
        """Return why a file that the ledger names and nobody has is not there to be shown."""
        name = LEDGER if self.ledger().exists else LEGACY_LEDGER
        reason = f"{name} names it, but the file is gone; bring it back from Git or a backup, or review it"
        return Skipped(path, "missing", f"{reason}: {REVIEW_COMMAND}")

    def find(self, memory_id: str) -> str:
        """Return the path of the active memory with this id, ``""`` when there is none.

        Where several files have the id it is the one that is served: the first in serving order whose bytes are the
        approved ones. Where none are, it is the first, and reading it says what is wrong.
        """
        folded = fold_id(memory_id)
        paths = [path for path in self.active_paths() if fold_id(stem(path)) == folded]
        if len(paths) > 1:
            return next((path for path in paths if isinstance(self.read(path), Stored)), paths[0])
        if paths:
            return paths[0]
        # What lies behind a link is not listed; who asks for it by name learns that from reading it.
        plain = (f"{folder}/{memory_id}.md" for folder in FOLDERS.values())
        plain = (path for path in plain if not self.ignores(path))
        return next((path for path in plain if os.path.lexists(os.path.join(self.path, *path.split("/")))), "")

    def find_archived(self, memory_id: str) -> list[str]:
        """Return the archived files of this id, oldest first: by day, in one day ``<id>.md`` before ``<id>-2.md``."""
        folded = fold_id(memory_id)
        found: list[tuple[str, int, str]] = []
        for path in self.archived_paths():
            day = path.split("/")[1]
            name = stem(path)
            base, _, number = name.rpartition("-")
            if fold_id(name) == folded:
                found.append((day, 1, path))
            elif number.isdecimal() and fold_id(base) == folded and fold_id(self._original_id(path)) == folded:
                found.append((day, int(number), path))
        return [path for _, _, path in sorted(found)]

    def _original_id(self, path: str) -> str:
        """Return the id that an archived memory had: ``x-2.md`` is the second ``x`` of a day, or the only ``x-2``."""
        from engram.markdown.archive import read_archived

        try:
            header, _ = read_archived(read_guarded(self.path, path))
        except (OSError, FormatError):
            return ""
        return stem(header.get("original", ""))

    def ids(self) -> list[str]:
        """Return the ids of all active files, readable or not."""
        return [stem(path) for path in self.active_paths()]

    def successors(self, memory: Memory) -> list[str]:
        """Return the ids that took the place of a superseded memory, one after the other; the last one counts now."""
        found: list[str] = []
        seen = {fold_id(memory.id)}
        while memory.superseded_by and fold_id(memory.superseded_by) not in seen:
            found.append(memory.superseded_by)
            seen.add(fold_id(memory.superseded_by))
            path = self.find(memory.superseded_by)
            stored = self.read(path) if path else None
            if not isinstance(stored, Stored):
                break
            memory = stored.memory
        return found

    def require(self, memory_id: str) -> str:
        """Return the path of an id or raise NotFoundError that names the closest ids (C37)."""
        path = self.find(memory_id)
        if not path:
            raise NotFoundError(
                f"There is no memory {memory_id} in {self.path}.", hint=closest_hint(memory_id, self.ids())
            )
        return path


def stem(path: str) -> str:
    """Return the id that a memory's path stands for."""
    return path.rpartition("/")[2].removesuffix(".md")


def is_active(path: str) -> bool:
    """Tell whether a path of a root is that of an active memory."""
    return path.endswith(".md") and path.partition("/")[0] in FOLDERS.values()


def serving_order(path: str) -> tuple[int, tuple[tuple[bool, str], ...]]:
    """Return what active paths are sorted by: kind, then names as ``active_paths`` walks, files before sub-folders."""
    folder, *names = path.split("/")
    last = len(names) - 1
    return list(FOLDERS.values()).index(folder), tuple((at < last, name) for at, name in enumerate(names))


def duplicate(path: str, owner: str) -> Skipped:
    """Return why ``path`` is not served: ``owner`` comes before it and has the same id (F11)."""
    return Skipped(path, "duplicate", f"{owner} has the same id; rename or archive one of them")


def closest_hint(wanted: str, ids: list[str]) -> str:
    """Return a sentence that names the ids closest to ``wanted``, or how to list them."""
    from difflib import get_close_matches

    from engram.safety.fence import show_line

    ids = list(dict.fromkeys(ids))  # one that several files or both scopes have is named once
    near = get_close_matches(fold_id(wanted), ids, n=3, cutoff=0.5) or [i for i in ids if fold_id(wanted) in fold_id(i)]
    return f"Did you mean {', '.join(map(show_line, near[:3]))}?" if near else "engram list shows what there is."


def white_space_forms(data: bytes) -> Iterator[bytes]:
    """Yield the bytes as other programs may have found them: other line ends, mark or no final newline."""
    bare = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    for text in (bare, bare.rstrip(b"\n"), bare.rstrip(b"\n") + b"\n"):
        for mark in (b"", b"\xef\xbb\xbf"):
            yield mark + text
            yield mark + text.replace(b"\n", b"\r\n")
