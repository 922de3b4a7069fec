"""``upgrade``: what is written afresh, shown first with ``--plan``."""

from __future__ import annotations

from engram.cli.asking import ask_at_terminal, at_terminal
from engram.cli.linking import report_as_data, say_report
from engram.errors import RefusedError
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
    shown = tuple(result for result in done.hosts.results if result.action != "unchanged")
    in_memory = sum(len(root.migrated) + root.ledger + root.retired for root in done.roots)
    say_report(done.hosts.replace(results=shown), session, output, plan=plan, others=in_memory)
    for root in done.roots:
        for line in _lines(root, plan=plan):
            output.line(line)
    changed = any(root.changes for root in done.roots)
    if not changed and not any(result.action in {"updated", "added"} for result in done.hosts.results):
        output.line("Everything is of today's form already.")
    edited = [result for result in done.hosts.results if result.action == "left"]
    if edited and parsed.given("review") and not plan:
        _review(session, output, edited)
    elif edited:
        output.line(f"{counted(len(edited), 'part')} edited by hand: engram upgrade --review shows what would change.")
    data = report_as_data(done.hosts, plan=plan)
    data["roots"] = [
        {name: list(value) if isinstance(value, tuple) else value for name, value in root.as_dict().items()}
        for root in done.roots
    ]
    return output.done(data, code=1 if done.hosts.errors else 0)


def _review(session: Session, output: Output, edited: list[LinkResult]) -> None:
    """Show what would be written over each of a person's own edits, and ask about it."""
    for result in edited:
        forced = (result.host, result.scope, result.part)
        for change in refresh(session, plan=True, forced=forced).changes:
            output.text(change.diff)
        answer = ask_at_terminal(f"{result.file}: A takes what Engram writes now, S keeps yours, Q ends > ") or "Q"
        match answer.strip().upper():
            case "A":
                refresh(session, plan=False, forced=forced)
                output.line(f"Written afresh: {result.file}")
            case "Q":
                return
            case _:
                output.line(f"Kept as it is: {result.file}")


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
