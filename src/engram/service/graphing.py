"""What depends on what, in layers."""

from __future__ import annotations

from engram.recall.validity import is_superseded
from engram.record import Record
from engram.service.reading import checked_entry, read_all
from engram.text.slugs import fold_id, link_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engram.service.reading import Entry
    from engram.service.session import Session

__all__ = ["Graph", "dependency_graph"]


class Graph(Record):
    """The dependencies among memories.

    Attributes:
        layers: keys; each memory stands in the first layer after everything that it needs.
        edges: (key, key that it needs).
        dangling: (key, id that it names and nobody has).
        cycles: keys that need each other in a circle; they stand in the last layer.
        entries: the memories, by key.
        superseded: ids of memories that are superseded, each with what took its place; they are in the graph only where
            all were asked for.
        alone: how many memories neither need one nor are needed, and so are not in the graph; 0 where all were asked
            for, or one.
    """

    layers: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[str, str], ...]
    dangling: tuple[tuple[str, str], ...]
    cycles: tuple[str, ...]
    entries: Mapping[str, Entry]
    superseded: Mapping[str, str]
    alone: int = 0


def dependency_graph(session: Session, memory_id: str = "", *, everything: bool = False) -> Graph:
    """Return the graph of all memories that need or are needed, or of one memory's surroundings.

    Args:
        session: where one is.
        memory_id: the one memory.
        everything: also memories that stand alone, and those that are superseded.

    Raises:
        NotFoundError: where there is no memory, or none with this id.
        IntegrityError: when the bytes of that one are not the approved ones.
    """
    found, _ = read_all(session)
    superseded = {entry.memory.id: entry.memory.superseded_by for entry in found if is_superseded(entry.memory)}
    entries = [entry for entry in found if everything or not is_superseded(entry.memory)]
    by_key = {entry.key: entry for entry in entries}
    owners: dict[str, str] = {}
    for entry in entries:
        owners.setdefault(fold_id(entry.memory.id), entry.key)
    edges: list[tuple[str, str]] = []
    dangling: list[tuple[str, str]] = []
    for entry in entries:
        for name in entry.memory.depends_on:
            need = owners.get(link_id(name))
            if need is None:
                dangling.append((entry.key, name))
            elif need != entry.key:
                edges.append((entry.key, need))
    keys = set(by_key) if everything else {key for edge in edges for key in edge} | {key for key, _ in dangling}
    alone = len(by_key) - len(keys)
    if memory_id:
        alone = 0
        root, path = session.locate(memory_id)
        wanted = checked_entry(session, root, path)
        # Of a text that both scopes hold only the workspace's is among the entries.
        twin = owners.get(fold_id(wanted.memory.id), wanted.key)
        start = next((entry.key for entry in entries if entry.root is root and entry.path == path), twin)
        by_key.setdefault(start, wanted)  # who asks for a superseded one by its id sees it
        keys = _around(start, edges)
        edges = [edge for edge in edges if keys.issuperset(edge)]
        dangling = [pair for pair in dangling if pair[0] in keys]
    layers, cycles = _layers(keys, edges)
    return Graph(layers, tuple(edges), tuple(dangling), cycles, by_key, superseded, alone)


def _around(start: str, edges: Sequence[tuple[str, str]]) -> set[str]:
    """Return a memory with everything it needs, at any distance, and everything that needs it."""
    down = _reach(start, edges)
    up = _reach(start, [(need, key) for key, need in edges])
    return down | up


def _reach(start: str, edges: Iterable[tuple[str, str]]) -> set[str]:
    following: dict[str, list[str]] = {}
    for key, need in edges:
        following.setdefault(key, []).append(need)
    seen, pending = {start}, [start]
    while pending:
        for need in following.get(pending.pop(), ()):
            if need not in seen:
                seen.add(need)
                pending.append(need)
    return seen


def _layers(
    keys: Iterable[str], edges: Sequence[tuple[str, str]]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    needs: dict[str, set[str]] = {key: set() for key in keys}
    for key, need in edges:
        needs[key].add(need)
    layers: list[tuple[str, ...]] = []
    placed: set[str] = set()
    while len(placed) < len(needs):
        ready = tuple(sorted(key for key, wanted in needs.items() if key not in placed and wanted <= placed))
        if not ready:
            left = tuple(sorted(needs.keys() - placed))
            return (*layers, left), left
        layers.append(ready)
        placed.update(ready)
    return tuple(layers), ()
