"""The ranking: which memories answer a task, best first, each with its reasons.

The order of work: words of the query → postings → BM25 of the fields → the best hundred → what their texts add
(phrases, triggers, tags) → one round of expansion by the best three → the floor. Each signal has a name and can be
switched off; nothing looks at the clock, the file system or a random number (architecture, decision 5).
"""

from __future__ import annotations

from bisect import bisect_left

from engram.recall.evidence import texts_add
from engram.recall.expand import expand
from engram.recall.floor import below_floor
from engram.recall.query import Query, read
from engram.recall.score import SCALE, Impacts, idf, nearest_step, step_up
from engram.recall.typos import corrections
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from engram.index.layout import Entry
    from engram.recall.source import Source

__all__ = ["CANDIDATES", "SIGNALS", "Hit", "Ranking", "rank"]

# Every signal that can be switched off, with what it means to the person who reads ``--explain``.
SIGNALS: dict[str, str] = {
    "phrase": "words of the task stand together in the memory",
    "triggers": "a whole trigger of the memory stands in the task",
    "tags": "a whole tag of the memory stands in the task",
    "anchors": "the rarest names of the task stand in the memory",
    "paths": "a path or a compound name matches as a whole",
    "expansion": "it reads like the best three",
    "typos": "a word that no memory has is read as its neighbour",
    "confidence": "memories of low confidence come last",
    "recency": "of equals, the one confirmed last comes first",
    "floor": "weak matches are not shown at all",
}
# So many of the best by BM25 are looked at more closely.
CANDIDATES = 100
# Numbers of memories of the second and later sources are moved up by this much each.
SOURCE_BITS = 24


class Hit(Record):
    """One memory of the ranking. ``reasons`` are signal, what it added to the score, and the words it is about."""

    source: int
    entry: Entry
    score: float
    reasons: tuple[tuple[str, float, str], ...]


class Ranking(Record):
    """What recall found: hits, best first; or why there are none."""

    query: Query
    hits: tuple[Hit, ...]
    abstained: str = ""
    corrected: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    left_out: tuple[tuple[Entry, str], ...] = ()


class Group:
    """One word of the query and where it stands: numbers of memories, ascending, with a code each."""

    __slots__ = ("codes", "corrected", "docs", "frequency", "idf", "most", "numbers", "text", "values")

    def __init__(self, text: str) -> None:
        self.text = text
        self.corrected = ""
        self.frequency = 0
        self.idf = 0.0
        self.most = 0
        """What it adds to a memory at most."""
        self.numbers: list[set[int]] = []
        """The numbers of its terms in each source."""
        self.docs: list[int] = []
        self.codes: list[int] = []
        self.values: Mapping[int, int] = {}
        """What a code adds to the score. Where several forms were put together the code is the value."""

    def value(self, doc: int) -> int:
        """Return what the word adds to a memory, 0 where it does not stand."""
        at = bisect_left(self.docs, doc)
        return self.values[self.codes[at]] if at < len(self.docs) and self.docs[at] == doc else 0


class _Same(dict[int, int]):
    """Gives every number for itself."""

    def __missing__(self, key: int) -> int:
        return key


