"""One writer a root: the operating system's lock on ``.lock`` (F16)."""

from __future__ import annotations

import os
import time

from engram.errors import LockedError
from engram.portable import BINARY, NOFOLLOW, NONBLOCK, extended, try_lock
from engram.store.files import store_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["RootLock", "holder_of"]

# A short first wait keeps two fast writers close together; the cap bounds the polling of a long one.
_FIRST_WAIT_S = 0.001
_LONGEST_WAIT_S = 0.05


class RootLock:
    """The lock of one memory root, as a context manager.

    The operating system holds it, so a dead holder frees it; pid and host inside the file only name the holder and
    decide nothing.

    Args:
        root: the memory root.
        timeout_s: how long to wait, in seconds; 0 tries once.

    Raises:
        LockedError: on entering, when another process still holds it after the time.
        StoreError: when the lock file cannot be made (a read-only folder).
    """

    def __init__(self, root: str, timeout_s: float) -> None:
        self.path = os.path.join(root, ".lock")
        self._timeout_s = timeout_s
        self._fd = -1

    def __enter__(self) -> Self:
        try:
            fd = os.open(extended(self.path), os.O_RDWR | os.O_CREAT | NOFOLLOW | BINARY, 0o666)
        except OSError as error:
            in_the_way = os.path.islink(self.path) or os.path.isdir(self.path)
            raise store_error(error, self.path if in_the_way else os.path.dirname(self.path)) from error
        try:
            self._acquire(fd)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd
        holder = f"{os.getpid()} {_host()}\n".encode()
        try:
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
            os.write(fd, holder)
        except OSError:
            pass  # a full disk: the name of the holder is a courtesy, the lock is held all the same
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._fd)
        self._fd = -1

    def _acquire(self, fd: int) -> None:
        deadline = time.monotonic() + self._timeout_s
        wait = _FIRST_WAIT_S
        while True:
            try:
                if try_lock(fd):
                    return
            except OSError as error:
                raise LockedError(
                    f"The file system of {self.path} gives no lock ({error.strerror}), so nothing is written.",
                    hint="Keep the memory on a local disk.",
                    path=self.path,
                ) from error
            left = deadline - time.monotonic()
            if left <= 0:
                raise LockedError(
                    f"{os.path.dirname(self.path)} is being written by another process ({_holder(fd)}); "
                    f"waited {self._timeout_s:g} s.",
                    hint="Run the command again in a moment; the limit is lock.timeout.",
                    path=self.path,
                )
            time.sleep(min(wait, left))
            wait = min(wait * 2, _LONGEST_WAIT_S)


def holder_of(root: str) -> str:
    """Return who holds the lock of a root now, ``""`` for nobody; nothing is made or changed."""
    try:
        fd = os.open(extended(os.path.join(root, ".lock")), os.O_RDONLY | NOFOLLOW | NONBLOCK | BINARY)
    except OSError:
        return ""
    try:
        return "" if try_lock(fd, shared=True) else _holder(fd)
    except OSError:
        return ""  # the file system knows no locks, which the next write says
    finally:
        os.close(fd)


def _host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "this host")


def _holder(fd: int) -> str:
    os.lseek(fd, 0, os.SEEK_SET)
    words = os.read(fd, 200).decode("utf-8", "replace").split()
    return f"process {words[0]} on {words[1]}" if len(words) == 2 else "it did not say who it is"
