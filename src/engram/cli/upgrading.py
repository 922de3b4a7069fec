"""``upgrade``: what ``link`` wrote, written afresh; what a person edited only after a question."""

from __future__ import annotations

from engram.cli.asking import ask_at_terminal
from engram.cli.linking import report_as_data, say_report
from engram.errors import RefusedError
from engram.service.linking import refresh
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.link_report import LinkResult
    from engram.service.session import Session

__all__ = ["upgrade_command"]

_CHOICES = "A takes what Engram writes now, S keeps yours, Q ends: "


def upgrade_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Refresh entries, blocks, skills and hooks, and say what was left; with ``--review`` ask about each of those."""
    plan = parsed.given("plan")
    report = refresh(session, plan=plan)
    shown = report.replace(results=tuple(result for result in report.results if result.action != "unchanged"))
    say_report(shown, session, output, plan=plan)
    if not report.changes and not plan:
        output.line("Everything that Engram wrote is as it would write it now.")
    left = [result for result in report.results if result.action == "left"]
    if left and parsed.given("review") and not plan:
        _review(session, output, left)
    elif left:
        output.line(f"{counted(len(left), 'part')} edited by hand: engram upgrade --review")
    return output.done(report_as_data(report, plan=plan), code=1 if report.errors else 0)


def _review(session: Session, output: Output, left: list[LinkResult]) -> None:
    """Show each edited part beside what Engram would write, and ask.

    Raises:
        RefusedError: where no human sits at a terminal.
    """
    for result in left:
        forced = (result.host, result.scope, result.part)
        for change in refresh(session, plan=True, forced=forced).changes:
            output.text(change.diff)
        answer = ask_at_terminal(f"{result.file}: {_CHOICES}")
        if answer is None:
            raise RefusedError(
                "What you edited by hand is reviewed at a terminal; nothing of it was changed.",
                hint="Run engram upgrade --review at a terminal.",
            )
        match answer.strip().upper():
            case "A":
                refresh(session, plan=False, forced=forced)
                output.line(f"Written afresh: {result.file}")
            case "Q":
                return
            case _:
                output.line(f"Kept as it is: {result.file}")
