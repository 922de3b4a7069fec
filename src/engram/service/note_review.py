"""What a human at a terminal decides about working notes: those that were proposed, and those that ended (C56, C58)."""

from __future__ import annotations

from engram.markdown.passages import content_text
from engram.service.answering import end_approval
from engram.service.approval_book import remember_end
from engram.service.noting import NotePlan, NoteReceipt, propose_note, write_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.approving import OpenApproval
    from engram.service.reading import Entry
    from engram.service.session import Session

__all__ = ["accept_note", "proposed_note", "renewed_note"]

_WAY = "terminal"  # nobody else is asked, see the command


def proposed_note(session: Session, approval: OpenApproval) -> NotePlan:
    """Return what a proposed note would write now.

    Raises:
        UsageError, SafetyError, NotFoundError: as ``propose_note``.
    """
    offered = approval.pending.offered[0]
    scope = offered.shown[0].scope if offered.shown else ""
    objective = approval.pending.extra.get("objective", "")
    return propose_note(session, offered.candidate.text, objective=objective, kind=offered.candidate.type, scope=scope)


def accept_note(session: Session, approval: OpenApproval, plan: NotePlan) -> NoteReceipt:
    """End the approval, and write the note as it was shown just now.

    Raises:
        RefusedError: when the approval is no longer open; nothing was written.
        IntegrityError: when the note's place was taken meanwhile; it has to be proposed again.
        StoreError: nothing was written.
    """
    with session.writer(approval.root.path) as writer:
        writer.put([end_approval(session, writer, approval, "used")], "redeem an approval")
        remember_end(session, approval.pending)
    return write_note(session, plan, _WAY)


def renewed_note(session: Session, note: Entry) -> NotePlan:
    """Return what keeping a note that ended for as long again would write.

    Raises:
        UsageError, SafetyError: as ``propose_note``.
    """
    memory = note.memory
    return propose_note(
        session, content_text(memory.content), objective=note.objective, kind=memory.type, scope=memory.scope
    )
