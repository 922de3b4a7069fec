"""Saving: from a candidate to the exact bytes that a human approves, and from the approval to the disk (C38 to C42)."""

from __future__ import annotations

import os

from engram.errors import EngramError, IntegrityError, StoreError, UsageError
from engram.model import KINDS
from engram.proposals.ageing import ageing
from engram.proposals.candidates import Candidate, looks_like_candidates, parse_candidates
from engram.record import Record
from engram.safety.scan import check, refusal
from engram.service.author import author_of
from engram.service.planning import Planned, plan
from engram.store.files import digest, today

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.config.author import Author
    from engram.model import Kind
    from engram.proposals.ageing import Ageing
    from engram.service.session import Session
    from engram.store.write import Receipt

__all__ = ["Outcome", "Planned", "Proposal", "apply", "candidate_of", "propose", "receipts_as_data"]

_KIND_WORDS: dict[str, Kind] = {**{kind: kind for kind in KINDS}, "workflow": "skill"}


class Proposal(Record):
    """A candidate with what it would do in each scope, and what was redacted on the way.

    ``ageing`` are words of it that mean another day later, with the date that they mean today (F20).
    """

    candidate: Candidate
    planned: tuple[Planned, ...]
    author: Author
    redacted: tuple[str, ...] = ()
    ageing: tuple[Ageing, ...] = ()


class Outcome(Record):
    """What became of one planned change: done with receipts, or not, with the reason.

    ``code`` is the exit code of the error that kept it from being done; 0 for a NOOP.
    """

    planned: Planned
    done: bool
    reason: str
    receipts: tuple[Receipt, ...] = ()
    code: int = 0


def candidate_of(text: str, kind: str = "") -> Candidate:
    """Return the candidate that a text stands for: plain words, or one candidate line (F19).

    Args:
        text: as typed.
        kind: ``rule``, ``skill``, ``workflow`` (a skill) or ``knowledge``, as said beside the text; may be empty.

    Raises:
        UsageError: for an empty or unreadable text, several candidates, or a kind that is none or contradicts the text.
    """
    wanted = _KIND_WORDS.get(kind.lower())
    if kind and wanted is None:
        raise UsageError(
            f"{kind} is no kind of memory; kinds are {', '.join(KINDS)}.", hint="Put a text of several words in quotes."
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
    if candidate.update and candidate.supersedes:
        raise UsageError("A memory either updates another or supersedes it, not both.")
    checked, redacted = _safe(session, candidate)
    scopes = session.save_scopes(scope or candidate.scope)
    author = author_of(session)
    planned = [plan(session.root(name), checked, author) for name in scopes]
    return Proposal(checked, tuple(planned), author, redacted, ageing(checked.text, today()))


def apply(session: Session, proposal: Proposal, *, way: str, note: str = "") -> list[Outcome]:
    """Write what a human approved, if it still is what was shown (C42).

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
    if note:
        checked, redacted = _checked_texts(session, {"note": note}, proposal.candidate.type or "knowledge")
        note = checked["note"]
        for message in redacted:
            session.say("info", "redacted", f"Redacted: {message}")
    outcomes: list[Outcome] = []
    for planned in proposal.planned:
        if not planned.writes:
            outcomes.append(Outcome(planned, done=False, reason=planned.verdict.reason))
            continue
        try:
            outcomes.append(_apply_one(session, proposal, planned, way=way, note=note))
        except EngramError as error:
            if isinstance(error, StoreError) and error.details.get("reason") == "not writable":
                other = "workspace" if planned.scope == "global" else "global"
                error.hint = f"{error.hint} Or save to the other scope: --scope {other}"
            if not any(outcome.done for outcome in outcomes):
                raise
            outcomes.append(Outcome(planned, done=False, reason=error.message, code=error.exit_code))
    return outcomes


def _apply_one(session: Session, proposal: Proposal, planned: Planned, *, way: str, note: str) -> Outcome:
    candidate, author = proposal.candidate, proposal.author
    root = session.root(planned.scope)
    with session.writer(root.path) as writer:
        again = planned if digest(root.ledger().source) == planned.base else plan(root, candidate, author)
        if again.effect != planned.effect:
            raise IntegrityError(
                f"Nothing was saved in {planned.scope} memory: {planned.id} changed after it was shown "
                f"({planned.verdict.line()}; now {again.verdict.line()}).",
                hint="Run the command again to see the memory as it is now.",
            )
        final = plan(root, candidate, author, note) if note else planned
        receipts = writer.apply(final.writes, _what(final), way)
    if root.foreign:
        session.say(
            "warning",
            "foreign",
            f"{root.path} stays foreign, with what you saved in it: reference only until you run engram trust.",
        )
    return Outcome(final, done=True, reason="saved", receipts=tuple(receipts))


def _safe(session: Session, candidate: Candidate) -> tuple[Candidate, tuple[str, ...]]:
    """Check every field of a candidate before anything of it is shown (F21 ``safety.*``).

    What a field holds reaches the file, the preview or an error message; of an id only a refusal counts, since a
    redacted one would name another memory.
    """
    kind = candidate.type or "knowledge"
    names = ("text", "title", "context", "level", "light", "balanced", "strict")
    texts, said = _checked_texts(session, {name: getattr(candidate, name) for name in names}, kind)
    lists = {name: "\n".join(getattr(candidate, name)) for name in ("triggers", "role")}
    safe_lists, said_too = _checked_texts(session, lists, kind)
    ids = {name: getattr(candidate, name) for name in ("update", "supersedes")}
    _checked_texts(session, ids | {"depends_on": "\n".join(candidate.depends_on)}, kind)
    split = {name: tuple(line for line in text.split("\n") if line) for name, text in safe_lists.items()}
    return candidate.replace(**texts, **split), (*said, *said_too)


def _checked_texts(session: Session, texts: Mapping[str, str], kind: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the texts after redaction, and what was redacted, each by the name of its field."""
    out: dict[str, str] = {}
    said: list[str] = []
    for name, text in texts.items():
        result = check(text, kind=kind, actions=session.settings.action)
        field = "" if name == "text" else name
        if result.blocked:
            raise refusal(result.blocked, field=field)
        out[name] = result.text
        said += [finding.message + (f" in the field {field}" if field else "") for finding in result.redacted]
    return out, tuple(said)


def _what(planned: Planned) -> str:
    match planned.verdict.word:
        case "UPDATE":
            return f"update {planned.type}: {planned.id}"
        case "SUPERSEDE":
            return f"add {planned.type}: {planned.id}, supersedes {planned.verdict.id}"
        case _:
            return f"add {planned.type}: {planned.id}"


def receipts_as_data(root: str, receipts: Sequence[Receipt]) -> list[dict[str, object]]:
    """Return receipts as plain data, with the full path of each file."""
    return [
        {"file": os.path.join(root, *receipt.path.split("/")), "sha256": receipt.hash, "bytes": receipt.size}
        for receipt in receipts
    ]
