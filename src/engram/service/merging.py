"""What an UPDATE makes of a memory's text: nothing of the old is lost."""

from __future__ import annotations

from engram.markdown.passages import content_text
from engram.proposals.verdicts import normalise

__all__ = ["appended", "merged_content"]


def merged_content(old: str, new: str) -> str:
    """Return ``old`` with ``new`` taken in; no line of either is lost.

    A bullet, or a content of one paragraph, that the new text repeats and goes on from gives way to it; otherwise the
    new text becomes a bullet of its own.
    """
    fresh = normalise(new)
    if _goes_on(fresh, normalise(old)) and not old.lstrip().startswith(("- ", "* ")):
        return new.strip()
    lines = old.split("\n")
    for number, line in enumerate(lines):
        known = normalise(content_text(line.strip()))
        if line.lstrip().startswith("- ") and not _is_continued(lines, number) and _goes_on(fresh, known):
            indent = line[: len(line) - len(line.lstrip())]
            lines[number] = indent + _bullet(new).replace("\n", "\n" + indent)
            return "\n".join(lines)
    if fresh == normalise(old) or any(fresh == normalise(content_text(line.strip())) for line in lines):
        return old
    gap = "" if lines[-1].lstrip().startswith(("- ", "  ")) else "\n"
    return f"{old}\n{gap}{_bullet(new)}" if old.strip() else new


def _goes_on(text: str, known: str) -> bool:
    """Say whether a text begins with a whole known one: "Use X" does not begin "Use Xylo"."""
    return bool(known) and text.startswith(known) and not text[len(known) : len(known) + 1].isalnum()


def _is_continued(lines: list[str], number: int) -> bool:
    """Say whether a bullet goes on in the next line, so that its first line is not all that it says."""
    after = lines[number + 1] if number + 1 < len(lines) else ""
    return after.startswith("  ") and not after.lstrip().startswith(("- ", "* "))


def _bullet(text: str) -> str:
    return "- " + text.strip().replace("\n", "\n  ")


def appended(old: str, new: str) -> str:
    """Return ``new`` as a paragraph after ``old``."""
    return f"{old}\n\n{new}" if old.strip() else new
