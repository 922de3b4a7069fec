"""Memory as one-line cards, and which of it is used most (C60, C61)."""

from __future__ import annotations

from engram.model import KINDS
from engram.recall.pack import Item, card_of
from engram.record import Record
from engram.service.caches import cache_of, usage_counts
from engram.service.giving import let_out
from engram.service.indexes import ask_indexes
from engram.service.reading import check_reading, skipped_lines
from engram.service.recalling import Library
from engram.store.files import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.index.layout import Entry as Row
    from engram.index.refresh import Index
    from engram.service.session import Session

__all__ = ["Cards", "Named", "key_called", "list_cards", "most_used", "name_in_address"]

# A list of more cards than this helps nobody, and would fill an agent's context: the rest is counted.
_MOST_CARDS = 2000
_HASHED = "~"
_DIGITS = 16


class Cards(Record):
    """All memory that is in service: a line each, how many more there are, and what may not be shown."""

    lines: tuple[str, ...]
    more: int
    skipped: tuple[str, ...]


class Named(Record):
    """A memory by its key (C35)."""

    key: str
    type: str
    scope: str
    title: str
    foreign: bool


def list_cards(session: Session) -> Cards:
    """Return a card of each memory that is in service, the workspace's first, then by kind and id; notes come last.

    Raises:
        RefusedError: when reading is switched off (``read: off``).
        NotFoundError: where there is no memory at all.
    """
    check_reading(session)
    return ask_indexes(session, lambda indexes: _list_cards(session, indexes))


def most_used(session: Session, limit: int) -> tuple[Named, ...]:
    """Return the memories in service that were given whole most often, then those that were confirmed last.

    Raises:
        RefusedError: when reading is switched off (``read: off``).
        NotFoundError: where there is no memory at all.
    """
    check_reading(session)
    return ask_indexes(session, lambda indexes: _most_used(session, indexes, limit))


def name_in_address(session: Session, key: str) -> str:
    """Return what a memory is called in an address: its key, or a hash of a key that looks like a provider's.

    Such a one is taken out of all that is written (decision 8), and the address would lead nowhere.
    """
    if let_out(key, lambda: session) == key:
        return key
    return _HASHED + digest(key.encode("utf-8", "surrogateescape"))[:_DIGITS]


def key_called(session: Session, name: str) -> str:
    """Return the key of the memory that ``name_in_address`` gave this name, ``""`` where there is none."""
    if len(name) != len(_HASHED) + _DIGITS or not name.startswith(_HASHED):
        return ""

    def find(indexes: Sequence[Index]) -> str:
        library = Library(session, session.roots, [index.source for index in indexes])
        keys = (library.key(at, row) for at, row in _in_service(library, indexes))
        return next((key for key in keys if name_in_address(session, key) == name), "")

    return ask_indexes(session, find)


def _list_cards(session: Session, indexes: Sequence[Index]) -> Cards:
    roots = session.roots
    library = Library(session, roots, [index.source for index in indexes])
    variant = session.settings.string("rule_variant")
    rows = _in_service(library, indexes)
    rows.sort(key=lambda pair: (pair[0], KINDS.index(pair[1].type), pair[1].id))
    lines = []
    for at, row in rows[:_MOST_CARDS]:
        entry = library.read(library.key(at, row))
        if entry is not None:
            item = Item(entry.memory, entry.key, foreign=entry.foreign, note=entry.doubt)
            lines.append(card_of(item, variant))
    problems = [(root, skip) for root, index in zip(roots, indexes, strict=True) for skip in index.problems]
    if any(root.has_notes() for root in roots):
        from engram.service.notebook import list_notes, note_item

        notes, no_notes = list_notes(session)
        lines += [card_of(note_item(entry), variant) for entry in notes]
        problems += no_notes
    return Cards(tuple(lines), max(0, len(rows) - _MOST_CARDS), skipped_lines([*problems, *library.skipped]))


def _most_used(session: Session, indexes: Sequence[Index], limit: int) -> tuple[Named, ...]:
    library = Library(session, session.roots, [index.source for index in indexes])
    counts = [usage_counts(cache_of(session, root)) for root in session.roots]
    rows = _in_service(library, indexes)
    rows.sort(key=lambda pair: (pair[0], pair[1].id))
    rows.sort(key=lambda pair: pair[1].last_confirmed, reverse=True)
    rows.sort(key=lambda pair: counts[pair[0]].get(pair[1].id, 0), reverse=True)
    found = [(session.roots[at], library.read(library.key(at, row))) for at, row in rows[:limit]]
    return tuple(
        Named(entry.key, entry.memory.type, entry.memory.scope, entry.memory.title, entry.foreign)
        for root, entry in found
        if entry is not None
    )


def _in_service(library: Library, indexes: Sequence[Index]) -> list[tuple[int, Row]]:
    return [
        (at, row) for at, index in enumerate(indexes) for row in index.source.all_rows() if not library.leave_out(row)
    ]
