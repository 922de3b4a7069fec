"""Proposals, and what became of them, as text and as data, each complete (C29a, C38, C39)."""

from __future__ import annotations

from engram.mcp.answers import answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from engram.mcp.registry import ToolResult
    from engram.service.approving import Offer
    from engram.service.batches import Batch, Outcome
    from engram.service.noting import NotePlan, NoteReceipt
    from engram.service.session import Session

__all__ = [
    "DECLINED",
    "INVALID",
    "candidate_rows",
    "declined_on",
    "note_answer",
    "note_outcome",
    "note_proposal",
    "nothing_saved",
    "outcomes_answer",
    "proposal_answer",
    "written_answer",
]

# What a preview, and all of them together, have in characters at most.
_MOST_PREVIEW, _MOST_PREVIEWS = 2000, 24_000
# What the agent is told after a dialog: no to it (C48, and C13 for a host that says no by itself), or no clear answer.
DECLINED = (
    "Nothing was saved: approval was declined in the approval dialog. Do not propose it again unless the human asks "
    "for it. A host that declines by itself needs engram-mcp --no-elicitation."
)
INVALID = "Nothing was saved: the dialog brought an answer that its form cannot give, so the proposal is revoked."
_CUT = "… cut here; read all of it first: engram review\n"


def declined_on(day: str) -> str:
    """Return what an agent is told that proposes a declined text again (C48)."""
    return f"declined on {day}; call again only if the human asks for it"


def candidate_rows(batch: Batch, *, variants: bool) -> list[dict[str, Any]]:
    """Return a line of data for each candidate in each scope; previews within the limits of the contract."""
    from engram.safety.fence import show_line
    from engram.service.batches import deferral

    rows: list[dict[str, Any]] = []
    for part in batch.parts:
        for planned in part.planned:
            verdict = planned.verdict
            reason = deferral(part.candidate, planned)
            row = {
                "number": part.number,
                "verdict": verdict.line().removeprefix("Verdict: "),
                "id": planned.id,
                "type": planned.type,
                "scope": planned.scope,
                "title": show_line(planned.title),
                "preview": planned.preview,
                "remarks": [show_line(remark) for remark in planned.remarks],
                "deferred": show_line(reason),
                "word": verdict.word,
                "target": verdict.id,
                "foreign": planned.foreign,
                "needs": planned.needs,
            }
            if variants and planned.type == "rule":
                row["variants"] = [name for name in ("light", "balanced", "strict") if getattr(part.candidate, name)]
            rows.append(row)
    _cut([row for row in rows if row["preview"]])
    return rows


