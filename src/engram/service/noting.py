"""Keeping a working note: what it would be, to the byte, and from a human's yes to the disk (C54 to C57)."""

from __future__ import annotations

import os

from engram.errors import FormatError, IntegrityError, StoreError, UsageError
from engram.markdown.passages import content_text
from engram.model import KINDS, MAX_BYTES
from engram.notes.note import last_day, new_note, renewed
from engram.record import Record
from engram.safety.scan import check, refusal
from engram.service.author import author_of
from engram.service.diffs import file_diff
from engram.service.notebook import Notebook, durable_ids, note_action
from engram.store.files import digest, read_guarded, read_optional, today, walk_markdown
from engram.store.root import NOTES, stem
from engram.store.write import Write
from engram.text.slugs import fold_id, has_words, slug, title_of, unique_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.model import Kind, Scope
    from engram.service.reading import Entry
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["NotePlan", "NoteReceipt", "check_place", "propose_note", "receipt_for", "write_note"]

_KINDS: dict[str, Kind] = {"": "knowledge", "workflow": "skill", **{kind: kind for kind in KINDS}}
# An objective names a piece of work; in characters.
_LONGEST_OBJECTIVE = 200


class NotePlan(Record):
    """What keeping a note would write.

    Attributes:
        scope, type, id, title, text, objective: of the note, ``text`` and ``objective`` after redaction. Proposing
            these again on ``day`` gives the same plan.
        valid_until: its last day.
        day: the day on which it is proposed.
        root: the folder of the root that it goes to: of a linked worktree that of its main worktree (F1).
        write: the file in that root, with the hash that it has now.
        preview: the diff that a human approves; no line of it can be read as Engram's own (C42).
        redacted: what was taken out of the text, a sentence each.
    """

    scope: Scope
    type: Kind
    id: str
    title: str
    text: str
    objective: str
    valid_until: str
    day: str
    root: str
    write: Write
    preview: str
    redacted: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The file, relative to the root."""
        return self.write.path

    @property
    def file(self) -> str:
        """The file's full path."""
        return os.path.join(self.root, *self.path.split("/"))

    @property
    def changes(self) -> bool:
        """Whether there is something to write: the same note may be there already."""
        return self.effect[-1] != self.write.old

    @property
    def effect(self) -> tuple[str, str, str, str]:
        """What a human approves: place, state before, and every byte, as plain text; to be compared (C42)."""
        return self.root, self.path, self.write.old, digest(self.write.data or b"")


class NoteReceipt(Record):
    """A note as it is on the disk, read back: the SHA-256 of its bytes, and the way in which it was approved."""

    id: str
    file: str
    valid_until: str
    sha256: str
    way: str


def propose_note(
    session: Session, text: str, *, objective: str = "", kind: str = "", scope: str = "", day: str = ""
) -> NotePlan:
    """Work out what keeping a note would write, without writing anything.

    A text that is noted already is not noted twice: that note is renewed. Its id is one that no memory and no other
    note has.

    Args:
        session: where one is.
        text: what to keep for some days.
        objective: the piece of work that it is for: a session start shows it only there (C58).
        kind: ``rule``, ``skill``, ``workflow`` (a skill) or ``knowledge`` (the default): what it would be as a memory.
        scope: ``workspace`` or ``global``; the configured one by default, of ``both`` the workspace.
        day: the day to write into it; today by default.

    Raises:
        UsageError: for an empty or unusable text, an unknown kind or scope.
        SafetyError: for lines that look like instructions; nothing of them is shown (C55).
        NotFoundError: where the scope has no memory folder.
    """
    wanted = _KINDS.get(kind.lower())
    if wanted is None:
        raise UsageError(f"{kind} is no kind of memory.", hint=f"Kinds are {', '.join(KINDS)}.")
    if scope == "both":
        raise UsageError("A working note has one scope.", hint="Scopes are workspace and global.")
    if not text.strip():
        raise UsageError("There is no text to note.", hint='engram note "what the next session has to know"')
    if not has_words(text):
        raise UsageError(
            "Nothing was noted: the text has no letter and no digit, so it says nothing to remember.",
            hint='Say it in words: engram note "what the next session has to know"',
        )
    if len(text) + len(objective) > MAX_BYTES:  # before anything looks into it, which would take long
        raise UsageError(
            f"Nothing was noted: it has {len(text) + len(objective):,} characters, and a memory holds at most "
            f"{MAX_BYTES:,} bytes (256 KiB).",
            hint="A note is short: say in a few sentences what has to be known.",
        )
    root = session.root(session.save_scopes(scope)[0])
    safe, redacted = _safe(session, text.strip())
    aim, aim_redacted = _safe(session, " ".join(objective.split()), "objective")
    if len(aim) > _LONGEST_OBJECTIVE:
        raise UsageError(f"The objective is longer than {_LONGEST_OBJECTIVE} characters.", hint="Name it in few words.")
    until = last_day(day or today(), session.settings.integer("load.working_ttl_days"))
    known = _same(session, root, safe)
    try:
        if known is not None:
            note_id, title = known.memory.id, known.memory.title
            path = known.path
            before = read_guarded(root.private, path)
            aim = aim or known.objective
            wanted = wanted if kind else known.memory.type
            after = before
            if (until, aim, wanted) != (known.memory.valid_until, known.objective, known.memory.type):
                after = renewed(before, path, kind=wanted, objective=aim, day=day or today(), until=until)
        else:
            title = title_of(safe)
            note_id = unique_slug(slug(title, "note"), _taken(session))
            path = f"{NOTES}/{note_id}.md"
            before = b""
            after = new_note(
                note_id, wanted, root.scope, title=title, text=safe, objective=aim, day=day or today(), until=until,
                author=author_of(session),
            )  # fmt: skip
    except FormatError as error:
        hint = error.hint or "A note is short: say in a few sentences what has to be known."
        raise UsageError(f"Nothing was noted: {error.message.rstrip('.')}.", hint=hint) from error
    return NotePlan(
        scope=root.scope,
        type=wanted,
        id=note_id,
        title=title,
        text=safe,
        objective=aim,
        valid_until=until,
        day=day or today(),
        root=root.private,
        write=Write(path, digest(before) if before else "", after),
        preview=file_diff(path, before, after),
        redacted=(*redacted, *aim_redacted),
    )


