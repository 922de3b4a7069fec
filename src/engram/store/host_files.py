"""Files of other programs: read whole, replaced whole; what is not ours to decide (mode, owner, links) stays (C5)."""

from __future__ import annotations

import errno
import os
import stat

from engram.errors import EngramError, StoreError
from engram.portable import BINARY, NOFOLLOW, command_line, extended, remove, replace, sync_folder
from engram.record import Record
from engram.store.files import owner_name, read_error, read_optional, store_error

__all__ = [
    "HostFile",
    "HostFileError",
    "check_writable",
    "drop_leftover",
    "missing_folders",
    "not_changed",
    "open_host_file",
    "remove_file",
    "remove_folders",
    "replace_file",
]

# The largest settings file that was seen has a few MB; what is beyond this is no settings file.
MAX_HOST_BYTES = 32 * 1024 * 1024
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW | BINARY


class HostFileError(EngramError):
    """A host's file cannot be read, parsed or written; nothing was written to it (C8)."""

    code = "host_file"


class HostFile(Record):
    """One file as it was read.

    Attributes:
        path: the last file behind all links, which is what is read and replaced; ``name`` is how it was asked for.
        data: its bytes, None where there is none.
        identity: the same for all names that reach one file.
    """

    path: str
    name: str
    data: bytes | None
    identity: str

    @property
    def text(self) -> str:
        """The file's text with its byte-order mark and line ends; ``""`` where there is none.

        Raises:
            HostFileError: for what is not UTF-8, with the line.
        """
        data = self.data or b""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
            reason = "it is UTF-16, not UTF-8" if wide else f"line {line} is not UTF-8"
            raise not_changed(self.name, reason, line=0 if wide else line) from error
        if "\0" in text:
            raise not_changed(self.name, "it holds NUL bytes, so it is no text in UTF-8")
        return text


def open_host_file(name: str) -> HostFile:
    """Return a file through all its links.

    Raises:
        HostFileError: for what cannot be read, is no regular file, or is larger than any settings file.
    """
    path = os.path.realpath(name)
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise not_changed(path.encode(errors="backslashreplace").decode(), "its name is not UTF-8") from error
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return HostFile(path, name, None, f"path:{os.path.normcase(path)}")
    except OSError as error:
        raise _unreadable(error, name) from error
    if stat.S_ISREG(info.st_mode) and info.st_size > MAX_HOST_BYTES:
        raise not_changed(name, f"it has {info.st_size:,} bytes, which is no settings file")
    try:
        data = read_optional(path)
    except OSError as error:
        raise _unreadable(error, name) from error
    return HostFile(path, name, data, f"{info.st_dev}:{info.st_ino}")


def missing_folders(path: str) -> tuple[str, ...]:
    """Return the folders that have to be made for a file, outermost first."""
    missing = []
    folder = os.path.dirname(path)
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        missing.append(folder)
        folder = os.path.dirname(folder)
    return tuple(reversed(missing))


def replace_file(file: HostFile, data: bytes) -> None:
    """Put other bytes into a host's file: the old or the new ones, whatever happens; links to it stay.

    Raises:
        HostFileError: when it changed since it was read, is read-only or somebody else's, or cannot be written.
    """
    try:
        _check_unchanged(file)
        if file.data is None:
            folders = missing_folders(file.path)
            try:
                for folder in folders:
                    os.mkdir(folder)
                    sync_folder(os.path.dirname(folder))
                _write_beside(file.path, data, None)
            except BaseException:
                remove_folders(folders)
                raise
            return
        info = os.stat(file.path)
        _check_writable(file, info)
        if info.st_nlink > 1 or not _may_give(info):
            # Another name of the same file would keep the old bytes if this one were replaced, and a new file would
            # not have the group of the old one.
            _write_into(file.path, data)
        else:
            _write_beside(file.path, data, info)
    except OSError as error:
        raise _unwritable(error, file) from error


def check_writable(file: HostFile) -> None:
    """Raise HostFileError for a file that ``replace_file`` or ``remove_file`` would not write; nothing is changed."""
    try:
        if file.data is not None:
            _check_writable(file, os.stat(file.path))
        folder = os.path.dirname(file.path)
        while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
    except OSError as error:
        raise _unwritable(error, file) from error


