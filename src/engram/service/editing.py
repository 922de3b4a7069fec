"""``engram edit``: a memory as a person changed it in an editor: checked, shown, written like every other change."""

from __future__ import annotations

from engram.errors import FormatError, RefusedError
from engram.markdown.document import parse_document
from engram.markdown.memory import read_memory
from engram.markdown.writing import update_document
from engram.recall.validity import unreadable_days
from engram.record import Record
from engram.safety.scan import check, redact, refusal
from engram.service.diffs import file_diff
from engram.service.reading import checked_entry
from engram.service.safeguard import names_author
from engram.store.files import digest, read_guarded, today
from engram.store.write import Write
from engram.text.slugs import fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.reading import Entry
    from engram.service.session import Session
    from engram.store.write import Receipt

__all__ = ["Original", "Revision", "original", "revised", "write_revision"]

# What a file may not be turned into by editing it: another memory, of another kind or format.
_FIXED = {
    "id": "the id of a memory stays; save a new one with SUPERSEDES to give it another name",
    "type": "the type of a memory stays; save a new one with SUPERSEDES to make it another kind",
    "schema_version": "the format of a file stays",
    "scope": "the folder decides; save it with --scope for the other one, and archive it here",
}


class Original(Record):
    """A memory as it is, with the bytes that a person is about to edit."""

    entry: Entry
    data: bytes


class Revision(Record):
    """What an edit would write, the diff of it that a human sees, and what was redacted in it."""

    original: Original
    write: Write
    preview: str
    redacted: tuple[str, ...]


def original(session: Session, text: str) -> Original:
    """Return the memory that a person named, as it is now.

    Raises:
        NotFoundError: with the closest ids (C37).
        IntegrityError: when its bytes are not the approved ones: they are reviewed first (F13).
        FormatError: when the file cannot be read as a memory.
        RefusedError: when it is being changed right now.
    """
    root, path = session.locate(text)
    entry = checked_entry(session, root, path)
    data = read_guarded(root.path, path)
    if digest(data) != entry.hash:
        raise RefusedError(f"{path} is changing right now.", hint="Run the command again.", path=path)
    return Original(entry, data)


def revised(session: Session, before: Original, data: bytes) -> Revision | None:
    """Return what writing an edited file would do: its revision counts on, and ``updated`` is today.

    Args:
        session: where one is.
        before: the memory as it was given to the editor.
        data: the bytes that came back.

    Returns:
        None where nothing was changed.

    Raises:
        FormatError: when it cannot be read as this memory, or a day of validity was changed to no day, with the line.
        SafetyError: when it holds what must not become memory, with the line of each finding.
    """
    if data == before.data:
        return None
    entry = before.entry
    document = parse_document(data, entry.path)
    was = parse_document(before.data, entry.path)
    for key, reason in _FIXED.items():
        now, old = document.get(key), was.get(key)
        if now != old and not _mends(key, str(now), entry):
            raise FormatError(f"`{key}` was changed: {reason}", path=entry.path, line=document.line_of(key))
    memory = read_memory(data, path=entry.path, scope=entry.root.scope)
    if not memory.content.strip():
        raise FormatError("a memory cannot be left without content; archive it instead", path=entry.path)
    for key, said in unreadable_days(memory):
        if document.get(key) != was.get(key):
            raise FormatError(
                f"`{key}` is {said!r}: write a day as YYYY-MM-DD", path=entry.path, line=document.line_of(key)
            )
    text = data.decode("utf-8")
    checked = check(text, kind=memory.type, actions=session.settings.action)
    if blocked := [finding for finding in checked.blocked if not names_author(text, finding)]:
        raise refusal(blocked)
    findings = [finding for finding in checked.redacted if not names_author(text, finding)]
    if findings:
        document = parse_document(redact(text, findings).encode(), entry.path)
    changes = {"updated": today(), "revision": entry.memory.revision + 1}
    after = update_document(document, changes).to_bytes()
    read_memory(after, path=entry.path, scope=entry.root.scope)  # what was redacted may have been part of a key's value
    return Revision(
        before,
        Write(entry.path, entry.hash, after),
        file_diff(entry.path, before.data, after),
        tuple(finding.message for finding in findings),
    )


def _mends(key: str, value: str, entry: Entry) -> bool:
    """Tell whether a value is what Engram goes by anyway, so that the file only comes to say it."""
    if key == "id":
        return fold_id(value) == fold_id(entry.memory.id)
    return key == "scope" and value == entry.root.scope


def write_revision(session: Session, revision: Revision) -> list[Receipt]:
    """Write an edit that a human at a terminal accepted (F15); its way in the changelog is ``terminal``.

    Raises:
        StoreError: when the memory changed since it was shown, or cannot be written; the old state stands.
    """
    entry = revision.original.entry
    with session.writer(entry.root.path) as writer:
        receipts = writer.apply([revision.write], f"edit {entry.memory.type}: {entry.memory.id}", "terminal")
    if entry.root.foreign:
        session.say("warning", "foreign", f"{entry.root.path} stays foreign, with what you changed: reference only.")
    return receipts
