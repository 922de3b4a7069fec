"""JSON with comments: reading and writing, without ``json`` or ``re``, which cost as much as the interpreter's start.

Read: JSON (RFC 8259), ``//`` and ``/* */`` comments, a comma before ``}`` or ``]``, a byte-order mark. Everything else
is an error with its place, a key that stands twice included: what a person did not mean must not be guessed.

>>> parse('{"load": {"limit": 6}, /* kept by hand */ }')
{'load': {'limit': 6}}
>>> dumps({"a": [1, True, None]}, None)
'{"a": [1, true, null]}'

``engram.text.jsonc_edit`` changes such a text and keeps every byte that it was not asked to change.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["JsoncError", "Member", "Node", "dumps", "parse", "position", "printable", "read_tree", "skip_comment"]

# Each level costs two Python frames; settings files of known hosts stay below ten levels.
MAX_DEPTH = 100
# Longer than any number a configuration holds, and below the limit at which int() refuses.
MAX_NUMBER = 400
# An array of plain values up to this length is written on one line.
SHORT_ARRAY = 72

_BLANK = " \t\r\n"
_SOME = 32
_DIGITS = "0123456789"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WRITTEN = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LITERALS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


class JsoncError(ValueError):
    """The text is not JSON with comments; ``line`` and ``column`` count from 1, in characters."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


class Node:
    """A value, where it stands (``text[start:end]``), its members when it is an object, its items when an array."""

    __slots__ = ("end", "items", "members", "start", "value")

    def __init__(
        self,
        start: int,
        end: int,
        value: object,
        members: list[Member] | None = None,
        items: list[Member] | None = None,
    ) -> None:
        self.start = start
        self.end = end
        self.value = value
        self.members = members
        self.items = items


class Member:
    """A key of an object: its name, where it begins and ends, its value, and the comma behind it (-1: none).

    An item of an array is one without a name: its key is ``""`` and ends where it begins.
    """

    __slots__ = ("comma", "key", "key_end", "start", "value")

    def __init__(self, key: str, start: int, key_end: int, value: Node, comma: int) -> None:
        self.key = key
        self.start = start
        self.key_end = key_end
        self.value = value
        self.comma = comma


def parse(text: str) -> object:
    """Return the value that a JSONC text holds, made of dict, list, str, int, float, bool and None.

    Raises:
        JsoncError: with line, column and reason, for a text that is not JSONC.
    """
    return read_tree(text).value


def read_tree(text: str) -> Node:
    """Return the text's value together with the place of each member.

    Raises:
        JsoncError: as ``parse``.
    """
    reader = _Reader(text)
    start = reader.skip(1 if text.startswith("\ufeff") else 0)
    node = reader.value(start, 1)
    rest = reader.skip(node.end)
    if rest < len(text):
        reader.fail(rest, f"nothing may follow the value that ends here, but {_shown(text, rest)} does")
    return node


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of an offset; CRLF is one line break and a byte-order mark takes no column."""
    before = text[:offset].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def skip_comment(text: str, at: int) -> int:
    """Return where the comment that begins at ``at`` ends, before the line break of a ``//``; -1 if it never ends."""
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return end + 2 if end >= 0 else -1
    newline = text.find("\n", at)
    end = newline if newline >= 0 else len(text)
    carriage = text.find("\r", at, end)
    return carriage if carriage >= 0 else end


