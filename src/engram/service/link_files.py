"""The host files that one run of ``link`` or ``unlink`` touches: each once, whatever names reach it (C5)."""

from __future__ import annotations

import os

from engram.errors import StoreError
from engram.record import Record
from engram.roots.git import find_git
from engram.roots.git_process import run_git
from engram.safety.fence import show_inert
from engram.safety.scan import redact, scan
from engram.store.host_files import (
    HostFile,
    HostFileError,
    check_writable,
    drop_leftover,
    missing_folders,
    not_changed,
    open_host_file,
    remove_file,
    remove_folders,
    replace_file,
)
from engram.store.links import (
    LinkRecord,
    backup_path,
    drop_backup,
    drop_leftovers,
    keep_backup,
    kept_backup,
    save_links,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.errors import EngramError
    from engram.hosts.part import PartError

__all__ = ["FileChange", "LinkFiles", "OpenFile", "leads_out", "tracked"]

_CONTEXT = 3  # lines around a change in a diff


class FileChange(Record):
    """What happens to one file.

    Attributes:
        file: its name as the host knows it.
        change: ``create``, ``edit`` or ``delete``.
        diff: what changes, for a plan, secrets masked; ``""`` otherwise.
        backup: where the file as it was is kept; ``""`` where nothing has to be.
        earlier: where the file as it was before Engram first changed it is still kept, though nothing of Engram stands
            in it any more: it has changed otherwise since.
    """

    file: str
    change: str
    diff: str = ""
    backup: str = ""
    earlier: str = ""


class OpenFile:
    """One file: what was read, what it is to become, and what is known about it."""

    def __init__(self, file: HostFile, record: LinkRecord | None) -> None:
        self.file = file
        self.before = file.text
        self.text = self.before
        self.touched = record is not None and not record.untouched
        blank = file.data is not None and not self.before.strip("\ufeff \t\r\n")
        self.record = record or LinkRecord(hosts={}, was=self.before if blank else None)
        if file.data is None:
            # Somebody may have taken it away since: what was made in the old file went with it.
            self.record = self.record.replace(created=True, made=(), was=None)
        self.delete = False

    @property
    def changed(self) -> bool:
        """Whether the file has to be written or taken away."""
        return self.file.data is not None if self.delete else self.text != self.before


class LinkFiles:
    """All files of a run, opened when they are first asked for and written together.

    Args:
        config_dir: the user's configuration folder.
        records: what earlier runs did, by path.
    """

    def __init__(self, config_dir: str, records: Mapping[str, LinkRecord]) -> None:
        self.config_dir = config_dir
        self.records = dict(records)
        self._open: dict[str, OpenFile] = {}
        self._failed: dict[str, HostFileError] = {}
        self._unwritten: dict[str, HostFileError] = {}
        self._identities: dict[str, str] = {}

    def open(self, name: str) -> OpenFile:
        """Return a file, the same for every name that reaches it.

        Raises:
            HostFileError: when it cannot be read, or could not be parsed before in this run.
        """
        file = open_host_file(name)
        self._identities[name] = file.identity
        if file.identity in self._failed:
            raise self._failed[file.identity]
        if file.identity not in self._open:
            self._open[file.identity] = OpenFile(file, self.records.get(file.path))
        return self._open[file.identity]

    def opened(self) -> tuple[OpenFile, ...]:
        """Return the files of this run, in the order of opening."""
        return tuple(self._open.values())

    def failed(self, target: OpenFile, error: PartError) -> HostFileError:
        """Take a file that cannot be parsed out of the run and return the error that names it with the place (C8)."""
        place = f"line {error.line}" + (f", column {error.column}" if error.column else "") if error.line else ""
        reason = f"{place}: {error.reason}" if place else error.reason
        failure = not_changed(target.file.name, reason, line=error.line)
        self._failed[target.file.identity] = failure
        self._open.pop(target.file.identity, None)
        return failure

    def not_written(self, name: str) -> HostFileError | None:
        """Return why a file could not be written, or in a plan why it could not be."""
        return self._unwritten.get(self.identity(name))

    def identity(self, name: str) -> str:
        """Return what is the same for all names of a file that was opened in this run; the name of any other."""
        return self._identities.get(name, name)

    def plan(self) -> tuple[list[FileChange], list[EngramError]]:
        """Return what would happen with its diffs, in the order of opening, and what would go wrong."""
        planned: list[FileChange] = []
        errors: list[EngramError] = []
        for target in self._open.values():
            if not target.changed:
                continue
            try:
                check_writable(target.file)
            except HostFileError as error:
                self._unwritten[target.file.identity] = error
                errors.append(error)
            else:
                planned.append(self._change(target, diffs=True))
        return planned, errors

    def write(self) -> tuple[list[FileChange], list[EngramError]]:
        """Keep backups, remember what is created, write every file; one that fails keeps nobody else from it.

        Returns:
            What happened, and what went wrong.

        Raises:
            StoreError: when the configuration folder cannot be written: then nothing was changed.
        """
        done: list[FileChange] = []
        errors: list[EngramError] = []
        before = dict(self.records)
        inherited = {folder for record in before.values() for folder in record.folders}
        for target in self._open.values():
            if target.file.data is None and target.changed:
                folders = {*missing_folders(target.file.path), *_above(target.file.path, inherited)}
                target.record = target.record.replace(folders=tuple(sorted(folders, key=len)))
            untouched = target.file.data is not None and not target.touched and not target.changed
            self.records[target.file.path] = target.record.replace(untouched=untouched)
        touched = [target for target in self._open.values() if target.changed]
        for target in touched:
            if self._needs_backup(target):
                keep_backup(self.config_dir, target.file)
        # What a killed run created has to be known to the next one, and what it was to take out may still be there.
        safe = {**before, **_linked(self.records)}
        if safe != before:
            save_links(self.config_dir, safe)
        emptied: set[str] = set()
        for target in self._open.values():
            drop_leftover(target.file.path)
            if target.file.data is None and not target.changed and not target.record.hosts:
                emptied |= set(target.record.folders)  # a killed run made them, and never the file
        for target in touched:
            path = target.file.path
            try:
                if target.delete:
                    remove_file(target.file)
                    emptied |= set(target.record.folders)
                else:
                    replace_file(target.file, target.text.encode())
            except HostFileError as error:
                errors.append(error)
                self._unwritten[target.file.identity] = error
                if self._needs_backup(target):
                    drop_backup(self.config_dir, path, target.file.data)  # it was not changed: nothing to go back to
                self.records.pop(path)
                self.records.update({path: before[path]} if path in before else {})
                continue
            done.append(self._change(target, diffs=False))
            drop_backup(self.config_dir, path, None if target.delete else target.text.encode())
        remove_folders(tuple(emptied))
        for target in self._open.values():
            if not target.changed and not target.record.hosts:
                # A killed run kept it, and did no more.
                drop_backup(self.config_dir, target.file.path, target.file.data)
        drop_leftovers(self.config_dir)
        if _linked(self.records) != safe:
            try:
                save_links(self.config_dir, self.records)
            except StoreError as error:
                errors.append(error)  # the files are written; what is recorded too much is found missing later
        return done, errors

    def _needs_backup(self, target: OpenFile) -> bool:
        """Tell whether the file as it is now is kept: once, before the first change, and never one that we made."""
        return target.file.data is not None and not target.touched and not target.record.created

    def _change(self, target: OpenFile, *, diffs: bool) -> FileChange:
        after = "" if target.delete else target.text
        change = "delete" if target.delete else "create" if target.file.data is None else "edit"
        backup = backup_path(self.config_dir, target.file.path) if self._needs_backup(target) else ""
        diff = _diff(target.file.name, target.before, after, change) if diffs else ""
        earlier = ""
        if not target.record.hosts and not backup:
            earlier = kept_backup(self.config_dir, target.file.path, None if target.delete else after.encode())
        return FileChange(target.file.name, change, diff, backup, earlier)


def _linked(records: Mapping[str, LinkRecord]) -> dict[str, LinkRecord]:
    return {path: record for path, record in records.items() if record.hosts}


def leads_out(name: str, project: str) -> str:
    """Return the link on the way to a project's file that Git tracks and that leads out of the project, ``""`` if none.

    A clone can bring such a link, and what it points at is a file that nobody named.
    """
    top = os.path.realpath(project)
    here = project
    for step in os.path.relpath(name, project).split(os.sep):
        here = os.path.join(here, step)
        if os.path.islink(here) and not (os.path.realpath(here) + os.sep).startswith(top.rstrip(os.sep) + os.sep):
            return here if tracked([here]) else ""
    return ""


def tracked(names: list[str]) -> list[str]:
    """Return those of the files that Git tracks."""
    found: list[str] = []
    folders: dict[str, list[str]] = {}
    for name in names:
        folder = os.path.realpath(os.path.dirname(name))
        if place := find_git(folder):
            folders.setdefault(place.top, []).append(os.path.join(folder, os.path.basename(name)))
    for top, files in folders.items():
        out = run_git(top, "ls-files", "-z", "--full-name", "--", *(os.path.relpath(file, top) for file in files))
        known = {os.path.join(top, *os.fsdecode(path).split("/")) for path in (out or b"").split(b"\0") if path}
        found += [file for file in files if file in known]
    return found


def _above(path: str, folders: set[str]) -> list[str]:
    """Return those of the folders that lie above a path."""
    return [folder for folder in folders if path.startswith(folder.rstrip(os.sep) + os.sep)]


def _diff(name: str, before: str, after: str, change: str) -> str:
    """Return a unified diff, inert and with secrets masked: host files hold keys."""
    from difflib import unified_diff

    if not any("\n" in text.replace("\r\n", "") for text in (before, after)):
        # All lines end in CRLF, and stay so: a mark at the end of each would only hide what changes.
        before, after = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    old, new = _lines(before), _lines(after)
    # Our changes are few; comparing a file of a hundred thousand lines whole would take minutes.
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    skipped = max(0, same - _CONTEXT)
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    kept = max(0, tail - _CONTEXT)
    heads = ("/dev/null" if change == "create" else name, "/dev/null" if change == "delete" else name)
    parts = unified_diff(old[skipped : len(old) - kept], new[skipped : len(new) - kept], *heads, lineterm="")
    lines = [_moved(line, skipped) if line.startswith("@@") else line for line in parts]
    text = "\n".join(show_inert(line) for line in lines)
    return redact(text, [finding for finding in scan(text) if finding.group == "secret"])


def _lines(text: str) -> list[str]:
    """Return the lines of a text; a last one without an end says so, as diff does."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    else:
        lines[-1] += "\n\\ No newline at end of file"
    return lines


def _moved(head: str, by: int) -> str:
    """Return the head of a hunk with its line numbers counted from the file's beginning."""

    def moved(span: str) -> str:
        start, comma, count = span[1:].partition(",")
        return f"{span[0]}{int(start) + by}{comma}{count}"

    _, old, new, end = head.split(" ", 3)
    return f"@@ {moved(old)} {moved(new)} {end}"
