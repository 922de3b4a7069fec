"""Everything that waits for a human here, as one list (A4, C39, F13, F18, I3).

A kind of thing that waits is one function of ``_KINDS``, which returns its items; a screen goes through all of them.
"""

from __future__ import annotations

import time

from engram.errors import EngramError, NotFoundError, SafetyError
from engram.recall.validity import is_superseded
from engram.record import Record
from engram.safety.fence import show_line
from engram.service.answering import candidates_of
from engram.service.approving import OpenApproval, approvals_in
from engram.service.inbox import KEPT_DAYS, Waiting, waiting_in
from engram.service.notebook import expired_notes
from engram.service.pulled import pulled_paths
from engram.service.reading import Entry, read_all
from engram.service.renewing import why_due
from engram.service.reviewing import Left, Review, pending, white_space_changes
from engram.service.safeguard import checked_candidate
from engram.store.files import today
from engram.text.plural import counted
from engram.text.slugs import title_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from engram.proposals.candidates import Candidate
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

    ItemKind = Literal["proposal", "deferred", "mismatch", "note", "due", "pulled", "foreign"]

__all__ = ["HEADINGS", "Foreign", "Item", "find_item", "queue"]

# In the order in which they are listed: what a person wrote an answer for first, what only may be looked at last.
HEADINGS: dict[str, str] = {
    "proposal": "Proposals",
    "deferred": "Deferred candidates",
    "mismatch": "Files that are not as approved",
    "note": "Expired notes",
    "due": "Memories past their date",
    "pulled": "Brought by a pull",
    "foreign": "Foreign memory",
}
_DAY_S = 24 * 3600


class Foreign(Record):
    """Memory that came with a project and that nobody on this machine accepted: its root, and what is in it."""

    root: MemoryRoot
    rules: int
    skills: int
    knowledge: int
    entries: tuple[Entry, ...]


class Item(Record):
    """One thing that waits.

    Attributes:
        name: what ``engram review show`` takes.
        kind: see ``HEADINGS``.
        scope: whose memory it is about.
        state: ``open``, ``asked`` (in a dialog of a host), ``expired``, ``waiting``, ``old``, or what is wrong with a
            file.
        title: what it is about, on one line and inert.
        reason: why it waits, on one line and inert.
        since: the day or moment it waits since, ``""`` where nobody knows.
        subject: the thing itself.
    """

    name: str
    kind: ItemKind
    scope: str
    state: str
    title: str
    reason: str
    since: str
    subject: OpenApproval | Waiting | Review | Left | Entry | Foreign

    def as_data(self) -> dict[str, object]:
        """Return it as plain data, without the thing itself: what is not approved is shown to people."""
        data = self.as_dict()
        del data["subject"]
        return data


def queue(session: Session) -> tuple[list[Item], list[str]]:
    """Return everything that waits in the roots that apply here, and a line for each file that cannot be read.

    Raises:
        NotFoundError: where there is no memory.
    """
    session.require_roots()
    look = _Look(session)
    items = [item for of_kind in _KINDS for item in of_kind(look)]
    names: dict[str, int] = {}
    for at, item in enumerate(items):
        names[item.name] = names.get(item.name, 0) + 1
        if names[item.name] > 1:  # a memory that is past its date twice, or two tokens that begin alike
            items[at] = item.replace(name=f"{item.name}#{names[item.name]}")
    return items, look.bad


