"""Recall: which memories a task needs, found by the index and checked one by one (C33 to C36)."""

from __future__ import annotations

from engram.errors import UsageError
from engram.recall.pack import DISCLOSURES, Item, Pack, build_pack, empty_pack, join_whole, load_order
from engram.recall.rank import Ranking, rank
from engram.recall.validity import out_of_service
from engram.record import Record
from engram.service.caches import cache_of, count_reads
from engram.service.giving import entry_of
from engram.service.indexes import ask_indexes, by_meaning
from engram.service.session import Entry, check_reading, skipped_lines
from engram.store.files import today
from engram.store.root import Skipped, Stored
from engram.text.slugs import link_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from engram.index.layout import Entry as Row
    from engram.index.refresh import Index
    from engram.index.source import Source
    from engram.recall.rank import Hit
    from engram.recall.scorer import Scorer
    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["Found", "Library", "Loaded", "Recall", "item_of", "load", "recall"]

# As many as a ranking looks at, and more.
_ALL = 1000
# More hits than a pack takes, so that one which turns out to be changed by hand leaves no gap.
_SPARE = 8
_MOST_TOKENS = 16000


class Found(Record):
    """A memory that recall found, read and checked.

    ``hit`` is its place in the ranking; a prerequisite that is no hit itself has none, and ``needed_by`` then names the
    hit that it is there for.
    """

    entry: Entry
    hit: Hit | None = None
    needed_by: str = ""

    @property
    def score(self) -> float:
        """What the ranking gave it; 0 for what is no hit."""
        return self.hit.score if self.hit else 0.0

    @property
    def reasons(self) -> tuple[tuple[str, float, str], ...]:
        """Signal, what it added to the score, and the words it is about."""
        return self.hit.reasons if self.hit else ()


class Recall(Record):
    """What recall found, in load order, and what it left out.

    Working notes that match come beside the memories, best first: however many there are, and whatever they say, no
    memory is left out, or ranked in another way, for them (C58).
    """

    found: tuple[Found, ...]
    ranking: Ranking
    skipped: tuple[str, ...]
    notes: tuple[Found, ...] = ()
    needs: Mapping[str, Sequence[str]] = {}
    """The keys that a memory depends on, of those that were looked at and depend on any."""

    def in_order(self, limit: int) -> list[Found]:
        """Return memories and notes in one order, the notes after the first ``limit`` hits, and at most twice as many.

        These hits are the bodies of a pack, and the notes go before the memories that are cards.
        """
        hits = 0
        at = len(self.found)
        for number, one in enumerate(self.found):
            hits += not one.needed_by
            if hits == limit:
                at = number + 1
                break
        merged = [*self.found[:at], *self.notes, *self.found[at:]]
        kept: list[Found] = []
        hits = 0
        for one in merged:
            if hits == limit * 2:
                break
            kept.append(one)
            hits += not one.needed_by
        return self._with_hits(kept)

    def _with_hits(self, some: Sequence[Found]) -> list[Found]:
        """Leave out the prerequisites that none of the hits among them needs."""
        wanted = {one.entry.key for one in some if not one.needed_by}
        pending = list(wanted)
        while pending:
            more = {*self.needs.get(pending.pop(), ())} - wanted
            wanted |= more
            pending += more
        return [one for one in some if one.entry.key in wanted]


class Loaded(Record):
    """The answer to a load: the pack, what it was made from, and the lines for what may not be shown."""

    pack: Pack
    recall: Recall
    skipped: tuple[str, ...]


