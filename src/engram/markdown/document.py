r"""The bytes of one memory file, lossless: what is not changed is written as it was read (F5, F7, F8, F9).

>>> document = parse_document(b"---\nid: a\nx_team: b # ours\n---\n\n# A\n")
>>> document.with_values({"tags": ("x",)}).to_bytes()
b'---\nid: a\ntags: [x]\nx_team: b # ours\n---\n\n# A\n'
"""

from __future__ import annotations

from engram.errors import FormatError
from engram.markdown.frontmatter import Entry, format_entry, parse_entries, split_source
from engram.markdown.passages import escape_title
from engram.markdown.sections import SECTION_ORDER, outline, plain_title, trim_blank
from engram.model import MAX_BYTES
from engram.record import Record
from engram.text.lines import lines_with_ends, unix_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.markdown.sections import Outline, Section

__all__ = ["Document", "checked_bytes", "parse_document"]

_BOM = "\ufeff"


class Document(Record):
    """One memory file. Changes return another document; the lines that they do not concern stay byte for byte.

    ``opening`` and ``closing`` are the two ``---`` lines with their ends, ``rest`` the comment lines between the last
    entry and the closing line, ``body`` everything after it. ``newline`` is the line end that new lines get.
    """

    bom: bool
    newline: str
    entries: tuple[Entry, ...]
    body: str
    opening: str = "---\n"
    rest: tuple[str, ...] = ()
    closing: str = "---\n"
    path: str = ""

    def get(self, key: str) -> str | tuple[str, ...]:
        """Return the value of a frontmatter key, ``""`` where it is absent."""
        for entry in self.entries:
            if entry.key == key:
                return entry.value
        return ""

    def has(self, key: str) -> bool:
        """Return whether the frontmatter holds the key."""
        return any(entry.key == key for entry in self.entries)

    def line_of(self, key: str) -> int:
        """Return the 1-based line of the file in which a key stands, 0 where it is absent."""
        line = 2
        for entry in self.entries:
            line += len(entry.before)
            if entry.key == key:
                return line
            line += len(entry.lines)
        return 0

    def to_bytes(self) -> bytes:
        """Return the file's bytes: those that were parsed, where nothing was changed.

        Raises:
            FormatError: where a change made it too large, or put in what no memory file may hold (F9).
        """
        lines: list[str] = []
        for entry in self.entries:
            lines += entry.before
            lines += entry.lines
        lines += self.rest
        head = "".join([line + "\n" for line in lines])
        return checked_bytes(f"{_BOM if self.bom else ''}{self.opening}{head}{self.closing}{self.body}", self.path)

    def with_values(self, changes: Mapping[str, str | tuple[str, ...] | None]) -> Document:
        """Return the document with other values; None takes a key out, comments above it stay.

        A key whose value stays the same keeps its lines, comments and quotes; a new key goes in at its sorted place.
        """
        entries: list[Entry] = []
        waiting = dict(changes)
        before: tuple[str, ...] = ()
        for entry in self.entries:
            value = waiting.pop(entry.key, entry.value)
            before += entry.before
            if value is None:
                continue
            lines = entry.lines if value == entry.value else (self._line(entry.key, value),)
            entries.append(Entry(entry.key, value, lines, before))
            before = ()
        for key, value in sorted(waiting.items()):
            if value is not None:
                at = next((n for n, entry in enumerate(entries) if entry.key > key), len(entries))
                entries.insert(at, Entry(key, value, (self._line(key, value),)))
        return self.replace(entries=tuple(entries), rest=before + self.rest)

    def _line(self, key: str, value: str | tuple[str, ...]) -> str:
        return format_entry(key, value) + self.newline.removesuffix("\n")

    def outline(self) -> Outline:
        """Return the title, the sections and all headings of the body."""
        return outline(self.body)

    def sections(self) -> tuple[Section, ...]:
        """Return the level 2 sections of the body, in order."""
        return self.outline().sections

    def title(self) -> str:
        """Return the title as it is meant, escapes read; ``""`` where the body has none."""
        heading = self.outline().title
        return plain_title(heading.text) if heading else ""

    def with_title(self, title: str) -> Document:
        """Return the document with another level 1 heading; the same title keeps its line."""
        if title == self.title():
            return self
        heading = self.outline().title
        lines = lines_with_ends(self.body)
        new = f"# {escape_title(title)}{self.newline}"
        if heading is not None:
            return self._with_body("".join([*lines[: heading.line], new, *lines[heading.end :]]))
        blanks = 0
        while blanks < len(lines) and not lines[blanks].strip():
            blanks += 1
        gap = [self.newline] if blanks < len(lines) else []
        lead = lines[:blanks] or [self.newline]
        return self._with_body("".join([*lead, new, *gap, *lines[blanks:]]))

    def with_section(self, name: str, text: str) -> Document:
        """Return the document with other Markdown in a section; an empty text takes the section out.

        A section that is not there yet goes in before the first one that comes after it in the order Context, Content,
        Example, Rule Variants, Origin, Human Note; else at the end.

        Raises:
            FormatError: where the text would not stay in its section, or the body ends inside an open code fence or
                HTML block, which would swallow it.
        """
        text = trim_blank(unix_lines(text))
        found = self.outline()
        lines = lines_with_ends(self.body)
        section = found.section(name)
        if section is not None and section.text == text:
            return self
        block = [line + self.newline for line in text.split("\n")]
        if section is not None:
            before, after = lines[: section.start], lines[section.end :]
            if not text:
                before = lines[: section.line]
                result = [*before, *after] if after else _without_blank_end(before)
            else:
                result = [*_ended(before, self.newline), self.newline, *block, *([self.newline] if after else [])]
                result += after
        elif not text:
            return self
        else:
            at = self._place(name, found.sections, len(lines))
            before, after = _ended(lines[:at], self.newline), lines[at:]
            gap = [self.newline] if not before or before[-1].strip() else []
            heading = [f"## {name}{self.newline}", self.newline]
            result = [*before, *gap, *heading, *block, *([self.newline] if after else []), *after]
        changed = self._with_body("".join(result))
        held = changed.outline().section(name)
        others = [s.name for s in found.sections if s is not section]
        if (held.text if held else "") != text or [s.name for s in changed.sections() if s != held] != others:
            raise FormatError(
                f"The section {name} cannot be written: it would not read back the same.",
                hint="Close the code fence or HTML block that is open in the file, and try again.",
                path=self.path,
            )
        return changed

    def without_lines(self, start: int, end: int) -> Document:
        """Return the document without the lines ``[start, end)`` of its body, 0-based."""
        lines = lines_with_ends(self.body)
        return self._with_body("".join([*lines[:start], *lines[end:]]))

    @staticmethod
    def _place(name: str, sections: tuple[Section, ...], end: int) -> int:
        """Return the line before which a new section stands."""
        order = [known.casefold() for known in SECTION_ORDER]
        rank = order.index(name.casefold()) if name.casefold() in order else len(order)
        later = set(order[rank + 1 :])
        return next((section.line for section in sections if section.name.casefold() in later), end)

    def _with_body(self, body: str) -> Document:
        closing = self.closing if self.closing.endswith("\n") else self.closing + self.newline
        return self.replace(body=body, closing=closing)

    def normalised(self) -> Document:
        """Return the document as Engram writes it: LF, no byte-order mark, a final line end (F5)."""
        body = unix_lines(self.body)
        if body and not body.endswith("\n"):
            body += "\n"
        return Document(
            bom=False,
            newline="\n",
            entries=tuple(
                [entry.replace(lines=_unix(entry.lines), before=_unix(entry.before)) for entry in self.entries]
            ),
            body=body,
            opening="---\n",
            rest=_unix(self.rest),
            closing="---\n",
            path=self.path,
        )


