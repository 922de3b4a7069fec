"""Deciding about files that are not as the ledger has them: ``engram verify --review`` (F13)."""

from __future__ import annotations

import os

from engram.errors import EngramError, FormatError, RefusedError
from engram.markdown.archive import archive_bytes
from engram.markdown.memory import read_memory
from engram.model import KIND_OF_FOLDER
from engram.record import Record
from engram.roots.git_process import run_git
from engram.safety.fence import show_inert, show_line
from engram.safety.scan import check
from engram.service.keeping import verify
from engram.service.safeguard import names_author
from engram.store.files import digest, inside, read_guarded, read_optional, today
from engram.store.ledger import LEDGER, LEGACY_LEDGER
from engram.store.root import MemoryRoot, Skipped, Stored, duplicate, stem, white_space_forms
from engram.store.write import Receipt, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.safety.finding import Finding
    from engram.service.session import Session

__all__ = ["Left", "Rejected", "Review", "accept", "pending", "preview", "reject", "white_space_changes"]

_WAY = "terminal"  # nobody else is asked, see the command
_COMMITS = "50"  # how far back Git is asked for the approved bytes: what one path had in its last changes
_BOM = b"\xef\xbb\xbf"


class Review(Record):
    """One file to decide about.

    Attributes:
        root: whose file it is.
        path: relative to the root.
        problem: ``mismatch``, ``unlisted`` or ``missing``.
        kind: ``rule``, ``skill`` or ``knowledge``; ``memory`` where the folder does not tell.
        data: the bytes as they are now, None for a missing file.
        expected: the hashes that the ledger names for it.
        approved: bytes with one of these hashes, None where they were not found.
        white_space: whether nothing but white space differs from ``approved``.
        findings: what the safety rules would block or redact, on lines of ``data``.
        obstacle: why ``data`` cannot be accepted, as half a sentence; ``""`` when it can.
    """

    root: MemoryRoot
    path: str
    problem: str
    kind: str
    data: bytes | None
    expected: tuple[str, ...]
    approved: bytes | None
    white_space: bool = False
    findings: tuple[Finding, ...] = ()
    obstacle: str = ""

    @property
    def id(self) -> str:
        """The id that the file's name stands for."""
        return stem(self.path)

    @property
    def hash(self) -> str:
        """The hash of the bytes as they are now, ``""`` for a missing file."""
        return "" if self.data is None else digest(self.data)

    @property
    def ledger(self) -> str:
        """The name of the file that holds the approved hashes (F14)."""
        return _ledger_name(self.root)


class Left(Record):
    """A file that is skipped for a reason that no review settles."""

    root: MemoryRoot
    path: str
    problem: str
    reason: str


class Rejected(Record):
    """What a rejection did: where the edited bytes are now, and whether the approved ones are back."""

    archived: str
    restored: bool
    receipts: tuple[Receipt, ...]


def pending(session: Session, *, scope: str = "") -> tuple[list[Review], list[Left]]:
    """Return the files that a human can decide about, and those that need something else.

    Raises:
        UsageError: for an unknown scope.
        NotFoundError: where there is no memory.
    """
    reviews: list[Review] = []
    left: list[Left] = []
    for report in verify(session, scope=scope):
        root = next(root for root in session.roots if root.path == report.root)
        for skip in report.problems:
            found = _review(session, root, skip)
            if isinstance(found, Review):
                reviews.append(found)
            else:
                left.append(found)
    return reviews, left


def preview(review: Review) -> list[str]:
    """Return the lines that show a file: against the approved bytes where they are known, else whole.

    Every line begins with a mark, so that none can be read as Engram's own, and what is unseen is made visible.
    """
    old, new = (None if data is None else _lines(data) for data in (review.approved, review.data))
    if old is None:
        return [f"| {show_inert(line)}" for line in new or ()]
    from difflib import unified_diff

    name = f"now/{review.path}" if new is not None else os.devnull
    lines = unified_diff(old, new or [], f"approved/{review.path}", name, lineterm="")
    return [show_line(line) if line.startswith(("---", "+++")) else show_inert(line) for line in lines]