class _Look:
    """One look at everything: what cannot be read, and the memories, which are read once for all kinds."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.bad: list[str] = []
        self._entries: list[Entry] | None = None

    @property
    def entries(self) -> list[Entry]:
        if self._entries is None:
            self._entries = read_all(self.session)[0]
        return self._entries


def find_item(items: list[Item], name: str) -> Item:
    """Return the item that a person named, by its name or its number in the list.

    Raises:
        NotFoundError: with the closest names.
    """
    for item in items:
        if item.name == name:
            return item
    if name.isascii() and name.isdecimal() and 0 < int(name[:9]) <= len(items):
        return items[int(name) - 1]
    from difflib import get_close_matches

    near = get_close_matches(name, [item.name for item in items], n=3, cutoff=0.4)
    hint = f"Did you mean {', '.join(near)}?" if near else "engram review --list shows what waits."
    raise NotFoundError(f"Nothing called {name} waits for a review.", hint=hint)


def _proposals(look: _Look) -> Iterator[Item]:
    now = time.time()
    for root in look.session.roots:
        try:
            found, refused = approvals_in(look.session, root)
        except EngramError as error:
            look.bad.append(show_line(f"SKIPPED {root.scope}: {error.message} {error.hint}"))
            continue
        if refused:
            entries = "1 entry" if refused == 1 else f"{refused} entries"
            look.bad.append(f"SKIPPED {root.scope}: {entries} of pending-approvals.json changed, or of another machine")
        for one in sorted(found, key=lambda one: one.pending.created):
            candidates = candidates_of(one)
            titles = ", ".join(_title(look.session, candidate) for candidate in candidates)
            what = "note" if one.pending.kind == "note" else "candidate"
            if one.expired:
                age = int(now) - one.pending.expires
                reason = "expired" if age < 0 else f"expired {_ago(age)} ago"
            else:
                left = f"{max(1, int(one.pending.expires - now) // 60)} min left"
                reason = f"asked in a dialog of the host, which may be gone; {left}" if one.asked else f"open, {left}"
            yield Item(
                f"p-{show_line(one.pending.hash[:8])}",
                "proposal",
                root.scope,
                "expired" if one.expired else "asked" if one.asked else "open",
                f"{counted(len(candidates), what)}: {titles}",
                reason,
                time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(one.pending.created)),
                one,
            )


def _deferred(look: _Look) -> Iterator[Item]:
    oldest = time.strftime("%Y-%m-%d", time.localtime(time.time() - KEPT_DAYS * _DAY_S))
    for root in look.session.roots:
        found, unreadable = waiting_in(look.session, root)
        look.bad += unreadable
        for one in found:
            old = one.since < oldest
            reason = show_line(one.reason)
            yield Item(
                show_line(one.name),
                "deferred",
                root.scope,
                "old" if old else "waiting",
                f"{one.candidate.type or 'knowledge'}: {_title(look.session, one.candidate)}",
                f"old, more than {KEPT_DAYS} days; {reason}" if old else reason,
                show_line(one.since),
                one,
            )


def _mismatches(look: _Look) -> Iterator[Item]:
    reviews, left = pending(look.session)
    for review in reviews:
        match review.problem:
            case "missing":
                reason = "the file is gone"
            case "unlisted":
                reason = "nobody approved it"
            case _ if review.white_space:
                reason = f"only white space changed ({white_space_changes(review)})"
            case _:
                reason = "it changed since it was approved"
        yield _file_item(review, review.problem, show_line(review.path), reason)
    for other in left:
        yield _file_item(other, other.problem, show_line(other.path), show_line(other.reason))


def _file_item(subject: Review | Left, state: str, path: str, reason: str) -> Item:
    scope = subject.root.scope
    name = path if scope == "workspace" else f"{scope}/{path}"
    return Item(name, "mismatch", scope, state, path, reason, "", subject)


def _due(look: _Look) -> Iterator[Item]:
    day = today()
    for entry in look.entries:
        if reason := "" if entry.foreign else why_due(entry.memory, day):
            since = entry.memory.valid_until or entry.memory.review_after
            title = f"{entry.memory.type}: {entry.memory.title}"
            scope = entry.root.scope
            yield Item(entry.key, "due", scope, "due", show_line(title), show_line(reason), show_line(since), entry)


def _notes(look: _Look) -> Iterator[Item]:
    entries, skipped = expired_notes(look.session)
    look.bad += [skip.text for _, skip in skipped]
    for entry in entries:
        memory = entry.memory
        aim = f", for: {entry.objective}" if entry.objective else ""
        reason = show_line(f"expired {memory.valid_until}{aim}")
        name = f"note/{memory.id}" if memory.scope == "workspace" else f"note/{memory.scope}/{memory.id}"
        yield Item(name, "note", memory.scope, "expired", show_line(memory.title), reason, memory.valid_until, entry)


def _pulled(look: _Look) -> Iterator[Item]:
    for root in look.session.roots:
        paths = frozenset(pulled_paths(look.session, root))
        for entry in look.entries if paths else ():
            if entry.root.path == root.path and entry.path in paths:
                by = entry.memory.author_name or "nobody named"
                state = "waiting" if look.session.strict else "used"
                how = "reference only until you accept it" if look.session.strict else "it is in use"
                title = show_line(f"{entry.memory.type}: {entry.memory.title}")
                since = show_line(entry.memory.updated)
                yield Item(entry.key, "pulled", root.scope, state, title, show_line(f"by {by}; {how}"), since, entry)


def _foreign(look: _Look) -> Iterator[Item]:
    for root in look.session.roots:
        if not root.foreign:
            continue
        in_root = (entry for entry in look.entries if entry.root.path == root.path)
        entries = tuple(entry for entry in in_root if not is_superseded(entry.memory))
        kinds = [entry.memory.type for entry in entries]
        counts = {kind: kinds.count(kind) for kind in ("rule", "skill", "knowledge")}
        title = (
            f"{counted(counts['rule'], 'rule')}, {counted(counts['skill'], 'skill')}, {counts['knowledge']} knowledge"
        )
        reason = "it came with the project: reference only until engram trust"
        subject = Foreign(root, counts["rule"], counts["skill"], counts["knowledge"], entries)
        yield Item("foreign", "foreign", root.scope, "foreign", title, reason, "", subject)


_KINDS: tuple[Callable[[_Look], Iterator[Item]], ...] = (
    _proposals,
    _deferred,
    _mismatches,
    _notes,
    _due,
    _pulled,
    _foreign,
)


def _title(session: Session, candidate: Candidate) -> str:
    """Return what a candidate is about, checked again: the file that it waits in may have come from anywhere."""
    try:
        checked, _ = checked_candidate(session, candidate)
    except SafetyError as error:
        return show_line(f"(not shown: {error.message.removeprefix('nothing was saved: ')})")
    return show_line(checked.title or title_of(checked.text))


def _ago(seconds: int) -> str:
    for size, noun in ((_DAY_S, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return counted(seconds // size, noun)
    return "moments"
