"""``engram doctor``: what is wrong or half done, each finding with an id, a sentence, and the command that mends it."""

from __future__ import annotations

import os
import shutil

from engram.errors import EngramError
from engram.hosts.places import is_here
from engram.hosts.table import HOSTS
from engram.record import Record
from engram.service.host_settings import unasked
from engram.service.linking import survey
from engram.text.plural import counted
from engram.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from engram.service.handshake import Handshake
    from engram.service.link_report import PartState
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

    Level = Literal["info", "warning", "error"]

__all__ = ["Examined", "Finding", "examine", "mend"]

_PROGRAM, _SERVER = "engram", "engram-mcp"
_PARTS = {
    "plugin": "plugin",
    "mcp": "MCP entry",
    "instructions": "instructions",
    "skill": "skill",
    "command": "slash command",
    "hooks": "hooks",
}
_MANY = frozenset({"instructions", "hooks"})


class Finding(Record):
    """Something to look at.

    Attributes:
        id: stable, its group first: ``host.unlinked``.
        level: ``error`` is what does not work, ``warning`` what may do harm or is half done, ``info`` the rest.
        message: one sentence.
        command: what mends it, or what to do.
        file: that it is about; may be empty.
        fixable: ``engram doctor --fix`` mends it.
    """

    id: str
    level: Level
    message: str
    command: str = ""
    file: str = ""
    fixable: bool = False


class Examined(Record):
    """What was looked at: the findings, and for each host that is here how it is linked."""

    version: str
    findings: tuple[Finding, ...]
    hosts: dict[str, str]


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
    except EngramError as error:
        findings.append(Finding("links.broken", "error", error.message, error.hint, error.path))
    found_here = {host.id for host in HOSTS if is_here(host, session.environ)}
    states = _each_once(states, found_here)
    for host in HOSTS:
        mine = [state for state in states if state.host == host.id]
        here = host.id in found_here
        found = list(_host(host.id, mine, here=here))
        findings += found
        linked = sorted({f"{state.scope}: {state.part}" for state in mine if state.state in {"linked", "stale"}})
        if here or any(state.recorded for state in mine):
            hosts[host.id] = ", ".join(linked) or "not linked"
    findings += unasked_findings(session)
    if start:
        findings += _handshakes(session, states)
    findings += _memory(session)
    return Examined(__version__, tuple(dict.fromkeys(findings)), hosts)


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


def mend(session: Session) -> list[str]:
    """Mend what cannot lose anything: stale entries and blocks that Engram wrote. Return what was done."""
    from engram.service.linking import refresh

    report = refresh(session, plan=False)
    return [
        f"{result.host}: {result.part} written afresh in {result.file}"
        for result in report.results
        if result.action == "updated"
    ]


def _installation(session: Session) -> Iterator[Finding]:
    from engram.service.launching import find_launch, own_program

    try:
        find_launch(session.environ)
    except EngramError as error:
        yield Finding("install.program", "error", error.message, error.hint)
    path = session.environ.get("PATH", os.defpath)
    for program in (_PROGRAM, _SERVER):
        own, found = own_program(program), shutil.which(program, path=path)
        folder = os.path.dirname(own) or "it is in"
        if not found:
            message = f"{program} is not on PATH, so hosts that start it by name do not find it."
            command = f"Put the folder {folder} on PATH, then: engram upgrade"
            yield Finding("install.path", "warning", message, command)
        elif own and os.path.realpath(found) != os.path.realpath(own):
            message = f"{program} on PATH is another program, {found}; this is {own}, version {__version__}."
            yield Finding("install.other", "warning", message, f"Put the folder {folder} first on PATH.", found)


def _host(host: str, states: list[PartState], *, here: bool) -> Iterator[Finding]:
    linked = {(state.scope, state.part) for state in states if state.state in {"linked", "stale"}}
    for state in states:
        where = f"{_PARTS[state.part]} of {host}"
        scope = " --global" if state.scope == "global" else " --workspace"
        again = f"engram link {host}{scope}"
        match state.state:
            case "broken" if here or state.recorded:
                yield Finding("host.broken", "error", state.reason, "Mend the file by hand.", state.file)
            case "stale":
                message = f"The {where} {_is(state)} of an older version or another place."
                yield Finding("host.stale", "warning", message, "engram upgrade", state.file, fixable=True)
            case "edited":
                message = f"The {where} {_was(state)} edited since Engram wrote it."
                yield Finding("host.edited", "info", message, f"{again} --force (writes it afresh)", state.file)
            case "foreign":
                message = f"An entry engram stands there that Engram did not write ({where})."
                yield Finding("host.foreign", "warning", message, f"{again} --force (replaces it)", state.file)
            case "absent" if state.recorded:
                message = f"The {where} {_was(state)} linked, and {_is(state)} no longer there."
                yield Finding("host.unlinked", "warning", message, again, state.file)
            case _:
                pass
        for note in state.notes:
            yield Finding("host.note", "warning", f"{state.file}: {note}", "Look at the file.", state.file)
    if here and not linked and any(state.file for state in states):
        yield Finding("host.not_linked", "info", f"{host} is here and not linked.", f"engram link {host}")
    for scope in ("workspace", "global"):
        parts = {part for at, part in linked if at == scope}
        has_hooks = any(state.scope == scope and state.part == "hooks" and state.file for state in states)
        if here and "mcp" in parts and has_hooks and not {part for _, part in linked} & {"hooks"}:
            message = f"{host} has the server and no hook: memory comes only when the agent asks for it."
            yield Finding("host.partial", "info", message, f"engram link {host}")


