"""Bytes on disk: guarded reads, atomic and durable writes."""

from __future__ import annotations

import os
import stat
import sys
import time

from engram.errors import EngramError, FormatError, StoreError
from engram.model import MAX_BYTES
from engram.portable import (
    BINARY,
    NOFOLLOW,
    NONBLOCK,
    WINDOWS,
    away_line,
    extended,
    is_plain_name,
    replace,
    spelled,
    sync_folder,
    unreadable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

try:  # OpenSSL's module takes 4 ms to load, a third of starting Python; the plain one is there, under another name.
    if sys.version_info >= (3, 12):
        from _sha2 import sha256 as _sha256  # type: ignore[import-not-found,unused-ignore]
    else:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    from hashlib import sha256 as _sha256

__all__ = [
    "IGNORE_FILE",
    "JOURNAL",
    "LEDGER",
    "LEGACY_LEDGER",
    "OPEN_JOURNAL",
    "OWN_FILE",
    "READ_FILE",
    "atomic_write",
    "digest",
    "has_open_journal",
    "inside",
    "leaves",
    "make_folders",
    "read_error",
    "read_guarded",
    "read_optional",
    "read_owned",
    "read_tail",
    "stat_of",
    "store_error",
    "today",
    "walk_markdown",
    "write_durable",
]

# The folder and the file of an open transaction (module ``journal``): every reader has to look whether one is there.
JOURNAL = ".journal"
OPEN_JOURNAL = "open.json"
# Where a person says what Engram leaves alone (module ``ignore``).
IGNORE_FILE = ".engramignore"

# The hashes of the approved bytes (module ``ledger``): every reader has to see whether they changed.
LEDGER = "SHA256SUMS"
LEGACY_LEDGER = "memory.hashes.json"

# For files that Engram makes for itself in a cache: neither a link nor a pipe of that name is followed or waited for.
OWN_FILE = NOFOLLOW | NONBLOCK | BINARY
# A clone may bring a pipe under any name, and opening one would wait for ever; without O_NOFOLLOW it could point a file
# that Engram makes for itself at one of the user's.
READ_FILE = os.O_RDONLY | NONBLOCK | BINARY
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NOFOLLOW | BINARY


def has_open_journal(root: str) -> bool:
    """Tell whether a transaction of ``journal`` stands open: a writer at work, or one that died."""
    return os.path.exists(os.path.join(root, JOURNAL, OPEN_JOURNAL))


def today() -> str:
    """Return the local calendar day, ``YYYY-MM-DD``: the day that a person would write."""
    return time.strftime("%Y-%m-%d")


def digest(data: bytes) -> str:
    """Return the SHA-256 of ``data`` in lower-case hex."""
    return str(_sha256(data).hexdigest())


def read_guarded(root: str, path: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of the file ``path`` below ``root`` (both resolved by the caller; ``path`` with ``/``).

    ``most`` is how many bytes it may have; a memory's limit by default.

    Raises:
        FormatError: for a link that leaves the root, something that is no file, or a file over the limit (F9).
        OSError: when the file is missing or cannot be read.
    """
    full = _resolved(root, path.split("/"))
    if not full.startswith(root.rstrip(os.sep) + os.sep):
        raise FormatError(
            "it is a link that leaves the memory folder, so it is not read",
            path=path,
            hint="Put the file itself in its place.",
        )
    fd = os.open(extended(full), READ_FILE)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise FormatError("it is no regular file", path=path, hint="Take it away, or put a file in its place.")
        if info.st_size > most:
            limit = f"a memory holds at most {most:,} (256 KiB)" if most == MAX_BYTES else f"at most {most:,} are read"
            raise FormatError(
                f"it has {info.st_size:,} bytes, and {limit}",
                path=path,
                hint="Split it into several memories.",
            )
        return _read_all(fd, info.st_size)
    finally:
        os.close(fd)


def _resolved(root: str, parts: list[str]) -> str:
    """Return the path of ``parts`` below a resolved folder, resolved.

    Only what is below is looked at: to resolve every path would take half of the time of reading a thousand files.
    Windows has more than links that lead elsewhere.
    """
    full = root
    if WINDOWS:
        return os.path.realpath(os.path.join(root, *parts))
    for part in parts:
        full = f"{full}{os.sep}{part}"
        if os.path.islink(full):
            return os.path.realpath(os.path.join(root, *parts))
    return full


def inside(root: str, path: str) -> str:
    """Return where the file ``path`` of a root is, if that is below ``root``, through whatever links.

    What a clone brings (a link, the journal of an interrupted write) must not make us read or write anything else (F4).

    Raises:
        StoreError: when the path, or a link on its way, leaves the root.
    """
    parts = path.split("/")
    full = os.path.join(root, *parts)
    plain = all(map(is_plain_name, parts))
    real = _resolved(root, parts) if plain else ""
    if not plain or (real != full and not real.startswith(root.rstrip(os.sep) + os.sep)):
        raise StoreError(
            f"{path} in {root} leads out of the memory folder, so nothing is read or written there.",
            hint=_in_the_way(root, parts) if plain else "Look at what is there, and remove it.",
            path=full,
        )
    return extended(full)


def _in_the_way(root: str, parts: list[str]) -> str:
    """Return what to do about the link on the way to a file that leads out of a root."""
    link = next((path for at in range(len(parts)) if leaves(root, path := "/".join(parts[: at + 1]))), "/".join(parts))
    return f"Look at what is there, and move it away: {away_line(os.path.join(root, *link.split('/')))}"


def read_optional(path: str) -> bytes | None:
    """Return the bytes of ``path``, None when there is no such file; OSError for what is no regular file."""
    try:
        fd = os.open(extended(path), READ_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return _read_regular(fd)
    except OSError as error:
        # What fails on an open file names none, and whoever tells a person or an agent of it has to.
        error.filename = path
        raise
    finally:
        os.close(fd)


def read_owned(root: str, path: str) -> bytes | None:
    """Return the bytes of a file that Engram keeps in a root for itself, None when there is no such file.

    Raises:
        EngramError: when it is there and cannot be read: it says why, and what to do.
    """
    full = inside(root, path)
    try:
        return read_optional(full)
    except OSError as error:
        raise read_error(error, full) from error


def read_tail(path: str, most: int) -> bytes:
    """Return the last ``most`` bytes of a file, all of a shorter one; OSError for what is no regular file."""
    fd = os.open(extended(path), READ_FILE)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "it is no regular file", path)
        os.lseek(fd, max(0, info.st_size - most), os.SEEK_SET)
        return _read_all(fd, min(most, info.st_size))
    finally:
        os.close(fd)


def _read_regular(fd: int) -> bytes:
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode):
        raise OSError(0, "it is no regular file")
    return _read_all(fd, info.st_size)


def _read_all(fd: int, size: int) -> bytes:
    # One byte more than there should be: of the usual file one call gets all, and sees that there is no more.
    chunk = os.read(fd, size + 1)
    if len(chunk) == size:
        return chunk
    chunks = [chunk]
    while chunk := os.read(fd, size + 1):
        chunks.append(chunk)
    return b"".join(chunks)


def walk_markdown(root: str, folder: str, ignores: Callable[[str, bool], bool] | None = None) -> Iterator[str]:
    """Yield the ``.md`` files below ``root/folder`` as sorted paths with ``/``, relative to ``root``.

    Hidden names are passed over, and so is what ``ignores`` says of a path and whether it is a folder. A folder that is
    a link is not entered, ``folder`` itself only where it stays in the root: what lies behind it is not this root's.

    Raises:
        EngramError: when a folder may not be read: what is in it must not pass for missing.
    """
    if leaves(root, folder) or (ignores is not None and ignores(folder, True)):
        return
    pending = [folder]
    while pending:
        here = pending.pop(0)
        try:
            with os.scandir(extended(os.path.join(root, *here.split("/")))) as found:
                entries = sorted([(spelled(entry.name), entry) for entry in found], key=lambda pair: pair[0])
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise read_error(error, os.path.join(root, *here.split("/"))) from error
        deeper = []
        for name, entry in entries:
            if name.startswith("."):
                continue
            path = f"{here}/{name}"
            if entry.is_dir(follow_symlinks=False):
                if ignores is None or not ignores(path, True):
                    deeper.append(path)
            elif name.endswith(".md") and (ignores is None or not ignores(path, False)):
                yield path
        pending[:0] = deeper


def leaves(root: str, path: str) -> bool:
    """Tell whether ``path`` below ``root`` is a link that leaves the root."""
    full = os.path.join(root, *path.split("/"))
    return os.path.islink(full) and not os.path.realpath(full).startswith(root.rstrip(os.sep) + os.sep)


def write_durable(path: str, data: bytes, mode: int = 0o666, like: str = "") -> None:
    """Write a new file whole and fsync it; nothing is replaced in place by this.

    Args:
        path: the new file.
        data: its bytes.
        mode: its permission bits, from which the umask takes.
        like: a file that it is to replace: where there is one its permission bits are kept, whatever the umask.

    Raises:
        OSError: also where the file does not hold these bytes afterwards, before anything is put in its place.
    """
    kept = _mode_of(like) if like else None
    fd = os.open(extended(path), _MAKE, mode if kept is None else kept)
    try:
        if kept is not None and hasattr(os, "fchmod"):
            os.fchmod(fd, kept)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)
    if read_optional(path) != data:
        import errno

        raise OSError(errno.EIO, "it does not hold what was written to it", path)


def _mode_of(path: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(path).st_mode) & 0o777
    except OSError:
        return None


def atomic_write(path: str, data: bytes, mode: int = 0o666) -> None:
    """Replace a single file outside of memory roots (the user's configuration): old or new, never a part.

    A file that is there keeps its permission bits; ``mode`` is for a new one.

    Raises:
        StoreError: when the folder cannot be written.
    """
    folder = os.path.dirname(path)
    # A dotfile manager may have put a link here: its target is replaced, the link stays.
    path = os.path.realpath(path)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(folder, exist_ok=True)
        write_durable(temporary, data, mode, like=path)
        replace(temporary, path)
        sync_folder(os.path.dirname(path))
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
        sync_folder(os.path.dirname(path))


def stat_of(path: str) -> tuple[int, ...]:
    """Return what changes when a file does: size, mtime, inode, ctime; ``()`` where there is none."""
    try:
        info = os.stat(path)
    except OSError:
        return ()
    return info.st_size, info.st_mtime_ns, info.st_ino, info.st_ctime_ns


def store_error(error: OSError, path: str) -> StoreError:
    """Say what a failed write means to a person: which place, why, what to do next."""
    import errno

    blocker = error.filename or path
    denied = error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}
    place = _closed_folder(error) if denied else ""
    reasons = {
        errno.ENOSPC: ("the disk is full", "Free some space, then run the command again."),
        errno.EDQUOT: ("your disk quota is used up", "Free some space, then run the command again."),
        errno.EROFS: ("the file system is read-only", "Reading works; to save, use a writable checkout."),
        errno.EACCES: ("you may not write there", "Change the folder's permissions."),
        errno.EEXIST: (f"{blocker} is no folder", "Move that file away, then run the command again."),
        errno.ENOTDIR: (f"{blocker} lies below a file", "Move that file away, then run the command again."),
        errno.ELOOP: ("a link stands where Engram keeps a file of its own", "Remove that link."),
        errno.EPERM: ("you may not write there", "Change the folder's permissions."),
    }
    reason, hint = reasons.get(error.errno or 0, (error.strerror or str(error), "Look at that place, then try again."))
    details: dict[str, object] = {"reason": "not writable"} if denied else {}
    return StoreError(f"Nothing was written to {place or path}: {reason}.", hint=hint, path=path, details=details)


def _closed_folder(error: OSError) -> str:
    """Return the folder that a write failed at; ``""`` where the system does not tell."""
    for name in (error.filename2, error.filename):
        if isinstance(name, str):
            folder = name if os.path.isdir(name) else os.path.dirname(name)
            if not os.access(folder, os.W_OK):
                return folder
    return ""


def read_error(error: OSError, path: str) -> EngramError:
    """Say what it means that a file or folder which is there cannot be read, and what to do next."""
    reason, hint = unreadable(error, path)
    return EngramError(f"{path}: {reason}.", hint=hint, path=path)
