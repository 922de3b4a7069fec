"""Which bytes of a workspace's memory came from this machine's people: what they accepted, and what they wrote (F18).

One file a workspace in the user's configuration folder, never in the repository: SHA-256 in hex, one a line. What is in
the memory and not in the file was brought by somebody else: a pull, a branch, a copy.
"""

from __future__ import annotations

import os

from engram.store.files import OWN_FILE, atomic_write, digest, read_optional, stat_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Accepted"]

_PREFIX = "accepted-"
_DIGITS = 32


class Accepted:
    """The accepted content hashes of one workspace.

    Args:
        config_dir: the user's configuration folder.
        key: what trust is bound to (``store.trust.trust_key``).
    """

    def __init__(self, config_dir: str, key: str) -> None:
        name = digest(os.path.normcase(key).encode("utf-8", "surrogateescape"))[:_DIGITS]
        self.path = os.path.join(config_dir, f"{_PREFIX}{name}")
        self._data: bytes | None = None

    @property
    def known(self) -> bool:
        """Whether there is such a file; without it nobody knows what came from here."""
        return bool(self._read())

    def state(self) -> tuple[int, ...]:
        """Return what changes when the file does."""
        return stat_of(self.path)

    def has(self, value: str) -> bool:
        """Tell whether the bytes with this hash were accepted or written here."""
        return bool(value) and f"\n{value}\n".encode("ascii", "replace") in self._read()

    def add(self, values: Iterable[str]) -> None:
        """Take hashes in; OSError where the configuration folder cannot be written."""
        lines = "".join(f"{value}\n" for value in values if not self.has(value)).encode("ascii", "replace")
        if not lines:
            return
        if not self.known:
            lines = b"\n" + lines
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | OWN_FILE, 0o600)
        try:
            os.write(file, lines)  # in one piece, so that the lines of two writers do not mix
        finally:
            os.close(file)
        self._data = None

    def replace(self, values: Iterable[str]) -> None:
        """Take exactly these hashes as accepted.

        Raises:
            StoreError: when the configuration folder cannot be written.
        """
        data = "".join(f"{value}\n" for value in sorted(set(values))).encode("ascii", "replace")
        atomic_write(self.path, b"\n" + data, mode=0o600)
        self._data = None

    def forget(self) -> None:
        """Take the file away: the workspace is not trusted any more."""
        try:
            os.unlink(self.path)
        except OSError:
            pass  # without trust it decides nothing
        self._data = None

    def _read(self) -> bytes:
        if self._data is None:
            try:
                self._data = read_optional(self.path) or b""
            except OSError:
                self._data = b""
        return self._data
