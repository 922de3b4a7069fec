"""Saving: from a candidate to the exact bytes that a human approves, and from the approval to the disk (C38 to C42)."""

from __future__ import annotations

import os

from engram.errors import IntegrityError, UsageError
from engram.model import KINDS, MAX_BYTES
from engram.proposals.candidates import Candidate, looks_like_candidates, parse_candidates
from engram.record import Record
from engram.service.batches import Batch, Outcome, Part, apply_batch, checked_note, propose_batch
from engram.service.planning import Planned
from engram.store.root import Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.config.author import Author
    from engram.model import Kind
    from engram.service.session import Session
    from engram.store.root import MemoryRoot
    from engram.store.write import Receipt

__all__ = [
    "Outcome",
    "Planned",
    "Proposal",
    "apply",
    "candidate_of",
    "propose",
    "receipt_text",
    "receipts_as_data",
    "revision_of",
]

_KIND_WORDS: dict[str, Kind] = {**{kind: kind for kind in KINDS}, "workflow": "skill"}


class Proposal(Record):
    """A candidate with what it would do in each scope, and what was redacted on the way."""

    candidate: Candidate
    planned: tuple[Planned, ...]
    author: Author
    redacted: tuple[str, ...] = ()
    day: str = ""


def candidate_of(text: str, kind: str = "") -> Candidate:
    """Return the candidate that a text stands for: plain words, or one candidate line (F19).

    Args:
        text: as typed.
        kind: ``rule``, ``skill``, ``workflow`` (a skill) or ``knowledge``, as said beside the text; may be empty.

    Raises:
        UsageError: for an empty, unreadable or too long text, several candidates, or a kind that is none or contradicts
            the text.
    """
    wanted = _KIND_WORDS.get(kind.lower())
    if kind and wanted is None:
        raise UsageError(
            f"{kind} is no kind of memory; kinds are {', '.join(KINDS)}.", hint="Put a text of several words in quotes."
        )
    if len(text) > MAX_BYTES:  # before anything looks into it: the whole of a file dump takes many seconds
        raise UsageError(
            f"Nothing was saved: the text has {len(text):,} characters, and a memory holds at most "
            f"{MAX_BYTES:,} bytes (256 KiB).",
            hint="Save what has to be remembered of it, in a few sentences.",
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("The text is not valid Unicode.", hint="Check the encoding of your terminal or script.")
    if "\0" in text:
        raise UsageError("The text holds a NUL character.", hint="Take it out; a memory is text.")
    if not text.strip():
        raise UsageError("There is no text to save.", hint='engram save rule "what to remember"')
    if not looks_like_candidates(text):
        return Candidate(type=wanted or "", text=text.strip())
    found = parse_candidates(text)
    if len(found) != 1:
        raise UsageError(
            f"One memory is saved at a time, and the text holds {len(found)}.",
            hint="Run engram save once for each of its lines.",
        )
    candidate = found[0]
    if wanted and candidate.type not in {"", wanted}:
        raise UsageError(f"The text says TYPE: {candidate.type}, the command {kind}.", hint="Leave one of them out.")
    return candidate.replace(type=wanted or candidate.type)


def propose(session: Session, candidate: Candidate, *, scope: str = "") -> Proposal:
    """Work out what saving a candidate would write, without writing anything.

    Args:
        session: where one is.
        candidate: what to save (F19).
        scope: ``workspace``, ``global`` or ``both``; the candidate's own or the configured one by default.

    Raises:
        SafetyError: when the text holds what must not become memory; nothing of it is shown.
        NotFoundError: where the scope has no memory, or an UPDATE names an id that is not there.
    """
    batch = propose_batch(session, [candidate], scope=scope)
    part = batch.parts[0]
    return Proposal(part.candidate, part.planned, batch.author, batch.redacted, batch.day)


def apply(session: Session, proposal: Proposal, *, way: str, note: str = "") -> list[Outcome]:
    """Write what a human approved, if it still is what was shown (C42). It was shown, so being related defers nothing.

    Args:
        session: where one is.
        proposal: as shown.
        way: how it was approved, for the changelog (C59a): ``terminal`` or ``pipe``.
        note: a human's note, kept in the memory under ``## Human Note``.

    Returns:
        What became of each scope. Once something was written, what fails in another scope is an outcome too.

    Raises:
        SafetyError: when the note holds what must not become memory.
        IntegrityError: when memory changed since the proposal was shown; nothing was written.
        StoreError: nothing was written.
    """
    note = checked_note(session, note, proposal.candidate.type or "knowledge")
    to_write = tuple(planned for planned in proposal.planned if planned.writes)
    batch = Batch((Part(1, proposal.candidate, to_write),), proposal.author, (), proposal.day)
    outcomes = apply_batch(session, batch, [1], way=way, note=note, defer=lambda _candidate, _planned: "", keep=False)
    changed = IntegrityError.exit_code
    outcomes = [one if one.done or one.code else one.replace(code=changed) for one in outcomes]
    late = next((outcome for outcome in outcomes if outcome.code == changed), None)
    if late is not None and not any(outcome.done for outcome in outcomes):
        raise IntegrityError(
            f"Nothing was saved in {late.planned.scope} memory: {late.reason}.",
            hint="Run the command again to see the memory as it is now.",
        )
    at_once = [Outcome(one, done=False, reason=one.verdict.reason) for one in proposal.planned if not one.writes]
    order = [planned.scope for planned in proposal.planned]
    return sorted([*outcomes, *at_once], key=lambda outcome: order.index(outcome.planned.scope))


def receipts_as_data(root: MemoryRoot, receipts: Sequence[Receipt]) -> list[dict[str, object]]:
    """Return receipts as plain data, with the full path of each file and its revision, 0 where it holds no memory."""
    return [
        {
            "file": os.path.join(root.path, *receipt.path.split("/")),
            "revision": revision_of(root, receipt),
            "sha256": receipt.hash,
            "bytes": receipt.size,
        }
        for receipt in receipts
    ]


def receipt_text(root: MemoryRoot, receipt: Receipt) -> str:
    """Return a memory that was written in words: file, revision, size and hash, from the bytes on disk."""
    revision = revision_of(root, receipt)
    return f"{root.path}/{receipt.path} (revision {revision}, {receipt.size} bytes, sha256 {receipt.hash[:12]}…)"


def revision_of(root: MemoryRoot, receipt: Receipt) -> int:
    """Return the revision of the memory that is on the disk after a write; 0 where the file is gone or holds none."""
    stored = root.read(receipt.path)
    return stored.memory.revision if isinstance(stored, Stored) else 0
