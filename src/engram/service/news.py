"""What a session's start names: what waits for a human, what is foreign, what is new and from whom (A4, F18)."""

from __future__ import annotations

import os

from engram.proposals.pending import FILE
from engram.safety.fence import show_line
from engram.service.caches import cache_of
from engram.store.root import Stored, is_active
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["News", "waiting_lines"]

_FILE = "last-start"
_NAMED = 5  # so many new memories are named
_DIGITS = 16  # of a hash; enough to tell memories apart
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class News:
    """The lines to begin with. ``note`` remembers that they were said; until then they are said again."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._states: dict[str, bytes] = {}
        self.lines: list[str] = []
        for root in session.roots:
            if root.foreign:
                self.lines.append(_foreign(root))
            else:
                self.lines += self._new(root)
        self.lines += waiting_lines(session)

    def note(self) -> None:
        """Remember what there is, so that only what is newer will be new."""
        from engram.index.folder import make_cache

        for cache, data in self._states.items():
            try:
                make_cache(cache)
                fd = os.open(os.path.join(cache, _FILE), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _SAFE, 0o600)
                with open(fd, "wb") as file:
                    file.write(data)
            except OSError:
                pass  # said once more the next time

    def _new(self, root: MemoryRoot) -> list[str]:
        now = {
            value[:_DIGITS]: path
            for path, values in root.ledger().hashes.items()
            if is_active(path) and not root.ignores(path)
            for value in values
        }
        cache = cache_of(self._session, root)
        before = _known(cache)
        data = "".join(f"{value}\n" for value in sorted(now)).encode("ascii", "replace")
        if before is None or before != now.keys():
            self._states[cache] = data
        if before is None:
            return []
        fresh = sorted(path for value, path in now.items() if value not in before)
        if not fresh:
            return []
        named = []
        for path in fresh[:_NAMED]:
            stored = root.read(path)
            if isinstance(stored, Stored):
                by = stored.memory.author_name or "nobody named"
                named.append(f"{stored.memory.id} (by {by})")
        more = f" and {len(fresh) - len(named)} more" if len(fresh) > len(named) else ""
        names = ", ".join(named) + more if named else "engram list shows them"
        return [show_line(f"New in {root.scope} memory since the last session: {names}.")]


def _known(cache: str) -> set[str] | None:
    """Return the hashes of the last start, None where there was none."""
    try:
        fd = os.open(os.path.join(cache, _FILE), os.O_RDONLY | _SAFE)
    except OSError:
        return None
    with open(fd, "rb") as file:
        return set(file.read().decode("ascii", "replace").split())


def _foreign(root: MemoryRoot) -> str:
    count = sum(1 for _ in root.active_paths())
    memories = "1 memory" if count == 1 else f"{count} memories"
    return f"This project brings {memories} that nobody here accepted yet: engram trust"


def waiting_lines(session: Session) -> list[str]:
    """Return what waits for a human; nothing is imported for it where nothing does."""
    if not session.roots:
        return []
    home = session.roots[0]
    lines = []
    if os.path.exists(os.path.join(home.path, FILE)):
        from engram.errors import FormatError
        from engram.service.approving import open_approvals

        try:
            waiting = [one for one in open_approvals(session) if not one.expired]
        except FormatError as error:
            return [show_line(error.message)]
        if waiting:
            wait = "waits" if len(waiting) == 1 else "wait"
            lines.append(f"{counted(len(waiting), 'proposal')} for memory {wait} for the human: engram review")
    deferred = 0
    for root in session.roots:
        if os.path.isdir(os.path.join(root.path, "inbox")):
            from engram.service.inbox import waiting_in

            deferred += len(waiting_in(session, root)[0])
    if deferred:
        lines.append(f"{counted(deferred, 'deferred candidate')} in the inbox: engram review")
    return lines