def load(
    session: Session,
    query: str,
    *,
    budget: int | None = None,
    disclosure: str = "auto",
    full: bool = False,
    everything: bool = False,
    without: Iterable[str] = (),
    counted: bool = True,
) -> Loaded:
    """Return the memories that a task needs, in tiers and within the token budget (C33 to C35).

    Args:
        session: where one is.
        query: the task, in any language.
        budget: tokens for the text; ``load.max_tokens`` by default.
        disclosure: ``auto``, ``bodies`` or ``cards``.
        full: whole memories instead of tiers, as many as it takes where no budget is given.
        everything: also what the floor holds back, four times as many, and the largest budget where none is given.
        without: names of ranking signals to switch off.
        counted: whether the bodies count as used (C61); not where nobody is given them.

    Raises:
        UsageError: for an unknown disclosure or a budget out of range.
        RefusedError: when reading is switched off (``read: off``).
        NotFoundError: where there is no memory at all.
    """
    check_reading(session)
    if disclosure not in DISCLOSURES:
        raise UsageError(f"{disclosure} is no disclosure.", hint=f"It is one of {', '.join(DISCLOSURES)}.")
    settings = session.settings
    tokens = budget
    if tokens is None:
        tokens = _MOST_TOKENS if everything else settings.integer("load.max_tokens")
    if not 50 <= tokens <= _MOST_TOKENS:
        raise UsageError(f"A budget of {tokens} tokens is out of range.", hint=f"It goes from 50 to {_MOST_TOKENS}.")
    limit = settings.integer("load.limit") * (4 if everything else 1)
    if everything:
        without = {*without, "floor"}
    # A note is a card, and there are packs without cards.
    notes = 0 if full or disclosure == "bodies" else notes_beside(limit)
    found = recall(session, query, limit=limit * 2, without=without, notes=notes)
    items = [item_of(one, found.needs) for one in found.in_order(limit)]
    if not items:
        pack = empty_pack(found.ranking.abstained)
    elif full:
        pack = join_whole(items, limit=limit, budget=budget)
    else:
        pack = build_pack(
            items, limit=limit, budget=tokens, disclosure=disclosure, variant=settings.string("rule_variant")
        )
    if counted and pack.body_keys:
        count_reads(session, [one.entry for one in found.found if one.entry.key in pack.body_keys])
    return Loaded(pack, found, found.skipped)


def item_of(one: Found, needs: Mapping[str, Sequence[str]]) -> Item:
    """Return what was found on its way into a pack; ``needs`` are those of the recall."""
    entry = one.entry
    if entry.is_note:
        from engram.service.notebook import note_item

        return note_item(entry)
    return Item(
        entry.memory,
        entry.key,
        foreign=entry.foreign,
        note=entry.doubt,
        needed_by=one.needed_by,
        needs=tuple(needs.get(entry.key, ())),
    )


