"""What depends on what, in layers."""

from __future__ import annotations

from engram.recall.validity import is_superseded
from engram.record import Record
from engram.service.reading import checked_entry, read_all
from engram.service.session import skipped_lines
from engram.store.root import stem
from engram.text.slugs import fold_id, link_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from engram.service.reading import Entry
    from engram.service.session import Session

__all__ = ["NOT_AS_APPROVED", "Graph", "dependency_graph"]

# Why a memory is not drawn whose file is there: a line of its own says more (F13).
NOT_AS_APPROVED = "which is skipped"


class Graph(Record):
    """The dependencies among memories.

    Attributes:
        layers: keys; each memory stands in the first layer after everything that it needs, or with what it needs and is
            needed by in a circle.
        edges: (key, key that it needs).
        dangling: (key, id that it names and that is not drawn).
        missing: why each of these ids is not drawn.
        cycles: the keys of each circle, directly or through others.
        entries: the memories, by key.
        skipped: what is not as it was approved, a line each (F13).
        superseded: ids of memories that are superseded, each with what took its place; they are in the graph only where
            all were asked for.
        alone: how many memories neither need one nor are needed, and so are not in the graph; 0 where all were asked
            for, or one.
    """

    layers: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[str, str], ...]
    dangling: tuple[tuple[str, str], ...]
    missing: Mapping[str, str]
    cycles: tuple[tuple[str, ...], ...]
    entries: Mapping[str, Entry]
    skipped: tuple[str, ...]
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
    found, skipped = read_all(session)
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
    unread = {fold_id(stem(skip.path)) for _, skip in skipped}
    missing = {name: _why_missing(session, name, superseded, unread) for _, name in dangling}
    lines = skipped_lines(skipped)
    return Graph(layers, tuple(edges), tuple(dangling), missing, cycles, by_key, lines, superseded, alone)


def _why_missing(session: Session, name: str, superseded: Mapping[str, str], unread: Container[str]) -> str:
    """Return why an id that a memory depends on is not drawn, as a clause."""
    wanted = link_id(name)
    successor = next((by for known, by in superseded.items() if fold_id(known) == wanted), None)
    if successor is not None:
        return f"which is superseded by {successor}" if successor else "which is superseded"
    if wanted in unread:
        return NOT_AS_APPROVED
    archived = any(fold_id(stem(path)) == wanted for root in session.roots for path in root.archived_paths())
    return "which is archived" if archived else "which does not exist"


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
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the keys in layers, and the circles among them."""
    needs: dict[str, list[str]] = {key: [] for key in sorted(keys)}
    for key, need in edges:
        needs[key].append(need)
    layer_of: dict[str, int] = {}
    circles = []
    for together in _components(needs):
        below = [layer_of[need] for key in together for need in needs[key] if need in layer_of]
        layer_of.update(dict.fromkeys(together, max(below, default=-1) + 1))
        if len(together) > 1:
            circles.append(tuple(sorted(together)))
    layers: list[list[str]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for key in sorted(layer_of):
        layers[layer_of[key]].append(key)
    return tuple(map(tuple, layers)), tuple(sorted(circles))


def _components(needs: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield the keys that need each other, at any distance, together, and what they need before them (Tarjan)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_keys: list[str] = []
    done: set[str] = set()
    for start in needs:
        pending = [] if start in number else [(start, iter(needs[start]))]
        while pending:
            key, rest = pending[-1]
            if key not in number:
                number[key] = lowest[key] = len(number)
                open_keys.append(key)
            for need in rest:
                if need not in number:
                    pending.append((need, iter(needs[need])))
                    break
                if need not in done:
                    lowest[key] = min(lowest[key], number[need])
            else:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    lowest[above] = min(lowest[above], lowest[key])
                if lowest[key] == number[key]:
                    at = open_keys.index(key)
                    together, open_keys[at:] = open_keys[at:], []
                    done.update(together)
                    yield together
