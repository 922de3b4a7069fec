"""Saving what a session learned: candidate lines, proposed together, written together (C39, C59, C59a)."""

from __future__ import annotations

from engram.errors import UsageError
from engram.proposals.candidates import parse_candidates
from engram.service.batches import Batch, Outcome, apply_batch, deferral, propose_batch
from engram.service.inbox import Deferred, deferred_writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.proposals.candidates import Candidate
    from engram.service.planning import Planned
    from engram.service.session import Session

__all__ = ["MOST_SESSIONS", "MOST_TEXT", "force_batch", "propose_session", "put_in_inbox"]

# Bytes of candidate lines; each memory has a limit of its own (F9).
MOST_TEXT = 2 * 1024 * 1024
MOST_SESSIONS = 1000


def propose_session(session: Session, text: str, *, scope: str = "", role: Sequence[str] = (), level: int = 0) -> Batch:
    """Work out what saving candidate lines would write (F19); nothing is written.

    Args:
        session: where one is.
        text: the candidates.
        scope: where they go, unless a candidate says so itself.
        role: roles of candidates that name none.
        level: how many past sessions they come from, for their origin; 0 for this one (C59a).

    Raises:
        UsageError: for lines that cannot be read, each quoted; no candidate, or too many.
        SafetyError: when a text holds what must not become memory.
    """
    if len(text.encode("utf-8", "replace")) > MOST_TEXT:
        raise UsageError(f"The candidates have more than {MOST_TEXT // 1024} KiB.", hint="Propose them in portions.")
    candidates = parse_candidates(text)
    if level:
        origin = "From the last session." if level == 1 else f"From the last {level} sessions."
        candidates = [
            one.replace(context=f"{one.context}\n\n{origin}" if one.context else origin) for one in candidates
        ]
    return propose_batch(session, candidates, scope=scope, role=role)


def force_batch(session: Session, batch: Batch) -> list[Outcome]:
    """Write a batch that nobody was asked about; only what a candidate itself names is changed (C39, C59a)."""
    numbers = [part.number for part in batch.parts]

    def defer(candidate: Candidate, planned: Planned) -> str:
        return deferral(candidate, planned, forced=True)

    return apply_batch(session, batch, numbers, way="force", defer=defer)


def put_in_inbox(session: Session, batch: Batch) -> list[Outcome]:
    """Keep every candidate for a human's review; no memory is written."""
    outcomes = []
    for scope in dict.fromkeys(planned.scope for part in batch.parts for planned in part.planned):
        root = session.root(scope)
        waiting = []
        for part in batch.parts:
            for planned in part.planned:
                if planned.scope == scope:
                    reason = deferral(part.candidate, planned) or "it was put there to be looked at"
                    waiting.append(Deferred(part.candidate, scope, reason, planned.verdict, "inbox"))
                    outcomes.append(Outcome(planned, done=False, reason=reason, number=part.number, deferred=True))
        with session.writer(root.path) as writer:
            if writes := deferred_writes(session, root, waiting, batch.day):
                writer.put(writes, "put candidates into the inbox")
    return outcomes