def white_space_changes(review: Review) -> str:
    """Name what of line ends, mark and blanks differs between a file and its approved bytes; ``""`` for nothing."""
    if review.data is None or review.approved is None:
        return ""
    now, old = review.data, review.approved
    names = []
    if (b"\r\n" in now) != (b"\r\n" in old):
        names.append("line ends")
    if now.startswith(_BOM) != old.startswith(_BOM):
        names.append("byte order mark")
    if _tail(now) != _tail(old):
        names.append("final line end")
    if review.white_space and _lines(now) != _lines(old):
        names.append("blanks and line breaks")
    return ", ".join(names)


def accept(session: Session, reviews: Sequence[Review]) -> list[Receipt]:
    """Take the very bytes that were shown into the ledger; of a missing file, take its line out.

    Args:
        session: where one is.
        reviews: files of one root, at least one; all are accepted or none.

    Raises:
        RefusedError: when one may not be accepted, or changed since it was shown.
        StoreError: when the folder cannot be written.
    """
    first = reviews[0]
    for review in reviews:
        if review.obstacle:
            raise RefusedError(f"{show_line(review.path)} was not accepted: {review.obstacle}.", path=review.path)
    if len(reviews) > 1:
        what = f"accept white space: {', '.join(review.id for review in reviews)}"
    else:
        what = f"accept {'removed' if first.data is None else 'edited'} {first.kind}: {first.id}"
    with session.writer(first.root.path) as writer:
        for review in reviews:
            _check_unchanged(review)
        return writer.apply([Write(review.path, review.hash, review.data) for review in reviews], what, _WAY)


def reject(session: Session, review: Review) -> Rejected | None:
    """Bring the approved bytes back, and keep the edited ones in ``archive/`` with the reason (F13, F17).

    A file that nobody ever approved only moves to the archive.

    Returns:
        What was done; None, with nothing changed, where the approved bytes were not found.

    Raises:
        RefusedError: when the file changed since it was shown.
        StoreError: when the folder cannot be written.
    """
    if review.approved is None and review.problem != "unlisted":
        return None
    with session.writer(review.root.path) as writer:
        _check_unchanged(review)
        writes = [Write(review.path, review.hash, review.approved)]
        target = ""
        what = f"restore {review.kind}: {review.id}"
        if review.data is not None:
            day = today()
            target = _archive_path(review, day)
            original = f"{review.root.scope}:{review.path}"
            kept = archive_bytes(review.data, date=day, original=original, reason="rejected edit")
            writes.insert(0, Write(target, "", kept, like=review.path))
            what = f"reject edited {review.kind}: {review.id}"
        receipts = writer.apply(writes, what, _WAY)
    return Rejected(target, review.approved is not None, tuple(receipts))


