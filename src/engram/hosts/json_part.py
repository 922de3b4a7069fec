"""Parts in JSON files, comments allowed: one entry below a key, and items in lists of hooks."""

from __future__ import annotations

from functools import lru_cache

from engram.hosts.launch import SERVER, form_of, hook_host, hook_line, new_pin, starts_server
from engram.hosts.part import Edit, Part, PartError
from engram.text.jsonc import JsoncError, Node, dumps, position, read_tree, skip_comment
from engram.text.jsonc_edit import append_value, find_node, set_value, unset_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engram.hosts.part import Action, State, Wish
    from engram.text.jsonc_edit import Path

    Key = tuple[str, ...]

__all__ = ["JsonEntry", "JsonHooks"]


class JsonEntry(Part):
    """The entry of a server.

    Attributes:
        key: where, from the outermost object inwards.
        entry: its members; ``$command``, ``$args`` and ``$argv`` (both in one list) stand for the words of the command.
        fresh: members that a new file gets beside it.
    """

    key: Key = ()
    entry: Mapping[str, object] = {}
    fresh: Mapping[str, object] = {}

    @property
    def where(self) -> str:
        """The key with dots."""
        return ".".join(self.key)

    def value(self, wish: Wish) -> dict[str, object]:
        """Return the entry as it would be written."""
        words = {"$command": wish.server[0], "$args": list(wish.server[1:]), "$argv": list(wish.server)}
        return {name: words.get(item, item) if isinstance(item, str) else item for name, item in self.entry.items()}

    def link(self, text: str, wish: Wish) -> Edit:
        """Put the entry in; one that is there changes only in its pin (C12)."""
        wanted = self.value(wish)
        if _blank(text):
            return _fresh_file(text, _nested(self.key, wanted), self.fresh, self.made())
        tree = _read(text)
        node = find_node(tree, self.key)
        if node is None:
            made = _missing(tree, self.key[:-1])
            return Edit(_set(text, self.key, wanted), "added", made=made)
        words = self._words(node.value)
        form = form_of(words, SERVER)
        if node.value == wanted:
            return Edit(text, "unchanged")
        if wish.force or (wish.refresh and form and self._plain(node.value)):
            return Edit(_set(text, self.key, wanted), "updated")
        if form is None:
            return Edit(text, "left", "Engram did not write the entry that stands there; --force replaces it")
        new = form_of(wish.server, SERVER)
        pin = new_pin(form, new) if new else ""
        if pin:
            return Edit(_set(text, (*self.key, *self._place(node.value, form.at)), pin), "updated", "the pin only")
        return Edit(text, "unchanged", "it differs from what would be written now; --force writes it afresh")

    def unlink(self, text: str, wish: Wish, made: tuple[Key, ...], known: tuple[str, ...]) -> Edit:
        """Take the entry out, if its command is one of ours."""
        del wish, known
        if _blank(text):
            return Edit(text, "absent")
        node = find_node(_read(text), self.key)
        if node is None:
            return Edit(_sweep(text, made, self.fresh), "absent")
        if form_of(self._words(node.value), SERVER) is None:
            return Edit(text, "left", "Engram did not write the entry that stands there")
        return Edit(_sweep(unset_value(text, self.key), made, self.fresh), "removed")

    def state(self, text: str, wish: Wish) -> State:
        """Tell what stands under the key."""
        node = None if _blank(text) else find_node(_read(text), self.key)
        if node is None:
            return "absent"
        if node.value == self.value(wish):
            return "linked"
        if form_of(self._words(node.value), SERVER) is None:
            return "foreign"
        return "stale" if self._plain(node.value) else "edited"

    def made(self) -> tuple[Key, ...]:
        """Return every container that may have to be made for the entry."""
        return (*((name,) for name in self.fresh), *_prefixes(self.key[:-1]))

    def command(self, text: str) -> tuple[str, ...]:
        """Return the words of the command that stands there, ``()`` where there is none."""
        node = None if _blank(text) else find_node(_read(text), self.key)
        return self._words(node.value) if node else ()

    def notes(self, text: str) -> tuple[str, ...]:
        """Name what makes the host skip the file, and other entries that start ``engram-mcp``."""
        return (*_dislikes(text, self.refuses), *self._others(text))

    def _others(self, text: str) -> Iterator[str]:
        if _blank(text):
            return
        holder = find_node(_read(text), self.key[:-1])
        for member in (holder.members if holder else None) or ():
            if member.key != self.key[-1] and any(starts_server(word) for word in self._words(member.value.value)):
                yield f"{'.'.join((*self.key[:-1], member.key))} starts {SERVER} too"

    def _words(self, value: object) -> tuple[str, ...]:
        """Return the words of an entry's command; ``()`` for what is no command."""
        if not isinstance(value, dict):
            return ()
        command, args = value.get("command"), value.get("args", [])
        words = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else [])]
        return tuple(word for word in words if isinstance(word, str))

    def _place(self, value: object, at: int) -> Path:
        """Return where in an entry the word of that number stands."""
        if isinstance(value, dict) and isinstance(value.get("command"), list):
            return ("command", at) if at < len(value["command"]) else ("args", at - len(value["command"]))
        return ("args", at - 1) if at else ("command",)

    def _plain(self, value: object) -> bool:
        """Tell whether an entry has the members that Engram writes, their values too but for the command's words."""
        if not isinstance(value, dict) or value.keys() != self.entry.keys():
            return False
        return all(item == value[name] or str(item).startswith("$") for name, item in self.entry.items())


