"""The write path of a root: memories, ledger, changelog and the older ledger in one transaction (F14, F15)."""

from __future__ import annotations

import os
import time

from engram.config.files import CONFIG_NAME
from engram.errors import FormatError, StoreError
from engram.model import FOLDERS
from engram.record import Record
from engram.store.files import digest, inside, make_folders, read_guarded, read_optional, read_owned, store_error
from engram.store.journal import CHANGELOG, Write, commit, recover
from engram.store.ledger import LEDGER, LEGACY_LEDGER, Ledger, format_ledger, format_legacy, read_ledger, read_legacy
from engram.store.lock import RootLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

__all__ = ["GIT_FILES", "Receipt", "RootWriter", "Write", "create_root", "has_markers", "missing_lines", "timestamp"]

_IGNORED = (".cache/", ".journal/", ".lock", "inbox/", "pending-approvals.json", "working/")
_ATTRIBUTES = ("* -text", f"{LEDGER} merge=union", f"{CHANGELOG} merge=union")
# Git's own files in a root, with the lines that they need.
GIT_FILES = {".gitignore": _IGNORED, ".gitattributes": _ATTRIBUTES}
_CHANGELOG_HEAD = "# Engram Changelog\n\n"
_MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")


class Receipt(Record):
    """What is on disk after a write, read back: path, SHA-256 (``""`` = gone) and size in bytes."""

    path: str
    hash: str
    size: int


