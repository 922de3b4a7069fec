"""Verdicts: ``python -m benchmarks.verdicts [FILE …]``.

Each FILE (``data/verdicts*.json`` by default) holds labelled pairs: a candidate, the memories that are there, and the
verdict that a careful person gives (F20). Printed is the confusion matrix of each language and each half: the rules
were made with the pairs of the halves ``develop``, ``slots``, ``verbs`` and ``kinds`` in sight, those of ``held out``,
``fresh`` and ``unseen`` were written before the rules met them and counted first.

Exit code 1 where a verdict is destructive (a contradiction merged, a new memory swallowed or taken for another one's
successor), or where fewer than 9 of 10 are exact, target included.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from engram.model import Memory
from engram.proposals.candidates import Candidate
from engram.proposals.verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
WORDS = ("ADD", "UPDATE", "SUPERSEDE", "NOOP")
LEAST_EXACT = 0.9


class Judged(NamedTuple):
    """A labelled pair with the verdict that it got."""

    pair: dict[str, Any]
    word: str
    target: str

    @property
    def exact(self) -> bool:
        """Whether word and target are those of the label."""
        return (self.word, self.target) == (self.pair["verdict"], self.pair["target"])

    @property
    def destructive(self) -> bool:
        """Whether following the verdict loses something: the old value, the new memory, or one that still holds."""
        match self.pair["verdict"]:
            case "SUPERSEDE":
                return self.word in {"UPDATE", "NOOP"} or (self.word == "SUPERSEDE" and not self.exact)
            case "ADD":
                return self.word != "ADD"
            case _:
                return self.word == "SUPERSEDE" or (self.word != "ADD" and not self.exact)


def load(files: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the pairs of the files, of all sets that the project has where none is named."""
    pairs: list[dict[str, Any]] = []
    for path in files or sorted(glob.glob(os.path.join(DATA, "verdicts*.json"))):
        with open(path, encoding="utf-8") as file:
            pairs += json.load(file)
    return pairs


def judged(pair: dict[str, Any]) -> Judged:
    """Return the verdict on one pair."""
    memories = [Memory(one["id"], one["type"], "workspace", one["id"], one["text"]) for one in pair["memories"]]
    verdict = judge(Candidate(pair["type"], pair["text"]), memories)
    return Judged(pair, verdict.word, verdict.id)


def exact_share(results: Sequence[Judged]) -> float:
    """Return which share of the verdicts is exact."""
    return sum(one.exact for one in results) / len(results)


def matrix(title: str, results: Sequence[Judged]) -> None:
    """Print how often each expected verdict got which."""
    destructive = sum(one.destructive for one in results)
    print(f"\n{title}: {len(results)} pairs, {exact_share(results):.1%} exact, {destructive} destructive")
    print(f"{'expected':>12} | " + " ".join(f"{word:>9}" for word in WORDS))
    for expected in WORDS:
        row = [one for one in results if one.pair["verdict"] == expected]
        if row:
            counts = (sum(one.word == given for one in row) for given in WORDS)
            print(f"{expected:>12} | " + " ".join(f"{count or '.':>9}" for count in counts))


def groups(results: Iterable[Judged], key: str) -> dict[str, list[Judged]]:
    """Return the results by what their pairs hold under ``key``."""
    found: dict[str, list[Judged]] = {}
    for one in results:
        found.setdefault(str(one.pair[key]), []).append(one)
    return found


def main() -> int:
    """Print the matrices and what went wrong; return 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=__doc__)
    parser.add_argument("files", nargs="*", help="files of labelled pairs; default: the project's own")
    parser.add_argument("--wrong", action="store_true", help="show every verdict of the half develop that is not exact")
    options = parser.parse_args()
    results = [judged(pair) for pair in load(options.files)]
    for language, some in groups(results, "language").items():
        matrix(language, some)
    for half, some in groups(results, "half").items():
        matrix(half, some)
    matrix("all", results)
    if options.wrong:
        for one in results:
            if not one.exact and one.pair["half"] == "develop":
                texts = " ## ".join(memory["text"] for memory in one.pair["memories"])
                print(f"{one.pair['verdict']} {one.pair['target']} got {one.word} {one.target}:")
                print(f"    {texts} => {one.pair['text']}")
    kept = not any(one.destructive for one in results) and exact_share(results) >= LEAST_EXACT
    if not kept:
        print(f"NOT KEPT: no destructive verdict, and {LEAST_EXACT:.0%} exact")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
