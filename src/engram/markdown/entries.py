"""The entries of a frontmatter in every shape that YAML gives them; ``frontmatter`` reads the common one by itself.

>>> Reader(["tags:", "  - a"], ["tags:", "  - a"]).entry(0)[0].value
('a',)
"""

from __future__ import annotations

from engram.markdown.conflicts import CONFLICT_MARKS
from engram.markdown.frontmatter import KNOWN_KEYS, Entry
from engram.markdown.scalars import quoted_end
from engram.markdown.structures import refuse_references, structure_end
from engram.markdown.values import Unsupported, Values, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    Value = str | tuple[str, ...]

__all__ = ["Reader"]


class Reader:
    """Reads entries of every shape, line by line."""

    def __init__(self, raw: list[str], lines: list[str]) -> None:
        self.raw = raw
        self.lines = lines
        self.values = Values(lines)
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
            value, end = self.values.read(index, rest)
        except Unsupported as error:
            if key in KNOWN_KEYS:
                fail(error.index, f"`{key}` must be a text or a list of texts: {error.reason}")
            end = structure_end(self.lines, index, rest)
            refuse_references(self.lines, index, end, rest)
            value = "\n".join([rest, *self.lines[index + 1 : end]]).strip("\n")
        return Entry(key, value, tuple(self.raw[index:end]), self.take_before()), end

    def _key(self, index: int) -> tuple[str, str]:
        """Return the key of a line and what stands after its colon, blanks around it taken off."""
        line = self.lines[index]
        for mark in CONFLICT_MARKS:
            if line.startswith(mark):
                fail(index, f"a Git conflict marker ({mark}) stands in the frontmatter")
        if line[0] in " \t":
            fail(index, "an indented line belongs to no key")
        if line[0] in "\"'":
            end = quoted_end(line, 0)
            if end < 0 or not line[end:].lstrip(" ").startswith(":"):
                fail(index, "a key and a colon were expected")
            key = self.values.unquoted(index, line[:end])
            rest = line[end:].lstrip(" ")[1:]
        else:
            at = line.find(":")
            while at >= 0 and line[at + 1 : at + 2] not in {"", " ", "\t"}:
                at = line.find(":", at + 1)
            if at <= 0:
                fail(index, "a key and a colon were expected (`key: value`)")
            key, rest = line[:at].rstrip(" "), line[at + 1 :]
            if line[0] in "&*!":
                fail(index, "YAML anchors, aliases and tags are not read")
            if key == "<<":
                fail(index, "YAML merge keys are not read")
            if line[0] in "[]{},#|>%@`" or (line[0] in "-?" and line[1:2] in {"", " ", "\t"}) or " #" in key:
                fail(index, "a key and a colon were expected (`key: value`)")
        if rest and rest[0] not in " \t":
            fail(index, "a blank is missing after the colon")
        return key, rest.strip(" \t")
