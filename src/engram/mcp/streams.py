"""The process's file descriptors: the wire for the protocol alone, everything else to stderr (C15, C24)."""

from __future__ import annotations

import _thread
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Outbox", "read_lines", "say", "take_over"]

_CHUNK = 1 << 16  # what a pipe holds on Linux
_LONGEST = 64 << 20  # bytes in a line; no host sends more, and the process must not grow without end
_BOM = b"\xef\xbb\xbf"


def take_over() -> tuple[int, int]:
    """Take fd 0 and 1 for the protocol alone; return private ones for reading and writing.

    Afterwards fd 1 is stderr and fd 0 is empty, so that no print of a library reaches the wire, and no subprocess eats
    from it. ``sys.stdout`` and ``sys.stderr`` go to stderr as far as somebody reads it: they never wait (C24).

    Raises:
        OSError: fd 0 or 1 is closed.
    """
    os.fstat(0)
    os.fstat(1)
    nothing = os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: 2, where stderr is closed
    reading, writing = os.dup(0), os.dup(1)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    if nothing == 2:
        os.set_inheritable(2, True)
    else:
        os.close(nothing)
    for name in ("stdout", "stderr"):
        stream = io.TextIOWrapper(_Stderr(), "utf-8", "backslashreplace", newline="\n", write_through=True)  # type: ignore[type-var, unused-ignore]
        setattr(sys, name, stream)
    return reading, writing


def say(text: str) -> None:
    """Write to standard error before it was taken over, as far as somebody reads it."""
    if sys.stderr is not None:  # closed: the number may be another file's by now
        _Stderr().write(text.encode("utf-8", "backslashreplace"))


class _Stderr(io.RawIOBase):
    """Standard error that drops what would have to wait for a reader."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, data: bytes | bytearray | memoryview) -> int:  # type: ignore[override]
        whole = bytes(data)
        with self._lock:
            try:
                self._write(whole)
            except OSError:
                pass  # closed: nobody wants to know
        return len(whole)

    @staticmethod
    def _write(whole: bytes) -> None:
        import select

        if not hasattr(select, "poll"):  # Windows cannot ask a pipe whether it has room
            os.write(2, whole)
            return
        room = select.poll()
        room.register(2, select.POLLOUT)
        for start in range(0, len(whole), select.PIPE_BUF):  # so much is taken at once by a pipe that has room
            if not room.poll(0):
                return
            os.write(2, whole[start : start + select.PIPE_BUF])


def read_lines(reading: int, take: Callable[[bytes | None], None], alive: Callable[[], None]) -> None:
    """Give every line that is not empty to ``take`` until the input ends; the last one may lack its line end.

    Args:
        reading: file descriptor.
        take: gets a line without its line end, or None for one of more than 64 MiB; a byte-order mark before the first
            one is gone.
        alive: called whenever something arrived.
    """
    parts: list[bytes] = []
    size = 0
    first = True

    def finish() -> None:
        nonlocal first, size
        line = b"".join(parts)
        too_long = size > _LONGEST
        parts.clear()
        size = 0
        if first:
            line = line.removeprefix(_BOM)
        first = False
        if too_long:
            take(None)
        elif line.strip(b" \t\r\n"):
            take(line)

    while True:
        try:
            chunk = os.read(reading, _CHUNK)
        except OSError:
            chunk = b""
        if not chunk:
            finish()
            return
        alive()
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            parts.append(part)
            size += len(part)
            finish()
        size += len(rest)
        if size > _LONGEST:
            parts.clear()
        elif rest:
            parts.append(rest)


class Outbox:
    """Sends lines in the order they come, from a thread of its own: whoever sends never waits for the host.

    Args:
        writing: file descriptor.
        broken: called once when the host closed its end.
    """

    def __init__(self, writing: int, broken: Callable[[], None]) -> None:
        self._writing = writing
        self._broken = broken
        self._lock = _thread.allocate_lock()
        self._gate = _thread.allocate_lock()
        self._gate.acquire()
        self._lines: list[bytes] = []
        self._busy = False
        self._stopped = False

    def send(self, line: bytes) -> None:
        """Send a line, which is given without its line end."""
        with self._lock:
            if self._stopped:
                return
            self._lines.append(line)
            if len(self._lines) == 1:
                self._gate.release()

    def empty(self) -> bool:
        """Say whether everything was handed to the host."""
        return not self._lines and not self._busy

    def stop(self) -> None:
        """Send nothing more but what is on its way: no line is cut (C29b)."""
        with self._lock:
            self._stopped = True
            self._lines.clear()

    def run(self) -> None:
        """Send for ever; the body of the thread."""
        while True:
            self._gate.acquire()
            with self._lock:
                lines, self._lines = self._lines, []
                self._busy = True
            try:
                _write_all(self._writing, b"\n".join([*lines, b""]))
            except OSError:
                self.stop()
                self._broken()
            self._busy = False


def _write_all(writing: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(writing, view) :]
