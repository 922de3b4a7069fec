"""What ``engram.recall.weights`` is made with: ``python -m benchmarks.learn_weights [DATA] [--root MEMORY_ROOT …]``.

DATA is the folder of sets that ``benchmarks.recall`` reads. One recipe for all sets: each figure is changed by itself,
up and down from where it stands, and the one that is best for the queries at hand replaces it where the gain is at
least ``LEAST``. That is done without each fifth of the queries and without each set in turn; what a choice gains on the
queries that took no part in it is printed, and a figure is worth changing only where most of the choices agree and the
gain on the unseen ones is no loss. The floor comes last, by what it costs and what it keeps off.

The goal is the mean over the sets of recall@1, @4, @8 (twice) and @16, in one set with a typo as well.
Nothing is drawn at random but the typos, which hang on the text: two runs print the same. It takes some ten minutes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.memories import fill
from benchmarks.recall import LEAST as SETS
from benchmarks.recall import MEAN_OF, OFF_TOPIC, slip
from benchmarks.sets import lines, load
from engram.index import layout, segment
from engram.index.segment import Segment
from engram.recall import expand, weights
from engram.recall.rank import rank
from engram.store.root import MemoryRoot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.sets import Query, Set

FOLDS = 5
LEAST = 0.001
CUTS = ((1, 1), (4, 1), (8, 2), (16, 1))
# In these sets a query counts with a typo too, so much of itself.
WITH_TYPOS = ("cosqa",)
TYPO = 0.25
# Of the sets outside the mean so many queries are enough to see a loss.
FEW = 80
STEPS: dict[str, tuple[float, ...]] = {
    "K1": (0.8, 1.0, 1.2, 1.5, 1.8),
    "B": (0.5, 0.65, 0.75, 0.85),
    "PHRASE": (0.0, 0.05, 0.1, 0.2),
    "NEAR": (0.0, 0.025, 0.05, 0.1),
    "TRIGGER": (0.0, 0.25, 0.5, 0.75),
    "TAG": (0.0, 0.1, 0.25, 0.5),
    "ANCHOR": (0.0, 0.1, 0.2),
    "FEEDBACK": (2, 3, 4, 6),
    "LENT": (10, 20, 30, 40),
    "ALPHA": (0.6, 0.7, 0.8),
    "PINNED": (1, 2, 3),
    "NEIGHBOURS": (1, 2, 3),
    "NEIGHBOUR": (0.6, 0.8, 0.9, 1.0),
}
FIELD_STEPS = ((1, 1, 1, 1), (2, 2, 2, 1), (3, 2, 2, 1), (2, 3, 2, 1), (3, 3, 2, 1), (2, 2, 3, 1), (3, 3, 3, 1))
FLOORS = tuple((score, share) for score in (0.8, 0.9, 1.0, 1.1, 1.2) for share in (0.2, 0.25, 0.3, 0.35, 0.4))

# Figures that differ from those in force, in a fixed order.
Setting = tuple[tuple[str, object], ...]


class Measured(NamedTuple):
    """For each set what each query got under one setting: the goal, and recall@8."""

    goal: dict[str, list[float]]
    eighth: dict[str, list[float]]


class Indexed(NamedTuple):
    """A set and its index, in memory: it is made anew for each setting."""

    name: str
    ids: tuple[str, ...]
    queries: tuple[Query, ...]
    segment: Segment


def indexed(one: Set) -> Indexed:
    """Index a set; of one outside the mean a part of the queries is kept."""
    segment = Segment(first=1)
    for memory in one.memories:
        segment.add(f"knowledge/{memory.id}.md", "", memory)
    step = 1 if one.name in MEAN_OF else max(1, len(one.queries) // FEW)
    return Indexed(one.name, one.ids, one.queries[::step], segment)


def main() -> int:
    """Search, and print what was tried, what it gave on queries that took no part, and what to change."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learn_weights", description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", default=os.environ.get("ENGRAM_BENCH_DIR", ""), help="the folder of sets")
    parser.add_argument("--root", action="append", default=[], help="a memory root for the off-topic queries")
    options = parser.parse_args()
    if not options.data:
        print("learn_weights: name the folder of sets, or set ENGRAM_BENCH_DIR")
        return 2
    names = sorted(name for name in SETS if os.path.isdir(os.path.join(options.data, name)))
    search = Search(options.data, names)
    search.run()
    floors(search.sets, options.root)
    return 0


