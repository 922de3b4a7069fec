"""Approvals that outlive a process: a proposal gets a token, a human approves, it is redeemed once (C38 to C48)."""

from __future__ import annotations

import os
import time

from engram.config.author import Author
from engram.errors import RefusedError, UsageError
from engram.proposals.pending import ASKED, FILE, LIFETIME_S, Book, Offered, Pending, Shown, hash_of, new_token
from engram.proposals.verdicts import Verdict, normalise
from engram.record import Record
from engram.service.approval_book import (
    end_with,
    found_in,
    has_ended,
    home_of,
    read_book,
    remember_end,
    replaced_book,
    secret_of,
)
from engram.service.batches import Batch, Outcome, Part, apply_batch, deferral, effect_of
from engram.service.planning import Planned
from engram.service.saving import revision_of
from engram.store.files import read_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.model import Scope
    from engram.proposals.candidates import Candidate
    from engram.service.session import Session
    from engram.store.root import MemoryRoot
    from engram.store.write import Receipt, RootWriter, Write

__all__ = [
    "Offer",
    "OpenApproval",
    "approvals_in",
    "decline",
    "decline_token",
    "declined_before",
    "hand_out",
    "offer",
    "open_approvals",
    "peek",
    "receipt_of",
    "redeem",
    "selection",
    "take",
    "withdraw",
]

_TOKEN_BYTES = 24  # 192 bits; C40 asks for 128


class Offer(Record):
    """An open approval as the one who proposed it gets it: the token is nowhere else."""

    token: str
    expires: int


class OpenApproval(Record):
    """One approval that waits for a human, or waited too long, and the root that keeps it."""

    root: MemoryRoot
    pending: Pending
    expired: bool

    @property
    def asked(self) -> bool:
        """Whether a dialog of a host asks for it."""
        return self.pending.asked


def selection(approve: object, count: int) -> list[int]:
    """Return the candidate numbers that ``approve`` selects (C27, C38).

    Args:
        approve: ``"all"``, ``"1,3"`` or a list of integers.
        count: how many candidates there are.

    Raises:
        UsageError: for anything else; the token stays usable.
    """
    if count == 1:
        wrong = 'approve is "all" or "1": there is one candidate.'
    else:
        wrong = f'approve is "all" or numbers from 1 to {count}, such as "1,{min(count, 3)}", each once.'
    if approve == "all":
        return list(range(1, count + 1))
    if isinstance(approve, str):
        parts = [part.strip() for part in approve.split(",")]
        if not all(part.isascii() and part.isdecimal() and len(part) < 6 for part in parts):
            raise UsageError(wrong)
        numbers = [int(part) for part in parts]
    elif isinstance(approve, list) and all(type(one) is int for one in approve):
        numbers = list(approve)
    else:
        raise UsageError(wrong)
    if not numbers or len(set(numbers)) != len(numbers) or not all(1 <= one <= count for one in numbers):
        raise UsageError(wrong)
    return numbers


def offer(
    session: Session, batch: Batch, *, kind: str = "proposal", extra: dict[str, str] | None = None, asked: bool = False
) -> Offer:
    """Open an approval for a batch as it was shown; an open one of the same candidates gives way to it (C40, C48).

    Args:
        session: where one is.
        batch: as it was shown.
        kind: ``proposal`` or ``note``.
        extra: what else the operation needs.
        asked: a dialog asks, so that nobody gets the token before ``hand_out``.

    Raises:
        StoreError: when it cannot be kept.
    """
    home = home_of(session)
    now = time.time()
    token = new_token(os.urandom(_TOKEN_BYTES), home.path)
    secret = secret_of(session)
    pending = Pending(
        hash=hash_of(token),
        kind=kind,
        workspace=home.path,
        proposal=_known_as(home, batch, kind),
        created=int(now),
        expires=int(now) + LIFETIME_S,
        day=batch.day,
        author_name=batch.author.name,
        author_email=batch.author.email,
        offered=tuple(
            Offered(part.candidate, tuple(_shown(part.candidate, planned) for planned in part.planned))
            for part in batch.parts
        ),
        extra={**(extra or {}), **({ASKED: "dialog"} if asked else {})},
    ).sealed(secret)
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        book.drop_changed(secret, now)
        book.add(pending, now)
        writer.put([replaced_book(book, old, now)], "open an approval")
    return Offer(token, pending.expires)


