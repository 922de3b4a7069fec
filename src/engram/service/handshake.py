"""Start a server as a host would, shake hands, and end it: whether a registered command works (C4)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from functools import partial

from engram.hosts.launch import shell_line
from engram.hosts.places import desktop_path
from engram.portable import WINDOWS, command_line
from engram.record import Record
from engram.service.launching import own_program
from engram.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["WAIT_S", "Handshake", "desktop_environment", "shake_hands"]

WAIT_S = 5.0
_GRACE_S = 1.0
_LONGEST_LINE = 1 << 20  # bytes; an answer to ``initialize`` has some hundred
_REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "engram-link", "version": __version__},
    },
}
# What activating an environment or a shell's start files set: a program from the desktop has none of it.
_DROPPED = ("VIRTUAL_ENV", "CONDA_", "PYTHON", "PYENV_", "UV_", "PIP_")


class Handshake(Record):
    """What came of starting a command: the name and version that the server gave, or the trouble and its remedy.

    ``command`` is the line that mends it; empty where none does everywhere.
    """

    name: str = ""
    version: str = ""
    trouble: str = ""
    remedy: str = "Install Engram again, then: engram upgrade"
    command: str = ""


def desktop_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment as a program has it that was started from the desktop."""
    kept = {name: value for name, value in environ.items() if not name.startswith(_DROPPED)}
    return {**kept, "PATH": desktop_path(environ)}


def shake_hands(words: Sequence[str], environ: Mapping[str, str], folder: str, wait: float = WAIT_S) -> Handshake:
    """Start a command of ours, wait for the answer to ``initialize``, and end it.

    Args:
        words: the command, which the caller knows to be one that Engram writes; ``uvx`` forms are not run.
        environ: the person's environment; the command gets what a program from the desktop has.
        folder: where to start it.
        wait: seconds until it counts as dead.
    """
    environment = desktop_environment(environ)
    line = shell_line(words)
    program = shutil.which(words[0], path=environment["PATH"])
    own = own_program(words[0])
    if program is None and os.path.isabs(words[0]):
        return Handshake(trouble=f"{words[0]} is not there, so no host can start it")
    if program is None:
        places = _short(environment["PATH"])
        remedy = f"Start the host from a shell, or put a link to {own} into one of these folders: {places}"
        return Handshake(
            trouble=f"a host started from the desktop would not find {words[0]} on its PATH",
            remedy=remedy,
            command=_linked_into(own, environment["PATH"]),
        )
    if not os.path.isabs(words[0]) and os.path.realpath(program) != os.path.realpath(own):
        remedy = f"Start the host from a shell, or put a link to {own} in the place of {program}"
        return Handshake(
            trouble=f"a host started from the desktop would start another program: {program}",
            remedy=remedy,
            command=command_line(["ln", "-sf", own, program]),
        )
    try:
        process = subprocess.Popen(  # noqa: S603 - a command of our own, arguments as a list
            [program, *words[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=folder,
            start_new_session=not WINDOWS,
        )
    except OSError as error:
        return Handshake(trouble=f"{line} would not start: {error.strerror}")
    try:
        return _judge(line, _first_line(process, wait), wait)
    finally:
        _end(process)


def _first_line(process: subprocess.Popen[bytes], wait: float) -> bytes | None:
    """Return the first line that the process writes; None when none comes in time."""
    assert process.stdin is not None
    assert process.stdout is not None
    lines: list[bytes] = []
    out = process.stdout

    def read() -> None:
        # Closed by who reads: to close it elsewhere would wait for a line that a child of the process keeps open.
        with out:
            lines.append(out.readline(_LONGEST_LINE))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        process.stdin.write(json.dumps(_REQUEST).encode() + b"\n")
        process.stdin.flush()
    except OSError:
        pass  # it ended already; what it wrote before tells more
    reader.join(wait)
    return lines[0] if lines else None


def _judge(line: str, answer: bytes | None, wait: float) -> Handshake:
    if answer is None:
        return Handshake(trouble=f"{line} gave no answer within {wait:g} seconds")
    if not answer:
        return Handshake(trouble=f"{line} ended without an answer")
    try:
        server = json.loads(answer)["result"]["serverInfo"]
        name, version = str(server["name"]), str(server["version"])
    except (ValueError, KeyError, TypeError):
        return Handshake(trouble=f"{line} does not speak MCP")
    if (name, version) != ("engram", __version__):
        return Handshake(name, version, f"{line} starts another program: {name} {version}, and this is {__version__}")
    return Handshake(name, version)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process as hosts do: close its input, then ask, then kill; with it what it started."""
    assert process.stdin is not None
    try:
        process.stdin.close()
    except OSError:
        pass
    stops: tuple[Callable[[], None], ...] = (process.terminate, process.kill)
    if not WINDOWS:
        stops = tuple(partial(os.killpg, process.pid, number) for number in (signal.SIGTERM, signal.SIGKILL))
    for stop in stops:
        try:
            process.wait(_GRACE_S)
            break
        except subprocess.TimeoutExpired:
            stop()
    process.wait()


def _linked_into(program: str, path: str) -> str:
    """Return the command that links a program into the first folder that this person may write to, ``""`` for none."""
    for folder in path.split(os.pathsep):
        inner = folder
        while inner and not os.path.lexists(inner) and os.path.dirname(inner) != inner:
            inner = os.path.dirname(inner)
        if os.access(inner, os.W_OK):
            made = "" if inner == folder else f"{command_line(['mkdir', '-p', folder])} && "
            return f"{made}{command_line(['ln', '-s', program, folder])}"
    return ""


def _short(path: str) -> str:
    folders = path.split(os.pathsep)
    return os.pathsep.join(folders[:4]) + ("…" if len(folders) > 4 else "")
