r"""The body of a memory file, read: its title and its sections (F5). Module ``passages`` writes their texts.

>>> outline("# Title\n\n## Content\n\n- text\n").section("content").text
'- text'
"""

from __future__ import annotations

from engram.record import Record
from engram.text.headings import Heading, headings_of_lines
from engram.text.lines import split_lines

__all__ = ["SECTION_ORDER", "Outline", "Section", "outline", "plain_title", "trim_blank"]

# As Engram writes them; `Context` and `Example` are schema 1.
SECTION_ORDER = ("Context", "Content", "Example", "Rule Variants", "Origin", "Human Note")


class Section(Record):
    """A part of the body: its heading's lines ``[line, start)`` and its text's lines ``[start, end)``, 0-based.

    ``text`` is the Markdown below the heading without the blank lines around it, line ends as LF.
    """

    name: str
    text: str
    line: int
    start: int
    end: int


class Outline(Record):
    """The structure of a body; ``title`` is its first level 1 heading, where that stands before every section."""

    lines: tuple[str, ...]
    title: Heading | None
    sections: tuple[Section, ...]
    headings: tuple[Heading, ...]

    def section(self, name: str) -> Section | None:
        """Return the first section of that name, compared without case; None where there is none."""
        folded = name.casefold()
        for section in self.sections:
            if section.name.casefold() == folded:
                return section
        return None

    def inner(self, section: Section) -> tuple[tuple[str, str], ...]:
        """Return the level 3 headings of a section, each with the text below it."""
        inside = [h for h in self.headings if h.level == 3 and section.start <= h.line < section.end]
        ends = [*[h.line for h in inside], section.end][1:]
        return tuple([(h.text, self.text(h.end, end)) for h, end in zip(inside, ends, strict=True)])

    def loose(self) -> tuple[int, int]:
        """Return the lines after the title, up to a section that we know: the content of a body that names none."""
        known = {name.casefold() for name in SECTION_ORDER}
        start = self.title.end if self.title else 0
        end = next((section.line for section in self.sections if section.name.casefold() in known), len(self.lines))
        return start, end

    def text(self, start: int, end: int) -> str:
        """Return lines of the body as text, without the blank lines around it."""
        return trim_blank("\n".join(self.lines[start:end]))


def outline(body: str) -> Outline:
    """Return the title and the sections (level 2 headings) of a Markdown body."""
    lines = split_lines(body)
    headings = headings_of_lines(lines)
    title: Heading | None = None
    marks: list[Heading] = []
    block = _second_block(lines)
    for heading in headings:
        if heading.line < block:
            continue
        if heading.level == 2:
            marks.append(heading)
        elif heading.level == 1 and title is None and not marks:
            title = heading
    sections: list[Section] = []
    for number, mark in enumerate(marks):
        end = marks[number + 1].line if number + 1 < len(marks) else len(lines)
        text = trim_blank("\n".join(lines[mark.end : end]))
        sections.append(Section(mark.text, text, mark.line, mark.end, end))
    return Outline(tuple(lines), title, tuple(sections), tuple(headings))


def _second_block(lines: list[str]) -> int:
    """Return the line after a second ``---`` block at the beginning of the body, 0 where there is none (F9).

    CommonMark reads its last key and the ``---`` below as a heading; it is none of ours.
    """
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].rstrip() != "---":
        return 0
    for number in range(first + 1, len(lines)):
        if lines[number].rstrip() == "---":
            return number + 1
    return 0


def trim_blank(text: str) -> str:
    """Return the text without blank lines before it and without white space after it."""
    text = text.strip("\n")
    if text and text[-1] in " \t":
        text = text.rstrip(" \t\n")
    if text and text[0] in " \t":
        # Only whole blank lines go: the indentation of the first line that is not blank means something.
        blank = len(text) - len(text.lstrip(" \t\n"))
        return text[text.rfind("\n", 0, blank) + 1 :]
    return text


def plain_title(text: str) -> str:
    r"""Return the title that a heading's text stands for: ``\#`` and ``\\`` are read, lines joined with a blank."""
    text = text.replace("\n", " ")
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in {"\\", "#"}:
            at += 1
        out.append(text[at])
        at += 1
    return "".join(out)
