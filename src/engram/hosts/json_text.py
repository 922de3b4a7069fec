"""Texts of JSON files as parts of hosts see them: read once, changed in place, left without a trace."""

from __future__ import annotations

import gc
from functools import lru_cache

from engram.hosts.part import Edit, PartError
from engram.text.jsonc import JsoncError, Node, dumps, position, read_tree, skip_comment
from engram.text.jsonc_edit import append_value, find_node, set_value, unset_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.text.jsonc_edit import Path

    Key = tuple[str, ...]

__all__ = [
    "append",
    "cut",
    "dislikes",
    "failure",
    "filled",
    "fresh_file",
    "is_blank",
    "missing",
    "nested",
    "prefixes",
    "put",
    "read",
    "sweep",
]

# From so many characters on it pays to keep the garbage collector away from a tree.
_LARGE = 1 << 18


def filled(value: object, line: str) -> object:
    """Return a value with a command line in the place of ``$hook``."""
    if isinstance(value, dict):
        return {name: filled(item, line) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [filled(item, line) for item in value]
    return line if value == "$hook" else value


def nested(key: Key, value: object) -> dict[str, object]:
    """Return a value inside of the objects that lead to it."""
    for name in reversed(key):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def is_blank(text: str) -> bool:
    """Tell whether a text holds nothing but blanks."""
    return not text.removeprefix("\ufeff").strip()


def fresh_file(text: str, value: dict[str, object], fresh: Mapping[str, object], made: tuple[Key, ...]) -> Edit:
    """Return a whole file for a text that held nothing."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    whole = mark + dumps({**fresh, **value}) + "\n"
    return Edit(whole, "added", made=made)


def prefixes(path: Key) -> tuple[Key, ...]:
    """Return every path that leads to ``path``, and itself."""
    return tuple(path[:size] for size in range(1, len(path) + 1))


# One file is asked several questions in a row, and a large one takes a second to read.
@lru_cache(maxsize=16)
def read(text: str) -> Node:
    """Return the tree of a text; raise PartError with the place where it is no JSON."""
    # A tree of half a million nodes is no garbage, and the collector would go through it again and again.
    collects = gc.isenabled() and len(text) > _LARGE
    if collects:
        gc.disable()
    try:
        return read_tree(text)
    except JsoncError as error:
        raise PartError(error.reason, error.line, error.column) from error
    finally:
        if collects:
            gc.freeze()
            gc.enable()


def put(text: str, path: Path, value: object) -> str:
    """Return the text with a value set; raise PartError where that cannot be."""
    try:
        return set_value(text, path, value, tree=read(text))
    except JsoncError as error:
        raise PartError(error.reason, error.line, error.column) from error


def append(text: str, path: Path, value: object) -> str:
    """Return the text with a new last item; raise PartError where that cannot be."""
    try:
        return append_value(text, path, value, tree=read(text))
    except JsoncError as error:
        raise PartError(error.reason, error.line, error.column) from error


def cut(text: str, path: Path, made: tuple[Key, ...] = ()) -> tuple[str, tuple[Key, ...]]:
    """Return the text without what stands at a path, and without containers of ours that held only that.

    Args:
        text: the text.
        path: what goes.
        made: the containers that were made.

    Returns:
        The text, and which of the containers may still be there.
    """
    tree = read(text)
    while path[:-1] in made and (holder := find_node(tree, path[:-1])) and _is_alone(text, holder):
        path = path[:-1]
    return unset_value(text, path, tree=tree), tuple(other for other in made if other[: len(path)] != path)


def _is_alone(text: str, holder: Node) -> bool:
    """Tell whether a container holds one thing, and not even a comment beside it."""
    children = holder.members or holder.items or []
    if len(children) != 1:
        return False
    (child,) = children
    beside = text[holder.start + 1 : child.start] + text[child.value.end : holder.end - 1]
    return not beside.replace(",", "", 1).strip()


def failure(text: str, node: Node, reason: str) -> PartError:
    """Return the error for a node of a text."""
    return PartError(reason, *position(text, node.start))


def missing(tree: Node, path: Key) -> tuple[Key, ...]:
    """Return the containers on the way to ``path`` and at it that are not there."""
    return tuple(prefix for prefix in prefixes(path) if find_node(tree, prefix) is None)


def sweep(text: str, made: tuple[Key, ...], fresh: Mapping[str, object]) -> str:
    """Return the text without the containers that were made and hold nothing by now, not even a comment."""
    for path in sorted(made, key=len, reverse=True):
        node = find_node(read(text), path)
        if node is not None and isinstance(node.value, dict | list) and not text[node.start + 1 : node.end - 1].strip():
            text, _ = cut(text, path)
    ours = {name: value for name, value in fresh.items() if (name,) in made}
    if not ours:
        return text
    members = {member.key: member.value.value for member in read(text).members or ()}
    if members and members.items() <= ours.items():
        for name in reversed(members):
            text, _ = cut(text, (name,))
    return text


def dislikes(text: str, refuses: frozenset[str]) -> tuple[str, ...]:
    """Name what stands in a text and makes its host pass over the whole file."""
    found = []
    if "bom" in refuses and text.startswith("\ufeff"):
        found.append("it begins with a byte-order mark")
    if is_blank(text):
        return tuple(found)
    tree = read(text)
    comment, comma = _extras(text, tree)
    if "comments" in refuses and comment >= 0:
        found.append(f"it holds a comment (line {position(text, comment)[0]})")
    if "commas" in refuses and comma >= 0:
        found.append(f"a comma stands before a closing bracket (line {position(text, comma)[0]})")
    return tuple(f"{words}, so the host passes over the whole file" for words in found)


def _extras(text: str, tree: Node) -> tuple[int, int]:
    """Return where the first comment and the first trailing comma stand, -1 for none."""
    strings: list[tuple[int, int]] = []
    comma = -1

    def look(node: Node) -> None:
        nonlocal comma
        children = node.members or node.items or []
        if children and children[-1].comma >= 0 and (comma < 0 or children[-1].comma < comma):
            comma = children[-1].comma
        for child in children:
            strings.append((child.start, child.key_end))
            if isinstance(child.value.value, str):
                strings.append((child.value.start, child.value.end))
            look(child.value)

    look(tree)
    at = 0
    for start, end in [*sorted(strings), (len(text), len(text))]:
        slash = text.find("/", at, start)
        if slash >= 0:
            assert skip_comment(text, slash) >= 0
            return slash, comma
        at = end
    return -1, comma
