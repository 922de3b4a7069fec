"""The labelled pairs of ``benchmarks/data``: no verdict loses anything, and nine of ten are exact (F20, C42)."""

from __future__ import annotations

from collections import Counter

import pytest
from benchmarks.verdicts import LEAST_EXACT, exact_share, groups, judged, load

RESULTS = [judged(pair) for pair in load()]


def test_no_verdict_merges_a_contradiction_or_swallows_or_replaces_a_memory() -> None:  # F20, I4
    assert [(one.pair["text"], one.word) for one in RESULTS if one.destructive] == []


@pytest.mark.parametrize("half", ["develop", "held out", "slots", "fresh", "verbs", "kinds", "unseen"])
def test_nine_of_ten_verdicts_are_exact(half: str) -> None:  # F20
    assert exact_share(groups(RESULTS, "half")[half]) >= LEAST_EXACT


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_nine_of_ten_are_exact_in_each_language(language: str) -> None:  # F20
    some = groups(RESULTS, "language")[language]
    assert len(some) >= 50
    assert exact_share(some) >= LEAST_EXACT


def test_the_set_has_every_verdict_and_no_pair_twice() -> None:
    assert len(RESULTS) >= 200
    assert set(groups((one for one in RESULTS), "half")) >= {"develop", "held out"}
    assert {one.pair["verdict"] for one in RESULTS} == {"ADD", "UPDATE", "SUPERSEDE", "NOOP"}
    pairs = Counter((one.pair["text"], str(one.pair["memories"])) for one in RESULTS)
    assert [pair for pair, count in pairs.items() if count > 1] == []
