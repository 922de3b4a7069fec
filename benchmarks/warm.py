"""Load again and again in one process and print the median in milliseconds: ``python warm.py PROJECT TASK…``.

It runs with the interpreter that Engram is installed for, and goes through the public Python API alone.
"""

import statistics
import sys
import time

import engram


def main() -> None:
    """Load each task twice, after the first five that warm the process up; print the median of all."""
    _, project, *tasks = sys.argv
    session = engram.open_memory(project)
    for task in tasks[:5]:
        engram.load(session, task)
    took = []
    for task in (*tasks, *tasks):
        start = time.perf_counter()
        engram.load(session, task)
        took.append(time.perf_counter() - start)
    print(statistics.median(took) * 1000)


if __name__ == "__main__":
    main()
