"""What a host's session was given already: hashes of memories, never a prompt, in ``.cache/`` (F21 ``read``, G1).

A host that is linked for a project and for all projects runs two hooks for one event, Codex both at the same moment.
The second waits for the first, and finds that it is its twin.
"""

from __future__ import annotations

import os
import time

from engram.portable import try_lock
from engram.service.caches import cache_of
from engram.store.files import OWN_FILE, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.service.session import Session

__all__ = ["Seen", "mark_of", "session_key"]

_FOLDER = "sessions"
# So many sessions are remembered; the oldest are forgotten.
_MOST = 200
# A host that runs its hooks one after the other starts the second so soon; nobody clears a session twice in that time.
_NEXT_S = 0.5
# No hook takes longer than that: what ended later than it after this one began was another event's, by another clock.
_LONGEST_S = 5.0
_LOOK_S = 0.005


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
        event: names what happens in the session, as far as the host does: twins have the same.
        exact: whether that name is of this one event alone.
        began: when the hook was started, in seconds since 1970.
    """

    def __init__(self, session: Session, key: str, event: str = "", *, exact: bool = False, began: float = 0.0) -> None:
        self._path = ""
        self._fd = -1
        self._lines: list[str] = []
        self._event = f"@{digest(event.encode('utf-8', 'replace'))[:16]}" if event else ""
        self._exact = exact
        self._began = began
        if key and session.roots:
            self._path = os.path.join(cache_of(session, session.roots[0]), _FOLDER, key)
            self._open()

    def _open(self) -> None:
        """Wait for a hook that is answering in this session, as long as the watch of this one allows, and read."""
        try:
            folder = os.path.dirname(self._path)
            if not os.path.isdir(folder):
                from engram.index.folder import make_cache

                make_cache(os.path.dirname(folder))
                os.makedirs(folder, exist_ok=True)
            elif not os.path.lexists(self._path):
                _forget_old(folder)
            self._fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | OWN_FILE, 0o600)
        except OSError:
            return
        try:
            deadline = time.monotonic() + _LONGEST_S
            while not try_lock(self._fd) and time.monotonic() < deadline:
                time.sleep(_LOOK_S)
        except OSError:
            pass  # a file system without locks: a twin may bring it twice, which is no harm
        try:
            os.lseek(self._fd, 0, os.SEEK_SET)
            self._lines = os.read(self._fd, 1 << 20).decode("ascii", "replace").split("\n")
        except OSError:
            pass

    def has_twin(self) -> bool:
        """Tell whether another hook answered this very event already."""
        for line in self._lines:
            name, _, ended = line.partition(" ")
            if (
                name == self._event
                and ended.isdecimal()
                and (self._exact or -_LONGEST_S < self._began - int(ended) / 1000 < _NEXT_S)
            ):
                return True
        return False

    def marks(self) -> frozenset[str]:
        """Return what the session was given."""
        # Who was given a body has no need of its card.
        return frozenset(self._lines) | frozenset(f"c{line[1:]}" for line in self._lines if line.startswith("b"))

    def add(self, marks: Iterable[str]) -> None:
        """Note what was handed over, and for which event."""
        lines = list(marks)
        if self._event:
            lines.append(f"{self._event} {time.time() * 1000:.0f}")
        if self._fd < 0 or not lines:
            return
        try:
            os.write(self._fd, "".join(f"{line}\n" for line in lines).encode("ascii"))
        except OSError:
            pass  # the next prompt brings it again, which is no harm

    def forget(self) -> None:
        """Forget everything: the session's context was cleared."""
        self._lines = []
        if self._fd >= 0:
            try:
                os.ftruncate(self._fd, 0)
            except OSError:
                pass


def _forget_old(folder: str) -> None:
    with os.scandir(folder) as entries:
        found = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in entries]
    for _, path in sorted(found)[: 1 - _MOST]:
        try:
            os.unlink(path)
        except OSError:
            pass  # another hook was faster