def rank(
    sources: Sequence[Source],
    text: str,
    *,
    limit: int = 16,
    without: Iterable[str] = (),
    leave_out: Callable[[Entry], str] | None = None,
) -> Ranking:
    """Rank the memories of some indexes for a task.

    Args:
        sources: open indexes, the workspace's before the global one's.
        text: what the person asked, any length, any script.
        limit: how many hits at most.
        without: names of ``SIGNALS`` to switch off.
        leave_out: gives the reason for which a memory must not be routed, or nothing.

    Raises:
        SqliteError: an index failed while it was read; the caller reads the files instead (F3).
    """
    off = frozenset(without)
    query = read(text)
    groups, unknown, corrected = _groups(sources, query, off)
    totals = _accumulate(sources, groups)
    candidates, entries, left_out = _best(sources, totals, leave_out)
    if not candidates:
        why = "no memory shares a word with it" if query.words else "it holds no word to search for"
        return Ranking(query, (), why, corrected, unknown, left_out)
    scores = {doc: totals[doc] for doc in candidates}
    reasons: dict[int, list[tuple[str, float, str]]] = {doc: [] for doc in candidates}
    order = _order(candidates, scores, entries, off)
    weak = "" if "floor" in off else below_floor(groups, len(unknown), _count(sources), order, scores)
    if weak:
        return Ranking(query, (), weak, corrected, unknown, left_out)
    sequences = _sequences(sources, candidates)
    texts_add(sources, groups, query, candidates, sequences, off, scores, reasons)
    order = _order(candidates, scores, entries, off)
    if "expansion" not in off:
        pinned = order[:2]
        expand(sources, groups, order, entries, sequences, scores, reasons)
        order = pinned + [doc for doc in _order(candidates, scores, entries, off) if doc not in pinned]
    order = order[:limit]
    if "confidence" not in off:
        order.sort(key=lambda doc: entries[doc].confidence == "low")
    hits = tuple(
        Hit(doc >> SOURCE_BITS, entries[doc], scores[doc] / SCALE, _why(groups, doc, reasons[doc])) for doc in order
    )
    return Ranking(query, hits, "", corrected, unknown, left_out)


def _count(sources: Sequence[Source]) -> float:
    """Return the number of memories as it enters the ranking."""
    return step_up(sum(source.count for source in sources))


