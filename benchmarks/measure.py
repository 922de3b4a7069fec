"""Measure a command against the start of the bare interpreter, in turns, so that both see the same machine."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
RUNS = 21


class Run(NamedTuple):
    """What one run of a program took: seconds, and its peak memory in MB (10⁶ bytes)."""

    seconds: float
    megabytes: float


class Result(NamedTuple):
    """A command beside the bare interpreter ``P``, over the same turns.

    ``ratio`` is the minimum of the command over the minimum of ``P``; ``limit`` is the ratio that it has to keep, and
    ``memory_limit`` the peak in MB; 0 means none.
    """

    name: str
    runs: tuple[Run, ...]
    bare: tuple[Run, ...]
    limit: float
    memory_limit: float

    @property
    def ratio(self) -> float:
        """Return the ratio of the minima."""
        return min(run.seconds for run in self.runs) / min(run.seconds for run in self.bare)

    @property
    def median_ratio(self) -> float:
        """Return the ratio of the medians."""
        return median(self.runs) / median(self.bare)

    @property
    def peak(self) -> float:
        """Return the highest peak memory of all runs, in MB."""
        return max(run.megabytes for run in self.runs)

    @property
    def kept(self) -> bool:
        """Say whether both limits are kept."""
        return (not self.limit or self.ratio <= self.limit) and (not self.memory_limit or self.peak < self.memory_limit)


def median(runs: Sequence[Run]) -> float:
    """Return the median time of some runs, in seconds."""
    return statistics.median(run.seconds for run in runs)


def run_once(command: Sequence[str], *, env: Mapping[str, str], cwd: str, answer: str = "", child: str = CHILD) -> Run:
    """Run a command once, with ``answer`` on its standard input; ``child`` is the script that measures it.

    Raises:
        RuntimeError: when the command fails; a failing command is not to be measured.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", child, answer, *command],
        env=env,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    nanoseconds, code, kib = (int(word) for word in done.stdout.split())
    if code:
        raise RuntimeError(f"{' '.join(command)} ended with exit code {code}: {done.stderr.strip()}")
    return Run(nanoseconds / 1e9, kib * 1024 / 1e6)


def compare(
    name: str,
    command: Callable[[int], Sequence[str]],
    bare: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    answer: str = "",
    limit: float = 0,
    memory_limit: float = 0,
    runs: int = RUNS,
) -> Result:
    """Run a command and the bare interpreter in turns, after one unmeasured run of each.

    Args:
        name: what the table calls it.
        command: gives the command line of turn N; turn -1 is the unmeasured one.
        bare: the command line of ``P``.
        env: the environment of both.
        cwd: the folder both run in.
        answer: what the command reads from a pipe.
        limit: the greatest ratio of the minima allowed; 0 for none.
        memory_limit: the peak memory in MB that it has to stay below; 0 for none.
        runs: how many turns.
    """
    measured: list[Run] = []
    beside: list[Run] = []
    for turn in range(-1, runs):
        one = run_once(bare, env=env, cwd=cwd)
        other = run_once(command(turn), env=env, cwd=cwd, answer=answer)
        if turn >= 0:
            beside.append(one)
            measured.append(other)
    return Result(name, tuple(measured), tuple(beside), limit, memory_limit)


def table(results: Sequence[Result]) -> str:
    """Return the results as a table, the bare interpreter of all turns first."""
    bare = [run for result in results for run in result.bare]
    rows = [("", "ratio", "limit", "of medians", "best", "median", "peak", "")]
    everything = Result("P (-c pass)", tuple(bare), tuple(bare), 0, 0)
    for result in (everything, *results):
        limits = [f"{result.limit:g} P"] if result.limit else []
        limits += [f"< {result.memory_limit:g} MB"] if result.memory_limit else []
        rows.append(
            (
                result.name,
                f"{result.ratio:.2f}",
                ", ".join(limits),
                f"{result.median_ratio:.2f}",
                f"{min(run.seconds for run in result.runs) * 1000:.1f} ms",
                f"{median(result.runs) * 1000:.1f} ms",
                f"{result.peak:.1f} MB",
                "" if not limits else "kept" if result.kept else "BROKEN",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column in {0, 7} else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)
