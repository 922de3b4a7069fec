"""What a host's session was given already: hashes of memories, never a prompt, in ``.cache/`` (F21 ``read``, G1)."""

from __future__ import annotations

import os

from engram.service.caches import cache_of
from engram.store.files import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.service.session import Session

__all__ = ["Seen", "mark_of", "session_key"]

_FOLDER = "sessions"
# So many sessions are remembered; the oldest are forgotten.
_MOST = 200
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def mark_of(value: str, *, whole: bool) -> str:
    """Return what stands for a memory that was given: its hash, and whether it was given whole or as a card."""
    return f"{'b' if whole else 'c'}{value[:32]}"


def session_key(host: str, session_id: str) -> str:
    """Return the name under which a host's session is known, ``""`` where the host gives it none."""
    return digest(f"{host}\0{session_id}".encode("utf-8", "replace"))[:24] if session_id else ""


class Seen:
    """The marks of one session. A file that cannot be read or written means that nothing is known.

    Args:
        session: where one is.
        key: as ``session_key`` gives it; empty for a session that nothing is known of.
    """

    def __init__(self, session: Session, key: str) -> None:
        self._path = ""
        if key and session.roots:
            self._path = os.path.join(cache_of(session, session.roots[0]), _FOLDER, key)

    def marks(self) -> frozenset[str]:
        """Return what the session was given."""
        if not self._path:
            return frozenset()
        try:
            fd = os.open(self._path, os.O_RDONLY | _SAFE)
        except OSError:
            return frozenset()
        with open(fd, "rb") as file:
            lines = file.read(1 << 20).decode("ascii", "replace").split("\n")
        # Who was given a body has no need of its card.
        return frozenset(lines) | frozenset(f"c{line[1:]}" for line in lines if line.startswith("b"))

    def add(self, marks: Iterable[str]) -> None:
        """Note what was handed over, appended at once: two hooks of one session may end together."""
        text = "".join(f"{mark}\n" for mark in marks)
        if not self._path or not text:
            return
        folder = os.path.dirname(self._path)
        try:
            if not os.path.isdir(folder):
                from engram.index.folder import make_cache

                make_cache(os.path.dirname(folder))
                os.makedirs(folder, exist_ok=True)
                _forget_old(folder)
            fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _SAFE, 0o600)
            try:
                os.write(fd, text.encode("ascii"))
            finally:
                os.close(fd)
        except OSError:
            pass  # the next prompt brings it again, which is no harm

    def forget(self) -> None:
        """Forget everything: the session's context was cleared."""
        if self._path:
            try:
                os.unlink(self._path)
            except OSError:
                pass


def _forget_old(folder: str) -> None:
    with os.scandir(folder) as entries:
        found = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in entries]
    for _, path in sorted(found)[:-_MOST]:
        os.unlink(path)
