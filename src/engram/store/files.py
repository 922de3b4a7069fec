"""Bytes on disk: guarded reads, atomic and durable writes."""

from __future__ import annotations

import os
import stat

from engram.errors import FormatError, StoreError
from engram.model import MAX_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

try:  # OpenSSL's module takes 4 ms to load, a third of starting Python; the plain one is there since 3.12 as _sha2.
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256 as _sha256

__all__ = [
    "atomic_write",
    "digest",
    "fsync_folder",
    "make_folders",
    "read_guarded",
    "read_optional",
    "store_error",
    "walk_markdown",
    "write_durable",
]


def digest(data: bytes) -> str:
    """Return the SHA-256 of ``data`` in lower-case hex."""
    return str(_sha256(data).hexdigest())


def read_guarded(root: str, path: str) -> bytes:
    """Return the bytes of the memory file ``path`` below ``root`` (both resolved by the caller; ``path`` with ``/``).

    Raises:
        FormatError: for a link that leaves the root, something that is no file, or a file over the limit (F9).
        OSError: when the file is missing or cannot be read.
    """
    full = os.path.join(root, *path.split("/"))
    # Only a resolved path can be compared; without links in the way this is the same path.
    real = os.path.realpath(full)
    if real != full and not real.startswith(root.rstrip(os.sep) + os.sep):
        raise FormatError(f"{path} is a link that leaves the memory folder; it is not read.", path=path)
    with open(real, "rb", buffering=0) as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise FormatError(f"{path} is no regular file.", path=path)
        if info.st_size > MAX_BYTES:
            raise FormatError(
                f"{path} has {info.st_size:,} bytes; a memory holds at most {MAX_BYTES:,} (256 KiB).",
                path=path,
                hint="Split it into several memories.",
            )
        return file.read(MAX_BYTES + 1)


def read_optional(path: str) -> bytes | None:
    """Return the bytes of ``path``, None when there is no such file."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def walk_markdown(root: str, folder: str) -> Iterator[str]:
    """Yield the ``.md`` files below ``root/folder`` as sorted paths with ``/``, relative to ``root``.

    Hidden names are passed over. A folder that is a link is not entered: what lies behind it is not this root's.
    """
    pending = [folder]
    while pending:
        here = pending.pop(0)
        try:
            with os.scandir(os.path.join(root, *here.split("/"))) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        deeper = []
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                deeper.append(f"{here}/{entry.name}")
            elif entry.name.endswith(".md"):
                yield f"{here}/{entry.name}"
        pending[:0] = deeper


def fsync_folder(folder: str) -> None:
    """Make the names in ``folder`` durable. Windows cannot open a folder and needs no such call."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_durable(path: str, data: bytes, mode: int = 0o666) -> None:
    """Write a new file whole and fsync it; nothing is replaced in place by this."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), mode)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def atomic_write(path: str, data: bytes, mode: int = 0o666) -> None:
    """Replace a single file outside of memory roots (the user's configuration): old or new, never a part.

    Raises:
        StoreError: when the folder cannot be written.
    """
    folder = os.path.dirname(path)
    # A dotfile manager may have put a link here: its target is replaced, the link stays.
    path = os.path.realpath(path)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(folder, exist_ok=True)
        write_durable(temporary, data, mode)
        os.replace(temporary, path)
        fsync_folder(os.path.dirname(path))
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise store_error(error, path) from error


def make_folders(root: str, folder: str) -> None:
    """Create ``folder`` and what is missing above it, down from ``root``, each name made durable."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        parent = os.path.dirname(folder)
        if folder in {root, parent}:
            break
        folder = parent
    for path in reversed(missing):
        try:
            os.mkdir(path)
        except FileExistsError:
            if not os.path.isdir(path):
                raise
        fsync_folder(os.path.dirname(path))


def store_error(error: OSError, path: str) -> StoreError:
    """Say what a failed write means to a person: which place, why, what to do next."""
    import errno

    reasons = {
        errno.ENOSPC: ("the disk is full", "Free some space, then run the command again."),
        errno.EDQUOT: ("your disk quota is used up", "Free some space, then run the command again."),
        errno.EROFS: ("the file system is read-only", "Reading works; to save, use a writable checkout."),
        errno.EACCES: ("you may not write there", "Change the folder's permissions, or save to the other scope."),
        errno.EPERM: ("you may not write there", "Change the folder's permissions, or save to the other scope."),
    }
    reason, hint = reasons.get(error.errno or 0, (error.strerror or str(error), "Nothing was saved."))
    return StoreError(f"Nothing was written to {path}: {reason}.", hint=hint, path=path)
