"""``inject``, ``archive``, ``verify``, ``status``."""

from __future__ import annotations

from engram.cli.output import counted
from engram.errors import IntegrityError
from engram.service.keeping import RootState, archive, inject, root_states, verify
from engram.service.saving import receipts_as_data
from engram.service.trusting import moved_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["archive_command", "inject_command", "skipped_sentence", "state_line", "status_command", "verify_command"]

_SHOWN_PROBLEMS = 20


def inject_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Make a memory folder and say what was made."""
    made = inject(session, global_path=parsed.value("global-path"))
    if made.made:
        output.line(f"Made the {made.scope} memory {made.root}:")
        for name in made.made:
            output.line(f"  {name}")
    else:
        output.line(f"The {made.scope} memory is {made.root}; nothing was changed in it.")
    for note in made.notes:
        output.line(note)
    if made.made:
        output.line('Next: engram save rule "a rule that this project lives by"')
    return output.done({"root": made.root, "scope": made.scope, "made": list(made.made), "notes": list(made.notes)})


def archive_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Move one memory to the archive."""
    done = archive(session, parsed.word("ID"), reason=parsed.value("reason"))
    file = f"{done.root}/{done.path}"
    output.line(f"Archived {done.id}: it is in {file}")
    return output.done({"id": done.id, "file": file, "receipts": receipts_as_data(done.root, done.receipts)})


def verify_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Check all hashes; exit code 4 when something does not match. With ``--review`` a human decides about each."""
    if parsed.given("review"):
        from engram.cli.reviewing import review_command

        return review_command(session, parsed, output)
    reports = verify(session, scope=parsed.value("scope"))
    for report in reports:
        match = "matches" if report.checked == 1 else "match"
        output.line(f"{report.scope} memory {report.root}: {counted(report.checked, 'file')} {match} the ledger.")
        for problem in report.problems[:_SHOWN_PROBLEMS]:
            output.line(f"  {problem.text}")
        if len(report.problems) > _SHOWN_PROBLEMS:
            output.line(f"  and {len(report.problems) - _SHOWN_PROBLEMS} more (engram verify --json lists all)")
        if report.unrecorded:
            files = counted(len(report.unrecorded), "archived file")
            output.line(f"  {files} without a hash on record (an older folder kept none).")
        for path, named in report.renamed[:_SHOWN_PROBLEMS]:
            output.line(f"  {path} names itself {named}; the file's name is its id.")
    problems = sum(len(report.problems) for report in reports)
    data = [
        {
            "root": report.root,
            "scope": report.scope,
            "checked": report.checked,
            "problems": [skip.as_dict() for skip in report.problems],
            "unrecorded": list(report.unrecorded),
            "renamed": [{"path": path, "named": named} for path, named in report.renamed],
        }
        for report in reports
    ]
    return output.done({"roots": data}, code=IntegrityError.exit_code if problems else 0)


def status_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Say what memory there is, and what needs attention."""
    session.recheck_trust()
    states = root_states(session, deep=parsed.given("deep"))
    for state in states:
        output.line(state_line(state))
        if state.foreign:
            output.line("  foreign: reference only, until you run engram trust")
            if moved := moved_from(session):
                output.line(
                    f"  its history is that of {moved}, which you trusted and which is gone: was it moved here?"
                )
        if state.skipped:
            output.line(f"  {skipped_sentence(state.skipped)}; engram verify says why")
        if state.renamed:
            output.line(
                f"  {counted(state.renamed, 'file')} with another id inside than its name; engram verify shows it"
            )
        if state.expired:
            output.line(f"  {state.expired} expired, for your review; engram list names them")
        if not state.writable:
            output.line("  read-only: reading works, saving does not")
    if not states:
        output.line("No memory here yet. Start one: engram inject")
    settings = session.settings
    for item in settings.not_counted:
        message = f"{item.key} = {item.value} in {item.file} does not count: {item.reason}"
        session.say("warning", "not_counted", message, path=item.file)
    return output.done({"roots": [state.as_dict() for state in states], "read": settings.string("read")})


def state_line(state: RootState) -> str:
    """Return the counts of one root in a sentence."""
    counts = f"{counted(state.rules, 'rule')}, {counted(state.skills, 'skill')}, {state.knowledge} knowledge"
    archived = f", {state.archived} archived" if state.archived else ""
    return f"{state.scope} memory {state.root}: {counts}{archived}"


def skipped_sentence(number: int) -> str:
    """Return how many files are skipped."""
    return f"{counted(number, 'file')} {'is' if number == 1 else 'are'} skipped"
