"""Search and route: the same recall, shown as a list (C36)."""

from __future__ import annotations

from engram.errors import UsageError
from engram.recall.intent import Intent, read_intent
from engram.recall.pack import FOREIGN_NOTE
from engram.recall.snippet import snippet_of
from engram.record import Record
from engram.safety.fence import show_inert, show_line
from engram.service.reading import check_filters, check_reading
from engram.service.recalling import notes_beside, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engram.index.layout import Entry as Row
    from engram.model import Memory
    from engram.service.recalling import Found, Recall
    from engram.service.session import Session

__all__ = ["Listed", "Routed", "Searched", "route", "search"]

# What search prints by default, in bytes of UTF-8: an agent pays for it with its context.
_MOST_BYTES = 2048


class Listed(Record):
    """One line of a list (C36).

    ``note`` is what the reader has to know first: that it is foreign (F18), or a working note (C58).
    """

    id: str
    type: str
    scope: str
    score: float
    title: str
    key: str
    snippet: str = ""
    note: str = ""


class Searched(Record):
    """The answer to a search: the entries, the same as text, and without entries why there are none."""

    text: str
    entries: tuple[Listed, ...]
    recall: Recall
    nothing: str = ""


class Routed(Record):
    """The answer to a route: what kind of task it is, in a sentence (``kind``) too, and the entries in load order."""

    text: str
    intent: Intent
    kind: str
    entries: tuple[Listed, ...]
    recall: Recall
    nothing: str = ""


def search(
    session: Session,
    query: str,
    *,
    limit: int = 8,
    kind: str = "",
    scope: str = "",
    everything: bool = False,
    without: Iterable[str] = (),
    most_bytes: int = _MOST_BYTES,
) -> Searched:
    """Search memory, best first.

    Args:
        session: where one is.
        query: what to look for, in any language.
        limit: how many entries at most, 1 to 50.
        kind: only this type of memory.
        scope: only this scope.
        everything: also what the floor holds back, and a text of any length.
        without: names of ranking signals to switch off.
        most_bytes: how long the text may be, in bytes of UTF-8; 0 for any length. The entries are all there.

    Raises:
        UsageError: for a limit out of range, an unknown type or scope.
        NotFoundError: where there is no memory at all.
    """
    check_reading(session)
    if not 1 <= limit <= 50:
        raise UsageError(f"A limit of {limit} is out of range.", hint="It goes from 1 to 50.")
    check_filters(kind, scope)
    off = {*without, "floor"} if everything else set(without)

    def right(memory: Row | Memory) -> bool:
        return kind in {"", memory.type} and scope in {"", memory.scope}

    def asked(one: Found) -> bool:
        return not one.needed_by and right(one.entry.memory)

    # Which notes are of the kind and scope is not known before they were ranked.
    notes = limit if not kind and not scope else max(limit * 4, 50)
    only = right if kind or scope else None
    found = recall(session, query, limit=limit, without=sorted(off), notes=notes, only=only)

    hits = [*filter(asked, found.found)][:limit] + [*filter(asked, found.notes)][:limit]
    doubted = set() if "confidence" in off else {"low"}
    hits = sorted(hits, key=lambda one: (one.entry.memory.confidence in doubted, -one.score))[:limit]
    words = [word.text for word in found.ranking.query.words]
    words += [meant for _, meant in found.ranking.corrected]
    entries = [
        # A note is one line (C58).
        _listed(one, "" if one.entry.is_note else snippet_of(one.entry.memory.content, words))
        for one in hits
    ]
    nothing = "" if entries else _nothing(found)
    return Searched(_rendered(entries, 0 if everything else most_bytes) or nothing, tuple(entries), found, nothing)


def route(session: Session, task: str, *, everything: bool = False, without: Iterable[str] = ()) -> Routed:
    """Say what kind of task it is, and which memories it routes to, in load order.

    Raises:
        NotFoundError: where there is no memory at all.
    """
    check_reading(session)
    off = {*without, "floor"} if everything else set(without)
    limit = session.settings.integer("load.limit") * (4 if everything else 1)
    found = recall(session, task, limit=limit * 2, without=sorted(off), notes=notes_beside(limit))
    entries = tuple(_listed(one, "") for one in found.in_order(limit))
    intent = read_intent(task)
    kind = _kind(intent)
    nothing = "" if entries else _nothing(found)
    lines = [f"{number}. {_line(entry)}" for number, entry in enumerate(entries, 1)] or [nothing]
    return Routed("\n".join([kind, *lines]), intent, kind, entries, found, nothing)


def _listed(one: Found, snippet: str) -> Listed:
    memory = one.entry.memory
    title = show_inert(memory.title).replace("\n", " ")
    marks = [FOREIGN_NOTE] if one.entry.foreign else []
    if one.entry.is_note:
        marks.append(one.entry.note_mark)
    score = round(one.score, 4)
    return Listed(memory.id, memory.type, memory.scope, score, title, one.entry.key, snippet, "; ".join(marks))


def _kind(intent: Intent) -> str:
    """Return what kind of task it is as a sentence."""
    parts = [f"Kind of task: {', '.join(intent.task_types) or 'none that is known'}"]
    for name, found in (("technologies", intent.technologies), ("paths", intent.paths), ("errors", intent.errors)):
        if found:
            parts.append(f"{name}: {', '.join(found)}")
    return show_line("; ".join(parts)) + "."


def _rendered(entries: Sequence[Listed], most: int) -> str:
    blocks: list[str] = []
    size = 0
    for number, entry in enumerate(entries):
        block = _line(entry) + (f"\n    {entry.snippet}" if entry.snippet else "")
        size += len(block.encode("utf-8", "replace")) + 1
        rest = f"… and {len(entries) - number} more: --all shows them"
        if most and size + len(rest.encode()) > most:
            blocks.append(rest)
            break
        blocks.append(block)
    return "\n".join(blocks)


def _line(entry: Listed) -> str:
    score = f"{entry.score:.2f} " if entry.score else ""
    note = f"  ({entry.note})" if entry.note else ""
    return show_line(f"{entry.key}  {score}[{entry.type}, {entry.scope}] {entry.title}{note}")


def _nothing(found: Recall) -> str:
    why = found.ranking.abstained
    return f"No memory matches: {show_inert(why)}." if why else "No memory matches."
