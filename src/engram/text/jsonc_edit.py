r"""Set, append or take out one value of a JSONC text; every other byte stays as it is.

Comments, order, indentation, line ends, byte-order mark, trailing commas and the final newline are the owner's. A new
member is written as its neighbours are, and taking it out again gives the very text that was there before:

>>> text = '{\n\t"a": 1 // why\n}\n'
>>> added = set_value(text, ("b",), [2])
>>> added
'{\n\t"a": 1, // why\n\t"b": [2]\n}\n'
>>> unset_value(added, ("b",)) == text
True

A path leads through objects by key and through arrays by number.
"""

from __future__ import annotations

from engram.text.jsonc import JsoncError, Member, Node, dumps, position, read_tree, skip_comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str | int, ...]

__all__ = ["append_value", "find_node", "set_value", "unset_value"]

_BREAKS = ("\r\n", "\n", "\r")


def find_node(root: Node, path: Path) -> Node | None:
    """Return the node at a path below ``root``; None where nothing stands there."""
    node: Node | None = root
    for step in path:
        member = _find(node, step) if node is not None else None
        node = member.value if member is not None else None
    return node


def set_value(text: str, path: Path, value: object, *, tree: Node | None = None) -> str:
    """Return the text with the member at ``path`` set to ``value``; a value that stands there already changes nothing.

    Objects on the way that are missing are created; a new member comes last in its object. An item of an array is
    replaced, never created: ``append_value`` does that.

    Args:
        text: JSONC whose value is an object.
        path: the keys, and numbers of items, from the outermost object inwards, at least one.
        value: what ``dumps`` takes.
        tree: the text's tree, where the caller has read it already.

    Raises:
        JsoncError: for a text that is not JSONC, or where a value on the way is no object.
        ValueError: for a value that JSON has no form for, or an empty path.
    """
    if not path:
        raise ValueError("a path names at least one key")
    root = holder = tree or read_tree(text)
    owner: Member | None = None
    for depth, step in enumerate(path):
        member = _find(holder, step)
        if member is None:
            if holder.members is None or isinstance(step, int):
                raise _not_there(text, holder, path[:depth])
            for missing in reversed(path[depth + 1 :]):
                if isinstance(missing, int):
                    raise _not_there(text, holder, path[:depth])
                value = {missing: value}
            spread = owner is None or _opens_line(text, owner.start)
            return _insert(text, root, holder, step, value, spread=spread)
        siblings, owner, holder = _children(holder), member, member.value
    assert owner is not None
    return _replace(text, root, owner, siblings, value)


def append_value(text: str, path: Path, value: object, *, tree: Node | None = None) -> str:
    """Return the text with ``value`` as a new last item of the array at ``path``, which is created where it is missing.

    ``tree`` is the text's, where the caller has read it already.

    Raises:
        JsoncError: for a text that is not JSONC, or where something else than an array stands there.
        ValueError: as ``set_value``.
    """
    root = tree or read_tree(text)
    holder = find_node(root, path)
    if holder is None:
        return set_value(text, path, [value], tree=root)
    if holder.items is None:
        raise _not_there(text, holder, path, "array in square brackets")
    owner = _owner(root, path)
    return _insert(text, root, holder, None, value, spread=owner is None or _opens_line(text, owner.start))


def unset_value(text: str, path: Path, *, tree: Node | None = None) -> str:
    """Return the text without the member or item at ``path``, its comma and, where it stands alone there, its line.

    Comments stay, also one at the end of the member's line. A path that leads to nothing changes nothing. ``tree`` is
    the text's, where the caller has read it already.

    Raises:
        JsoncError: for a text that is not JSONC.
        ValueError: for an empty path.
    """
    if not path:
        raise ValueError("a path names at least one key")
    holder = find_node(tree or read_tree(text), path[:-1])
    member = _find(holder, path[-1]) if holder is not None else None
    return _remove(text, holder, member) if holder is not None and member is not None else text


def _children(node: Node) -> list[Member]:
    return node.members or node.items or []


def _find(node: Node, step: str | int) -> Member | None:
    if isinstance(step, int):
        items = node.items or []
        return items[step] if 0 <= step < len(items) else None
    return next((member for member in node.members or () if member.key == step), None)


