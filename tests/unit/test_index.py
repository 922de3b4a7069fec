"""The index file: what was put in is found, whoever put it there and in whatever order."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from engram.index.database import VERSION, Database, SqliteError
from engram.index.segment import Segment
from engram.index.writing import build, update
from engram.model import Memory
from engram.recall.rank import rank

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (
    "amber", "billing", "cache", "deploy", "editor", "friday", "gateway", "harbour", "invoice", "jobs", "kafka",
    "ledger", "mailer", "nightly",
)  # fmt: skip


def made(number: int, text: str = "", title: str = "") -> tuple[str, str, Memory]:
    """Return a memory as an index takes it."""
    rng = random.Random(number)
    memory = Memory(
        id=f"m-{number:03d}",
        type="rule",
        scope="workspace",
        title=title or " ".join(rng.choices(WORDS, k=4)),
        content=text or " ".join(rng.choices(WORDS, k=20)),
        tags=(rng.choice(WORDS),),
        last_confirmed="2026-01-02",
    )
    return f"rules/{memory.id}.md", f"{number:064x}", memory


def answers(path: str, task: str) -> list[tuple[str, float, object]]:
    """Return what an index answers, with scores and reasons."""
    with Database(path) as index:
        return [(hit.entry.id, hit.score, hit.reasons) for hit in rank([index], task, limit=50).hits]


def test_a_file_and_memory_give_the_same_ranking(tmp_path: Path) -> None:  # F3, G2
    path = str(tmp_path / "index.db")
    memories = [made(number) for number in range(60)]
    build(path, memories)
    segment = Segment()
    for item in memories:
        segment.add(*item)
    task = "deploy the billing cache on friday"
    assert answers(path, task) == [
        (hit.entry.id, hit.score, hit.reasons) for hit in rank([segment], task, limit=50).hits
    ]


def test_changes_one_by_one_end_where_a_rebuild_ends(tmp_path: Path) -> None:  # G2
    changed, rebuilt = str(tmp_path / "changed.db"), str(tmp_path / "rebuilt.db")
    build(changed, [made(number) for number in range(40)])
    for number in range(40, 80):
        update(changed, [f"rules/m-{number - 40:03d}.md"] if number % 2 else [], [made(number)])
    update(changed, ["rules/m-050.md"], [made(50, "a quite different text about amber")])
    alive = [number for number in range(80) if number >= 40 or number % 2 == 0]
    final = [made(50, "a quite different text about amber") if number == 50 else made(number) for number in alive]
    build(rebuilt, reversed(final))
    for task in ("amber gateway", "nightly jobs in kafka", "invoice ledger", "cache"):
        assert answers(changed, task) == answers(rebuilt, task)
    with Database(changed) as one, Database(rebuilt) as other:
        assert (one.count, one.length) == (other.count, other.length)


def test_a_memory_that_is_gone_is_not_found(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(1, "zebra crossing"), made(2)])
    update(path, ["rules/m-001.md"], [])
    assert answers(path, "zebra crossing") == []


def test_more_memories_than_a_chunk_holds_are_all_found(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number, "zebra") for number in range(4100)])
    update(path, [], [made(5000, "zebra")])
    with Database(path) as index:
        number, frequency = index.lookup(["zebra"])["zebra"]
        docs, _ = index.postings(number)
    assert frequency == 4101
    assert docs == sorted(docs)
    assert len(docs) == 4101


def test_a_reader_keeps_its_state_while_the_index_changes(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(1, "zebra crossing")])
    with Database(path) as before:
        build(path, [made(2, "something else")])
        assert [hit.entry.id for hit in rank([before], "zebra crossing").hits] == ["m-001"]
    assert answers(path, "zebra crossing") == []


@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "text", "folder", "version"])
def test_every_fault_of_the_file_is_one_kind_of_error(tmp_path: Path, damage: str) -> None:  # E2
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(30)])
    with open(path, "rb") as file:
        data = file.read()
    os.unlink(path)
    if damage == "folder":
        os.mkdir(path)
    elif damage != "missing":
        changed = {
            "empty": b"",
            "truncated": data[:5000],
            "text": b"not a database, but long enough to look at" * 40,
            "version": data[:60] + (VERSION + 1).to_bytes(4, "big") + data[64:],
        }
        with open(path, "wb") as file:
            file.write(changed[damage])
    with pytest.raises(SqliteError):
        answers(path, "billing")


def test_a_failed_rebuild_leaves_the_old_index_and_no_other_file(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(1, "zebra crossing")])

    def broken() -> object:
        yield made(2)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        build(path, broken())  # type: ignore[arg-type]
    assert [row[0] for row in answers(path, "zebra crossing")] == ["m-001"]
    assert os.listdir(tmp_path) == ["index.db"]
