"""The ranking: which memories answer a task, best first, each with its reasons.

The order of work: words of the query → postings → BM25 of the fields → the floor → the candidates → what their texts
add (phrases, triggers, tags) → what further scorers say → one round of expansion by the best three. Each signal has a
name and can be switched off; nothing looks at the clock, the file system or a random number (architecture, decision 5).
"""

from __future__ import annotations

from engram.index.database import DAMAGE, Database, damaged
from engram.recall import weights
from engram.recall.candidates import choose, look_up
from engram.recall.evidence import texts_add
from engram.recall.expand import expand
from engram.recall.query import Query, read
from engram.recall.score import SCALE, below_floor, idf
from engram.recall.work import SOURCE_BITS, Work
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engram.index.layout import Entry
    from engram.index.source import Source
    from engram.recall.scorer import Scorer
    from engram.recall.work import Group

__all__ = ["SIGNALS", "Hit", "Ranking", "rank"]

# Every signal that can be switched off, with what it means to the person who reads ``--explain``.
# The ranking takes the names of all; role, lifecycle and graph are for who calls it (``service.recalling``).
SIGNALS: dict[str, str] = {
    "word": "a word of the task stands in its title, triggers, tags or text (BM25)",
    "phrase": "words of the task stand together in the memory",
    "triggers": "a whole trigger of the memory stands in the task",
    "tags": "a whole tag of the memory stands in the task",
    "anchors": "the rarest names of the task stand in the memory",
    "paths": "a path or a compound name stands in it as a whole",
    "task_type": "the memory is for this kind of task",
    "semantic": "it means something near (engram semantic on)",
    "expansion": "it reads like the best three",
    "typos": "a word that no memory has is read as its neighbour",
    "confidence": "memories of low confidence come last",
    "recency": "of equals, the one confirmed last comes first",
    "scope": "of equals, the workspace's comes before the global one",
    "role": "a memory for other roles than those at work is left out",
    "lifecycle": "what is superseded, archived, expired or not valid yet is left out",
    "graph": "what a memory depends on comes before it",
    "floor": "weak matches are not shown at all",
}
# So many candidates are looked at for a pack: of those further down hardly one gets among its first eight. By meaning
# more of them may be right, and who asks for more than a pack's hits gets them.
_CANDIDATES = 48
_MORE_CANDIDATES = 100
_HITS = 32
# What the texts add is little: further down than this it brings nobody among the first.
_CLOSE = 32


class Hit(Record):
    """One memory of the ranking; ``why`` makes its reasons, which hardly anybody asks for."""

    source: int
    entry: Entry
    score: float
    why: Callable[[], tuple[tuple[str, float, str], ...]]

    @property
    def reasons(self) -> tuple[tuple[str, float, str], ...]:
        """Signal, what it added to the score, and the words it is about."""
        return self.why()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hit) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(self._told())

    def _told(self) -> tuple[object, ...]:
        return self.source, self.entry, self.score, self.reasons


class Ranking(Record):
    """What recall found: hits, best first; or why there are none.

    ``off`` are the signals that were switched off, ``weak`` counts the hits that the floor held back.
    """

    query: Query
    hits: tuple[Hit, ...]
    abstained: str = ""
    corrected: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    left_out: tuple[tuple[Entry, str], ...] = ()
    off: frozenset[str] = frozenset()
    weak: int = 0


def rank(
    sources: Sequence[Source],
    text: str,
    *,
    limit: int = 16,
    without: Iterable[str] = (),
    leave_out: Callable[[Entry], str] | None = None,
    scorers: Sequence[Scorer] = (),
    only: Callable[[Entry], bool] | None = None,
) -> Ranking:
    """Rank the memories of some indexes for a task.

    Args:
        sources: open indexes, the workspace's before the global one's.
        text: what the person asked, any length, any script.
        limit: how many hits at most.
        without: names of ``SIGNALS`` to switch off.
        leave_out: gives the reason for which a memory must not be routed, or nothing.
        scorers: further opinions on what the words found; each can be switched off by its name.
        only: says of a memory whether it is of the kind that is looked for; every memory is asked about.

    Raises:
        SqliteError: an index failed while it was read; the caller reads the files instead (F3).
    """
    most = _MORE_CANDIDATES if scorers or limit > _HITS else _CANDIDATES
    work = Work(sources, read(text), frozenset(without), most)
    try:
        if only is not None:
            rows = ((at << SOURCE_BITS, row) for at, source in enumerate(sources) for row in source.all_rows())
            work.aside = {first + row.n for first, row in rows if not only(row)}
        return _ranked(work, limit, leave_out, scorers)
    except DAMAGE as error:
        if any(isinstance(source, Database) for source in sources):
            raise damaged(error) from error
        raise


