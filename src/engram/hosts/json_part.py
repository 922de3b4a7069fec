"""Parts in JSON files, comments allowed: one entry below a key, and items in lists of hooks."""

from __future__ import annotations

from engram.hosts.json_text import (
    append,
    cut,
    dislikes,
    failure,
    filled,
    fresh_file,
    is_blank,
    missing,
    nested,
    prefixes,
    put,
    read,
    sweep,
)
from engram.hosts.launch import SERVER, form_of, hook_host, hook_line, new_pin, starts_server
from engram.hosts.part import Edit, Part
from engram.text.jsonc_edit import find_node

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
        if is_blank(text):
            return fresh_file(text, nested(self.key, wanted), self.fresh, self.made())
        tree = read(text)
        node = find_node(tree, self.key)
        if node is None:
            made = missing(tree, self.key[:-1])
            return Edit(put(text, self.key, wanted), "added", made=made)
        form = form_of(self._words(node.value), SERVER)
        wish = wish.like(form)
        wanted = self.value(wish)
        if _with_args(node.value) == wanted:
            return Edit(text, "unchanged")
        if wish.force or (wish.refresh and form and self._plain(node.value)):
            return Edit(put(text, self.key, wanted), "updated", notes=self._lost(node.value) if form else ())
        if form is None:
            return Edit(text, "left", f"Engram did not write the entry that stands there; {wish.afresh}")
        new = form_of(wish.server, SERVER)
        pin = new_pin(form, new) if new else ""
        if pin:
            return Edit(put(text, (*self.key, *self._place(node.value, form.at)), pin), "updated", "the pin only")
        return Edit(
            text, "left" if wish.refresh else "unchanged", f"it differs from what is written now; {wish.afresh}"
        )

    def unlink(self, text: str, wish: Wish, made: tuple[Key, ...], known: tuple[str, ...]) -> Edit:
        """Take the entry out, if its command is one of ours."""
        del wish, known
        if is_blank(text):
            return Edit(text, "absent")
        node = find_node(read(text), self.key)
        if node is None:
            return Edit(sweep(text, made, self.fresh), "absent")
        if form_of(self._words(node.value), SERVER) is None:
            return Edit(text, "left", "Engram did not write the entry that stands there")
        notes = self._lost(node.value)
        text, made = cut(text, self.key, made)
        return Edit(sweep(text, made, self.fresh), "removed", notes=notes)

    def state(self, text: str, wish: Wish) -> State:
        """Tell what stands under the key."""
        node = None if is_blank(text) else find_node(read(text), self.key)
        if node is None:
            return "absent"
        form = form_of(self._words(node.value), SERVER)
        if _with_args(node.value) == self.value(wish.like(form)):
            return "linked"
        if form is None:
            return "foreign"
        return "stale" if self._plain(node.value) else "edited"

    def made(self) -> tuple[Key, ...]:
        """Return every container that may have to be made for the entry."""
        return (*((name,) for name in self.fresh), *prefixes(self.key[:-1]))

    def command(self, text: str) -> tuple[str, ...]:
        """Return the words of the command that stands there, ``()`` where there is none."""
        node = None if is_blank(text) else find_node(read(text), self.key)
        return self._words(node.value) if node else ()

    def notes(self, text: str) -> tuple[str, ...]:
        """Name what makes the host skip the file, and other entries that start ``engram-mcp``."""
        return (*dislikes(text, self.refuses), *self._others(text))

    def _others(self, text: str) -> Iterator[str]:
        if is_blank(text):
            return
        holder = find_node(read(text), self.key[:-1])
        for member in (holder.members if holder else None) or ():
            if member.key != self.key[-1] and any(starts_server(word) for word in self._words(member.value.value)):
                yield f"{'.'.join((*self.key[:-1], member.key))} starts {SERVER} too"

    def _lost(self, value: object) -> tuple[str, ...]:
        """Name the members of a person's own that go with an entry."""
        extra = [f'"{name}"' for name in (value if isinstance(value, dict) else {}) if name not in self.entry]
        return (f"{', '.join(extra)} of your own went with the entry",) if extra else ()

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
        form = form_of(self._words(value), SERVER)
        if form is None or not form.plain or not isinstance(value, dict):
            return False
        whole = _with_args(value)
        if whole.keys() != self.entry.keys():
            return False
        return all(item == whole[name] or str(item).startswith("$") for name, item in self.entry.items())


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
        return filled(dict(self.item), hook_line(wish.hook, wish.host))

    def link(self, text: str, wish: Wish) -> Edit:
        """Put an item into each list that has none of ours; those that are there change only in their pin (C12)."""
        item = self.value(wish)
        if is_blank(text):
            lists = {event: [item] for event in self.events}
            return fresh_file(text, nested(self.key, lists), self.fresh, self.made())
        made: list[Key] = []
        new, added, updated, reason = text, 0, 0, ""
        if not read(text).members:
            for name, value in self.fresh.items():
                new = put(new, (name,), value)
                made.append((name,))
        if find_node(read(new), self.key) is None:
            made += missing(read(new), self.key) + tuple((*self.key, event) for event in self.events)
            return Edit(put(new, self.key, {event: [item] for event in self.events}), "added", made=tuple(made))
        for event in self.events:
            place = (*self.key, event)
            units = list(self._units(new, event, wish.host))
            if not units:
                made += missing(read(new), place)
                new = append(new, place, item)
                added += 1
            for path, line in units:
                changed = self._line(line, wish)
                if changed != line:
                    new = put(new, path, changed)
                    updated += 1
                elif line != hook_line(wish.hook, wish.host):
                    reason = f"it differs from what is written now; {wish.afresh}"
        still: Action = "left" if reason and wish.refresh else "unchanged"
        action: Action = "added" if added else "updated" if updated else still
        return Edit(new, action, reason, made=tuple(dict.fromkeys(made)))

    def unlink(self, text: str, wish: Wish, made: tuple[Key, ...], known: tuple[str, ...]) -> Edit:
        """Take out every command of ours; a group that held nothing else goes with it."""
        del known
        if is_blank(text):
            return Edit(text, "absent")
        new = text
        for event in self._lists(text):
            for path, _ in reversed(list(self._units(new, event, wish.host))):
                new, made = cut(new, self._group(new, path), made)
        action: Action = "removed" if new != text else "absent"
        return Edit(sweep(new, made, self.fresh), action)

    def state(self, text: str, wish: Wish) -> State:
        """Tell what stands in the lists, taken together."""
        if is_blank(text):
            return "absent"
        wanted = hook_line(wish.hook, wish.host)
        found = [[line for _, line in self._units(text, event, wish.host)] for event in self.events]
        if not any(found):
            return "absent"
        afresh = wish.replace(refresh=True)
        if any(self._line(line, afresh) != wanted for lines in found for line in lines):
            return "edited"
        return "linked" if all(line == wanted for lines in found for line in lines) and all(found) else "stale"

    def made(self) -> tuple[Key, ...]:
        """Return every container that may have to be made for the items."""
        return (
            *((name,) for name in self.fresh),
            *prefixes(self.key),
            *((*self.key, event) for event in self.events),
        )

    def notes(self, text: str) -> tuple[str, ...]:
        """Name what makes the host skip the file."""
        return dislikes(text, self.refuses)

    def _units(self, text: str, event: str, host: str) -> Iterator[tuple[Path, str]]:
        """Yield where a command line of ours stands in an event's list, and the line."""
        node = find_node(read(text), (*self.key, event))
        if node is not None and node.items is None:
            raise failure(text, node, f'"{event}" is no array in square brackets')
        for at, item in enumerate((node.items if node else None) or ()):
            yield from _lines(item.value.value, (*self.key, event, at), host)

    def _lists(self, text: str) -> Key:
        """Return the names of our events, and of other lists: a person, or an older Engram, may have put ours there."""
        holder = find_node(read(text), self.key)
        others = [member.key for member in (holder.members if holder else None) or () if member.value.items is not None]
        return tuple(dict.fromkeys((*self.events, *others)))

    def _group(self, text: str, path: Path) -> Path:
        """Return what has to go with a command line: its object, and what holds that alone."""
        unit = path[:-1]
        outer = len(self.key) + 2  # the lists' object, the event, the item's number
        while len(unit) > outer:
            holder = find_node(read(text), unit[:-2])
            siblings = find_node(read(text), unit[:-1])
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
        if wish.force or line == wanted:
            return wanted
        old, new = _hook_form(line, wish.host), _hook_form(wanted, wish.host)
        if old is None or new is None or old[1] != new[1]:
            return line  # it has options of a person's own
        return wanted if wish.refresh or old[0] == new[0] != "bare" else line


def _with_args(value: object) -> dict[str, object]:
    """Return an entry with the empty list of arguments that some hosts leave out when they write it anew."""
    return {"args": [], **value} if isinstance(value, dict) and "command" in value else {}


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
