"""Several candidates at once: judged in the order of their numbers, and written in one transaction a scope (C39, C42).

This is the one write path: ``engram save``, ``engram save-session``, ``engram_commit`` and the dialogs end here.
"""

from __future__ import annotations

from engram.errors import EngramError, FormatError, NotFoundError, StoreError, UsageError
from engram.proposals.rivals import Earlier, Rival
from engram.proposals.verdicts import Verdict, normalise
from engram.record import Record
from engram.service.author import author_of
from engram.service.inbox import Deferred, deferred_writes
from engram.service.planning import Planned, plan, there
from engram.service.safeguard import checked_candidate, checked_texts
from engram.store.files import digest, read_guarded
from engram.text.slugs import check_id, fold_id, has_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from engram.config.author import Author
    from engram.model import Scope
    from engram.proposals.candidates import Candidate
    from engram.service.session import Session
    from engram.store.root import MemoryRoot
    from engram.store.write import Receipt, RootWriter, Write

__all__ = ["MOST", "Batch", "Outcome", "Part", "apply_batch", "checked_note", "deferral", "effect_of", "propose_batch"]

# More candidates than a person can judge at once are a mistake.
MOST = 100


class Part(Record):
    """One candidate of a batch: its number, which counts from 1, and what it would do in each scope."""

    number: int
    candidate: Candidate
    planned: tuple[Planned, ...]


class Batch(Record):
    """Candidates as they were judged together, and what was redacted on the way."""

    parts: tuple[Part, ...]
    author: Author
    redacted: tuple[str, ...]
    day: str


class Outcome(Record):
    """What became of one candidate in one scope: done with receipts, or not, with the reason.

    ``deferred`` says that it waits in the inbox now. ``code`` is the exit code of the error that kept it from being
    done; 0 for what was deferred.
    """

    planned: Planned
    done: bool
    reason: str
    receipts: tuple[Receipt, ...] = ()
    code: int = 0
    number: int = 1
    deferred: bool = False


def propose_batch(
    session: Session,
    candidates: Sequence[Candidate],
    *,
    scope: str = "",
    role: Sequence[str] = (),
    day: str = "",
    unfit: dict[int, str] | None = None,
) -> Batch:
    """Work out what saving candidates would write, one after the other, without writing anything.

    Args:
        session: where one is.
        candidates: what to save (F19).
        scope: ``workspace``, ``global`` or ``both``; of each candidate its own, or the configured one, by default.
        role: roles of candidates that name none.
        day: the day to write into them; today by default.
        unfit: where it is given, a candidate that cannot be applied is left out of the batch, and its number with the
            reason goes there instead of being raised.

    Raises:
        SafetyError: when a text holds what must not become memory; nothing of it is shown.
        NotFoundError: where a scope has no memory, or an UPDATE names an id that is not there.
        UsageError: for no candidate, too many of them, or one that cannot be applied.
    """
    from engram.store.files import today

    if not candidates:
        raise UsageError("There is no candidate.", hint="One looks like this: TYPE: rule | TEXT: Use pnpm.")
    if len(candidates) > MOST:
        raise UsageError(
            f"{len(candidates)} candidates are more than {MOST}.", hint="Propose the ones that matter, or in portions."
        )
    author = author_of(session)
    day = day or today()
    planners: dict[Scope, _Planner] = {}
    parts: list[Part] = []
    redacted: list[str] = []
    for number, candidate in enumerate(candidates, 1):
        try:
            if candidate.update and candidate.supersedes:
                raise UsageError("A memory either updates another or supersedes it, not both.")
            if not has_words(candidate.text):
                raise UsageError(
                    "Nothing was saved: the text has no letter and no digit, so it says nothing to remember.",
                    hint='Say it in words: engram save rule "what to remember"',
                )
            checked, said = checked_candidate(session, candidate)
            if role and not checked.role:
                checked = checked.replace(role=tuple(role))
            planned = []
            for name in session.save_scopes(scope or checked.scope):
                planner = planners.setdefault(name, _Planner(session.root(name), author, day))
                try:
                    planned.append(planner.plan(checked, number))
                except NotFoundError as error:
                    _name_where_it_is(session, checked, name, error)
                    raise
        except EngramError as error:
            if unfit is not None:
                unfit[number] = error.message
                continue
            if len(candidates) > 1:
                error.message = f"Candidate {number}: {error.message}"
            raise
        redacted += [f"candidate {number}: {one}" if len(candidates) > 1 else one for one in said]
        parts.append(Part(number, checked, tuple(planned)))
    if any(part.candidate.depends_on for part in parts):
        parts = _with_needs(session, parts)
    return Batch(tuple(parts), author, tuple(redacted), day)


