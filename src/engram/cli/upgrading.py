"""``upgrade``: what is written afresh, shown first with ``--plan``."""

from __future__ import annotations

import sys

from engram.cli.asking import ask_at_terminal, at_terminal
from engram.cli.linking import report_as_data, say_errors, say_plan_end, say_report, short_path
from engram.cli.output import is_terminal
from engram.errors import RefusedError
from engram.safety.fence import show_line
from engram.service.linking import refresh
from engram.service.upgrading import upgrade
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.link_report import LinkResult
    from engram.service.session import Session
    from engram.service.upgrading import RootUpgrade

__all__ = ["upgrade_command"]

_ANSWERS = frozenset({"A", "S", "Q"})
_NOTHING = "Everything is of today's form already."


def upgrade_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Bring hosts' files and memory to today's form (C4, F7, F14).

    Raises:
        RefusedError: for a review where no human sits at a terminal.
    """
    plan = parsed.given("plan")
    if parsed.given("review") and not plan and not at_terminal():
        raise RefusedError(
            "Nothing was changed: a review needs a terminal.", hint="See what would be done: engram upgrade --plan"
        )
    done = upgrade(session, plan=plan, migrate=parsed.given("migrate-memories"))
    edited = [result for result in done.hosts.results if result.action == "left"]
    shown = tuple(result for result in done.hosts.results if result.action != "unchanged")
    say_report(done.hosts.replace(results=shown), session, output, plan=plan)
    for root in done.roots:
        for line in _lines(root, plan=plan):
            output.line(line)
    changed = any(root.changes for root in done.roots)
    if not changed and not any(result.action not in {"unchanged", "left"} for result in done.hosts.results):
        output.line("Everything that was not edited is of today's form already." if edited else _NOTHING)
    if plan:
        say_plan_end(output, len(done.hosts.changes) + sum(root.files for root in done.roots))
    failed = bool(done.hosts.errors)
    if edited and parsed.given("review") and not plan:
        failed = _review(session, output, edited) or failed
    elif edited:
        output.line(f"{counted(len(edited), 'part')} edited by hand: engram upgrade --review shows what would change.")
    data = report_as_data(done.hosts, plan=plan)
    data["roots"] = [
        {name: list(value) if isinstance(value, tuple) else value for name, value in root.as_dict().items()}
        for root in done.roots
    ]
    return output.done(data, code=1 if failed else 0)


def _review(session: Session, output: Output, edited: list[LinkResult]) -> bool:
    """Show what would be written over each of a person's own edits, and ask about it.

    Returns:
        Whether a file could not be written.
    """
    failed = False
    # Who is asked has to see what about, also where the answer goes into a pipe.
    show = output.text if is_terminal(sys.stdout) and not output.as_json else output.aside
    for result in edited:
        name, forced = short_path(result.file), (result.file, result.where)
        planned = refresh(session, plan=True, forced=forced)
        say_errors(planned, session)
        failed = failed or bool(planned.errors)
        for change in planned.changes:
            show(change.diff)
        # Another name of a file may have been answered for already.
        answer = _asked(output, name) if planned.changes else "S"
        if answer == "Q":
            break
        if answer == "S":
            if planned.changes:
                output.line(f"Kept as it is: {name}")
            continue
        done = refresh(session, plan=False, forced=forced)
        say_errors(done, session)
        failed = failed or bool(done.errors)
        if not done.errors:
            output.line(f"Written afresh: {name}")
    return failed


def _asked(output: Output, name: str) -> str:
    """Ask until one of the three letters is answered; the end of input is Q."""
    while True:
        answer = ask_at_terminal(show_line(f"{name}: A takes what Engram writes now, S keeps yours, Q ends > "))
        if answer is None:
            output.aside("")  # the end of input leaves the question's line open
        word = (answer or "Q").strip().upper()
        if word in _ANSWERS:
            return word
        output.aside("Please answer A, S or Q.")


def _lines(root: RootUpgrade, *, plan: bool) -> list[str]:
    verb = "would be" if plan else "was"
    lines = [f"{root.scope} memory: {path} {verb} rewritten as schema 3" for path in root.migrated]
    if root.ledger:
        lines.append(f"{root.scope} memory: SHA256SUMS {verb} settled")
    if root.retired:
        lines.append(f"{root.scope} memory: memory.hashes.json {verb} taken away")
    if root.older:
        are = "is" if len(root.older) == 1 else "are"
        lines.append(
            f"{root.scope} memory: {counted(len(root.older), 'file')} {are} of an older schema, and read as before; "
            "engram upgrade --migrate-memories rewrites them"
        )
    return lines
