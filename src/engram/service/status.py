"""What memory there is here, and what needs a human's attention."""

from __future__ import annotations

import os

from engram.portable import command_line
from engram.record import Record
from engram.service.caches import cache_of
from engram.service.looks import Unasked, unasked_sentence, unasked_writes
from engram.service.pulled import pulled_paths, pulled_sentence
from engram.service.trusting import moved_from
from engram.service.waiting import WaitingCounts, skipped_sentence, waiting_counts, waiting_sentence
from engram.store.files import today
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.index.refresh import Index
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["RootState", "Status", "counts_line", "review_lines", "root_states", "status"]


class RootState(Record):
    """One root at a glance.

    ``rules``, ``skills`` and ``knowledge`` are what ``engram list`` shows; ``superseded`` memories, which left every
    list, are counted apart (I1).
    ``notes`` are working notes in service, beside them those that ended and what is none; ``proposals`` are open,
    ``proposals_expired`` were good for half an hour (A4), ``proposals_asked`` stand in a dialog of a host (C49),
    ``deferred`` candidates wait in the inbox.
    ``pulled`` memories came with a pull, and nobody on this machine said yet that they saw them (F18).
    """

    root: str
    scope: str
    foreign: bool
    rules: int
    skills: int
    knowledge: int
    archived: int
    skipped: int
    expired: int
    writable: bool
    renamed: int = 0
    notes: int = 0
    notes_expired: int = 0
    notes_skipped: int = 0
    proposals: int = 0
    proposals_expired: int = 0
    proposals_unreadable: bool = False
    deferred: int = 0
    pulled: int = 0
    superseded: int = 0
    proposals_asked: int = 0

    @property
    def waiting(self) -> str:
        """What waits for a human, in one sentence; ``""`` for nothing."""
        return waiting_sentence(
            WaitingCounts(self.proposals, self.proposals_expired, self.deferred, self.proposals_unreadable)
        )


class Status(Record):
    """How things stand here.

    ``attention`` holds for each root the sentences about what a human should look at, each with the command for it,
    and ``commands`` these commands alone, in the same order;
    ``unasked`` by the path of a root what ``remember_look`` is given once a person has seen it.
    """

    roots: tuple[RootState, ...]
    attention: tuple[tuple[str, ...], ...]
    commands: tuple[tuple[str, ...], ...]
    read: str
    unasked: dict[str, list[Unasked]]


def status(session: Session, *, deep: bool = False) -> Status:
    """Return how things stand here, the history of the repository compared with the one that was trusted (F18).

    What a workspace file says and does not count is among the session's notices afterwards.

    Args:
        session: where one is; its roots have not been asked for yet.
        deep: as for ``root_states``.
    """
    session.recheck_trust()
    states = root_states(session, deep=deep)
    settings = session.settings
    for item in settings.not_counted:
        message = f"{item.key} = {item.value} in {item.file} does not count: {item.reason}"
        session.say("warning", "not_counted", message, path=item.file)
    unasked = {root.path: unasked_writes(session, root) for root in session.roots}
    found = [_attention(session, state, unasked[state.root]) for state in states]
    attention = tuple(tuple(said for said, _ in sentences) for sentences in found)
    commands = tuple(tuple(command for _, command in sentences) for sentences in found)
    return Status(tuple(states), attention, commands, settings.string("read"), unasked)


def root_states(session: Session, *, deep: bool = False) -> list[RootState]:
    """Return the counts of each root, as the index has them.

    Args:
        session: where one is.
        deep: hash every file and make the index anew first, and count the files whose ``id`` is not their name.
    """
    # SQLite takes a while to load, and nothing else here needs it.
    from engram.service.indexes import ask_indexes

    if not session.roots:
        return []
    if deep:
        from engram.index.database import SqliteError
        from engram.index.updating import rebuild
        from engram.service.scorers import VectorMaker

        for root in session.roots:
            maker = VectorMaker(session, cache_of(session, root))
            try:
                rebuild(root, cache_of(session, root), session.progress, maker.learn)
            except (SqliteError, OSError, UnicodeEncodeError):
                pass  # the answer then comes from the files, which `ask_indexes` says
            maker.finish()

    def states(indexes: Sequence[Index]) -> list[RootState]:
        return [_state(session, root, index, deep=deep) for root, index in zip(session.roots, indexes, strict=True)]

    found = ask_indexes(session, states)
    return _with_notes(session, found) if any(root.has_notes() for root in session.roots) else found