def _with_needs(session: Session, parts: Sequence[Part]) -> list[Part]:
    """Say of each candidate what it depends on in vain, the ids of the others counted in."""
    from engram.service.needing import Needs

    changes = [(part.candidate, one.id, _replaced(one)) for part in parts for one in part.planned]
    needs = Needs(session, changes)
    return [
        part.replace(planned=tuple([one.replace(needs=needs.remarks(part.candidate, one.id)) for one in part.planned]))
        for part in parts
    ]


def _replaced(planned: Planned) -> str:
    return planned.verdict.id if planned.verdict.word == "SUPERSEDE" else ""


def _name_where_it_is(session: Session, candidate: Candidate, scope: Scope, error: NotFoundError) -> None:
    """Say of a target that is missing in one scope that it stands in the other, or is a note, where it is."""
    named = candidate.update or candidate.supersedes
    memory_id = check_id(named)[1]
    other = next((root for root in session.roots if root.scope != scope and root.find(memory_id)), None)
    if other is not None:
        error.message = f"{memory_id} is {other.scope} memory, and this would be saved to {scope} memory."
        error.hint = there(other.scope)
    elif named:
        from engram.service.notebook import name_note

        name_note(session, named, error)


class _Planner:
    """Plans candidates for one root so that each sees what those before it do."""

    def __init__(self, root: MemoryRoot, author: Author, day: str) -> None:
        self._root = root
        self._author = author
        self._day = day
        self._texts: dict[tuple[str, str], str] = {}
        self._earlier = Earlier()
        self._coming: set[str] = set()
        self.before: frozenset[str] = frozenset()
        """The folded ids that candidates before the last one will have."""
        self._touched: dict[str, list[Rival]] = {}

    def plan(self, candidate: Candidate, number: int, shown: Planned | None = None) -> Planned:
        """Return what a candidate would do; ``shown`` is that already, where nothing changed since it was computed."""
        self.before = frozenset(self._coming)
        planned = shown or plan(self._root, candidate, self._author, day=self._day, taken=self.before)
        same = (candidate.type or "knowledge", normalise(candidate.text))
        if planned.verdict.word == "ADD" and same in self._texts:
            verdict = Verdict("NOOP", self._texts[same], "an earlier candidate says the same")
            return planned.replace(verdict=verdict, id=verdict.id, writes=(), preview="")
        if planned.writes:
            # What changes one memory as well: each was shown against the bytes that are there now.
            target = fold_id(planned.verdict.id)
            clashing = tuple(self._touched.get(target, ())) if target else ()
            if shown is None:
                planned = planned.replace(rivals=(*clashing, *self._earlier.rivals(candidate)))
                self._earlier.add(number, planned.id, candidate)
            self._texts[same] = planned.id
            self._coming.add(fold_id(planned.id))
            if target:
                says = f"changes {planned.verdict.id}, as does"
                self._touched.setdefault(target, []).append(Rival(number, planned.id, says, clash=True))
        return planned


def effect_of(planned: Planned) -> str:
    """Return the SHA-256 of everything that a human approves with a planned change, to the byte."""
    from hashlib import sha256

    word, target, memory_id, writes = planned.effect
    seen = sha256(f"{word}\0{target}\0{memory_id}\0".encode())
    for write in writes:
        seen.update(f"{write.path}\0{write.old}\0{'' if write.data is None else len(write.data)}\0".encode())
        seen.update(write.data or b"")
    return seen.hexdigest()


def deferral(candidate: Candidate, planned: Planned, *, forced: bool = False) -> str:
    """Return why a candidate waits for a human instead of being written (C39), ``""`` where it is written.

    Args:
        candidate: as checked.
        planned: what it would do.
        forced: nothing was shown, so that only what the candidate itself names may be changed.
    """
    verdict = planned.verdict
    if reason := _clash(planned):
        return reason
    if verdict.word == "NOOP":
        return f"{verdict.reason or 'it is there already'}; look at {verdict.id}"
    if verdict.word == "ADD" and verdict.related and not candidate.depends_on:
        near = ", ".join(verdict.related)
        return f"it is near to {near}; say which it is: DEPENDS_ON, UPDATE or SUPERSEDES with that id"
    if verdict.word == "ADD" and planned.rivals and not candidate.depends_on:
        rival = planned.rivals[0]
        both = "" if rival.says.startswith("says the same") else f", or say DEPENDS_ON: {rival.id} where both hold"
        return f"{rival.sentence}; take one of the two{both}"
    if forced and verdict.word != "ADD" and not (candidate.update or candidate.supersedes):
        key = "UPDATE" if verdict.word == "UPDATE" else "SUPERSEDES"
        return f"it would {verdict.word} {verdict.id}, which nobody was shown; name it: {key}: {verdict.id}"
    return ""