def _review(session: Session, root: MemoryRoot, skip: Skipped) -> Review | Left:
    if skip.kind not in {"mismatch", "unlisted", "missing"}:
        return Left(root, skip.path, skip.kind, skip.reason)
    path = skip.path
    folder = path.partition("/")[0]
    expected = root.ledger().lookup(path)
    try:
        inside(root.path, path)
        # The path of a missing file comes from the ledger, which holds what a clone brought.
        if not path.endswith(".md") or (folder != "archive" and folder not in KIND_OF_FOLDER):
            raise FormatError(f"it is no memory file; take its line out of {_ledger_name(root)}")
        if skip.kind != "missing":
            data = read_guarded(root.path, path)
        elif os.path.lexists(os.path.join(root.path, *path.split("/"))):
            raise FormatError(
                f"it is where no memory is looked for; move it, or take its line out of {_ledger_name(root)}"
            )
        else:
            data = None
    except (OSError, EngramError) as error:
        return Left(root, path, skip.kind, error.message if isinstance(error, EngramError) else str(error))
    kind: str = KIND_OF_FOLDER.get(path.split("/")[-2] if folder == "archive" else folder, "memory")
    if data is None:
        return Review(root, path, skip.kind, kind, None, expected, _from_git(root, path, expected))
    approved = next((form for form in white_space_forms(data) if digest(form) in expected), None)
    if approved is None and expected:
        approved = _from_git(root, path, expected)
    obstacle = ""
    try:
        data.decode("utf-8")
        if folder != "archive":
            kind = read_memory(data, path=path, scope=root.scope).type
    except UnicodeDecodeError as error:
        obstacle = f"it is no UTF-8 text (byte {error.start})"
    except FormatError as error:
        obstacle = f"it cannot be read as memory: {error.message}" + (f" (line {error.line})" if error.line else "")
    if skip.kind == "unlisted" and not obstacle and folder != "archive":
        owner = root.find(stem(path))
        if owner != path and isinstance(root.read(owner), Stored):
            # It would be approved and never be used: the other one is (F11).
            obstacle = duplicate(path, owner).reason
    text = _text(data)
    checked = check(text, kind=kind, actions=session.settings.action)
    blocked = [finding for finding in checked.blocked if not names_author(text, finding)]
    redacted = [finding for finding in checked.redacted if not names_author(text, finding)]
    if blocked and not obstacle:
        obstacle = "; ".join(f"line {finding.line} holds {finding.message}" for finding in blocked)
    return Review(
        root,
        path,
        skip.kind,
        kind,
        data,
        expected,
        approved,
        # Words that are joined or parted are a change of words.
        white_space=approved is not None and data.removeprefix(_BOM).split() == approved.removeprefix(_BOM).split(),
        findings=tuple(sorted((*blocked, *redacted), key=lambda finding: finding.start)),
        obstacle=obstacle,
    )


def _from_git(root: MemoryRoot, path: str, expected: Sequence[str]) -> bytes | None:
    """Return the bytes with one of the hashes that Git has for a path: in HEAD, or in its last changes.

    Plumbing commands, since what ``git log`` and ``git show`` do depends on configuration, which may name programs.
    """

    def blob(commit: str) -> bytes | None:
        data = run_git(root.path, "cat-file", "blob", f"{commit}:./{path}")
        return data if data is not None and digest(data) in expected else None

    found = blob("HEAD")
    if found is None:
        listed = run_git(root.path, "--literal-pathspecs", "rev-list", "-n", _COMMITS, "HEAD", "--", path)
        commits = (listed or b"").decode("ascii", "replace").split()
        found = next((data for commit in commits if (data := blob(commit)) is not None), None)
    return found


def _check_unchanged(review: Review) -> None:
    """Raise RefusedError when the file or what the ledger says of it is no longer what the human saw."""
    try:
        now = read_optional(inside(review.root.path, review.path))
    except OSError as error:
        raise RefusedError(f"{show_line(review.path)} can no longer be read: {error.strerror}.") from error
    # No hash at all: a first ledger, made by an answer before this one, holds only what matched (F14).
    expected = review.root.ledger().lookup(review.path) or review.expected
    if ("" if now is None else digest(now)) != review.hash or expected != review.expected:
        raise RefusedError(
            f"{show_line(review.path)} changed since it was shown, so nothing was done.",
            hint="Run engram verify --review again: it will show the file as it is now.",
            path=review.path,
        )


def _archive_path(review: Review, day: str) -> str:
    *_, folder, _name = review.path.split("/")
    name = review.id
    if review.path.startswith("archive/"):
        # Under its own name the rejected edit would pass for the newest archived version of that memory.
        name = f"{name}-rejected"
    else:
        folder = review.path.partition("/")[0]
    number = 1
    while True:
        path = f"archive/{day}/{folder}/{name}{'' if number == 1 else f'-{number}'}.md"
        if not os.path.lexists(os.path.join(review.root.path, *path.split("/"))):
            return path
        number += 1


def _ledger_name(root: MemoryRoot) -> str:
    return LEDGER if root.ledger().exists else LEGACY_LEDGER


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _lines(data: bytes) -> list[str]:
    """Return the lines without what ``white_space_changes`` names: mark, kind of line end, final line end."""
    text = _text(data.removeprefix(_BOM)).replace("\r\n", "\n").rstrip("\n")
    return text.split("\n") if text else []


def _tail(data: bytes) -> int:
    bare = data.replace(b"\r\n", b"\n")
    return len(bare) - len(bare.rstrip(b"\n"))
