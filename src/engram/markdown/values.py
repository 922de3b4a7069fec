"""The values of a frontmatter: texts in every style of YAML, inline lists and block lists of texts (F9).

>>> Values(["tags:", "  - a # first", "  - 'b'", "id: x"]).read(0, "")
(('a', 'b'), 3)
"""

from __future__ import annotations

from engram.errors import FormatError
from engram.markdown.frontmatter import NULLS
from engram.markdown.scalars import block_scalar, quoted_end, unquote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    Value = str | tuple[str, ...]

__all__ = ["Unsupported", "Values", "fail"]

_FIRST_LINE = 2  # the line of the file that the first line of a frontmatter stands in


class Unsupported(Exception):  # noqa: N818 (no error where the key is one that Engram does not know)
    """A value is another structure than a text or a list of texts; ``index`` is the line where that shows."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.index = index
        self.reason = reason


def fail(index: int, reason: str) -> NoReturn:
    """Raise a FormatError for a line of the frontmatter, counted from 0."""
    raise FormatError(reason, line=index + _FIRST_LINE)


class Values:
    """Reads values from the lines of a frontmatter, which have no line ends."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def read(self, index: int, rest: str) -> tuple[Value, int]:
        """Return the value that begins with ``rest`` in line ``index``, and the index after its last line.

        Raises:
            Unsupported: for a map, a list of lists and the like, which YAML allows and Engram does not read.
            FormatError: for what is no YAML, and for anchors, aliases and tags.
        """
        if not rest or rest[0] == "#":
            return self._below(index)
        first = rest[0]
        if first in "\"'":
            text, end = self._quoted(index, rest)
            return text, end
        if first == "[":
            return self._flow_list(index, rest)
        if first == "{":
            raise Unsupported(index, "a map stands there")
        if first in "|>":
            return self._block(index, rest)
        self._check_plain(index, rest)
        return self._plain(index, rest)

    def _below(self, index: int) -> tuple[Value, int]:
        """Return a value that begins on a later line: a block list, a text, or nothing."""
        at = self._next_content(index + 1)
        if at == len(self.lines):
            return "", index + 1
        line = self.lines[at]
        text = line.lstrip(" ")
        if text[0] == "\t" and len(line) > len(text):
            fail(at, "a tab stands in the indentation")
        if text[:2] in {"-", "- ", "-\t"}:
            return self._block_list(at, len(line) - len(text))
        if line[0] not in " \t":
            return "", index + 1
        if line[0] == "\t":
            fail(at, "a tab stands in the indentation")
        text = text.rstrip(" \t")
        if text[0] in "\"'":
            end = quoted_end(text, 0)
            if end > 0 and text[end:].lstrip(" ").startswith(":"):
                raise Unsupported(at, "a map stands there")
            return self._quoted(at, text)
        if text[0] == "[":
            return self._flow_list(at, text)
        if text[0] == "{" or _is_map(text):
            raise Unsupported(at, "a map stands there")
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
            fail(index, "YAML anchors, aliases and tags are not read")
        if first in "%@`,]}" or (first in "-?:" and text[1:2] in {"", " ", "\t"}):
            if first in "-?":
                raise Unsupported(index, "a list or a map stands on the line of its key")
            fail(index, f"a text cannot begin with {first} unless it is quoted")

    def _check_no_map(self, index: int, text: str) -> None:
        if _is_map(text):
            raise Unsupported(index, "a colon and a blank stand in a text that is not quoted")

    def unquoted(self, index: int, text: str) -> str:
        """Return the value of a quoted text, which includes its quotes.

        Raises:
            FormatError: for an unknown escape.
        """
        try:
            return unquote(text)
        except ValueError as error:
            fail(index, str(error))

    def _quoted(self, index: int, rest: str) -> tuple[str, int]:
        """Return a quoted text, which may go on over further lines."""
        text, close = rest, quoted_end(rest, 0)
        while close < 0:
            text = self._widened(index, rest, text, "a quoted text is never closed")
            close = quoted_end(text, 0)
        last = index + text.count("\n", 0, close)
        self._check_rest(last, text[close:].partition("\n")[0])
        return self.unquoted(index, text[:close]), last + 1

    def _widened(self, index: int, rest: str, text: str, reason: str) -> str:
        """Return ``text``, which is ``rest`` of line ``index`` and some lines below it, with four times as many lines.

        Raises:
            FormatError: with ``reason``, where there are no more lines.
        """
        lines = text.count("\n") + 1
        if index + lines >= len(self.lines):
            fail(index, reason)
        return "\n".join([rest, *self.lines[index + 1 : index + 4 * lines]])

    def _check_rest(self, index: int, rest: str) -> None:
        """Refuse text after the end of a value; a comment needs a blank before it."""
        if rest.strip(" \t") and not (rest[0] in " \t" and rest.lstrip(" \t")[0] == "#"):
            fail(index, "something follows the end of the value on its line")

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
                    fail(line, "an item is missing in a list")
                expects_item = True
                at += 1
            elif not expects_item:
                fail(line, "a comma or ] is missing in a list")
            elif char in "\"'":
                close = quoted_end(text, at)
                if close < 0:
                    text = self._widened(index, rest, text, "a quoted text is never closed")
                    continue
                items.append(self.unquoted(line, text[at:close]))
                line += text.count("\n", at, close)
                at, expects_item = close, False
                if text.startswith((":", " :"), at):
                    raise Unsupported(line, "a map stands in the list")
            else:
                item, at = self._flow_plain(line, text, at)
                items.append("" if item in NULLS else item)
                expects_item = False
        self._check_rest(line, text[at + 1 :].partition("\n")[0])
        return tuple(items), line + 1

    def _flow_plain(self, index: int, text: str, at: int) -> tuple[str, int]:
        if text[at] in "[{":
            raise Unsupported(index, "the list holds another list or a map")
        if text[at] in "]}":
            fail(index, "a bracket stands where an item of a list was expected")
        self._check_plain(index, text[at : at + 2])
        end = at
        while end < len(text) and text[end] not in ",[]{}\n":
            if text[end] == "#" and text[end - 1] in " \t":
                break
            if text[end] == ":" and text[end + 1 : end + 2] in {"", " ", "\t", "\n", ",", "]", "}", "[", "{"}:
                raise Unsupported(index, "a map stands in the list")
            end += 1
        if text[end : end + 1] in {"[", "{", "}"}:
            fail(index, f"{text[end]} stands inside an item of a list; quote the item")
        return text[at:end].rstrip(" \t"), end

    def _block(self, index: int, rest: str) -> tuple[str, int]:
        """Return a block of text (``|`` or ``>``): the lines that are indented, and the blank ones among them."""
        header, _ = _without_comment(rest)
        end = index + 1
        content = end
        indent = 0
        while end < len(self.lines):
            line = self.lines[end]
            if line.strip(" "):
                if line[0] == "\t":
                    fail(end, "a tab stands in the indentation")
                if line[0] != " ":
                    break
                width = len(line) - len(line.lstrip(" "))
                if width < indent and line[width] == "#":
                    break  # a comment that is indented less ends it
                indent = indent or width
                content = end + 1
            elif 0 < indent < len(line):
                content = end + 1  # blanks beyond the indentation are text
            end += 1
        if "+" not in header:
            end = content  # blank lines below are no part of the value
        try:
            return block_scalar(header, self.lines[index + 1 : end]), end
        except ValueError as error:
            fail(index, str(error))

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
                fail(at, "a tab stands in the indentation")
            if not text or width < indent or (width == indent and text[:2] not in {"-", "- ", "-\t"}):
                if width > 0 and text:
                    raise Unsupported(at, "a line below the list is indented differently")
                return tuple(items), end
            if width > indent:
                raise Unsupported(at, "a line in the list is indented differently")
            rest = text[1:].strip(" \t")
            if not rest or rest[0] == "#":
                items.append("")
                end = at + 1
                continue
            if rest[0] in "\"'":
                close = quoted_end(rest, 0)
                if close > 0 and rest[close:].lstrip(" ").startswith(":"):
                    raise Unsupported(at, "the list holds a map")
                item, end = self._quoted(at, rest)
            elif rest[0] in "[{|>" or _is_map(_without_comment(rest)[0]):
                raise Unsupported(at, "the list holds another list, a map or a block of text")
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


def _is_map(text: str) -> bool:
    """Return whether a plain text holds a colon that makes it a key of a map."""
    return ": " in text or text[-1:] == ":" or ":\t" in text


def _without_comment(text: str) -> tuple[str, bool]:
    """Return a plain text without the comment behind it, and whether there was one."""
    for at in range(1, len(text)):
        if text[at] == "#" and text[at - 1] in " \t":
            return text[:at].rstrip(" \t"), True
    return text, False
