"""What ``engram doctor`` says about the memory here: its bytes, its ledger, its lock, what waits, and Git."""

from __future__ import annotations

import os
import shutil

from engram.errors import EngramError
from engram.roots.git_process import is_ignored, tracked_below
from engram.safety.fence import show_line
from engram.service.finding import Finding
from engram.service.keeping import verify_root
from engram.service.status import skipped_sentence, status
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


def examine_memory(session: Session) -> Iterator[Finding]:
    """Yield what is wrong with the memory, or waits for a human, and what Git does with it."""
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
        if report.undated:
            path, key, text = report.undated[0]
            files = counted(len({path for path, _, _ in report.undated}), "file")
            said = f"validity written as no day in {files}, the first of them {path} ({key} is {show_line(text)})"
            yield Finding("memory.undated", "warning", f"{root.scope} memory: {said}.", "engram verify", root.path)
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
    if is_ignored(workspace.project, os.path.join(workspace.root, "rules", "x.md")):
        message = "Git ignores the memory, so nobody else gets it and it is in no backup of the repository."
        yield Finding("git.ignored", "warning", message, "Take .agents out of .gitignore.", workspace.root)
    private = tracked_below(workspace.project, workspace.root, ("inbox", "working", ".cache", "pending-approvals.json"))
    if private:
        message = f"Git tracks what is private or derived: {', '.join(private[:3])}."
        command = f"git rm -r --cached {' '.join(private[:3])}"
        yield Finding("git.private", "warning", message, command, workspace.root)
