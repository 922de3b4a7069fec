"""What the calls of one server share: where memory is looked for, and what is kept from call to call."""

from __future__ import annotations

import _thread
import os

from engram.mcp.call import CancelledError
from engram.mcp.dialogs import Dialogs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from engram.mcp.call import Call
    from engram.mcp.dialogs import Answer, Question
    from engram.mcp.registry import InputRequired
    from engram.service.session import Session
    from engram.service.shelf import Shelf

__all__ = ["Desk"]


class Desk:
    """Where the tools, resources and prompts of one server get their session.

    Args:
        workspace: ``--workspace``, empty for none.
        environ: the process's environment.
        dialogs: False under ``--no-elicitation``: nobody is asked in a dialog, whatever the client declares (C13).
    """

    def __init__(self, workspace: str, environ: Mapping[str, str], *, dialogs: bool = True) -> None:
        self.dialogs = Dialogs(on=dialogs)
        self.environ = environ
        # C14a; as an absolute path, so that a folder that is made anew at the same place is found again.
        folder = workspace or environ.get("CLAUDE_PROJECT_DIR", "")
        try:
            self.start = os.path.abspath(folder) if folder else os.getcwd()
        except OSError:
            self.start = folder  # the process's folder is gone: an answer says so, the start does not (C14a)
        self._lock = _thread.allocate_lock()
        self._shelf: Shelf | None = None

    def session(self, call: Call) -> Session:
        """Return a session for one call; a long index shows its progress to that call's client, and stops with it."""
        from engram.service.session import Session

        with self._lock:
            if self._shelf is None:
                from engram.service.shelf import Shelf

                self._shelf = Shelf()
        session = Session(self.start, self.environ, self._shelf)
        session.progress = _progress(call)
        return session

    def ask(self, call: Call, session: Session, question: Question, token: str = "") -> Answer | InputRequired:
        """Ask the human of a client that can be asked, within ``mcp.dialog_timeout`` (C49).

        Args:
            call: that waits for the answer.
            session: of that call.
            question: for the human.
            token: of the open proposal that the question is about, which goes when the call is withdrawn (C31).

        Raises:
            CancelledError: the client withdrew the call.
        """
        try:
            return self.dialogs.ask(call, question, timeout=session.settings.integer("mcp.dialog_timeout"))
        except CancelledError:
            if token:
                from engram.service.declining import withdraw

                withdraw(session, token)
            raise

    def let_out(self, value: Any) -> Any:
        """Return what the server is about to say, without the keys in it (decision 8)."""
        from engram.service.giving import let_out_data

        return let_out_data(value, self._plain_session)

    def _plain_session(self) -> Session:
        from engram.service.session import Session

        return Session(self.start, self.environ)


def _progress(call: Call) -> Callable[[int], None]:
    """Return what takes the numbers of files read so far, which begin anew with each memory root."""
    before = last = 0

    def show(count: int) -> None:
        nonlocal before, last
        call.check()
        if count < last:
            before += last
        last = count
        call.progress(before + count, message=f"Reading all memory once to index it: {before + count:,} files")

    return show
