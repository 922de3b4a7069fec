"""``doctor``: findings, each with the command that mends it."""

from __future__ import annotations

from engram.service.doctor import examine, mend
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["doctor_command"]

_ORDER = {"error": 0, "warning": 1, "info": 2}


def doctor_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print what was found; exit with 1 for an error, with ``--strict`` for a warning too."""
    mended, errors = mend(session) if parsed.given("fix") else ([], [])
    found = examine(session)
    session.notices.clear()  # they are among the findings
    mended += found.healed
    for line in mended:
        output.line(f"Mended: {line}")
    # What kept something from being mended is mostly found as well.
    said = {one.message for one in found.findings}
    for error in errors:
        if error.message not in said:
            output.line(f"Not mended: {error.message} {error.hint}".rstrip())
    output.line(f"Engram {found.version}")
    for host, linked in found.hosts.items():
        output.line(f"{host:<12}{linked}")
    findings = sorted(found.findings, key=lambda one: (_ORDER[one.level], one.id))
    for one in findings:
        output.text("")
        output.line(f"{one.level}: {one.message} [{one.id}]")
        if one.file and one.file not in one.message:
            output.line(f"    in {one.file}")
        if one.advice:
            output.line(f"    {one.advice}")
        if one.command:
            output.line(f"    {one.command}")
    counts = {level: sum(one.level == level for one in findings) for level in _ORDER}
    output.text("")
    nouns = {"error": "error", "warning": "warning", "info": "hint"}
    output.line(", ".join(counted(counts[level], noun) for level, noun in nouns.items()))
    bad = counts["error"] or (parsed.given("strict") and counts["warning"])
    data = {
        "version": found.version,
        "hosts": found.hosts,
        "findings": [{name: value for name, value in one.as_dict().items() if value} for one in findings],
        "mended": mended,
    }
    return output.done(data, code=1 if bad else 0)