def _owner(root: Node, path: Path) -> Member | None:
    """Return the member or item that holds the value at a path that is there; None for the outermost value."""
    if not path:
        return None
    holder = find_node(root, path[:-1])
    return _find(holder, path[-1]) if holder is not None else None


def _not_there(text: str, node: Node, path: Path, wanted: str = "object in braces") -> JsoncError:
    what = dumps(".".join(map(str, path))) if path else "the outermost value"
    return JsoncError(f"{what} is no {wanted}, so that nothing can be set in it", *position(text, node.start))


# Where things stand on their lines.


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _opens_line(text: str, at: int) -> bool:
    return not text[_line_start(text, at) : at].strip(" \t")


def _lead(text: str, at: int) -> str:
    """Return the indentation of the line that holds an offset."""
    start = _line_start(text, at)
    end = start
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return text[start:end]


def _has_break(text: str) -> bool:
    return "\n" in text or "\r" in text


def _newline(text: str) -> str:
    """Return the text's first line end."""
    first = min((at for at in (text.find("\n"), text.find("\r")) if at >= 0), default=-1)
    return next((end for end in _BREAKS if text.startswith(end, first)), "\n") if first >= 0 else "\n"


def _blanks(text: str, at: int) -> int:
    """Return the offset behind the blanks and tabs at an offset."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _members(node: Node) -> Iterator[tuple[Node, Member]]:
    """Yield every object's members with the object, in the text's order."""
    for member in _children(node):
        if node.members:
            yield node, member
        yield from _members(member.value)


# How the neighbours are written.


def _unit(text: str, root: Node) -> str:
    """Return what the text indents one level by: two blanks where nothing tells."""
    for holder, member in _members(root):
        outer, inner = _lead(text, holder.start), _lead(text, member.start)
        if _opens_line(text, member.start) and inner.startswith(outer) and inner != outer:
            return inner[len(outer) :]
    return "  "


def _colon(text: str, root: Node, siblings: list[Member]) -> str:
    nearest = siblings[-1] if siblings else next((member for _, member in _members(root)), None)
    between = text[nearest.key_end : nearest.value.start] if nearest else ""
    return between if between in (":", ": ", " : ") else ": "


def _comma(siblings: list[Member], colon: str) -> str:
    if len(siblings) > 1:
        return "," if siblings[-2].comma + 1 == siblings[-1].start else ", "
    return "," if colon == ":" else ", "


def _on_one_line(text: str, siblings: list[Member]) -> bool:
    """Tell whether the objects beside a new one are each written on one line."""
    objects = [text[member.value.start : member.value.end] for member in siblings if member.value.members]
    return bool(objects) and not any(map(_has_break, objects))


# The three changes.


def _replace(text: str, root: Node, member: Member, siblings: list[Member], value: object) -> str:
    node = member.value
    if _same(node.value, value):
        return text
    old = text[node.start : node.end]
    others = [other for other in siblings if other is not member]
    if isinstance(node.value, dict | list) and node.value:
        flat = not _has_break(old)
    else:
        flat = not _opens_line(text, member.start) or _on_one_line(text, others)
    colon = _colon(text, root, siblings)
    new = dumps(
        value,
        None if flat else _unit(text, root),
        lead=_lead(text, member.start),
        newline=_newline(text),
        colon=colon,
        comma=_comma(siblings, colon),
    )
    return text[: node.start] + new + text[node.end :]


def _insert(text: str, root: Node, holder: Node, key: str | None, value: object, *, spread: bool) -> str:
    """Return the text with a new last member in ``holder``; ``spread``: an empty holder may take several lines.

    An item of an array has no key.
    """
    siblings = _children(holder)
    newline, unit = _newline(text), _unit(text, root)
    colon = _colon(text, root, siblings)
    comma = _comma(siblings, colon)
    base = _lead(text, holder.start)
    name = "" if key is None else dumps(key) + colon

    def own_line(lead: str) -> str:
        flat = _on_one_line(text, siblings)
        return newline + lead + name + written(None if flat else unit, lead)

    def same_line(gap: str) -> str:
        return gap + name + written(None, base)

    def written(indent: str | None, lead: str) -> str:
        return dumps(value, indent, lead=lead, newline=newline, colon=colon, comma=comma)

    if siblings:
        last = siblings[-1]
        at, cut_off = _behind_comments(text, last.value.end if last.comma < 0 else last.comma + 1)
        opens = _opens_line(text, last.start)
        if opens or cut_off:
            piece = own_line(_lead(text, last.start) if opens else base + unit)
        else:
            piece = same_line(comma[1:])
        if last.comma >= 0:
            return text[:at] + piece + "," + text[at:]
        end = last.value.end
        return text[:end] + "," + text[end:at] + piece + text[at:]

    comment, at = _last_comment(text, holder)
    rest = text[at : holder.end - 1]
    if comment >= 0:
        lead = _lead(text, comment) if _opens_line(text, comment) else base + unit
        piece = own_line(lead) if _has_break(rest) else same_line(" ")
    elif not rest:
        piece = own_line(base + unit) + newline + base if spread else same_line("")
    elif _has_break(rest) and not _is_line_of(rest, base):
        piece = own_line(base + unit)
    else:
        # Braces with one line break between them. Spread over lines, the member could not be taken out again so that
        # the break comes back: that form is the one of "{}", which is far more frequent.
        piece = same_line(" ")
    return text[:at] + piece + text[at:]


def _behind_comments(text: str, at: int) -> tuple[int, bool]:
    """Return the offset behind the comments that follow on an item's line, and whether the last is a ``//``."""
    while True:
        comment = _blanks(text, at)
        if text.startswith("//", comment):
            return skip_comment(text, comment), True
        if not text.startswith("/*", comment):
            return at, False
        at = skip_comment(text, comment)


