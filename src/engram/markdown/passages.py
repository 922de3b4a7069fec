r"""Texts of a memory file, written so that they read back the same (F5).

>>> content_text(section_text("- a dash, and\n## Origin\nas text"))
'- a dash, and\n## Origin\nas text'
"""

from __future__ import annotations

from engram.markdown.conflicts import CONFLICT_MARKS
from engram.markdown.sections import trim_blank
from engram.text.headings import find_headings
from engram.text.lines import unix_lines

__all__ = ["content_text", "escape_title", "plain_text", "section_markdown", "section_text"]

_BULLETS = ("- ", "* ", "+ ")


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
    lines = text.split("\n")
    if any(line.startswith(CONFLICT_MARKS) for line in lines):
        return False
    found = find_headings(text + "\n\n## x\n")
    return bool(found) and found[-1].line == len(lines) + 1 and all(heading.level > level for heading in found[:-1])


def _is_break(line: str) -> bool:
    """Return whether a line that begins with a bullet is a thematic break (``- - -``)."""
    return line[0] in "-*" and not line.strip(line[0] + " \t") and line.count(line[0]) >= 3