class RootWriter:
    """The right to write one root: holds its lock, and has healed what a dead writer left.

    Use it as a context manager; ``healed`` says what was finished or undone on entering.

    Args:
        root: the memory root, resolved.
        timeout_s: how long to wait for the lock (``lock.timeout``), in seconds.
        say: called with each sentence of ``healed``.
        approved: called with the memory files of each change that was approved here, before any of them is written.
        written: called once such a change is on disk.
    """

    def __init__(
        self,
        root: str,
        timeout_s: float,
        say: Callable[[str], None] | None = None,
        approved: Callable[[Sequence[Write]], None] | None = None,
        written: Callable[[], None] | None = None,
    ) -> None:
        self.root = root
        self.healed: list[str] = []
        self._say = say
        self._approved = approved
        self._written = written
        self._lock = RootLock(root, timeout_s)

    def __enter__(self) -> Self:
        self._lock.__enter__()
        try:
            self.healed = recover(self.root)
            if self._say is not None:
                for sentence in self.healed:
                    self._say(sentence)
        except BaseException as error:
            self._lock.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.__exit__(kind, error, trace)

    def apply(
        self, writes: Sequence[Write], what: str, way: str, more: Sequence[tuple[str, str]] = ()
    ) -> list[Receipt]:
        """Write ``writes`` with their ledger and changelog lines, all or nothing.

        Args:
            writes: memory files (``rules/…``, ``archive/…``) and other durable files of the root.
            what: the change in a few words, for the changelog: ``add rule: use-pnpm``. It is about the first write.
            way: how the human approved it (C59a): terminal, pipe, force, token, dialog, command.
            more: path and words of further changes in the same transaction, a line each.

        Returns:
            A receipt for each of ``writes``, from the bytes read back.

        Raises:
            StoreError: nothing was written.
        """
        batch = list(writes)
        batch += self._ledger_writes(writes)
        batch.append(self._changelog_write([(writes[0].path, what), *more], way))
        batch += self._housekeeping()
        if self._approved is not None:
            self._approved(writes)
        commit(self.root, batch, what)
        if self._written is not None:
            self._written()
        return [self._receipt(write) for write in writes]

    def put(self, writes: Sequence[Write], what: str) -> list[Receipt]:
        """Write private files of the root (notes, what is open, what waits), all or nothing: no ledger, no changelog.

        Args:
            writes: files of folders that Git does not see.
            what: the change in a few words, for the person who finds it interrupted.

        Returns:
            A receipt for each of ``writes``, from the bytes read back.

        Raises:
            StoreError: nothing was written.
        """
        commit(self.root, [*writes, *self._housekeeping()], what)
        return [self._receipt(write) for write in writes]

    def settle_ledger(self, *, retire: bool) -> None:
        """Write one clean ledger of what it vouches for, and take the older one away where it is asked for (F2a, F14).

        Raises:
            StoreError: nothing was written.
        """
        ledger = read_ledger(self.root)
        old = ledger.source if ledger.exists else None
        batch = [_replacing(LEDGER, old, format_ledger(self._clean(ledger, frozenset())))]
        legacy = read_owned(self.root, LEGACY_LEDGER)
        if retire and legacy is not None:
            batch.append(Write(LEGACY_LEDGER, digest(legacy), None))
        batch = [write for write in batch if write.data is None or write.old != digest(write.data)]
        if batch:
            batch.append(self._changelog_write([(LEDGER, "settle the ledger")], "command"))
            commit(self.root, [*batch, *self._housekeeping()], "settle the ledger")

    def purge(self, writes: Sequence[Write], clean: Callable[[str], str], way: str) -> None:
        """Take files out, with their ledger lines; the changelog says that something was purged, and not what (F17).

        Args:
            writes: the files that go, and private files of the root that lose a part.
            clean: gives the changelog's text without what must not stand there any more.
            way: as for ``apply``.

        Raises:
            StoreError: nothing was written.
        """
        what = "purge a memory"
        old = read_owned(self.root, CHANGELOG) or b""
        text = clean(old.decode("utf-8", "surrogateescape"))
        if text and not text.endswith("\n"):
            text += "\n"
        text = f"{text or _CHANGELOG_HEAD}- {timestamp()} {what} ({way})\n"
        changelog = Write(CHANGELOG, digest(old) if old else "", text.encode("utf-8", "surrogateescape"))
        commit(self.root, [*writes, *self._ledger_writes(writes), changelog, *self._housekeeping()], what)

    def tidy(self, what: str, way: str) -> None:
        """Bring the ledger, the changelog and Git's two files into the form that every write leaves (F2a, F14).

        Of a path with several hashes the one that its file has stays, and all where none is; a line is never taken out.

        Args:
            what: what is mended, for the changelog.
            way: as for ``apply``.

        Raises:
            StoreError: nothing was written.
        """
        batch = self._tidy_ledger()
        batch.append(self._changelog_write([(LEDGER, what)], way))
        batch += self._housekeeping()
        commit(self.root, batch, what)

    def is_tidy(self) -> bool:
        """Tell whether ``tidy`` would change nothing but add its line to the changelog."""
        source = read_owned(self.root, CHANGELOG) or b""
        return not self._tidy_ledger() and not self._housekeeping() and not has_markers(source)

    def _tidy_ledger(self) -> list[Write]:
        ledger = read_ledger(self.root)
        if not ledger.exists:
            return []  # the first write makes it, of what matches (F14)
        hashes = self._clean(ledger, frozenset())
        out = [_replacing(LEDGER, ledger.source, format_ledger(hashes))]
        old = read_owned(self.root, LEGACY_LEDGER)
        if old is not None:
            legacy = read_legacy(self.root) or {}
            in_step = {path: hashes[path][0] if len(hashes.get(path, ())) == 1 else legacy[path] for path in legacy}
            if in_step != legacy:
                out.append(_replacing(LEGACY_LEDGER, old, format_legacy(in_step)))
        return [write for write in out if write.data is None or write.old != digest(write.data)]

    def _receipt(self, write: Write) -> Receipt:
        try:
            data = read_optional(inside(self.root, write.path))
        except OSError as error:
            raise StoreError(
                f"{write.path} was written, but cannot be read back: {error.strerror or error}.",
                hint="Look at it: engram verify",
                path=write.path,
            ) from error
        found = "" if data is None else digest(data)
        if found != ("" if write.data is None else digest(write.data)):
            raise StoreError(f"{write.path} does not hold what was written to it.", path=write.path)
        return Receipt(write.path, found, len(data or b""))

    def _ledger_writes(self, writes: Sequence[Write]) -> list[Write]:
        changed = {w.path: w.data for w in writes if w.path.endswith(".md") and "/" in w.path}
        if not changed:
            return []
        ledger = read_ledger(self.root)
        hashes = self._clean(ledger, frozenset(changed))
        for path, data in changed.items():
            if data is None:
                hashes.pop(path, None)
            else:
                hashes[path] = (digest(data),)
        out = [_replacing(LEDGER, ledger.source if ledger.exists else None, format_ledger(hashes))]
        old_source = read_owned(self.root, LEGACY_LEDGER)
        if old_source is not None:
            legacy = read_legacy(self.root) or {}
            # Kept in step (F14): what it names, and what is written now; archived files were never in it.
            for path, data in changed.items():
                if data is None:
                    legacy.pop(path, None)
                elif not path.startswith("archive/"):
                    legacy[path] = digest(data)
            out.append(_replacing(LEGACY_LEDGER, old_source, format_legacy(legacy)))
        return [write for write in out if write.data is None or write.old != digest(write.data)]

    def _clean(self, ledger: Ledger, about_to_change: frozenset[str]) -> dict[str, tuple[str, ...]]:
        """Return one hash a path where a file settles it (F2a); the first ledger takes in only what matched (F14)."""
        hashes = dict(ledger.hashes)
        for path, values in ledger.hashes.items():
            if path in about_to_change or (ledger.exists and len(values) == 1):
                continue
            found = self._hash(path)
            if found in values:
                hashes[path] = (found,)
            elif not ledger.exists:
                del hashes[path]
        return hashes

    def _hash(self, path: str) -> str:
        try:
            return digest(read_guarded(self.root, path))
        except (OSError, FormatError):
            return ""

    def _changelog_write(self, changes: Sequence[tuple[str, str]], way: str) -> Write:
        old = read_owned(self.root, CHANGELOG)
        text = _CHANGELOG_HEAD if old is None else old.decode("utf-8", "surrogateescape")
        if has_markers(old or b""):
            lines = text.split("\n")
            text = "\n".join(line for line in lines if not line.startswith(_MARKERS))
        if text and not text.endswith("\n"):
            text += "\n"
        moment = timestamp()
        text += "".join([f"- {moment} {path}: {what} ({way})\n" for path, what in changes])
        return _replacing(CHANGELOG, old, text.encode("utf-8", "surrogateescape"))

    def _housekeeping(self) -> list[Write]:
        """Return what keeps derived and private files out of Git, where an older folder lacks it."""
        out = []
        for name, lines in GIT_FILES.items():
            old = read_owned(self.root, name)
            new = _with_lines(old, lines)
            if new != old:
                out.append(_replacing(name, old, new))
        return out


