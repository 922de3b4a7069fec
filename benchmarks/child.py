"""Run one program once and print what it took: ``NANOSECONDS EXIT_CODE PEAK_KIB``.

    python -I -S child.py INPUT PROGRAM ARGUMENT…

A process of its own measures each run, because Linux counts the peak of the process that starts a child as the child's
own until the child has grown past it: the process in between has to be small. INPUT is what the child reads from a
pipe; its output is thrown away, its errors are not. POSIX only.
"""

import os
import sys
import time


def main() -> None:
    """Start the program, wait for it, print one line."""
    _, answer, *command = sys.argv
    read, write = os.pipe()
    os.write(write, answer.encode())
    os.close(write)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, read, 0), (os.POSIX_SPAWN_DUP2, nowhere, 1)]
    start = time.perf_counter_ns()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    took = time.perf_counter_ns() - start
    kib = usage.ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    print(took, os.waitstatus_to_exitcode(status), kib)


if __name__ == "__main__":
    main()
