"""One finding of ``engram doctor``."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Level = Literal["info", "warning", "error"]

__all__ = ["Finding"]


class Finding(Record):
    """Something to look at.

    Attributes:
        id: stable, its group first: ``host.unlinked``.
        level: ``error`` is what does not work, ``warning`` what may do harm or is half done, ``info`` the rest.
        message: one sentence.
        command: a command line to paste that mends it, or that opens what has to be mended by hand.
        file: that it is about; may be empty.
        fixable: ``engram doctor --fix`` mends it.
        advice: what a person has to know or to do beside the command; may be empty.
    """

    id: str
    level: Level
    message: str
    command: str = ""
    file: str = ""
    fixable: bool = False
    advice: str = ""
