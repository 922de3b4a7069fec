"""Making a working note durable: the save path of every memory, and then the note goes (C57)."""

from __future__ import annotations

from engram.errors import UsageError
from engram.markdown.passages import content_text
from engram.proposals.candidates import Candidate
from engram.record import Record
from engram.service.notebook import find_note
from engram.service.saving import Proposal, candidate_of, propose
from engram.store.files import digest, read_optional
from engram.store.write import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.reading import Entry
    from engram.service.session import Session

__all__ = ["Promotion", "propose_promotion", "remove_note", "take_away"]


class Promotion(Record):
    """A note, and the proposal that would make it a memory."""

    note: Entry
    proposal: Proposal


def propose_promotion(session: Session, text: str, *, kind: str = "", scope: str = "") -> Promotion:
    """Work out what making a note durable would write; nothing is written.

    A human sees and answers the proposal as any other. After ``apply`` has written it, and where nothing has to be
    written because a memory says the same, ``take_away`` ends the note.

    Args:
        session: where one is.
        text: the note's id, or ``note/<id>``; it may be expired.
        kind: what it becomes; what the note says by default.
        scope: where it goes; where the note is by default.

    Raises:
        NotFoundError: when there is no such note.
        FormatError: when it is none that may be shown.
        SafetyError: when what it says may not become a memory.
    """
    note = find_note(session, text, with_expired=True)
    memory = note.memory
    said = content_text(memory.content).strip()
    if not said:
        raise UsageError(f"{memory.id} says nothing.", hint="Write what is to be kept: engram save")
    aim = f" for: {note.objective}" if note.objective else ""
    # The text is the note's and no candidate line, whatever it looks like; only the word for the kind is looked up.
    wanted = candidate_of("x", kind or memory.type).type
    candidate = Candidate(
        type=wanted,
        text=said,
        title="" if memory.title == memory.id else memory.title,
        context=f"A working note of {memory.created}{aim}",
    )
    return Promotion(note, propose(session, candidate, scope=scope or memory.scope))


def take_away(session: Session, promotion: Promotion) -> bool:
    """Take the note away, now that a memory says it; False where it changed meanwhile, and stays.

    It goes after the memory is on the disk: a crash between the two leaves both, and promoting again finds the memory.

    Raises:
        StoreError: it stays.
    """
    return remove_note(session, promotion.note, "which is a memory now")


def remove_note(session: Session, note: Entry, why: str) -> bool:
    """Take a note away that a human needs no more; False where it changed since it was read, and stays.

    Raises:
        StoreError: it stays.
    """
    with session.writer(note.root.path) as writer:
        data = read_optional(f"{note.root.path}/{note.path}")
        if data is None or digest(data) != note.hash:
            return False
        writer.put([Write(note.path, note.hash, None)], f"take the note {note.memory.id} away, {why}")
    return True