def parse_document(data: bytes, path: str = "") -> Document:
    """Return the document that the bytes of a memory file are.

    Raises:
        FormatError: with line and reason, for what is not accepted (F9): no UTF-8, NUL, more than 256 KiB, no or an
            unclosed frontmatter, YAML anchors and tags, a Git conflict.
    """
    source = split_source(data, path)
    try:
        entries, rest = parse_entries(source.front.split("\n") if source.front is not None else [])
    except FormatError as error:
        error.path = path
        raise
    newline = "\r\n" if source.opening.endswith("\r\n") else "\n"
    return Document(source.bom, newline, entries, source.body, source.opening, rest, source.closing, path)


def checked_bytes(text: str, path: str) -> bytes:
    """Return the UTF-8 of a file's text.

    Raises:
        FormatError: for what reading would refuse (F9): NUL, characters that are no text, more than 256 KiB.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise FormatError("the text holds half a character (a lone surrogate)", path=path, line=line) from None
    if len(data) > MAX_BYTES:
        raise FormatError(f"it has {len(data):,} bytes, and a memory holds at most {MAX_BYTES:,} (256 KiB)", path=path)
    if "\0" in text:
        raise FormatError("the text holds a NUL character", path=path, line=text.count("\n", 0, text.index("\0")) + 1)
    return data


def _ended(lines: list[str], newline: str) -> list[str]:
    """Return the lines with a line end after the last one."""
    if lines and lines[-1][-1] not in "\r\n":
        return [*lines[:-1], lines[-1] + newline]
    return lines


def _without_blank_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _unix(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([line.removesuffix("\r") for line in lines])
