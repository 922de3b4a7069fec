"""Threads that run calls, started when they are needed.

``_thread`` and not ``threading``: the latter costs a quarter of the interpreter's start, and nothing of it is needed
here. Such threads never keep the process from ending.
"""

from __future__ import annotations

import _thread
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Workers", "start_thread"]


def start_thread(function: Callable[[], None]) -> None:
    """Run a function in a thread of its own that ends with the process."""
    threading = sys.modules.get("threading")
    if threading is not None:  # coverage and debuggers load it, and see only the threads that it starts
        threading.Thread(target=function, daemon=True).start()
    else:
        _thread.start_new_thread(function, ())


class _Worker:
    def __init__(self, job: Callable[[], None]) -> None:
        self.job = job
        self.gate = _thread.allocate_lock()
        self.gate.acquire()


class Workers:
    """Runs jobs in up to ``limit`` threads at a time; more wait in order.

    A job that waits for somebody (a human in a dialog) says so with ``pause`` and ``resume``, and does not count
    meanwhile: any number of dialogs leaves room for other calls (C50).
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = _thread.allocate_lock()
        self._running = 0
        self._idle: list[_Worker] = []
        self._backlog: list[Callable[[], None]] = []

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job, which must not raise, as soon as there is room."""
        with self._lock:
            self._backlog.append(job)
            self._fill()

    def pause(self) -> None:
        """Say that the calling job waits from now on."""
        with self._lock:
            self._running -= 1
            self._fill()

    def resume(self) -> None:
        """Say that the calling job goes on."""
        with self._lock:
            self._running += 1

    def _fill(self) -> None:
        while self._backlog and self._running < self._limit:
            job = self._backlog.pop(0)
            self._running += 1
            if self._idle:
                worker = self._idle.pop()
                worker.job = job
                worker.gate.release()
            else:
                worker = _Worker(job)
                start_thread(lambda worker=worker: self._work(worker))  # type: ignore[misc]

    def _work(self, worker: _Worker) -> None:
        while True:
            worker.job()
            with self._lock:
                self._running -= 1
                self._idle.append(worker)
                self._fill()
            worker.gate.acquire()
