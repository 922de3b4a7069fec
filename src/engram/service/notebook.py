"""The working notes that are there: read from ``working/``, looked over, and found by id (C57, C58).

No ledger names a note, so nothing vouches for its bytes: whatever lies in the folder is read as if a stranger had put
it there. A file that is no note, or that says what no note may say, is skipped with the reason. Nothing here runs while
the folder is empty (``MemoryRoot.has_notes``).
"""

from __future__ import annotations

import os

from engram.errors import EngramError, FormatError, NotFoundError
from engram.notes.note import PREFIX, Note, ended_at_sight, folded, has_ended, read_note
from engram.recall.pack import Item
from engram.safety.scan import check, redact, scan
from engram.service.session import Entry, known_keys
from engram.store.files import digest, leaves, read_guarded, today, walk_markdown
from engram.store.root import LINK_REASON, NOTES, MemoryRoot, Skipped, closest_hint, stem
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from engram.index.segment import Segment
    from engram.service.session import Session

__all__ = [
    "Notebook", "count_notes", "durable_ids", "expired_notes", "find_note", "list_notes", "name_note", "note_action",
    "note_file", "note_item", "notes_for_start",
]  # fmt: skip

# A folder with more files than this was not filled by a person's work; every reader would wait for it.
_MOST = 2000
# The texts of a note that are shown.
_TEXTS = ("title", "content", "context", "example", "origin", "human_note")


