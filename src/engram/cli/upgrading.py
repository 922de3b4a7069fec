"""``upgrade``: what is written afresh, shown first with ``--plan``."""

from __future__ import annotations

from engram.cli.asking import ask_at_terminal
from engram.cli.linking import report_as_data, say_report
from engram.errors import RefusedError
from engram.service.upgrading import upgrade
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session
    from engram.service.upgrading import RootUpgrade

__all__ = ["upgrade_command"]


def upgrade_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Bring hosts' files and memory to today's form (C4, F7, F14)."""
    plan, migrate = parsed.given("plan"), parsed.given("migrate-memories")
    force = False
    if parsed.given("review") and not plan:
        force = _review(session, output, migrate=migrate)
    done = upgrade(session, plan=plan, force=force, migrate=migrate)
    say_report(done.hosts, session, output, plan=plan)
    for root in done.roots:
        for line in _lines(root, plan=plan):
            output.line(line)
    changed = any(root.changes for root in done.roots)
    if not changed and not any(result.action in {"updated", "added"} for result in done.hosts.results):
        output.line("Everything is of today's form already.")
    if edited := [result for result in done.hosts.results if result.action == "left"]:
        output.line(f"{counted(len(edited), 'part')} left alone: engram upgrade --review shows what would change.")
    data = report_as_data(done.hosts, plan=plan)
    data["roots"] = [
        {name: list(value) if isinstance(value, tuple) else value for name, value in root.as_dict().items()}
        for root in done.roots
    ]
    return output.done(data, code=1 if done.hosts.errors else 0)


def _review(session: Session, output: Output, *, migrate: bool) -> bool:
    """Show what would be written over a person's own edits, and ask once.

    Raises:
        RefusedError: where no human sits at a terminal.
    """
    planned = upgrade(session, plan=True, force=True, migrate=migrate)
    for change in planned.hosts.changes:
        output.text(change.diff)
    answer = ask_at_terminal("A write all of this afresh, S leave what was edited > ")
    if answer is None:
        raise RefusedError(
            "Nothing was changed: a review needs a terminal.", hint="See the same: engram upgrade --plan"
        )
    return answer.strip().upper() == "A"


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
