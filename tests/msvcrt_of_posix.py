"""The ``locking`` of Windows' ``msvcrt``, on Linux: byte ranges that belong to one opening of a file.

A stand-in for the operating system, never for Engram: the kernel holds these locks between real processes. As on
Windows the range begins at the file's position, a range that is taken is EACCES at once, and closing the descriptor, or
the end of the process, frees it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct

__all__ = ["Msvcrt"]


class Msvcrt:
    """What Engram uses of the module ``msvcrt``."""

    LK_UNLCK = 0
    LK_NBLCK = 2

    def locking(self, fd: int, mode: int, size: int) -> None:
        """Lock or free ``size`` bytes from the file's position on."""
        kind = fcntl.F_UNLCK
        if mode == self.LK_NBLCK:
            # Windows gives an exclusive lock to readers as well; Linux only to who may write.
            writes = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
            kind = fcntl.F_WRLCK if writes else fcntl.F_RDLCK
        start = os.lseek(fd, 0, os.SEEK_CUR)
        if start + size > 2**31 - 1:
            raise OSError(errno.EINVAL, "the C library of Windows counts in 32 bits")
        wanted = struct.pack("hhqqi4x", kind, os.SEEK_SET, start, size, 0)
        try:
            fcntl.fcntl(fd, fcntl.F_OFD_SETLK, wanted)
        except OSError as error:
            raise PermissionError(errno.EACCES, "Permission denied") from error