def printable(text: str) -> str:
    """Return a text for a message: what a terminal would obey or not show stands as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def dumps(
    value: object,
    indent: int | str | None = 2,
    *,
    lead: str = "",
    newline: str = "\n",
    colon: str = ": ",
    comma: str = ", ",
) -> str:
    """Return a value as JSON, non-ASCII letters as they are; a tuple is an array.

    Args:
        value: dict with text keys, list, tuple, str, int, float, bool or None.
        indent: blanks of one level, or its text; None writes one line. A short array of plain values is one line too.
        lead: the indentation of the line that the value stands on.
        newline: the line end between the lines.
        colon: what stands between a key and its value.
        comma: what stands between the items of one line.

    Raises:
        ValueError: for a value that JSON has no form for: NaN, half a surrogate pair, another type.
    """
    unit = " " * indent if isinstance(indent, int) else indent
    if isinstance(value, dict):
        opening, closing = "{", "}"
        inner = lead + (unit or "")
        items = [
            _quoted(key) + colon + dumps(item, unit, lead=inner, newline=newline, colon=colon, comma=comma)
            for key, item in value.items()
        ]
    elif isinstance(value, list | tuple):
        opening, closing = "[", "]"
        inner = lead + (unit or "")
        items = [dumps(item, unit, lead=inner, newline=newline, colon=colon, comma=comma) for item in value]
        plain = not any(isinstance(item, dict | list | tuple) for item in value)
        if plain and sum(map(len, items)) + len(comma) * len(items) <= SHORT_ARRAY:
            unit = None
    else:
        return _scalar(value)
    if unit is None or not items:
        return opening + comma.join(items) + closing
    lines = ("," + newline + inner).join(items)
    return opening + newline + inner + lines + newline + lead + closing


def _scalar(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value - value == 0:  # neither NaN nor infinite
        return repr(value)
    raise ValueError(f"JSON has no form for {value!r}")


def _quoted(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"JSON has only text as keys, not {value!r}")  # noqa: TRY004 - one kind of error for dumps
    if value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    parts = []
    for char in value:
        if "\ud800" <= char <= "\udfff":
            raise ValueError(f"JSON in UTF-8 has no form for half a surrogate pair, {char!r}")
        parts.append(_WRITTEN.get(char) or (f"\\u{ord(char):04x}" if char < " " else char))
    return '"' + "".join(parts) + '"'


def _shown(text: str, at: int) -> str:
    """Return what stands at an offset, for a message."""
    char = text[at : at + 1]
    if not char:
        return "the end of the file"
    return f"{char!r}" if char.isprintable() else f"U+{ord(char):04X}"


class _Reader:
    """One pass over a text; every method takes an offset and returns where it stopped, or the node it read."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, at: int, reason: str) -> NoReturn:
        raise JsoncError(printable(reason), *position(self.text, at))

    def skip(self, at: int) -> int:
        """Return the offset of the next character that is neither blank nor part of a comment."""
        text = self.text
        while char := text[at : at + 1]:
            if char in _BLANK:
                # An indentation at once: a large file has a million of them.
                some = text[at : at + _SOME]
                at += len(some) - len(some.lstrip(_BLANK))
            elif char == "/" and text[at + 1 : at + 2] in ("/", "*"):
                end = skip_comment(text, at)
                if end < 0:
                    self.fail(at, "the comment that begins here is never closed")
                at = end
            else:
                break
        return at

    def value(self, at: int, depth: int) -> Node:
        char = self.text[at : at + 1]
        if char == '"':
            string, end = self.string(at)
            return Node(at, end, string)
        if char in ("{", "["):
            if depth > MAX_DEPTH:
                self.fail(at, f"more than {MAX_DEPTH} levels of brackets")
            return self.object(at, depth) if char == "{" else self.array(at, depth)
        if char in _LITERALS:
            word, literal = _LITERALS[char]
            if self.text.startswith(word, at):
                return Node(at, at + len(word), literal)
        elif char == "-" or (char and char in _DIGITS):
            return self.number(at)
        return self.fail(at, f"a value should stand here, not {_shown(self.text, at)}")

    def object(self, at: int, depth: int) -> Node:
        text = self.text
        result: dict[str, object] = {}
        members: list[Member] = []
        start, at = at, self.skip(at + 1)
        while (char := text[at : at + 1]) != "}":
            if char != '"':
                self.fail(at, f'a key in double quotes or "}}" should stand here, not {_shown(text, at)}')
            key, key_end = self.string(at)
            if key in result:
                self.fail(at, f"the key {_quoted(key[:60])} stands twice in one object")
            colon = self.skip(key_end)
            if text[colon : colon + 1] != ":":
                self.fail(colon, f"a colon should stand behind the key {_quoted(key[:60])}, not {_shown(text, colon)}")
            value = self.value(self.skip(colon + 1), depth + 1)
            result[key] = value.value
            member = Member(key, at, key_end, value, -1)
            members.append(member)
            at = self.skip(value.end)
            if text[at : at + 1] == ",":
                member.comma = at
                at = self.skip(at + 1)
            elif text[at : at + 1] != "}":
                self.fail(at, f'a comma or "}}" should stand here, not {_shown(text, at)}')
        return Node(start, at + 1, result, members)

    def array(self, at: int, depth: int) -> Node:
        text = self.text
        result: list[object] = []
        items: list[Member] = []
        start, at = at, self.skip(at + 1)
        while text[at : at + 1] != "]":
            value = self.value(at, depth + 1)
            result.append(value.value)
            item = Member("", at, at, value, -1)
            items.append(item)
            at = self.skip(value.end)
            if text[at : at + 1] == ",":
                item.comma = at
                at = self.skip(at + 1)
            elif text[at : at + 1] != "]":
                self.fail(at, f'a comma or "]" should stand here, not {_shown(text, at)}')
        return Node(start, at + 1, result, None, items)

    def number(self, at: int) -> Node:
        text = self.text
        end = self.digits(at + 1 if text[at] == "-" else at)
        lead = text[at:end].lstrip("-")
        if len(lead) > 1 and lead[0] == "0":
            self.fail(at, "a number of several digits may not begin with 0")
        whole = end
        if text[end : end + 1] == ".":
            end = self.digits(end + 1)
        if text[end : end + 1] in ("e", "E"):
            end = self.digits(end + 2 if text[end + 1 : end + 2] in ("+", "-") else end + 1)
        if end - at > MAX_NUMBER:
            self.fail(at, f"a number of more than {MAX_NUMBER} characters")
        if end == whole:
            return Node(at, end, int(text[at:end]))
        number = float(text[at:end])
        if number - number != 0:
            self.fail(at, "a number that is too large")
        return Node(at, end, number)

    def digits(self, at: int) -> int:
        text, end = self.text, at
        while text[end : end + 1] and text[end] in _DIGITS:
            end += 1
        if end == at:
            self.fail(at, f"a digit should stand here, not {_shown(text, at)}")
        return end

    def string(self, at: int) -> tuple[str, int]:
        text = self.text
        end = text.find('"', at + 1)
        plain = text[at + 1 : end] if end >= 0 else ""
        if end >= 0 and "\\" not in plain and plain.isprintable():
            return plain, end + 1
        parts = []
        offset = at + 1
        while (char := text[offset : offset + 1]) != '"':
            if not char or char in "\r\n":
                self.fail(at, "the text that begins here has no closing quote on its line")
            if char == "\\":
                char, offset = self.escape(offset)
            elif char < " ":
                self.fail(offset, f"the control character {_shown(text, offset)} must be written as an escape")
            else:
                offset += 1
            parts.append(char)
        return "".join(parts), offset + 1

    def escape(self, at: int) -> tuple[str, int]:
        """Return the character that the escape at ``at`` stands for, and where it ends."""
        letter = self.text[at + 1 : at + 2]
        if letter != "u":
            if letter not in _ESCAPES:
                self.fail(at, f"{_shown(self.text, at + 1)} may not follow a backslash in JSON")
            return _ESCAPES[letter], at + 2
        code = self.hexadecimal(at)
        if not 0xD800 <= code <= 0xDFFF:
            return chr(code), at + 6
        if code <= 0xDBFF and self.text.startswith("\\u", at + 6):
            low = self.hexadecimal(at + 6)
            if 0xDC00 <= low <= 0xDFFF:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), at + 12
        return self.fail(at, "half of a surrogate pair stands for no character")

    def hexadecimal(self, at: int) -> int:
        digits = self.text[at + 2 : at + 6]
        if len(digits) != 4 or digits.strip("0123456789abcdefABCDEF"):
            self.fail(at, "four hexadecimal digits should follow \\u")
        return int(digits, 16)
