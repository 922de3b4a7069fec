"""What an UPDATE makes of a memory's text: nothing of the old is lost."""

from __future__ import annotations

from engram.markdown.passages import content_text
from engram.proposals.verdicts import normalise

__all__ = ["appended", "merged_content"]


def merged_content(old: str, new: str) -> str:
    """Return ``old`` with ``new`` taken in; no line of either is lost.

    A bullet that the new text repeats and extends gives way to it; otherwise the new text becomes a bullet of its own.
    """
    fresh = normalise(new)
    lines = old.split("\n")
    for number, line in enumerate(lines):
        known = normalise(content_text(line.strip()))
        if known and known in fresh and line.lstrip().startswith("- "):
            indent = line[: len(line) - len(line.lstrip())]
            lines[number] = indent + _bullet(new).replace("\n", "\n" + indent)
            return "\n".join(lines)
    if fresh in normalise(old):
        return old
    gap = "" if lines[-1].lstrip().startswith(("- ", "  ")) else "\n"
    return f"{old}\n{gap}{_bullet(new)}" if old.strip() else new


def _bullet(text: str) -> str:
    return "- " + text.strip().replace("\n", "\n  ")


def appended(old: str, new: str) -> str:
    """Return ``new`` as a paragraph after ``old``."""
    return f"{old}\n\n{new}" if old.strip() else new