def _is(state: PartState) -> str:
    return "are" if state.part in _MANY else "is"


def _was(state: PartState) -> str:
    return "were" if state.part in _MANY else "was"


def unasked_findings(session: Session) -> Iterator[Finding]:
    """Yield where a host's configuration lets ``engram_commit`` run with nobody asked (C9), and what waits in it."""
    for found in unasked(session):
        yield Finding(found.id, found.level, found.message, found.command, found.file)


def _handshakes(session: Session, states: list[PartState]) -> Iterator[Finding]:
    from engram.hosts.launch import shell_line
    from engram.service.handshake import shake_hands
    from engram.service.launching import find_launch

    try:
        kind = find_launch(session.environ).kind
    except EngramError:
        return
    folder = session.workspace.project if session.workspace else session.start
    tried: dict[tuple[str, ...], Handshake] = {}
    for state in states:
        if state.part != "mcp" or not state.command:
            continue
        if state.state != "linked" or kind == "pinned":
            if state.state != "linked" and not (state.state == "stale" and state.recorded):
                # A clone may bring any command: it is named, never run. What is stale was named already.
                message = f"{state.host} starts {shell_line(state.command)}, which engram link would not write today."
                yield Finding("host.command", "info", message, "Look at it; it was not started.", state.file)
            continue
        if state.command not in tried:
            tried[state.command] = shake_hands(state.command, session.environ, folder)
        answer = tried[state.command]
        if answer.trouble:
            yield Finding("host.start", "error", f"{state.host}: {answer.trouble}", answer.remedy, state.file)


def _memory(session: Session) -> Iterator[Finding]:
    from engram.service.status import skipped_sentence, status

    try:
        found = status(session)
    except EngramError as error:
        yield Finding("memory.broken", "error", error.message, error.hint, error.path)
        return
    if not found.roots:
        yield Finding("memory.none", "info", "There is no memory here.", "engram inject")
    for state, sentences in zip(found.roots, found.attention, strict=True):
        for sentence in sentences:
            if sentence.startswith(skipped_sentence(state.skipped)):
                continue  # which they are is said below
            said, command = _said_and_command(sentence)
            yield Finding("memory.attention", "warning", f"{state.scope} memory: {said}.", command, state.root)
    for root in session.roots:
        yield from _root(root)
    for notice in session.notices:
        level: Level = "warning" if notice.level == "warning" else "info"
        yield Finding(f"memory.{notice.code}", level, notice.message, notice.hint, notice.path)
    yield from _git(session)


def _said_and_command(sentence: str) -> tuple[str, str]:
    """Return what a sentence of ``engram status`` says, and the command that stands at its end."""
    for mark in ("; ", ": "):
        said, _, command = sentence.rpartition(mark)
        if command.startswith("engram "):
            return said, command.partition(" says ")[0].partition(" shows ")[0]
    return sentence, ""


def _root(root: MemoryRoot) -> Iterator[Finding]:
    """Say what is wrong with one root: bytes that nobody approved, a broken ledger, a lock that somebody holds."""
    from engram.service.keeping import verify_root
    from engram.store.files import JOURNAL
    from engram.store.journal import has_open_journal
    from engram.store.lock import holder_of

    try:
        report = verify_root(root)
    except EngramError as error:
        yield Finding("memory.ledger", "error", error.message, error.hint, error.path)
    else:
        if report.problems:
            files = counted(len(report.problems), "file")
            first = report.problems[0].text.removeprefix("SKIPPED ")
            message = f"{root.scope} memory: {files} not given to agents, the first of them {first}."
            yield Finding("memory.skipped", "warning", message, "engram verify", root.path)
    holder = holder_of(root.path)
    if has_open_journal(root.path) and not holder:
        message = f"{root.scope} memory: an interrupted write could be neither finished nor undone."
        place = os.path.join(root.path, JOURNAL)
        yield Finding("memory.journal", "error", message, "Look at the folder, and remove it.", place)
    if holder:
        message = f"{root.scope} memory is being written by another process ({holder})."
        yield Finding("memory.locked", "info", message, "Wait for it; the lock goes when it ends.", root.path)


def _git(session: Session) -> Iterator[Finding]:
    """Say what Git does with the memory: ignored memory reaches nobody, and tracked caches reach everybody."""
    workspace = session.workspace
    if workspace is None or workspace.git is None or not shutil.which("git"):
        return
    from engram.roots.git_process import is_ignored, tracked_below

    if is_ignored(workspace.project, os.path.join(workspace.root, "rules", "x.md")):
        message = "Git ignores the memory, so nobody else gets it and it is in no backup of the repository."
        yield Finding("git.ignored", "warning", message, "Take .agents out of .gitignore.", workspace.root)
    private = tracked_below(workspace.project, workspace.root, ("inbox", "working", ".cache", "pending-approvals.json"))
    if private:
        message = f"Git tracks what is private or derived: {', '.join(private[:3])}."
        command = f"git rm -r --cached {' '.join(private[:3])}"
        yield Finding("git.private", "warning", message, command, workspace.root)
