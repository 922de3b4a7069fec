r"""Top-level headings of a Markdown text, as CommonMark 0.31 finds them (F5).

Headings in fences, indented code, HTML blocks, block quotes and list items are part of those, so this follows the block
structure of the text: the two phases of the specification's appendix, without inlines and without building a tree.
What only some texts hold (HTML blocks, link reference definitions) is loaded for these: memory is read on every prompt.

>>> [(h.line, h.level, h.text) for h in find_headings("# Title\n\n```\n# code\n```\n\nOrigin\n---\n")]
[(0, 1, 'Title'), (6, 2, 'Origin')]
"""

from __future__ import annotations

from engram.record import Record
from engram.text.lines import split_lines

__all__ = ["Heading", "find_headings", "headings_of_lines"]

_TAB = 4
_CODE = 4  # columns of indentation that make code
# Deeper nesting is taken as text: nobody writes it, and a hostile file would cost time by the square of its size.
_MAX_DEPTH = 64
_QUOTE = -1  # in the stack of open containers, where a list item stands as the columns that its content is indented

# What the innermost open block is; for the rest of the structure all other blocks are one line.
_NONE, _PARAGRAPH, _FENCE, _HTML = range(4)


class Heading(Record):
    """One heading: its first line and the line after it (0-based), its level, its raw text without the number signs."""

    line: int
    end: int
    level: int
    text: str


def find_headings(text: str) -> list[Heading]:
    """Return the headings of a Markdown text that are in no container and no code, in order."""
    return headings_of_lines(split_lines(text))


def headings_of_lines(lines: list[str]) -> list[Heading]:
    """Return the same for a text that was split already (``engram.text.lines.split_lines``)."""
    blocks = _Blocks()
    for number, line in enumerate(lines):
        # Most lines are blank, prose, a bullet or a heading; what they mean needs no full parse.
        if blocks.leaf <= _PARAGRAPH:
            first = line[:1]
            if not first:
                if not blocks.fragile:
                    blocks.leaf = _NONE
                    continue
            elif first.isalpha():
                blocks.prose(number, line)
                continue
            elif first == "-":
                if line[1:2] == " " and line[2:3].isalpha():
                    blocks.bullet(line)
                    continue
            elif first == "#" and line[-1] not in "# \t" and blocks.heading(number, line):
                continue
        blocks.feed(number, line)
    return blocks.found