def hand_out(session: Session, token: str) -> None:
    """Note that the agent gets this token after all: its dialog brought no answer (C49).

    Raises:
        RefusedError: for a token that cannot be redeemed any more.
    """
    home = home_of(session)
    now = time.time()
    secret = secret_of(session)
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        pending = found_in(session, book, token, home, writer)
        extra = {name: value for name, value in pending.extra.items() if name != ASKED}
        book.pending = [one for one in book.pending if one.hash != pending.hash]
        book.pending.append(pending.replace(extra=extra).sealed(secret))
        writer.put([replaced_book(book, old, now)], "hand out an approval")


def redeem(session: Session, token: str, approve: object, *, way: str, scope: str = "") -> list[Outcome]:
    """Write what a human approved of an open approval; its token is good for this once (C38 to C44).

    Args:
        session: where one is.
        token: as ``offer`` gave it.
        approve: as ``selection`` takes it.
        way: how it was approved, for the changelog: ``token`` or ``dialog``. A dialog has no box for what would be
            deferred (C46), so that goes to the inbox, whatever became of its reason.
        scope: narrows a proposal for both scopes to one of them; a scope that was not shown is refused (C46).

    Returns:
        What became of each selected candidate in each scope, each judged against the memory as it is now (A1).

    Raises:
        RefusedError: for a token that cannot be redeemed; nothing was written.
        UsageError: for a selection that selects nothing; nothing was written, the token stays usable.
        StoreError: nothing was written.
    """
    home = home_of(session)
    now = time.time()
    secret = secret_of(session)
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        pending = found_in(session, book, token, home, writer)
        if pending.kind != "proposal":
            raise RefusedError("This token approves a note, not memories.", hint="Give it to the tool that made it.")
        numbers = selection(approve, len(pending.offered))
        batch, approved = _again(pending, scope)
        book.end([pending], "used", now)
        book.drop_changed(secret, now)
        ended = replaced_book(book, old, now)
        scopes = {planned.scope for part in batch.parts if part.number in numbers for planned in part.planned}
        outcomes = apply_batch(
            session,
            batch,
            numbers,
            way=way,
            approved=approved,
            waiting=_without_box(pending) if way == "dialog" else {},
            writer=writer,
            beside=end_with(writer, ended, home.scope in scopes),
        )
        remember_end(session, pending)
    left = [
        Outcome(
            _planned(offered, offered.shown[0]),
            done=False,
            reason=f"it was proposed for {offered.shown[0].scope} memory, and {scope} was chosen",
            number=number,
        )
        for number, offered in enumerate(pending.offered, 1)
        if number in numbers and not batch.parts[number - 1].planned
    ]
    return sorted([*outcomes, *left], key=lambda outcome: outcome.number)


def peek(session: Session, token: str) -> Pending:
    """Return the open approval of a token without redeeming it.

    Raises:
        RefusedError: for a token that cannot be redeemed (C44).
    """
    home = home_of(session)
    book, _ = read_book(home.path)
    return found_in(session, book, token, home)


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


def receipt_of(session: Session, scope: Scope, receipt: Receipt) -> dict[str, object]:
    """Return what is on disk after a write as plain data: file, revision, hash."""
    revision = revision_of(session.root(scope), receipt)
    return {"file": receipt.path, "revision": revision, "sha256": receipt.hash}


