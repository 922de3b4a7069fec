"""One server process: its threads, its signals and its end.

The main thread only waits for a reason to end. One thread reads and answers what needs no time, one writes, and calls
run in threads that are started when they are needed.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from engram.mcp.kernel import Kernel
from engram.mcp.streams import Outbox, read_lines, say, take_over
from engram.mcp.workers import Workers, start_thread
from engram.portable import WINDOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable

    from engram.mcp.registry import Registry
else:
    try:
        import _signal  # what `signal` wraps; the wrapper costs a third of the interpreter's start for its enums
    except ImportError:
        import signal as _signal

__all__ = ["ORPHAN_SECONDS", "serve"]

_WORKERS = 4  # calls at a time; Python runs one at a time anyway, and who waits for a human does not count
_LOOK_SECONDS = 10.0  # how often the main thread looks whether the parent is still there
_FIRST_LOOK_SECONDS = 0.05
_LOOK_SECONDS_WINDOWS = 0.5  # there a signal does not wake it
ORPHAN_SECONDS = 35.0  # with the look before it and the one after it, less than a minute (F3 of the complaints)
_ANSWER_SECONDS = 0.8  # after the end of the input, for requests read before it (C30: a second in all)
_WRITE_SECONDS = 1.0  # after a signal, for a call that changes something just now
_DIGITS = 100_000  # of an integer; Python's own limit of 4,300 would refuse an id of 10,000


def serve(registry: Registry, *, orphan_seconds: float = ORPHAN_SECONDS) -> int:
    """Serve one host over standard input and output until it closes, signals or goes away; return the exit code.

    Args:
        registry: what is offered.
        orphan_seconds: without a parent and without a request for so long, the process ends.
    """
    parent = os.getppid()
    end = _End()
    for number in (_signal.SIGINT, _signal.SIGTERM):
        _signal.signal(number, lambda _number, _frame: end.post("signal"))
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(_DIGITS)
    try:
        reading, writing = take_over()
    except OSError as error:
        say(f"engram-mcp talks over standard input and output; one is closed: {error.strerror}.\n")
        return 1
    outbox = Outbox(writing, lambda: end.post("broken"))
    kernel = Kernel(registry, outbox.send, Workers(_WORKERS), _note)
    start_thread(_masked(outbox.run))
    start_thread(_masked(lambda: _read(reading, kernel, end)))
    reason = _wait(end, parent, orphan_seconds)
    kernel.close()
    if reason == "input":
        _until(lambda: kernel.idle() and outbox.empty(), _ANSWER_SECONDS)
    else:
        outbox.stop()
        _until(lambda: not kernel.writing() and outbox.empty(), _WRITE_SECONDS)
    if not kernel.idle() or not outbox.empty() or _end_would_wait():
        # Threads are still at work, or rest for ever; the interpreter's own end could wait for them or what they hold.
        os._exit(0)
    return 0


def _end_would_wait() -> bool:
    """Say whether the interpreter would wait for another thread as if that were the main one.

    Up to Python 3.12 it does where a call imported ``threading`` first, as ``subprocess`` does.
    """
    threading = sys.modules.get("threading")
    return threading is not None and bool(threading.main_thread().ident != _thread.get_ident())


class _End:
    """Why the process ends, and since when nothing arrived."""

    def __init__(self) -> None:
        self.reason = ""
        self.last_input = time.monotonic()
        self.gate = _thread.allocate_lock()
        self.gate.acquire()

    def post(self, reason: str) -> None:
        """Give a reason to end; only the first one counts. May run in a signal handler: it takes no lock."""
        self.reason = self.reason or reason
        try:
            self.gate.release()
        except RuntimeError:
            pass  # released before, and not looked at yet

    def alive(self) -> None:
        """Note that something arrived."""
        self.last_input = time.monotonic()


def _masked(body: Callable[[], None]) -> Callable[[], None]:
    """Return a thread's body that leaves signals to the main thread, which alone runs their handlers."""

    def run() -> None:
        if hasattr(_signal, "pthread_sigmask"):
            _signal.pthread_sigmask(_signal.SIG_BLOCK, [_signal.SIGINT, _signal.SIGTERM])
        body()

    return run


def _read(reading: int, kernel: Kernel, end: _End) -> None:
    def take(line: bytes | None) -> None:
        try:
            kernel.receive(line)
        except Exception as error:  # noqa: BLE001 (one message must not end the reader)
            _note("a message", error)

    read_lines(reading, take, end.alive)
    end.post("input")


def _wait(end: _End, parent: int, orphan_seconds: float) -> str:
    """Wait for a reason to end: one that is posted, or a parent that is gone while nothing arrives."""
    gone_since: float | None = None
    most = min(_LOOK_SECONDS_WINDOWS if WINDOWS else _LOOK_SECONDS, max(orphan_seconds / 2, 0.01))
    # A signal on the way into the wait does not end it, and while the threads start that way can take milliseconds.
    look = min(_FIRST_LOOK_SECONDS, most)
    while not end.reason:
        end.gate.acquire(timeout=look)
        look = min(2 * look, most)
        now = time.monotonic()
        if os.getppid() == parent:
            continue
        # A starter that only wraps the host's command may end while the host goes on: as long as it asks, we stay.
        gone_since = gone_since or now
        if now - max(gone_since, end.last_input) >= orphan_seconds:
            return end.reason or "orphan"
    return end.reason


def _until(done: Callable[[], bool], seconds: float) -> None:
    limit = time.monotonic() + seconds
    while not done() and time.monotonic() < limit:
        time.sleep(0.002)


def _note(where: str, error: BaseException) -> None:
    """Log a failure on stderr, with its traceback: nothing of that goes to the client (C29)."""
    import traceback

    text = "".join(traceback.format_exception(error))
    sys.stderr.write(f"engram-mcp: {where} failed\n{text}")
