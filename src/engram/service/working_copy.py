"""A copy of a text that a person works on, in the user's configuration folder (F4)."""

from __future__ import annotations

import os

from engram.store.files import read_guarded, store_error, write_durable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from engram.service.session import Session

__all__ = ["WorkingCopy"]

_LONGEST_NAME = 200  # bytes, which every file system takes


class WorkingCopy:
    """A copy to work on; it goes when the block ends, unless ``keep`` was called.

    Args:
        session: for the user's configuration folder.
        name: of the file, so that the editor knows what it is: ``use-pnpm.md``.
        data: what stands in it at first.

    Raises:
        StoreError: when the configuration folder cannot be written.
    """

    def __init__(self, session: Session, name: str, data: bytes) -> None:
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

    def read(self) -> bytes:
        """Return what stands in the copy now.

        Raises:
            FormatError: when the file is larger than a memory may be.
            OSError: when there is no file any more.
        """
        return read_guarded(self._folder, self._name)
