"""What ``engram-mcp`` costs its host: ``python -m benchmarks.mcp``.

Every figure stands beside the limit that the project promises; the exit code is 1 when one is missed. A start is
measured from the spawn to the first answer, as a ratio to the bare interpreter's start ``P``, of the minima of runs in
turns: in a project without memory, and where thousands of them wait without an index. The server of the protocol's own
project for the same job takes its turns among them where npm can install it: started with ``node`` alone, not with
``npx``, which is the fastest it can be.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from benchmarks.cold import environment, install, workspace
from benchmarks.host import resident_kib
from benchmarks.measure import RUNS, Run, run_once
from benchmarks.recall_speed import tasks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "host.py")
OTHER = "@modelcontextprotocol/server-memory"
SMALL, LARGE = 1_000, 10_000
LOADS, CALLS, ROUNDS = 50, 500, 5
CLIENT = {"name": "benchmarks", "version": "1"}
REQUESTS: dict[str, dict[str, Any]] = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
    "server/discover": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


class Figure(NamedTuple):
    """One line of the table; ``least`` says that the limit is the least and not the most."""

    what: str
    value: float
    limit: float
    unit: str
    least: bool = False

    @property
    def kept(self) -> bool:
        """Say whether the limit is kept."""
        return self.value >= self.limit if self.least else self.value <= self.limit


def main() -> int:
    """Measure, print the table, and return 1 where a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mcp", description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS, help=f"turns of each start; default: {RUNS}")
    options = parser.parse_args()
    if sys.platform == "win32":
        parser.error("resident memory is read from /proc or ps, which Windows does not have")
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as folder:
        found = measure(folder, install(folder), options.runs)
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; ratios are of the minima")
    print(table(found))
    return 0 if kept(found) else 1


def measure(folder: str, programs: str, runs: int = RUNS) -> list[Figure]:
    """Return all figures; ``programs`` is what ``install`` gave."""
    env = environment(folder)
    engram, server = (os.path.join(programs, name) for name in ("engram", "engram-mcp"))
    empty = os.path.join(folder, "empty")
    os.makedirs(empty)
    small, _ = workspace(folder, engram, env, SMALL)
    large, ids = workspace(folder, engram, env, LARGE)
    found = _starts(programs, {0: empty, SMALL: small, LARGE: large}, _other_server(folder), env, runs)
    with Talk([server], env, small) as talk:
        tools = talk.ask("tools/list")["tools"]
        size = len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())
        talk.call("engram_status")
        rates = [CALLS / talk.timed(lambda: [talk.call("engram_status") for _ in range(CALLS)]) for _ in range(ROUNDS)]
    tasks = tasks_of(ids)
    with Talk([server], env, large) as talk:
        for task in tasks[:5]:
            talk.call("engram_load", query=task)
        took = [talk.timed(lambda task=task: talk.call("engram_load", query=task)) for task in tasks[:LOADS]]  # type: ignore[misc]
        resident = resident_kib(talk.process.pid) * 1024 / 1e6
    return [
        *found,
        Figure(f"resident after {LOADS} loads, {LARGE:,} memories", resident, 60, "MB"),
        Figure("`tools/list`", size / 1024, 8, "KiB"),
        Figure(f"warm `engram_status`, {SMALL:,} memories", max(rates), 1000, "a second", least=True),
        Figure(f"warm `engram_load`, {LARGE:,} memories, p50", statistics.median(took) * 1000, 8, "ms"),
    ]


def kept(found: Sequence[Figure]) -> bool:
    """Say whether every figure is within its limit."""
    return all(figure.kept for figure in found)


def table(found: Sequence[Figure]) -> str:
    """Return the figures as a Markdown table, the limit beside each; what misses it is marked."""
    lines = ["| `engram-mcp` | measured | limit |", "| --- | --- | --- |"]
    for figure in found:
        limit = f"{'≥' if figure.least else '≤'} {figure.limit:g} {figure.unit}"
        value = f"{figure.value:.2f} {figure.unit}" + ("" if figure.kept else " MISSED")
        lines.append(f"| {figure.what} | {value} | {limit} |")
    return "\n".join(lines)


def _starts(
    programs: str, projects: Mapping[int, str], other: Sequence[str], env: Mapping[str, str], runs: int
) -> list[Figure]:
    """Measure starts in turns: the bare interpreter, each opening in each project, and the other server."""
    server = os.path.join(programs, "engram-mcp")
    bare: list[Run] = []
    ours: dict[tuple[str, int], list[Run]] = {(method, size): [] for method in REQUESTS for size in projects}
    theirs: list[Run] = []
    for _ in range(runs + 1):
        bare.append(run_once([os.path.join(programs, "python"), "-c", "pass"], env=env, cwd=projects[0]))
        for (method, size), measured in ours.items():
            measured.append(_start([server], method, env, projects[size]))
        if other:
            theirs.append(_start(other, "initialize", {**env, "MEMORY_FILE_PATH": os.devnull}, projects[0]))
    least = _least(bare)
    figures = [
        Figure(f"spawn to `{method}`, {size:,} memories", _least(measured) / least, 2.5, "P")
        for (method, size), measured in ours.items()
    ]
    if theirs:
        slowest = max(_least(measured) for (method, _), measured in ours.items() if method == "initialize")
        figures.append(Figure(f"times as fast to start as {OTHER}", _least(theirs) / slowest, 3, "×", least=True))
    highest = max(run.megabytes for measured in ours.values() for run in measured)
    return [*figures, Figure("resident after the handshake", highest, 20, "MB")]


def _start(command: Sequence[str], method: str, env: Mapping[str, str], cwd: str) -> Run:
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": REQUESTS[method]})
    return run_once(command, env=env, cwd=cwd, answer=request, child=HOST)


def _least(runs: Sequence[Run]) -> float:
    """Return the shortest time but for that of the first turn, which reads everything from the disk."""
    return min(run.seconds for run in runs[1:])


def _other_server(folder: str) -> list[str]:
    """Return the command of the other server, installed below a folder; none, with a line, where npm cannot have it."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm and node:
        home = os.path.join(folder, "npm")
        os.makedirs(home)
        words = [npm, "install", "--prefix", home, "--no-save", "--no-audit", "--no-fund", "--fetch-retries=1", OTHER]
        done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
        script = os.path.join(home, "node_modules", *OTHER.split("/"), "dist", "index.js")
        if done.returncode == 0 and os.path.exists(script):
            return [os.path.realpath(node), script]
    print(f"{OTHER} is left out: {'npm cannot install it' if npm and node else 'there is no node and npm'} here.")
    return []


class Talk:
    """A server that stays, asked one thing after the other."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd)
        self._number = 0
        self.ask("initialize", **REQUESTS["initialize"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.communicate()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request.

        Raises:
            RuntimeError: it was answered with an error; a failing call is not to be measured.
        """
        self._number += 1
        assert self.process.stdin
        assert self.process.stdout
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        result: dict[str, Any] = answer.get("result", {"isError": True})
        if result.get("isError"):
            raise RuntimeError(f"{method} failed: {answer}")
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that has to work, and return its result."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    @staticmethod
    def timed(do: Callable[[], object]) -> float:
        """Return how many seconds something takes."""
        start = time.perf_counter()
        do()
        return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
