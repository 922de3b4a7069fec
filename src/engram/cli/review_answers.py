"""What a person answers about candidates in a review: a key, numbers of some of them, and a note or ids."""

from __future__ import annotations

from engram.errors import UsageError
from engram.record import Record
from engram.service.approving import selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.service.answering import Draft

__all__ = ["LINKS", "MORE", "ReviewCommand", "review_command_of"]

LINKS = {"U": "update", "P": "supersedes", "D": "depends_on"}
MORE = """\
  A             accept what is shown
  A 1,3         accept some of several candidates
  B <note>      accept, with a note of yours that the memory keeps
  U <id>        add it to that memory instead (UPDATE); of several U 2 <id>
  P <id>        put it in the place of that memory (SUPERSEDES)
  D <id>        it depends on that memory (DEPENDS_ON)
  E             edit it and see it again, before anything is written; or E 2
  R             reject it; who proposes it again within 30 days is told so first
  S             skip it, Q quit: it stays as it is"""


class ReviewCommand(Record):
    """An answer: its key, the candidate numbers in it, and the words that follow."""

    key: str
    numbers: tuple[int, ...] = ()
    rest: str = ""


def review_command_of(answer: str, draft: Draft, can: Sequence[int]) -> ReviewCommand | None:
    """Return the command that an answer is, None where it is none here."""
    word, _, rest = answer.strip().partition(" ")
    key, rest = word.upper(), rest.strip()
    count = len(draft.candidates)
    if key in {"R", "S", "Q", "?"}:
        return None if rest else ReviewCommand(key)
    numbers, text = _numbers(rest, count) if count > 1 else ((1,), rest)
    if numbers is None:
        return None
    if key in {"A", "B"} and can:
        if bool(text) != (key == "B"):
            return None
        chosen = numbers or tuple(can)
        return ReviewCommand(key, chosen, text) if set(chosen) <= set(can) else None
    if (key == "E" and not text) or key in LINKS:
        return ReviewCommand(key, numbers, text) if len(numbers) == 1 else None
    return None


def _numbers(text: str, count: int) -> tuple[tuple[int, ...] | None, str]:
    """Return the candidate numbers that a text begins with, and what follows; None for numbers that nothing has."""
    end = 0
    while end < len(text) and text[end] in "0123456789, ":
        end += 1
    head = text[:end].replace(" ", "").strip(",")
    try:
        return tuple(selection(head, count)) if head else (), text[end:].strip()
    except UsageError:
        return None, text
