"""What a session's start names: what waits for a human, what is foreign, what is new and from whom (A4, F18)."""

from __future__ import annotations

import os

from engram.safety.fence import show_line
from engram.service.caches import cache_of
from engram.service.looks import unasked_sentence, unasked_writes
from engram.service.pulled import pulled_from, pulled_paths, pulled_sentence, shown
from engram.service.waiting import skipped_sentence, waiting_counts, waiting_sentence
from engram.store.files import OWN_FILE
from engram.store.root import is_active

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.service.session import Session
    from engram.store.root import MemoryRoot, Skipped

__all__ = ["News"]

_FILE = "last-start"
_DIGITS = 16  # of a hash; enough to tell memories apart


class News:
    """The lines to begin with. ``note`` remembers that they were said; until then they are said again.

    ``skipped`` are the files that are not as approved, as far as the start came upon them: an agent that works without
    a rule must not do so in silence (F13).
    """

    def __init__(self, session: Session, skipped: Sequence[tuple[MemoryRoot, Skipped]] = ()) -> None:
        self._session = session
        self._states: dict[str, bytes] = {}
        self.lines: list[str] = []
        for root in session.roots:
            if root.foreign:
                self.lines.append(_foreign(root))
            else:
                self.lines += self._new(root)
        for root in session.roots:
            # Of a foreign root nothing is given that could be missed.
            if not root.foreign and (paths := {skip.path for of, skip in skipped if of.path == root.path}):
                said = f"{skipped_sentence(len(paths))}, so no agent is given what stands there"
                self.lines.append(f"For the human, in {root.scope} memory: {said}: engram verify --review")
            if sentence := waiting_sentence(waiting_counts(session, root)):
                self.lines.append(f"For the human, in {root.scope} memory: {sentence}")
            if sentence := unasked_sentence(unasked_writes(session, root)):
                self.lines.append(show_line(f"For the human, in {root.scope} memory: {sentence}; engram status"))

    def note(self) -> None:
        """Remember what there is, so that only what is newer will be new."""
        from engram.index.folder import make_cache

        for cache, data in self._states.items():
            try:
                make_cache(cache)
                fd = os.open(os.path.join(cache, _FILE), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | OWN_FILE, 0o600)
                with open(fd, "wb") as file:
                    file.write(data)
            except OSError:
                pass  # said once more the next time

    def _new(self, root: MemoryRoot) -> list[str]:
        now = {
            value[:_DIGITS]: (path, value)
            for path, values in root.ledger().hashes.items()
            if is_active(path) and not root.ignores(path)
            for value in values
        }
        cache = cache_of(self._session, root)
        before = _known(cache)
        data = "".join(f"{value}\n" for value in sorted(now)).encode("ascii", "replace")
        if before is None or before != now.keys():
            self._states[cache] = data
        # Without strict trust only a first start asks: to know which of them can be shown, each file is read.
        pulled = pulled_paths(self._session, root) if self._session.strict or before is None else {}
        lines = []
        if pulled and self._session.strict:
            # It is said at each start, as long as it waits.
            lines = [show_line(f"For the human: {pulled_sentence(self._session, root, pulled)}.")]
        fresh = pulled if before is None else shown(self._session, root, _fresh(now, before))
        if lines:
            fresh = {path: value for path, value in fresh.items() if path not in pulled}
        if fresh:
            said = f"New in {root.scope} memory since the last session: {pulled_from(root, fresh)}."
            lines.append(show_line(said))
        return lines


def _fresh(now: Mapping[str, tuple[str, str]], before: set[str]) -> dict[str, str]:
    """Return path and hash, in order, of what was not there before."""
    return dict(sorted(one for name, one in now.items() if name not in before))


def _known(cache: str) -> set[str] | None:
    """Return the hashes of the last start, None where there was none."""
    try:
        fd = os.open(os.path.join(cache, _FILE), os.O_RDONLY | OWN_FILE)
    except OSError:
        return None
    with open(fd, "rb") as file:
        return set(file.read().decode("ascii", "replace").split())


def _foreign(root: MemoryRoot) -> str:
    count = sum(1 for _ in root.active_paths())
    memories = "1 memory" if count == 1 else f"{count} memories"
    return f"This project brings {memories} that nobody here accepted yet: engram trust"
