"""What a pull brought into a trusted workspace, and from whom (F18).

Under ``trust.mode: normal`` it is used, and named until a human says that they saw it; under ``strict`` each new
content hash waits for ``engram trust`` and is foreign until then.
"""

from __future__ import annotations

from engram.store.root import Stored, is_active, stem
from engram.text.plural import counted
from engram.text.slugs import fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.index.refresh import Index
    from engram.service.session import Session
    from engram.store.accepted import Accepted
    from engram.store.root import MemoryRoot

__all__ = ["PulledKept", "pulled_from", "pulled_memories", "pulled_paths", "pulled_sentence", "shown"]

_NAMED = 5  # so many are named
# So many files are read to see which can be shown: more would take a session's start longer than a host waits for it.
_READ_EACH = 500
# One call may ask within the question of another, each with a view of its own.
_VIEWS = 2


class PulledKept:
    """What a process that lives long keeps of what a pull brought into one root.

    Attributes:
        state: of the files that say what is accepted and what there is.
        found: path and hash of what was brought, by that state.
        views: what of ``found`` can be shown, beside what the view of the index held that it was made from.
    """

    __slots__ = ("found", "state", "views")

    def __init__(self, state: tuple[object, ...], found: dict[str, str]) -> None:
        self.state = state
        self.found = found
        self.views: list[tuple[Mapping[str, str], dict[str, str]]] = []


def pulled_paths(session: Session, root: MemoryRoot) -> Mapping[str, str]:
    """Return the active memories of a root that can be shown, and whose bytes nobody on this machine accepted or wrote.

    Returns:
        Their paths in order, each with the hash of its bytes. What ``engram verify`` names is not among them.
    """
    accepted = session.accepted
    if accepted is None or root.scope != "workspace" or root.foreign:
        return {}
    shelf = session.shelf
    # Before anything is read: what changes meanwhile is seen the next time.
    state = (root.ledger_state(), accepted.state(), root.left_alone, session.strict)
    kept = shelf.pulled.get(root.path) if shelf else None
    if kept is None or kept.state != state:
        kept = PulledKept(state, _pulled(accepted, root) if accepted.known or session.strict else {})
        if shelf:
            shelf.pulled[root.path] = kept
    if len(kept.found) <= _READ_EACH:
        return shown(session, root, kept.found)
    held = _indexed(session, root)
    for known, made in kept.views:
        if known is held:  # one view of an index gives the same object each time
            return made
    made = _among(kept.found, held)
    kept.views = [(held, made), *kept.views[: _VIEWS - 1]]
    return made


def _pulled(accepted: Accepted, root: MemoryRoot) -> dict[str, str]:
    return {
        path: values[0]
        for path, values in sorted(root.ledger().hashes.items())
        if is_active(path) and not any(map(accepted.has, values)) and not root.ignores(path)
    }


def shown(session: Session, root: MemoryRoot, paths: Mapping[str, str]) -> dict[str, str]:
    """Return path and hash of those memories that a list shows: not what is skipped, of two of one id the served one.

    Of very many the index is asked, which knows that of each as it was when its line in the ledger or its folder last
    changed.
    """
    if not paths:
        return {}
    if len(paths) > _READ_EACH:
        return _among(paths, _indexed(session, root))
    owners: dict[str, int] = {}
    for path in filter(is_active, root.ledger().hashes):
        folded = fold_id(stem(path))
        owners[folded] = owners.get(folded, 0) + 1
    found = {}
    for path in paths:
        stored = root.read(path)
        if isinstance(stored, Stored) and (owners.get(fold_id(stem(path)), 0) < 2 or root.find(stem(path)) == path):
            found[path] = stored.hash
    return found


def _among(paths: Mapping[str, str], held: Mapping[str, str]) -> dict[str, str]:
    return {path: held[path] for path in paths if path in held}


def _indexed(session: Session, root: MemoryRoot) -> Mapping[str, str]:
    """Return path and hash of the memories of a root that its index holds."""
    from engram.service.indexes import ask_indexes

    def held(indexes: Sequence[Index]) -> Mapping[str, str]:
        pairs = zip(session.roots, indexes, strict=True)
        return next(index.source.hashes() for one, index in pairs if one.path == root.path)

    return ask_indexes(session, held)


def pulled_memories(session: Session) -> list[Stored] | None:
    """Return what a pull brought into the workspace, as far as it can be read; None when nothing was brought."""
    for root in session.roots:
        if root.scope == "workspace" and (paths := pulled_paths(session, root)):
            return [stored for path in paths if isinstance(stored := root.read(path), Stored)]
    return None


def pulled_from(root: MemoryRoot, paths: Mapping[str, str]) -> str:
    """Return the ids of the first of some memories, by path and hash, with the author that each one names."""
    named = []
    for path in list(paths)[:_NAMED]:
        stored = root.read(path, paths[path])
        if isinstance(stored, Stored):
            named.append(f"{stored.memory.id} (by {stored.memory.author_name or 'nobody named'})")
    more = f" and {len(paths) - len(named)} more" if len(paths) > len(named) else ""
    return ", ".join(named) + more if named else "engram list shows them"


def pulled_sentence(session: Session, root: MemoryRoot, paths: Mapping[str, str]) -> str:
    """Return what was brought as one sentence with the command for it, ``""`` for nothing."""
    if not paths:
        return ""
    count, one = counted(len(paths), "memory", "memories"), len(paths) == 1
    names = pulled_from(root, paths)
    if session.strict:
        return f"{count} that a pull brought wait{'s' if one else ''} for engram trust, reference only: {names}"
    use, them = ("is", "it") if one else ("are", "them")
    return f"{count} that a pull brought {use} in use: {names}; engram review shows {them}"
