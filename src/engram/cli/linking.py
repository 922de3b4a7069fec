"""``link`` and ``unlink``."""

from __future__ import annotations

import os

from engram.errors import UsageError
from engram.hosts.table import HOSTS, find_host
from engram.service.link_report import LinkOptions
from engram.service.linking import link, survey, unlink
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.link_report import LinkReport, LinkResult, PartState
    from engram.service.session import Session

__all__ = [
    "link_command",
    "report_as_data",
    "say_errors",
    "say_plan_end",
    "say_report",
    "short_path",
    "unlink_command",
]

_DONE = {"added": "added", "updated": "updated", "unchanged": "as it was", "removed": "taken out", "kept": "kept"}
_PLANNED = {**_DONE, "added": "would be added", "updated": "would be updated", "removed": "would be taken out"}
_PARTS = {
    "plugin": "plugin",
    "mcp": "MCP server",
    "instructions": "instructions",
    "skill": "skill",
    "command": "slash command",
    "hooks": "hooks",
}


def link_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Link hosts, or with ``list`` show what is linked."""
    if parsed.many == ["list"]:
        return _list(session, output)
    if "list" in parsed.many:
        raise UsageError("list stands alone.", hint="engram link list shows the hosts; engram link HOST links one.")
    without = [name for name in ("mcp", "hooks", "instructions") if parsed.given(f"no-{name}")]
    options = LinkOptions(
        scopes=_scopes(parsed),
        plan=parsed.given("plan"),
        force=parsed.given("force"),
        no_elicitation=parsed.given("no-elicitation"),
        without=frozenset(without),
    )
    report = link(session, parsed.many, options)
    say_report(report, session, output, plan=options.plan)
    if options.plan:
        say_plan_end(output, len(report.changes))
    if session.workspace is None and not options.plan and report.changes and "global" not in options.scopes:
        output.line("There is no memory here yet: engram inject makes one.")
    return _done(report, output, plan=options.plan)


def unlink_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Take hosts' registrations out again."""
    if "list" in parsed.many:
        raise UsageError("list is no host.", hint="engram link list shows the hosts.")
    options = LinkOptions(scopes=_scopes(parsed), plan=parsed.given("plan"))
    report = unlink(session, parsed.many, options)
    say_report(report, session, output, plan=options.plan)
    if options.plan:
        say_plan_end(output, len(report.changes))
    if not any(result.action in {"removed", "kept", "left", "failed"} or not result.scope for result in report.results):
        output.line("Nothing of Engram was found in the files of these hosts.")
    return _done(report, output, plan=options.plan)


def _scopes(parsed: Parsed) -> tuple[str, ...]:
    return tuple(scope for scope in ("workspace", "global") if parsed.given(scope))


def say_report(report: LinkReport, session: Session, output: Output, *, plan: bool) -> None:
    """Print what became of each part, or with a plan what would."""
    words = _PLANNED if plan else _DONE
    shown = ("", "")
    for result in report.results:
        if (result.host, result.scope) != shown:
            shown = result.host, result.scope
            host = find_host(result.host)
            title = host.title if host else result.host
            where = {"global": ", for all projects", "workspace": ", in this project"}.get(result.scope, "")
            output.line(f"{title}{where}:")
        output.line(f"  {_PARTS[result.part]:<14}{_sentence(result, words)}")
        for note in result.notes:
            output.line(f"  {'':<14}note: {note}")
    for name in report.not_found:
        host = find_host(name)
        output.line(f"{host.title if host else name}: not found on this machine")
    if plan:
        _say_plan(report, output)
    else:
        for change in report.changes:
            if change.backup:
                output.line(f"{short_path(change.file)} as it was is kept in {short_path(change.backup)}")
            if change.earlier:
                output.line(
                    f"{short_path(change.file)} as it was before Engram came is still kept in "
                    f"{short_path(change.earlier)}"
                )
    for line in report.advice:
        output.line(line)
    say_errors(report, session)


def say_errors(report: LinkReport, session: Session) -> None:
    """Say what went wrong with files."""
    for error in report.errors:
        session.say("error", error.code, error.message, path=error.path, line=error.line, hint=error.hint)


def _say_plan(report: LinkReport, output: Output) -> None:
    for change in report.changes:
        output.line("")
        output.text(change.diff)
        if change.backup:
            output.line(f"({short_path(change.file)} as it is now would be kept in {short_path(change.backup)})")


def say_plan_end(output: Output, files: int) -> None:
    """Print the last line of a plan: how many files would change."""
    output.line("")
    output.line(f"A plan: {counted(files, 'file')} would change, and nothing was written.")


def _sentence(result: LinkResult, words: dict[str, str]) -> str:
    place = short_path(result.file) + (f", {result.where}" if result.where else "")
    reason = f" ({result.reason})" if result.reason else ""
    match result.action:
        case "skipped":
            return f"skipped: {result.reason}"
        case "printed":
            return f"yours to do: {result.line}{reason}"
        case "failed":
            return f"not done: {result.reason}"
        case "left":
            return f"left alone: {short_path(result.file)}: {result.reason}"
        case _:
            return f"{words[result.action]}: {place}{reason}"


def report_as_data(report: LinkReport, *, plan: bool) -> dict[str, object]:
    """Return a report as plain data."""
    return {
        "plan": plan,
        "results": [_filled(result.as_dict()) for result in report.results],
        "files": [_filled(change.as_dict()) for change in report.changes],
        "not_found": list(report.not_found),
        "advice": list(report.advice),
        "errors": [error.as_dict() for error in report.errors],
    }


def _done(report: LinkReport, output: Output, *, plan: bool) -> int:
    return output.done(report_as_data(report, plan=plan), code=1 if report.errors else 0)


def _list(session: Session, output: Output) -> int:
    from engram.hosts.places import is_here

    states = survey(session)
    rows: list[dict[str, object]] = []
    for host in HOSTS:
        here = not host.programs or is_here(host, session.environ)
        own = [state for state in states if state.host == host.id and state.file]
        row: dict[str, object] = {"host": host.id, "title": host.title, "found": here}
        output.line(f"{host.id:<12}{'' if here else 'not found here; '}{_linked(own)}")
        row["parts"] = [_filled(state.as_dict()) for state in own if state.state != "absent"]
        rows.append(row)
    return output.done({"hosts": rows})


def _linked(states: list[PartState]) -> str:
    """Return what is linked of one host, in a few words."""
    found = []
    for scope, where in (("workspace", "in this project"), ("global", "for all projects")):
        parts = [state for state in states if state.scope == scope and state.state != "absent"]
        mine = [state for state in parts if state.recorded or state.part in {"mcp", "hooks", "plugin"}]
        if mine:
            words = [_PARTS[state.part] + ("" if state.state == "linked" else f" ({state.state})") for state in mine]
            found.append(f"{where}: {', '.join(dict.fromkeys(words))}")
    return "; ".join(found) or "not linked"


def _filled(row: dict[str, object]) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items() if value}


def short_path(path: str) -> str:
    """Return a path as a person would write it here: from this folder, or from home."""
    for base, mark in ((os.getcwd(), ""), (os.path.expanduser("~"), "~" + os.sep)):
        if path.startswith(base.rstrip(os.sep) + os.sep):
            return mark + path[len(base.rstrip(os.sep)) + 1 :]
    return path
