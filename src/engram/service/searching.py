"""Search and route: the same recall, shown as a list (C36)."""

from __future__ import annotations

from engram.errors import UsageError
from engram.recall.snippet import snippet_of
from engram.record import Record
from engram.safety.fence import show_inert, show_line
from engram.service.reading import check_filters, check_reading
from engram.service.recalling import recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engram.service.recalling import Found, Recall
    from engram.service.session import Session

__all__ = ["Listed", "Routed", "Searched", "route", "search"]

# What search prints by default, in bytes of UTF-8: an agent pays for it with its context.
_MOST_BYTES = 2048


class Listed(Record):
    """One line of a list (C36)."""

    id: str
    type: str
    scope: str
    score: float
    title: str
    key: str
    snippet: str = ""


class Searched(Record):
    """The answer to a search: rendered text of at most 2 KB by default, and the entries in it."""

    text: str
    entries: tuple[Listed, ...]
    recall: Recall


class Routed(Record):
    """The answer to a route: what kind of task it is, and the entries in load order."""

    text: str
    intent: dict[str, object]
    entries: tuple[Listed, ...]
    recall: Recall


def search(
    session: Session,
    query: str,
    *,
    limit: int = 8,
    kind: str = "",
    scope: str = "",
    everything: bool = False,
    without: Iterable[str] = (),
) -> Searched:
    """Search memory, best first.

    Args:
        session: where one is.
        query: what to look for, in any language.
        limit: how many entries at most, 1 to 50.
        kind: only this type of memory.
        scope: only this scope.
        everything: also what the floor holds back, and more than 2 KB of text.
        without: names of ranking signals to switch off.

    Raises:
        UsageError: for a limit out of range, an unknown type or scope.
        NotFoundError: where there is no memory at all.
    """
    check_reading(session)
    if not 1 <= limit <= 50:
        raise UsageError(f"A limit of {limit} is out of range.", hint="It goes from 1 to 50.")
    check_filters(kind, scope)
    off = {*without, "floor"} if everything else set(without)
    # What is filtered by kind or scope is not known before it was ranked.
    wanted = limit if not kind and not scope else max(limit * 4, 50)
    found = recall(session, query, limit=wanted, without=sorted(off))
    hits = [
        one
        for one in found.found
        if not one.needed_by and kind in {"", one.entry.memory.type} and scope in {"", one.entry.memory.scope}
    ][:limit]
    hits.sort(key=lambda one: -one.score)
    words = [word.text for word in found.ranking.query.words]
    words += [meant for _, meant in found.ranking.corrected]
    entries = [_listed(one, snippet_of(one.entry.memory.content, words)) for one in hits]
    return Searched(_rendered(entries, found, 0 if everything else _MOST_BYTES), tuple(entries), found)


def route(session: Session, task: str, *, everything: bool = False, without: Iterable[str] = ()) -> Routed:
    """Say what kind of task it is, and which memories it routes to, in load order.

    Raises:
        NotFoundError: where there is no memory at all.
    """
    check_reading(session)
    off = {*without, "floor"} if everything else set(without)
    limit = session.settings.integer("load.limit") * (8 if everything else 2)
    found = recall(session, task, limit=limit, without=sorted(off))
    entries = tuple(_listed(one, "") for one in found.found)
    intent: dict[str, object] = {"words": [word.text for word in found.ranking.query.words]}
    lines = [f"{number}. {_line(entry)}" for number, entry in enumerate(entries, 1)]
    return Routed("\n".join(lines) or _nothing(found), intent, entries, found)


def _listed(one: Found, snippet: str) -> Listed:
    memory = one.entry.memory
    title = show_inert(memory.title).replace("\n", " ")
    return Listed(memory.id, memory.type, memory.scope, round(one.score, 4), title, one.entry.key, snippet)


def _rendered(entries: Sequence[Listed], found: Recall, most: int) -> str:
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
    return "\n".join(blocks) or _nothing(found)


def _line(entry: Listed) -> str:
    score = f"{entry.score:.2f} " if entry.score else ""
    return show_line(f"{entry.key}  {score}[{entry.type}, {entry.scope}] {entry.title}")


def _nothing(found: Recall) -> str:
    why = found.ranking.abstained
    return f"No memory matches: {show_inert(why)}." if why else "No memory matches."
