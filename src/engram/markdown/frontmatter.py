"""The frontmatter of a memory file: a strict and lossless reader of the part of YAML that it uses (F5, F8, F9).

Values are texts and lists of texts; dates, numbers and booleans stay the text that they are written as, and null is an
empty text. Everything is kept as the lines it came in, so that a rewrite touches only what it changes. Below a key that
Engram does not know, other structures are kept as they are.

>>> entries, rest = parse_entries(["id: a", "tags: [x, 'y z']", "# a note", "x_team:", "  name: b"])
>>> [(entry.key, entry.value) for entry in entries]
[('id', 'a'), ('tags', ('x', 'y z')), ('x_team', '  name: b')]
>>> format_entry("tags", ("a, b", "c"))
'tags: ["a, b", c]'
"""

from __future__ import annotations

from engram.errors import FormatError
from engram.markdown.scalars import NULLS, block_scalar, is_date, quote_scalar, quoted_end, unquote
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    Value = str | tuple[str, ...]

__all__ = [
    "CONFLICT_MARKS",
    "DATE_KEYS",
    "INTEGER_KEYS",
    "KNOWN_KEYS",
    "LIST_KEYS",
    "Entry",
    "format_entry",
    "parse_entries",
    "quote_scalar",
]

DATE_KEYS = frozenset(
    {
        "archived_at",
        "created",
        "last_confirmed",
        "last_verified",
        "review_after",
        "updated",
        "valid_from",
        "valid_until",
    }
)
INTEGER_KEYS = frozenset({"revision", "schema_version"})
LIST_KEYS = frozenset(
    {
        "depends_on", "derived_from", "evidence_refs", "role", "source_files", "source_hashes", "supersedes", "tags",
        "task_types", "triggers",
    }
)  # fmt: skip
# F6, and `author` of schemas 1 and 2.
KNOWN_KEYS = DATE_KEYS | INTEGER_KEYS | LIST_KEYS | {
    "author", "author_email", "author_name", "authority", "confidence", "evidence_status", "id", "level", "lifecycle",
    "objective", "parent", "scope", "source", "superseded_by", "tier", "type",
}  # fmt: skip

# What Git leaves at the beginning of lines that it could not merge.
CONFLICT_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_FIRST_LINE = 2  # the line of the file that the first entry stands in
_NOT_PLAIN = "&*!%@`"  # indicators that no plain text begins with, beside those that begin something else


class Entry(Record):
    """One key of the frontmatter.

    ``value`` is a text or a list of texts; where an unknown key holds another structure it is that structure's source.
    ``lines`` are the source lines, everything below included, and ``before`` the comments and blank lines above it;
    both without LF, with the CR where there was one.
    """

    key: str
    value: Value
    lines: tuple[str, ...]
    before: tuple[str, ...] = ()


class _Unsupported(Exception):  # noqa: N818 (never leaves this module: another structure than texts and lists)
    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.index = index
        self.reason = reason


