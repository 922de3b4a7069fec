"""One request, as its handler sees it."""

from __future__ import annotations

import _thread

from engram.mcp.protocol import MISSING_CAPABILITY, ProtocolError, missing_capability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from engram.mcp.kernel import Kernel

__all__ = ["AskError", "Call", "CancelledError", "Waiter"]


class CancelledError(BaseException):
    """The client withdrew the call: no answer is sent (C31). Not an ``Exception``, so that no handler swallows it."""


class AskError(Exception):
    """A question to the client brought no result.

    Args:
        reason: ``timeout``, ``error`` (the client answered with one) or ``closed`` (it went away).
        message: for a log.
    """

    def __init__(self, reason: Literal["timeout", "error", "closed"], message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Waiter:
    """Lets one thread wait until another one says why to stop."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._gate = _thread.allocate_lock()
        self._gate.acquire()
        self.outcome: Any = None

    def resolve(self, outcome: object) -> None:
        """Give the reason, which is never None; only the first one counts."""
        with self._lock:
            if self.outcome is None:
                self.outcome = outcome
                self._gate.release()

    def wait(self, seconds: float | None) -> Any:
        """Return the reason, or None when the time is over first; without end for None."""
        # A lock takes no more than some 292 years, in seconds; nobody means more than a day.
        self._gate.acquire(timeout=-1 if seconds is None else min(max(seconds, 0.0), 86_400.0))
        return self.outcome


_CANCELLED = object()
_CLOSED = object()


class Call:
    """One request, as its handler sees it; good in the handler's own thread, until it returns.

    Attributes:
        id: of the request.
        method: of the request.
        modern: whether the request carries its revision (C16); then nothing may be asked of the client in between.
        revision: the protocol's revision that the answer has to keep.
        capabilities: what the client declared, with this request (modern) or in its handshake.
        client: ``name``, ``version``, … as the client gave them; may be empty.
        meta: ``_meta`` of the request.
        responses: answers to what an earlier ``InputRequired`` asked (modern retry); None when it is no retry.
        state: ``requestState`` of a retry, as the client sent it: check it before you believe it (C51, C52).
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        id: str | int,  # noqa: A002 (its name in the protocol)
        method: str,
        revision: str,
        modern: bool,
        capabilities: dict[str, Any],
        client: dict[str, Any],
        meta: dict[str, Any],
    ) -> None:
        self.id = id
        self.method = method
        self.modern = modern
        self.revision = revision
        self.capabilities = capabilities
        self.client = client
        self.meta = meta
        self.responses: dict[str, dict[str, Any]] | None = None
        self.state: str | None = None
        self.open = True
        self.writing = False
        self._kernel = kernel
        self._cancelled = False
        self._waiter: Waiter | None = None
        self._lock = _thread.allocate_lock()

    def lacks(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """Return the capability that the client would have to declare for this question; None when it did (C22)."""
        return missing_capability(self.capabilities, method, params or {})

    def require(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Make sure that the client declared what this question needs.

        Raises:
            ProtocolError: -32021 with ``data.requiredCapabilities`` (C22).
        """
        lacking = self.lacks(method, params)
        if lacking is not None:
            names = ", ".join(lacking)
            raise ProtocolError(
                MISSING_CAPABILITY,
                f"This needs a client that declares the capability {names}.",
                {"requiredCapabilities": lacking},
            )

    def check(self) -> None:
        """Raise ``CancelledError`` when the client withdrew the call; for loops that take long."""
        if self._cancelled:
            raise CancelledError

    def begin_write(self) -> None:
        """Say that from here on the call changes something: a cancellation comes too late to stop it (C31).

        Raises:
            CancelledError: it came earlier; nothing may be written.
        """
        with self._lock:
            if self._cancelled:
                raise CancelledError
            self.writing = True

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification that belongs to this call; nothing is sent once it is over."""
        with self._lock:  # so that none can follow the answer or the cancellation
            if self.open and not self._cancelled:
                self._kernel.notify(method, params)

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report progress to a client that gave a ``progressToken``; to others nothing is sent. ``done`` only grows."""
        token = self.meta.get("progressToken")
        if token is None:
            return
        params: dict[str, Any] = {"progressToken": token, "progress": done}
        if total is not None:
            params["total"] = total
        if message:
            params["message"] = message
        self.notify("notifications/progress", params)

    def ask(self, method: str, params: dict[str, Any], *, timeout: float) -> dict[str, Any]:
        """Ask something of a legacy client and wait; other requests are served meanwhile (C50).

        Args:
            method: such as ``elicitation/create``.
            params: of the question.
            timeout: in seconds; the question is withdrawn afterwards (C49).

        Returns:
            The ``result`` of the client's answer; what it holds is the client's word: check it.

        Raises:
            AskError: no answer in time, an error for an answer, or the client went away (C30).
            CancelledError: the client withdrew the call.
            ProtocolError: the client did not declare what the question needs (C22), or the call is modern, where a
                handler returns ``InputRequired`` instead.
        """
        if self.modern:
            raise ProtocolError(MISSING_CAPABILITY, "The server asks nothing by itself in this revision.", {})
        self.require(method, params)
        waiter, number = Waiter(), self._kernel.open_question()
        self._kernel.await_answer(number, waiter)
        try:
            self._attach(waiter)
            self._kernel.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            answer = self._rest(waiter, timeout)
        finally:
            self._kernel.close_question(number)
        if answer is None or answer is _CANCELLED:
            reason = "no answer in time" if answer is None else "the call was cancelled"
            self._kernel.notify("notifications/cancelled", {"requestId": number, "reason": reason})
        if answer is None:
            raise AskError("timeout", f"no answer to {method} in {timeout:g} seconds")
        if answer is _CANCELLED:
            raise CancelledError
        if answer is _CLOSED:
            raise AskError("closed", "the client went away")
        if not isinstance(answer.get("result"), dict):
            raise AskError("error", f"the client answered {method} with an error")
        result: dict[str, Any] = answer["result"]
        return result

    def rest(self, seconds: float | None = None) -> None:
        """Wait without keeping other calls waiting: for a while, or until the server ends.

        Raises:
            CancelledError: the client withdrew the call.
        """
        waiter = Waiter()
        self._attach(waiter)
        if self._rest(waiter, seconds) is _CANCELLED:
            raise CancelledError

    def cancel(self) -> None:
        """Note that the client withdrew the call; whoever waits in it wakes up."""
        with self._lock:
            self._cancelled = True
            waiter = self._waiter
        if waiter is not None:
            waiter.resolve(_CANCELLED)

    def close(self) -> None:
        """Note that the client is gone: no question will be answered any more."""
        with self._lock:
            waiter = self._waiter
        if waiter is not None:
            waiter.resolve(_CLOSED)

    def finish(self) -> bool:
        """End the call; return whether its answer may still be sent."""
        with self._lock:
            self.open = False
            return not self._cancelled

    def _attach(self, waiter: Waiter) -> None:
        with self._lock:
            self._waiter = waiter
            cancelled = self._cancelled
        if cancelled:
            waiter.resolve(_CANCELLED)
        elif self._kernel.closed:
            waiter.resolve(_CLOSED)

    def _rest(self, waiter: Waiter, seconds: float | None) -> Any:
        self._kernel.workers.pause()
        try:
            return waiter.wait(seconds)
        finally:
            self._kernel.workers.resume()
            with self._lock:
                self._waiter = None
