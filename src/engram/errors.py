"""What can go wrong, and the exit code that each kind gives.

::

    EngramError                1  anything a person has to look at
    ├── UsageError             2  the command line, or a call's arguments, are off
    ├── ConfigError            3  a configuration file or value is not acceptable
    ├── IntegrityError         4  bytes on disk are not the bytes that were approved
    ├── RefusedError           5  a human, a policy or a safety rule said no
    │   └── SafetyError        5  the text holds a secret, hidden text, …
    ├── NotFoundError          7  no memory, no root, no such id
    ├── FormatError            1  a file cannot be read as a memory, with line and reason
    └── StoreError             1  the folder cannot be written: read-only, disk full
        └── LockedError        1  another process holds the root's lock

Messages are for the person who reads them: what happened, which file, what to do next (``hint``). Every face maps an
error once, by ``exit_code`` and ``code``; none shows a traceback.
"""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "EngramError",
    "FormatError",
    "IntegrityError",
    "LockedError",
    "NotFoundError",
    "RefusedError",
    "SafetyError",
    "StoreError",
    "UsageError",
]


class EngramError(Exception):
    """Something a person has to look at.

    Args:
        message: one sentence: what happened, and to which file.
        hint: what to do next, usually a command; may be empty.
        path: the file or folder that it is about; may be empty.
        line: the 1-based line in ``path``, 0 when it is about the whole file.
        details: more facts for ``--json``, made of plain JSON types.
    """

    exit_code = 1
    code = "error"

    def __init__(
        self, message: str, *, hint: str = "", path: str = "", line: int = 0, details: dict[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path
        self.line = line
        self.details = details or {}

    def as_dict(self) -> dict[str, object]:
        """Return the error as plain data, without the parts that are empty."""
        data: dict[str, object] = {"code": self.code, "message": self.message}
        for name in ("hint", "path", "line", "details"):
            if value := getattr(self, name):
                data[name] = value
        return data


class UsageError(EngramError):
    """The command line, or the arguments of a call, are off."""

    exit_code = 2
    code = "usage"


class ConfigError(EngramError):
    """A configuration file or value is not acceptable."""

    exit_code = 3
    code = "config"


class IntegrityError(EngramError):
    """Bytes on disk are not the bytes that were approved."""

    exit_code = 4
    code = "integrity"


class RefusedError(EngramError):
    """A human, a policy or a safety rule said no."""

    exit_code = 5
    code = "refused"


class SafetyError(RefusedError):
    """The text holds something that must not become memory."""

    code = "unsafe"


class NotFoundError(EngramError):
    """There is no such memory, root or id."""

    exit_code = 7
    code = "not_found"


class FormatError(EngramError):
    """A file cannot be read as a memory; it is left as it is, byte for byte (F8)."""

    code = "unreadable"


class StoreError(EngramError):
    """The memory folder cannot be written."""

    code = "store"


class LockedError(StoreError):
    """Another process holds the root's lock (F16)."""

    code = "locked"
