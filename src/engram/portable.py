r"""What Windows and macOS do differently with files: names, long paths, files that are open, locks (F11, F15, F16).

Every other module asks this one and knows no platform. What decides is a parameter with the platform's own value as its
default, so that a test drives each branch on any system (docs/decisions/0016). It stands on the hot path: it imports
nothing that is not there already.

>>> is_device("CON"), is_device("nul.tar.gz"), is_device("console")
(True, True, False)
>>> fold("Café") == fold("CAFE\u0301")
True
>>> print(extended("C:/memory/" + "x" * 240, windows=True)[:14])
\\?\C:\memory\
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

__all__ = [
    "BINARY",
    "FORBIDDEN",
    "MACOS",
    "NOFOLLOW",
    "NONBLOCK",
    "REPLACES_OPEN_FILES",
    "WINDOWS",
    "away_line",
    "command_line",
    "command_words",
    "editor_line",
    "extended",
    "fold",
    "is_device",
    "is_plain_name",
    "owner_name",
    "remove",
    "replace",
    "runs",
    "spelled",
    "sync_folder",
    "try_lock",
    "unreadable",
]

WINDOWS = os.name == "nt"
MACOS = sys.platform == "darwin"

# Flags for os.open that a platform may lack. A file that Windows opens without the third one gets other line ends.
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)

# Windows lets nobody replace a file that is open, not even the process that has it open.
REPLACES_OPEN_FILES = not WINDOWS

# Windows gives these names to devices, in every folder; its "digits" include the superscripts of Latin-1.
_DEVICES = frozenset(
    [
        *("con", "prn", "aux", "nul", "conin$", "conout$"),
        *(port + digit for port in ("com", "lpt") for digit in "0123456789¹²³"),
    ]
)
FORBIDDEN = '<>:"|?*'  # by Windows, in file names, beside the separators and control characters

# CreateFile takes 259 characters and CreateDirectory 247; what is put beside a file (`….new`) has to fit as well.
_LONG = 230
_VERBATIM = ("\\\\?\\", "\\\\.\\")

_PATIENCE_S = 1.0
_FIRST_WAIT_S = 0.005
_LONGEST_WAIT_S = 0.1

# Windows locks bytes and lets nobody else read them: this one lies far behind the name of the holder, and below the
# 2 GiB that its C library can count to.
_LOCKED_BYTE = 1 << 30


def fold(text: str) -> str:
    """Return the form in which two names are one file on some file system: case folded and NFC (F11).

    macOS and Windows keep a name's case and do not tell names by it; macOS does not tell NFC and NFD apart either.
    """
    if text.isascii():
        return text.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def spelled(name: str, *, macos: bool = MACOS) -> str:
    """Return a name from a listing as it was written: HFS+ and some servers list in NFD what was made in NFC.

    The ledger has the name that was written (F13), and macOS finds the file under either.
    """
    if not macos or name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFC", name)


def is_device(name: str) -> bool:
    """Tell whether Windows takes a file name for a device: whatever its case, extension and trailing blanks are."""
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES


def is_plain_name(name: str, *, windows: bool = WINDOWS) -> bool:
    """Tell whether a name stands for one file of its folder, the same that a listing shows under this name.

    ``..`` does not, and on Windows neither does a device, a stream (``a:b``), or what ends with a dot or a blank.
    """
    if name in {"", ".", ".."} or "/" in name:
        return False
    if not windows:
        return True
    return not (
        name[-1] in ". " or "\\" in name or not set(FORBIDDEN).isdisjoint(name) or min(name) < " " or is_device(name)
    )


def extended(path: str, *, windows: bool = WINDOWS) -> str:
    r"""Return an absolute path in the form in which Windows takes it at any length: ``\\?\C:\…``, ``\\?\UNC\…``.

    Short and relative paths, and those of other platforms, are returned as they are.
    """
    if not windows or len(path) + sum(char > "\uffff" for char in path) <= _LONG or path.startswith(_VERBATIM):
        return path
    import ntpath

    drive, rest = ntpath.splitdrive(path)
    if not drive or rest[:1] not in {"\\", "/"}:
        return path
    # Behind the mark Windows resolves neither ".." nor "/".
    plain = ntpath.normpath(path)
    return f"\\\\?\\UNC{plain[1:]}" if plain.startswith("\\\\") else f"\\\\?\\{plain}"


def replace(source: str, target: str, *, patience: float = _PATIENCE_S, windows: bool = WINDOWS) -> None:
    """Rename a file over another one, as ``os.replace``.

    On Windows this fails while anybody has one of them open: a reader, the search index, a virus scanner. They are soon
    done, so there it is tried again.

    Args:
        source: the file that gets the new name.
        target: the name.
        patience: for how long it is tried again, in seconds.
        windows: whether this is Windows.
    """
    if not windows:
        os.replace(source, target)
    else:
        old, new = extended(source, windows=windows), extended(target, windows=windows)
        _try_again(lambda: os.replace(old, new), patience)


def remove(path: str, *, patience: float = _PATIENCE_S, windows: bool = WINDOWS) -> None:
    """Take a file away, as ``os.unlink``; on Windows with the patience of ``replace``."""
    if not windows:
        os.unlink(path)
    else:
        _try_again(lambda: os.unlink(extended(path, windows=windows)), patience)


def _try_again(action: Callable[[], None], patience: float) -> None:
    deadline = time.monotonic() + patience
    wait = _FIRST_WAIT_S
    while True:
        try:
            return action()
        except PermissionError:  # Python's word for a sharing violation, too
            left = deadline - time.monotonic()
            if left <= 0:
                raise
            time.sleep(min(wait, left))
            wait = min(wait * 2, _LONGEST_WAIT_S)


def sync_folder(folder: str, *, windows: bool = WINDOWS) -> None:
    """Make the names in ``folder`` durable. Windows cannot open a folder and needs no such call."""
    if windows:
        return
    fd = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def try_lock(fd: int, *, shared: bool = False, system: Any = None) -> bool:
    """Take the lock of an open file without waiting; closing the file frees it, and so does the end of the process.

    Args:
        fd: the file's descriptor.
        shared: only ask: True where nobody holds it, and then it has to be closed at once. The position of the file is
            undefined afterwards.
        system: the module that locks, ``fcntl`` or ``msvcrt``; by default the one that this platform has.

    Returns:
        False where another process, or another descriptor, holds it.

    Raises:
        OSError: when the platform or the file system has no locks.
    """
    system = system or _lock_module()
    try:
        if hasattr(system, "flock"):
            system.flock(fd, (system.LOCK_SH if shared else system.LOCK_EX) | system.LOCK_NB)
        else:
            os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
            system.locking(fd, system.LK_NBLCK, 1)
            if shared:  # msvcrt has no lock that several can hold
                os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
                system.locking(fd, system.LK_UNLCK, 1)
    except BlockingIOError:
        return False
    except PermissionError:
        if hasattr(system, "flock"):
            raise
        return False  # what msvcrt says of a byte that is taken
    return True


def _lock_module() -> Any:
    try:
        import fcntl
    except ImportError:
        pass
    else:
        return fcntl
    try:
        import msvcrt
    except ImportError:
        import errno

        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP)) from None
    return msvcrt


def runs(process: int, *, windows: bool = WINDOWS) -> bool:
    """Tell whether a process of this number runs, as far as can be known; on Windows only of the own one."""
    if process == os.getpid():
        return True
    if windows:
        return False  # there `os.kill` ends what it is asked about
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def command_line(words: Sequence[str], *, windows: bool = WINDOWS) -> str:
    """Return words as a line that a shell of this platform takes apart into the same words again."""
    import shlex

    if windows:
        return " ".join(word if word and not set(word) & set(" &()[]{}^=;!'+,`~$") else f'"{word}"' for word in words)
    return shlex.join(words)


def editor_line(file: str, environ: Mapping[str, str], *, windows: bool = WINDOWS) -> str:
    """Return the command line that opens a file in the person's editor, as their shell would start it."""
    editor = environ.get("VISUAL", "").strip() or environ.get("EDITOR", "").strip() or ("notepad" if windows else "vi")
    return f"{editor} {command_line([file], windows=windows)}"