def missing_lines(root: str) -> dict[str, tuple[str, ...]]:
    """Return the lines that Git's two files of a root lack, by file (F2a, F3)."""
    found = {}
    for name, lines in GIT_FILES.items():
        text = (read_owned(root, name) or b"").decode("utf-8", "surrogateescape")
        present = {line.strip() for line in text.splitlines()}
        if missing := tuple(line for line in lines if line not in present):
            found[name] = missing
    return found


def create_root(root: str, config_text: str, timeout_s: float) -> list[str]:
    """Make a new, empty memory root; the ledger comes with the first memory. Files that are there are left alone.

    Returns:
        The paths made, relative to the root; ``[]`` when nothing was missing.

    Raises:
        StoreError: when the folder cannot be made or written.
    """
    files = {
        ".gitattributes": _with_lines(None, _ATTRIBUTES),
        ".gitignore": _with_lines(None, _IGNORED),
        CHANGELOG: _CHANGELOG_HEAD.encode(),
        CONFIG_NAME: config_text.encode(),
    }
    try:
        os.makedirs(root, exist_ok=True)
        with RootLock(root, timeout_s):
            recover(root)
            made = [Write(path, "", data) for path, data in files.items() if not os.path.lexists(_at(root, path))]
            if made:
                commit(root, made, "make a new memory folder")
            for folder in FOLDERS.values():
                make_folders(root, os.path.join(root, folder))
    except OSError as error:
        raise store_error(error, root) from error
    return [write.path for write in made]


def has_markers(source: bytes) -> bool:
    """Tell whether a ledger or a changelog holds what Git leaves where it could not merge (F2a)."""
    return source.startswith(b"<<<<<<< ") or b"\n<<<<<<< " in source


def _at(root: str, path: str) -> str:
    return os.path.join(root, *path.split("/"))


def timestamp() -> str:
    """Return the present moment as the changelog has it: UTC, milliseconds, ``Z``."""
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def _with_lines(old: bytes | None, lines: Sequence[str]) -> bytes:
    text = (old or b"").decode("utf-8", "surrogateescape")
    present = {line.strip() for line in text.splitlines()}
    missing = [line for line in lines if line not in present]
    if missing and text and not text.endswith("\n"):
        text += "\n"
    return (text + "".join(f"{line}\n" for line in missing)).encode("utf-8", "surrogateescape")


def _replacing(path: str, old: bytes | None, new: bytes) -> Write:
    return Write(path, "" if old is None else digest(old), new)
