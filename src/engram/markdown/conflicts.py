r"""What Git leaves in a file that it could not merge (F9, J3 of the complaint kinds).

>>> find_conflict("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n")
2
"""

from __future__ import annotations

__all__ = ["CONFLICT_MARKS", "find_conflict"]

# At the beginning of a line; `|||||||` with the merge style that shows the base too.
CONFLICT_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_FENCES = ("```", "~~~")


def find_conflict(text: str) -> int:
    """Return the 1-based line at which a conflict begins, 0 where there is none.

    A conflict is all three marks in order, the first in no code fence: an example in a fence begins inside of it, and a
    fence that opens between the marks hides nothing.
    """
    if "<<<<<<< " not in text:
        return 0
    fence = ""
    opened = 0
    divided = False
    for number, full in enumerate(text.split("\n"), start=1):
        line = full.rstrip("\r")
        if not opened:
            if fence:
                if line.startswith(fence) and not line.strip(fence[0] + " \t"):
                    fence = ""
            elif line.startswith(_FENCES):
                fence = line[0] * (len(line) - len(line.lstrip(line[0])))
            elif line.startswith("<<<<<<< "):
                opened = number
        elif not divided:
            divided = line == "======="
        elif line.startswith(">>>>>>> "):
            return opened
    return 0
