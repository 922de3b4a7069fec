"""A working note on its way through a token or a dialog: offered, then written once as it was shown (C54 to C56)."""

from __future__ import annotations

from engram.errors import IntegrityError
from engram.proposals.candidates import Candidate
from engram.proposals.verdicts import Verdict
from engram.service.approving import offer, take
from engram.service.batches import Batch, Part, effect_of
from engram.service.declining import decline
from engram.service.noting import NotePlan, NoteReceipt, check_place, propose_note, receipt_for, write_note
from engram.service.planning import Planned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.proposals.pending import Pending
    from engram.service.approving import Offer
    from engram.service.session import Session
    from engram.store.write import RootWriter, Write

__all__ = ["decline_note", "note_batch", "offer_note", "redeem_note"]

_KIND = "note"


def note_batch(session: Session, plan: NotePlan) -> Batch:
    """Return a note as the one candidate of a batch, which is how approvals are kept."""
    from engram.service.author import author_of

    planned = Planned(plan.scope, Verdict("ADD"), plan.id, plan.type, plan.title, (plan.write,), plan.preview, "")
    part = Part(1, Candidate(type=plan.type, text=plan.text), (planned,))
    return Batch((part,), author_of(session), plan.redacted, plan.day)


def offer_note(session: Session, plan: NotePlan, *, asked: bool = False) -> Offer:
    """Open an approval for a note; ``asked`` as for ``approving.offer``."""
    extra = {"objective": plan.objective}
    return offer(session, note_batch(session, plan), kind=_KIND, extra=extra, asked=asked)


def decline_note(session: Session, plan: NotePlan, *, why: str = "declined") -> None:
    """Revoke every open approval of this note (C56)."""
    decline(session, note_batch(session, plan), kind=_KIND, why=why)


def redeem_note(session: Session, token: str, *, way: str) -> NoteReceipt:
    """Write the note of an approval, once, as it was shown.

    Raises:
        RefusedError: for a token that cannot be redeemed, or that is of memories.
        IntegrityError: when another note would be written than was shown; the token stays usable until it expires.
        StoreError: nothing was written.
    """
    done: list[NotePlan] = []

    def write(writer: RootWriter, pending: Pending, ended: Write) -> None:
        offered = pending.offered[0]
        shown = offered.shown[0]
        plan = propose_note(
            session,
            offered.candidate.text,
            objective=pending.extra.get("objective", ""),
            kind=offered.candidate.type,
            scope=shown.scope,
            day=pending.day,
        )
        if effect_of(note_batch(session, plan).parts[0].planned[0]) != shown.effect:
            raise IntegrityError(
                f"Nothing was noted: {shown.id} changed after it was shown.", hint="Propose the note again."
            )
        if plan.root == writer.root and plan.changes:
            check_place(plan)
            writer.put([plan.write, ended], f"keep the note {plan.id}")
        else:
            # Another root has a lock and a journal of its own: here the token is gone before anything is written.
            writer.put([ended], "redeem an approval")
        done.append(plan)

    take(session, token, _KIND, write)
    plan = done[0]
    if plan.root == session.require_roots()[0].path:
        return receipt_for(plan, way)
    return write_note(session, plan, way)
