"""A human's no: approvals that end without being redeemed, and the texts that were declined (C44, C48)."""

from __future__ import annotations

import os
import time

from engram.proposals.pending import FILE, Book, hash_of
from engram.proposals.verdicts import normalise
from engram.service.approval_book import home_of, known_as, read_book, remember_end, replaced_book
from engram.store.files import read_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.batches import Batch
    from engram.service.session import Session

__all__ = ["decline", "decline_token", "declined_before", "withdraw"]


def withdraw(session: Session, token: str) -> None:
    """End an open approval that nobody can give any more; nobody declined it."""
    _end(session, token, "revoked")


def decline_token(session: Session, token: str, *, why: str = "declined") -> None:
    """Revoke an approval that a human declined at the last moment, by its token (C43a)."""
    _end(session, token, why)


def _end(session: Session, token: str, why: str) -> None:
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        mine = [one for one in book.pending if one.hash == hash_of(token)]
        if why == "revoked":
            book.end(mine, why, now)
        else:
            book.end_all({one.proposal for one in mine}, why, now)
        if why == "declined":
            candidates = [offered.candidate for one in mine for offered in one.offered]
            book.decline([book.fingerprint(one, normalise(one.text)) for one in candidates], now)
        writer.put([replaced_book(book, old, now)], "end an approval")
        for one in mine:
            remember_end(session, one)


def decline(session: Session, batch: Batch, *, kind: str = "proposal", why: str = "declined") -> None:
    """Revoke every open approval of the same candidates, and remember for 30 days that they were declined (C48).

    Args:
        session: where one is.
        batch: as it was shown.
        kind: as ``offer`` got it.
        why: ``invalid`` for an answer that nobody can give; then nobody said no, and nothing is remembered.
    """
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        proposal = known_as(home, batch, kind)
        mine = [one for one in book.pending if one.proposal == proposal]
        book.end_all({proposal}, why, now)
        if why == "declined":
            book.decline(_prints(book, batch), now)
        writer.put([replaced_book(book, old, now)], "decline a proposal")
        for one in mine:
            remember_end(session, one)


def declined_before(session: Session, batch: Batch) -> str:
    """Return the day on which one of these texts was declined, once: the next call for them gives ``""`` (C48)."""
    home = home_of(session)
    if read_optional(os.path.join(home.path, FILE)) is None:
        return ""
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        at = book.declined_since(_prints(book, batch), now)
        if not at:
            return ""
        writer.put([replaced_book(book, old, now)], "say that it was declined")
    return time.strftime("%Y-%m-%d", time.localtime(at))


def _prints(book: Book, batch: Batch) -> list[str]:
    return [book.fingerprint(part.candidate, normalise(part.candidate.text)) for part in batch.parts]
