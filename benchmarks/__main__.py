"""``python -m benchmarks``: print the table; exit code 1 when a limit is broken."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile

from benchmarks import cold
from benchmarks.measure import RUNS, table


def main() -> int:
    """Measure everything that the project promises about its speed, and print it beside the limits."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"turns of each command; default and least: {RUNS}")
    options = parser.parse_args()
    if sys.platform == "win32":
        parser.error("peak memory is read with wait4, which Windows does not have")
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as folder:
        results = cold.measure(folder, max(options.runs, RUNS))
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; ratios are of the minima")
    print(table(results))
    return 0 if all(result.kept for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