class _Blocks:
    """The open blocks while the lines go by."""

    __slots__ = ("empty_item", "fence", "found", "fragile", "html", "leaf", "paragraph", "stack", "start")

    def __init__(self) -> None:
        self.found: list[Heading] = []
        self.stack: list[int] = []
        self.leaf = _NONE
        self.paragraph: list[str] = []  # the lines of the open paragraph
        self.start = 0  # the line at which it begins
        self.fence = ""  # what opened the open fence
        self.html = 0  # the start condition of the open HTML block
        self.empty_item = False  # the last container is a list item whose first line was blank
        self.fragile = False  # a blank line may close a container

    def prose(self, number: int, line: str) -> None:
        """Take a line that begins with a letter in its first column: it can only be text of a paragraph."""
        if self.leaf == _PARAGRAPH:
            self.paragraph.append(line)
        else:
            self.stack.clear()
            self._open_paragraph(number, line)

    def bullet(self, line: str) -> None:
        """Take a list item in the first column whose text begins with a letter."""
        self.stack[:] = (2,)
        self._open_paragraph(0, line[2:])

    def heading(self, number: int, line: str) -> bool:
        """Take an ATX heading in the first column without a closing run; return whether it is one."""
        text = line.lstrip("#")
        level = len(line) - len(text)
        if level > 6 or text[0] not in " \t":
            return False
        self.stack.clear()
        self.leaf = _NONE
        self.empty_item = self.fragile = False
        self.found.append(Heading(number, number + 1, level, text.strip(" \t")))
        return True

    def _open_paragraph(self, number: int, line: str) -> None:
        self.leaf = _PARAGRAPH
        self.paragraph = [line]
        self.start = number
        self.empty_item = False
        self.fragile = _QUOTE in self.stack

    def feed(self, number: int, raw: str) -> None:
        """Take any line."""
        line = raw.expandtabs(_TAB) if "\t" in raw else raw
        at, matched, pos = self._match(line)
        whole = matched == len(self.stack)
        blank = at >= len(line)
        if whole and self._continue_leaf(line, pos, at):
            return
        if not whole and self.leaf in {_FENCE, _HTML}:
            self.leaf = _NONE
        # An open paragraph goes on with a line that begins nothing else, even outside of its containers ("lazy").
        goes_on = self.leaf == _PARAGRAPH and whole
        lazy = self.leaf == _PARAGRAPH and not whole
        self.empty_item = False
        while not blank:
            indent = at - pos
            if indent >= _CODE:
                if not (goes_on or lazy):
                    self._close(matched)
                    return
                break
            char = line[at]
            if matched >= _MAX_DEPTH:
                break
            if char == ">":
                width = _QUOTE
                pos = at + 1
                if line.startswith(" ", pos):
                    pos += 1
            elif self._leaf_begins(number, raw, line[at:], matched, goes_on=goes_on, lazy=lazy):
                return
            else:
                # Definitions that were taken off an open paragraph leave it without text; it stays open.
                marker = _list_marker(line, at, interrupts=goes_on)
                if not marker:
                    break
                after = at + marker
                spaces = len(line) - after - len(line[after:].lstrip(" "))
                if after + spaces >= len(line) or spaces > _CODE:
                    spaces = 1
                width = indent + marker + spaces
                pos = after + spaces
            self._close(matched)
            self.stack.append(width)
            matched += 1
            goes_on = lazy = False
            at = _next(line, pos)
            blank = at >= len(line)
            self.empty_item = blank and width != _QUOTE
        if blank:
            self._close(matched)
            self.fragile = self.empty_item or _QUOTE in self.stack
        elif goes_on or lazy:
            if not self.paragraph:
                self.start = number
            self.paragraph.append(raw.lstrip(" \t"))
        else:
            self._close(matched)
            # In a container the text is only asked for link reference definitions, where tabs are blanks.
            self._open_paragraph(number, line[at:] if self.stack else raw.lstrip(" \t"))

    def _match(self, line: str) -> tuple[int, int, int]:
        """Return the next column that is not blank, how many containers go on, and the column after their marks."""
        at, pos, matched = _next(line, 0), 0, 0
        for width in self.stack:
            blank = at >= len(line)
            if width == _QUOTE:
                if blank or at - pos >= _CODE or line[at] != ">":
                    break
                pos = at + 1
                if line.startswith(" ", pos):
                    pos += 1
                at = _next(line, pos)
            elif blank:
                if self.empty_item and matched == len(self.stack) - 1:
                    break  # an item may begin with one blank line, not with two
                pos = at
            elif at - pos >= width:
                pos += width
            else:
                break
            matched += 1
        return at, matched, pos

    def _continue_leaf(self, line: str, pos: int, at: int) -> bool:
        """Give the line to an open fence or HTML block; return whether it was taken."""
        if self.leaf == _FENCE:
            rest = line[at:].rstrip(" ")
            if at - pos < _CODE and len(rest) >= len(self.fence) and not rest.strip(self.fence[0]):
                self.leaf = _NONE
            return True
        if self.leaf == _HTML:
            from engram.text.html_blocks import html_ends

            blank = at >= len(line)
            if blank and self.html > 5 or html_ends(self.html, line[pos:]):  # noqa: RUF021
                self.leaf = _NONE
            return True
        return False

    def _leaf_begins(self, number: int, raw: str, rest: str, matched: int, *, goes_on: bool, lazy: bool) -> bool:
        """Take a line that is or begins a heading, a fence, an HTML block or a thematic break; else return False."""
        char = rest[0]
        if char == "#":
            level = len(rest) - len(rest.lstrip("#"))
            if level > 6 or rest[level : level + 1] not in {"", " "}:
                return False
            self._close(matched)
            # Out of containers the line is the heading's; its tabs stay as they are.
            self._heading(number, number + 1, level, _without_closing(raw.lstrip(" ")[level:]))
        elif char in "`~":
            size = len(rest) - len(rest.lstrip(char))
            if size < 3 or (char == "`" and "`" in rest[size:]):
                return False
            self._close(matched)
            self.leaf, self.fence = _FENCE, char * size
        elif char == "<":
            from engram.text.html_blocks import MAY_NOT_INTERRUPT, html_ends, html_start

            kind = html_start(rest)
            if not kind or (kind == MAY_NOT_INTERRUPT and (goes_on or lazy)):
                return False
            self._close(matched)
            if not html_ends(kind, rest):
                self.leaf, self.html = _HTML, kind
        elif char in "=-" and goes_on and not rest.rstrip(" ").strip(char) and self._underline(number, char):
            return True
        elif char in "*-_" and rest.count(char) >= 3 and not rest.strip(char + " "):
            self._close(matched)
        else:
            return False
        return True

    def _underline(self, number: int, char: str) -> bool:
        """Make the open paragraph a heading, unless it holds only link reference definitions."""
        skipped = 0
        if self.paragraph and self.paragraph[0].startswith("["):
            from engram.text.references import definition_lines

            skipped = definition_lines(self.paragraph)
        text = "\n".join([part.strip(" \t") for part in self.paragraph[skipped:]])
        if not text:
            self.paragraph = []
            return False
        self._heading(self.start + skipped, number + 1, 1 if char == "=" else 2, text)
        self.leaf = _NONE
        return True

    def _heading(self, line: int, end: int, level: int, text: str) -> None:
        if not self.stack:
            self.found.append(Heading(line, end, level, text))

    def _close(self, matched: int) -> None:
        """Close the containers that did not match, and the open paragraph."""
        del self.stack[matched:]
        self.leaf = _NONE
        self.fragile = _QUOTE in self.stack


def _next(line: str, at: int) -> int:
    """Return the column of the next character at or after ``at`` that is not blank."""
    while at < len(line) and line[at] == " ":
        at += 1
    return at


def _without_closing(text: str) -> str:
    """Return the text of a heading without its closing run of number signs, which counts only after a blank."""
    text = text.strip(" \t")
    kept = text.rstrip("#")
    return kept.rstrip(" \t") if not kept or kept[-1] in " \t" else text


def _list_marker(line: str, at: int, *, interrupts: bool) -> int:
    """Return the width of a list marker at ``at``, 0 for none; ``interrupts``: it would end an open paragraph."""
    end = at
    if line[at] in "-+*":
        end += 1
    else:
        while end < len(line) and end - at < 9 and line[end] in "0123456789":
            end += 1
        if end == at or line[end : end + 1] not in {".", ")"}:
            return 0
        if interrupts and int(line[at:end]) != 1:
            return 0
        end += 1
    if line[end : end + 1] not in {"", " "}:
        return 0
    if interrupts and not line[end:].strip(" "):
        return 0
    return end - at
