"""Saving: from a candidate to the exact bytes that a human approves, and from the approval to the disk (C38 to C42)."""

from __future__ import annotations

import os

from engram.errors import EngramError, FormatError, IntegrityError, NotFoundError, UsageError
from engram.markdown.document import parse_document
from engram.markdown.memory import content_text, render_memory, update_document
from engram.model import FOLDERS, KINDS, Memory
from engram.proposals.candidates import Candidate, looks_like_candidates, parse_candidates
from engram.proposals.verdicts import Verdict, judge, least_in_common, normalise, words_in, words_of
from engram.record import Record
from engram.safety.fence import show_inert
from engram.safety.scan import check, refusal
from engram.service.author import author_of
from engram.store.files import digest, read_guarded
from engram.store.root import MemoryRoot, Skipped, Stored, closest_hint, stem
from engram.store.write import Receipt, RootWriter, Write, today
from engram.text.slugs import check_id, fold_id, slug, title_of, unique_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engram.config.author import Author
    from engram.model import Kind, Scope
    from engram.service.session import Session

__all__ = ["Outcome", "Planned", "Proposal", "apply", "candidate_of", "propose"]

# So many of the nearest memories are read, of which the verdict shows at most three.
_NEAR_READ = 12
_KIND_WORDS: dict[str, Kind] = {**{kind: kind for kind in KINDS}, "workflow": "skill"}


class Planned(Record):
    """What one candidate would do in one scope.

    Attributes:
        writes: the memory files with the hash that each had when this was computed; empty for a NOOP.
        preview: the diff that a human approves; no line of it can be read as Engram's own (C42).
        base: the hash of the ledger that this was computed from; while it stands nothing has to be judged again.
    """

    scope: Scope
    verdict: Verdict
    id: str
    type: Kind
    title: str
    writes: tuple[Write, ...]
    preview: str
    base: str

    @property
    def effect(self) -> tuple[str, str, str, tuple[Write, ...]]:
        """What a human approves: the verdict, what it touches, and every byte. Other memories may come and go."""
        return self.verdict.word, self.verdict.id, self.id, self.writes


class Proposal(Record):
    """A candidate with what it would do in each scope, and what was redacted on the way."""

    candidate: Candidate
    planned: tuple[Planned, ...]
    author: Author
    redacted: tuple[str, ...] = ()


class Outcome(Record):
    """What became of one planned change: done with receipts, or not, with the reason.

    ``code`` is the exit code of the error that kept it from being done; 0 for a NOOP.
    """

    planned: Planned
    done: bool
    reason: str
    receipts: tuple[Receipt, ...] = ()
    code: int = 0