def _clash(planned: Planned) -> str:
    """Return why a candidate waits whoever approved it: one before it changes the memory that it was shown against."""
    rival = next((one for one in planned.rivals if one.clash), None)
    return "" if rival is None else f"{rival.sentence}, which comes first; look at {planned.verdict.id}, then accept it"


def checked_note(session: Session, note: str, kind: str) -> str:
    """Return a human's note after the checks that every text passes; what was redacted is said.

    Raises:
        SafetyError: when it holds what must not become memory.
    """
    if not note:
        return ""
    checked, redacted = checked_texts(session, {"note": note}, kind)
    for message in redacted:
        session.say("info", "redacted", f"Redacted: {message}")
    return checked["note"]


def apply_batch(
    session: Session,
    batch: Batch,
    numbers: Iterable[int],
    *,
    way: str,
    note: str = "",
    approved: Mapping[tuple[int, Scope], str] | None = None,
    defer: Callable[[Candidate, Planned], str] = deferral,
    waiting: Mapping[tuple[int, Scope], str] | None = None,
    keep: bool = True,
    writer: RootWriter | None = None,
    beside: Sequence[Write] = (),
) -> list[Outcome]:
    """Write what was approved and still holds; the rest is kept in the inbox, with the reason (C39, A1).

    Args:
        session: where one is.
        batch: as it was shown.
        numbers: of the candidates that were approved.
        way: how, for the changelog (C59a).
        note: a human's note for each of them, checked.
        approved: what each of them may write, by number and scope, as ``effect_of`` gives it; what the batch shows by
            default.
        defer: gives the reason to defer one.
        waiting: reasons, by number and scope, for what is deferred in any case, because nobody was asked about it.
        keep: put what is deferred into the inbox; a human who waits at the terminal has the text at hand.
        writer: the lock of a root that the caller holds already.
        beside: private files of that root that have to change with the memories, or not at all.

    Returns:
        What became of each candidate in each scope. Once something was written, what fails in another scope is an
        outcome too.

    Raises:
        StoreError, LockedError: nothing was written.
    """
    chosen = set(numbers)
    scopes = list(dict.fromkeys(one.scope for part in batch.parts if part.number in chosen for one in part.planned))
    if writer is not None:
        scopes.sort(key=lambda name: session.root(name).path != writer.root)
    outcomes: list[Outcome] = []
    for scope in scopes:
        root = session.root(scope)
        mine = [(part, planned) for part in batch.parts for planned in part.planned if planned.scope == scope]
        job = _Job(session, root, batch, mine, chosen, way, note, approved, defer, waiting or {}, keep)
        try:
            if writer is not None and writer.root == root.path:
                outcomes += job.run(writer, beside)
                beside = ()
            else:
                with session.writer(root.path) as own:
                    outcomes += job.run(own, ())
        except EngramError as error:
            if isinstance(error, StoreError) and error.details.get("reason") == "not writable":
                other = "workspace" if scope == "global" else "global"
                error.hint = f"{error.hint} Or save to the other scope: --scope {other}"
            if not any(outcome.done for outcome in outcomes):
                raise
            outcomes += [
                Outcome(planned, done=False, reason=error.message, code=error.exit_code, number=part.number)
                for part, planned in mine
                if part.number in chosen
            ]
    if writer is not None and beside:
        writer.put(beside, "what is open and what waits")
    candidates = {part.number: part.candidate for part in batch.parts}
    if any(outcome.done and candidates[outcome.number].depends_on for outcome in outcomes):
        outcomes = _with_needs_now(session, candidates, outcomes)
    return sorted(outcomes, key=lambda outcome: outcome.number)


