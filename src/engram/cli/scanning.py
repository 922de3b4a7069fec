"""``scan``: findings as lines for people, as JSON, or as SARIF for CI."""

from __future__ import annotations

import os

from engram.errors import EngramError, SafetyError, UsageError
from engram.service.scanning import scan_paths
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.scanning import Located, Scan
    from engram.service.session import Session

__all__ = ["scan_command"]

_FORMATS = ("text", "json", "sarif")


def scan_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Scan, and print in the format asked for; exit code 5 when something was found, 1 when a file was not read."""
    form = parsed.value("format") or ("json" if output.as_json else "text")
    if form not in _FORMATS:
        raise UsageError(f"{form} is no format of a scan.", hint=f"Formats are {', '.join(_FORMATS)}.")
    if output.as_json and form != "json":
        raise UsageError(f"--json and --format {form} exclude each other.")
    output.as_json = form == "json"
    here = os.getcwd()
    done = scan_paths(session, [os.path.abspath(path) for path in parsed.many] or [here])
    for path, reason in done.unread:
        session.say("warning", "unread", f"{_shown(path, here)} was not scanned: {reason}", path=path)
    code = SafetyError.exit_code if done.found else EngramError.exit_code if done.unread else 0
    if form == "sarif":
        from json import dumps

        from engram.cli.sarif import sarif_log

        output.text(dumps(sarif_log(done, here), indent=2))
    for one in done.found if form == "text" else ():
        finding = one.finding
        place = f"{_shown(one.path, here)}:{finding.line}:{finding.column}"
        output.line(f"{place}: {finding.rule}: {finding.message} ({one.action})")
    if form == "text":
        output.line(f"{counted(len(done.found), 'finding')} in {counted(done.files, 'text file')}.")
    return output.done(_as_data(done, here), code=code)


def _as_data(done: Scan, here: str) -> dict[str, object]:
    return {
        "files": done.files,
        "findings": [_row(one, here) for one in done.found],
        "unread": [{"path": _shown(path, here), "reason": reason} for path, reason in done.unread],
    }


def _row(one: Located, here: str) -> dict[str, object]:
    finding = one.finding
    return {
        "path": _shown(one.path, here),
        "rule": finding.rule,
        "group": finding.group,
        "kind": finding.kind,
        "line": finding.line,
        "column": finding.column,
        "start": finding.start,
        "end": finding.end,
        "message": finding.message,
        "action": one.action,
    }


def _shown(path: str, here: str) -> str:
    """Return a path as it is called from the current folder."""
    try:
        return os.path.relpath(path, here)
    except ValueError:  # another drive
        return path
