"""``inject``, ``archive``, ``verify``, ``status``."""

from __future__ import annotations

import sys

from engram.cli.output import is_terminal
from engram.errors import IntegrityError
from engram.service.keeping import archive, inject, verified_lines, verify
from engram.service.saving import receipts_as_data
from engram.service.status import counts_line, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["archive_command", "inject_command", "status_command", "verify_command"]


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
    root = next(root for root in session.roots if root.path == done.root)
    return output.done({"id": done.id, "file": file, "receipts": receipts_as_data(root, done.receipts)})


def verify_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Check all hashes; exit code 4 when something does not match. With ``--review`` a human decides about each."""
    if parsed.given("review"):
        from engram.cli.reviewing import review_command

        return review_command(session, parsed, output)
    reports = verify(session, scope=parsed.value("scope"))
    for report in reports:
        for line in verified_lines(report):
            output.line(line)
    problems = sum(len(report.problems) for report in reports)
    data = [
        {
            "root": report.root,
            "scope": report.scope,
            "checked": report.checked,
            "problems": [skip.as_dict() for skip in report.problems],
            "unrecorded": list(report.unrecorded),
            "renamed": [{"path": path, "named": named} for path, named in report.renamed],
            "undated": [{"path": path, "key": key, "value": text} for path, key, text in report.undated],
        }
        for report in reports
    ]
    return output.done({"roots": data}, code=IntegrityError.exit_code if problems else 0)


def status_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Say what memory there is, and what needs attention."""
    from engram.service.unlinked import gone_command, gone_entries, gone_sentence

    found = status(session, deep=parsed.given("deep"))
    for state, sentences in zip(found.roots, found.attention, strict=True):
        output.line(counts_line(state))
        for sentence in sentences:
            output.line(f"  {sentence}")
    if not found.roots:
        output.line("No memory here yet. Start one: engram inject")
    gone = [(state, gone_sentence(state), gone_command(state)) for state in gone_entries(session)]
    for _, sentence, command in gone:
        output.line(f"{sentence}: {command}")
    if is_terminal(sys.stdout) and not output.as_json:
        from engram.service.looks import remember_look

        remember_look(session, found.unasked)  # an agent's status is no look of its human
    unasked = [{"root": root, **one.as_dict()} for root, writes in found.unasked.items() for one in writes]
    unlinked = [
        {"host": state.host, "scope": state.scope, "part": state.part, "file": state.file, "command": command}
        for state, _, command in gone
    ]
    data = {"roots": [state.as_dict() for state in found.roots], "read": found.read, "unasked": unasked}
    return output.done({**data, "unlinked": unlinked})