def _cut(rows: list[dict[str, Any]]) -> None:
    """Cut previews at 2,000 characters, and the longest further until all have 24,000 at most."""
    most = _MOST_PREVIEW
    while rows:
        total = sum(min(len(row["preview"]), most) for row in rows)
        if total <= _MOST_PREVIEWS:
            break
        most = min(most - 1, max(_MOST_PREVIEWS // len(rows), most * _MOST_PREVIEWS // total))
    for row in rows:
        if len(row["preview"]) > most:
            head = row["preview"][: max(0, most - len(_CUT) - 1)]
            row["preview"] = f"{head}\n{_CUT}"


def proposal_answer(
    session: Session, batch: Batch, candidates: Sequence[dict[str, Any]], made: Offer | None, first: str
) -> ToolResult:
    """Return a proposal as text and as data, each complete (C29a, C38, C49)."""
    import time

    from engram.safety.fence import show_line

    count = len(batch.parts)
    heading = [first] if first else []
    if made is not None:
        heading.append(
            f"Proposed, not saved: {count} {'memory' if count == 1 else 'memories'}. Show the human each preview, ask "
            "which to keep, then call engram_commit with the approval_token and approve. Good for 30 minutes, once."
        )
    verdicts = [_verdict_line(row) for row in candidates]
    redacted = [show_line(f"Redacted: {message}") for message in batch.redacted]
    text = "\n".join([*heading, *verdicts, *redacted])
    data: dict[str, Any] = {"text": text, "candidates": [_shown(row) for row in candidates]}
    blocks = ["\n".join(heading)]
    blocks += [f"{_verdict_line(row)}\n{row['preview']}".rstrip() for row in candidates]
    blocks += redacted
    if made is not None:
        data["approval_token"] = made.token
        data["expires_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made.expires))
        blocks.append(f"expires_at: {data['expires_at']}\napproval_token: {made.token}")
    return answer(session, data, "\n\n".join(blocks))


def _verdict_line(row: dict[str, Any]) -> str:
    from engram.safety.fence import show_line

    # Nothing here is indented: each line of a preview begins with a sign of the diff, which may be a blank (C42).
    line = f"{row['number']}. [{row['type']}, {row['scope']}] {row['title']}\nVerdict: {show_line(row['verdict'])}"
    line += "".join(f"\n{remark}" for remark in row["remarks"])
    if "variants" in row:
        line += f"\nVariants: {', '.join(row['variants']) or 'none'}"
    if row["deferred"]:
        line += f"\nWould wait in the inbox: {row['deferred']}"
    return line


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    names = ("number", "verdict", "id", "type", "scope", "title", "preview")
    return {name: row[name] for name in names}


def nothing_saved(session: Session, text: str) -> ToolResult:
    """Return the answer of a proposal that is over, with nothing to approve any more."""
    return answer(session, {"text": text, "candidates": []}, text)


def written_answer(session: Session, outcomes: list[Outcome]) -> ToolResult:
    """Return receipts of what was written, from the bytes on disk, and what waits with the reason (C39)."""
    from engram.safety.fence import show_line
    from engram.service.approving import receipt_of

    rows: list[dict[str, Any]] = []
    lines = []
    for outcome in outcomes:
        planned = outcome.planned
        row: dict[str, Any] = {"number": outcome.number, "id": planned.id, "scope": planned.scope}
        row |= {"verdict": planned.verdict.line().removeprefix("Verdict: "), "saved": outcome.done}
        if outcome.done:
            row["receipts"] = [receipt_of(session, planned.scope, receipt) for receipt in outcome.receipts]
            files = "; ".join(
                f"{one['file']} (revision {one['revision']}, sha256 {str(one['sha256'])[:12]}…)"
                for one in row["receipts"]
            )
            lines.append(show_line(f"{outcome.number}. Saved {planned.id} in {planned.scope} memory: {files}"))
            if planned.needs:
                row["needs"] = [show_line(need) for need in planned.needs]
                lines += [f"   {need}" for need in row["needs"]]
        else:
            row |= {"deferred": outcome.deferred, "reason": show_line(outcome.reason)}
            kept = ", kept in the inbox" if outcome.deferred else ""
            lines.append(show_line(f"{outcome.number}. Not saved{kept}: {planned.id}: {outcome.reason}"))
        rows.append(row)
    done = sum(outcome.done for outcome in outcomes)
    head = f"Saved {done} of {len(outcomes)}." if done else "Nothing was saved."
    return outcomes_answer(session, rows, head, lines)


def outcomes_answer(session: Session, rows: list[dict[str, Any]], head: str, lines: Sequence[str] = ()) -> ToolResult:
    """Return what became of candidates: a heading, a line for each, and the same as data."""
    return answer(session, {"text": head, "outcomes": rows}, "\n".join([head, *lines]))


def note_proposal(session: Session, plan: NotePlan, made: Offer, first: str = "") -> ToolResult:
    """Return a proposed note as text and as data, each complete (C29a, C56)."""
    import time

    from engram.safety.fence import show_line

    heading = [first] if first else []
    heading.append(
        f"Proposed, not saved: a note until {plan.valid_until}. Show the human the preview; after a yes call "
        "engram_commit with the approval_token and approve: all. Good for 30 minutes, once."
    )
    heading += [show_line(f"Redacted: {message}") for message in plan.redacted]
    data: dict[str, Any] = {
        "text": "\n".join(heading),
        "id": plan.id,
        "valid_until": plan.valid_until,
        "preview": plan.preview,
        "approval_token": made.token,
        "expires_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made.expires)),
    }
    end = f"expires_at: {data['expires_at']}\napproval_token: {made.token}"
    return answer(session, data, "\n\n".join([data["text"], plan.preview.rstrip("\n"), end]))


def note_answer(session: Session, receipt: NoteReceipt) -> ToolResult:
    """Return the receipt of a note that was written (C54)."""
    text = f"Noted {receipt.id} until {receipt.valid_until}."
    data = {"text": text, "id": receipt.id, "file": receipt.file, "valid_until": receipt.valid_until}
    return answer(session, data, f"{text} File: {receipt.file}")


def note_outcome(session: Session, receipt: NoteReceipt) -> ToolResult:
    """Return the same as the answer of ``engram_commit``."""
    text = f"Noted {receipt.id} until {receipt.valid_until}."
    row = {"number": 1, "saved": True, "id": receipt.id, "file": receipt.file, "valid_until": receipt.valid_until}
    return outcomes_answer(session, [row], text, [f"File: {receipt.file}"])