def away_line(path: str) -> str:
    """Return the command line that moves what stands in the way into the home folder: it may be all that there is.

    So it goes over nothing that was moved there before.
    """
    name = free = f"engram-{os.path.basename(path).lstrip('.')}"
    number = 2
    while os.path.lexists(os.path.join(os.path.expanduser("~"), free)):
        free = f"{name}-{number}"
        number += 1
    return f"mv {command_line([path])} ~/{command_line([free])}"


def unreadable(error: OSError, path: str) -> tuple[str, str]:
    """Return why a file or folder that is there cannot be read, as half a sentence, and what to do next."""
    import errno

    folder = os.path.isdir(path)
    if error.errno in {errno.EACCES, errno.EPERM}:
        if owner := _other_owner(path):
            return "you may not read it", f"It belongs to another user ({owner}), who can give you the right."
        right = command_line(["chmod", f"u+{'rx' if folder else 'r'}", path])
        return "you may not read it", f"Give yourself the right: {right}"
    if error.errno in {None, 0, errno.EISDIR}:
        hint = f"Where it replaced a file, bring that back from Git once it is moved away: {away_line(path)}"
        return "it is no regular file", hint
    return error.strerror or str(error), "Look at the disk or the mount that it is on, then try again."


def owner_name(uid: int) -> str:
    """Return the name of a user of this machine, or the number where it has none."""
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _other_owner(path: str) -> str:
    """Return the name of the other user whom a file belongs to, ``""`` where it is one's own or that is not known."""
    try:
        uid = os.stat(path).st_uid
    except OSError:
        return ""
    return owner_name(uid) if hasattr(os, "geteuid") and uid != os.geteuid() else ""


def command_words(line: str, *, windows: bool = WINDOWS) -> list[str]:
    """Return the words of a command line of this platform's people: a backslash is no escape in a Windows path.

    Raises:
        ValueError: for a quotation mark that is not closed.
    """
    import shlex

    if windows:
        return [word.strip('"') for word in shlex.split(line, posix=False)]
    return shlex.split(line)
