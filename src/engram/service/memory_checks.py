"""What ``engram doctor`` says about the memory here: its bytes, its ledger, its lock, what waits, and Git."""

from __future__ import annotations

import os
import shutil

from engram.config.author import read_authors
from engram.config.files import CONFIG_NAME
from engram.config.keys import find, variable_of
from engram.errors import ConfigError, EngramError, UsageError
from engram.portable import away_line, command_line
from engram.roots.find import new_workspace
from engram.roots.git_process import ignoring_rule, tracked_below
from engram.safety.fence import show_line
from engram.service.author import author_file
from engram.service.finding import Finding
from engram.service.inbox import FOLDER as INBOX
from engram.service.keeping import verify_root
from engram.service.repairing import examine_form
from engram.service.scorers import open_scorers
from engram.service.status import status
from engram.service.waiting import skipped_sentence
from engram.store.files import JOURNAL, has_open_journal, read_error, read_optional
from engram.store.lock import holder_of
from engram.store.root import NOTES, REVIEW_COMMAND
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engram.service.finding import Level
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["examine_memory"]

_PRIVATE = ("inbox", "working", ".cache", "pending-approvals.json")
_NAMED = 3  # paths in one sentence
# The commands that mend what a notice of this code is about.
_COMMANDS = {"no_index": "engram status", "semantic": "engram semantic on"}
_REVIEWED = frozenset({"mismatch", "missing", "unlisted"})  # kinds of files that a review decides about


def examine_memory(session: Session) -> Iterator[Finding]:
    """Yield what is wrong with the memory, or waits for a human, and what Git does with it."""
    try:
        session.recheck_trust()
        roots = session.roots
    except EngramError as error:
        yield _broken(session, error)
        return
    named: set[str] = set()
    for look in (_each_root, _status, _by_meaning, _notices, _unknown_keys, _author, _git):
        for finding in _whole(session, look):
            # What keeps one look from being taken keeps others from it too.
            if finding.level != "error" or finding.file not in named:
                yield finding
            if finding.level == "error" and finding.file:
                named.add(finding.file)
    if not roots:
        yield _nothing(session)


def _whole(session: Session, look: Callable[[Session], Iterator[Finding]]) -> Iterator[Finding]:
    try:
        yield from look(session)
    except (EngramError, OSError) as error:
        yield _broken(session, error)


def _nothing(session: Session) -> Finding:
    """Return that there is no memory here, with what makes one."""
    said = "There is no memory here."
    try:
        root = new_workspace(session.start, session.environ, session.config_dir).root
    except UsageError as error:
        command = "engram inject --global-path ~/engram-memory"
        advice = f"{error.message} A global memory is there in every folder."
        return Finding("memory.none", "info", said, command, advice=advice)
    for place in (os.path.dirname(root), root):
        if os.path.exists(place) and not os.path.isdir(place):
            message = f"{place} is no folder, so there is no memory here, and none can be made."
            return Finding("memory.misshaped", "error", message, away_line(place), place)
    return Finding("memory.none", "info", said, "engram inject")


def _author(session: Session) -> Iterator[Finding]:
    """Say what keeps Engram from knowing who saves (F6a); where nobody said it the first save does."""
    path = author_file(session)
    if (data := read_optional(path)) is not None:
        read_authors(data.decode("utf-8", "replace"), path)
    yield from ()


def _broken(session: Session, error: EngramError | OSError) -> Finding:
    """Return what kept a look from being taken; others are taken all the same."""
    if isinstance(error, OSError):
        error = read_error(error, error.filename or session.start)
    if not isinstance(error, ConfigError):
        return Finding("memory.broken", "error", error.message, file=error.path, advice=error.hint)
    command = ""
    if not error.path and (key := find(str(error.details.get("key")))) and variable_of(key.name) in session.environ:
        command = f"unset {variable_of(key.name)}"
    return Finding("config.broken", "error", error.message, command, error.path, advice=error.hint)


def _status(session: Session) -> Iterator[Finding]:
    """Say what ``engram status`` says that a human should look at."""
    found = status(session)
    for state, sentences, commands in zip(found.roots, found.attention, found.commands, strict=True):
        for sentence, command in zip(sentences, commands, strict=True):
            if sentence.startswith(skipped_sentence(state.skipped)):
                continue  # which they are is said below
            said = _without_command(sentence)
            message = f"{state.scope} memory: {said}" + ("" if said.endswith("?") else ".")
            yield Finding("memory.attention", "warning", message, command, state.root)


def _each_root(session: Session) -> Iterator[Finding]:
    for root in session.roots:
        unfinished = [one.message for one in session.notices if one.code == "healed" and one.path == root.path]
        yield from _root(session, root, " ".join(unfinished))


def _by_meaning(session: Session) -> Iterator[Finding]:
    """Have it said that recall by meaning is on and cannot be used: only a recall would meet that."""
    for scorer in open_scorers(session, ()):
        scorer.close()
    yield from ()