def remove_file(file: HostFile) -> None:
    """Take away a file that Engram made; raises as ``replace_file``."""
    try:
        _check_unchanged(file)
        _check_writable(file, os.stat(file.path))
        remove(file.path)
        sync_folder(os.path.dirname(file.path))
    except OSError as error:
        raise _unwritable(error, file) from error


def remove_folders(folders: tuple[str, ...]) -> None:
    """Take away the folders that are empty, the innermost first; others stay."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue


def drop_leftover(path: str) -> None:
    """Take away the half-made new file that a killed run left beside a host's file, if there is one."""
    try:
        remove(_temporary(path))
    except OSError:
        pass  # there is none, or the folder is not ours to change: then nothing was left in it


def _temporary(path: str) -> str:
    folder, base = os.path.split(path)
    return os.path.join(folder, f".{base}.engram-new")


def _check_unchanged(file: HostFile) -> None:
    if open_host_file(file.path).data != file.data:
        raise not_changed(file.name, "another program changed it meanwhile", hint="Run the command again.")


def _check_writable(file: HostFile, info: os.stat_result) -> None:
    if not info.st_mode & 0o222:
        raise not_changed(
            file.name,
            "it is read-only",
            hint=f"If Engram may change it: {command_line(['chmod', 'u+w', file.path])}",
            read_only=True,
        )
    user = os.geteuid() if hasattr(os, "geteuid") else info.st_uid
    if user not in (0, info.st_uid):
        raise not_changed(
            file.name, f"it belongs to another user ({owner_name(info.st_uid)})", hint="Run the command as that user."
        )


def _may_give(info: os.stat_result) -> bool:
    """Tell whether this user may give a new file to the group of a file: root, and who is in it (chown(2))."""
    if not hasattr(os, "getgroups"):
        return True
    return os.geteuid() == 0 or info.st_gid in (os.getegid(), *os.getgroups())


def _write_beside(path: str, data: bytes, like: os.stat_result | None) -> None:
    """Write a new file and rename it to ``path``; ``like`` is the file that goes, whose mode and owner stay."""
    folder = os.path.dirname(path)
    temporary = _temporary(path)
    try:
        remove(temporary)  # what a killed process left; no other one writes here at the same time
    except FileNotFoundError:
        pass
    fd = os.open(extended(temporary), _MAKE, 0o666 if like is None else 0o600)
    try:
        try:
            if like is not None and hasattr(os, "fchown"):
                if (like.st_uid, like.st_gid) != (os.geteuid(), os.fstat(fd).st_gid):
                    os.fchown(fd, like.st_uid, like.st_gid)
                os.fchmod(fd, stat.S_IMODE(like.st_mode))
            _write_all(fd, data)
        finally:
            os.close(fd)
        replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise
    sync_folder(folder)


def _write_into(path: str, data: bytes) -> None:
    fd = os.open(extended(path), os.O_WRONLY | BINARY)
    try:
        size = os.fstat(fd).st_size
        try:
            # What is longer comes first: a full disk is met before a byte of the old text has changed.
            os.lseek(fd, size, os.SEEK_SET)
            _write_all(fd, data[size:])
        except OSError:
            os.ftruncate(fd, size)
            raise
        os.lseek(fd, 0, os.SEEK_SET)
        _write_all(fd, data[:size])
        os.ftruncate(fd, len(data))
        os.fsync(fd)
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.fsync(fd)


def not_changed(name: str, reason: str, *, hint: str = "", line: int = 0, read_only: bool = False) -> HostFileError:
    """Return the error for a file that was left as it is, with the reason and what to do."""
    details: dict[str, object] = {"reason": "not writable"} if read_only else {}
    return HostFileError(
        f"{name} was left as it is: {reason}.",
        hint=hint or "Put it right by hand, then run the command again.",
        path=name,
        line=line,
        details=details,
    )


def _unreadable(error: OSError, name: str) -> HostFileError:
    cause = read_error(error, name)
    return HostFileError(cause.message, hint=cause.hint, path=name)


def _unwritable(error: OSError, file: HostFile) -> HostFileError:
    cause: StoreError = store_error(error, file.path)
    return HostFileError(cause.message, hint=cause.hint, path=file.name, details=cause.details)
