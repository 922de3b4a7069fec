"""``engram_save``, ``engram_save_session``, ``engram_commit``: propose, ask the human, write (C28, C38 to C53)."""

from __future__ import annotations

from engram.errors import RefusedError
from engram.mcp.answers import envelope_schema
from engram.mcp.forms import MOST_BOXES, form
from engram.mcp.proposals import (
    DECLINED,
    INVALID,
    candidate_rows,
    declined_on,
    note_outcome,
    nothing_saved,
    outcomes_answer,
    proposal_answer,
    written_answer,
)
from engram.mcp.registry import InputRequired
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from engram.mcp.call import Call
    from engram.mcp.desk import Desk
    from engram.mcp.dialogs import Answer
    from engram.mcp.registry import Registry, ToolResult
    from engram.proposals.pending import Pending
    from engram.service.approving import Offer
    from engram.service.batches import Batch
    from engram.service.session import Session

__all__ = ["register"]

_SAVES = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
_STRING = {"type": "string"}
_SCOPES = {"type": "string", "enum": ["workspace", "global", "both"]}
_NEVER = "Never call engram_commit before the human has approved the candidates that were shown."
_NOTHING_NEW = "As it stands nothing of this would be saved: every candidate would wait in the inbox."


def register(registry: Registry, desk: Desk) -> None:
    """Offer the tools of this group."""
    registry.tool(
        "engram_save",
        lambda call, arguments: _save(desk, call, arguments),
        description="Propose one memory: a rule, skill or fact that will still matter in a month. Returns its preview "
        f"and an approval_token, or asks the human itself. {_NEVER}",
        properties={
            "text": _STRING,
            "type": {"type": "string", "enum": ["rule", "skill", "workflow", "knowledge"]},
            "scope": _SCOPES,
            "role": _STRING,
        },
        required=["text"],
        output_schema=envelope_schema("text"),  # then candidates, or outcomes where the human was asked in a dialog
        annotations=_SAVES,
    )
    registry.tool(
        "engram_save_session",
        lambda call, arguments: _save_session(desk, call, arguments),
        description="Propose several memories as candidate lines, TYPE: rule | TEXT: … (the prompt propose explains "
        f"them). Returns as engram_save does. {_NEVER}",
        properties={"text": _STRING, "scope": _SCOPES, "role": _STRING, "showRuleVariants": {"type": "boolean"}},
        required=["text"],
        output_schema=envelope_schema("text"),  # then candidates, or outcomes where the human was asked in a dialog
        annotations=_SAVES,
    )
    registry.tool(
        "engram_commit",
        lambda call, arguments: _commit(desk, call, arguments),
        description=f'Write the candidates that the human approved: approve is "all" or numbers such as 1,3. {_NEVER}',
        properties={"approval_token": _STRING, "approve": _STRING},
        required=["approval_token", "approve"],
        also_takes={"approve": {"type": "array"}},  # what stands in it is said with the number of candidates
        output_schema=envelope_schema("text", "outcomes"),
        annotations={"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False},
        meta={"anthropic/requiresUserInteraction": True},
    )


def _save(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult | InputRequired:
    def judged(session: Session) -> Batch:
        from engram.service.batches import propose_batch
        from engram.service.saving import candidate_of

        candidate = candidate_of(arguments["text"], arguments.get("type", ""))
        return propose_batch(session, [candidate], scope=arguments.get("scope", ""), role=_role(arguments))

    return _propose(desk, call, "engram_save", arguments, judged)


def _save_session(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult | InputRequired:
    def judged(session: Session) -> Batch:
        from engram.service.sessions import propose_session

        return propose_session(session, arguments["text"], scope=arguments.get("scope", ""), role=_role(arguments))

    return _propose(desk, call, "engram_save_session", arguments, judged)


def _role(arguments: dict[str, Any]) -> list[str]:
    return [part.strip() for part in arguments.get("role", "").split(",") if part.strip()]


def _propose(
    desk: Desk, call: Call, tool: str, arguments: dict[str, Any], judged: Callable[[Session], Batch]
) -> ToolResult | InputRequired:
    from engram.service.approving import offer
    from engram.service.declining import declined_before

    session = desk.session(call)
    home = session.require_roots()[0].path
    reply = desk.dialogs.answered(call, tool, home, arguments)
    if reply is not None:
        return _after_dialog(session, call, reply)
    batch = judged(session)
    variants = arguments.get("showRuleVariants", False)
    candidates = candidate_rows(batch, variants=variants)
    if day := declined_before(session, batch):
        return nothing_saved(session, declined_on(day))
    call.check()
    question = form(tool, arguments, home, candidates, kept=None, asked="Save as memory?")
    if question is None or not desk.dialogs.possible(call):
        made = offer(session, batch)
        first = "" if any(not one["deferred"] for one in candidates) else _NOTHING_NEW
        return proposal_answer(session, batch, candidates, made, first)
    made = offer(session, batch, asked=True)
    question = question.replace(kept=_Kept(made, batch, candidates))
    asked = desk.ask(call, session, question, made.token)
    return asked if isinstance(asked, InputRequired) else _after_dialog(session, call, asked)


def _after_dialog(session: Session, call: Call, reply: Answer) -> ToolResult:
    """Do what the human said in the dialog of a proposal (C47 to C49)."""
    from engram.service.approving import hand_out, redeem
    from engram.service.declining import decline, withdraw

    kept: _Kept = reply.question.kept
    if reply.action in {"cancel", "silent", "empty"}:
        hand_out(session, kept.offer.token)
        return proposal_answer(
            session, kept.batch, kept.candidates, kept.offer, "nothing was saved: the dialog brought no answer."
        )
    if reply.action == "decline":
        decline(session, kept.batch)
        return nothing_saved(
            session,
            DECLINED,
        )
    if reply.action == "invalid":
        decline(session, kept.batch, why="invalid")
        return nothing_saved(
            session,
            INVALID,
        )
    ticked = _ticked(reply)
    if not ticked:
        withdraw(session, kept.offer.token)
        return nothing_saved(session, "Nothing was saved: no candidate was ticked.")
    call.begin_write()
    chosen = _with_waiting(ticked, kept.candidates)
    return written_answer(session, redeem(session, kept.offer.token, chosen, way="dialog", scope=_scope(reply)))


def _commit(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult | InputRequired:
    from engram.service.approving import peek, redeem, selection
    from engram.service.declining import decline_token
    from engram.service.note_approval import redeem_note

    session = desk.session(call)
    home = session.require_roots()[0].path
    token, approve = arguments["approval_token"].strip(), arguments["approve"]
    reply = desk.dialogs.answered(call, "engram_commit", home, arguments)
    if reply is None:
        pending = peek(session, token)
        numbers = selection(approve, len(pending.offered))
        if _runs_unasked(call, session) and desk.dialogs.possible(call):
            rows = _rows_again(session, pending, numbers)
            question = form("engram_commit", arguments, home, rows, kept=rows, asked="Write to memory?")
            if question is None:
                # Nobody else asks here, so what no form can show is not written.
                raise RefusedError(
                    "Nothing was saved: this host asks nobody before engram_commit, and no dialog can show this.",
                    hint=f"Approve 1 to {MOST_BOXES} candidates that would not all wait in the inbox, or have the "
                    "human run engram review.",
                )
            asked = desk.ask(call, session, question)
            if isinstance(asked, InputRequired):
                return asked
            reply = asked
    if reply is None:
        call.begin_write()
        if pending.kind == "note":
            return note_outcome(session, redeem_note(session, token, way="token"))
        return written_answer(session, redeem(session, token, approve, way="token"))
    if reply.action == "decline":
        decline_token(session, token)
        return outcomes_answer(session, [], DECLINED)
    if reply.action == "invalid":
        decline_token(session, token, why="invalid")
        return outcomes_answer(
            session,
            [],
            INVALID,
        )
    ticked = _ticked(reply)
    if reply.action != "accept" or not ticked:
        text = "Nothing was saved: nobody confirmed it in the dialog. The token is as it was; ask the human again."
        return outcomes_answer(session, [], text)
    call.begin_write()
    if peek(session, token).kind == "note":
        return note_outcome(session, redeem_note(session, token, way="dialog"))
    chosen = _with_waiting(ticked, reply.question.kept)
    return written_answer(session, redeem(session, token, chosen, way="dialog", scope=_scope(reply)))


def _rows_again(session: Session, pending: Pending, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Return what a dialog names of the candidates that the agent chose, as they were shown."""
    from engram.service.needing import Needs

    chosen = [(number, offered) for number, offered in enumerate(pending.offered, 1) if number in numbers]
    pairs = [(number, offered.candidate, one) for number, offered in chosen for one in offered.shown]
    changes = [(candidate, one.id, one.target if one.verdict == "SUPERSEDE" else "") for _, candidate, one in pairs]
    needs = Needs(session, changes)
    return [
        one.as_dict()
        | {
            "number": number,
            "word": one.verdict,
            "foreign": bool(one.target) and session.root(one.scope).foreign,
            "needs": needs.remarks(candidate, one.id),
        }
        for number, candidate, one in pairs
    ]


def _runs_unasked(call: Call, session: Session) -> bool:
    """Tell whether the host runs ``engram_commit`` without asking anybody (C43a)."""
    from engram.hosts.table import HOSTS

    name = str(call.client.get("name", "")).casefold()
    if not any(host.unasked and name.startswith(host.unasked) for host in HOSTS):
        return False
    mode = session.settings.entry("hosts.codex.approval_mode")
    # A clone may say that the host asks by itself; only a human of this machine knows.
    return mode.value != "prompt" or (mode.layer == "workspace" and not session.trusted)


class _Kept(Record):
    """What a proposal needs again when its dialog is answered."""

    offer: Offer
    batch: Batch
    candidates: list[dict[str, Any]]


def _ticked(reply: Answer) -> list[int]:
    return [
        int(name.removeprefix("candidate_"))
        for name, value in reply.content.items()
        if name.startswith("candidate_") and value is True
    ]


def _with_waiting(ticked: Sequence[int], rows: Sequence[dict[str, Any]]) -> list[int]:
    """Return the ticked numbers, and those that had no box because they would wait in the inbox: there they go."""
    with_box = {row["number"] for row in rows if not row["deferred"]}
    return sorted({*ticked, *(row["number"] for row in rows if row["number"] not in with_box)})


def _scope(reply: Answer) -> str:
    """Return the scope that the human chose, ``""`` where the form left no choice."""
    options = reply.question.fields["scope"]["enum"]
    return str(reply.content.get("scope", "")) if len(options) > 1 else ""