class JsonHooks(Part):
    """Items in lists of hooks, one for each event.

    Attributes:
        key: the object that holds the lists.
        events: their names.
        item: what is put into each; a text ``$hook`` stands for the command line.
        fresh: members that a new file gets beside it.
    """

    key: Key = ()
    events: Key = ()
    item: Mapping[str, object] = {}
    fresh: Mapping[str, object] = {}

    @property
    def where(self) -> str:
        """The lists."""
        return ", ".join(".".join((*self.key, event)) for event in self.events)

    def value(self, wish: Wish) -> object:
        """Return the item as it would be written."""
        return _filled(dict(self.item), hook_line(wish.hook, wish.host))

    def link(self, text: str, wish: Wish) -> Edit:
        """Put an item into each list that has none of ours; those that are there change only in their pin (C12)."""
        item = self.value(wish)
        if _blank(text):
            lists = {event: [item] for event in self.events}
            return _fresh_file(text, _nested(self.key, lists), self.fresh, self.made())
        made: list[Key] = []
        new, added, updated, reason = text, 0, 0, ""
        if not _read(text).members:
            for name, value in self.fresh.items():
                new = _set(new, (name,), value)
                made.append((name,))
        for event in self.events:
            place = (*self.key, event)
            units = list(self._units(new, event, wish.host))
            if not units:
                made += _missing(_read(new), place)
                new = _append(new, place, item)
                added += 1
            for path, line in units:
                changed = self._line(line, wish)
                if changed != line:
                    new = _set(new, path, changed)
                    updated += 1
                elif line != hook_line(wish.hook, wish.host):
                    reason = "it differs from what would be written now; --force writes it afresh"
        action: Action = "added" if added else "updated" if updated else "unchanged"
        return Edit(new, action, reason, made=tuple(dict.fromkeys(made)))

    def unlink(self, text: str, wish: Wish, made: tuple[Key, ...], known: tuple[str, ...]) -> Edit:
        """Take out every command of ours; a group that held nothing else goes with it."""
        del known
        if _blank(text):
            return Edit(text, "absent")
        new = text
        for event in self.events:
            while units := list(self._units(new, event, wish.host)):
                new = unset_value(new, self._group(new, units[-1][0]))
        action: Action = "removed" if new != text else "absent"
        return Edit(_sweep(new, made, self.fresh), action)

    def state(self, text: str, wish: Wish) -> State:
        """Tell what stands in the lists, taken together."""
        if _blank(text):
            return "absent"
        wanted = hook_line(wish.hook, wish.host)
        found = [[line for _, line in self._units(text, event, wish.host)] for event in self.events]
        if not any(found):
            return "absent"
        return "linked" if all(line == wanted for lines in found for line in lines) and all(found) else "stale"

    def made(self) -> tuple[Key, ...]:
        """Return every container that may have to be made for the items."""
        return (
            *((name,) for name in self.fresh),
            *_prefixes(self.key),
            *((*self.key, event) for event in self.events),
        )

    def notes(self, text: str) -> tuple[str, ...]:
        """Name what makes the host skip the file."""
        return _dislikes(text, self.refuses)

    def _units(self, text: str, event: str, host: str) -> Iterator[tuple[Path, str]]:
        """Yield where a command line of ours stands in an event's list, and the line."""
        node = find_node(_read(text), (*self.key, event))
        if node is not None and node.items is None:
            raise _fail(text, node, f'"{event}" is no array in square brackets')
        for at, item in enumerate((node.items if node else None) or ()):
            yield from _lines(item.value.value, (*self.key, event, at), host)

    def _group(self, text: str, path: Path) -> Path:
        """Return what has to go with a command line: its object, and what holds that alone."""
        unit = path[:-1]
        outer = len(self.key) + 2  # the lists' object, the event, the item's number
        while len(unit) > outer:
            holder = find_node(_read(text), unit[:-2])
            siblings = find_node(_read(text), unit[:-1])
            own = self.item.keys() | {"matcher"}
            if len((siblings.items if siblings else None) or ()) > 1 or not holder or not holder.members:
                break
            if not {member.key for member in holder.members} <= own:
                break
            unit = unit[:-2]
        return unit

    def _line(self, line: str, wish: Wish) -> str:
        """Return a command line of ours as it should be now."""
        wanted = hook_line(wish.hook, wish.host)
        if wish.force or wish.refresh or line == wanted:
            return wanted
        old, new = _hook_form(line, wish.host), _hook_form(wanted, wish.host)
        same = old is not None and new is not None and old[0] == new[0] != "bare" and old[1] == new[1]
        return wanted if same else line


