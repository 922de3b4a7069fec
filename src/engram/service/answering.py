"""What a human at a terminal decides about proposals and deferred candidates (A4, C39, C48, F20).

Whatever was judged when it was proposed, it is judged again against the memory as it is now; the human sees those bytes
and approves them, so an approval here never rests on what a file says was shown.
"""

from __future__ import annotations

import time

from engram.errors import RefusedError
from engram.proposals.verdicts import normalise
from engram.record import Record
from engram.service.approval_book import (
    end_with,
    has_ended,
    home_of,
    read_book,
    remember_end,
    replaced_book,
    secret_of,
)
from engram.service.batches import Batch, Outcome, apply_batch, checked_note, propose_batch
from engram.service.inbox import inbox_of, removal
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.proposals.candidates import Candidate
    from engram.service.approving import OpenApproval
    from engram.service.inbox import Waiting
    from engram.service.planning import Planned
    from engram.service.session import Session
    from engram.store.write import RootWriter, Write

__all__ = [
    "Draft",
    "accept_deferred",
    "accept_proposal",
    "candidates_of",
    "end_approval",
    "judged",
    "linked",
    "reject_deferred",
    "reject_proposal",
    "writable",
]

_WAY = "terminal"  # nobody else is asked, see the command


class Draft(Record):
    """Candidates as they are judged now; ``unfit`` says by number why one cannot be applied."""

    candidates: tuple[Candidate, ...]
    batch: Batch
    unfit: dict[int, str]


def candidates_of(subject: OpenApproval | Waiting) -> tuple[Candidate, ...]:
    """Return the candidates that wait, each with the scope in which it was judged."""
    from engram.service.approving import OpenApproval

    if not isinstance(subject, OpenApproval):
        return (subject.candidate.replace(scope=subject.scope),)
    found = []
    for offered in subject.pending.offered:
        scopes = [one.scope for one in offered.shown if one.scope in {"workspace", "global"}]
        scope = "both" if len(scopes) > 1 else scopes[0] if scopes else offered.candidate.scope
        found.append(offered.candidate.replace(scope=scope))
    return tuple(found)


def judged(session: Session, candidates: Sequence[Candidate]) -> Draft:
    """Judge candidates against the memory as it is now; one that cannot be applied is named, the others go on (A1).

    Raises:
        UsageError: for none, or too many of them.
    """
    unfit: dict[int, str] = {}
    batch = propose_batch(session, candidates, unfit=unfit)
    return Draft(tuple(candidates), batch, unfit)


def writable(draft: Draft) -> list[int]:
    """Return the numbers of the candidates that would write something."""
    return [part.number for part in draft.batch.parts if any(planned.writes for planned in part.planned)]


def linked(candidate: Candidate, field: str, ids: Sequence[str]) -> Candidate:
    """Return a candidate that updates, supersedes or depends on other memories (C39).

    To one memory it has one of the three: the last answer counts, so that no memory comes to depend on itself.

    Args:
        candidate: as it is.
        field: ``update``, ``supersedes`` or ``depends_on``.
        ids: of memories; one for the first two.

    Raises:
        UsageError: for what is no id.
    """
    for memory_id in ids:
        check_id(memory_id)
    if field == "depends_on":
        update, supersedes = ("" if _named(one, ids) else one for one in (candidate.update, candidate.supersedes))
        depends_on = tuple(dict.fromkeys((*candidate.depends_on, *ids)))
        return candidate.replace(depends_on=depends_on, update=update, supersedes=supersedes)
    depends_on = tuple(one for one in candidate.depends_on if not _named(one, ids))
    return candidate.replace(update="", supersedes="", depends_on=depends_on).replace(**{field: ids[0]})


def _named(memory_id: str, ids: Sequence[str]) -> bool:
    """Return whether one of ``ids`` names the same memory; without a scope an id may be of either (F12)."""
    if not memory_id:
        return False
    scope, name = check_id(memory_id)
    named = [check_id(one) for one in ids]
    return any(fold_id(other) == fold_id(name) and ("" in {scope, where} or scope == where) for where, other in named)