def candidate_of(text: str, kind: str = "") -> Candidate:
    """Return the candidate that a text stands for: plain words, or one candidate line (F19).

    Args:
        text: as typed.
        kind: ``rule``, ``skill``, ``workflow`` (a skill) or ``knowledge``, as said beside the text; may be empty.

    Raises:
        UsageError: for an empty or unreadable text, several candidates, or a kind that is none or contradicts the text.
    """
    wanted = _KIND_WORDS.get(kind.lower())
    if kind and wanted is None:
        raise UsageError(
            f"{kind} is no kind of memory; kinds are {', '.join(KINDS)}.", hint="Put a text of several words in quotes."
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("The text is not valid Unicode.", hint="Check the encoding of your terminal or script.")
    if "\0" in text:
        raise UsageError("The text holds a NUL character.", hint="Take it out; a memory is text.")
    if not text.strip():
        raise UsageError("There is no text to save.", hint='engram save rule "what to remember"')
    if not looks_like_candidates(text):
        return Candidate(type=wanted or "", text=text.strip())
    found = parse_candidates(text)
    if len(found) != 1:
        raise UsageError(f"One memory is saved at a time, and the text holds {len(found)}.")
    candidate = found[0]
    if wanted and candidate.type not in {"", wanted}:
        raise UsageError(f"The text says TYPE: {candidate.type}, the command {kind}.", hint="Leave one of them out.")
    return candidate.replace(type=wanted or candidate.type)


def propose(session: Session, candidate: Candidate, *, scope: str = "") -> Proposal:
    """Work out what saving a candidate would write, without writing anything.

    Args:
        session: where one is.
        candidate: what to save (F19).
        scope: ``workspace``, ``global`` or ``both``; the candidate's own or the configured one by default.

    Raises:
        SafetyError: when the text holds what must not become memory; nothing of it is shown.
        NotFoundError: where the scope has no memory, or an UPDATE names an id that is not there.
    """
    if candidate.update and candidate.supersedes:
        raise UsageError("A memory either updates another or supersedes it, not both.")
    checked, redacted = _safe(session, candidate)
    scopes = session.save_scopes(scope or candidate.scope)
    author = author_of(session)
    planned = [_plan(session.root(name), checked, author) for name in scopes]
    return Proposal(checked, tuple(planned), author, redacted)


def apply(session: Session, proposal: Proposal, *, way: str, note: str = "") -> list[Outcome]:
    """Write what a human approved, if it still is what was shown (C42).

    Args:
        session: where one is.
        proposal: as shown.
        way: how it was approved, for the changelog (C59a): ``terminal`` or ``pipe``.
        note: a human's note, kept in the memory under ``## Human Note``.

    Returns:
        What became of each scope. Once something was written, what fails in another scope is an outcome too.

    Raises:
        SafetyError: when the note holds what must not become memory.
        IntegrityError: when memory changed since the proposal was shown; nothing was written.
        StoreError: nothing was written.
    """
    if note:
        (note,), redacted = _checked_texts(session, [note], proposal.candidate.type or "knowledge")
        for message in redacted:
            session.say("info", "redacted", f"Redacted in the note: {message}")
    outcomes: list[Outcome] = []
    for planned in proposal.planned:
        if not planned.writes:
            outcomes.append(Outcome(planned, done=False, reason=planned.verdict.reason))
            continue
        try:
            outcomes.append(_apply_one(session, proposal, planned, way=way, note=note))
        except EngramError as error:
            if not any(outcome.done for outcome in outcomes):
                raise
            outcomes.append(Outcome(planned, done=False, reason=error.message, code=error.exit_code))
    return outcomes


def _apply_one(session: Session, proposal: Proposal, planned: Planned, *, way: str, note: str) -> Outcome:
    candidate, author = proposal.candidate, proposal.author
    root = session.root(planned.scope)
    with RootWriter(root.path, session.lock_timeout_s) as writer:
        for sentence in writer.healed:
            session.say("info", "healed", sentence, path=root.path)
        again = planned if digest(root.ledger().source) == planned.base else _plan(root, candidate, author)
        if again.effect != planned.effect:
            raise IntegrityError(
                f"Nothing was saved in {planned.scope} memory: {planned.id} changed after it was shown "
                f"({planned.verdict.line()}; now {again.verdict.line()}).",
                hint="Run the command again to see the memory as it is now.",
            )
        final = _plan(root, candidate, author, note) if note else planned
        receipts = writer.apply(final.writes, _what(final), way)
    return Outcome(final, done=True, reason="saved", receipts=tuple(receipts))


def _plan(root: MemoryRoot, candidate: Candidate, author: Author, note: str = "") -> Planned:
    base = digest(root.ledger().source)
    memories = _near(root, candidate)
    for name in (candidate.update, candidate.supersedes):
        _check_target(root, name)
    verdict = judge(candidate, [stored.memory for stored in memories])
    match verdict.word:
        case "NOOP":
            target = _stored(root, verdict.id)
            return Planned(root.scope, verdict, target.memory.id, target.memory.type, target.memory.title, (), "", base)
        case "UPDATE":
            return _plan_update(root, candidate, verdict, note=note, base=base)
        case _:
            return _plan_add(root, candidate, verdict, author, note=note, base=base)


def _plan_add(
    root: MemoryRoot, candidate: Candidate, verdict: Verdict, author: Author, *, note: str, base: str
) -> Planned:
    day = today()
    kind = candidate.type or "knowledge"
    title = candidate.title or title_of(candidate.text)
    taken = {fold_id(known) for known in root.ids()}
    memory_id = unique_slug(slug(title, kind), taken)
    variants = (("Light", candidate.light), ("Balanced", candidate.balanced), ("Strict", candidate.strict))
    memory = Memory(
        id=memory_id,
        type=kind,
        scope=root.scope,
        title=title,
        content=candidate.text,
        authority="reference" if kind == "knowledge" else "instruction",
        triggers=candidate.triggers,
        depends_on=tuple(check_id(name)[1] for name in candidate.depends_on),
        role=candidate.role,
        level=candidate.level,
        confidence=candidate.confidence or "high",
        source="manual",
        created=day,
        updated=day,
        valid_from=day,
        last_confirmed=day,
        author_name=author.name,
        author_email=author.email,
        supersedes=(verdict.id,) if verdict.word == "SUPERSEDE" else (),
        origin=candidate.context,
        human_note=note,
        variants=tuple((name, text) for name, text in variants if text),
    )
    path = f"{FOLDERS[kind]}/{memory_id}.md"
    data = _written(path, lambda: render_memory(memory))
    writes = [Write(path, "", data)]
    preview = _diff(path, b"", data)
    if verdict.word == "SUPERSEDE":
        old = _stored(root, verdict.id)
        changes: dict[str, object] = {
            "lifecycle": "superseded",
            "superseded_by": memory_id,
            "valid_until": day,
            "updated": day,
            "revision": old.memory.revision + 1,
        }
        before = read_guarded(root.path, old.path)
        after = _written(old.path, lambda: update_document(parse_document(before, old.path), changes).to_bytes())
        writes.append(Write(old.path, old.hash, after))
        preview += _diff(old.path, before, after)
    return Planned(root.scope, verdict, memory_id, kind, title, tuple(writes), preview, base)


def _plan_update(root: MemoryRoot, candidate: Candidate, verdict: Verdict, *, note: str, base: str) -> Planned:
    # The author of a memory stays; the changelog and Git say who changed it.
    old = _stored(root, verdict.id)
    memory = old.memory
    if candidate.type and candidate.type != memory.type:
        raise UsageError(
            f"{memory.id} is a {memory.type}; an UPDATE cannot make it a {candidate.type}.",
            hint=f"Use SUPERSEDES: {memory.id} to replace it with a {candidate.type}.",
        )
    day = today()
    changes: dict[str, object] = {
        "content": merged_content(memory.content, candidate.text),
        "updated": day,
        "last_confirmed": day,
        "revision": memory.revision + 1,
    }
    if candidate.title:
        changes["title"] = candidate.title
    for name, given in (
        ("triggers", candidate.triggers),
        ("depends_on", tuple(check_id(name)[1] for name in candidate.depends_on)),
        ("role", candidate.role),
    ):
        if given:
            changes[name] = tuple(dict.fromkeys((*getattr(memory, name), *given)))
    single = {"level": candidate.level, "confidence": candidate.confidence}
    changes |= {name: text for name, text in single.items() if text}
    given_variants = {"Light": candidate.light, "Balanced": candidate.balanced, "Strict": candidate.strict}
    if any(given_variants.values()):
        merged = dict(memory.variants) | {name: text for name, text in given_variants.items() if text}
        changes["variants"] = tuple(merged.items())
    if candidate.context:
        changes["origin"] = _appended(memory.origin, candidate.context)
    if note:
        changes["human_note"] = _appended(memory.human_note, note)
    before = read_guarded(root.path, old.path)
    if memory.schema < 3:
        # F7: an older file keeps its schema; these keys are not part of it.
        for name in ("revision", "last_confirmed"):
            changes.pop(name)
    after = _written(old.path, lambda: update_document(parse_document(before, old.path), changes).to_bytes())
    preview = _diff(old.path, before, after)
    title = candidate.title or memory.title
    return Planned(
        root.scope, verdict, memory.id, memory.type, title, (Write(old.path, old.hash, after),), preview, base
    )


def merged_content(old: str, new: str) -> str:
    """Return ``old`` with ``new`` taken in; no line of either is lost.

    A bullet that the new text repeats and extends gives way to it; otherwise the new text becomes a bullet of its own.
    """
    fresh = normalise(new)
    lines = old.split("\n")
    for number, line in enumerate(lines):
        known = normalise(content_text(line.strip()))
        if known and known in fresh and line.lstrip().startswith("- "):
            indent = line[: len(line) - len(line.lstrip())]
            lines[number] = indent + _bullet(new).replace("\n", "\n" + indent)
            return "\n".join(lines)
    if fresh in normalise(old):
        return old
    gap = "" if lines[-1].lstrip().startswith(("- ", "  ")) else "\n"
    return f"{old}\n{gap}{_bullet(new)}" if old.strip() else new


def _written(path: str, render: Callable[[], bytes]) -> bytes:
    """Return the bytes of a memory that is to be written, or say why the text cannot be one (B2: the limit)."""
    try:
        return render()
    except FormatError as error:
        hint = error.hint or "Split it into several memories."
        raise UsageError(f"Nothing was saved to {path}: {error.message.rstrip('.')}.", hint=hint) from error


def _bullet(text: str) -> str:
    return "- " + text.strip().replace("\n", "\n  ")


def _appended(old: str, new: str) -> str:
    return f"{old}\n\n{new}" if old.strip() else new


def _near(root: MemoryRoot, candidate: Candidate) -> list[Stored]:
    """Return the active memories that a candidate may duplicate, that are near to it, and those that it names.

    A duplicate shares every word, and of the near ones only the nearest are shown, so the others need not be parsed:
    at 1,000 memories that would be most of a save's time.
    """
    wanted = words_of(candidate.text)
    named = {fold_id(check_id(name)[1]) for name in (candidate.update, candidate.supersedes) if name}
    least = least_in_common(len(wanted))
    chosen: list[str] = []
    near: list[tuple[float, str]] = []
    for path in root.active_paths():
        try:
            body = read_guarded(root.path, path).partition(b"\n---")[2]
        except (OSError, FormatError):
            continue
        own = words_in(body)
        common = len(wanted & own)
        if common == len(wanted) or fold_id(stem(path)) in named:
            chosen.append(path)
        elif common >= least:
            near.append((-common / (len(wanted) + len(own)), path))
    found = []
    for path in [*chosen, *(path for _, path in sorted(near)[:_NEAR_READ])]:
        stored = root.read(path)
        if isinstance(stored, Stored) and not stored.memory.superseded_by and stored.memory.lifecycle != "superseded":
            found.append(stored)
    return found


def _check_target(root: MemoryRoot, name: str) -> None:
    """Say clearly why an UPDATE or SUPERSEDES cannot apply, before anything is judged."""
    if not name:
        return
    scope, memory_id = check_id(name)
    if scope and scope != root.scope:
        raise UsageError(
            f"{name} is {scope} memory, and this would be saved to {root.scope} memory.", hint=f"Add --scope {scope}."
        )
    path = root.find(memory_id)
    if not path:
        archived = root.find_archived(memory_id)
        raise NotFoundError(
            f"{memory_id} is archived; it cannot be changed."
            if archived
            else f"There is no memory {memory_id} in {root.scope} memory.",
            hint="Save it without UPDATE and SUPERSEDES." if archived else closest_hint(memory_id, root.ids()),
        )
    stored = root.read(path)
    if isinstance(stored, Skipped):
        raise IntegrityError(f"{memory_id} cannot be changed: {stored.text}.", path=path, line=stored.line)
    if stored.memory.superseded_by:
        raise UsageError(
            f"{memory_id} is superseded by {stored.memory.superseded_by}.",
            hint=f"Change {stored.memory.superseded_by} instead.",
        )


def _stored(root: MemoryRoot, memory_id: str) -> Stored:
    found = root.read(root.require(memory_id))
    if isinstance(found, Skipped):
        raise IntegrityError(found.text)
    return found


def _safe(session: Session, candidate: Candidate) -> tuple[Candidate, tuple[str, ...]]:
    """Check every field of a candidate before anything of it is shown (F21 ``safety.*``).

    What a field holds reaches the file, the preview or an error message; of an id only a refusal counts, since a
    redacted one would name another memory.
    """
    kind = candidate.type or "knowledge"
    names = ("text", "title", "context", "level", "light", "balanced", "strict")
    texts, said = _checked_texts(session, [getattr(candidate, name) for name in names], kind)
    lists, said_too = _checked_texts(session, ["\n".join(candidate.triggers), "\n".join(candidate.role)], kind)
    triggers, role = (tuple(line for line in text.split("\n") if line) for text in lists)
    _checked_texts(session, ["\n".join((candidate.update, candidate.supersedes, *candidate.depends_on))], kind)
    safe = candidate.replace(**dict(zip(names, texts, strict=True)), triggers=triggers, role=role)
    return safe, (*said, *said_too)


def _checked_texts(session: Session, texts: Sequence[str], kind: str) -> tuple[list[str], tuple[str, ...]]:
    out: list[str] = []
    said: list[str] = []
    for text in texts:
        result = check(text, kind=kind, actions=session.settings.action)
        if result.blocked:
            raise refusal(result.blocked)
        out.append(result.text)
        said += [finding.message for finding in result.redacted]
    return out, tuple(said)


def _diff(path: str, before: bytes, after: bytes) -> str:
    """Return a unified diff whose lines all begin with a mark, control and direction characters shown (C42)."""
    from difflib import unified_diff

    old, new = (data.decode("utf-8").split("\n") for data in (before, after))
    if not before:
        old = []
    if new and not new[-1]:
        new.pop()
    if old and not old[-1]:
        old.pop()
    start = f"a/{path}" if before else "/dev/null"
    lines = unified_diff(old, new, start, f"b/{path}", lineterm="")
    return "".join(f"{show_inert(line)}\n" for line in lines)


def _what(planned: Planned) -> str:
    match planned.verdict.word:
        case "UPDATE":
            return f"update {planned.type}: {planned.id}"
        case "SUPERSEDE":
            return f"add {planned.type}: {planned.id}, supersedes {planned.verdict.id}"
        case _:
            return f"add {planned.type}: {planned.id}"


def receipts_as_data(root: str, receipts: Sequence[Receipt]) -> list[dict[str, object]]:
    """Return receipts as plain data, with the full path of each file."""
    return [
        {"file": os.path.join(root, *receipt.path.split("/")), "sha256": receipt.hash, "bytes": receipt.size}
        for receipt in receipts
    ]
