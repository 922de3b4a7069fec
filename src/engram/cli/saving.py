"""``save``: the exact file, the verdict, one question."""

from __future__ import annotations

from engram.cli.asking import ask_decision
from engram.cli.proposals import outcome_as_data, planned_as_data, say_outcome, show_planned
from engram.errors import UsageError
from engram.model import KINDS
from engram.service.saving import apply, candidate_of, propose
from engram.text.slugs import check_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.proposals.candidates import Candidate
    from engram.service.session import Session

__all__ = ["QUESTION", "save_command"]

_KIND_WORDS = (*KINDS, "workflow")
QUESTION = "A accept, B <note> accept with a note, C cancel > "


def save_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Propose, show, ask, write (C42, C59a)."""
    candidate = _candidate(parsed)
    scope = parsed.value("scope")
    proposal = propose(session, candidate, scope=scope)
    show_planned(proposal.planned, proposal.redacted, output, typed=bool(candidate.type))
    if not any(planned.writes for planned in proposal.planned):
        data = {"saved": False, "outcomes": [planned_as_data(planned) for planned in proposal.planned]}
        output.text("Nothing to save.")
        return output.done(data)
    way, _, note = ask_decision(session, output, QUESTION)
    outcomes = apply(session, proposal, way=way, note=note)
    for outcome in outcomes:
        say_outcome(session, outcome, output)
    data = {"saved": True, "outcomes": [outcome_as_data(session, outcome) for outcome in outcomes]}
    return output.done(data, code=max(outcome.code for outcome in outcomes))


def _candidate(parsed: Parsed) -> Candidate:
    if not parsed.word("KIND") and parsed.word("TEXT").strip().lower() in _KIND_WORDS:
        raise UsageError(f"engram save {parsed.word('TEXT')} needs a text.", hint='engram save rule "what to remember"')
    candidate = candidate_of(parsed.word("TEXT"), parsed.word("KIND"))
    given: dict[str, object] = {}
    for option in ("update", "supersedes"):
        if parsed.given(option):
            check_id(parsed.value(option))  # an empty one comes from an unset variable, and must not save something new
    for option, field in (("title", "title"), ("update", "update"), ("supersedes", "supersedes")):
        if parsed.given(option):
            given[field] = parsed.value(option).strip()
    for option, field in (("triggers", "triggers"), ("depends-on", "depends_on"), ("role", "role")):
        if parsed.given(option):
            given[field] = tuple(part.strip() for part in parsed.value(option).split(",") if part.strip())
    return candidate.replace(**given)