class Search:
    """One search; every setting is measured once."""

    def __init__(self, data: str, names: Sequence[str]) -> None:
        self.data = data
        self.names = names
        self.known: dict[Setting, Measured] = {}
        self.fields = tuple(weight for _, weight in layout.FIELDS)
        self.sets = self.load()

    def load(self) -> list[Indexed]:
        """Read and index the sets, and of those outside the mean a part of the queries."""
        return [indexed(load(self.data, name)) for name in self.names]

    def run(self) -> None:
        """Try every step, choose for each fold, and print."""
        base = self.measure(())
        print("goal / recall@8 in force: " + self.told(base))
        singles: list[Setting] = []
        for name, values in STEPS.items():
            singles += [((name, value),) for value in values if value != getattr(weights, name)]
        singles += [(("FIELDS", steps),) for steps in FIELD_STEPS if steps != self.fields]
        for single in singles:
            print(f"{single[0][0]} = {single[0][1]}: {self.told(self.measure(single))}", flush=True)
        votes: dict[tuple[str, object], int] = {}
        gains = []
        for label, seen in self.folds(base):
            chosen = self.choose(singles, base, seen)
            for change in chosen:
                votes[change] = votes.get(change, 0) + 1
            after = self.measure(chosen)
            gain = self.goal(after, base, lambda name, at, seen=seen: not seen(name, at))  # type: ignore[misc]
            gains.append(gain)
            print(f"without {label}: {dict(chosen)}; on it {gain:+.4f}", flush=True)
        print(f"mean gain on queries that took no part: {statistics.fmean(gains):+.4f}")
        all_of_it = self.choose(singles, base, lambda _name, _at: True)
        print(f"with all: {dict(all_of_it)}: {self.told(self.measure(all_of_it))}")
        agreed = tuple(change for change in all_of_it if votes.get(change, 0) * 2 > len(gains))
        print(f"agreed by most: {dict(agreed)}: {self.told(self.measure(agreed))}")

    def folds(self, base: Measured) -> Iterable[tuple[str, Callable[[str, int], bool]]]:
        """Yield each part that is left out, with what tells whether a query is still in."""
        for fold in range(FOLDS):
            yield f"queries {fold + 1} of {FOLDS}", lambda _name, at, fold=fold: at % FOLDS != fold  # type: ignore[misc]
        for left_out in base.goal:
            yield left_out, lambda name, _at, left_out=left_out: name != left_out  # type: ignore[misc]

    def choose(self, singles: Sequence[Setting], base: Measured, seen: Callable[[str, int], bool]) -> Setting:
        """Return the best value of each figure whose gain on the queries that are seen is large enough."""
        best: dict[str, tuple[float, object]] = {}
        for single in singles:
            name, value = single[0]
            gain = self.goal(self.measure(single), base, seen)
            if gain >= LEAST and gain > best.get(name, (0.0, None))[0]:
                best[name] = (gain, value)
        return tuple((name, value) for name, (_, value) in sorted(best.items()))

    def goal(self, after: Measured, base: Measured, seen: Callable[[str, int], bool]) -> float:
        """Return the gain over ``base``: the mean over the sets of the mean over their queries that are seen."""
        gains = []
        for name, values in after.goal.items():
            some = [
                new - old for at, (new, old) in enumerate(zip(values, base.goal[name], strict=True)) if seen(name, at)
            ]
            if some:
                gains.append(statistics.fmean(some))
        return statistics.fmean(gains)

    def measure(self, setting: Setting) -> Measured:
        """Rank every query of every set under a setting."""
        known = self.known.get(setting)
        if known is not None:
            return known
        changes = dict(setting)
        fields = changes.pop("FIELDS", None)
        before = {name: getattr(weights, name) for name in changes}
        sets = self.sets
        if fields is not None:
            in_force = layout.FIELDS
            set_fields(tuple((name, weight) for (name, _), weight in zip(in_force, fields, strict=True)))  # type: ignore[call-overload]
            sets = self.load()
        for name, value in changes.items():
            setattr(weights, name, value)
        try:
            found = self.known[setting] = Measured(
                {one.name: [gained(one, query) for query in one.queries] for one in sets},
                {one.name: [at_eight(one, query) for query in one.queries] for one in sets},
            )
        finally:
            for name, value in before.items():
                setattr(weights, name, value)
            if fields is not None:
                set_fields(in_force)
        return found

    def told(self, measured: Measured) -> str:
        """Return the figures of a setting in one line."""
        eighth = {name: statistics.fmean(values) for name, values in measured.eighth.items()}
        goal = statistics.fmean(statistics.fmean(values) for values in measured.goal.values())
        three = statistics.fmean(eighth[name] for name in MEAN_OF if name in eighth)
        return f"{goal:.4f} / {three:.3f} " + " ".join(f"{name} {value:.3f}" for name, value in eighth.items())


