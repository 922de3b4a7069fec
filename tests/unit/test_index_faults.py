"""The index under kills, rivals and damage: an answer that is right, or one kind of error and soon (E2)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from engram.index.database import VERSION, Database, SqliteError, sqlite
from engram.index.segment import Segment
from engram.index.writing import build, update
from engram.recall.rank import rank

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engram.model import Memory

# Readers wait a quarter of a second for a lock, writers half a second; a loaded machine may take five times that.
READER_LIMIT, WRITER_LIMIT = 1.25, 2.5
TASK = "deploy the billing cache on friday"

HELPER = textwrap.dedent(
    """
    import random, sys
    from engram.index.database import SqliteError
    from engram.index.writing import build, update
    from engram.model import Memory

    WORDS = "amber billing cache deploy editor friday gateway harbour invoice jobs kafka ledger".split()

    def made(number):
        rng = random.Random(number)
        text = " ".join(rng.choices(WORDS, k=20)) + f" word{number}"
        memory = Memory(id=f"m-{number:03d}", type="rule", scope="workspace", title=rng.choice(WORDS), content=text)
        return f"rules/{memory.id}.md", f"{number:064x}", memory

    def say(text):
        print(text, flush=True)
    """
)


def made(number: int) -> tuple[str, str, Memory]:
    scope: dict[str, object] = {}
    exec(HELPER, scope)
    return scope["made"](number)  # type: ignore[operator,no-any-return]


def child(code: str, *args: str) -> subprocess.Popen[str]:
    """Start a process of its own that has ``made`` and ``say``."""
    return subprocess.Popen(
        [sys.executable, "-c", HELPER + textwrap.dedent(code), *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )


def answers(path: str, task: str = TASK) -> list[tuple[str, float, object]]:
    with Database(path) as index:
        return [(hit.entry.id, hit.score, hit.reasons) for hit in rank([index], task, limit=50).hits]


def of(*numbers: int) -> list[tuple[str, float, object]]:
    """Return what an index of these memories answers."""
    segment = Segment()
    for number in numbers:
        segment.add(*made(number))
    return [(hit.entry.id, hit.score, hit.reasons) for hit in rank([segment], TASK, limit=50).hits]


def test_two_processes_that_update_at_once_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(20)])
    code = """
        for number in range(int(sys.argv[2]), int(sys.argv[2]) + 15):
            while True:
                try:
                    update(sys.argv[1], [f"rules/m-{number - 100:03d}.md"] if number < 110 else [], [made(number)])
                    break
                except SqliteError as error:
                    assert "locked" in str(error), error
    """
    rivals = [child(code, path, first) for first in ("100", "200")]
    for rival in rivals:
        rival.communicate(timeout=60)
        assert rival.returncode == 0
    assert answers(path) == of(*range(10, 20), *range(100, 115), *range(200, 215))


@pytest.mark.parametrize("moment", ["update", "build"])
def test_a_process_killed_in_the_middle_leaves_the_old_index(tmp_path: Path, moment: str) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(20)])
    # The process stops where it has written a part, and never gets further.
    code = """
        from engram.index import writing

        if sys.argv[2] == "update":
            def stop(*_):
                say("in the middle")
                sys.stdin.read()
            writing._write_sequences = stop
            update(sys.argv[1], ["rules/m-001.md"], [made(100)])
        else:
            def some():
                for number in range(5000):
                    yield made(number)
                say("in the middle")
                sys.stdin.read()
            build(sys.argv[1], some())
    """
    with child(code, path, moment) as process:
        assert process.stdout
        assert process.stdout.readline() == "in the middle\n"
        process.send_signal(signal.SIGKILL)
    assert answers(path) == of(*range(20))
    update(path, ["rules/m-001.md"], [made(50)])
    assert answers(path) == of(0, *range(2, 20), 50)


def test_the_next_build_removes_what_a_killed_one_left_and_nothing_else(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    code = """
        def some():
            for number in range(5000):
                yield made(number)
            say("in the middle")
            sys.stdin.read()
        build(sys.argv[1], some())
    """
    running = child(code, path)
    with child(code, path) as killed:
        for process in (running, killed):
            assert process.stdout
            assert process.stdout.readline() == "in the middle\n"
        killed.send_signal(signal.SIGKILL)
    (tmp_path / "index.db.mine.new").write_bytes(b"")
    assert len(list(tmp_path.iterdir())) == 3

    build(path, [made(1)])
    left = sorted(os.listdir(tmp_path))
    assert [name.split(".")[2] for name in left if name.endswith(".new")] == [str(running.pid), "mine"]
    running.communicate("", timeout=60)
    assert sorted(os.listdir(tmp_path)) == ["index.db", "index.db.mine.new"]
    assert answers(path)


def test_two_threads_that_build_at_once_do_not_meet(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    both = threading.Barrier(2, timeout=60)

    def some(first: int) -> Iterator[tuple[str, str, Memory]]:
        yield made(first)
        both.wait()
        yield made(first + 1)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda first: build(path, some(first)), (10, 20))) == [2, 2]
    assert answers(path) in (of(10, 11), of(20, 21))
    assert os.listdir(tmp_path) == ["index.db"]


def test_a_reader_undoes_what_a_process_that_was_killed_had_written_into_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(20)])
    before = answers(path)
    # So small a cache puts pages into the file before the commit, and a journal beside it that undoes them.
    code = """
        import sqlite3

        connection = sqlite3.connect(sys.argv[1], isolation_level=None)
        connection.execute("pragma cache_size = 1")
        connection.execute("begin immediate")
        connection.execute("update memories set title = hex(randomblob(5000))")
        say("in the middle")
        sys.stdin.read()
    """
    with child(code, path) as process:
        assert process.stdout
        assert process.stdout.readline() == "in the middle\n"
        process.send_signal(signal.SIGKILL)
    assert os.path.getsize(f"{path}-journal") > 0
    assert answers(path) == before
    with Database(path) as index:
        assert index.count == 20


def test_kills_at_any_moment_leave_a_state_that_was_written(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    rng = random.Random(7)
    build(path, [made(number) for number in range(5)])
    code = """
        for number in range(int(sys.argv[2]), 200):
            update(sys.argv[1], [], [made(number)])
            say(number + 1)
    """
    count = 5
    for _ in range(8):
        with child(code, path, str(count)) as process:
            assert process.stdout
            for _ in range(rng.randrange(1, 8)):
                count = int(process.stdout.readline())
            for _ in range(rng.randrange(20_000)):  # any moment of the next update
                pass
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().splitlines()
            count = int(rest[-1]) if rest else count
        with Database(path) as index:
            written = index.count
        assert written in (count, count + 1)  # an update may be done and not yet be said
        count = written
        assert answers(path) == of(*range(count))


def test_a_build_beside_an_update_wins_or_loses_as_a_whole(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(20)])

    def while_another_updates() -> Iterator[tuple[str, str, Memory]]:
        yield made(1)
        update(path, [], [made(30)])
        yield made(2)

    build(path, while_another_updates())
    assert answers(path) == of(1, 2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "index.db"
    build(str(path), [made(number) for number in range(60)])
    return path.read_bytes()


def changed(data: bytes, damage: str) -> bytes:
    rng = random.Random(damage)
    kind = damage.partition(" ")[0]
    if kind == "cut":
        return data[: rng.randrange(len(data))]
    mutable = bytearray(data)
    if kind == "bytes":
        for _ in range(rng.choice((1, 5, 50))):
            mutable[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == "zeros":
        at = rng.randrange(len(data))
        mutable[at : at + 2000] = bytes(len(mutable[at : at + 2000]))
    return bytes(mutable)


@pytest.mark.parametrize("damage", [f"{kind} {number}" for kind in ("cut", "bytes", "zeros") for number in range(15)])
def test_damage_anywhere_is_an_answer_or_one_kind_of_error(tmp_path: Path, whole: bytes, damage: str) -> None:
    path = str(tmp_path / "index.db")
    with open(path, "wb") as file:
        file.write(changed(whole, damage))
    start = time.monotonic()
    for attempt in (lambda: answers(path), lambda: update(path, ["rules/m-003.md"], [made(99)])):
        try:
            attempt()
        except SqliteError:
            continue
    assert time.monotonic() - start < READER_LIMIT + WRITER_LIMIT


@pytest.mark.parametrize("damage", ["missing", "empty", "garbage", "folder", "newer", "other byte order"])
def test_a_file_that_is_no_index_of_ours_is_refused_by_readers_and_updates(
    tmp_path: Path, whole: bytes, damage: str
) -> None:
    path = str(tmp_path / "index.db")
    versions = {"newer": VERSION + 2, "other byte order": VERSION ^ 1}
    if damage == "folder":
        os.mkdir(path)
    elif damage in versions:
        with open(path, "wb") as file:
            file.write(whole[:60] + versions[damage].to_bytes(4, "big") + whole[64:])
    elif damage != "missing":
        with open(path, "wb") as file:
            file.write(b"" if damage == "empty" else random.Random(1).randbytes(40_000))
    with pytest.raises(SqliteError):
        answers(path)
    with pytest.raises(SqliteError):
        update(path, [], [made(1)])
    if damage != "folder":
        build(path, [made(1)])
        assert answers(path) == of(1)


@pytest.mark.parametrize("lock", ["immediate", "exclusive"])
def test_a_lock_that_another_holds_makes_nobody_wait_long(tmp_path: Path, lock: str) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(20)])
    other = sqlite.connect(path, isolation_level=None)
    try:
        other.execute(f"begin {lock}")
        start = time.monotonic()
        if lock == "immediate":  # a writer that has not come to its commit
            assert answers(path) == of(*range(20))
        else:
            with pytest.raises(SqliteError, match="locked"):
                answers(path)
        assert time.monotonic() - start < READER_LIMIT
        start = time.monotonic()
        with pytest.raises(SqliteError, match="locked"):
            update(path, [], [made(30)])
        assert time.monotonic() - start < WRITER_LIMIT
    finally:
        other.close()
    update(path, [], [made(30)])
    assert answers(path) == of(*range(20), 30)


def test_a_read_only_index_still_answers(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(20)])
    os.chmod(path, 0o400)
    os.chmod(tmp_path, 0o500)
    try:
        assert answers(path) == of(*range(20))
    finally:
        os.chmod(tmp_path, 0o700)


def test_what_fails_while_memories_are_read_is_no_damage_of_the_index(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(1)])

    def broken() -> Iterator[tuple[str, str, Memory]]:
        yield made(2)
        raise ValueError("a memory that cannot be read")

    with pytest.raises(ValueError, match="cannot be read"):
        update(path, [], broken())
    assert answers(path) == of(1)


def test_a_build_waits_for_the_commit_of_an_update_so_that_nothing_vanishes_under_it(tmp_path: Path) -> None:
    path = str(tmp_path / "index.db")
    build(path, [made(number) for number in range(20)])
    # The update has a journal beside the file, and commits it while the build comes to its end.
    code = """
        import threading
        from engram.index import writing

        write_sequences = writing._write_sequences
        def slowly(*given):
            write_sequences(*given)
            say("in the middle")
            sys.stdin.readline()
        writing._write_sequences = slowly
        update(sys.argv[1], [], [made(30)])
        say("committed")
    """
    with child(code, path) as updating:
        assert updating.stdin
        assert updating.stdout
        assert updating.stdout.readline() == "in the middle\n"

        def memories() -> Iterator[tuple[str, str, Memory]]:
            yield made(1)
            assert updating.stdin
            updating.stdin.write("\n")
            updating.stdin.flush()

        build(path, memories())
        assert updating.stdout.readline() == "committed\n"
    assert answers(path) == of(1)
    assert os.listdir(tmp_path) == ["index.db"]
