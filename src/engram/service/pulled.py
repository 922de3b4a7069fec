"""What a pull brought into a trusted workspace, and from whom (F18).

Under ``trust.mode: normal`` it is used, and named until a human says that they saw it; under ``strict`` each new
content hash waits for ``engram trust`` and is foreign until then.
"""

from __future__ import annotations

from engram.store.root import Stored, is_active
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["pulled_from", "pulled_paths", "pulled_sentence"]

_NAMED = 5  # so many are named


def pulled_paths(session: Session, root: MemoryRoot) -> list[str]:
    """Return the active memories of a root whose bytes nobody on this machine accepted or wrote."""
    accepted = session.accepted
    if accepted is None or root.scope != "workspace" or root.foreign or not (accepted.known or session.strict):
        return []
    return sorted(
        path
        for path, values in root.ledger().hashes.items()
        if is_active(path) and not any(map(accepted.has, values)) and not root.ignores(path)
    )


def pulled_from(root: MemoryRoot, paths: Sequence[str]) -> str:
    """Return the ids of the first of some memories with the author that each one names."""
    named = []
    for path in paths[:_NAMED]:
        stored = root.read(path)
        if isinstance(stored, Stored):
            named.append(f"{stored.memory.id} (by {stored.memory.author_name or 'nobody named'})")
    more = f" and {len(paths) - len(named)} more" if len(paths) > len(named) else ""
    return ", ".join(named) + more if named else "engram list shows them"


def pulled_sentence(session: Session, root: MemoryRoot, paths: Sequence[str]) -> str:
    """Return what was brought as one sentence with the command for it, ``""`` for nothing."""
    if not paths:
        return ""
    count, one = counted(len(paths), "memory", "memories"), len(paths) == 1
    names = pulled_from(root, paths)
    if session.strict:
        return f"{count} that a pull brought wait{'s' if one else ''} for engram trust, reference only: {names}"
    use, them = ("is", "it") if one else ("are", "them")
    return f"{count} that a pull brought {use} in use: {names}; engram review shows {them}"