def _ranked(work: Work, limit: int, leave_out: Callable[[Entry], str] | None, scorers: Sequence[Scorer]) -> Ranking:
    """Take the steps of the ranking, one after the other."""
    sources, off = work.sources, work.off
    look_up(work)
    left_out = tuple(choose(work, leave_out))
    corrected = tuple((group.text, group.corrected) for group in work.groups if group.corrected)
    work.equals = _as_equals(work)
    order = _order(work)
    shares = "no memory of the kind that is looked for shares" if work.aside else "no memory shares"
    why = "" if order else f"{shares} a word with it" if work.query.words else "it holds no word to search for"
    if not order and left_out:
        # Its id may say what it said; --explain gives it to who asks.
        why = f"what shares a word with it is left out: {left_out[0][1]}"
    if order and "floor" not in off:
        why = below_floor(work, order)
    if why:
        return Ranking(work.query, (), why, corrected, tuple(work.unknown), left_out, off, len(order))
    for at, source in enumerate(sources):
        found = source.sequences(work.own(order, at))
        work.sequences.update({doc + (at << SOURCE_BITS): blob for doc, blob in found.items()})
    texts_add(work, order[:_CLOSE])
    if "task_type" not in off:
        _task_types_add(work, order)
    fusion = None
    if scorers:
        from engram.recall.fusion import Fusion

        fusion = Fusion(work, scorers)
        fusion.add()
    order = _order(work)
    if "expansion" not in off:
        pinned = order[: weights.PINNED]
        expand(work, order)
        if fusion:
            fusion.add()
        order = pinned + [doc for doc in _order(work) if doc not in pinned]
    if "word" in off:
        order = _without_words(work)
    weak = 0
    if order and "floor" not in off:
        if fusion:
            near = fusion.near(order, weights.FLOOR_TAIL)
        else:
            least = weights.FLOOR_TAIL * max(work.scores.values())
            near = [doc for doc in order if work.scores[doc] >= least]
        weak = len(order) - len(near)
        order = near
    order = order[:limit]
    if "confidence" not in off:
        order.sort(key=lambda doc: work.entries[doc].confidence == "low")
    hits = tuple([_hit(work, doc) for doc in order])
    why = "" if hits else "words alone find something, and they are switched off"
    return Ranking(work.query, hits, why, corrected, tuple(work.unknown), left_out, off, weak)


def _task_types_add(work: Work, docs: list[int]) -> None:
    """Add to the candidates that are for the kind of task that the query is."""
    named = {doc: work.entries[doc].task_types for doc in docs if work.entries[doc].task_types}
    if not named:
        return  # most memories name none: nothing is read for them
    from engram.recall.intent import matching, read_intent
    from engram.text.words import words

    intent = read_intent(work.query.text)
    said = words(work.query.text)
    matches = {types: matching(intent, said, types.split("\n")) for types in set(named.values())}
    for doc, types in named.items():
        if matches[types]:
            work.add(doc, "task_type", weights.TASK_TYPE * idf(work.count, 1), matches[types])


def _as_equals(work: Work) -> list[int]:
    """Return the candidates as if all were equal: the workspace's first, then the one confirmed last, then by id."""
    entries = work.entries
    order = sorted(work.scores, key=lambda doc: entries[doc].id)
    if "recency" not in work.off:
        order.sort(key=lambda doc: entries[doc].last_confirmed, reverse=True)
    if len(work.sources) > 1 and "scope" not in work.off:
        order.sort(key=lambda doc: doc >> SOURCE_BITS)
    return order


def _order(work: Work) -> list[int]:
    """Return the candidates by score; equals stay in their order."""
    return sorted(work.equals, key=work.scores.__getitem__, reverse=True)


def _hit(work: Work, doc: int) -> Hit:
    return Hit(doc >> SOURCE_BITS, work.entries[doc], work.scores[doc] / SCALE, lambda: _why(work, doc))


def _why(work: Work, doc: int) -> tuple[tuple[str, float, str], ...]:
    """Return the words of the query that a memory has, the weightiest first, then the other signals."""
    off = work.off
    words = [
        (group.value(doc), f"{group.text} → {group.corrected}" if group.corrected else group.text, _signal_of(group))
        for group in work.groups
    ]
    words = sorted((found for found in words if found[0]), key=lambda found: (-found[0], found[1]))
    by_word = [(signal, value / SCALE, text) for value, text, signal in words if signal not in off]
    return (*by_word, *work.reasons[doc])


def _signal_of(group: Group) -> str:
    """Return the signal that a word of the query counts for."""
    return "typos" if group.corrected else "word" if group.text.isalnum() else "paths"


def _without_words(work: Work) -> list[int]:
    """Take what plain words add out of the scores; return the candidates that something else speaks for."""
    plain = [group for group in work.groups if _signal_of(group) == "word"]
    for doc in work.scores:
        work.scores[doc] -= sum(group.value(doc) for group in plain)
    return [doc for doc in _order(work) if work.scores[doc] > 0]