def write_note(session: Session, plan: NotePlan, way: str) -> NoteReceipt:
    """Write a note that a human approved. It goes into no ledger and no changelog: Git sees nothing of it.

    Args:
        session: where one is.
        plan: as it was shown.
        way: how it was approved (C59a): ``terminal``, ``pipe``, ``token`` or ``dialog``.

    Raises:
        IntegrityError: when its place was taken meanwhile; nothing was written.
        StoreError: nothing was written.
    """
    if plan.changes:
        with session.writer(plan.root) as writer:
            check_place(plan)
            receipt = writer.put([plan.write], f"keep the note {plan.id}")[0]
        found = receipt.hash
    else:
        found = plan.write.old
    foreign = any(root.private == plan.root and root.foreign for root in session.roots)
    if foreign:
        session.say(
            "warning", "foreign", f"{plan.root} stays foreign, with your note in it, until you run engram trust."
        )
    return NoteReceipt(plan.id, plan.file, plan.valid_until, found, way)


def receipt_for(plan: NotePlan, way: str) -> NoteReceipt:
    """Return the receipt of a note that was written, from the bytes read back.

    Raises:
        StoreError: when it does not hold what was approved.
    """
    data = read_optional(plan.file)
    if data != plan.write.data:
        raise StoreError(f"{plan.path} does not hold what was written to it.", path=plan.file)
    return NoteReceipt(plan.id, plan.file, plan.valid_until, digest(data or b""), way)


def _safe(session: Session, text: str, field: str = "") -> tuple[str, tuple[str, ...]]:
    """Return a text after redaction, and what was redacted (C55).

    Raises:
        SafetyError: when it holds what no note may hold.
    """
    checked = check(text, kind="note", actions=note_action(session))
    if checked.blocked:
        raise refusal(checked.blocked, field=field, done="noted")
    where = f" in the {field}" if field else ""
    return checked.text, tuple(finding.message + where for finding in checked.redacted)


def _same(session: Session, root: MemoryRoot, text: str) -> Entry | None:
    """Return the note of a root that says the same, blanks and line ends aside, also one that ended."""
    if not root.has_notes():
        return None
    notebook = Notebook(session, durable_ids(session), with_expired=True)
    wanted = text.split()
    for entry in (*notebook.live, *notebook.expired):
        if entry.memory.scope == root.scope and content_text(entry.memory.content).split() == wanted:
            shown = notebook.shown(entry)
            if shown is not None:
                return shown
    return None


def _taken(session: Session) -> set[str]:
    """Return the folded ids of all memories and notes here: one id names one thing, as long as nobody saves it anew."""
    return {fold_id(name) for root in session.roots for name in (*root.ids(), *_note_ids(root))}


def _note_ids(root: MemoryRoot) -> Iterator[str]:
    return (
        (stem(path) for path in walk_markdown(root.private, NOTES, root.passes_over)) if root.has_notes() else iter(())
    )


def check_place(plan: NotePlan) -> None:
    """Raise IntegrityError where the file is another one than it was, or a file system could not tell them apart."""
    taken = False
    if not plan.write.old:
        taken = any(fold_id(stem(path)) == fold_id(plan.id) for path in walk_markdown(plan.root, NOTES))
    else:
        data = read_optional(plan.file)
        taken = data is None or digest(data) != plan.write.old
    if taken:
        raise IntegrityError(
            f"Nothing was noted: {plan.path} changed after it was shown.",
            hint="Run the command again to see it as it is now.",
            path=plan.file,
        )