def _with_needs_now(
    session: Session, candidates: Mapping[int, Candidate], outcomes: Sequence[Outcome]
) -> list[Outcome]:
    """Say of what was written what it depends on in vain now: another candidate may not have been."""
    from engram.service.needing import Needs

    needs = Needs(session)
    return [
        one.replace(planned=one.planned.replace(needs=needs.remarks(candidates[one.number], one.planned.id)))
        if one.done
        else one
        for one in outcomes
    ]


class _Job(Record):
    """The part of a batch that goes to one root."""

    session: Session
    root: MemoryRoot
    batch: Batch
    mine: list[tuple[Part, Planned]]
    chosen: set[int]
    way: str
    note: str
    approved: Mapping[tuple[int, Scope], str] | None
    defer: Callable[[Candidate, Planned], str]
    waiting: Mapping[tuple[int, Scope], str]
    keep: bool

    def run(self, writer: RootWriter, beside: Sequence[Write]) -> list[Outcome]:
        """Judge again, write, and say what became of each."""
        planner = _Planner(self.root, self.batch.author, self.batch.day)
        outcomes: list[Outcome] = []
        writes: list[Write] = []
        lines: list[tuple[str, str]] = []
        accepted: list[tuple[int, Planned]] = []
        waiting: list[Deferred] = []
        stands = self._stands()
        for part, shown in self.mine:
            try:
                # Those that were not approved are judged too: the ids and duplicates of the others came from them.
                now = planner.plan(part.candidate, part.number, shown if stands else None)
                # A candidate that is not written contradicts nothing.
                written = {number for number, _ in accepted}
                now = now.replace(rivals=tuple([one for one in now.rivals if one.number in written]))
                reason = self._changed(part, shown, now) or _clash(now) or self.defer(part.candidate, now)
                reason = reason or self.waiting.get((part.number, self.root.scope), "")
            except EngramError as error:
                now, reason = shown, error.message
            if part.number not in self.chosen:
                continue
            if reason:
                waiting.append(Deferred(part.candidate, self.root.scope, reason, now.verdict, self.way))
                outcomes.append(Outcome(now, done=False, reason=reason, number=part.number, deferred=self.keep))
                continue
            final = now
            if self.note:
                final = plan(
                    self.root,
                    part.candidate,
                    self.batch.author,
                    self.note,
                    day=self.batch.day,
                    taken=planner.before,
                    verdict=now.verdict,
                )
            accepted.append((part.number, final))
            writes += final.writes
            lines.append((final.writes[0].path, _what(final)))
        kept = waiting if self.keep else []
        private = [*deferred_writes(self.session, self.root, kept, self.batch.day), *beside]
        if not accepted:
            if private:
                writer.put(private, "what is open and what waits")
            return outcomes
        receipts = writer.apply([*writes, *private], lines[0][1], self.way, lines[1:])
        if self.root.foreign:
            self.session.say(
                "warning",
                "foreign",
                f"{self.root.path} stays foreign, with what you saved in it: "
                "reference only until you run engram trust.",
            )
        by_path = {receipt.path: receipt for receipt in receipts}
        for number, planned in accepted:
            own = tuple(by_path[write.path] for write in planned.writes)
            outcomes.append(Outcome(planned, done=True, reason="saved", receipts=own, number=number))
        return outcomes

    def _stands(self) -> bool:
        """Tell whether the memory is to the byte what the whole batch was computed from, in this process."""
        base = digest(self.root.ledger().source)
        return self.approved is None and all(
            planned.base == base and all(self._hash(write.path) == write.old for write in planned.writes)
            for _, planned in self.mine
        )

    def _hash(self, path: str) -> str:
        try:
            return digest(read_guarded(self.root.path, path))
        except (OSError, FormatError):
            return ""

    def _changed(self, part: Part, shown: Planned, now: Planned) -> str:
        wanted = effect_of(shown) if self.approved is None else self.approved.get((part.number, self.root.scope), "")
        if effect_of(now) == wanted:
            return ""
        was, is_now = shown.verdict.line(), now.verdict.line()
        about = f"{was}; now {is_now}" if was != is_now else was
        target = shown.verdict.id
        what = "is there no more since" if target and not self.root.find(target) else "changed after"
        return f"{target or shown.id} {what} it was shown ({about}); propose it again"


def _what(planned: Planned) -> str:
    match planned.verdict.word:
        case "UPDATE":
            return f"update {planned.type}: {planned.id}"
        case "SUPERSEDE":
            return f"add {planned.type}: {planned.id}, supersedes {planned.verdict.id}"
        case _:
            return f"add {planned.type}: {planned.id}"
