"""The benchmarks measure what they say: the generated memory is a real one, and a broken limit shows."""

from __future__ import annotations

import hashlib
import os
import sys
from typing import TYPE_CHECKING

import pytest
from benchmarks.mcp import HOST, Figure, kept
from benchmarks.mcp import table as figures
from benchmarks.measure import Result, Run, compare, run_once, table
from benchmarks.memories import fill

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner


def test_generated_memories_are_the_same_every_time_and_in_the_ledger(tmp_path: Path) -> None:
    ids = fill(str(tmp_path / "a"), 120)
    fill(str(tmp_path / "b"), 120)

    assert len(set(ids)) == 120
    ledger = (tmp_path / "a" / "SHA256SUMS").read_bytes()
    assert ledger == (tmp_path / "b" / "SHA256SUMS").read_bytes()
    for line in ledger.decode("utf-8").splitlines():
        digest, path = line.split("  ", 1)
        assert hashlib.sha256((tmp_path / "a" / path).read_bytes()).hexdigest() == digest


def test_engram_accepts_each_generated_memory(engram: Runner) -> None:
    engram.ok("inject")
    ids = fill(os.path.join(engram.cwd, ".agents", ".engram"), 60)

    engram.ok("verify")
    for name in (ids[0], ids[19], ids[40]):
        assert name in engram.ok("show", name)


def test_a_limit_is_kept_by_the_ratio_of_the_minima_and_broken_above_it() -> None:
    bare = (Run(0.010, 9.0), Run(0.030, 9.0))
    runs = (Run(0.025, 20.0), Run(0.095, 39.0))

    assert Result("x", runs, bare, 2.5, 40).kept
    assert not Result("x", runs, bare, 2.4, 40).kept
    assert not Result("x", runs, bare, 2.5, 39).kept
    assert table([Result("x", runs, bare, 2.4, 40)]).splitlines()[-1].split() == [
        "x", "2.50", "2.4", "P,", "<", "40", "MB", "3.00", "25.0", "ms", "60.0", "ms", "39.0", "MB", "BROKEN",
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="wait4 is POSIX")
def test_a_command_that_fails_is_not_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", "-c", "raise SystemExit('no such memory')"]

    with pytest.raises(RuntimeError, match="exit code 1: no such memory"):
        run_once(command, env={}, cwd=str(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="wait4 is POSIX")
def test_a_run_counts_the_childs_own_memory_and_reads_the_answer(tmp_path: Path) -> None:
    code = "import sys; assert sys.stdin.read() == 'A\\n'; x = bytearray(60_000_000)"
    bare = [sys.executable, "-I", "-S", "-c", "pass"]

    result = compare(
        "big", lambda _turn: [*bare[:-1], code], bare, env={}, cwd=str(tmp_path), answer="A\n", runs=1
    )  # fmt: skip

    assert 60 < result.peak < 120
    assert result.bare[0].megabytes < 40


@pytest.mark.skipif(sys.platform == "win32", reason="posix_spawn is POSIX")
def test_a_start_is_measured_until_the_first_answer_and_the_server_has_to_end(tmp_path: Path) -> None:
    server = "import sys; print(sys.stdin.readline(), end='', flush=True); sys.stdin.read(); sys.exit({})"
    command = [sys.executable, "-I", "-S", "-c"]
    measured = run_once([*command, server.format(0)], env={}, cwd=str(tmp_path), answer='{"id":1}', child=HOST)

    assert measured.seconds > 0
    assert 1 < measured.megabytes < 1000
    with pytest.raises(RuntimeError, match="exit code 3"):
        run_once([*command, server.format(3)], env={}, cwd=str(tmp_path), answer="{}", child=HOST)


def test_a_limit_of_the_server_is_kept_up_to_it_or_from_it_on_and_a_miss_shows() -> None:
    kept_ones = [Figure("a", 2.5, 2.5, "P"), Figure("b", 1000, 1000, "a second", least=True)]
    missed = [Figure("a", 2.51, 2.5, "P"), Figure("b", 999, 1000, "a second", least=True)]

    assert kept(kept_ones)
    assert "MISSED" not in figures(kept_ones)
    for figure in missed:
        assert not kept([*kept_ones, figure])
        assert figures([figure]).splitlines()[-1].count("MISSED") == 1