def accept_proposal(
    session: Session, approval: OpenApproval, draft: Draft, numbers: Sequence[int], note: str = ""
) -> list[Outcome]:
    """Write what a human approved of an open proposal; its token ends with that (C40).

    Args:
        session: where one is.
        approval: as it was listed.
        draft: as it was shown.
        numbers: of the candidates that were approved; each writes something.
        note: a human's note for each of them.

    Returns:
        What became of each. What changed since it was shown waits in the inbox, with the reason (A1).

    Raises:
        RefusedError: when the proposal is no longer open; nothing was written.
        SafetyError: when the note holds what must not become memory; nothing was written.
        StoreError: nothing was written.
    """
    note = checked_note(session, note, "knowledge")
    batch = _only_writing(draft.batch)
    scopes = {planned.scope for part in batch.parts if part.number in numbers for planned in part.planned}
    with session.writer(approval.root.path) as writer:
        ended = end_approval(session, writer, approval, "used")
        outcomes = apply_batch(
            session,
            batch,
            numbers,
            way=_WAY,
            note=note,
            defer=_nothing_deferred,
            writer=writer,
            beside=end_with(writer, ended, approval.root.scope in scopes),
        )
        remember_end(session, approval.pending)
    return outcomes


def reject_proposal(session: Session, approval: OpenApproval) -> None:
    """Revoke a proposal and every open one of the same candidates, and remember that they were rejected (C48).

    Raises:
        RefusedError: when it is no longer open.
        StoreError: nothing was written.
    """
    with session.writer(approval.root.path) as writer:
        writer.put([end_approval(session, writer, approval, "declined")], "reject a proposal")
        remember_end(session, approval.pending)


def end_approval(session: Session, writer: RootWriter, approval: OpenApproval, why: str) -> Write:
    """Return the change that ends an approval as ``used`` or ``declined``; it has to be open still, as it was listed.

    Raises:
        RefusedError: when it is not.
    """
    now = time.time()
    book, old = read_book(writer.root)
    wanted = approval.pending
    if wanted not in book.pending or has_ended(session, wanted):
        raise RefusedError(
            "This proposal is no longer open: it was approved, declined or proposed again meanwhile.",
            hint="Nothing was written. engram review shows what waits now.",
        )
    if why == "declined":
        book.end_all({wanted.proposal}, why, now)
        texts = [offered.candidate for offered in wanted.offered]
        book.decline([book.fingerprint(one, normalise(one.text)) for one in texts], now)
    else:
        book.end([wanted], why, now)
    book.drop_changed(secret_of(session), now)
    return replaced_book(book, old, now)


def accept_deferred(session: Session, waiting: Waiting, draft: Draft, note: str = "") -> list[Outcome]:
    """Write a candidate that waited in the inbox, as it was shown just now, and take it out of the inbox.

    The memory comes first: a candidate that is still there afterwards is a duplicate, which the next review shows.

    Raises:
        SafetyError: when the note holds what must not become memory; nothing was written.
        StoreError: nothing was written.
    """
    note = checked_note(session, note, "knowledge")
    batch = _only_writing(draft.batch)
    outcomes = apply_batch(session, batch, [1], way=_WAY, note=note, defer=_nothing_deferred, keep=False)
    if any(outcome.done for outcome in outcomes):
        _take_out(session, waiting)
    return outcomes


def reject_deferred(session: Session, waiting: Waiting) -> None:
    """Take a candidate out of the inbox, and remember for 30 days that it was rejected (C48).

    Raises:
        StoreError: when it changed since it was shown, or the folder cannot be written; it stays then.
    """
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        candidate = waiting.candidate
        book.decline([book.fingerprint(candidate, normalise(candidate.text))], now)
        writer.put([replaced_book(book, old, now)], "reject a candidate")
    _take_out(session, waiting)


def _take_out(session: Session, waiting: Waiting) -> None:
    root = next(root for root in session.roots if root.scope == waiting.scope)
    with session.writer(inbox_of(session, root)) as writer:
        writer.put([removal(waiting)], "take a candidate out of the inbox")


def _only_writing(batch: Batch) -> Batch:
    """Return a batch without what would write nothing: a duplicate in one of two scopes."""
    parts = []
    for part in batch.parts:
        planned = tuple(one for one in part.planned if one.writes)
        if planned:
            parts.append(part.replace(planned=planned))
    return batch.replace(parts=tuple(parts))


def _nothing_deferred(_candidate: Candidate, _planned: Planned) -> str:
    """What a human saw at a terminal and accepted is not deferred for being related (C39)."""
    return ""
