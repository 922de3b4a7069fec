"""What a hook gives to an agent unasked: at a session's start, and with each prompt what is new to it (C59b, F21)."""

from __future__ import annotations

from engram.recall.pack import build_pack
from engram.record import Record
from engram.service.indexes import ask_indexes
from engram.service.recalling import Found, Library, item_of, notes_beside, recall
from engram.service.seen import Seen, mark_of
from engram.store.files import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.index.layout import Entry as Row
    from engram.index.refresh import Index
    from engram.recall.pack import Item, Pack
    from engram.service.news import News
    from engram.service.reading import Entry
    from engram.service.session import Session
    from engram.store.root import MemoryRoot, Skipped

__all__ = ["MOST_CHARACTERS", "Injection", "for_prompt", "for_start", "query_of"]

# Hosts cut what is longer, or put it into a file that the model does not read.
MOST_CHARACTERS = 9000
# Of a very long prompt its end says what is to be done.
_QUERY_CHARACTERS = 8000
_CONFIDENCE = {"high": 0, "medium": 1, "low": 2}
_LEAST_BUDGET = 50


class Injection(Record):
    """What a hook prints. ``done`` is to be called once it was really handed over (C59b)."""

    text: str
    marks: tuple[str, ...]
    seen: Seen | None
    news: News | None = None

    def done(self) -> None:
        """Note what was handed over."""
        if self.seen is not None:
            self.seen.add(self.marks)
        if self.news is not None:
            self.news.note()


def query_of(prompt: str) -> str:
    """Return what is recalled for a prompt: its text, of a very long one its end (C59c)."""
    return prompt if len(prompt) <= _QUERY_CHARACTERS else prompt[-_QUERY_CHARACTERS:].partition(" ")[2]


def for_prompt(session: Session, key: str, prompt: str, event: str = "", began: float = 0.0) -> Injection:
    """Return the memories that a prompt needs; under ``read: auto`` only those that the session has not seen (G1).

    Args:
        session: where one is.
        key: names the host's session; empty where it gives none, and nothing is known to have been seen.
        prompt: as the human wrote it.
        event: the host's name for this prompt; empty where it gives none.
        began: when the hook was started, in seconds since 1970.

    Raises:
        EngramError: where there is no memory, or it cannot be read.
    """
    mode = session.settings.string("read")
    if mode not in {"auto", "always"} or not prompt.strip():
        return Injection("", (), None)
    # Without an id of the host's own a twin is known by what was given, and under ``always`` by coming right behind,
    # with the same prompt as far as four digits of its hash tell: no prompt can be read from those.
    name = event or (f"prompt {digest(prompt.encode('utf-8', 'replace'))[:4]}" if mode == "always" else "")
    seen = Seen(session, key, name, exact=bool(event), began=began)
    nothing = Injection("", (), None)
    if name and seen.has_twin():
        return nothing
    limit = session.settings.integer("load.limit")
    found = recall(session, query_of(prompt), limit=limit * 2, notes=notes_beside(limit))
    # A foreign memory is no instruction, and nobody asked for it here (F18).
    known = seen.marks() if mode == "auto" else frozenset()
    fresh = [one for one in found.in_order(limit) if not one.entry.foreign and _all_of(one.entry) not in known]
    # Of the prerequisites the pack takes those that the hits which are left need.
    pack = _within(session, [item_of(one, found.needs) for one in fresh])
    if pack is None:
        return nothing
    marks = _marks([one.entry for one in fresh], pack)
    if mode == "auto" and known.issuperset(marks):
        return nothing
    return Injection(pack.text, marks, seen)


