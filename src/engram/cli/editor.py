"""The person's own editor: ``$VISUAL``, else ``$EDITOR``, on a copy in their configuration folder (F4)."""

from __future__ import annotations

import os
import sys

from engram.errors import EngramError, UsageError
from engram.safety.fence import show_line
from engram.store.files import read_guarded, store_error, write_durable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from engram.service.session import Session

__all__ = ["EditedCopy", "editor_words"]

_LONGEST_NAME = 200  # bytes, which every file system takes


def editor_words(environ: Mapping[str, str]) -> list[str]:
    """Return the command of the person's editor.

    Raises:
        UsageError: when none is set, or what is set is no command line.
    """
    import shlex

    name = next((name for name in ("VISUAL", "EDITOR") if environ.get(name, "").strip()), "")
    if not name:
        raise UsageError("No editor is set.", hint="Set one, for example: export EDITOR=nano")
    try:
        if os.name == "nt":  # a backslash is no escape in a Windows path
            return [word.strip('"') for word in shlex.split(environ[name], posix=False)]
        return shlex.split(environ[name])
    except ValueError as error:
        raise UsageError(
            f"The editor in {name} is no command line: {error}.", hint="Set it, for example: export EDITOR=nano"
        ) from error


class EditedCopy:
    """A copy that an editor works on; it goes when the block ends, unless ``keep`` was called.

    Args:
        session: for the environment and the user's configuration folder.
        name: of the file, so that the editor knows what it is: ``use-pnpm.md``.
        data: what stands in it at first.

    Raises:
        UsageError: when no editor is set.
        StoreError: when the configuration folder cannot be written.
    """

    def __init__(self, session: Session, name: str, data: bytes) -> None:
        self._words = editor_words(session.environ)
        self._place = session.config_dir
        self._name = name if len(os.fsencode(name)) <= _LONGEST_NAME else "memory.md"
        self._data = data
        self._folder = ""
        self._kept = False

    @property
    def path(self) -> str:
        """Where the copy is."""
        return os.path.join(self._folder, self._name)

    def __enter__(self) -> Self:
        import tempfile

        try:
            os.makedirs(self._place, exist_ok=True)
            # The real path: an editor, and what guards a read, must mean the same folder.
            self._folder = os.path.realpath(tempfile.mkdtemp(prefix="edit-", dir=self._place))
            write_durable(self.path, self._data, 0o600)
        except OSError as error:
            raise store_error(error, self._place) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._kept:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)

    def keep(self) -> str:
        """Leave the copy where it is, and return its path."""
        self._kept = True
        return self.path

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
            return read_guarded(self._folder, self._name)
        except OSError as error:
            raise EngramError(f"The editor {shown} left no file, so nothing was changed.") from error
