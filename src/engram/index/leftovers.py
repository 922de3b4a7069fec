"""The files in which something new is written before it takes its name, and those that a killed process left."""

from __future__ import annotations

import _thread
import os
import time

from engram.portable import runs

__all__ = ["makers", "sweep", "temporary_of"]

# The number of a process that is gone may be another one's by now. No index takes so many seconds to make.
_AT_WORK_S = 600


def temporary_of(path: str) -> str:
    """Return where this thread writes what will replace a file; nobody else writes there."""
    return f"{path}.{os.getpid()}.{_thread.get_ident()}.new"


def sweep(path: str) -> None:
    """Remove what processes that are gone left beside a file; without a word where that cannot be.

    Where processes of two machines or containers share a folder, one that is at work may look gone to the other. It
    then fails as on a folder that it cannot write, and answers without an index.
    """
    for found, process in _beside(path):
        if not runs(process):
            try:
                os.unlink(found)
            except OSError:
                pass  # Windows removes nothing that is open: then it is at work after all


def makers(path: str) -> set[int]:
    """Return the numbers of the processes that are at work on a new file for this place, as far as can be known."""
    return {process for found, process in _beside(path) if runs(process) and _is_fresh(found)}


def _is_fresh(path: str) -> bool:
    try:
        return abs(time.time() - os.stat(path).st_mtime) < _AT_WORK_S
    except OSError:
        return False  # it has taken its name, or is gone


def _beside(path: str) -> list[tuple[str, int]]:
    """Return the files in which something new is or was written, with the numbers of the processes that did."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    numbers = [
        (os.path.join(folder, found), found[len(name) + 1 :].partition(".")[0])
        for found in names
        if found.startswith(f"{name}.") and found.endswith(".new")
    ]
    return [(found, int(number)) for found, number in numbers if number.isascii() and number.isdecimal()]
