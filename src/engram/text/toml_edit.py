r"""Add or take out tables of a TOML text; every other byte stays as it is.

``tomllib`` reads and judges; what it does not tell, where each statement stands, is found here. Each change is read
again, and its meaning compared with what it should be, before it is returned.

>>> text = 'model = "o1" # mine\n'
>>> added = add_tables(text, [(("servers", "x"), {"command": "y", "args": ["z"]})])
>>> added
'model = "o1" # mine\n\n[servers.x]\ncommand = "y"\nargs = ["z"]\n'
>>> remove_tables(added, ("servers", "x")) == text
True
"""

from __future__ import annotations

import copy
import tomllib
from functools import lru_cache

from engram.record import Record
from engram.text.jsonc import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Key = tuple[str, ...]
    Table = tuple[Key, dict[str, object]]

__all__ = ["Statement", "TomlError", "add_tables", "parse", "remove_tables", "statements", "swap_string"]

_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_QUOTES = ('"""', "'''", '"', "'")


class TomlError(ValueError):
    """The text is no TOML, or cannot take the change; ``line`` and ``column`` count from 1, 0 where none is known."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class Statement(Record):
    """One header or one pair: the whole name that it gives, and its lines as ``text[start:end]``.

    ``value`` is where a pair's value begins and ends; a header has none. ``kind`` is ``table``, ``array`` or ``pair``.
    """

    kind: str
    path: Key
    start: int
    end: int
    value: tuple[int, int] = (0, 0)


# A large file is asked several questions in a row, and takes a second to read.
@lru_cache(maxsize=4)
def parse(text: str) -> dict[str, object]:
    """Return what a TOML text means, not to be changed; a byte-order mark before it is passed over.

    Raises:
        TomlError: with line and column, as far as the reader tells them.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at ")
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)  # since Python 3.14
        words = place.rstrip(")").replace(",", "").split()
        if not line and words[:1] == ["line"]:
            line, column = int(words[1]), int(words[3])
        elif not line and place:
            line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        raise TomlError(reason, line, column) from error
    except RecursionError as error:
        raise TomlError("too many brackets inside each other") from error


def statements(text: str) -> list[Statement]:
    """Return the headers and pairs of a text that ``parse`` accepts, in order."""
    found = []
    at = 1 if text.startswith("\ufeff") else 0
    table: Key = ()
    while at < len(text):
        start = at
        at = _blanks(text, at)
        char = text[at : at + 1]
        if char in ("\n", "\r", "#", ""):
            at = _line_end(text, at)
        elif char == "[":
            kind = "array" if text.startswith("[[", at) else "table"
            table, at = _key(text, at + (2 if kind == "array" else 1))
            at = _line_end(text, at)
            found.append(Statement(kind, table, start, at))
        else:
            name, at = _key(text, at)
            begin = _blanks(text, at + 1)  # behind the equals sign
            end = _value_end(text, begin)
            at = _line_end(text, end)
            found.append(Statement("pair", table + name, start, at, (begin, end)))
    return found


def add_tables(text: str, tables: Sequence[Table]) -> str:
    """Return the text with new tables at its end, a blank line before each.

    Raises:
        TomlError: for a text that is no TOML, or one whose tables cannot be extended at the end (an inline table, an
            array of tables, a value of that name).
    """
    expected = copy.deepcopy(parse(text))
    for path, values in tables:
        here: object = expected
        for depth, key in enumerate(path):
            if not isinstance(here, dict):
                raise _closed(text, path[:depth])
            here = here.setdefault(key, {})
        if not isinstance(here, dict) or here:
            raise _closed(text, path)
        here.update(copy.deepcopy(values))
    newline = _newline(text)
    blocks = []
    for path, values in tables:
        lines = [
            f"[{'.'.join(map(_name, path))}]",
            *(f"{_name(key)} = {_written(value)}" for key, value in values.items()),
        ]
        blocks.append(newline.join(lines))
    body = (newline * 2).join(blocks)
    if not text.removeprefix("\ufeff"):
        new = text + body + newline
    elif text.endswith("\n"):
        new = text + newline + body + newline
    else:  # the file's last line has no end, so neither has ours: taking it out leaves the file as it was
        new = text + newline * 2 + body
    try:
        meant = parse(new)
    except TomlError as error:
        raise _closed(text, tables[0][0]) from error
    if _meaning(meant) != _meaning(expected):
        raise _closed(text, tables[0][0])
    return new


