"""The open transaction of a root: what makes a crash harmless (F15).

``.journal/open.json`` names each target with its old and new hash. The new bytes are staged beside it (``0.new``),
and a second name keeps the old ones (``0.old``) until the journal is dropped. Nothing is renamed into place before all
is on disk, so whoever finds an open journal either has every new byte and finishes, or nothing has happened yet.
"""

from __future__ import annotations

import os

from engram.errors import StoreError
from engram.portable import remove, replace, sync_folder
from engram.record import Record
from engram.store.files import (
    JOURNAL,
    OPEN_JOURNAL,
    digest,
    has_open_journal,
    inside,
    make_folders,
    read_optional,
    read_owned,
    store_error,
    write_durable,
)
from engram.store.ledger import LEDGER, format_ledger, parse_ledger
from engram.text.jsonc import JsoncError, dumps, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CHANGELOG", "Target", "Write", "commit", "journal_hashes", "recover"]

CHANGELOG = "changelog.md"
_VERSION = 1


class Write(Record):
    """One file of a transaction: the hash it must have before (``""`` = absent) and its new bytes (None = gone).

    A file that is replaced keeps its permission bits; a new one gets those of ``like``, a path of the same root, where
    that is given: a memory that moves stays as private as it was.
    """

    path: str
    old: str
    data: bytes | None
    like: str = ""


class Target(Record):
    """What a journal says of one file; an empty hash means that the file is absent."""

    path: str
    old: str
    new: str


def commit(root: str, writes: Sequence[Write], note: str) -> None:
    """Write all or nothing. The caller holds the root's lock and has recovered before.

    Args:
        root: the memory root.
        writes: the files, in the order in which they appear; the ledger comes after the memories.
        note: what is being done, for the person who finds it interrupted.

    Raises:
        StoreError: the old state stands; or, where even undoing failed, the next command finishes or undoes it.
    """
    _check_old(root, writes)
    journal = inside(root, JOURNAL)
    targets = [Target(w.path, w.old, "" if w.data is None else digest(w.data)) for w in writes]
    done = 0
    try:
        make_folders(root, journal)
        _drop_leftovers(journal)
        _write_open(journal, targets, note)
        for number, write in enumerate(writes):
            if write.data is not None:
                like = inside(root, write.path if write.old else write.like or write.path)
                write_durable(os.path.join(journal, f"{number}.new"), write.data, like=like)
            if write.old:
                _keep_old(inside(root, write.path), os.path.join(journal, f"{number}.old"))
        sync_folder(journal)
        touched: list[str] = []
        for number, write in enumerate(writes):
            folder = os.path.dirname(inside(root, write.path))
            if touched and folder != touched[-1]:
                sync_folder(touched[-1])
            make_folders(root, folder)
            # Counted before it happens: undoing a step that did not take place changes nothing.
            done = number + 1
            _put(root, journal, number, write.path, gone=write.data is None)
            touched.append(folder)
        sync_folder(touched[-1])
    except BaseException as error:
        _undo(root, targets[:done])
        if isinstance(error, OSError):
            raise store_error(error, root) from error
        raise
    try:
        _drop(journal)
    except OSError:
        pass  # everything is in place: the next command finds the journal finished and drops it


def journal_hashes(root: str) -> dict[str, tuple[str, str]]:
    """Return path → (old, new) hashes of the open transaction; a reader accepts both while it stands (F15)."""
    targets, _ = _read_open(root)
    return {target.path: (target.old, target.new) for target in targets}


def recover(root: str) -> list[str]:
    """Finish or undo what a dead writer left, and say so. The caller holds the lock.

    Returns:
        One sentence for a person for each interrupted transaction; ``[]`` when there was none.
    """
    journal = inside(root, JOURNAL)
    if not os.path.isdir(journal):
        return []
    if not has_open_journal(root):
        _drop_leftovers(journal)
        return []
    targets, note = _read_open(root)
    for target in targets:
        try:
            inside(root, target.path)
        except StoreError as error:
            raise StoreError(
                f"{os.path.join(journal, OPEN_JOURNAL)} is no journal of Engram's: {error.message}",
                hint=f"Look at the folder {JOURNAL}, and remove it.",
            ) from error
    try:
        if _all_staged(root, targets):
            kept = _finish(root, targets)
            said = [f"Finished an interrupted write: {note}.", *kept]
        else:
            _undo(root, targets, drop=False)
            said = [f"Undid an interrupted write, nothing of it was saved: {note}."]
    except OSError as error:
        raise store_error(error, root) from error
    _drop(journal)
    return said


def _check_old(root: str, writes: Sequence[Write]) -> None:
    for write in writes:
        path = inside(root, write.path)
        try:
            data = read_optional(path)
        except OSError as error:
            raise store_error(error, path) from error
        if ("" if data is None else digest(data)) != write.old:
            raise StoreError(
                f"{write.path} changed while it was being written, so nothing was saved.",
                hint="Run the command again: it will show the file as it is now.",
                path=write.path,
            )


def _write_open(journal: str, targets: Sequence[Target], note: str) -> None:
    text = dumps({"version": _VERSION, "note": note, "targets": [[t.path, t.old, t.new] for t in targets]}, indent=2)
    temporary = os.path.join(journal, "open.tmp")
    write_durable(temporary, text.encode("utf-8", "surrogateescape"))
    # The folder is made durable once, when everything is staged and before the first rename into place.
    replace(temporary, os.path.join(journal, OPEN_JOURNAL))


