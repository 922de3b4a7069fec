"""How much waits for a human here, for what is cheap to ask: ``status``, the overview, the start of a session (A4)."""

from __future__ import annotations

import os

from engram.record import Record
from engram.service.inbox import count_deferred
from engram.store.files import read_optional
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["WaitingCounts", "skipped_sentence", "waiting_counts", "waiting_sentence"]


class WaitingCounts(Record):
    """What waits in one root: open proposals, those whose half hour is over, deferred candidates.

    ``asked`` proposals stand in a dialog of a host, which waits for its answer: nobody is sent to ``engram review``
    for them (C49), though they can be read and decided there (C46).

    ``unreadable`` says that the file of the proposals cannot be read, so that nobody knows their number.
    """

    proposals: int = 0
    expired: int = 0
    deferred: int = 0
    unreadable: bool = False
    asked: int = 0


def waiting_counts(session: Session, root: MemoryRoot) -> WaitingCounts:
    """Return what waits in a root; where nothing does it costs two looks into the folder."""
    deferred = count_deferred(session, root)
    path = os.path.join(root.path, "pending-approvals.json")
    if not os.path.lexists(path):
        return WaitingCounts(deferred=deferred)
    import time

    from engram.proposals.pending import count_open

    try:
        data = read_optional(path)
        proposals, expired, asked = (0, 0, 0) if data is None else count_open(data, root.path, time.time())
    except (OSError, ValueError):
        return WaitingCounts(deferred=deferred, unreadable=True)
    return WaitingCounts(proposals, expired, deferred, asked=asked)


def waiting_sentence(counts: WaitingCounts) -> str:
    """Return what waits as one sentence with the command for it, ``""`` for nothing."""
    parts = []
    if counts.proposals:
        parts.append(f"{counted(counts.proposals, 'proposal')} wait{'s' if counts.proposals == 1 else ''}")
    if counts.deferred and counts.proposals:
        parts.append(f"{counts.deferred} deferred")
    elif counts.deferred:
        parts.append(f"{counted(counts.deferred, 'deferred candidate')} wait{'s' if counts.deferred == 1 else ''}")
    if counts.expired:
        parts.append(f"{counted(counts.expired, 'proposal')} expired")
    if counts.unreadable:
        parts.append("the file of open proposals cannot be read")
    return f"{', '.join(parts)}: engram review" if parts else ""


def skipped_sentence(number: int) -> str:
    """Return how many files are skipped."""
    return f"{counted(number, 'file')} {'is' if number == 1 else 'are'} skipped"