def for_start(session: Session, key: str, source: str, began: float = 0.0) -> Injection:
    """Return what a session begins with: rules as bodies, skills and knowledge as cards, and what is to be said (C59b).

    Args:
        session: where one is.
        key: names the host's session.
        source: ``startup``, ``resume``, ``clear``, ``compact``, or another word of a host for a new session.
        began: when the hook was started, in seconds since 1970.

    Raises:
        EngramError: where there is no memory, or it cannot be read.
    """
    from engram.service.news import News

    mode = session.settings.string("read")
    if mode in {"manual", "off"}:
        return Injection("", (), None)
    seen = Seen(session, key, f"start {source}", began=began)
    if seen.has_twin():
        return Injection("", (), None)
    if source in {"clear", "compact"}:
        seen.forget()
    known = seen.marks() if source == "resume" else frozenset()
    entries, skipped = _start_entries(session)
    entries = [entry for entry in entries if _all_of(entry) not in known]
    items = [_start_item(entry) for entry in entries]
    news = News(session, skipped)
    lines = news.lines
    pack = _within(session, items, spare=sum(len(line) + 1 for line in lines) + 2)
    marks = _marks(entries, pack) if pack else ()
    if pack is not None and known and known.issuperset(marks):
        pack, marks = None, ()
    text = "\n\n".join(part for part in ("\n".join(lines), pack.text if pack else "") if part)
    return Injection(text, marks, seen, news)


def _start_entries(session: Session) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
    """Return rules, then skills and knowledge, in the order of C59b; twice ``load.limit`` at most.

    Beside them what turned out not to be as it was approved: no other file is looked into for that.
    The notes of the session's objective come before what is a card, and count among the cards (C58).
    """
    notes = _start_notes(session)
    limit = session.settings.integer("load.limit")

    def chosen(indexes: Sequence[Index]) -> tuple[list[Entry], list[tuple[MemoryRoot, Skipped]]]:
        library = Library(session, session.roots, [index.source for index in indexes])
        rules: list[tuple[int, Row]] = []
        others: list[tuple[int, Row]] = []
        for at, index in enumerate(indexes):
            if not session.roots[at].foreign:
                for row in index.source.all_rows():
                    if not session.roots[at].is_foreign(row.sha256):
                        (rules if row.type == "rule" else others).append((at, row))
        rules.sort(key=lambda pair: (pair[0], _CONFIDENCE.get(pair[1].confidence, 1), pair[1].folded))
        others.sort(key=lambda pair: (pair[0], pair[1].folded))
        others.sort(key=lambda pair: pair[1].last_confirmed, reverse=True)
        entries: list[Entry] = []
        for rows, most in ((rules, limit), (others, limit * 2)):
            if rows is others:
                entries += notes
            for at, row in rows:
                if len(entries) >= most:
                    break
                if not library.leave_out(row) and (entry := library.read(library.key(at, row))) is not None:
                    entries.append(entry)
        problems = [(root, skip) for root, index in zip(session.roots, indexes, strict=True) for skip in index.problems]
        return entries, [*problems, *library.skipped]

    return ask_indexes(session, chosen)


def _start_notes(session: Session) -> list[Entry]:
    if not session.environ.get("ENGRAM_SESSION_OBJECTIVE") or not any(root.has_notes() for root in session.roots):
        return []
    from engram.service.notebook import notes_for_start

    return notes_for_start(session)[: session.settings.integer("load.limit")]


def _start_item(entry: Entry) -> Item:
    item = item_of(Found(entry), {})
    return item if item.card_only else item.replace(card_only=entry.memory.type != "rule")


def _all_of(entry: Entry) -> str:
    """Return the mark of a session that was given all that a hook gives of a memory: of a note that is its card."""
    return mark_of(entry.hash, whole=not entry.is_note)


def _within(session: Session, items: Sequence[Item], spare: int = 0) -> Pack | None:
    """Return a pack within the token budget and the characters that every host takes; None for nothing."""
    if not items:
        return None
    settings = session.settings
    limit = settings.integer("load.limit")
    budget = settings.integer("load.max_tokens")
    while budget >= _LEAST_BUDGET:
        pack = build_pack(items, limit=limit, budget=budget, variant=settings.string("rule_variant"))
        if _length(pack.text) + spare < MOST_CHARACTERS:
            return pack if pack.selected_keys else None
        budget = budget * 4 // 5
    return None


def _length(text: str) -> int:
    """Return the length as hosts count it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _marks(entries: Sequence[Entry], pack: Pack) -> tuple[str, ...]:
    bodies, cards = set(pack.body_keys), set(pack.card_ids)
    return tuple(
        mark_of(entry.hash, whole=entry.key in bodies) for entry in entries if entry.key in bodies or entry.key in cards
    )