def _notices(session: Session) -> Iterator[Finding]:
    """Say what came up while the memory was read; what was healed is mended, and what was not is named as a journal."""
    for notice in session.notices:
        level: Level = "warning" if notice.level == "warning" else "info"
        command = _COMMANDS.get(notice.code, "")
        advice = "" if command and notice.hint.endswith(command) else notice.hint
        if notice.code not in {"healed", "not_counted"}:
            yield Finding(f"memory.{notice.code}", level, notice.message, command, notice.path, advice=advice)
    own = _own_file(session)
    for item in session.settings.not_counted:
        message = f"{item.key} = {item.value} in {item.file} does not count: {item.reason}"
        command = command_line(["engram", "config", "unset", item.key]) if item.file == own else ""
        yield Finding("memory.not_counted", "warning", message, command, item.file)


def _unknown_keys(session: Session) -> Iterator[Finding]:
    """Name the keys of configuration that mean nothing (F21)."""
    own = _own_file(session)
    for unknown in session.settings.unknown:
        message = f"{unknown.key} in {unknown.file} is no key that Engram knows: it is kept, and does nothing."
        if not os.path.isabs(unknown.file):
            command = f"unset {unknown.key}"
        else:
            everywhere = ["--global"] if unknown.file == session.user_file else []
            unset = command_line(["engram", "config", "unset", unknown.key, *everywhere])
            command = unset if everywhere or unknown.file == own else ""
        yield Finding("config.unknown", "info", message, command, unknown.file)


def _own_file(session: Session) -> str:
    """Return the configuration file that ``engram config`` changes here, ``""`` where there is no workspace."""
    return os.path.join(session.workspace.root, CONFIG_NAME) if session.workspace else ""


def _without_command(sentence: str) -> str:
    """Return what a sentence of ``engram status`` says, without the command that stands at its end."""
    for mark in ("; ", ": "):
        said, _, command = sentence.rpartition(mark)
        if command.startswith("engram "):
            return said
    return sentence


def _root(session: Session, root: MemoryRoot, unfinished: str) -> Iterator[Finding]:
    """Say what is wrong with one root: bytes that nobody approved, a broken ledger, a lock that somebody holds."""
    for damage in examine_form(root):
        message = f"{root.scope} memory: {damage.path}: {damage.reason}."
        place = os.path.join(root.private if damage.path in {INBOX, NOTES} else root.path, damage.path)
        if damage.kind == "misshaped":
            yield Finding("memory.misshaped", "error", message, file=place, advice=damage.mend)
        else:
            yield Finding("memory.damaged", "warning", message, damage.mend, place, fixable=damage.fixable)
    try:
        report = verify_root(root)
    except EngramError as error:
        yield _broken(session, error)
    else:
        if report.problems:
            files = counted(len(report.problems), "file")
            first = _without_command(report.problems[0].text.removeprefix("SKIPPED "))
            message = f"{root.scope} memory: {files} not given to agents, the first of them {first}."
            command = next((REVIEW_COMMAND for one in report.problems if one.kind in _REVIEWED), "engram repair")
            yield Finding("memory.skipped", "warning", message, command, root.path)
        if report.undated:
            path, key, text = report.undated[0]
            files = counted(len({path for path, _, _ in report.undated}), "file")
            said = f"validity written as no day in {files}, the first of them {path} ({key} is {show_line(text)})"
            name = f"{root.scope}/{os.path.basename(path).removesuffix('.md')}"
            command = command_line(["engram", "edit", name])
            yield Finding("memory.undated", "warning", f"{root.scope} memory: {said}.", command, root.path)
    holder = holder_of(root.path)
    if has_open_journal(root.path) and not holder:
        why = unfinished or "An interrupted write could be neither finished nor undone."
        place = os.path.join(root.path, JOURNAL)
        advice = "Look at what is in it then: texts that were being written."
        yield Finding("memory.journal", "error", f"{root.scope} memory: {why}", away_line(place), place, advice=advice)
    if holder:
        message = f"{root.scope} memory is being written by another process ({holder})."
        advice = "Wait for it, and look again; the lock goes when it ends."
        yield Finding("memory.locked", "info", message, "engram doctor", root.path, advice=advice)


def _git(session: Session) -> Iterator[Finding]:
    """Say what Git does with the memory: ignored memory reaches nobody, and tracked caches reach everybody."""
    workspace = session.workspace
    if workspace is None or workspace.git is None or not shutil.which("git"):
        return
    if rule := ignoring_rule(workspace.project, os.path.join(workspace.root, "rules", "x.md")):
        file, line, pattern = rule
        message = "Git ignores the memory, so nobody else gets it and it is in no backup of the repository."
        advice = f"Take {pattern} out of it (line {line}), or put !{pattern} behind it."
        yield Finding("git.ignored", "warning", message, file=file, advice=advice)
    private = {name: tracked_below(workspace.project, workspace.root, (name,)) for name in _PRIVATE}
    paths = [path for below in private.values() for path in below]
    if paths:
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        message = f"Git tracks what is private or derived: {', '.join(paths[:_NAMED])}{more}."
        names = [os.path.join(workspace.root, name) for name, below in private.items() if below]
        command = command_line(["git", "-C", workspace.project, "rm", "-r", "--quiet", "--cached", "--", *names])
        advice = "It takes them out of the next commit, and leaves the files."
        yield Finding("git.private", "warning", message, command, workspace.root, advice=advice)
