"""``inject``, ``archive``, ``verify``, ``status``."""

from __future__ import annotations

from engram.errors import IntegrityError
from engram.service.keeping import RootState, archive, inject, root_states, verify
from engram.service.saving import receipts_as_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["archive_command", "inject_command", "state_line", "status_command", "verify_command"]

_SHOWN_PROBLEMS = 20


def inject_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Make a memory folder and say what was made."""
    made = inject(session, global_path=parsed.value("global-path"))
    if made.made:
        output.text(f"Made the {made.scope} memory {made.root}:")
        for name in made.made:
            output.text(f"  {name}")
    else:
        output.text(f"The {made.scope} memory is {made.root}; nothing was changed in it.")
    for note in made.notes:
        output.text(note)
    if made.made:
        output.text('Next: engram save rule "a rule that this project lives by"')
    return output.done({"root": made.root, "scope": made.scope, "made": list(made.made), "notes": list(made.notes)})


def archive_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Move one memory to the archive."""
    done = archive(session, parsed.word("ID"), reason=parsed.value("reason"))
    file = f"{done.root}/{done.path}"
    output.text(f"Archived {done.id}: it is in {file}")
    return output.done({"id": done.id, "file": file, "receipts": receipts_as_data(done.root, done.receipts)})


def verify_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Check all hashes; exit code 4 when something does not match."""
    reports = verify(session, scope=parsed.value("scope"))
    for report in reports:
        output.text(f"{report.scope} memory {report.root}: {report.checked} files match the ledger.")
        for problem in report.problems[:_SHOWN_PROBLEMS]:
            output.text(f"  {problem.text}")
        if len(report.problems) > _SHOWN_PROBLEMS:
            output.text(f"  and {len(report.problems) - _SHOWN_PROBLEMS} more (engram verify --json lists all)")
        if report.unrecorded:
            output.text(
                f"  {len(report.unrecorded)} archived files have no hash on record (an older folder kept none)."
            )
    problems = sum(len(report.problems) for report in reports)
    data = [
        {
            "root": report.root,
            "scope": report.scope,
            "checked": report.checked,
            "problems": [skip.as_dict() for skip in report.problems],
            "unrecorded": list(report.unrecorded),
        }
        for report in reports
    ]
    return output.done({"roots": data}, code=IntegrityError.exit_code if problems else 0)


def status_command(session: Session, _parsed: Parsed, output: Output) -> int:
    """Say what memory there is, and what needs attention."""
    session.recheck_trust()
    states = root_states(session)
    for state in states:
        output.text(state_line(state))
        if state.foreign:
            output.text("  foreign: reference only, until you run engram trust")
        if state.skipped:
            output.text(f"  {state.skipped} files are skipped; see them: engram verify")
        if state.expired:
            output.text(f"  {state.expired} expired, for your review; engram list names them")
        if not state.writable:
            output.text("  read-only: reading works, saving does not")
    if not states:
        output.text("No memory here yet. Start one: engram inject")
    settings = session.settings
    for item in settings.not_counted:
        message = f"{item.key} = {item.value} in {item.file} does not count: {item.reason}"
        session.say("warning", "not_counted", message, path=item.file)
    return output.done({"roots": [state.as_dict() for state in states], "read": settings.string("read")})


def state_line(state: RootState) -> str:
    """Return the counts of one root in a sentence."""
    counts = [
        f"{number} {name if number == 1 or name == 'knowledge' else name + 's'}"
        for number, name in ((state.rules, "rule"), (state.skills, "skill"), (state.knowledge, "knowledge"))
    ]
    archived = f", {state.archived} archived" if state.archived else ""
    return f"{state.scope} memory {state.root}: {', '.join(counts)}{archived}"
