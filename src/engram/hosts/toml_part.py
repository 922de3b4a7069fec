"""The part in Codex's TOML: the tables ``mcp_servers.engram`` and below, known by what they are (C7a)."""

from __future__ import annotations

from engram.hosts.launch import SERVER, form_of, new_pin, starts_server
from engram.hosts.part import Edit, Part, PartError
from engram.text.toml_edit import TomlError, add_tables, parse, remove_tables, swap_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.part import Action, State, Wish

    Key = tuple[str, ...]

__all__ = ["TomlTables"]


class TomlTables(Part):
    """A server's table, and below it the tables of its tools.

    Attributes:
        key: the name of the server's table.
        approved: the tool whose approval mode is written too (C7).
    """

    key: Key = ()
    approved: str = ""

    @property
    def where(self) -> str:
        """The table's header."""
        return f"[{'.'.join(self.key)}]"

    def link(self, text: str, wish: Wish) -> Edit:
        """Put the tables at the end; those that are there change only in their pin (C12)."""
        found = self._found(text)
        if found is None or self._is_rest(found):
            return Edit(_add(_remove(text, self.key), self._tables(wish)), "added")
        form = form_of(_words(found), SERVER)
        wish = self._like(found, wish)
        if found == self._value(wish):
            return Edit(text, "unchanged")
        if wish.force or (wish.refresh and form and self._plain(found)):
            notes = _lost(found) if form else ()
            return Edit(_add(_remove(text, self.key), self._tables(wish)), "updated", notes=notes)
        if form is None:
            return Edit(text, "left", f"Engram did not write the table that stands there; {wish.afresh}")
        new = form_of(wish.server, SERVER)
        pin = new_pin(form, new) if new else ""
        if not pin:
            action: Action = "left" if wish.refresh else "unchanged"
            return Edit(text, action, f"it differs from what is written now; {wish.afresh}")
        try:
            changed = swap_string(text, (*self.key, "args" if form.at else "command"), form.pin, pin)
        except TomlError as error:
            raise _error(error) from error
        return Edit(changed, "updated", "the pin only")

    def unlink(self, text: str, wish: Wish, made: tuple[Key, ...], known: tuple[str, ...]) -> Edit:
        """Take the tables out, wherever they stand by now, if their command is one of ours."""
        del wish, made, known
        found = self._found(text)
        if found is None:
            return Edit(text, "absent")
        if not self._is_rest(found) and form_of(_words(found), SERVER) is None:
            return Edit(text, "left", "Engram did not write the table that stands there")
        return Edit(_remove(text, self.key), "removed", notes=_lost(found))

    def state(self, text: str, wish: Wish) -> State:
        """Tell what stands under the key."""
        found = self._found(text)
        if found is None:
            return "absent"
        if found == self._value(self._like(found, wish)):
            return "linked"
        if form_of(_words(found), SERVER) is None:
            return "foreign"
        return "stale" if self._plain(found) else "edited"

    def command(self, text: str) -> tuple[str, ...]:
        """Return the words of the command that stands there, ``()`` where there is none."""
        return _words(self._found(text) or {})

    def notes(self, text: str) -> tuple[str, ...]:
        """Name other servers that start ``engram-mcp``, and hooks that stand in this file too."""
        data = _parse(text)
        servers = data.get(self.key[0])
        found = [
            f"{self.key[0]}.{name} starts {SERVER} too"
            for name, entry in (servers.items() if isinstance(servers, dict) else ())
            if name != self.key[1] and isinstance(entry, dict) and any(map(starts_server, _words(entry)))
        ]
        hooks = data.get("hooks")
        if isinstance(hooks, dict) and hooks.keys() - {"state"}:  # that one is what the host keeps of its reviews
            found.append("it holds [hooks]: beside a hooks.json the host warns at every start")
        return tuple(found)

    def _tables(self, wish: Wish) -> list[tuple[Key, dict[str, object]]]:
        tables: list[tuple[Key, dict[str, object]]] = [
            (self.key, {"command": wish.server[0], "args": list(wish.server[1:])})
        ]
        if self.approved:
            tables.append(((*self.key, "tools", self.approved), {"approval_mode": wish.approval_mode}))
        return tables

    def _like(self, found: dict[str, object], wish: Wish) -> Wish:
        """Return the wish with what a person chose for the entry; a stricter approval than the usual one stays."""
        wish = wish.like(form_of(_words(found), SERVER))
        tools = found.get("tools")
        tool = tools.get(self.approved) if isinstance(tools, dict) else None
        strict = isinstance(tool, dict) and tool.get("approval_mode") == "prompt"
        return wish.replace(approval_mode="prompt") if strict and not wish.force else wish

    def _value(self, wish: Wish) -> dict[str, object]:
        value = dict(self._tables(wish)[0][1])
        if self.approved:
            value["tools"] = {self.approved: {"approval_mode": wish.approval_mode}}
        return value

    def _plain(self, found: dict[str, object]) -> bool:
        """Tell whether only what Engram writes stands there, so that it may be written afresh."""
        form, tools = form_of(_words(found), SERVER), found.get("tools")
        if form is None or not form.plain or not isinstance(tools, dict):
            return False
        inner = tools.get(self.approved)
        own = found.keys() == {"command", "args", "tools"} and tools.keys() == {self.approved}
        return own and isinstance(inner, dict) and inner.keys() == {"approval_mode"}

    def _is_rest(self, found: dict[str, object]) -> bool:
        """Tell whether only our tool's table is left, after another program took the server's away."""
        tools = found.get("tools")
        return found.keys() == {"tools"} and isinstance(tools, dict) and tools.keys() == {self.approved}

    def _found(self, text: str) -> dict[str, object] | None:
        here: object = _parse(text)
        for key in self.key:
            if not isinstance(here, dict) or key not in here:
                return None
            here = here[key]
        if not isinstance(here, dict):
            return {"command": "?"}
        return {"args": [], **here} if "command" in here else here  # `codex mcp add` drops an empty list


def _lost(found: dict[str, object]) -> tuple[str, ...]:
    """Name what of a person's own goes with the tables."""
    extra = [f'"{name}"' for name in found if name not in {"command", "args", "tools"}]
    return (f"{', '.join(extra)} of your own went with the table",) if extra else ()


def _words(entry: dict[str, object]) -> tuple[str, ...]:
    args = entry.get("args", [])
    words = [entry.get("command"), *(args if isinstance(args, list) else [])]
    return tuple(word for word in words if isinstance(word, str))


def _error(error: TomlError) -> PartError:
    return PartError(error.reason, error.line, error.column)


def _parse(text: str) -> dict[str, object]:
    try:
        return parse(text)
    except TomlError as error:
        raise _error(error) from error


def _add(text: str, tables: list[tuple[Key, dict[str, object]]]) -> str:
    try:
        return add_tables(text, tables)
    except TomlError as error:
        raise _error(error) from error


def _remove(text: str, key: Key) -> str:
    try:
        return remove_tables(text, key)
    except TomlError as error:
        raise _error(error) from error
