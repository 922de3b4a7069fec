"""Start an MCP server once and print what it took until its first answer: ``NANOSECONDS EXIT_CODE RESIDENT_KIB``.

    python -I -S host.py REQUEST PROGRAM ARGUMENT…

REQUEST is one line of JSON. The memory is what the server holds when it has answered; then its input is closed, and it
has to end. As small a process as ``child.py``, which measures ``P``, and started in the same way. POSIX only.
"""

import os
import sys
import time


def main() -> None:
    """Start the server, ask, wait for the answer and for the end, print one line."""
    _, request, *command = sys.argv
    read, ask = os.pipe()
    answer, write = os.pipe()
    os.write(ask, request.encode() + b"\n")
    actions = [
        (os.POSIX_SPAWN_DUP2, read, 0),
        (os.POSIX_SPAWN_DUP2, write, 1),
        *((os.POSIX_SPAWN_CLOSE, end) for end in (read, ask, answer, write)),
    ]
    start = time.perf_counter_ns()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    os.close(write)
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(answer, 65536)
        if not part:
            raise SystemExit("the server ended without an answer")
        line += part
    took = time.perf_counter_ns() - start
    kib = resident_kib(child)
    os.close(ask)
    _, status = os.waitpid(child, 0)
    print(took, os.waitstatus_to_exitcode(status), kib)


def resident_kib(process: int) -> int:
    """Return the resident memory of a process."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    except OSError:  # macOS
        with os.popen(f"ps -o rss= -p {process}") as pipe:
            return int(pipe.read())


if __name__ == "__main__":
    main()
