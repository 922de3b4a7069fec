"""``engram_note``: a short note for the task at hand, after the human's yes (C54 to C58)."""

from __future__ import annotations

from engram.mcp.answers import answer, envelope_schema
from engram.mcp.forms import form
from engram.mcp.proposals import DECLINED, INVALID, declined_on, note_answer, note_proposal
from engram.mcp.registry import InputRequired
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.mcp.call import Call
    from engram.mcp.desk import Desk
    from engram.mcp.dialogs import Answer
    from engram.mcp.registry import Registry, ToolResult
    from engram.service.approving import Offer
    from engram.service.noting import NotePlan
    from engram.service.session import Session

__all__ = ["register"]

_TOOL = "engram_note"
_STRING = {"type": "string"}


def register(registry: Registry, desk: Desk) -> None:
    """Offer the tool."""
    registry.tool(
        _TOOL,
        lambda call, arguments: _note(desk, call, arguments),
        description="Propose a note for the next days of this task: state, findings, what is left; no instructions. "
        "The human says yes in a dialog, or to the approval_token that comes back (engram_commit).",
        properties={
            "text": _STRING,
            "objective": _STRING,
            "type": {"type": "string", "enum": ["rule", "skill", "workflow", "knowledge"]},
            "scope": {"type": "string", "enum": ["workspace", "global"]},
        },
        required=["text"],
        output_schema=envelope_schema("text"),
        annotations={"readOnlyHint": False, "openWorldHint": False},
    )


class _Kept(Record):
    """What a note needs again when its dialog is answered."""

    offer: Offer
    plan: NotePlan


def _note(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult | InputRequired:
    from engram.service.declining import declined_before
    from engram.service.note_approval import note_batch, offer_note
    from engram.service.noting import propose_note

    session = desk.session(call)
    home = session.require_roots()[0].path
    reply = desk.dialogs.answered(call, _TOOL, home, arguments)
    if reply is not None:
        return _after_dialog(session, call, reply)
    plan = propose_note(
        session,
        arguments["text"],
        objective=arguments.get("objective", ""),
        kind=arguments.get("type", ""),
        scope=arguments.get("scope", ""),
    )
    if day := declined_before(session, note_batch(session, plan)):
        text = declined_on(day)
        return answer(session, {"text": text}, text)
    call.check()
    if not desk.dialogs.possible(call):
        return note_proposal(session, plan, offer_note(session, plan))
    made = offer_note(session, plan, asked=True)
    row = {"number": 1, "word": "ADD", "target": "", "id": plan.id, "scope": plan.scope}
    asked = f"Keep this note until {plan.valid_until}?"
    question = form(_TOOL, arguments, home, [row], kept=_Kept(made, plan), asked=asked)
    assert question is not None
    given = desk.ask(call, session, question, made.token)
    return given if isinstance(given, InputRequired) else _after_dialog(session, call, given)


def _after_dialog(session: Session, call: Call, reply: Answer) -> ToolResult:
    """Do what the human said; decline and cancel give no token, no answer in time falls back to it (C56)."""
    from engram.service.approving import hand_out
    from engram.service.declining import withdraw
    from engram.service.note_approval import decline_note, redeem_note

    kept: _Kept = reply.question.kept
    if reply.action in {"silent", "empty"}:
        hand_out(session, kept.offer.token)
        return note_proposal(session, kept.plan, kept.offer, "nothing was saved: the dialog brought no answer.")
    if reply.action == "accept" and reply.content.get("candidate_1") is True:
        call.begin_write()
        return note_answer(session, redeem_note(session, kept.offer.token, way="dialog"))
    if reply.action in {"decline", "invalid"}:
        declined = reply.action == "decline"
        decline_note(session, kept.plan, why="declined" if declined else "invalid")
        text = DECLINED if declined else INVALID
    else:
        withdraw(session, kept.offer.token)
        text = "Nothing was saved: the note was not approved in the dialog."
    return answer(session, {"text": text}, text)
