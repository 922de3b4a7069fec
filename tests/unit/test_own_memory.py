"""Engram's own memory is found for the tasks that it was written for (benchmarks/data/own_memory.json)."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from engram.index.segment import Segment
from engram.recall.rank import rank
from engram.store.root import MemoryRoot

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def cases() -> list[dict[str, Any]]:
    with open(os.path.join(PROJECT, "benchmarks", "data", "own_memory.json"), encoding="utf-8") as file:
        found = json.load(file)
    assert found["version"] == 1
    return list(found["cases"])


@pytest.fixture(scope="module")
def own() -> Segment:
    segment = Segment()
    for stored in MemoryRoot(os.path.join(PROJECT, ".agents", ".engram"), "workspace").memories()[0]:
        segment.add(stored.path, stored.hash, stored.memory)
    return segment


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["task"])
def test_a_task_brings_what_it_must_and_not_what_it_must_not(own: Segment, case: dict[str, Any]) -> None:
    found = {hit.entry.id for hit in rank([own], case["task"], limit=8).hits}
    assert set(case["must"]) <= found
    assert found.isdisjoint(case["must_not"])


def test_the_cases_name_memories_that_are_there(own: Segment) -> None:
    ids = {row.id for row in own.rows}
    assert {name for case in cases() for name in (*case["must"], *case["must_not"])} <= ids


@pytest.mark.parametrize("task", ["review my pull request", "fix a bug", "hello"])
def test_a_task_that_no_memory_is_about_gets_nothing(own: Segment, task: str) -> None:  # H3
    assert rank([own], task).hits == ()
