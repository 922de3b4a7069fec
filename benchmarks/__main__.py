"""``python -m benchmarks``: print the tables; exit code 1 when a limit is broken."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile

from benchmarks import cold, mcp, recall_speed
from benchmarks.measure import RUNS, table


def main() -> int:
    """Measure everything that the project promises about its speed, and print it beside the limits."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"turns of each command; default and least: {RUNS}")
    parser.add_argument(
        "--sizes", type=recall_speed.sizes, default=tuple(recall_speed.LIMITS), help="numbers of memories for recall"
    )
    options = parser.parse_args()
    if sys.platform == "win32":
        parser.error("peak memory is read with wait4, which Windows does not have")
    runs = max(options.runs, RUNS)
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as folder:
        programs = cold.install(folder)
        results = cold.measure(folder, programs, runs)
        recall = recall_speed.measure(folder, programs, options.sizes, runs)
        server = mcp.measure(folder, programs, runs)
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; ratios are of the minima")
    print(table(results))
    print(f"\nRecall\n\n{recall_speed.table(recall)}")
    print(f"\nMCP\n\n{mcp.table(server)}")
    kept = all(result.kept for result in results) and recall_speed.kept(recall) and mcp.kept(server)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