def _hook_form(line: str, host: str) -> tuple[str, str] | None:
    """Return the kind of a hook's command and what follows the host's name."""
    for kind, mark in (("pinned", "uvx "), ("bare", "engram ")):
        if line.startswith(mark):
            return kind, line.partition(f" hook {host}")[2]
    return ("path", line.partition(f" hook {host}")[2]) if hook_host(line) else None


def _lines(value: object, path: Path, host: str) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict):
        steps: list[tuple[str | int, object]] = list(value.items())
    elif isinstance(value, list):
        steps = list(enumerate(value))
    else:
        return
    for step, item in steps:
        if isinstance(item, str) and hook_host(item) == host:
            yield (*path, step), item
        else:
            yield from _lines(item, (*path, step), host)


def _filled(value: object, line: str) -> object:
    if isinstance(value, dict):
        return {name: _filled(item, line) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(item, line) for item in value]
    return line if value == "$hook" else value


def _nested(key: Key, value: object) -> dict[str, object]:
    for name in reversed(key):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def _blank(text: str) -> bool:
    return not text.removeprefix("\ufeff").strip()


def _fresh_file(text: str, value: dict[str, object], fresh: Mapping[str, object], made: tuple[Key, ...]) -> Edit:
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    whole = mark + dumps({**fresh, **value}) + "\n"
    return Edit(whole, "added", made=made)


def _prefixes(path: Key) -> tuple[Key, ...]:
    return tuple(path[:size] for size in range(1, len(path) + 1))


# One file is asked several questions in a row, and a large one takes a second to read.
@lru_cache(maxsize=4)
def _read(text: str) -> Node:
    try:
        return read_tree(text)
    except JsoncError as error:
        raise PartError(error.reason, error.line, error.column) from error


def _set(text: str, path: Path, value: object) -> str:
    try:
        return set_value(text, path, value)
    except JsoncError as error:
        raise PartError(error.reason, error.line, error.column) from error


def _append(text: str, path: Path, value: object) -> str:
    try:
        return append_value(text, path, value)
    except JsoncError as error:
        raise PartError(error.reason, error.line, error.column) from error


def _fail(text: str, node: Node, reason: str) -> PartError:
    return PartError(reason, *position(text, node.start))


def _missing(tree: Node, path: Key) -> tuple[Key, ...]:
    """Return the containers on the way to ``path`` and at it that are not there."""
    return tuple(prefix for prefix in _prefixes(path) if find_node(tree, prefix) is None)


def _sweep(text: str, made: tuple[Key, ...], fresh: Mapping[str, object]) -> str:
    """Return the text without the containers that were made and hold nothing by now, not even a comment."""
    for path in sorted(made, key=len, reverse=True):
        node = find_node(_read(text), path)
        if node is not None and isinstance(node.value, dict | list) and not text[node.start + 1 : node.end - 1].strip():
            text = unset_value(text, path)
    members = {member.key: member.value.value for member in _read(text).members or ()}
    ours = {name: value for name, value in fresh.items() if (name,) in made}
    if members and members.items() <= ours.items():
        for name in reversed(members):
            text = unset_value(text, (name,))
    return text


def _dislikes(text: str, refuses: frozenset[str]) -> tuple[str, ...]:
    """Name what stands in a text and makes its host pass over the whole file."""
    found = []
    if "bom" in refuses and text.startswith("\ufeff"):
        found.append("it begins with a byte-order mark")
    if _blank(text):
        return tuple(found)
    tree = _read(text)
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
