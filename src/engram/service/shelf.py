"""What a process that lives long keeps between its calls; no call sees anything older than a new process would.

Each call has a session of its own, as everywhere. What takes long is kept here: open indexes, which are looked over by
the same few stats that a cold process makes before they serve again, and what the rules found in memories, by the hash
of their bytes, which no change can make wrong, and what a pull brought. An index is on the shelf or in the hands of one
call, never of two. (Memories that were parsed are known by the hash of their bytes in ``store.root``.)
"""

from __future__ import annotations

import _thread
import os
import time

from engram.index.refresh import is_current, put_away

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.index.refresh import Index
    from engram.service.pulled import PulledKept
    from engram.store.root import MemoryRoot

__all__ = ["Shelf"]

# Indexes of one root that wait to serve: as many as calls ask at the same time, as a rule.
_MOST = 2
# For so many seconds an index in memory serves in place of a file that could not be used, before that is tried again.
_RETRY_SECONDS = 30.0


class Shelf:
    """Keeps open indexes between calls; any number of threads may use it."""

    def __init__(self) -> None:
        self._making = _thread.allocate_lock()
        self._kept: dict[str, list[tuple[float, Index]]] = {}
        self._history: dict[str, tuple[int, ...]] = {}
        self.pulled: dict[str, PulledKept] = {}
        """What a pull brought, by root."""
        self.found: dict[str, dict[str, tuple[str, ...]]] = {}
        """What the rules found in memories, by root and by the hash of their bytes; ``service.giving`` keeps it."""

    def __del__(self) -> None:
        for kept in self._kept.values():
            for _, index in kept:
                index.source.close()

    def take(self, root: MemoryRoot, make: Callable[[], Index]) -> Index:
        """Return an index that says what the files say now; give it back with ``put``.

        Args:
            root: the memory root.
            make: opens the index where none is kept. One call at a time does that: two threads of one process must not
                write the same index, and the second one finds it made.
        """
        kept = self._kept.setdefault(root.path, [])
        while kept:
            try:
                since, index = kept.pop()
            except IndexError:
                break  # another thread was faster
            retry = index.fallback and time.monotonic() - since > _RETRY_SECONDS
            if not retry and is_current(root, index):
                return index
            index.source.close()
        with self._making:
            return make()

    def put(self, root: MemoryRoot, index: Index) -> None:
        """Keep an index for the next call, or close it."""
        kept = self._kept.setdefault(root.path, [])
        if len(kept) >= _MOST:
            index.source.close()
        elif put_away(index):
            kept.append((time.monotonic(), index))

    def history_is_known(self, folder: str) -> bool:
        """Tell whether a Git folder is as it was when this was last asked: then no ``git`` need be started again (F18).

        Git writes into it with whatever changes the history, and another repository at its place has other stats.
        """
        try:
            info = os.stat(folder)
        except OSError:
            return False
        now = (info.st_dev, info.st_ino, info.st_mtime_ns, info.st_ctime_ns)
        known = self._history.get(folder) == now
        self._history[folder] = now
        return known