def parse_entries(lines: list[str]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Return the entries of a frontmatter and the comment and blank lines after the last one.

    Args:
        lines: what stands between the two ``---`` lines, split at LF.

    Raises:
        FormatError: with the line in the file (the first of ``lines`` is its second) and the reason.
    """
    source = "\n".join(lines)
    has_cr = "\r" in source
    clean = [line.removesuffix("\r") for line in lines] if has_cr else lines
    if has_cr:
        for index, line in enumerate(clean):
            if "\r" in line:
                _fail(index, "a carriage return stands inside the line")
    reader = _Reader(lines, clean)
    entries: list[Entry] = []
    seen: set[str] = set()
    index, count = 0, len(lines)
    simple = "\t" not in source
    while index < count:
        line = clean[index]
        key, colon, rest = line.partition(": ")
        value: Value | None = None
        # The common line: a known key with a plain text or a plain list, and no line that could belong to it.
        if simple and colon and key in KNOWN_KEYS and (index + 1 == count or clean[index + 1][:1].isalpha()):
            value = _quick_value(rest)
        if value is not None:
            entry = Entry(key, value, (lines[index],), reader.take_before())
            index += 1
        else:
            maybe, index = reader.entry(index)
            if maybe is None:
                continue
            entry, key = maybe, maybe.key
        if key in seen:
            _fail(index - len(entry.lines), f"the key `{key}` stands twice")
        seen.add(key)
        entries.append(entry)
    return tuple(entries), reader.take_before()


def format_entry(key: str, value: Value) -> str:
    """Return one line of frontmatter, without its end (F5, F6).

    Dates and integers of the keys that hold such are plain; a list is inline; everything else is quoted only where
    plain YAML would read something else.
    """
    name = quote_scalar(key)
    if isinstance(value, tuple):
        return f"{name}: [{', '.join([quote_scalar(item, in_list=True) for item in value])}]"
    if (key in DATE_KEYS and is_date(value)) or (key in INTEGER_KEYS and value.isascii() and value.isdigit()):
        return f"{name}: {value}"
    return f"{name}: {quote_scalar(value)}"


def _quick_value(rest: str) -> Value | None:
    """Return the value of a plain text or a plain inline list; None where it takes a closer look."""
    first, last = rest[:1], rest[-1:]
    if first.isalnum():
        if last in " :" or ": " in rest or " #" in rest:
            return None
        return "" if rest in NULLS else rest
    if first == "[" and last == "]":
        inner = rest[1:-1]
        if not inner:
            return ()
        if '"' in inner or "'" in inner or "[" in inner or "]" in inner or "{" in inner or "}" in inner:
            return None
        if "#" in inner or ": " in inner:
            return None
        items = tuple([item.strip(" ") for item in inner.split(",")])
        for item in items:
            if not item[:1].isalnum() or item[-1] == ":" or item in NULLS:
                return None
        return items
    return None


def _fail(index: int, reason: str) -> NoReturn:
    raise FormatError(reason, line=index + _FIRST_LINE)


class _Reader:
    """Reads entries of every shape, line by line."""

    def __init__(self, raw: list[str], lines: list[str]) -> None:
        self.raw = raw
        self.lines = lines
        self.before: list[str] = []

    def take_before(self) -> tuple[str, ...]:
        """Return the comments and blank lines since the last entry."""
        if not self.before:
            return ()
        before = tuple(self.before)
        self.before = []
        return before

    def entry(self, index: int) -> tuple[Entry | None, int]:
        """Read the entry that begins at ``index`` and return it with the index after it; None for a comment."""
        line = self.lines[index]
        stripped = line.strip(" \t")
        if not stripped or stripped[0] == "#":
            self.before.append(self.raw[index])
            return None, index + 1
        key, rest = self._key(index)
        end: int
        value: Value
        try:
            value, end = self._value(index, rest)
        except _Unsupported as error:
            if key in KNOWN_KEYS:
                _fail(error.index, f"`{key}` must be a text or a list of texts: {error.reason}")
            end = self._block_end(index, rest)
            self._refuse_references(index, end, rest)
            value = "\n".join([rest, *self.lines[index + 1 : end]]).strip("\n")
        return Entry(key, value, tuple(self.raw[index:end]), self.take_before()), end

    def _key(self, index: int) -> tuple[str, str]:
        """Return the key of a line and what stands after its colon, blanks around it taken off."""
        line = self.lines[index]
        for mark in CONFLICT_MARKS:
            if line.startswith(mark):
                _fail(index, f"a Git conflict marker ({mark}) stands in the frontmatter")
        if line[0] in " \t":
            _fail(index, "an indented line belongs to no key")
        if line[0] in "\"'":
            end = quoted_end(line, 0)
            if end < 0 or not line[end:].lstrip(" ").startswith(":"):
                _fail(index, "a key and a colon were expected")
            key = self._unquoted(index, line[:end])
            rest = line[end:].lstrip(" ")[1:]
        else:
            at = line.find(":")
            while at >= 0 and line[at + 1 : at + 2] not in {"", " ", "\t"}:
                at = line.find(":", at + 1)
            if at <= 0:
                _fail(index, "a key and a colon were expected (`key: value`)")
            key, rest = line[:at].rstrip(" "), line[at + 1 :]
            if line[0] in _NOT_PLAIN[:3]:
                _fail(index, "YAML anchors, aliases and tags are not read")
            if key == "<<":
                _fail(index, "YAML merge keys are not read")
            if line[0] in "[]{},#|>%@`" or (line[0] in "-?" and line[1:2] in {"", " ", "\t"}) or " #" in key:
                _fail(index, "a key and a colon were expected (`key: value`)")
        if rest and rest[0] not in " \t":
            _fail(index, "a blank is missing after the colon")
        return key, rest.strip(" \t")

    def _value(self, index: int, rest: str) -> tuple[Value, int]:
        """Return the value that begins with ``rest`` in line ``index``, and the index after its last line."""
        if not rest or rest[0] == "#":
            return self._value_below(index)
        first = rest[0]
        if first in "\"'":
            text, end = self._quoted(index, rest)
            return text, end
        if first == "[":
            return self._flow_list(index, rest)
        if first == "{":
            raise _Unsupported(index, "a map stands there")
        if first in "|>":
            return self._block(index, rest)
        self._check_plain(index, rest)
        return self._plain(index, rest)

    def _value_below(self, index: int) -> tuple[Value, int]:
        """Return a value that begins on a later line: a block list, a text, or nothing."""
        at = self._next_content(index + 1)
        if at == len(self.lines):
            return "", index + 1
        line = self.lines[at]
        text = line.lstrip(" ")
        if text[0] == "\t" and len(line) > len(text):
            _fail(at, "a tab stands in the indentation")
        if text[:2] in {"-", "- ", "-\t"}:
            return self._block_list(at, len(line) - len(text))
        if line[0] not in " \t":
            return "", index + 1
        if line[0] == "\t":
            _fail(at, "a tab stands in the indentation")
        text = text.rstrip(" \t")
        if text[0] in "\"'":
            end = quoted_end(text, 0)
            if end > 0 and text[end:].lstrip(" ").startswith(":"):
                raise _Unsupported(at, "a map stands there")
            return self._quoted(at, text)
        if text[0] == "[":
            return self._flow_list(at, text)
        if text[0] == "{" or _is_map(text):
            raise _Unsupported(at, "a map stands there")
        self._check_plain(at, text)
        return self._plain(at, text)

    def _next_content(self, index: int) -> int:
        """Return the index of the next line that is neither blank nor a comment."""
        while index < len(self.lines):
            text = self.lines[index].strip(" \t")
            if text and text[0] != "#":
                break
            index += 1
        return index

    def _plain(self, index: int, rest: str) -> tuple[str, int]:
        """Return a plain text, whose further lines are indented."""
        text, commented = _without_comment(rest)
        self._check_no_map(index, text)
        end = index + 1
        breaks = 0
        while not commented and end + breaks < len(self.lines):
            line = self.lines[end + breaks]
            if not line.strip(" \t"):
                breaks += 1
                continue
            if line[0] not in " \t" or line.lstrip(" \t")[0] == "#":
                break
            end += breaks
            more, commented = _without_comment(line.strip(" \t"))
            self._check_no_map(end, more)
            text += "\n" * breaks if breaks else " "
            text += more
            breaks = 0
            end += 1
        return ("" if text in NULLS else text), end

    def _check_plain(self, index: int, text: str) -> None:
        first = text[0]
        if first in "&*!":
            _fail(index, "YAML anchors, aliases and tags are not read")
        if first in "%@`,]}" or (first in "-?:" and text[1:2] in {"", " ", "\t"}):
            if first in "-?":
                raise _Unsupported(index, "a list or a map stands on the line of its key")
            _fail(index, f"a text cannot begin with {first} unless it is quoted")

    def _check_no_map(self, index: int, text: str) -> None:
        if _is_map(text):
            raise _Unsupported(index, "a colon and a blank stand in a text that is not quoted")

    def _unquoted(self, index: int, text: str) -> str:
        try:
            return unquote(text)
        except ValueError as error:
            _fail(index, str(error))

    def _quoted(self, index: int, rest: str) -> tuple[str, int]:
        """Return a quoted text, which may go on over further lines."""
        text, close = rest, quoted_end(rest, 0)
        while close < 0:
            text = self._widened(index, rest, text, "a quoted text is never closed")
            close = quoted_end(text, 0)
        last = index + text.count("\n", 0, close)
        self._check_rest(last, text[close:].partition("\n")[0])
        return self._unquoted(index, text[:close]), last + 1

    def _widened(self, index: int, rest: str, text: str, reason: str) -> str:
        """Return ``text``, which is ``rest`` of line ``index`` and some lines below it, with four times as many lines.

        Raises:
            FormatError: with ``reason``, where there are no more lines.
        """
        lines = text.count("\n") + 1
        if index + lines >= len(self.lines):
            _fail(index, reason)
        return "\n".join([rest, *self.lines[index + 1 : index + 4 * lines]])

    def _check_rest(self, index: int, rest: str) -> None:
        """Refuse text after the end of a value; a comment needs a blank before it."""
        if rest.strip(" \t") and not (rest[0] in " \t" and rest.lstrip(" \t")[0] == "#"):
            _fail(index, "something follows the end of the value on its line")

    def _flow_list(self, index: int, rest: str) -> tuple[tuple[str, ...], int]:
        """Return an inline list of texts, which may go on over further lines."""
        text = rest
        items: list[str] = []
        at, line = 1, index
        expects_item = True
        while True:
            char = text[at : at + 1]
            if not char:
                text = self._widened(index, rest, text, "a list is never closed: `]` is missing")
            elif char in " \t\n":
                line += char == "\n"
                at += 1
            elif char == "#" and text[at - 1] in " \t\n":
                newline = text.find("\n", at)
                at = len(text) if newline < 0 else newline
            elif char == "]":
                break
            elif char == ",":
                if expects_item:
                    _fail(line, "an item is missing in a list")
                expects_item = True
                at += 1
            elif not expects_item:
                _fail(line, "a comma is missing in a list")
            elif char in "\"'":
                close = quoted_end(text, at)
                if close < 0:
                    text = self._widened(index, rest, text, "a quoted text is never closed")
                    continue
                items.append(self._unquoted(line, text[at:close]))
                line += text.count("\n", at, close)
                at, expects_item = close, False
                if text.startswith((":", " :"), at):
                    raise _Unsupported(line, "a map stands in the list")
            else:
                item, at = self._flow_plain(line, text, at)
                items.append("" if item in NULLS else item)
                expects_item = False
        self._check_rest(line, text[at + 1 :].partition("\n")[0])
        return tuple(items), line + 1

    def _flow_plain(self, index: int, text: str, at: int) -> tuple[str, int]:
        if text[at] in "[{":
            raise _Unsupported(index, "the list holds another list or a map")
        if text[at] in "]}":
            _fail(index, "a bracket stands where an item of a list was expected")
        self._check_plain(index, text[at : at + 2])
        end = at
        while end < len(text) and text[end] not in ",[]{}\n":
            if text[end] == "#" and text[end - 1] in " \t":
                break
            if text[end] == ":" and text[end + 1 : end + 2] in {"", " ", "\t", "\n", ",", "]", "}", "[", "{"}:
                raise _Unsupported(index, "a map stands in the list")
            end += 1
        if text[end : end + 1] in {"[", "{", "}"}:
            _fail(index, f"{text[end]} stands inside an item of a list; quote the item")
        return text[at:end].rstrip(" \t"), end

    def _block(self, index: int, rest: str) -> tuple[str, int]:
        """Return a block of text (``|`` or ``>``): the lines that are indented, and the blank ones among them."""
        header, _ = _without_comment(rest)
        end = index + 1
        content = end
        while end < len(self.lines):
            line = self.lines[end]
            if line.strip(" "):
                if line[0] == "\t":
                    _fail(end, "a tab stands in the indentation")
                if line[0] != " ":
                    break
                content = end + 1
            end += 1
        if "+" not in header:
            end = content  # blank lines below are no part of the value
        try:
            return block_scalar(header, self.lines[index + 1 : end]), end
        except ValueError as error:
            _fail(index, str(error))

    def _block_list(self, index: int, indent: int) -> tuple[tuple[str, ...], int]:
        """Return a block list of texts: ``- item`` lines of one indentation."""
        items: list[str] = []
        end = index
        while True:
            at = self._next_content(end)
            line = self.lines[at] if at < len(self.lines) else ""
            text = line.lstrip(" ")
            width = len(line) - len(text)
            if text[:1] == "\t":
                _fail(at, "a tab stands in the indentation")
            if not text or width < indent or (width == indent and text[:2] not in {"-", "- ", "-\t"}):
                if width > 0 and text:
                    raise _Unsupported(at, "a line below the list is indented differently")
                return tuple(items), end
            if width > indent:
                raise _Unsupported(at, "a line in the list is indented differently")
            rest = text[1:].strip(" \t")
            if not rest or rest[0] == "#":
                items.append("")
                end = at + 1
                continue
            if rest[0] in "[{|>" or _is_map(rest):
                raise _Unsupported(at, "the list holds another list, a map or a block of text")
            if rest[0] in "\"'":
                close = quoted_end(rest, 0)
                if close > 0 and rest[close:].lstrip(" ").startswith(":"):
                    raise _Unsupported(at, "the list holds a map")
                item, end = self._quoted(at, rest)
            else:
                self._check_plain(at, rest)
                item, end = self._list_plain(at, rest, indent)
            items.append(item)

    def _list_plain(self, index: int, rest: str, indent: int) -> tuple[str, int]:
        """Return a plain item of a block list, whose further lines are indented more than its dash."""
        text, commented = _without_comment(rest)
        end = index + 1
        while not commented and end < len(self.lines):
            line = self.lines[end]
            more = line.strip(" \t")
            if not more or more[0] == "#" or len(line) - len(line.lstrip(" ")) <= indent:
                break
            more, commented = _without_comment(more)
            self._check_no_map(end, more)
            text += " " + more
            end += 1
        return ("" if text in NULLS else text), end

    def _block_end(self, index: int, rest: str) -> int:
        """Return the index after everything that stands below an unknown key: by indentation and open brackets."""
        end = index + 1
        depth = _depth(rest)
        last = end
        while end < len(self.lines):
            line = self.lines[end]
            if line.strip(" \t"):
                text = line.lstrip(" ")
                if text[0] == "\t" and depth <= 0:
                    _fail(end, "a tab stands in the indentation")
                is_item = not rest and text[:2] in {"-", "- "}
                if line[0] != " " and not is_item and depth <= 0:
                    break
                depth += _depth(line)
                last = end + 1
            end += 1
        if depth > 0:
            _fail(index, "a bracket is never closed")
        return last

    def _refuse_references(self, index: int, end: int, rest: str) -> None:
        """Refuse anchors, aliases, tags, merge keys and conflict markers in what is kept as it is (F9)."""
        block_indent = -1
        for at in range(index, end):
            line = rest if at == index else self.lines[at]
            text = line.strip(" \t")
            indent = 0 if at == index else len(line) - len(line.lstrip(" "))
            if not text or text[0] == "#":
                continue
            if block_indent >= 0 and indent > block_indent:
                continue  # a block of text, in which nothing means anything
            block_indent = -1
            if any(text.startswith(mark) for mark in CONFLICT_MARKS):
                _fail(at, "a Git conflict marker stands in the frontmatter")
            if _has_reference(text):
                _fail(at, "YAML anchors, aliases, tags and merge keys are not read")
            header = text.rpartition(" ")[2]
            if header[0] in "|>" and not header[1:].strip("+-123456789") and (": " in text or text[0] == "-"):
                block_indent = indent


def _is_map(text: str) -> bool:
    """Return whether a plain text holds a colon that makes it a key of a map."""
    return ": " in text or text[-1:] == ":" or ":\t" in text


def _without_comment(text: str) -> tuple[str, bool]:
    """Return a plain text without the comment behind it, and whether there was one."""
    for at in range(1, len(text)):
        if text[at] == "#" and text[at - 1] in " \t":
            return text[:at].rstrip(" \t"), True
    return text, False


def _outside_quotes(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the characters of a line that are in no quoted text and no comment: place, character, context.

    The context is the last character before it that is not blank, with a blank behind it where there is a gap.
    """
    at = 0
    before = ""
    while at < len(text):
        char = text[at]
        if char in " \t":
            before = before[:1] + " " if before else ""
        elif char in "\"'" and before[:1] in {"", ":", ",", "[", "{", "-"}:
            end = quoted_end(text, at)
            if end < 0:
                return
            at, before = end, char
            continue
        elif char == "#" and (at == 0 or before[1:] or text[at - 1] in " \t"):
            return
        else:
            yield at, char, before
            before = char
        at += 1


def _depth(text: str) -> int:
    """Return how many brackets a line opens more than it closes."""
    return sum(1 if char in "[{" else -1 if char in "]}" else 0 for _, char, _ in _outside_quotes(text))


def _has_reference(text: str) -> bool:
    """Return whether an anchor, an alias, a tag or a merge key begins a value in this line."""
    for at, char, before in _outside_quotes(text):
        if before not in {"", ",", ", ", "[", "[ ", "{", "{ ", ": ", "- ", "? "}:
            continue
        if char in "&*!" and text[at + 1 : at + 2] not in {"", " "}:
            return True
        if char == "<" and text.startswith("<<", at) and text[at + 2 : at + 4].lstrip(" ").startswith(":"):
            return True
    return False