class Notebook:
    """The notes of all roots that apply here.

    Attributes:
        live: those that are in service, with their keys, the workspace's first; not looked over yet, see ``shown``.
        expired: those that ended, which only a review names.
        skipped: the files that are no notes, and those that ``shown`` refused.
    """

    def __init__(
        self,
        session: Session,
        durable: Callable[[Collection[str]], Collection[str]],
        *,
        with_expired: bool = False,
    ) -> None:
        """Read the notes.

        Args:
            session: where one is.
            durable: returns which of some folded ids durable memories have.
            with_expired: whether ``expired`` is asked for; files that ended at sight need not be parsed otherwise.
        """
        self.live: list[Entry] = []
        self.expired: list[Entry] = []
        self.skipped: list[tuple[MemoryRoot, Skipped]] = []
        self._session = session
        self._day = today()
        self._with_expired = with_expired
        for root in session.roots:
            if root.has_notes():
                for entry, note in self._read(root):
                    (self.expired if has_ended(note, self._day) else self.live).append(entry)
        ids = {fold_id(entry.memory.id) for entry in self.live}
        taken = set(durable(ids)) if ids else set()
        seen: set[str] = set()
        for at, entry in enumerate(self.live):
            name, folded_id = entry.memory.id, fold_id(entry.memory.id)
            if folded_id in seen:
                name = f"{PREFIX}{entry.memory.scope}/{name}"
            elif folded_id in taken:
                name = f"{PREFIX}{name}"
            seen.add(folded_id)
            self.live[at] = entry.replace(key=name)

    def _read(self, root: MemoryRoot) -> Iterator[tuple[Entry, Note]]:
        place = root if root.private == root.path else MemoryRoot(root.private, root.scope, foreign=root.foreign)
        owners: dict[str, str] = {}
        try:
            if leaves(place.path, NOTES):
                self._skip(root, NOTES, LINK_REASON)
            for number, path in enumerate(walk_markdown(place.path, NOTES, root.passes_over)):
                if number == _MOST:
                    self._skip(root, NOTES, f"it holds more than {_MOST:,} files; the others are not read")
                    return
                try:
                    data = read_guarded(place.path, path)
                    if not self._with_expired and ended_at_sight(data, self._day):
                        continue
                    note = read_note(data, path=path, scope=root.scope)
                except FormatError as error:
                    self._skip(root, path, error.message, error.line)
                    continue
                except OSError as error:
                    self._skip(root, path, f"it cannot be read ({error.strerror})")
                    continue
                owner = owners.setdefault(fold_id(note.memory.id), path)
                if owner != path:
                    self._skip(root, path, f"{owner} has the same id; rename one of them")
                    continue
                yield Entry(note.memory, note.memory.id, path, place, digest(data), note.objective), note
        except EngramError as error:
            self._skip(root, NOTES, error.message)

    def _skip(self, root: MemoryRoot, path: str, reason: str, line: int = 0) -> None:
        self.skipped.append((root, Skipped(path, "note", reason, line)))

    def source(self) -> Segment:
        """Return the live notes as an index; the number of a row is that of its note in ``live``, from 1."""
        from engram.index.segment import Segment

        segment = Segment()
        for entry in self.live:
            segment.add(entry.path, entry.hash, entry.memory)
        return segment

    def shown(self, entry: Entry) -> Entry | None:
        """Return a note as it may be shown: redacted again, None (and a reason in ``skipped``) where it may not be."""
        texts = {name: str(getattr(entry.memory, name)) for name in _TEXTS} | {"objective": entry.objective}
        for name, text in texts.items():
            if not text:
                continue
            checked = check(text, kind="note", actions=note_action(self._session))
            if checked.blocked:
                self._skip(entry.root, entry.path, f"it holds {checked.blocked[0].message}, so it is not shown")
                return None
            texts[name] = checked.text
        objective = texts.pop("objective")
        return entry.replace(memory=entry.memory.replace(**texts), objective=objective)

    def all_shown(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return those of some notes that may be shown, as they may be."""
        return [shown for entry in entries if (shown := self.shown(entry)) is not None]


def note_item(entry: Entry) -> Item:
    """Return a working note on its way into a pack: among memories it is a card (C58)."""
    return Item(entry.memory, entry.key, foreign=entry.foreign, note=entry.note_mark, card_only=True)


def note_action(session: Session) -> Callable[[str, str], str]:
    """Return what is done with a finding in a note (C55).

    Secrets are redacted where a memory would be refused, and a line that gives orders is refused where a memory's could
    be redacted; else it is as the configuration says (F21).
    """

    def action(group: str, kind: str) -> str:
        said = session.settings.action(group, kind)
        if group == "secret" and said == "block":
            return "redact"
        return "block" if group == "instruction" and said == "redact" else said

    return action


def durable_ids(session: Session) -> Callable[[Collection[str]], Collection[str]]:
    """Return a function that tells from the files which of some folded ids durable memories have."""
    return lambda ids: {found for root in session.roots for name in root.ids() if (found := fold_id(name)) in ids}


def list_notes(session: Session) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
    """Return the notes that are in service, the workspace's first, then by path, and the files that are skipped."""
    notebook = Notebook(session, durable_ids(session))
    return notebook.all_shown(notebook.live), notebook.skipped


def count_notes(session: Session) -> list[tuple[int, int, int]]:
    """Return for each root how many notes are in service, how many ended, and how many files are skipped."""
    notebook = Notebook(session, durable_ids(session), with_expired=True)
    live = [entry.memory.scope for entry in notebook.all_shown(notebook.live)]
    expired = [entry.memory.scope for entry in notebook.expired]
    skipped = [root.scope for root, _ in notebook.skipped]
    return [(live.count(root.scope), expired.count(root.scope), skipped.count(root.scope)) for root in session.roots]


def expired_notes(session: Session) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
    """Return the notes that ended, for ``engram review`` and nobody else (C58), and the files that are skipped."""
    if not any(root.has_notes() for root in session.roots):
        return [], []
    notebook = Notebook(session, durable_ids(session), with_expired=True)
    return notebook.all_shown(notebook.expired), notebook.skipped


def notes_for_start(session: Session) -> list[Entry]:
    """Return the notes that a session start gives, each as a card (``note_item``), the latest first (C58).

    Those whose objective ``ENGRAM_SESSION_OBJECTIVE`` names; without the variable there are none. A foreign root's are
    left out: a hook injects nothing of it (F18).
    """
    wanted = folded(session.environ.get("ENGRAM_SESSION_OBJECTIVE", ""))
    if not wanted or not any(root.has_notes() for root in session.roots):
        return []
    notebook = Notebook(session, durable_ids(session))
    chosen = [entry for entry in notebook.live if folded(entry.objective) == wanted and not entry.root.foreign]
    chosen.sort(key=lambda entry: entry.memory.updated, reverse=True)
    return notebook.all_shown(chosen)


def find_note(session: Session, text: str, *, with_expired: bool = False) -> Entry:
    """Return the note that a person or an agent named: an id, or ``note/<id>``, each with a scope before the id.

    Args:
        session: where one is.
        text: as it was typed.
        with_expired: also one that ended: a review names those.

    Raises:
        UsageError: when the text is no id (F12).
        NotFoundError: with the closest ids (C37), or that it expired, or that it is a memory already.
        FormatError: when it may not be shown, with the reason.
    """
    scope, note_id = check_id(text.removeprefix(PREFIX))
    session.require_roots()
    notebook = Notebook(session, durable_ids(session), with_expired=True)

    def matching(entries: Sequence[Entry]) -> Entry | None:
        named = (e for e in entries if fold_id(e.memory.id) == fold_id(note_id) and scope in {"", e.memory.scope})
        return next(named, None)

    entry = matching(notebook.live)
    if entry is None and (ended := matching(notebook.expired)):
        if not with_expired:
            raise NotFoundError(
                f"The working note {note_id} expired {ended.memory.valid_until}.", hint="engram review lists it."
            )
        entry = ended
    if entry is not None and (shown := notebook.shown(entry)):
        return shown
    for root, skip in notebook.skipped:
        full = os.path.join(root.private, *skip.path.split("/"))
        if fold_id(stem(skip.path)) == fold_id(note_id) and scope in {"", root.scope}:
            raise FormatError(skip.text, path=full, line=skip.line)
    prefixed = text.startswith(PREFIX)
    if not prefixed and any(
        fold_id(name) == fold_id(note_id) for root in session.roots if scope in {"", root.scope} for name in root.ids()
    ):
        raise NotFoundError(
            f"{note_id} is a memory, and no working note.", hint="The notes are in: engram list --notes"
        )
    known = [] if prefixed else known_keys(session.roots)
    what = "working note" if prefixed else f"{scope} memory" if scope else "memory"
    raise NotFoundError(
        f"There is no {what} with the id {note_id}.",
        hint=closest_hint(note_id, [*known, *(entry.memory.id for entry in notebook.live)]),
    )


def name_note(session: Session, text: str, error: NotFoundError) -> None:
    """Say in the error about an id that no memory has that it is the id of a working note, where it is (C57)."""
    if not any(root.has_notes() for root in session.roots):
        return
    scope, note_id = check_id(text)
    notebook = Notebook(session, durable_ids(session), with_expired=True)
    for verb, entries in (("ends by itself", notebook.live), ("ended", notebook.expired)):
        for entry in entries:
            if fold_id(entry.memory.id) == fold_id(note_id) and scope in {"", entry.memory.scope}:
                error.message = f"{note_id} is a working note, and no memory."
                error.hint = (
                    f"It {verb} on {entry.memory.valid_until}; to make a memory of it: engram promote {note_id}"
                )
                return


def note_file(session: Session, entry: Entry, text: str) -> str:
    """Return the text of the file of a note that ``find_note`` gave, with secrets and personal data redacted.

    Raises:
        FormatError: where a part of it that belongs to no note holds what no note may hold.
    """
    action = note_action(session)
    found = [finding for finding in scan(text, kind="note") if action(finding.group, finding.kind) != "allow"]
    for finding in found:
        if finding.group in {"instruction", "hidden"}:
            reason = f"it holds {finding.message}, so it is not shown"
            full = os.path.join(entry.root.path, *entry.path.split("/"))
            raise FormatError(Skipped(entry.path, "note", reason).text, path=full, line=finding.line)
    return redact(text, found)
