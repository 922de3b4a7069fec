r"""The body of a memory file: its title, its sections, and texts that are written so that they read back the same (F5).

>>> outline("# Title\n\n## Content\n\n- text\n").section("content").text
'- text'
>>> content_text(section_text("- a dash, and\n## Origin\nas text"))
'- a dash, and\n## Origin\nas text'
"""

from __future__ import annotations

from engram.record import Record
from engram.text.headings import Heading, find_headings, headings_of_lines
from engram.text.lines import split_lines, unix_lines

__all__ = [
    "SECTION_ORDER",
    "Outline",
    "Section",
    "content_text",
    "escape_title",
    "outline",
    "plain_text",
    "plain_title",
    "section_markdown",
    "section_text",
    "trim_blank",
]

# As Engram writes them; `Context` and `Example` are schema 1.
SECTION_ORDER = ("Context", "Content", "Example", "Rule Variants", "Origin", "Human Note")

_BULLETS = ("- ", "* ", "+ ")


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
        ends = [*[h.line for h in inside[1:]], section.end]
        return tuple([(h.text, self.text(h.end, end)) for h, end in zip(inside, ends, strict=True)])

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


def plain_text(text: str) -> str:
    """Return a text as it is stored: line ends as LF, no white space around it."""
    return unix_lines(text).strip()


def content_text(content: str) -> str:
    """Return the plain text of a section: a single bullet is unwrapped, anything else stays as it is."""
    first, newline, rest = content.partition("\n")
    marker = first[:2]
    if marker not in _BULLETS or _is_break(first):
        return content
    text = first[2:].lstrip(" ")
    if not newline:
        return text
    lines = rest.split("\n")
    for line in lines:
        if line and not line.startswith("  "):
            return content
    return "\n".join([text, *[line[2:] for line in lines]])


def section_text(text: str, *, bullet: bool = False, level: int = 2) -> str:
    """Return the Markdown that stores any text in a section, so that ``content_text`` gives the text back.

    Args:
        text: any text; line ends become LF and white space around it is dropped.
        bullet: write a text of one line as ``- text``; without it such a text is a paragraph.
        level: headings of this level or above must not come to stand in the section.

    A text that reads as a part of one section is kept as it is. One that does not (it holds a heading of ours, an
    unclosed fence, a conflict marker, or is a single bullet, which reading would unwrap) becomes one list item.
    """
    text = plain_text(text)
    if not text:
        return ""
    if (bullet and "\n" not in text) or content_text(text) != text or not _stands(text, level):
        return _wrapped(text)
    return text


def section_markdown(markdown: str, *, bullet: bool = False, level: int = 2) -> str:
    """Return Markdown as ``Memory.content`` holds it, made safe to stand in a section; a bullet stays a bullet."""
    markdown = trim_blank(unix_lines(markdown))
    if not markdown.strip():
        return ""
    if content_text(markdown) != markdown and _stands(markdown, level):
        return markdown
    if bullet and "\n" not in markdown and not _is_break(markdown):
        return _wrapped(markdown)
    return markdown if _stands(markdown, level) else _wrapped(markdown.strip())


def escape_title(title: str) -> str:
    """Return a title as the text of an ATX heading that reads back the same (F5): number signs at its ends escaped."""
    title = " ".join([line.strip(" \t") for line in unix_lines(title).split("\n")]).strip(" \t")
    kept = title.rstrip("#")
    signs = len(title) - len(kept)
    if signs and kept and kept[-1] not in " \t":
        kept, signs = title, 0  # C#: the run of number signs closes nothing
    out: list[str] = []
    for at, char in enumerate(kept):
        following = title[at + 1 : at + 2]
        if char == "\\" and following in {"\\", "#"} and following:
            out.append("\\\\")
        else:
            out.append(char)
    escaped = "".join(out)
    if escaped.startswith("#"):
        escaped = "\\" + escaped
    return escaped + "\\" + "#" * signs if signs else escaped


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


def _wrapped(text: str) -> str:
    """Return the text as one list item: what is indented under its bullet cannot be a section of ours."""
    first, newline, rest = text.partition("\n")
    # "- ---" would be a thematic break and not a list item.
    marker = "* " if not first.strip("- \t") else "- "
    if not newline:
        return marker + text
    return "\n".join([marker + first, *["  " + line if line else "" for line in rest.split("\n")]])


def _stands(text: str, level: int) -> bool:
    """Return whether a text can stand in a section as it is: the next heading behind it is found, and none before."""
    from engram.markdown.conflicts import CONFLICT_MARKS  # for writing only

    lines = text.split("\n")
    if any(line.startswith(CONFLICT_MARKS) for line in lines):
        return False
    found = find_headings(text + "\n\n## x\n")
    return bool(found) and found[-1].line == len(lines) + 1 and all(heading.level > level for heading in found[:-1])


def _is_break(line: str) -> bool:
    """Return whether a line that begins with a bullet is a thematic break (``- - -``)."""
    return line[0] in "-*" and not line.strip(line[0] + " \t") and line.count(line[0]) >= 3
