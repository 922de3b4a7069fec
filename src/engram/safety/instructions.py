"""Text that gives orders to the agent that reads it.

Knowledge and notes are reference: nothing in them may command. Rules and skills do instruct, and may not do four
things only: carry data out, switch safety off, run code from the network unseen, or speak as the model's system.

A sentence that forbids (``never send credentials to …``) is what a good rule looks like, so a prohibition directly
before a worded order takes it out. It does not excuse a literal command line: that would run whatever stands before it.
"""

from __future__ import annotations

from engram.safety.literal_orders import LITERAL
from engram.safety.orders import ADDRESSED, WORDED
from engram.safety.reference_orders import REFERENCE
from engram.safety.rule import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.safety.rule import Hit, Sheet

__all__ = ["addressed", "find"]

# Directly before an order, at most two words away: this sentence forbids it. "Never forget to …" forbids nothing.
_FORBIDS = (
    r"(?:\b(?:never|not|don't|doesn't|cannot|can't|nor|avoid|nobody may|no one may|refuse to|forbidden to"
    r"|nunca|jamás|no|prohibido|evita|evitar|không|đừng|chớ|cấm)"
    r"(?:[ ]{1,2}(?!hesitate|forget|fail|stop|skip|omit|dejes|olvides|dudes|quên|ngại)[\w']{1,20}){0,2}[ ]{1,2}"
    r"|(?:不要|不得|禁止|切勿|请勿|严禁|避免|勿|别|不能|不可|不應|不应|嚴禁|請勿|別)[^。\n]{0,3})$"
)


def find(sheet: Sheet, *, reference: bool) -> Iterator[Hit]:
    """Yield instruction-like places in the text of ``sheet``.

    Args:
        sheet: what a person or an agent wants to save.
        reference: whether the text is reference (knowledge, notes), in which nothing may command.
    """
    yield from LITERAL.hits(sheet)
    for table in (WORDED, REFERENCE) if reference else (WORDED,):
        for hit in table.hits(sheet):
            if not _forbidden(sheet.text, hit.start):
                yield hit


def addressed(sheet: Sheet) -> Iterator[Hit]:
    """Yield the places that speak to an agent by name: of interest only where no reader sees them."""
    return ADDRESSED.hits(sheet)


def _forbidden(text: str, start: int) -> bool:
    """Say whether the words directly before ``start``, in the same sentence, forbid what follows."""
    return bool(compiled(_FORBIDS, fold=True).search(text, max(0, start - 60), start))
