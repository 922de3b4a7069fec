"""What a person sees of proposals before the question, and of what became of them after it."""

from __future__ import annotations

import sys

from engram.cli.output import is_terminal
from engram.cli.screen import fold_marked, fold_own, screen_width
from engram.safety.fence import show_line
from engram.service.saving import receipt_text, receipts_as_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.cli.output import Output
    from engram.service.batches import Batch, Outcome
    from engram.service.planning import Planned
    from engram.service.session import Session

__all__ = [
    "diff_lines",
    "is_beside",
    "outcome_as_data",
    "planned_as_data",
    "planned_lines",
    "say_outcome",
    "show_file",
    "show_lines",
    "show_parts",
    "show_planned",
]


def show_parts(batch: Batch, output: Output, *, forced: bool = False) -> None:
    """Show every candidate of a batch with its number, its exact change, its verdict, and why it would wait (C39)."""
    from engram.service.batches import deferral

    width = screen_width(sys.stderr if is_beside(output) else sys.stdout)
    lines: list[str] = []
    for part in batch.parts:
        lines.append(f"Candidate {part.number} of {len(batch.parts)}:")
        lines += planned_lines(part.planned, output)
        for planned in part.planned:
            if reason := deferral(part.candidate, planned, forced=forced):
                where = f" ({planned.scope})" if len(part.planned) > 1 else ""
                lines += fold_own(show_line(f"Would wait in the inbox{where}: {reason}"), width)
        lines.append("")
    show_lines(lines + [show_line(f"Redacted: {message}") for message in batch.redacted], output)


def show_planned(planned: Sequence[Planned], redacted: Sequence[str], output: Output, *, typed: bool) -> None:
    """Show what one candidate would do in each scope; ``typed`` says that it names its kind."""
    lines = planned_lines(planned, output) + [show_line(f"Redacted: {message}") for message in redacted]
    if not typed and any(one.verdict.word == "ADD" for one in planned):
        lines.append("It will be knowledge, for reference. To make it a rule: engram save rule …")
    show_lines(lines, output)


def show_file(preview: str, redacted: Sequence[str], output: Output) -> None:
    """Show the exact change of one file that has no verdict."""
    lines = diff_lines(preview.splitlines(), screen_width(sys.stderr if is_beside(output) else sys.stdout), output)
    show_lines(lines + [show_line(f"Redacted: {message}") for message in redacted], output)


def say_outcome(session: Session, outcome: Outcome, output: Output) -> None:
    """Say what became of a candidate in a scope, from the bytes on disk."""
    planned = outcome.planned
    if outcome.deferred:
        output.line(f"Kept in the inbox ({planned.scope}), not saved: {planned.id}: {outcome.reason}")
        return
    if not outcome.done:
        output.line(f"Not saved in {planned.scope} memory: {outcome.reason}")
        return
    root = session.root(planned.scope)
    for receipt in outcome.receipts:
        output.line(f"Saved {receipt_text(root, receipt)}")
    for need in planned.needs:
        output.line(show_line(need))


def planned_as_data(planned: Planned) -> dict[str, object]:
    """Return a planned change as plain data."""
    return {
        "scope": planned.scope,
        "verdict": planned.verdict.word,
        "target": planned.verdict.id,
        "line": planned.verdict.line(),
        "reason": planned.verdict.reason,
        "related": list(planned.verdict.related),
        "others": list(planned.verdict.others),
        "rivals": [rival.as_dict() for rival in planned.rivals],
        "needs": list(planned.needs),
        "foreign": planned.foreign,
        "ageing": [{"word": one.word, "meant": one.meant} for one in planned.ageing],
        "id": planned.id,
        "type": planned.type,
        "title": planned.title,
        "saved": False,
    }


def outcome_as_data(session: Session, outcome: Outcome) -> dict[str, object]:
    """Return what became of a candidate as plain data, with its receipts."""
    data = planned_as_data(outcome.planned)
    root = session.root(outcome.planned.scope)
    data |= {"number": outcome.number, "saved": outcome.done, "deferred": outcome.deferred}
    if not outcome.done:
        data["reason"] = outcome.reason
    data["receipts"] = receipts_as_data(root, outcome.receipts)
    return data


def planned_lines(planned: Sequence[Planned], output: Output) -> list[str]:
    """Return the lines that show what one candidate would do in each scope: diff, verdict, reason, related."""
    width = screen_width(sys.stderr if is_beside(output) else sys.stdout)
    lines = []
    for one in planned:
        if len(planned) > 1:
            lines.append(f"{one.scope}:")
        lines += diff_lines(one.preview.splitlines(), width, output)
        for line in (one.verdict.line(), *one.remarks):
            lines += fold_own(show_line(line), width)
    return lines


def diff_lines(lines: Sequence[str], width: int, output: Output) -> list[str]:
    """Return the lines of a preview, each of which begins with a mark, in colour and within the width."""
    return [
        output.paint(piece, _colour(line)) if piece else piece for line in lines for piece in fold_marked(line, width)
    ]


def is_beside(output: Output) -> bool:
    """Tell whether what a question is about goes to standard error: a redirected output would hide it."""
    return output.as_json or (is_terminal(sys.stdin) and not is_terminal(sys.stdout))


def show_lines(lines: Sequence[str], output: Output) -> None:
    """Show what a question is about, where the human sees it."""
    beside = is_beside(output)
    for line in lines:
        if beside:
            output.aside(line)
        else:
            output.text(line)
    sys.stdout.flush()


def _colour(line: str) -> str:
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "dim")
