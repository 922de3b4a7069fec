"""``engram doctor``: what is wrong or half done, each finding with an id, a sentence, and the command that mends it."""

from __future__ import annotations

import os
import shutil

from engram.errors import EngramError
from engram.hosts.places import is_here
from engram.hosts.table import HOSTS, find_host
from engram.portable import WINDOWS, away_line, command_line, editor_line
from engram.record import Record
from engram.service.finding import Finding
from engram.service.host_settings import claude_user_server, unasked
from engram.service.linking import survey
from engram.service.memory_checks import examine_memory
from engram.service.unlinked import PART_NAMES, are, gone_command, gone_sentence, were
from engram.store.files import JOURNAL, read_error
from engram.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engram.service.handshake import Handshake
    from engram.service.link_report import PartState
    from engram.service.session import Session

__all__ = ["Examined", "examine", "mend"]

_PROGRAM, _SERVER = "engram", "engram-mcp"
_STANDS = frozenset({"linked", "stale", "edited"})
# What only the part concerned is linked with.
_ONLY = {
    "mcp": " --no-hooks --no-instructions",
    "instructions": " --no-mcp --no-hooks",
    "skill": " --no-mcp --no-hooks",
    "command": " --no-mcp --no-hooks",
    "hooks": " --no-mcp --no-instructions",
}
_TO_PASTE = (": engram ", ": chmod ", ": mv ", ": pip ")
_LASTING = "This holds in this shell; its start files make it last."
_REVIEW = "It shows what would be written over the edit, and asks."
_REPLACES = "This replaces it; it is left alone without."


class Examined(Record):
    """What was looked at: the findings, for each host that is here how it is linked, what the look itself mended."""

    version: str
    findings: tuple[Finding, ...]
    hosts: dict[str, str]
    healed: tuple[str, ...] = ()


def examine(session: Session, *, start: bool = True) -> Examined:
    """Look at the installation, the hosts, the memory and Git; nothing is changed.

    Args:
        session: where one is; its roots have not been asked for yet.
        start: start each registered command that ``engram link`` would write today, and shake hands with it.
    """
    findings = [*_installation(session)]
    states: list[PartState] = []
    hosts: dict[str, str] = {}
    try:
        states = survey(session)
        surveyed = True
    except (EngramError, OSError) as raised:
        surveyed = False
        error = read_error(raised, raised.filename or session.start) if isinstance(raised, OSError) else raised
        if error.message not in [finding.message for finding in findings]:
            findings.append(Finding("links.broken", "error", error.message, file=error.path, advice=error.hint))
    found_here = {host.id for host in HOSTS if is_here(host, session.environ)}
    states = _each_once(states, found_here)
    for host in HOSTS:
        mine = [state for state in states if state.host == host.id]
        here = host.id in found_here
        found = list(_host(host.id, mine, here=here))
        findings += found
        linked = sorted({f"{state.scope}: {state.part}" for state in mine if state.state in _STANDS})
        if here or any(state.recorded for state in mine):
            hosts[host.id] = ", ".join(linked) or ("not linked" if surveyed else "not known")
    findings += unasked_findings(session)
    findings += _claude_user(session, states)
    if start:
        findings += _handshakes(session, states)
    findings += examine_memory(session)
    with_commands = (_with_command(one, session.environ) for one in findings)
    open_roots = {one.file for one in findings if one.id == "memory.journal"}
    healed = (one for one in session.notices if one.code == "healed")
    mended = (f"{one.message} ({one.path})" for one in healed if os.path.join(one.path, JOURNAL) not in open_roots)
    return Examined(__version__, tuple(dict.fromkeys(with_commands)), hosts, tuple(mended))


def _with_command(finding: Finding, environ: Mapping[str, str]) -> Finding:
    """Return a finding with a command: the one that its advice ends with, else an editor on the file that it names."""
    if finding.command:
        return finding.replace(advice=f"{finding.advice} run this.") if finding.advice.endswith(", then") else finding
    found = [at for mark in _TO_PASTE if (at := finding.advice.find(mark)) >= 0]
    if found:
        advice, command = finding.advice[: min(found)], finding.advice[min(found) + 2 :]
        return finding.replace(
            command=command, advice=f"{advice} run this." if advice.endswith(", then") else f"{advice}."
        )
    if os.path.isfile(finding.file):
        return finding.replace(command=editor_line(finding.file, environ))
    return finding


def _each_once(states: list[PartState], here: set[str]) -> list[PartState]:
    """Leave out what a host only shares the file of: it is not here, was never linked, and another one has it."""
    shared = {(state.file, state.where) for state in states if state.recorded or state.host in here}
    first: dict[tuple[str, str], str] = {}
    for state in states:
        first.setdefault((state.file, state.where), state.host)
    return [
        state
        for state in states
        if state.recorded
        or state.host in here
        or ((state.file, state.where) not in shared and first[state.file, state.where] == state.host)
    ]


