"""The files in which something new is written before it takes its name, and those that a killed process left."""

from __future__ import annotations

import _thread
import os

from engram.portable import runs

__all__ = ["makers", "sweep", "temporary_of"]


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
    return {process for _, process in _beside(path) if runs(process)}


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
