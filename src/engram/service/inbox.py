"""The inbox: candidates that wait for a human, for 30 days, in files that nobody's Git sees (C39, F2)."""

from __future__ import annotations

import os

from engram.errors import FormatError
from engram.record import Record
from engram.roots.find import private_root
from engram.safety.fence import show_line
from engram.store.files import digest, read_guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from engram.model import Scope
    from engram.proposals.candidates import Candidate
    from engram.proposals.verdicts import Verdict
    from engram.service.session import Session
    from engram.store.root import MemoryRoot
    from engram.store.write import Write

__all__ = ["KEPT_DAYS", "Deferred", "Waiting", "count_deferred", "deferred_writes", "inbox_of", "removal", "waiting_in"]

# So long a deferred candidate is kept (C39); an older one is named as old, and never dropped silently.
KEPT_DAYS = 30
FOLDER = "inbox"
_PREFIX, _SUFFIX = "deferred-", ".json"
_VERSION = 1
# A candidate as long as a memory may be needs more than that as JSON.
_MOST_BYTES = 4 * 1024 * 1024


class Deferred(Record):
    """A candidate that was not written: where it would have gone, why not, and what it would have done."""

    candidate: Candidate
    scope: Scope
    reason: str
    verdict: Verdict
    way: str


class Waiting(Record):
    """One file of the inbox.

    Attributes:
        name: of the file, without its ending: what ``engram review`` calls it.
        path: in its root.
        candidate: as it was proposed.
        scope: where it would have gone.
        reason: why it was not written.
        related: the ids to look at.
        since: the day, ``YYYY-MM-DD``.
        way: how it had been approved, or ``inbox`` for one that was put there to be looked at.
        hash: the SHA-256 of the file.
    """

    name: str
    path: str
    candidate: Candidate
    scope: str
    reason: str
    related: tuple[str, ...]
    since: str
    way: str
    hash: str


def inbox_of(session: Session, root: MemoryRoot) -> str:
    """Return the root whose ``inbox/`` is used: of a linked worktree that of its main worktree (F1)."""
    return private_root(session.workspace) if root.scope == "workspace" and session.workspace else root.path


def deferred_writes(session: Session, root: MemoryRoot, deferred: Sequence[Deferred], day: str) -> list[Write]:
    """Return the files that keep deferred candidates, for the root's own transaction.

    The name comes from what is kept: deferring the same again changes nothing. Where the inbox is another root's, its
    files are written at once, before the transaction: a candidate twice is no harm, a lost one is.
    """
    from engram.proposals.candidates import candidate_fields
    from engram.store.write import Write

    writes: dict[str, Write] = {}
    place = inbox_of(session, root)
    for one in deferred:
        fields = candidate_fields(one.candidate)
        name = digest(f"{one.scope}\0{sorted(fields.items())}".encode("utf-8", "replace"))[:12]
        path = f"{FOLDER}/{_PREFIX}{name}{_SUFFIX}"
        related = list(dict.fromkeys(filter(None, (one.verdict.id, *one.verdict.related))))
        data = _text(
            {
                "version": _VERSION,
                "since": day,
                "scope": one.scope,
                "reason": one.reason,
                "related": related,
                "way": one.way,
                "candidate": fields,
            }
        )
        if not os.path.lexists(os.path.join(place, *path.split("/"))):
            writes[path] = Write(path, "", data)
    made = list(writes.values())
    if place != root.path and made:
        with session.writer(place) as writer:
            writer.put(made, "what waits")
        return []
    return made


def waiting_in(session: Session, root: MemoryRoot) -> tuple[list[Waiting], list[str]]:
    """Return what waits in a root's inbox, oldest first, and one line for each file that cannot be read."""
    place = inbox_of(session, root)
    try:
        names = sorted(os.listdir(os.path.join(place, FOLDER)))
    except OSError:
        return [], []
    found: list[Waiting] = []
    bad: list[str] = []
    for name in names:
        if not (name.startswith(_PREFIX) and name.endswith(_SUFFIX)):
            continue
        path = f"{FOLDER}/{name}"
        try:
            one = _waiting(path, read_guarded(place, path, _MOST_BYTES))
        except (OSError, FormatError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            bad.append(show_line(f"SKIPPED {path}: it cannot be read ({error})"))
            continue
        if one.scope == root.scope:
            found.append(one)
    return sorted(found, key=lambda one: (one.since, one.name)), bad


def count_deferred(session: Session, root: MemoryRoot) -> int:
    """Return how many files wait in a root's inbox, readable or not: one look into one folder."""
    try:
        names = os.listdir(os.path.join(inbox_of(session, root), FOLDER))
    except OSError:
        return 0
    return sum(name.startswith(_PREFIX) and name.endswith(_SUFFIX) for name in names)


def removal(waiting: Waiting) -> Write:
    """Return the change that takes a candidate out of the inbox; it fails where the file changed since it was read."""
    from engram.store.write import Write

    return Write(waiting.path, waiting.hash, None)


def _waiting(path: str, data: bytes) -> Waiting:
    from json import loads

    from engram.proposals.candidates import candidate_of_fields

    row: dict[str, Any] = loads(data)
    name = path.rpartition("/")[2].removeprefix(_PREFIX).removesuffix(_SUFFIX)
    return Waiting(
        name=name,
        path=path,
        candidate=candidate_of_fields(row["candidate"]),
        scope=str(row["scope"]),
        reason=str(row["reason"]),
        related=tuple(str(one) for one in row["related"]),
        since=str(row["since"]),
        way=str(row["way"]),
        hash=digest(data),
    )


def _text(data: dict[str, Any]) -> bytes:
    from json import dumps

    return (dumps(data, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode("utf-8", "replace")
