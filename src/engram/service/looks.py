"""What was written while nobody was asked here: by token or by force, since a human last looked (C59a)."""

from __future__ import annotations

import os

from engram.errors import StoreError
from engram.record import Record
from engram.store.files import atomic_write, inside, read_optional, read_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["Unasked", "remember_look", "unasked_sentence", "unasked_writes"]

# The user's own file: which root was last looked at when, `{"roots": {"/path": "2026-12-02T08:45:22.000Z"}}`.
_FILE = "looked.json"
# So much of the end of a changelog is read, in bytes: some 800 lines.
_TAIL = 64 * 1024
_MOMENT = len("2026-12-02T08:45:22.000Z")
_WAYS = ("token", "force")
_NAMED = 3


class Unasked(Record):
    """One line of a changelog: when, which file, what was done with it, and by which way."""

    when: str
    path: str
    what: str
    way: str

    @property
    def line(self) -> str:
        """What was done, in a few words."""
        return f"{self.what} ({self.way})"


def unasked_writes(session: Session, root: MemoryRoot) -> list[Unasked]:
    """Return what was written by token or force since the last look, oldest first; nothing for a foreign root.

    Only the end of the changelog is read: what came before that was there to be seen for long.
    """
    if root.foreign:
        return []
    try:
        data = read_tail(inside(root.path, "changelog.md"), _TAIL)
    except (OSError, StoreError):
        return []
    since = _looks(session).get(root.path, "")
    found = []
    lines = data.decode("utf-8", "replace").split("\n")
    for line in lines if len(data) < _TAIL else lines[1:]:
        when, said = line[2 : 2 + _MOMENT], line[3 + _MOMENT :]
        if not line.startswith("- 2") or not when.endswith("Z") or when <= since:
            continue
        rest, _, way = said.rpartition(" (")
        path, colon, what = rest.partition(": ")
        if colon and way.removesuffix(")") in _WAYS:
            found.append(Unasked(when, path, what, way.removesuffix(")")))
    return sorted(found, key=lambda one: one.when)  # a merge leaves them in the order of its branches (F2a)


def unasked_sentence(found: Sequence[Unasked]) -> str:
    """Return what was written as one sentence, the latest named; ``""`` for nothing."""
    if not found:
        return ""
    named = ", ".join([one.line for one in reversed(found[-_NAMED:])])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"{len(found)} written by token or force since you last looked: {named}{more}"


def remember_look(session: Session, shown: Mapping[str, Sequence[Unasked]]) -> None:
    """Keep that a person at a terminal was shown this much; where that cannot be written it is said again next time.

    Args:
        session: where one is.
        shown: by the path of a root, what ``unasked_writes`` returned.
    """
    from engram.store.write import timestamp
    from engram.text.jsonc import dumps

    now = timestamp()
    # A line that claims to come from the future must not hide those until then.
    changed = {root: min(writes[-1].when, now) for root, writes in shown.items() if writes}
    if not changed:
        return
    rows = {path: when for path, when in (_looks(session) | changed).items() if os.path.isdir(path)}
    try:
        atomic_write(os.path.join(session.config_dir, _FILE), (dumps({"roots": rows}, indent=2) + "\n").encode())
    except StoreError:
        return


def _looks(session: Session) -> dict[str, str]:
    from engram.text.jsonc import JsoncError, parse

    try:
        data = read_optional(os.path.join(session.config_dir, _FILE))
        rows = {} if data is None else parse(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError, JsoncError):
        return {}
    found = rows.get("roots") if isinstance(rows, dict) else None
    if not isinstance(found, dict):
        return {}
    return {str(path): when for path, when in found.items() if isinstance(when, str)}
