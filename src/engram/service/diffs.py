"""The diff of one file that a human approves (C42)."""

from __future__ import annotations

from engram.safety.fence import show_inert
from engram.safety.scan import redact, scan

__all__ = ["file_diff"]


def file_diff(path: str, before: bytes, after: bytes) -> str:
    """Return a unified diff whose lines all begin with a mark, control and direction characters shown (C42)."""
    from difflib import unified_diff

    old, new = (data.decode("utf-8").split("\n") for data in (before, after))
    if not before:
        old = []
    if new and not new[-1]:
        new.pop()
    if old and not old[-1]:
        old.pop()
    start = f"a/{path}" if before else "/dev/null"
    lines = list(unified_diff(old, new, start, f"b/{path}", lineterm=""))
    # A line of the text that begins with two marks would read as the name of another file.
    body = (
        f"{line[0]}\\u{{{ord(line[1]):x}}}{line[2:]}" if line[:4] in {"+++ ", "--- "} else line for line in lines[2:]
    )
    shown = "".join(f"{line}\n" for line in (*lines[:2], *body))
    # What is to be written was checked; what stands in the file already may hold a secret, and an agent may read this.
    shown = redact(shown, [one for one in scan(shown) if one.group == "secret"]) if before else shown
    return "".join(f"{show_inert(line)}\n" for line in shown.split("\n")[:-1])
