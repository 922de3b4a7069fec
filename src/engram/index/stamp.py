"""Whether anything changed since the index was made, for the price of a handful of stats (architecture, decision 1).

A stamp has a line for the ledger and for each folder of active memories: name, size, mtime and ctime in nanoseconds,
inode. Contents are no part of it: whatever is about to be shown is hashed (F13).
"""

from __future__ import annotations

import os

from engram.model import FOLDERS
from engram.portable import spelled
from engram.store.files import LEDGER, LEGACY_LEDGER, leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["changed_names", "folders_in", "left_alone_in", "list_folder", "stamp_line", "stamp_of"]

_ALWAYS = (LEDGER, LEGACY_LEDGER, *FOLDERS.values())


def stamp_of(root: str, folders: Iterable[str] = (), left_alone: str = "") -> str:
    """Return the stamp of a root's ledgers, its three folders, and the given sub-folders.

    Args:
        root: the memory root.
        folders: its sub-folders that hold memories.
        left_alone: what changes when other files are left alone than before; it ends the stamp.
    """
    lines = [stamp_line(root, name) for name in (*_ALWAYS, *folders)]
    return "\n".join(lines) + (f"\x1f{left_alone}" if left_alone else "")


def stamp_line(root: str, name: str) -> str:
    """Return the line of a stamp for one ledger or folder of a root; it ends in ``-`` where there is none."""
    try:
        info = os.lstat(f"{root}/{name}")
    except OSError:
        return f"{name}\t-"
    return f"{name}\t{info.st_size} {info.st_mtime_ns} {info.st_ctime_ns} {info.st_ino}"


def folders_in(stamp: str) -> list[str]:
    """Return the sub-folders that a stamp names beside what every stamp has."""
    return [line.partition("\t")[0] for line in stamp.split("\n")[len(_ALWAYS) :]]


def left_alone_in(stamp: str) -> str:
    """Return what a stamp says of the files that are left alone."""
    return stamp.partition("\x1f")[2]


def changed_names(old: str, new: str) -> list[str]:
    """Return the names whose lines differ between two stamps of the same names."""
    pairs = zip(old.split("\n"), new.split("\n"), strict=True)
    return [line.partition("\t")[0] for before, line in pairs if before != line]


def list_folder(
    root: str, folder: str, ignores: Callable[[str, bool], bool] | None = None
) -> tuple[list[str], list[str]]:
    """Return the memory files and the sub-folders directly in a folder, as paths from the root, sorted.

    Links are files, which ``store.files`` reads or refuses; hidden names are passed over (F2), and so is what
    ``ignores`` says of a path and whether it is a folder.
    """
    if leaves(root, folder) or (ignores is not None and ignores(folder, True)):
        return [], []
    try:
        names = sorted(map(spelled, os.listdir(f"{root}/{folder}")))
    except (FileNotFoundError, NotADirectoryError):
        return [], []  # a folder that is there and cannot be read is no empty one: that goes up to the caller
    files, folders = [], []
    for name in names:
        if name.startswith("."):
            continue
        path = f"{folder}/{name}"
        # Asking each of ten thousand names what it is would take longer than everything else here.
        if name.endswith(".md"):
            files.append(path)
        elif os.path.isdir(f"{root}/{path}") and not os.path.islink(f"{root}/{path}"):
            folders.append(path)
    if ignores is not None:
        files = [path for path in files if not ignores(path, False)]
        folders = [path for path in folders if not ignores(path, True)]
    return files, folders