def set_fields(fields: tuple[tuple[str, int], ...]) -> None:
    """Put other weights of the fields in force, wherever they were imported."""
    for module in (layout, segment, expand):
        module.FIELDS = fields  # type: ignore[attr-defined]


_at_eight: dict[tuple[str, str], float] = {}


def gained(one: Indexed, query: Query) -> float:
    """Return the goal of one query: recall at several cuts, and a part of it with a typo in the query."""
    clean = cuts(one, query, query.text)
    _at_eight[one.name, query.text] = clean[8]
    if one.name not in WITH_TYPOS:
        return weighted(clean)
    return (1 - TYPO) * weighted(clean) + TYPO * weighted(cuts(one, query, slip(query.text)))


def at_eight(one: Indexed, query: Query) -> float:
    """Return recall@8 of a query that was just ranked."""
    return _at_eight[one.name, query.text]


def weighted(found: dict[int, float]) -> float:
    """Return the mean of recall at the cuts, by weight."""
    return sum(found[cut] * weight for cut, weight in CUTS) / sum(weight for _, weight in CUTS)


def cuts(one: Indexed, query: Query, text: str) -> dict[int, float]:
    """Return recall at each cut."""
    hits = [one.ids[int(hit.entry.id[2:]) - 1] for hit in rank([one.segment], text, limit=CUTS[-1][0]).hits]
    return {cut: len(query.relevant.intersection(hits[:cut])) / len(query.relevant) for cut, _ in CUTS}


def floors(sets: Sequence[Indexed], roots: Sequence[str]) -> None:
    """Print what each floor costs and what it keeps off."""
    queries = [str(line["text"]) for line in lines(OFF_TOPIC)]
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as folder:
        fill(folder, 1000)
        built = []
        for root in (folder, *roots):
            built.append(Segment())
            for stored in MemoryRoot(os.path.realpath(root), "workspace").memories()[0]:
                built[-1].add(stored.path, stored.hash, stored.memory)
    before = weights.FLOOR_SCORE, weights.FLOOR_SHARE
    for score, share in FLOORS:
        weights.FLOOR_SCORE, weights.FLOOR_SHARE = score, share
        kept = [sum(not rank([one], text).hits for text in queries) for one in built]
        cost = {
            one.name: statistics.fmean(
                bool(query.relevant) and not rank([one.segment], query.text, limit=1).hits for query in one.queries
            )
            for one in sets
        }
        print(
            f"floor {score} {share}: off topic {kept} of {len(queries)} get nothing; queries that get nothing: "
            + " ".join(f"{name} {value:.3f}" for name, value in cost.items()),
            flush=True,
        )
    weights.FLOOR_SCORE, weights.FLOOR_SHARE = before


if __name__ == "__main__":
    sys.exit(main())