def remove_tables(text: str, prefix: Key) -> str:
    """Return the text without the table ``prefix`` and all below it, however it is written, and the blank line before.

    Comments inside the table go with it; those before it and behind its last line stay.

    Raises:
        TomlError: for a text that is no TOML, or where the table stands inside an inline one.
    """
    meant = parse(text)
    expected = copy.deepcopy(meant)
    holder: object = expected
    for key in prefix[:-1]:
        holder = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or prefix[-1] not in holder:
        return text
    del holder[prefix[-1]]
    regions: list[list[int]] = []
    inside = False
    for statement in statements(text):
        own = statement.path[: len(prefix)] == prefix
        if statement.kind != "pair":
            inside = own
        if not own:
            continue
        if (regions and not text[regions[-1][1] : statement.start].strip()) or (inside and statement.kind == "pair"):
            regions[-1][1] = statement.end
        else:
            regions.append([statement.start, statement.end])
    new = text
    for start, end in reversed(regions):
        new = _cut(new, start, end)
    # A table that held nothing else may go with what it held.
    if _meaning(parse(new), empty=False) != _meaning(expected, empty=False):
        line = next((_line(text, item.start) for item in statements(text) if _holds(item.path, prefix)), 0)
        raise TomlError(f"{'.'.join(prefix)} stands inside an inline table, which is not taken apart", line)
    return new


def swap_string(text: str, path: Key, old: str, new: str) -> str:
    """Return the text with one string of a value replaced, wherever it stands in the value at ``path``.

    Args:
        text: TOML.
        path: the whole name of the value, which is the string or an array with it.
        old: the string as it means.
        new: the string to put there.

    Raises:
        TomlError: where that string is not written there as a plain one.
    """
    parse(text)
    for statement in statements(text):
        if statement.kind == "pair" and statement.path == path[: len(statement.path)]:
            begin, end = statement.value
            value = text[begin:end]
            for written in (_written(old), f"'{old}'"):
                if value.count(written) == 1:
                    changed = text[:begin] + value.replace(written, _written(new)) + text[end:]
                    parse(changed)
                    return changed
    raise TomlError(f"{'.'.join(path)} is written in a way that cannot be changed in place")


def _cut(text: str, start: int, end: int) -> str:
    """Return the text without ``text[start:end]``, whole lines, and without the blank line that ``add_tables`` put."""
    before, after = text[:start], text[end:]
    if not after and not text[start:end].endswith("\n"):
        return _without_break(_without_break(before))
    if not before.removeprefix("\ufeff"):
        return before + after.removeprefix("\r\n").removeprefix("\n") if after[:1] in ("\r", "\n") else before + after
    shorter = _without_break(before)
    return (shorter if shorter.endswith("\n") or not shorter.removeprefix("\ufeff") else before) + after


def _without_break(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\r\n") else text.removesuffix("\n")


def _meaning(value: object, *, empty: bool = True) -> str:
    """Return one text for what a value means: without order, and equal for NaN. ``empty``: empty tables count."""
    if isinstance(value, list):
        return "[" + ",".join(_meaning(item, empty=empty) for item in value) + "]"
    if not isinstance(value, dict):
        return repr(value)
    inner = [(key, _meaning(item, empty=empty)) for key, item in value.items()]
    return "{" + ",".join(f"{key!r}:{text}" for key, text in sorted(inner) if empty or text != "{}") + "}"


def _holds(path: Key, prefix: Key) -> bool:
    return len(path) < len(prefix) and path == prefix[: len(path)]


def _closed(text: str, path: Key) -> TomlError:
    near = [item for item in statements(text) if item.path and (_holds(item.path, path) or item.path == path)]
    line = _line(text, near[-1].start) if near else 0
    return TomlError(f"the table {'.'.join(path)} cannot be extended where it stands", line, 1 if line else 0)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _newline(text: str) -> str:
    """Return the line end of the text's last line that has one."""
    at = text.rfind("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _name(key: str) -> str:
    return key if key and not set(key) - _BARE else _written(key)


def _written(value: object) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    return dumps(value).replace("\x7f", "\\u007F")


# Where things end.


def _blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end + 1 if end >= 0 else len(text)


def _string_end(text: str, at: int) -> int:
    """Return the offset behind the string that begins at ``at``."""
    quote = next(mark for mark in _QUOTES if text.startswith(mark, at))
    at += len(quote)
    while not text.startswith(quote, at):
        at += 2 if text[at] == "\\" and quote[0] == '"' else 1
    at += len(quote)
    # One or two more quotes may stand before the closing three; they are part of the text.
    while len(quote) == 3 and text.startswith(quote[0], at):
        at += 1
    return at


def _key(text: str, at: int) -> tuple[Key, int]:
    """Return the dotted key at an offset and where it ends: at ``=`` or ``]``."""
    parts = []
    while True:
        at = _blanks(text, at)
        if text[at] in "\"'":
            end = _string_end(text, at)
            parts.append(str(tomllib.loads(f"k = {text[at:end]}")["k"]))
        else:
            end = at
            while text[end] in _BARE:
                end += 1
            parts.append(text[at:end])
        at = _blanks(text, end)
        if text[at] != ".":
            return tuple(parts), at
        at += 1


def _value_end(text: str, at: int) -> int:
    """Return the offset behind the value that begins at ``at``."""
    depth = 0
    end = at
    while at < len(text):
        char = text[at]
        if char in "\"'":
            at = end = _string_end(text, at)
            continue
        if char == "#":
            if not depth:
                break
            at = _line_end(text, at)
            continue
        if char == "\n" and not depth:
            break
        depth += (char in "[{") - (char in "]}")
        at += 1
        if not char.isspace():
            end = at
    return end
