"""How fast recall is as memory grows: ``python -m benchmarks.recall_speed [--sizes 1000,10000,100000]``.

Every figure stands beside the limit that the project promises, in the size's column; the exit code is 1 when one is
missed. Times that people wait for in a fresh process are ratios to the bare interpreter's start ``P``, of the minima of
runs in turns; a task is the words of one memory's title.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.cold import environment, install, workspace
from benchmarks.measure import RUNS, compare, run_once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WARM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "warm.py")
TASKS = 60
REBUILDS = 3


class Limits(NamedTuple):
    """What is promised for one number of memories: ratios to ``P``, milliseconds, seconds, megabytes (10⁶ bytes)."""

    unchanged: float
    after_save: float
    warm: float
    rebuild: float
    peak: float


LIMITS = {
    1_000: Limits(unchanged=3, after_save=3.5, warm=3, rebuild=0.5, peak=30),
    10_000: Limits(unchanged=4, after_save=5, warm=8, rebuild=3, peak=35),
    100_000: Limits(unchanged=8, after_save=14, warm=40, rebuild=40, peak=60),
}
LINES = {
    "unchanged": ('cold `engram load "<task>"`, nothing changed', "P"),
    "after_save": ("the same after one save by another process", "P"),
    "warm": ("warm load in a long-lived process, p50", "ms"),
    "rebuild": ("rebuild from nothing", "s"),
    "peak": ("peak memory of a cold load", "MB"),
}


def main() -> int:
    """Measure, print the table, and return 1 where a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall_speed", description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=sizes, default=tuple(LIMITS), help="numbers of memories, with commas between")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"turns of each command; default: {RUNS}")
    options = parser.parse_args()
    if sys.platform == "win32":
        parser.error("peak memory is read with wait4, which Windows does not have")
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as folder:
        found = measure(folder, install(folder), options.sizes, options.runs)
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; ratios are of the minima")
    print(table(found))
    return 0 if kept(found) else 1


def sizes(text: str) -> tuple[int, ...]:
    """Return the sizes that a person named; raise ValueError for one that nothing is promised for."""
    chosen = tuple(int(word) for word in text.split(","))
    if unknown := set(chosen) - set(LIMITS):
        raise argparse.ArgumentTypeError(f"limits are there for {', '.join(map(str, LIMITS))}, not for {min(unknown)}")
    return chosen


def measure(folder: str, programs: str, chosen: Sequence[int], runs: int = RUNS) -> dict[int, Limits]:
    """Return the figures by number of memories, each where its limit stands; ``programs`` is what ``install`` gave."""
    env = environment(folder)
    found = {}
    for size in chosen:
        engram = os.path.join(programs, "engram")
        project, ids = workspace(folder, engram, env, size)
        found[size] = _measure(project, tasks_of(ids), programs, env, runs)
        shutil.rmtree(project)
    return found


def kept(found: Mapping[int, Limits]) -> bool:
    """Say whether every figure is within its limit."""
    return all(figure <= most for size in found for figure, most in zip(found[size], LIMITS[size], strict=True))


def table(found: Mapping[int, Limits]) -> str:
    """Return the figures as a Markdown table, the limit beside each; what misses it is marked."""
    rows = [["what", *(f"at {size:,}" for size in found)], ["---"] * (len(found) + 1)]
    for name, (what, unit) in LINES.items():
        cells = []
        for size, figures in found.items():
            figure, most = getattr(figures, name), getattr(LIMITS[size], name)
            cells.append(f"{figure:.2f} {unit} (≤ {most:g} {unit})" + ("" if figure <= most else " MISSED"))
        rows.append([what, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _measure(project: str, tasks: Sequence[str], programs: str, env: Mapping[str, str], runs: int) -> Limits:
    engram, python = os.path.join(programs, "engram"), os.path.join(programs, "python")
    bare = [python, "-c", "pass"]

    def load(turn: int) -> list[str]:
        return [engram, "load", tasks[turn % len(tasks)]]

    def load_after_save(turn: int) -> list[str]:
        text = f"Depot {turn + 101} opens its gate only for vans of its own town."
        run_once([engram, "save", "rule", text], env=env, cwd=project, answer="A\n")
        return load(turn)

    rebuilds = []
    for turn in range(REBUILDS):
        shutil.rmtree(os.path.join(project, ".agents", ".engram", ".cache"), ignore_errors=True)
        rebuilds.append(run_once(load(turn), env=env, cwd=project).seconds)
    unchanged = compare("", load, bare, env=env, cwd=project, runs=runs)
    warm = subprocess.run(
        [python, WARM, project, *tasks], env=env, cwd=project, capture_output=True, encoding="utf-8", check=True
    )
    after_save = compare("", load_after_save, bare, env=env, cwd=project, runs=runs)
    return Limits(unchanged.ratio, after_save.ratio, float(warm.stdout), min(rebuilds), unchanged.peak)


def tasks_of(ids: Sequence[str]) -> list[str]:
    """Return the words of some titles, from all over the memory."""
    step = max(1, len(ids) // TASKS)
    return [" ".join(word for word in name.split("-") if not word.isdigit()) for name in ids[::step][:TASKS]]


if __name__ == "__main__":
    sys.exit(main())
