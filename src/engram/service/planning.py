"""Planning: what one candidate would write in one scope, to the byte, and the diff of it that a human sees (C42)."""

from __future__ import annotations

from engram.errors import FormatError, IntegrityError, NotFoundError, UsageError
from engram.markdown.document import parse_document
from engram.markdown.writing import render_memory, update_document
from engram.model import FOLDERS, Memory
from engram.proposals.ageing import ageing
from engram.proposals.verdicts import Verdict, judge
from engram.record import Record
from engram.service.diffs import file_diff
from engram.service.merging import appended, merged_content
from engram.service.nearness import near_memories
from engram.store.files import digest, read_guarded, today
from engram.store.root import MemoryRoot, Skipped, Stored, closest_hint
from engram.store.write import Write
from engram.text.slugs import check_id, fold_id, slug, title_of, unique_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.config.author import Author
    from engram.model import Kind, Scope
    from engram.proposals.ageing import Ageing
    from engram.proposals.candidates import Candidate
    from engram.proposals.rivals import Rival

__all__ = ["Planned", "plan", "there"]


class Planned(Record):
    """What one candidate would do in one scope.

    Attributes:
        writes: the memory files with the hash that each had when this was computed; empty for a NOOP.
        preview: the diff that a human approves; no line of it can be read as Engram's own (C42).
        base: the hash of the ledger that this was computed from; while it stands nothing has to be judged again.
        ageing: words of the text that mean another day later, with the date that they mean today (F20).
        rivals: earlier candidates of the same proposal that this one contradicts or repeats, or that change the same
            memory.
        needs: what it depends on in vain, and circles, a sentence each.
        foreign: nobody on this machine has accepted the memory that it touches (F18).
    """

    scope: Scope
    verdict: Verdict
    id: str
    type: Kind
    title: str
    writes: tuple[Write, ...]
    preview: str
    base: str
    ageing: tuple[Ageing, ...] = ()
    rivals: tuple[Rival, ...] = ()
    needs: tuple[str, ...] = ()
    foreign: bool = False

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a human has to know beside the verdict line, a sentence each; to be shown inert."""
        found = [self.verdict.reason] if self.verdict.reason else []
        if self.foreign:
            found.append(f"{self.verdict.id} is foreign, and stays so: nobody here has accepted it (engram trust)")
        if self.verdict.others:
            found.append(f"Also with the old value: {', '.join(self.verdict.others)}")
        if self.verdict.related:
            found.append(f"Related: {', '.join(self.verdict.related)}")
        found += [f"In this proposal {rival.sentence}" for rival in self.rivals]
        found += self.needs
        found += [f'"{one.word}" means {one.meant} today; write the date if it matters' for one in self.ageing]
        return tuple(found)

    @property
    def effect(self) -> tuple[str, str, str, tuple[Write, ...]]:
        """What a human approves: the verdict, what it touches, and every byte. Other memories may come and go."""
        return self.verdict.word, self.verdict.id, self.id, self.writes


def plan(
    root: MemoryRoot,
    candidate: Candidate,
    author: Author,
    note: str = "",
    *,
    day: str = "",
    taken: frozenset[str] = frozenset(),
    verdict: Verdict | None = None,
) -> Planned:
    """Return what saving ``candidate`` would do in ``root`` now; nothing is written.

    Args:
        root: where it would go.
        candidate: checked by the safety rules already.
        author: who a new memory is by.
        note: a human's note, kept in the memory.
        day: the day to write into it; today by default.
        taken: folded ids that others of the same batch will have (F11).
        verdict: as it was computed from the memory as it is now; it is computed by default.

    Raises:
        NotFoundError: when it names a memory that is not there.
        IntegrityError: when it names one whose bytes are not the approved ones.
        UsageError: when it cannot be applied or written.
    """
    base = digest(root.ledger().source)
    if verdict is None:
        verdict = _judged(root, candidate)
    day = day or today()
    match verdict.word:
        case "NOOP":
            target = _stored(root, verdict.id)
            planned = Planned(
                root.scope, verdict, target.memory.id, target.memory.type, target.memory.title, (), "", base
            )
            return planned.replace(foreign=root.foreign)
        case "UPDATE":
            planned = _plan_update(root, candidate, verdict, note=note, base=base, day=day)
        case _:
            planned = _plan_add(root, candidate, verdict, author, note=note, base=base, day=day, reserved=taken)
    return planned.replace(ageing=ageing(candidate.text, day), foreign=root.foreign and bool(verdict.id))


def _judged(root: MemoryRoot, candidate: Candidate) -> Verdict:
    named = {fold_id(check_id(name)[1]) for name in (candidate.update, candidate.supersedes) if name}
    memories = near_memories(root, candidate.text, named)
    for name in (candidate.update, candidate.supersedes):
        _check_target(root, name)
    if candidate.supersedes:
        # Others that state the old value are near to that, whatever takes its place.
        known = {stored.path for stored in memories}
        replaced = _stored(root, check_id(candidate.supersedes)[1]).memory
        memories += [one for one in near_memories(root, replaced.content, ()) if one.path not in known]
    return judge(candidate, [stored.memory for stored in memories])


def _plan_add(
    root: MemoryRoot,
    candidate: Candidate,
    verdict: Verdict,
    author: Author,
    *,
    note: str,
    base: str,
    day: str,
    reserved: frozenset[str],
) -> Planned:
    kind = candidate.type or "knowledge"
    title = candidate.title or title_of(candidate.text)
    # A title of marks only names nothing: the id comes from the text then.
    words = slug(title_of(candidate.text), slug(candidate.text, kind))
    memory_id = unique_slug(slug(title, words), reserved.union(map(fold_id, root.ids())))
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
    if root.ignores(path):
        raise UsageError(
            "Nothing was saved: the file of this memory would be one that Engram is told to leave alone.",
            hint="Give it another title, or change the patterns: .engramignore, or engram config get ignore.patterns.",
        )
    data = _written(path, lambda: render_memory(memory))
    writes = [Write(path, "", data)]
    preview = file_diff(path, b"", data)
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
        preview += file_diff(old.path, before, after)
    return Planned(root.scope, verdict, memory_id, kind, title, tuple(writes), preview, base)


def _plan_update(
    root: MemoryRoot, candidate: Candidate, verdict: Verdict, *, note: str, base: str, day: str
) -> Planned:
    # The author of a memory stays; the changelog and Git say who changed it.
    old = _stored(root, verdict.id)
    memory = old.memory
    if candidate.type and candidate.type != memory.type:
        raise UsageError(
            f"{memory.id} is a {memory.type}; an UPDATE cannot make it a {candidate.type}.",
            hint=f"Use SUPERSEDES: {memory.id} to replace it with a {candidate.type}.",
        )
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
        changes["origin"] = appended(memory.origin, candidate.context)
    if note:
        changes["human_note"] = appended(memory.human_note, note)
    before = read_guarded(root.path, old.path)
    if memory.schema < 3:
        # F7: an older file keeps its schema; these keys are not part of it.
        for name in ("revision", "last_confirmed"):
            changes.pop(name)
    after = _written(old.path, lambda: update_document(parse_document(before, old.path), changes).to_bytes())
    preview = file_diff(old.path, before, after)
    title = candidate.title or memory.title
    return Planned(
        root.scope, verdict, memory.id, memory.type, title, (Write(old.path, old.hash, after),), preview, base
    )


def _written(path: str, render: Callable[[], bytes]) -> bytes:
    """Return the bytes of a memory that is to be written, or say why the text cannot be one (B2: the limit)."""
    try:
        return render()
    except FormatError as error:
        hint = error.hint or "Split it into several memories."
        raise UsageError(f"Nothing was saved to {path}: {error.message.rstrip('.')}.", hint=hint) from error


def there(scope: str) -> str:
    """Return what to do to save to another scope."""
    return f"Save it there: SCOPE: {scope} in the candidate, or the scope {scope} beside it (--scope {scope})."


def _check_target(root: MemoryRoot, name: str) -> None:
    """Say clearly why an UPDATE or SUPERSEDES cannot apply, before anything is judged."""
    if not name:
        return
    scope, memory_id = check_id(name)
    if scope and scope != root.scope:
        raise NotFoundError(
            f"There is no memory {memory_id} in {scope} memory, and this would be saved to {root.scope} memory.",
            hint=there(scope),
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
        chain = root.successors(stored.memory)
        raise UsageError(
            f"{stored.memory.id} is superseded by {', and that by '.join(chain)}.", hint=f"Change {chain[-1]} instead."
        )


def _stored(root: MemoryRoot, memory_id: str) -> Stored:
    found = root.read(root.require(memory_id))
    if isinstance(found, Skipped):
        raise IntegrityError(found.text)
    return found
