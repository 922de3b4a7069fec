"""The person's own editor: ``$VISUAL``, else ``$EDITOR``, on a copy in their configuration folder (F4)."""

from __future__ import annotations

import sys

from engram.errors import EngramError, UsageError
from engram.portable import command_words
from engram.safety.fence import show_line
from engram.service.working_copy import WorkingCopy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.service.session import Session

__all__ = ["EditedCopy", "editor_words"]


def editor_words(environ: Mapping[str, str]) -> list[str]:
    """Return the command of the person's editor.

    Raises:
        UsageError: when none is set, or what is set is no command line.
    """
    name = next((name for name in ("VISUAL", "EDITOR") if environ.get(name, "").strip()), "")
    if not name:
        raise UsageError("No editor is set.", hint="Set one, for example: export EDITOR=nano")
    try:
        return command_words(environ[name])
    except ValueError as error:
        raise UsageError(
            f"The editor in {name} is no command line: {error}.", hint="Set it, for example: export EDITOR=nano"
        ) from error


class EditedCopy(WorkingCopy):
    """A working copy that the person's editor is opened on.

    Raises:
        UsageError: when no editor is set.
        StoreError: when the configuration folder cannot be written.
    """

    def __init__(self, session: Session, name: str, data: bytes) -> None:
        self._words = editor_words(session.environ)
        super().__init__(session, name, data)

    def edit(self) -> bytes:
        """Let the person edit the copy, and return what stands in it then.

        Raises:
            EngramError: when the editor cannot be started, ends with an error, or leaves no file.
            FormatError: when the file is larger than a memory may be.
        """
        import signal
        import subprocess

        sys.stdout.flush()
        # Ctrl-C in the editor is for the editor; a handler, unlike SIG_IGN, is not what the editor begins with.
        before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
        shown = show_line(self._words[0])
        try:
            code = subprocess.run([*self._words, self.path], check=False).returncode  # noqa: S603 (the person's own)
        except OSError as error:
            raise EngramError(
                f"The editor {shown} cannot be started: {error.strerror}.",
                hint="Nothing was changed. Set VISUAL or EDITOR to a program that is there.",
            ) from error
        finally:
            signal.signal(signal.SIGINT, before)
        if code:
            raise EngramError(f"The editor {shown} ended with status {code}, so nothing was changed.")
        try:
            return self.read()
        except OSError as error:
            raise EngramError(f"The editor {shown} left no file, so nothing was changed.") from error