def take(session: Session, token: str, kind: str, use: Callable[[RootWriter, Pending, Write], None]) -> None:
    """Redeem an approval of another kind: ``use`` writes, with the entry's end in the same transaction.

    Raises:
        RefusedError: for a token that cannot be redeemed, or is of another kind.
    """
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        pending = found_in(session, book, token, home, writer)
        if pending.kind != kind:
            raise RefusedError(f"This token approves a {pending.kind}, not a {kind}.")
        book.end([pending], "used", now)
        use(writer, pending, replaced_book(book, old, now))
        remember_end(session, pending)


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
        known_as = _known_as(home, batch, kind)
        mine = [one for one in book.pending if one.proposal == known_as]
        book.end_all({known_as}, why, now)
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


def open_approvals(session: Session) -> list[OpenApproval]:
    """Return what waits for a human's approval, the expired too (A4); nothing that was not proposed on this machine.

    Raises:
        FormatError: when the file of a root cannot be read.
    """
    return [one for root in session.roots for one in approvals_in(session, root)[0]]


def approvals_in(session: Session, root: MemoryRoot) -> tuple[list[OpenApproval], int]:
    """Return what waits in one root, and how many entries count for nothing: changed, or not made on this machine here.

    Raises:
        FormatError: when the file cannot be read.
    """
    now = time.time()
    book, old = read_book(root.path)
    secret = "" if old is None else secret_of(session, make=False)
    whole = [one for one in book.pending if one.is_whole(secret) and one.workspace == root.path]
    found = [
        OpenApproval(root, one, one.is_over(now))
        for one in whole
        # Nobody was ever given the token of a dialog that brought no answer: it leaves nothing behind (C49).
        if not (one.asked and one.is_over(now)) and not has_ended(session, one)
    ]
    return found, len(book.pending) - len(whole)


def _shown(candidate: Candidate, planned: Planned) -> Shown:
    verdict = planned.verdict
    return Shown(planned.scope, verdict.word, verdict.id, planned.id, effect_of(planned), deferral(candidate, planned))


def _planned(offered: Offered, shown: Shown) -> Planned:
    """Return what was shown, as a plan without bytes: it is judged again before anything is written."""
    kind = offered.candidate.type or "knowledge"
    return Planned(shown.scope, Verdict(shown.verdict, shown.target), shown.id, kind, shown.id, (), "", "")


def _without_box(pending: Pending) -> dict[tuple[int, Scope], str]:
    """Return the reasons of what a dialog could not be asked about, by number and scope (C46)."""
    return {
        (number, shown.scope): shown.deferred
        for number, offered in enumerate(pending.offered, 1)
        for shown in offered.shown
        if shown.deferred
    }


def _again(pending: Pending, scope: str) -> tuple[Batch, dict[tuple[int, Scope], str]]:
    """Return the batch to be judged again while it is written, and what was shown of it by number and scope.

    Raises:
        UsageError: for a scope that was not shown.
    """
    shown = {
        (number, one.scope): one.effect
        for number, offered in enumerate(pending.offered, 1)
        for one in offered.shown
        if scope in {"", "both", one.scope}
    }
    if scope and not shown:
        raise UsageError(f"This was not proposed for {scope} memory.", hint="A scope can be narrowed, never widened.")
    parts = []
    for number, offered in enumerate(pending.offered, 1):
        planned = [_planned(offered, one) for one in offered.shown if (number, one.scope) in shown]
        parts.append(Part(number, offered.candidate, tuple(planned)))
    # The bytes that were shown name the author of then, whoever commits.
    author = Author(pending.author_name, pending.author_email, "account")
    return Batch(tuple(parts), author, (), pending.day), shown


def _known_as(home: MemoryRoot, batch: Batch, kind: str) -> str:
    """Return what a proposal is known by: workspace and candidates, whatever the memory looks like (C48)."""
    parts = [repr(sorted(part.candidate.replace(line=1).as_dict().items())) for part in batch.parts]
    return hash_of("\0".join([kind, home.path, *parts]))


def _prints(book: Book, batch: Batch) -> list[str]:
    return [book.fingerprint(part.candidate, normalise(part.candidate.text)) for part in batch.parts]
