"""Why a memory is out of service on a day: superseded, archived, expired, or not valid yet (F6, F17)."""

from __future__ import annotations

from engram.model import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from engram.model import Aged

    class Dated(Aged, Protocol):
        """What lifecycle and validity are read from: a memory, or what the index knows of it."""

        @property
        def valid_from(self) -> str: ...
        @property
        def valid_until(self) -> str: ...
        @property
        def last_confirmed(self) -> str: ...


__all__ = ["is_superseded", "out_of_service", "unreadable_days"]


def out_of_service(memory: Dated, day: str) -> str:
    """Return why a memory is not given for a task on ``day`` (``YYYY-MM-DD``), ``""`` when it is.

    A save writes its own day as the first one. Where the clock here is behind the one there, that day is still to come,
    and the memory holds all the same: only a first day after the last confirmation is meant to be waited for.
    """
    if memory.superseded_by:
        return f"superseded by {memory.superseded_by}"
    if gone := standing(memory):
        return gone
    if memory.valid_until and memory.valid_until < day:
        # It waits for a human to review it (I3).
        return f"expired {memory.valid_until}"
    if memory.valid_from > day and memory.valid_from > memory.last_confirmed:
        return f"valid from {memory.valid_from}"
    return ""


def is_superseded(memory: Dated) -> bool:
    """Tell whether another memory took the place of this one, for good (F17)."""
    return standing(memory) == "superseded"


def unreadable_days(memory: Dated) -> list[tuple[str, str]]:
    """Return the keys of validity whose value is no day, each with that value: compared as text it decides at random.

    A day is ``YYYY-MM-DD`` (F6); a time of day after it does no harm.
    """
    given = (("valid_from", memory.valid_from), ("valid_until", memory.valid_until))
    return [(key, text) for key, text in given if text and not _begins_with_a_day(text)]


def _begins_with_a_day(text: str) -> bool:
    day, rest = text[:10], text[10:]
    parts = day.split("-")
    if not text.isascii() or [len(part) for part in parts] != [4, 2, 2] or not all(part.isdigit() for part in parts):
        return False
    return rest[:1] in {"", "T", "t", " "} and 1 <= int(parts[1]) <= 12 and 1 <= int(parts[2]) <= 31
