"""``note``, ``promote``: a note for the work at hand, and making one durable."""

from __future__ import annotations

from engram.cli.asking import ask_decision, ask_yes
from engram.cli.proposals import outcome_as_data, planned_as_data, say_outcome, show_file, show_planned
from engram.cli.saving import QUESTION
from engram.errors import EngramError, UsageError
from engram.service.noting import propose_note, write_note
from engram.service.promoting import propose_promotion, take_away
from engram.service.saving import apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["note_command", "promote_command"]


def note_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Propose a note, show it, ask, write (C54 to C56)."""
    if parsed.word("TEXT").strip().lower() in {"list", "ls"}:
        raise UsageError("engram note keeps a text, and lists nothing.", hint="The notes are in: engram list --notes")
    plan = propose_note(
        session,
        parsed.word("TEXT"),
        objective=parsed.value("objective"),
        kind=parsed.value("type"),
        scope=parsed.value("scope"),
    )
    way = ""
    if plan.changes:
        show_file(plan.preview, plan.redacted, output)
        way = ask_yes(session, output, f"Keep this note until {plan.valid_until}? A accept, C cancel > ")
    receipt = write_note(session, plan, way)
    said = "Noted" if plan.changes else "Noted already"
    output.line(f"{said}: {receipt.file} (until {receipt.valid_until}, sha256 {receipt.sha256[:12]}…)")
    return output.done({"saved": plan.changes, **receipt.as_dict()})


def promote_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Propose a note as a memory, show it, ask, write it, and take the note away (C57)."""
    promotion = propose_promotion(session, parsed.word("ID"), kind=parsed.value("type"), scope=parsed.value("scope"))
    proposal = promotion.proposal
    show_planned(proposal.planned, proposal.redacted, output, typed=True)
    data: dict[str, object]
    code = 0
    if any(planned.writes for planned in proposal.planned):
        way, _, note = ask_decision(session, output, QUESTION)
        outcomes = apply(session, proposal, way=way, note=note)
        for outcome in outcomes:
            say_outcome(session, outcome, output)
        code = max(outcome.code for outcome in outcomes)
        data = {"saved": True, "outcomes": [outcome_as_data(session, outcome) for outcome in outcomes]}
        if code or any(outcome.deferred for outcome in outcomes):
            return output.done({**data, "note_removed": False}, code=code)
    else:
        output.line("A memory says it already.")
        data = {"saved": False, "outcomes": [planned_as_data(planned) for planned in proposal.planned]}
    file = f"{promotion.note.root.path}/{promotion.note.path}"
    try:
        removed = take_away(session, promotion)
    except EngramError as error:  # what was asked for is done: the memory is there
        session.say("warning", "note_stays", f"The note stays. {error.message}", path=file, hint=error.hint)
        return output.done({**data, "note_removed": False}, code=code)
    output.line(f"The note is gone: {file}" if removed else f"The note changed meanwhile and stays: {file}")
    return output.done({**data, "note_removed": removed}, code=code)
