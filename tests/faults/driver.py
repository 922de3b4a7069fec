"""Runs one real command again and again, each time with a fault at another of its calls of the operating system.

A test starts this file as a program of its own, with a job in JSON on standard input, and reads what became of each
run. Nothing in Engram knows of it: in a forked child the functions of ``os`` are replaced, then the real program's
``main`` runs. What it counts are the calls that touch the folder of the job, but for ``.cache/``, which is derived.
"""

from __future__ import annotations

import builtins
import errno
import json
import os
import shutil
import signal
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}
READERS = (
    "open", "read", "pread", "readinto", "scandir", "listdir", "stat", "lstat", "fstat", "access", "readlink",
)  # fmt: skip
WRITERS = (
    "open", "write", "pwrite", "ftruncate", "truncate", "fsync", "fdatasync", "fchmod", "chmod", "utime", "replace",
    "rename", "link", "symlink", "unlink", "remove", "rmdir", "mkdir", "close",
)  # fmt: skip
NAMES = tuple(name for name in dict.fromkeys((*READERS, *WRITERS)) if hasattr(os, name))
# A disk that is full stops no reader, and nothing but a broken disk makes a close fail.
READ_ERRORS = ("EIO", "EACCES")


class Faults:
    """Counts the calls below a folder, and makes one of them go wrong.

    Args:
        base: the folder.
        at: the number of the call, from 0; -1 for none.
        fault: ``kill``, the name of an error, ``short`` (half of a write arrives), ``lie`` (half of it, and all is
            said to be there), ``torn`` (half of it, then the process dies), or ``lost`` (a rename is not on disk when
            the process dies at the next fsync of a folder).
    """

    def __init__(self, base: str, at: int, fault: str) -> None:
        self.calls: list[str] = []
        self._base = base + os.sep
        self._at = at
        self._fault = fault
        self._files: dict[int, str] = {}
        self._dies_at_fsync = False
        self._real = {name: getattr(os, name) for name in NAMES}

    def install(self) -> None:
        """Put this in place of the functions of ``os``, for this process."""
        for name in NAMES:
            setattr(os, name, self._wrapped(name, self._real[name]))
        builtins.open = self._wrapped("open", builtins.open, remember=False)

    def _wrapped(self, name: str, real: Callable[..., Any], *, remember: bool = True) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            place = self._place(name, args)
            if place is None:
                return real(*args, **options)
            number = len(self.calls)
            self.calls.append(name)
            if self._dies_at_fsync and name == "fsync" and os.path.isdir(place):
                os.kill(os.getpid(), signal.SIGKILL)
            if number == self._at:
                done, value = self._fail(name, real, args)
                if done:
                    return value
            value = real(*args, **options)
            if name == "open" and remember:
                self._files[value] = place
            if name == "close":
                del self._files[args[0]]
            return value

        return call

    def _fail(self, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
        if self._fault in ERRORS:
            code = ERRORS[self._fault]
            if name == "access":
                return True, False
            if name == "close":  # the number is free again all the same
                real(*args)
                del self._files[args[0]]
            raise OSError(code, os.strerror(code), *(arg for arg in args[:1] if isinstance(arg, str)))
        if self._fault in {"short", "torn", "lie"} and name == "write":
            data = bytes(args[1])
            value = real(args[0], data[: max(1, len(data) // 2)], *args[2:])
            if self._fault == "torn":
                os.kill(os.getpid(), signal.SIGKILL)
            return True, len(data) if self._fault == "lie" else value
        if self._fault == "lost" and name in {"replace", "rename"}:
            self._dies_at_fsync = True
            return True, None
        os.kill(os.getpid(), signal.SIGKILL)
        return False, None

    def _place(self, name: str, args: tuple[Any, ...]) -> str | None:
        first = args[0] if args else "."
        path = self._files.get(first) if isinstance(first, int) else first
        if isinstance(path, os.PathLike):
            path = os.fspath(path)
        if not isinstance(path, str) or (name == "open" and not os.path.isabs(path)):
            return None
        inside = path.startswith(self._base) and f"{os.sep}.cache" not in path
        return path if inside else None


def program(words: list[str]) -> int:
    """Run the real program of these words: ``engram``, or with ``engram-mcp`` first the server."""
    if words[0] == "engram-mcp":
        from engram.mcp.server import run as serve

        return serve([])
    from engram.cli import main

    return main(words)


def run(job: dict[str, Any], words: list[str], given: str, at: int = -1, fault: str = "") -> dict[str, Any]:
    """Run a command in a forked child, and return its exit code (-9 for a killed one), its output and its calls."""
    out, said = os.pipe(), os.pipe()
    feed = os.pipe()
    os.write(feed[1], given.encode())
    child = os.fork()
    if child == 0:
        os.dup2(feed[0], 0)
        os.dup2(out[1], 1)
        os.dup2(out[1], 2)
        os.closerange(3, said[1])
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        os.close(feed[1]) if feed[1] > said[1] else None
        faults = Faults(job["base"], at, fault)
        write, exit_now = os.write, os._exit
        faults.install()
        code = 70
        try:
            code = program(words)
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            if at < 0:
                write(said[1], json.dumps(faults.calls).encode())
            exit_now(code)
    for end in (feed[0], out[1], said[1]):
        os.close(end)
    # A host that wants its answers waits for them before it closes: a second later a server is gone (C30).
    wanted = given.count("\n") if words[0] == "engram-mcp" else 0
    shown = b""
    while shown.count(b'"jsonrpc"') < wanted and (chunk := os.read(out[0], 1 << 16)):
        shown += chunk
    os.close(feed[1])
    with open(out[0], "rb") as stream, open(said[0], "rb") as calls:
        text = (shown + stream.read()).decode("utf-8", "replace")
        made = calls.read()
    _, status = os.waitpid(child, 0)
    return {"code": os.waitstatus_to_exitcode(status), "text": text, "calls": json.loads(made or b"[]")}


def state(root: str) -> dict[str, str]:
    """Return the durable files of a memory root, with their text."""
    found = {}
    for folder in ("rules", "skills", "knowledge", "archive", "working", "inbox"):
        for here, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                path = os.path.join(here, name)
                with open(path, encoding="utf-8", newline="") as file:
                    found[os.path.relpath(path, root)] = file.read()
    if os.path.exists(os.path.join(root, "SHA256SUMS")):
        with open(os.path.join(root, "SHA256SUMS"), encoding="utf-8", newline="") as file:
            found["SHA256SUMS"] = file.read()
    return found


def plan(calls: list[str], most: int) -> list[tuple[int, str]]:
    """Return which fault goes to which call: each one gets a death and an error, spread where there are too many."""
    every: list[tuple[int, str]] = []
    for number, name in enumerate(calls):
        errors = ("EIO",) if name == "close" else tuple(ERRORS) if name in WRITERS else READ_ERRORS
        every.append((number, errors[number % len(errors)]))
        if name in WRITERS:
            every.append((number, "kill"))
        if name == "write":
            every += [(number, "short"), (number, "lie"), (number, "torn"), (number, "ENOSPC")]
        if name in {"replace", "rename"}:
            every.append((number, "lost"))
    every = list(dict.fromkeys(every))
    step = max(1, -(-len(every) // most))
    return every[::step]


def main() -> None:
    """Read a job, run it, and print what became of each run."""
    job = json.load(sys.stdin)
    base, root, kept = job["base"], job["root"], job["base"] + ".kept"
    words, given = job["words"], job["input"]
    os.chdir(job["cwd"])
    shutil.copytree(base, kept, symlinks=True)

    def restore() -> None:
        os.chdir("/")
        shutil.rmtree(base)
        shutil.copytree(kept, base, symlinks=True)
        os.chdir(job["cwd"])

    before = state(root)
    clean = run(job, words, given)
    after = state(root)
    results: list[dict[str, Any]] = []
    for at, fault in plan(clean["calls"], job["most"]):
        restore()
        done = run(job, words, given, at, fault)
        result = {"at": at, "call": clean["calls"][at], "fault": fault, "code": done["code"], "text": done["text"]}
        result["crashed"] = state(root)
        result["heal"] = run(job, ["list"], "")
        result["healed"] = state(root)
        if fault == "kill":
            result["status"] = json.loads(run(job, ["status", "--json"], "")["text"])
        result["journal"] = os.path.exists(os.path.join(root, ".journal", "open.json"))
        if len(results) % job["again"] == 0:
            result["again"] = run(job, words, given)
            result["at_last"] = state(root)
            result["once_more"] = run(job, words, given)
            result["at_the_end"] = state(root)
        results.append(result)
    os.chdir("/")
    shutil.rmtree(kept)
    json.dump({"before": before, "after": after, "clean": clean, "results": results}, sys.stdout)


if __name__ == "__main__":
    main()
