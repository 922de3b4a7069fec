"""YAML structures that Engram does not read and keeps as they are, below keys that it does not know (F8).

>>> structure_end(["x_team:", "  name: b", "  lead: {a: b,", "c: d}", "id: x"], 0, "")
4
"""

from __future__ import annotations

from engram.markdown.conflicts import CONFLICT_MARKS
from engram.markdown.scalars import quoted_end
from engram.markdown.values import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["refuse_references", "structure_end"]


def structure_end(lines: list[str], index: int, rest: str) -> int:
    """Return the index after everything that stands below a key: by indentation and open brackets.

    Args:
        lines: the lines of the frontmatter.
        index: the line of the key.
        rest: what stands behind its colon.

    Raises:
        FormatError: for a tab as indentation, and a bracket that is never closed.
    """
    end = index + 1
    depth = _depth(rest)
    last = end
    while end < len(lines):
        line = lines[end]
        # A comment in the first column may stand in the middle of a structure, or above the next key.
        if line.strip(" \t") and line[0] != "#":
            text = line.lstrip(" ")
            if text[0] == "\t" and depth <= 0:
                fail(end, "a tab stands in the indentation")
            is_item = not rest and text[:2] in {"-", "- "}
            if line[0] != " " and not is_item and depth <= 0:
                break
            depth += _depth(line)
            last = end + 1
        end += 1
    if depth > 0:
        fail(index, "a bracket is never closed")
    return last


def refuse_references(lines: list[str], index: int, end: int, rest: str) -> None:
    """Raise a FormatError where an anchor, alias, tag, merge key or conflict marker stands before ``end`` (F9)."""
    block_indent = -1
    for at in range(index, end):
        line = rest if at == index else lines[at]
        text = line.strip(" \t")
        indent = 0 if at == index else len(line) - len(line.lstrip(" "))
        if not text or text[0] == "#":
            continue
        if block_indent >= 0 and indent > block_indent:
            continue  # a block of text, in which nothing means anything
        block_indent = -1
        if any(text.startswith(mark) for mark in CONFLICT_MARKS):
            fail(at, "a Git conflict marker stands in the frontmatter")
        if _has_reference(text):
            fail(at, "YAML anchors, aliases, tags and merge keys are not read")
        header = text.rpartition(" ")[2]
        if header[0] in "|>" and not header[1:].strip("+-123456789") and (": " in text or text[0] == "-"):
            block_indent = indent


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