def _read_open(root: str) -> tuple[list[Target], str]:
    data = read_owned(root, f"{JOURNAL}/{OPEN_JOURNAL}")
    if data is None:
        return [], ""
    try:
        value = parse(data.decode("utf-8", "surrogateescape"))
        if not isinstance(value, dict) or value.get("version") != _VERSION:
            raise StoreError(
                f"{os.path.join(root, JOURNAL, OPEN_JOURNAL)} was written by another version of Engram.",
                hint="Finish with that version, or update this one.",
            )
        targets = [Target(*(str(part) for part in row)) for row in value["targets"]]
        return targets, str(value["note"])
    except (JsoncError, KeyError, TypeError) as error:
        raise StoreError(
            f"{os.path.join(root, JOURNAL, OPEN_JOURNAL)} cannot be read: {error}.",
            hint=f"Look at the folder {JOURNAL} beside it, save what you need, and remove that folder.",
        ) from error


def _keep_old(path: str, copy: str) -> None:
    try:
        os.link(path, copy)
    except OSError:  # no hard links here, or a file of another user
        with open(path, "rb") as file:
            write_durable(copy, file.read(), like=path)


def _put(root: str, journal: str, number: int, path: str, *, gone: bool) -> None:
    full = inside(root, path)
    if gone:
        try:
            remove(full)
        except FileNotFoundError:
            pass  # removed by the attempt that was interrupted
    else:
        replace(os.path.join(journal, f"{number}.new"), full)


def _hash_at(path: str) -> str:
    data = read_optional(path)
    return "" if data is None else digest(data)


def _all_staged(root: str, targets: Sequence[Target]) -> bool:
    journal = inside(root, JOURNAL)
    for number, target in enumerate(targets):
        if target.new and target.new not in {
            _hash_at(os.path.join(journal, f"{number}.new")),
            _hash_at(inside(root, target.path)),
        }:
            return False
    return True


def _finish(root: str, targets: Sequence[Target]) -> list[str]:
    journal = inside(root, JOURNAL)
    said: list[str] = []
    folders = []
    for number, target in enumerate(targets):
        full = inside(root, target.path)
        now = _hash_at(full)
        if now == target.new:
            continue
        if now != target.old:
            # Somebody edited the file after the crash: their bytes stay, ours are kept beside the memories.
            if merged := _merged(root, journal, number, targets):
                write_durable(os.path.join(journal, f"{number}.new"), merged, like=full)
            else:
                said.append(_set_aside(root, journal, number, target))
                continue
        make_folders(root, os.path.dirname(full))
        _put(root, journal, number, target.path, gone=not target.new)
        folders.append(os.path.dirname(full))
    for folder in dict.fromkeys(folders):
        sync_folder(folder)
    return said


def _merged(root: str, journal: str, number: int, targets: Sequence[Target]) -> bytes | None:
    """Return the bytes that a ledger or changelog which changed since the crash (a pull) gets; None for other files."""
    path = targets[number].path
    now = read_optional(inside(root, path)) or b""
    if path == LEDGER:
        hashes = parse_ledger(now)
        for target in targets:
            if target.path == LEDGER or _hash_at(inside(root, target.path)) != target.new:
                continue
            if target.new and target.path.endswith(".md") and "/" in target.path:
                hashes[target.path] = (target.new,)
            else:
                hashes.pop(target.path, None)
        return format_ledger(hashes)
    if path == CHANGELOG:
        staged = read_optional(os.path.join(journal, f"{number}.new")) or b""
        last = staged.rstrip(b"\n").rpartition(b"\n")[2]
        return now if last in now else now.rstrip(b"\n") + b"\n" + last + b"\n"
    return None


def _set_aside(root: str, journal: str, number: int, target: Target) -> str:
    if not target.new:
        return f"{target.path} changed since, so it was left in place."
    number_aside = 1
    while os.path.lexists(aside := inside(root, f"inbox/interrupted-{number_aside}.txt")):
        number_aside += 1
    make_folders(root, os.path.dirname(aside))
    replace(os.path.join(journal, f"{number}.new"), aside)
    sync_folder(os.path.dirname(aside))
    name = f"inbox/{os.path.basename(aside)}"
    return f"{target.path} changed since, so it was left as it is; the interrupted text is in {name}."


def _undo(root: str, targets: Sequence[Target], *, drop: bool = True) -> None:
    """Put the old bytes back wherever the new ones had arrived, last step first."""
    journal = inside(root, JOURNAL)
    try:
        for number, target in reversed(list(enumerate(targets))):
            full = inside(root, target.path)
            if _hash_at(full) != target.new or target.new == target.old:
                continue
            if target.old:
                replace(os.path.join(journal, f"{number}.old"), full)
            else:
                remove(full)
            sync_folder(os.path.dirname(full))
        if drop:
            _drop(journal)
    except OSError:
        if not drop:
            raise
        # The journal stays: the next command finishes or undoes it. The first error is the one to report.


def _drop(journal: str) -> None:
    try:
        remove(os.path.join(journal, OPEN_JOURNAL))
        # A journal that came back after a power cut, without its staged files, would be taken for one to undo.
        sync_folder(journal)
    except FileNotFoundError:
        pass
    _drop_leftovers(journal)


def _drop_leftovers(journal: str) -> None:
    try:
        with os.scandir(journal) as found:
            names = [entry.name for entry in found if entry.name.endswith((".new", ".old", ".tmp"))]
        for name in names:
            remove(os.path.join(journal, name))
    except FileNotFoundError:
        pass