def mend(session: Session) -> tuple[list[str], list[EngramError]]:
    """Mend what cannot lose anything: stale entries and blocks that Engram wrote, and the form of ledgers.

    Returns:
        What was done, a line each, and what kept something from being done: one thing keeps nothing else from it.
    """
    done: list[str] = []
    errors: list[EngramError] = []
    for step in (_mend_hosts, _mend_memory):
        try:
            step(session, done, errors)
        except EngramError as error:
            errors.append(error)
        except OSError as error:
            errors.append(read_error(error, error.filename or session.start))
    return done, errors


def _mend_hosts(session: Session, done: list[str], errors: list[EngramError]) -> None:
    from engram.service.linking import refresh

    report = refresh(session, plan=False)
    done += [
        f"{result.host}: {result.part} written afresh in {result.file}"
        for result in report.results
        if result.action == "updated"
    ]
    errors += report.errors


def _mend_memory(session: Session, done: list[str], _errors: list[EngramError]) -> None:
    from engram.service.repairing import mend_memory

    session.recheck_trust()  # before the roots are asked for: what is foreign by its history is so afterwards too
    if session.roots:
        done += [f"{one.path} in {one.root}: {one.reason}" for one in mend_memory(session)]


def _installation(session: Session) -> Iterator[Finding]:
    from engram.service.launching import find_launch, own_program

    try:
        find_launch(session.environ)
    except EngramError as error:
        yield Finding("install.program", "error", error.message, "engram doctor", advice=error.hint)
    if os.path.exists(session.config_dir) and not os.path.isdir(session.config_dir):
        message = f"{session.config_dir} is no folder, so Engram remembers nothing: neither trust nor what it linked."
        yield Finding("install.folder", "error", message, away_line(session.config_dir), session.config_dir)
    path = session.environ.get("PATH", os.defpath)
    for program in (_PROGRAM, _SERVER):
        own, found = own_program(program), shutil.which(program, path=path)
        folder = os.path.dirname(own)
        if not found and own:
            message = f"{program} is not on PATH, so hosts that start it by name do not find it."
            yield Finding("install.path", "warning", message, _on_path(folder), advice=_LASTING)
        elif own and found and os.path.realpath(found) != os.path.realpath(own):
            message = f"{program} on PATH is another program, {found}; this is {own}, version {__version__}."
            yield Finding("install.other", "warning", message, _on_path(folder), found, advice=_LASTING)


def _on_path(folder: str) -> str:
    """Return the command that puts a folder first on PATH, and has hosts' files written by it."""
    if WINDOWS:
        return f"$env:Path = '{folder};' + $env:Path; engram upgrade"
    return f'export PATH={command_line([folder])}:"$PATH" && engram upgrade'


def _host(host: str, states: list[PartState], *, here: bool) -> Iterator[Finding]:
    linked = {(state.scope, state.part) for state in states if state.state in _STANDS}
    for state in states:
        where = f"{PART_NAMES[state.part]} of {host}"
        scope = " --global" if state.scope == "global" else " --workspace"
        again = f"engram link {host}{scope}"
        match state.state:
            case "broken" if here or state.recorded:
                advice = state.hint or "Mend the file by hand."
                yield Finding("host.broken", "error", state.reason, file=state.file, advice=advice)
            case "stale":
                message = f"The {where} {are(state.part)} of an older version, another place or with other options."
                yield Finding("host.stale", "warning", message, "engram upgrade", state.file, fixable=True)
            case "edited":
                them = "them" if are(state.part) == "are" else "it"
                message = f"The {where} {were(state.part)} edited since Engram wrote {them}."
                command = "engram upgrade --review"
                yield Finding("host.edited", "info", message, command, state.file, advice=_REVIEW)
            case "foreign":
                message = f"An entry engram stands there that Engram did not write ({where})."
                command = f"{again}{_ONLY.get(state.part, '')} --force"
                yield Finding("host.foreign", "warning", message, command, state.file, advice=_REPLACES)
            case "absent" if state.recorded:
                yield Finding("host.unlinked", "warning", f"{gone_sentence(state)}.", gone_command(state), state.file)
            case _:
                pass
        # What its host would not like about a file that holds nothing of ours is no business of ours.
        for note in state.notes if state.state != "absent" else ():
            yield Finding("host.note", "warning", f"{state.file}: {note}", file=state.file)
    if here and not linked and any(state.file for state in states):
        yield Finding("host.not_linked", "info", f"{host} is here and not linked.", _link_line(host))
    for scope in ("workspace", "global"):
        parts = {part for at, part in linked if at == scope}
        has_hooks = any(state.scope == scope and state.part == "hooks" and state.file for state in states)
        if here and "mcp" in parts and has_hooks and not {part for _, part in linked} & {"hooks"}:
            message = f"{host} has the server and no hook: memory comes only when the agent asks for it."
            yield Finding("host.partial", "info", message, f"engram link {host} --{scope}")


