"""``list``, ``show``."""

from __future__ import annotations

from engram.recall.validity import out_of_service
from engram.service.reading import Entry, list_memories, show_memory, skipped_lines
from engram.store.files import today

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["list_command", "one_line", "show_command"]


def list_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print one line a memory."""
    entries, skipped = list_memories(
        session, kind=parsed.value("type"), scope=parsed.value("scope"), everything=parsed.given("all")
    )
    only_notes = parsed.given("notes")
    if only_notes:
        entries = [entry for entry in entries if entry.is_note]
        skipped = [(root, skip) for root, skip in skipped if skip.kind == "note"]
    for entry in entries:
        output.line(one_line(entry))
    for line in skipped_lines(skipped):
        output.line(line)
        session.say("skipped", "skipped", line)
    if not entries and not skipped:
        output.line("No notes." if only_notes else 'No memory yet. Save the first: engram save rule "…"')
    if not output.as_json:
        session.notices = [notice for notice in session.notices if notice.code != "skipped"]
    data = {
        "memories": [_as_data(entry) for entry in entries],
        "skipped": [{"path": skip.path, "kind": skip.kind, "reason": skip.reason} for _, skip in skipped],
    }
    return output.done(data)


def show_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print one memory file as it is; for a terminal what it would act on or hide is made visible (JSON is exact)."""
    shown = show_memory(session, parsed.word("ID"))
    if shown.entry.foreign:
        session.say("warning", "foreign", "foreign: reference only, until you run engram trust.")
    if shown.entry.is_note:
        session.say("info", "note", f"It is a {shown.entry.note_mark}; engram promote makes it durable.")
    elif shown.archived:
        session.say("info", "archived", f"{shown.entry.memory.id} is archived: it is not given to agents.")
    elif shown.entry.memory.superseded_by:
        chain = shown.entry.root.successors(shown.entry.memory)
        session.say("info", "superseded", f"It is superseded by {', and that by '.join(chain)}.")
    output.text(_inert(shown.text.removeprefix("\ufeff").rstrip("\r\n")))
    return output.done({**_as_data(shown.entry), "text": shown.text, "archived": shown.archived})


def one_line(entry: Entry) -> str:
    """Return key, kind, scope, title and state of a memory."""
    memory = entry.memory
    marks = []
    if entry.foreign:
        marks.append("foreign: reference only")
    if entry.is_note:
        marks.append(entry.note_mark)
    elif why := out_of_service(memory, today()):
        marks.append(why)
    tail = f"  ({'; '.join(marks)})" if marks else ""
    return _inert(f"{entry.key}  [{memory.type}, {memory.scope}] {' '.join(memory.title.split())}{tail}", one_line=True)


def _inert(text: str, *, one_line: bool = False) -> str:
    from engram.safety.fence import show_inert, show_line

    return show_line(text) if one_line else show_inert(text)


def _as_data(entry: Entry) -> dict[str, object]:
    memory = entry.memory
    note = {"objective": entry.objective, "valid_until": memory.valid_until} if entry.is_note else {}
    return {
        **note,
        "id": memory.id,
        "key": entry.key,
        "type": memory.type,
        "scope": memory.scope,
        "title": memory.title,
        "file": f"{entry.root.path}/{entry.path}",
        "sha256": entry.hash,
        "revision": memory.revision,
        "schema_version": memory.schema,
        "updated": memory.updated,
        "foreign": entry.foreign,
        "note": entry.is_note,
        "superseded_by": memory.superseded_by,
        "out_of_service": out_of_service(memory, today()),
    }
