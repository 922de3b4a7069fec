"""``engram hook <host>``: a host's JSON comes in, recall runs, that host's JSON goes out (C59b, C59c).

Whatever happens the exit status is 0 and the host gets what its schema allows: a hook that fails must not keep a human
from working. It ends by its own clock.
"""

from __future__ import annotations

import os
import sys

from engram.config.limits import shortened
from engram.hooks.events import EVENTS, Event, read_event, reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.service.session import Session

__all__ = ["run_hook"]

# How long a hook takes at most; ``ENGRAM_HOOK_TIMEOUT`` can only shorten it.
_LIMIT_S = 2.0
_TOO_LATE = b"engram hook: it took too long, so nothing was given; %s\n"
_STATUS = b"engram status brings the index up to date once"
_LATER = b"the index is being made, for the prompts to come"


def run_hook(words: Sequence[str]) -> int:
    """Answer one event of a host.

    Args:
        words: the name of the host.

    Returns:
        0.
    """
    host = words[0] if words else ""
    printer = _Printer(host)
    printer.watch(shortened(os.environ, "ENGRAM_HOOK_TIMEOUT", _LIMIT_S))
    try:
        payload = _standard_input()
        if host not in EVENTS:
            names = ", ".join(sorted(EVENTS))
            printer.complain(f"engram hook: {host or 'no host'} is none of {names}")
            return 0
        event = read_event(host, payload, os.environ)
        printer.event = event
        if event.kind:
            _answer(event, printer)
        printer.print("")
    except Exception as error:  # noqa: BLE001 (the host's prompt goes on, whatever is wrong here)
        printer.complain(f"engram hook: {getattr(error, 'message', None) or error or type(error).__name__}")
        printer.print("")
    return 0


def _answer(event: Event, printer: _Printer) -> None:
    import time

    from engram.service.giving import let_out
    from engram.service.injecting import for_prompt, for_start
    from engram.service.seen import session_key
    from engram.service.session import Session

    began = time.time()
    session = Session(event.folder)
    if not session.roots:
        return
    printer.session = session
    session.progress = lambda _: printer.index_takes_long()
    key = session_key(event.host, event.session)
    if event.kind == "start":
        injection = for_start(session, key, event.source, began)
    else:
        injection = for_prompt(session, key, event.prompt, event.id, began)
    if injection.text and printer.print(let_out(injection.text, lambda: session)):
        injection.done()


class _Printer:
    """Prints one answer, once; a watch prints the empty one when the time is over."""

    def __init__(self, host: str) -> None:
        import _thread

        self.host = host
        # Until the payload was read: a host that takes nothing but JSON gets it also when the time ends before that.
        self.event = Event(host, "", "") if host in EVENTS else None
        self.session: Session | None = None
        """Whose memory is asked, once there is some."""
        self._printed = False
        self._lock = _thread.allocate_lock()

    def print(self, text: str) -> bool:
        """Print the answer with this text for the agent, unless one was printed; tell whether it arrived."""
        with self._lock:
            return self._print(text)

    def _print(self, text: str) -> bool:
        if self._printed:
            return False
        self._printed = True
        data = reply(self.event, text) if self.event else b""
        try:
            while data:
                data = data[os.write(1, data) :]
        except OSError:
            return False  # the host has gone, or closed its end
        return True

    def watch(self, seconds: float) -> None:
        """Print the empty answer and end the process when the time is over."""
        import _thread
        import time

        def wait() -> None:
            time.sleep(seconds)
            with self._lock:
                if self._print("") and self.event and self.event.kind:
                    try:
                        os.write(2, _TOO_LATE % (_LATER if self._leave_index() else _STATUS))
                    except OSError:
                        pass
                os._exit(0)

        _thread.start_new_thread(wait, ())

    def index_takes_long(self) -> None:
        """Let another process make an index where one is at it: two at once would both be done later.

        Raises:
            StaleError: it has done so.
        """
        from engram.hooks.later import wait_for_index

        wait_for_index(self._caches())

    def _leave_index(self) -> bool:
        """Leave an index that is half made to a process of its own, for this one takes its half with it."""
        if self.session is None or self.event is None:
            return False
        from engram.hooks.later import index_later

        return index_later(self.event.folder, self._caches())

    def _caches(self) -> list[str]:
        from engram.service.caches import cache_of

        return [cache_of(self.session, root) for root in self.session.roots] if self.session else []

    @staticmethod
    def complain(message: str) -> None:
        """Say what is wrong, where hosts keep their logs."""
        from engram.service.giving import let_out

        try:
            os.write(2, f"{let_out(message, lambda: None)}\n".encode("utf-8", "replace"))
        except OSError:
            pass


def _standard_input() -> bytes:
    """Read standard input to its end (C59b); nothing where it is closed."""
    if sys.stdin is None:
        return b""
    chunks = []
    try:
        while chunk := os.read(0, 1 << 20):
            chunks.append(chunk)
    except OSError:
        pass
    return b"".join(chunks)
