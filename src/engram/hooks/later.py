"""The index of very many memories, made by a process of its own: a hook has no time for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from engram.index.leftovers import makers
from engram.index.refresh import INDEX_FILE
from engram.index.writing import StaleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["index_later", "wait_for_index"]

_LOOK_EVERY_S = 0.05


def wait_for_index(caches: Sequence[str]) -> None:
    """Return at once where no older process makes the indexes in these folders; else wait until it has.

    Raises:
        StaleError: it has: what this process has of them is of no use.
    """
    if _older_is_at_it(caches):
        while _older_is_at_it(caches):
            time.sleep(_LOOK_EVERY_S)
        raise StaleError


def index_later(folder: str, caches: Sequence[str]) -> bool:
    """Where this process is about to make an index, have ``engram status`` do it, which outlives it and then ends.

    Args:
        folder: where that command begins to look for memory.
        caches: the folders of the indexes.

    Returns:
        True where a process is at it, be it that one or an older one.
    """
    if not any(os.getpid() in makers(os.path.join(cache, INDEX_FILE)) for cache in caches):
        return False
    if _older_is_at_it(caches):
        return True
    if not sys.executable:
        return False
    try:
        # -P: what lies in a project's folder is no module of ours. No end of a pipe is handed on: hosts read a hook's
        # output to its end.
        subprocess.Popen(
            [sys.executable, "-P", "-m", "engram", "status"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
    except OSError:
        return False
    return True


def _older_is_at_it(caches: Sequence[str]) -> bool:
    """Tell whether a process that began before this one makes an index: its number is lower, as a rule.

    Of two hooks that are at it together, one waits for the other, and not each for each.
    """
    return any(process < os.getpid() for cache in caches for process in makers(os.path.join(cache, INDEX_FILE)))
