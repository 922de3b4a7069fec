"""From the words of a query to the memories that are looked at more closely: fielded BM25."""

from __future__ import annotations

from engram.recall.score import Impacts, idf, nearest_step
from engram.recall.work import SOURCE_BITS, Group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engram.index.layout import Entry
    from engram.index.source import Source
    from engram.recall.work import Work

__all__ = ["choose", "look_up"]

# In a large memory the commonest words of a long task are left out: so many postings are read at most, and so many
# words at least.
MOST_POSTINGS = 100_000
_ALWAYS = 3
# So many candidates fill any pack; where there are fewer, what may not be routed must not have taken their places.
_ENOUGH = 32
# One of so many scores says where the candidates begin.
_SAMPLED = 8


class _Same(dict[int, int]):
    """Gives every number for itself."""

    def __missing__(self, key: int) -> int:
        return key


def look_up(work: Work) -> None:
    """Find the words of the query in the indexes: fills ``groups``, the rarest first, and ``unknown``."""
    sources = work.sources
    off = work.off
    wanted = [(word.text, word.terms) for word in work.query.words if "paths" not in off or word.text.isalnum()]
    terms = {term for _, forms in wanted for term, _ in forms}
    looked = [source.lookup(terms) for source in sources]
    missing = [text for text, forms in wanted if not any(term in found for term, _ in forms for found in looked)]
    fixed: dict[str, list[tuple[str, str, float]]] = {}
    if missing and "typos" not in off:
        from engram.recall.typos import corrections

        fixed = corrections(sources, missing)
    if fixed:
        more = {term for forms in fixed.values() for _, term, _ in forms}
        for found, source in zip(looked, sources, strict=True):
            found.update(source.lookup(more - found.keys()))
    found_forms: list[tuple[Group, tuple[tuple[str, float], ...]]] = []
    for text, terms_of in wanted:
        group = Group(text)
        forms = terms_of
        if text in fixed:
            group.corrected = ", ".join(word for word, _, _ in fixed[text])
            forms = tuple((term, weight) for _, term, weight in fixed[text])
        elif text in missing:
            work.unknown.append(text)
            continue
        group.frequency = max(sum(found.get(term, (0, 0))[1] for found in looked) for term, _ in forms)
        group.idf = idf(work.count, group.frequency)
        found_forms.append((group, forms))
    found_forms.sort(key=lambda pair: (-pair[0].idf, pair[0].text))
    postings = 0
    for group, forms in found_forms:
        postings += group.frequency
        if postings > MOST_POSTINGS and len(work.groups) >= _ALWAYS:
            break  # what is left stands in so many memories that it tells hardly any of them apart
        _fill(group, sources, looked, forms)
        work.groups.append(group)


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
        _, group.docs, group.codes, group.values = lists[0]
    else:
        best: dict[int, int] = {}
        for shift, docs, codes, impacts in lists:
            for doc, code in zip(docs, codes, strict=True):
                value = impacts[code]
                if value > best.get(doc + shift, 0):
                    best[doc + shift] = value
        group.docs = sorted(best)
        group.codes = [best[doc] for doc in group.docs]
        group.values = _Same()
    group.most = max(group.values[code] for code in set(group.codes))


def choose(work: Work, leave_out: Callable[[Entry], str] | None) -> list[tuple[Entry, str]]:
    """Make the best memories the candidates; return those met that must not be routed, each with the reason.

    However many of these match better than what may be routed, they take none of its places.
    """
    places = work.most
    while True:
        totals = _add_up(work)
        left_out = _take_best(work, totals, places, leave_out)
        if not left_out or len(work.scores) >= min(places, _ENOUGH) or len(totals) < work.most:
            return left_out
        work.most *= 4


def _add_up(work: Work) -> dict[int, int]:
    """Add up BM25, the weightiest word first, and drop what can no longer get among the best.

    The result holds at least ``work.most`` with their exact scores, and all that tie with the last of them.
    """
    groups = sorted(work.groups, key=lambda group: (-group.most, group.text))
    rest = sum(group.most for group in groups)
    dead = {doc + (at << SOURCE_BITS) for at, source in enumerate(work.sources) for doc in source.dead} | work.aside
    totals: dict[int, int] = {}
    bar = 0
    for group in groups:
        values = group.values
        if rest >= bar:
            # A memory with none of the words so far can still get among the best.
            if totals:
                get = totals.get
                for doc, value in zip(group.docs, map(values.__getitem__, group.codes), strict=True):
                    totals[doc] = get(doc, 0) + value
            else:
                totals = dict(zip(group.docs, map(values.__getitem__, group.codes), strict=True))
        elif len(totals) * 8 < len(group.docs):
            for doc in totals:
                totals[doc] += group.value(doc)
        else:
            for doc, code in zip(group.docs, group.codes, strict=True):
                if doc in totals:
                    totals[doc] += values[code]
        rest -= group.most
        for doc in dead & totals.keys():
            del totals[doc]
        if len(totals) > 4 * work.most and rest < max(totals.values()):
            bar = _bar(totals, work.most, bar)
            if rest < bar:
                least = bar - rest
                totals = {doc: value for doc, value in totals.items() if value >= least}
    return totals


def _bar(totals: dict[int, int], most: int, known: int) -> int:
    """Return the score of the last of the best ``most``; it is known to be ``known`` or more."""
    values = list(totals.values())
    # What a sample says of it, with as many again to be sure, is hardly ever too high: then one more look is enough.
    sample = sorted(values[::_SAMPLED], reverse=True)
    guess = max(known, sample[min(2 * most // _SAMPLED, len(sample) - 1)])
    while True:
        high = [value for value in values if value >= guess]
        if len(high) >= most:
            high.sort(reverse=True)
            return high[most - 1]
        guess = max(known, guess * 3 // 4)


def _take_best(
    work: Work, totals: dict[int, int], places: int, leave_out: Callable[[Entry], str] | None
) -> list[tuple[Entry, str]]:
    """Fill so many places with the best of ``totals``; return what ``choose`` does."""
    bar = _bar(totals, work.most, 0) if len(totals) > work.most else 0
    chosen = [doc for doc, value in totals.items() if value >= bar]
    for at, source in enumerate(work.sources):
        first = at << SOURCE_BITS
        work.entries.update({doc + first: entry for doc, entry in source.entries(work.own(chosen, at)).items()})
    by_scope = "scope" not in work.off
    chosen.sort(key=lambda doc: (-totals[doc], doc >> SOURCE_BITS if by_scope else 0, work.entries[doc].id))
    left_out: list[tuple[Entry, str]] = []
    work.scores, work.reasons = {}, {}
    for doc in chosen[: work.most]:
        if len(work.scores) == places:
            break
        why = leave_out(work.entries[doc]) if leave_out else ""
        if why:
            left_out.append((work.entries[doc], why))
        else:
            work.scores[doc] = totals[doc]
            work.reasons[doc] = []
    return left_out
