"""What candidates depend on: whether that is memory here, and whether memories then need each other in a circle (F19).

Neither keeps a memory from being written, as what is missing may come; the human learns of it before the question.
"""

from __future__ import annotations

from engram.store.root import Stored, stem
from engram.text.slugs import check_id, fold_id, link_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.proposals.candidates import Candidate
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["Needs"]


class Needs:
    """What is memory here once a proposal is written, and what each of it needs.

    Args:
        session: where one is.
        changes: of the proposal, each candidate with the id that it makes or changes, and the id that it replaces,
            ``""`` for none.
    """

    def __init__(self, session: Session, changes: Iterable[tuple[Candidate, str, str]] = ()) -> None:
        self._roots = session.roots
        self._coming: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        self._replaced: dict[str, str] = {}
        self._paths: dict[str, dict[str, str]] = {}
        for candidate, memory_id, replaced in changes:
            folded = fold_id(memory_id)
            self._names[folded] = memory_id
            self._coming[folded] = (*self._coming.get(folded, ()), *_ids(candidate.depends_on))
            if replaced:
                self._replaced[fold_id(replaced)] = memory_id

    def remarks(self, candidate: Candidate, memory_id: str) -> tuple[str, ...]:
        """Return a sentence for each id that a candidate depends on in vain, and one for a circle.

        Args:
            candidate: as checked.
            memory_id: of the memory that it makes or changes.
        """
        own = fold_id(memory_id)
        found = []
        for name in _ids(candidate.depends_on):
            said = f"{memory_id} itself" if fold_id(name) == own else self._why_not(name)
            if said:
                found.append(f"It depends on {said}")
        if circle := self._circle(own, candidate.depends_on):
            around = ", ".join([self._names.get(one, one) for one in circle])
            found.append(f"Memories would need each other in a circle: {memory_id}, {around}, {memory_id}")
        return tuple(found)

    def _why_not(self, name: str) -> str:
        """Return an id with the reason why nothing is loaded for it, ``""`` where something is."""
        folded = fold_id(name)
        if new := self._replaced.get(folded):
            return f"{name}, which {new} replaces"
        if folded in self._coming:
            return ""
        replaced = ""
        for root in self._roots:
            if path := self._path(root, folded):
                stored = root.read(path)
                if not isinstance(stored, Stored) or not stored.memory.superseded_by:
                    return ""
                replaced = replaced or f"{name}, which {stored.memory.superseded_by} has replaced"
        if replaced:
            return replaced
        archived = any(root.find_archived(name) for root in self._roots)
        return f"{name}, which is {'archived' if archived else 'no memory here'}"

    def _circle(self, own: str, names: Iterable[str]) -> list[str]:
        """Return the folded ids on the way from what is needed back to the memory itself; none where there is none."""
        ways = [[folded] for folded in dict.fromkeys(map(fold_id, _ids(names))) if folded != own]
        seen = {way[0] for way in ways}
        for way in ways:  # which grows: the nearest come first
            for need in map(fold_id, self._needs(way[-1])):
                if need == own:
                    return way
                if need not in seen:
                    seen.add(need)
                    ways.append([*way, need])
        return []

    def _needs(self, folded: str) -> tuple[str, ...]:
        for root in self._roots:
            if path := self._path(root, folded):
                stored = root.read(path)
                if isinstance(stored, Stored):
                    self._names.setdefault(folded, stored.memory.id)
                    return (*self._coming.get(folded, ()), *map(link_id, stored.memory.depends_on))
        return self._coming.get(folded, ())

    def _path(self, root: MemoryRoot, folded: str) -> str:
        if root.path not in self._paths:
            known = self._paths[root.path] = {}
            for path in root.active_paths():
                known.setdefault(fold_id(stem(path)), path)
        return self._paths[root.path].get(folded, "")


def _ids(names: Iterable[str]) -> list[str]:
    return [check_id(name)[1] for name in names]
