"""``load``, ``list``, ``show``."""

from __future__ import annotations

from engram.errors import UsageError
from engram.recall.validity import out_of_service
from engram.service.reading import Entry, list_memories, load, load_id, show_memory, skipped_lines
from engram.store.write import today

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["list_command", "load_command", "show_command"]


def load_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print the pack for a task, or one memory whole (C33 to C35)."""
    task, memory_id = parsed.word("TASK"), parsed.value("id")
    # An empty task is one that nothing answers (a variable in a script may be empty), not a missing one.
    if ("TASK" in parsed.words) == parsed.given("id"):
        both = parsed.given("id")
        raise UsageError(
            "engram load takes a task or an id, not both." if both else "engram load needs a task or an id.",
            hint='engram load "what you are about to do", or engram load --id ID',
        )
    if parsed.given("id"):
        loaded = load_id(session, memory_id)
    else:
        loaded = load(
            session,
            task,
            budget=parsed.integer("budget-tokens"),
            disclosure=parsed.value("disclosure") or "auto",
            full=parsed.given("full"),
        )
    pack = loaded.pack
    for line in loaded.skipped:
        session.say("skipped", "skipped", line)
    if parsed.given("dry-run"):
        sized = {entry.key: entry for entry in loaded.entries}
        for heading, keys in (("bodies", pack.body_keys), ("cards", pack.card_ids), ("omitted", pack.omitted_ids)):
            if keys:
                output.text(f"{heading}:")
            for key in keys:
                output.text(f"  {_line(sized[key])}" if key in sized else f"  {key}")
        output.text(f"{pack.tokens} tokens")
    else:
        output.text("\n".join([pack.text, *loaded.skipped]))
        # They stand in the text already, where an agent reads them.
        if not output.as_json:
            session.notices = [notice for notice in session.notices if notice.code != "skipped"]
    return output.done(
        {
            "text": "" if parsed.given("dry-run") else pack.text,
            "selected_keys": list(pack.selected_keys),
            "body_keys": list(pack.body_keys),
            "card_ids": list(pack.card_ids),
            "omitted_ids": list(pack.omitted_ids),
            "tokens": pack.tokens,
        }
    )


def list_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print one line a memory."""
    entries, skipped = list_memories(session, kind=parsed.value("type"), scope=parsed.value("scope"))
    for entry in entries:
        output.text(_line(entry))
    for line in skipped_lines(skipped):
        output.text(line)
        session.say("skipped", "skipped", line)
    if not entries and not skipped:
        output.text('No memory yet. Save the first: engram save rule "…"')
    if not output.as_json:
        session.notices = [notice for notice in session.notices if notice.code != "skipped"]
    data = {
        "memories": [_as_data(entry) for entry in entries],
        "skipped": [{"path": skip.path, "kind": skip.kind, "reason": skip.reason} for _, skip in skipped],
    }
    return output.done(data)


def show_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print one memory file as it is."""
    shown = show_memory(session, parsed.word("ID"))
    if shown.entry.root.foreign:
        session.say("warning", "foreign", "foreign: reference only, until you run engram trust.")
    if shown.archived:
        session.say("info", "archived", f"{shown.entry.memory.id} is archived: it is not given to agents.")
    elif shown.entry.memory.superseded_by:
        session.say("info", "superseded", f"It is superseded by {shown.entry.memory.superseded_by}.")
    output.text(shown.text.rstrip("\n"))
    return output.done({**_as_data(shown.entry), "text": shown.text, "archived": shown.archived})


def _line(entry: Entry) -> str:
    memory = entry.memory
    marks = []
    if entry.root.foreign:
        marks.append("foreign: reference only")
    if why := out_of_service(memory, today()):
        marks.append(why)
    tail = f"  ({'; '.join(marks)})" if marks else ""
    return f"{entry.key}  [{memory.type}, {memory.scope}] {_inert(memory.title)}{tail}"


def _inert(text: str) -> str:
    from engram.safety.fence import show_inert

    return show_inert(text).replace("\n", " ")


def _as_data(entry: Entry) -> dict[str, object]:
    memory = entry.memory
    return {
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
        "foreign": entry.root.foreign,
        "superseded_by": memory.superseded_by,
        "out_of_service": out_of_service(memory, today()),
    }