def notes_beside(limit: int) -> int:
    """Return how many working notes go beside so many bodies: a quarter of what a pack holds."""
    return max(1, limit // 2)


def recall(
    session: Session,
    query: str,
    *,
    limit: int,
    without: Iterable[str] = (),
    notes: int = 0,
    only: Callable[[Row], bool] | None = None,
) -> Recall:
    """Return up to ``limit`` hits with their prerequisites before them, each read and checked (F13).

    Args:
        session: where one is.
        query: the task, in any language.
        limit: how many memories at most that are hits themselves.
        without: names of ranking signals to switch off.
        notes: how many working notes beside them at most.
        only: says of a memory whether it may be a hit.

    Raises:
        NotFoundError: where there is no memory at all.
    """
    return ask_indexes(
        session, lambda indexes: _recall(session, indexes, query, limit=limit, without=without, notes=notes, only=only)
    )


def _recall(
    session: Session,
    indexes: Sequence[Index],
    query: str,
    *,
    limit: int,
    without: Iterable[str],
    notes: int,
    only: Callable[[Row], bool] | None,
) -> Recall:
    roots = session.roots
    without = frozenset(without)
    sources = [index.source for index in indexes]
    scorers: tuple[Scorer, ...] = ()
    if by_meaning(session):
        from engram.service.scorers import open_scorers

        scorers = open_scorers(session, [(root, cache_of(session, root)) for root in roots])
    try:
        library = Library(session, roots, sources, without)
        ranking = rank(
            sources,
            query,
            limit=limit + _SPARE,
            without=without,
            leave_out=library.leave_out,
            scorers=scorers,
            only=only,
        )
        ranked = {library.key(hit.source, hit.entry): hit for hit in ranking.hits}
        texts: dict[str, Entry | None] = {}

        def read(key: str) -> Entry | None:
            if key not in texts:
                texts[key] = library.read(key)
            return texts[key]

        def needs(key: str) -> list[str]:
            return [need for need in library.needs(key) if read(need) is not None]

        hits: list[str] = []
        for key in ranked:
            if len(hits) == limit:
                break
            if read(key) is not None:
                hits.append(key)
        found = [
            Found(entry, None if place.needed_by else ranked[place.key], place.needed_by)
            for place in load_order(hits, needs if "graph" not in without else lambda _: ())
            if (entry := read(place.key)) is not None
        ]
        beside: list[Found] = []
        if notes and any(root.has_notes() for root in roots):
            beside, ranking = _notes(library, ranking, query, most=notes, without=without, scorers=scorers)
    finally:
        for scorer in scorers:
            scorer.close()
    problems = [(root, skip) for root, index in zip(roots, indexes, strict=True) for skip in index.problems]
    return Recall(tuple(found), ranking, skipped_lines([*problems, *library.skipped]), tuple(beside), library.edges)


def _notes(
    library: Library, ranking: Ranking, query: str, *, most: int, without: Iterable[str], scorers: Sequence[Scorer]
) -> tuple[list[Found], Ranking]:
    """Return the best notes, and the ranking of the memories as it reads beside them.

    They are ranked among the memories, so that their scores compare, in a ranking of its own, so that they do no more.
    """
    from engram.service.notebook import Notebook

    sources = library.sources
    notebook = Notebook(library.session, lambda ids: {row.folded for source in sources for row in source.with_ids(ids)})
    found: list[Found] = []
    if notebook.live:
        with_notes = [*sources, notebook.source()]
        both = rank(with_notes, query, limit=_ALL, without=without, leave_out=library.leave_out, scorers=scorers)
        for hit in both.hits:
            if hit.source == len(sources) and len(found) < most:
                entry = notebook.shown(notebook.live[hit.entry.n - 1])
                if entry is not None:
                    found.append(Found(entry, hit))
        if found:
            ranking = ranking.replace(abstained="", unknown=both.unknown)
    library.skipped += notebook.skipped
    return found, ranking


class Library:
    """The memories of all roots while one question is answered, by key.

    ``skipped`` gathers what turns out not to be as it was approved, ``edges`` what depends on what. ``without`` names
    the signals that are switched off.
    """

    def __init__(
        self,
        session: Session,
        roots: Sequence[MemoryRoot],
        sources: Sequence[Source],
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.session = session
        self.sources = sources
        self.skipped: list[tuple[MemoryRoot, Skipped]] = []
        self.edges: dict[str, Sequence[str]] = {}
        self._roots = roots
        self._day = today()
        self._any_age = "lifecycle" in without
        roles = () if "role" in without else session.settings.strings("roles")
        self._roles = frozenset(role.casefold() for role in roles)
        self._rows: dict[str, tuple[int, Row]] = {}

    def leave_out(self, row: Row) -> str:
        """Return why a memory is not given for any task now, ``""`` when it is (F20, F21, I1, I3)."""
        if not self._any_age and (why := out_of_service(row, self._day)):
            return why
        if self._roles and row.role and self._roles.isdisjoint(row.role.casefold().split("\n")):
            return f"for the role {row.role.replace(chr(10), ', ')}"
        if row.scope == "global" and any(twin.body == row.body for twin in self._twins(row)):
            return "the workspace holds the same"
        return ""

    def key(self, source: int, row: Row) -> str:
        """Return the key of a memory: its id, ``global/<id>`` where both scopes have that id (C35)."""
        both = row.scope == "global" and self._twins(row)
        key = f"global/{row.id}" if both else row.id
        self._rows[key] = (source, row)
        return key

    def needs(self, key: str) -> list[str]:
        """Return the keys of what a memory depends on, its own scope before the others."""
        source, row = self._rows[key]
        wanted = [link_id(name) for name in row.depends_on.split("\n") if name]
        if not wanted:
            return []
        found: dict[str, str] = {}
        for at in dict.fromkeys((source, *range(len(self.sources)))):
            for need in self.sources[at].with_ids(wanted):
                if not self.leave_out(need):
                    found.setdefault(need.folded, self.key(at, need))
        keys = self.edges[key] = [found[name] for name in wanted if name in found]
        return keys

    def read(self, key: str) -> Entry | None:
        """Return a memory from its file; None, and a line that says why, when its bytes are not the approved ones."""
        source, row = self._rows[key]
        root = self._roots[source]
        stored = root.read(row.path, row.sha256)
        if not isinstance(stored, Stored):
            self.skipped.append((root, stored))
            return None
        why = out_of_service(stored.memory, self._day)
        if why and not self._any_age:
            return None  # changed since the index was asked
        entry = entry_of(self.session, root, stored, key)
        # Whoever is given it all the same is told, as with engram load --id.
        return entry.replace(doubt="; ".join(filter(None, (why, entry.doubt)))) if why else entry

    def _twins(self, row: Row) -> list[Row]:
        if len(self._roots) < 2:
            return []
        return self.sources[0].with_ids([row.folded])
