"""Scanning files for what must not become memory: any text file, for a person or in CI."""

from __future__ import annotations

import os
import stat

from engram.errors import NotFoundError
from engram.model import KIND_OF_FOLDER
from engram.portable import extended
from engram.record import Record
from engram.roots.git import find_git
from engram.safety.scan import scan
from engram.service.safeguard import names_author
from engram.store.files import READ_FILE
from engram.store.ignore import Ignore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engram.safety.finding import Action, Finding
    from engram.service.session import Session

__all__ = ["Located", "Scan", "scan_paths"]

# A file with a NUL in so many first bytes is no text, as Git has it.
_SNIFFED = 8000
# Of no use to a reader, and never written by a person.
_PASSED_OVER = frozenset({".git", ".hg", ".svn"})
_DERIVED = frozenset({".cache", ".journal", ".lock"})
# Files that exist to instruct an agent, as rules and skills do.
_INSTRUCTING = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "gemini.md", "skill.md", "copilot-instructions.md", ".cursorrules",
     ".windsurfrules", ".clinerules"}
)  # fmt: skip
_INSTRUCTING_BELOW = (
    "/.cursor/rules/",
    "/.claude/",
    "/.github/instructions/",
    "/.github/prompts/",
    "/.windsurf/rules/",
)
_MEMORY_ROOT = "/.agents/.engram/"


class Located(Record):
    """One finding in one file, where it ends, and what the configuration says about it: ``block`` or ``redact``."""

    path: str
    finding: Finding
    action: Action
    end_line: int
    end_column: int


class Scan(Record):
    """What a scan found.

    Attributes:
        found: the findings, by path and place; what the configuration allows is not among them.
        files: how many text files were read.
        unread: files that could not be read, with the reason.
    """

    found: tuple[Located, ...]
    files: int
    unread: tuple[tuple[str, str], ...]


def scan_paths(session: Session, paths: Sequence[str]) -> Scan:
    """Scan files, and the files below folders; what ``.engramignore`` and ``ignore.patterns`` name is left alone.

    Args:
        session: where one is; its configuration says what is looked for.
        paths: files and folders, absolute.

    Raises:
        NotFoundError: for a path that is not there.
        ConfigError: when it is not known what is private.
    """
    found: list[Located] = []
    unread: list[tuple[str, str]] = []
    seen: set[str] = set()
    files = 0
    action = session.settings.action
    for path in paths:
        if not os.path.lexists(path):
            raise NotFoundError(f"There is no {path}.", path=path)
        for file in _files(path, _ignore(session, path), unread):
            if file in seen:
                continue
            seen.add(file)
            try:
                text = _read(file)
            except OSError as error:
                unread.append((file, error.strerror or str(error)))
                continue
            if text is None:
                continue
            files += 1
            for finding in scan(text, kind=kind_of(file, text)):
                what = action(finding.group, finding.kind)
                if what != "allow" and not names_author(text, finding):
                    found.append(Located(file, finding, what, *_end(text, finding)))
    found.sort(key=lambda one: one.path)  # stable: within a file the findings are in order
    return Scan(tuple(found), files, tuple(sorted(unread)))


def _end(text: str, finding: Finding) -> tuple[int, int]:
    """Return the line and the column behind the last character of a finding, both from 1."""
    breaks = text.count("\n", finding.start, finding.end)
    if not breaks:
        return finding.line, finding.column + finding.end - finding.start
    return finding.line + breaks, finding.end - text.rindex("\n", finding.start, finding.end)


def kind_of(path: str, text: str) -> str:
    """Return what a file is to the rules: a rule, a skill, or reference (knowledge, a note, any other text)."""
    full = path.replace(os.sep, "/")
    folders = full.rpartition("/")[0].split("/")
    if _MEMORY_ROOT in full:
        inside = full.rpartition(_MEMORY_ROOT)[2].split("/")
        folder = inside[2] if inside[0] == "archive" and len(inside) > 3 else inside[0]
        return KIND_OF_FOLDER.get(folder, "note")
    if folders[-1].lower().endswith(".bak") or not text.startswith("---"):
        named = ""
    else:
        head = text[:4096].partition("\n---")[0]
        named = next((line[5:].strip(" \"'\r") for line in head.split("\n") if line.startswith("type:")), "")
    if named in KIND_OF_FOLDER.values():
        return named
    name = full.rpartition("/")[2].lower()
    return "rule" if name in _INSTRUCTING or any(part in full for part in _INSTRUCTING_BELOW) else "knowledge"


def _ignore(session: Session, path: str) -> Ignore:
    """Return what is left alone around a path: from the top of its project or repository down."""
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    workspace = session.workspace
    roots: list[str] = []
    if workspace is not None and f"{folder}{os.sep}".startswith(f"{workspace.project.rstrip(os.sep)}{os.sep}"):
        top = workspace.project
        roots = [workspace.root]
    else:
        git = find_git(os.path.realpath(folder))
        top = (
            git.top
            if git is not None and f"{folder}{os.sep}".startswith(f"{git.top.rstrip(os.sep)}{os.sep}")
            else folder
        )
    return Ignore(top, session.settings.strings("ignore.patterns"), roots)


def _files(path: str, ignore: Ignore, unread: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the files at or below a path, sorted; links among them are not followed."""

    def below(full: str) -> str:
        return full[len(ignore.top.rstrip(os.sep)) + 1 :].replace(os.sep, "/")

    if not os.path.isdir(path):
        if not ignore.ignores(below(path)):
            yield path
        return
    pending = [path]
    while pending:
        here = pending.pop()
        if here != ignore.top and ignore.ignores(below(here), folder=True):
            continue
        try:
            with os.scandir(here) as entries:
                names = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            unread.append((here, error.strerror or str(error)))
            continue
        inner = os.sep + os.path.join(".agents", ".engram") in here + os.sep
        deeper = []
        for entry in names:
            if entry.name in _PASSED_OVER or (inner and entry.name in _DERIVED):
                continue
            if entry.is_dir(follow_symlinks=False):
                deeper.append(entry.path)
            elif entry.is_file(follow_symlinks=False) and not ignore.ignores(below(entry.path)):
                yield entry.path
        pending += reversed(deeper)


def _read(path: str) -> str | None:
    """Return the text of a file, None for one that is no text."""
    fd = os.open(extended(path), READ_FILE)
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        data = file.read()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:_SNIFFED]:
        return None
    # What is no UTF-8 is of another encoding, and a key in it is in ASCII all the same.
    return data.decode("utf-8-sig", "replace")