def counts_line(state: RootState) -> str:
    """Return the counts of one root in a sentence."""
    counts = f"{counted(state.rules, 'rule')}, {counted(state.skills, 'skill')}, {state.knowledge} knowledge"
    replaced = f", {state.superseded} superseded" if state.superseded else ""
    archived = f", {state.archived} archived" if state.archived else ""
    notes = f", {counted(state.notes, 'working note')}" if state.notes else ""
    return f"{state.scope} memory {state.root}: {counts}{replaced}{archived}{notes}"


def review_lines(state: RootState) -> list[str]:
    """Return what ``engram review`` has to ask a human about one root, a sentence each (A4)."""
    said = []
    if state.expired:
        said.append(f"{state.expired} expired, for your review: engram review")
    if state.notes_expired:
        said.append(f"{counted(state.notes_expired, 'working note')} expired, for your review: engram review")
    if state.waiting:
        said.append(state.waiting)
    return said


def _attention(session: Session, state: RootState, unasked: Sequence[Unasked]) -> list[tuple[str, str]]:
    """Return what to look at in a root: sentences, and beside each the command for it."""
    said = []
    if state.foreign:
        said.append(("foreign: reference only, until you run engram trust", "engram trust"))
        if moved := moved_from(session):
            sentence = f"its history is that of {moved}, which you trusted and which is gone: was it moved here?"
            said.append((sentence, "engram trust"))
    if state.pulled:
        root = next(root for root in session.roots if root.path == state.root)
        sentence = pulled_sentence(session, root, pulled_paths(session, root))
        said.append((sentence, "engram trust" if session.strict else "engram review"))
    if state.skipped:
        said.append((f"{skipped_sentence(state.skipped)}; engram verify says why", "engram verify"))
    if state.renamed:
        files = counted(state.renamed, "file")
        said.append((f"{files} with another id inside than its name; engram verify shows it", "engram verify"))
    if state.notes_skipped:
        files = counted(state.notes_skipped, "file")
        said.append((f"{files} in working/ not read as a note; engram list says why", "engram list"))
    said += [(line, "engram review") for line in review_lines(state)]
    if unasked:
        said.append((unasked_sentence(unasked), "engram status"))
    if not state.writable:
        said.append(("read-only: reading works, saving does not", command_line(["chmod", "u+w", state.root])))
    return said


def _with_notes(session: Session, states: Sequence[RootState]) -> list[RootState]:
    from engram.service.notebook import count_notes

    counts = count_notes(session)
    return [
        state.replace(notes=notes, notes_expired=expired, notes_skipped=skipped)
        for state, (notes, expired, skipped) in zip(states, counts, strict=True)
    ]


def _state(session: Session, root: MemoryRoot, index: Index, *, deep: bool) -> RootState:
    kinds = index.source.kinds()
    waiting = waiting_counts(session, root)
    return RootState(
        root=root.path,
        scope=root.scope,
        foreign=root.foreign,
        rules=kinds.get("rule", 0),
        skills=kinds.get("skill", 0),
        knowledge=kinds.get("knowledge", 0),
        archived=sum(1 for _ in root.archived_paths()),
        skipped=len(index.problems),
        expired=index.source.expired(today()),
        writable=os.access(root.path, os.W_OK),
        renamed=sum(bool(stored.memory.named) for stored in root.memories()[0]) if deep else 0,
        proposals=waiting.proposals,
        proposals_expired=waiting.expired,
        proposals_unreadable=waiting.unreadable,
        deferred=waiting.deferred,
        pulled=len(pulled_paths(session, root)),
        superseded=kinds.get("superseded", 0),
        proposals_asked=waiting.asked,
    )
