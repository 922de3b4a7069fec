"""The value types of the safety room: one finding, and the answer of a check."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Action = Literal["block", "redact", "allow"]

__all__ = ["GROUPS", "Checked", "Finding"]

# F21: the groups that `safety.<group>` knows; a rule's id is its group, a slash and its kind.
GROUPS = ("secret", "personal", "instruction", "hidden")


class Finding(Record):
    """One place in a text that a rule objects to.

    ``start`` and ``end`` are offsets into the scanned text, in characters; ``line`` and ``column`` count from 1.
    ``message`` never holds the found text: of a long secret at most its provider's public mark.
    """

    rule: str
    group: str
    kind: str
    line: int
    column: int
    start: int
    end: int
    message: str


class Checked(Record):
    """What is left of a text after the configured actions (F21).

    ``text`` is the text with every finding of ``redacted`` replaced. A caller must not save it while ``blocked`` holds
    anything.
    """

    text: str
    findings: tuple[Finding, ...] = ()
    blocked: tuple[Finding, ...] = ()
    redacted: tuple[Finding, ...] = ()
