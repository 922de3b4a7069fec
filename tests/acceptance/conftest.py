"""What the acceptance tests share: a real pseudo terminal, and what stands on the disk."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.acceptance.persons import PERSONS
from tests.contract.conftest import Host, Memories, installed_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.conftest import Runner, Scratch

WAIT_S = 60  # a program that stays silent so long fails its test


class Ended(NamedTuple):
    """What a program at a terminal left behind: its exit code and everything that it showed."""

    code: int
    text: str


class Terminal:
    """One ``engram`` with a pseudo terminal as its standard input, output and error."""

    def __init__(self, runner: Runner, args: tuple[str, ...], env: Mapping[str, str], *, out: int | None) -> None:
        import pty

        self._master, slave = pty.openpty()
        self.shown = ""
        # Without the variable for pipes: at a terminal the encoding is the program's own choice.
        clean = {name: value for name, value in runner.scratch.env.items() if name != "PYTHONIOENCODING"}
        self.process = subprocess.Popen(
            [*runner.command, *args],
            stdin=slave,
            stdout=slave if out is None else out,
            stderr=slave,
            cwd=runner.cwd,
            env={**clean, "TERM": "xterm", "COLUMNS": "200", **env},
            start_new_session=True,
        )
        os.close(slave)

    def wait_for(self, text: str, times: int = 1) -> None:
        """Read until the program has shown ``text`` so many times."""
        deadline = time.monotonic() + WAIT_S
        while self.shown.count(text) < times:
            assert self._read(deadline), f"it ended without {text!r}:\n{self.shown}"

    def type(self, text: str) -> None:
        """Type ``text``, line ends included."""
        os.write(self._master, text.encode("utf-8"))

    def end(self) -> Ended:
        """Wait for the program's end."""
        deadline = time.monotonic() + WAIT_S
        while self._read(deadline):
            pass
        code = self.process.wait(WAIT_S)
        return Ended(code, self.shown)

    def close(self) -> None:
        """Take the terminal away; a program that still runs is stopped."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(WAIT_S)
        os.close(self._master)

    def _read(self, deadline: float) -> bool:
        assert select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))[0], (
            f"no word for {WAIT_S} s after:\n{self.shown}"
        )
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux says EIO when nobody holds the other side any more
            return False
        self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


OpenTerminal = Callable[..., Terminal]


@pytest.fixture
def terminal(engram: Runner) -> Iterator[OpenTerminal]:
    """Return a function that starts ``engram`` at a pseudo terminal: ``terminal(*args, env={}, out=None)``."""
    pytest.importorskip("pty")
    opened: list[Terminal] = []

    def start(*args: str, env: Mapping[str, str] | None = None, out: int | None = None) -> Terminal:
        opened.append(Terminal(engram, args, env or {}, out=out))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.fixture
def root(engram: Runner) -> Path:
    """Make an empty memory in the scratch workspace; return its folder."""
    engram.ok("inject")
    return engram.cwd / ".agents" / ".engram"


@pytest.fixture
def global_root(engram: Runner, root: Path, tmp_path: Path) -> Path:
    """Make an empty global memory beside the workspace's; return its folder."""
    folder = tmp_path / "everywhere"
    engram.ok("inject", "--global-path", str(folder))
    return folder


@pytest.fixture
def serve(scratch: Scratch, workspace: Path) -> Iterator[Callable[..., Host]]:
    """Return a function that starts the real ``engram-mcp`` in the scratch workspace."""
    hosts: list[Host] = []

    def run(**env: str) -> Host:
        hosts.append(Host(installed_server(), environ=scratch.env, env=env, cwd=workspace))
        return hosts[-1]

    yield run
    for host in hosts:
        host.stop()


@pytest.fixture
def memories(root: Path) -> Memories:
    """Return an empty memory in the scratch workspace that a test fills with files, as if a human had approved them."""
    return Memories(root)


@pytest.fixture
def machine(scratch: Scratch, workspace: Path, tmp_path: Path) -> Path:
    """Fill home and project with a person's own host files; return the folder above both."""
    for name, text in PERSONS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path