def _link_line(name: str) -> str:
    """Return the command that links a host where C2 registers it."""
    host = find_host(name)
    return f"engram link {name}" + ("" if host is None or host.in_workspace else " --global")


def unasked_findings(session: Session) -> Iterator[Finding]:
    """Yield where a host's configuration lets ``engram_commit`` run with nobody asked (C9), and what waits in it."""
    for found in unasked(session):
        yield Finding(found.id, found.level, found.message, found.command, found.file, advice=found.advice)


def _claude_user(session: Session, states: list[PartState]) -> Iterator[Finding]:
    """Say whether the server that Claude Code has for all projects, by a command that was printed, is today's (C2)."""
    from engram.hosts.launch import ALWAYS_LOAD, SERVER, form_of, shell_line, with_options
    from engram.service.launching import find_launch

    try:
        launch = find_launch(session.environ)
    except EngramError:
        return
    mine = [state for state in states if state.host == "claude" and state.state in _STANDS]
    file, words = claude_user_server(session.environ)
    options = () if any(state.part == "hooks" for state in mine) else (ALWAYS_LOAD,)
    form = form_of(words, SERVER)
    server = (*launch.server, *options)
    add = f"claude mcp add --scope user engram -- {shell_line(with_options(server, form) if form else server)}"
    replace = f"claude mcp remove --scope user engram && {add}"
    if not words:
        recorded = any(state.scope == "global" and state.recorded for state in mine)
        if recorded and not any(state.part == "mcp" for state in mine):
            message = "Claude Code has no server engram for all projects yet; it adds one itself, by this command."
            yield Finding("host.claude_user", "info", message, add, file)
    elif form is None:
        message = f"Claude Code's server engram for all projects starts {shell_line(words)}, which is not Engram."
        yield Finding("host.foreign", "warning", message, replace, file, advice=_REPLACES)
    elif words[: len(launch.server)] != launch.server:
        message = "Claude Code's server engram for all projects is of an older version or another place."
        yield Finding("host.stale", "warning", message, replace, file)


def _handshakes(session: Session, states: list[PartState]) -> Iterator[Finding]:
    """Start each different command that link would write today once; name those that it would not."""
    from engram.hosts.launch import ALWAYS_LOAD, NO_ELICITATION, shell_line
    from engram.service.handshake import shake_hands
    from engram.service.launching import find_launch

    try:
        launch = find_launch(session.environ)
    except EngramError:
        return
    folder = session.workspace.project if session.workspace else session.start
    # Command → the hosts and files that have it.
    places: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for state in states:
        if state.part != "mcp" or not state.command:
            continue
        start, options = state.command[: len(launch.server)], {*state.command[len(launch.server) :]}
        todays = state.state == "linked" or (start == launch.server and options <= {ALWAYS_LOAD, NO_ELICITATION})
        if todays:
            places.setdefault(state.command, []).append((state.host, state.file))
        elif not (state.state == "stale" and state.recorded):
            # A clone may bring any command: it is named, never run. What is stale was named already.
            message = f"{state.host} starts {shell_line(state.command)}, which engram link would not write today."
            yield Finding("host.command", "info", message, file=state.file, advice="Look at it; it was not started.")
    file, words = claude_user_server(session.environ)
    if words[: len(launch.server)] == launch.server and {*words[len(launch.server) :]} <= {ALWAYS_LOAD, NO_ELICITATION}:
        places.setdefault(words, []).append(("claude", file))
    found: dict[Handshake, list[tuple[str, str]]] = {}
    for command, users in places.items() if launch.kind != "pinned" else ():
        answer = shake_hands(command, session.environ, folder)
        if answer.trouble:
            found.setdefault(answer, []).extend(users)
    for answer, users in found.items():
        hosts = ", ".join(dict.fromkeys(host for host, _ in users))
        files = list(dict.fromkeys(file for _, file in users))
        message = f"{hosts}: {answer.trouble}" + (f", in {', '.join(files)}" if len(files) > 1 else "")
        place = files[0] if len(files) == 1 else ""
        yield Finding("host.start", "error", f"{message}.", answer.command, place, advice=answer.remedy)