def _last_comment(text: str, holder: Node) -> tuple[int, int]:
    """Return where the last comment of an empty object begins and ends; -1 and the place behind ``{`` without one."""
    begin, end = -1, holder.start + 1
    at = end
    while at < holder.end - 1:
        if text[at] == "/":
            begin, end = at, skip_comment(text, at)
            at = end
        else:
            at += 1
    return begin, end


def _is_line_of(rest: str, lead: str) -> bool:
    """Tell whether a text is one line break and then exactly an indentation."""
    return any(rest == newline + lead for newline in _BREAKS)


def _remove(text: str, holder: Node, member: Member) -> str:
    siblings = _children(holder)
    index = siblings.index(member)
    start, end = member.start, member.value.end
    cuts: list[tuple[int, int]] = []
    # The comma: the member's own, or for a last member without one the comma before it.
    if member.comma >= 0:
        if _blanks(text, end) == member.comma:
            end = member.comma + 1
        else:
            cuts.append((member.comma, member.comma + 1))
    elif index:
        comma = siblings[index - 1].comma
        if _blanks(text, comma + 1) == start:
            start = comma
        else:
            cuts.append((comma, comma + 1))

    line = _line_start(text, start)
    following = _blanks(text, end)
    mark = text[following]
    if _opens_line(text, start):
        before = line - 2 if text.startswith("\r\n", line - 2) else line - 1
        alone = len(siblings) == 1 and before == holder.start + 1
        if alone and _is_line_of(text[end : holder.end - 1], _lead(text, holder.start)):
            return text[:before] + text[holder.end - 1 :]
        if mark in "\r\n" or (mark in "}]" and not _ends_in_line_comment(text, holder, before)):
            cuts.append((before, end))
        else:
            cuts.append((start, following))  # what follows on the line takes the place
    elif index == 0 and len(siblings) > 1 and mark not in "\r\n":
        cuts.append((start, following))
    else:
        while text[start - 1] in " \t":
            start -= 1
        cuts.append((start, end))
    for begin, stop in sorted(cuts, reverse=True):
        text = text[:begin] + text[stop:]
    return text


def _ends_in_line_comment(text: str, holder: Node, at: int) -> bool:
    """Tell whether the line break at ``at``, between two items of ``holder``, ends a ``//`` comment."""
    ends = [holder.start + 1]
    for member in _children(holder):
        ends += [member.key_end, member.value.end, member.comma + 1]
    scan = max(end for end in ends if end <= at)
    while scan < at:
        if text[scan] == "/":
            end = skip_comment(text, scan)
            if end == at:
                return text.startswith("//", scan)
            scan = end
        else:
            scan += 1
    return False


def _same(old: object, new: object) -> bool:
    """Tell whether two values are equal and of the same types: 1, 1.0 and true are three."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(item, new[key]) for key, item in old.items())
    if isinstance(old, list) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(map(_same, old, new))
    return type(old) is type(new) and old == new
