"""What ``engram doctor`` says about the memory here: its bytes, its ledger, its lock, what waits, and Git."""

from __future__ import annotations

import os
import shutil

from engram.config.files import CONFIG_NAME
from engram.errors import ConfigError, EngramError
from engram.portable import command_line
from engram.roots.git_process import ignoring_rule, tracked_below
from engram.safety.fence import show_line
from engram.service.finding import Finding
from engram.service.keeping import verify_root
from engram.service.repairing import examine_form
from engram.service.status import status
from engram.service.waiting import skipped_sentence
from engram.store.files import JOURNAL, has_open_journal
from engram.store.lock import holder_of
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.service.finding import Level
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["examine_memory"]

_PRIVATE = ("inbox", "working", ".cache", "pending-approvals.json")
_NAMED = 3  # paths in one sentence


def examine_memory(session: Session) -> Iterator[Finding]:
    """Yield what is wrong with the memory, or waits for a human, and what Git does with it."""
    try:
        found = status(session)
    except EngramError as error:
        name = "config.broken" if isinstance(error, ConfigError) else "memory.broken"
        yield Finding(name, "error", error.message, file=error.path, advice=error.hint)
        return
    if not found.roots:
        yield Finding("memory.none", "info", "There is no memory here.", "engram inject")
    for state, sentences, commands in zip(found.roots, found.attention, found.commands, strict=True):
        for sentence, command in zip(sentences, commands, strict=True):
            if sentence.startswith(skipped_sentence(state.skipped)):
                continue  # which they are is said below
            said = _without_command(sentence)
            yield Finding("memory.attention", "warning", f"{state.scope} memory: {said}.", command, state.root)
    for root in session.roots:
        yield from _root(root)
    for notice in session.notices:
        level: Level = "warning" if notice.level == "warning" else "info"
        yield Finding(f"memory.{notice.code}", level, notice.message, file=notice.path, advice=notice.hint)
    yield from _unknown_keys(session)
    yield from _git(session)


def _unknown_keys(session: Session) -> Iterator[Finding]:
    """Name the keys of configuration that mean nothing (F21)."""
    own = session.workspace and os.path.join(session.workspace.root, CONFIG_NAME)
    for unknown in session.settings.unknown:
        message = f"{unknown.key} in {unknown.file} is no key that Engram knows: it is kept, and does nothing."
        if not os.path.isabs(unknown.file):
            command = f"unset {unknown.key}"
        else:
            command = command_line(["engram", "config", "unset", unknown.key]) if unknown.file == own else ""
        yield Finding("config.unknown", "info", message, command, unknown.file)


def _without_command(sentence: str) -> str:
    """Return what a sentence of ``engram status`` says, without the command that stands at its end."""
    for mark in ("; ", ": "):
        said, _, command = sentence.rpartition(mark)
        if command.startswith("engram "):
            return said
    return sentence


def _root(root: MemoryRoot) -> Iterator[Finding]:
    """Say what is wrong with one root: bytes that nobody approved, a broken ledger, a lock that somebody holds."""
    try:
        report = verify_root(root)
    except EngramError as error:
        yield Finding("memory.ledger", "error", error.message, file=error.path, advice=error.hint)
    else:
        if report.problems:
            files = counted(len(report.problems), "file")
            first = report.problems[0].text.removeprefix("SKIPPED ")
            message = f"{root.scope} memory: {files} not given to agents, the first of them {first}."
            yield Finding("memory.skipped", "warning", message, "engram verify", root.path)
        if report.undated:
            path, key, text = report.undated[0]
            files = counted(len({path for path, _, _ in report.undated}), "file")
            said = f"validity written as no day in {files}, the first of them {path} ({key} is {show_line(text)})"
            yield Finding("memory.undated", "warning", f"{root.scope} memory: {said}.", "engram verify", root.path)
    for damage in examine_form(root):
        message = f"{root.scope} memory: {damage.path}: {damage.reason}."
        place = os.path.join(root.path, damage.path)
        yield Finding("memory.damaged", "warning", message, damage.mend, place, fixable=damage.fixable)
    holder = holder_of(root.path)
    if has_open_journal(root.path) and not holder:
        message = f"{root.scope} memory: an interrupted write could be neither finished nor undone."
        place = os.path.join(root.path, JOURNAL)
        # Moved and not removed: it may hold the only copy of what was being written.
        command = f"mv {command_line([place])} ~/engram-journal"
        advice = "Look at what is in it then: texts that were being written."
        yield Finding("memory.journal", "error", message, command, place, advice=advice)
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