def _groups(
    sources: Sequence[Source], query: Query, off: frozenset[str]
) -> tuple[list[Group], tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Look the words of the query up; the rarest come first."""
    wanted = [(word.text, word.terms) for word in query.words if "paths" not in off or word.text.isalnum()]
    terms = {term for _, forms in wanted for term, _ in forms}
    looked = [source.lookup(terms) for source in sources]
    missing = [text for text, forms in wanted if not any(term in found for term, _ in forms for found in looked)]
    fixed = {} if "typos" in off or not missing else corrections(sources, missing)
    if fixed:
        more = {term for forms in fixed.values() for _, term, _ in forms}
        for found, source in zip(looked, sources, strict=True):
            found.update(source.lookup(more - found.keys()))
    count = _count(sources)
    groups: list[Group] = []
    unknown: list[str] = []
    corrected: list[tuple[str, str]] = []
    for text, forms in wanted:
        group = Group(text)
        if text in fixed:
            group.corrected = ", ".join(word for word, _, _ in fixed[text])
            corrected.append((text, group.corrected))
            forms = tuple((term, weight) for _, term, weight in fixed[text])
        elif text in missing:
            unknown.append(text)
            continue
        group.frequency = max(sum(found.get(term, (0, 0))[1] for found in looked) for term, _ in forms)
        group.idf = idf(count, group.frequency)
        _fill(group, sources, looked, forms)
        groups.append(group)
    groups.sort(key=lambda group: (-group.idf, group.text))
    return groups, tuple(unknown), tuple(corrected)


def _fill(
    group: Group,
    sources: Sequence[Source],
    looked: list[dict[str, tuple[int, int]]],
    forms: tuple[tuple[str, float], ...],
) -> None:
    """Read the postings of a group. Of several forms in one memory the one that counts most counts."""
    lists = []
    for at, (source, found) in enumerate(zip(sources, looked, strict=True)):
        present = [(found[term][0], weight) for term, weight in forms if term in found]
        group.numbers.append({number for number, _ in present})
        average = nearest_step(source.length / source.count) if source.count else 1.0
        for number, weight in present:
            lists.append((at << SOURCE_BITS, *source.postings(number), Impacts(group.idf * weight, average)))
    if len(lists) == 1 and not lists[0][0]:
        _, docs, codes, group.values = lists[0]
        group.docs, group.codes = list(docs), list(codes)
    else:
        best: dict[int, int] = {}
        for shift, docs, codes, impacts in lists:
            for doc, code in zip(docs, codes):
                value = impacts[code]
                if value > best.get(doc + shift, 0):
                    best[doc + shift] = value
        group.docs = sorted(best)
        group.codes = [best[doc] for doc in group.docs]
        group.values = _Same()
    group.most = max(group.values[code] for code in set(group.codes))


def _accumulate(sources: Sequence[Source], groups: list[Group]) -> dict[int, int]:
    """Add up BM25, the weightiest word first, and drop what can no longer reach the best hundred.

    The result holds at least these, with their exact scores, and all that tie with the last of them.
    """
    groups = sorted(groups, key=lambda group: (-group.most, group.text))
    rest = sum(group.most for group in groups)
    dead = {doc + (at << SOURCE_BITS) for at, source in enumerate(sources) for doc in source.dead}
    totals: dict[int, int] = {}
    bar = 0
    for group in groups:
        values = group.values
        if rest >= bar:
            # A memory with none of the words so far can still get among the best.
            if totals:
                get = totals.get
                for doc, code in zip(group.docs, group.codes):
                    totals[doc] = get(doc, 0) + values[code]
            else:
                totals = {doc: values[code] for doc, code in zip(group.docs, group.codes)}
        elif len(totals) * 8 < len(group.docs):
            for doc in totals:
                totals[doc] += group.value(doc)
        else:
            for doc, code in zip(group.docs, group.codes):
                if doc in totals:
                    totals[doc] += values[code]
        rest -= group.most
        for doc in dead & totals.keys():
            del totals[doc]
        if len(totals) > 4 * CANDIDATES and rest < max(totals.values()):
            bar = _bar(totals, bar)
            if rest < bar:
                least = bar - rest
                totals = {doc: value for doc, value in totals.items() if value >= least}
    return totals


def _bar(totals: dict[int, int], known: int) -> int:
    """Return the score of the last of the best hundred; it is known to be ``known`` or more."""
    guess = max(totals.values())
    while True:
        guess = max(known, guess * 3 // 4)
        high = [value for value in totals.values() if value >= guess]
        if len(high) >= CANDIDATES:
            high.sort(reverse=True)
            return high[CANDIDATES - 1]


def _best(
    sources: Sequence[Source], totals: dict[int, int], leave_out: Callable[[Entry], str] | None
) -> tuple[list[int], dict[int, Entry], tuple[tuple[Entry, str], ...]]:
    """Return the candidates, best first, and what is known of them; those that must not be routed are named apart."""
    bar = _bar(totals, 0) if len(totals) > CANDIDATES else 0
    chosen = [doc for doc, value in totals.items() if value >= bar]
    entries: dict[int, Entry] = {}
    for at, source in enumerate(sources):
        own = [doc & (1 << SOURCE_BITS) - 1 for doc in chosen if doc >> SOURCE_BITS == at]
        entries.update({doc + (at << SOURCE_BITS): entry for doc, entry in source.entries(own).items()})
    left_out: list[tuple[Entry, str]] = []
    kept: list[int] = []
    chosen.sort(key=lambda doc: (-totals[doc], doc >> SOURCE_BITS, entries[doc].id))
    for doc in chosen[:CANDIDATES]:
        why = leave_out(entries[doc]) if leave_out else ""
        if why:
            left_out.append((entries[doc], why))
        else:
            kept.append(doc)
    return kept, entries, tuple(left_out)


def _order(docs: list[int], scores: dict[int, int], entries: dict[int, Entry], off: frozenset[str]) -> list[int]:
    """Return memories by score; of equals the workspace's first, then the one confirmed last, then by id."""
    order = sorted(docs, key=lambda doc: entries[doc].id)
    if "recency" not in off:
        order.sort(key=lambda doc: entries[doc].last_confirmed, reverse=True)
    order.sort(key=lambda doc: (-scores[doc], doc >> SOURCE_BITS))
    return order


def _sequences(sources: Sequence[Source], docs: list[int]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for at, source in enumerate(sources):
        own = [doc & (1 << SOURCE_BITS) - 1 for doc in docs if doc >> SOURCE_BITS == at]
        found.update({doc + (at << SOURCE_BITS): blob for doc, blob in source.sequences(own, 4000).items()})
    return found


def _why(groups: list[Group], doc: int, more: list[tuple[str, float, str]]) -> tuple[tuple[str, float, str], ...]:
    """Return the words of the query that a memory has, the weightiest first, then the other signals."""
    words = [(group.value(doc), f"{group.text} → {group.corrected}" if group.corrected else group.text) for group in groups]
    words = sorted((pair for pair in words if pair[0]), key=lambda pair: (-pair[0], pair[1]))
    return (*(("word", value / SCALE, text) for value, text in words), *more)
