"""``save``: the exact file, the verdict, one question."""

from __future__ import annotations

import sys

from engram.cli.asking import Answers
from engram.cli.output import is_terminal
from engram.errors import RefusedError, UsageError
from engram.model import KINDS
from engram.safety.fence import show_line
from engram.service.saving import Outcome, Planned, Proposal, apply, candidate_of, propose, receipts_as_data
from engram.text.slugs import check_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.proposals.candidates import Candidate
    from engram.service.session import Session

__all__ = ["save_command"]

_KIND_WORDS = (*KINDS, "workflow")
# Nobody reads the questions that a program answers with something else, so there is an end to them.
_UNCLEAR_IN_A_PIPE = 5
_QUESTION = "A accept, B <note> accept with a note, C cancel > "


def save_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Propose, show, ask, write (C42, C59a)."""
    candidate = _candidate(parsed)
    scope = parsed.value("scope")
    proposal = propose(session, candidate, scope=scope)
    _show(proposal, output, typed=bool(candidate.type))
    if not any(planned.writes for planned in proposal.planned):
        data = {"saved": False, "outcomes": [_planned_as_data(planned) for planned in proposal.planned]}
        data["ageing"] = _ageing_as_data(proposal)
        output.text("Nothing to save.")
        return output.done(data)
    way, note = _ask(session, output)
    outcomes = apply(session, proposal, way=way, note=note)
    for outcome in outcomes:
        _say_outcome(session, outcome, output)
    data = {"saved": True, "outcomes": [_outcome_as_data(session, outcome) for outcome in outcomes]}
    data["ageing"] = _ageing_as_data(proposal)
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


def _show(proposal: Proposal, output: Output, *, typed: bool) -> None:
    # A redirected standard output would hide from the human what the question is about.
    to_error = output.as_json or (is_terminal(sys.stdin) and not is_terminal(sys.stdout))
    lines = []
    for planned in proposal.planned:
        if len(proposal.planned) > 1:
            lines.append(f"{planned.scope}:")
        lines += [output.paint(line, _colour(line)) if line else line for line in planned.preview.splitlines()]
        lines.append(show_line(planned.verdict.line()))
        if planned.verdict.reason:
            lines.append(show_line(planned.verdict.reason))
        if planned.verdict.others:
            lines.append(show_line(f"Also with the old value: {', '.join(planned.verdict.others)}"))
        if planned.verdict.related:
            lines.append(show_line(f"Related: {', '.join(planned.verdict.related)}"))
    lines += [show_line(f"Redacted: {message}") for message in proposal.redacted]
    lines += [
        show_line(f'"{word.word}" means {word.meant} today; write the date if it matters') for word in proposal.ageing
    ]
    if not typed and any(planned.verdict.word == "ADD" for planned in proposal.planned):
        lines.append("It will be knowledge, for reference. To make it a rule: engram save rule …")
    for line in lines:
        if to_error:
            output.aside(line)
        else:
            output.text(line)
    sys.stdout.flush()


def _ask(session: Session, output: Output) -> tuple[str, str]:
    """Return how it was approved and the human's note.

    Raises:
        RefusedError: for C, the end of input, or a way that the configuration does not accept.
    """
    answers = Answers()
    if session.settings.string("approval.terminal") == "tty" and answers.way != "terminal":
        raise RefusedError(
            "Nothing was saved: here an answer counts only at a terminal (approval.terminal: tty).",
            hint="Run the command at a terminal.",
        )
    unclear = 0
    while answers.way == "terminal" or unclear < _UNCLEAR_IN_A_PIPE:
        line = answers.next_line(_QUESTION)
        if line is None and answers.way == "terminal":
            raise RefusedError("Nothing was saved: the input ended without an answer.", hint="Answer A, B <note> or C.")
        if line is None:
            raise RefusedError(
                "Nothing was saved: there was no answer.", hint="Answer A, B <note> or C; a pipe has 10 seconds."
            )
        word, _, rest = line.strip().partition(" ")
        if word.upper() == "A" and not rest.strip():
            return answers.way, ""
        if word.upper() == "B" and rest.strip():
            return answers.way, rest.strip()
        if word.upper() == "C" and not rest.strip():
            raise RefusedError("Nothing was saved: cancelled.")
        output.aside("Please answer A, B and a note, or C.")
        unclear += 1
    raise RefusedError(
        f"Nothing was saved: none of {_UNCLEAR_IN_A_PIPE} lines from the pipe is an answer.",
        hint="The pipe has to answer A, B <note> or C.",
    )


def _say_outcome(session: Session, outcome: Outcome, output: Output) -> None:
    planned = outcome.planned
    if not outcome.done:
        output.line(f"Not saved in {planned.scope} memory: {outcome.reason}")
        return
    root = session.root(planned.scope)
    for receipt in outcome.receipts:
        output.line(f"Saved {root.path}/{receipt.path} ({receipt.size} bytes, sha256 {receipt.hash[:12]}…)")


def _planned_as_data(planned: Planned) -> dict[str, object]:
    return {
        "scope": planned.scope,
        "verdict": planned.verdict.word,
        "target": planned.verdict.id,
        "line": planned.verdict.line(),
        "reason": planned.verdict.reason,
        "related": list(planned.verdict.related),
        "others": list(planned.verdict.others),
        "id": planned.id,
        "type": planned.type,
        "title": planned.title,
        "saved": False,
    }


def _ageing_as_data(proposal: Proposal) -> list[dict[str, str]]:
    return [{"word": one.word, "meant": one.meant} for one in proposal.ageing]


def _outcome_as_data(session: Session, outcome: Outcome) -> dict[str, object]:
    data = _planned_as_data(outcome.planned)
    root = session.root(outcome.planned.scope)
    data["saved"] = outcome.done
    if not outcome.done:
        data["reason"] = outcome.reason
    data["receipts"] = receipts_as_data(root.path, outcome.receipts)
    return data


def _colour(line: str) -> str:
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "dim")
