"""What a person answers about candidates in a review: a key, numbers of some of them, and a note or ids."""

from __future__ import annotations

from engram.cli.asking import numbers_in
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


def review_command_of(answer: str, draft: Draft, can: Sequence[int]) -> ReviewCommand:
    """Return the command that an answer is.

    Args:
        answer: as it was typed.
        draft: what is shown.
        can: the numbers of the candidates that can be accepted.

    Raises:
        UsageError: for what is no answer here; the message says what to type instead.
    """
    word, _, rest = answer.strip().partition(" ")
    key, rest = word.upper(), rest.strip()
    count = len(draft.candidates)
    if key in {"R", "S", "Q", "?"}:
        if rest:
            raise UsageError(f"{key} stands alone{'; it is for all of them' if count > 1 and key != '?' else ''}.")
        return ReviewCommand(key)
    if key not in {"A", "B", "E", *LINKS}:
        raise UsageError("That is no answer here; ? says what is.")
    numbers, text = _numbers(rest, count, blanks=key in {"A", "E"}) if count > 1 else ((1,), rest)
    if key in {"A", "B"}:
        return _acceptance(key, numbers or tuple(can), text, can, count)
    wanted = "" if key == "E" else " <id>"
    if len(numbers) != 1:
        raise UsageError(f"{key} takes the number of one of them: {key} 1{wanted}")
    if key == "E" and text:
        raise UsageError(f"E takes {'one number' if count > 1 else 'nothing'} behind it.")
    return ReviewCommand(key, numbers, text)


def _acceptance(key: str, chosen: tuple[int, ...], text: str, can: Sequence[int], count: int) -> ReviewCommand:
    """Return the command to accept some or all, with a note or without."""
    if not can:
        raise UsageError("There is nothing here that could be accepted; ? says what is an answer.")
    if beyond := sorted(set(chosen) - set(can)):
        raise UsageError(f"Candidate {beyond[0]} cannot be accepted as it stands.")
    if key == "B" and not text:
        raise UsageError("B takes a note: B <note>" + (", or B 1 <note>" if count > 1 else ""))
    if key == "A" and text:
        wanted = f"numbers from 1 to {count}: A 1,2" if count > 1 else "no note; B does: B <note>"
        raise UsageError(f"A takes {wanted}")
    return ReviewCommand(key, chosen, text)


def _numbers(text: str, count: int, *, blanks: bool) -> tuple[tuple[int, ...], str]:
    """Return the candidate numbers that a text begins with, and what follows.

    Raises:
        UsageError: for numbers that nothing has.
    """
    head, note = numbers_in(text, blanks=blanks)
    try:
        return tuple(selection(head, count)) if head else (), note
    except UsageError:
        raise UsageError(f"Numbers go from 1 to {count}, each once; {head} does not.") from None
