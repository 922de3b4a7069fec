"""Memories past their date: confirmed by a human, or archived (I3)."""

from __future__ import annotations

from engram.errors import RefusedError
from engram.markdown.document import parse_document
from engram.markdown.writing import update_document
from engram.model import standing
from engram.record import Record
from engram.service.diffs import file_diff
from engram.store.files import digest, read_guarded, today
from engram.store.write import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.model import Memory
    from engram.service.reading import Entry
    from engram.service.session import Session
    from engram.store.write import Receipt

__all__ = ["Confirmation", "confirm", "confirmation", "why_due"]


class Confirmation(Record):
    """What saying "it still holds" would write, and the diff of it that a human sees."""

    entry: Entry
    write: Write
    preview: str


def why_due(memory: Memory, day: str) -> str:
    """Return why a human has to look at a memory on ``day`` (``YYYY-MM-DD``), ``""`` for none.

    What was superseded or archived is out of service for good, whatever its dates say.
    """
    if standing(memory):
        return ""
    if memory.valid_until and memory.valid_until < day:
        return f"valid until {memory.valid_until}, so it is no longer given to agents"
    if memory.review_after and memory.review_after < day:
        return f"to be reviewed after {memory.review_after}"
    if memory.lifecycle == "review_due":
        return "it is marked for a review"
    return ""


def confirmation(entry: Entry) -> Confirmation:
    """Return what confirming a memory today would write: its dates that are over go, and ``last_confirmed`` is today.

    Raises:
        RefusedError: when the file changed since it was listed.
    """
    day = today()
    memory = entry.memory
    changes: dict[str, object] = {"updated": day, "last_confirmed": day, "revision": memory.revision + 1}
    if memory.valid_until and memory.valid_until < day:
        changes["valid_until"] = ""
    if memory.review_after and memory.review_after < day:
        changes["review_after"] = ""
    if memory.lifecycle == "review_due":
        changes["lifecycle"] = "active"
    before = read_guarded(entry.root.path, entry.path)
    if digest(before) != entry.hash:
        raise RefusedError(f"{entry.path} changed since it was listed.", hint="Run engram review again.")
    after = update_document(parse_document(before, entry.path), changes).to_bytes()
    return Confirmation(entry, Write(entry.path, entry.hash, after), file_diff(entry.path, before, after))


def confirm(session: Session, confirmed: Confirmation) -> list[Receipt]:
    """Write a confirmation that a human at a terminal gave.

    Raises:
        StoreError: when the file changed since it was shown, or the folder cannot be written; nothing was written.
    """
    memory = confirmed.entry.memory
    with session.writer(confirmed.entry.root.path) as writer:
        return writer.apply([confirmed.write], f"confirm {memory.type}: {memory.id}", "terminal")
