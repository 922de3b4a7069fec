"""A host that speaks over pipes with a real server process."""

from __future__ import annotations

import glob
import hashlib
import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.conftest import Runner, Scratch

PATIENCE = 60.0  # seconds; a server that hangs fails its test instead of the whole run
FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "mcp_fixture_server.py")
MODERN = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

Message = dict[str, Any]


class Host:
    """Starts a server and talks to it. Lines are bytes as they stand on the wire; messages are what they hold.

    Args:
        command: of the server.
        env: variables on top of this process's.
        environ: all variables, in place of this process's.
        cwd: where the server starts.
        stderr: where the server's standard error goes; by default to a pipe that ``close`` reads.
    """

    def __init__(
        self,
        command: list[str],
        *,
        env: Mapping[str, str] | None = None,
        environ: Mapping[str, str] = os.environ,
        cwd: str | os.PathLike[str] | None = None,
        stderr: int | IO[bytes] = subprocess.PIPE,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**environ, **(env or {})},
            cwd=cwd,
            bufsize=0,
        )
        self.lines: list[bytes] = []  # everything that the server wrote
        self._arrived: queue.Queue[bytes | None] = queue.Queue()
        self._kept: list[Message] = []
        self._ids = itertools.count(1)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with open(self.process.stdout.fileno(), "rb", closefd=False) as stream:
            for line in stream:
                self.lines.append(line)
                self._arrived.put(line)
        self._arrived.put(None)

    def raw(self, data: bytes) -> None:
        """Write bytes to the server."""
        assert self.process.stdin
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def send(self, message: Any) -> None:
        """Write one message."""
        self.raw(json.dumps(message).encode() + b"\n")

    def next(self) -> Message:
        """Return the next message, in the order of the wire.

        Raises:
            EOFError: the server wrote no more.
        """
        if self._kept:
            return self._kept.pop(0)
        line = self._arrived.get(timeout=PATIENCE)
        if line is None:
            raise EOFError
        assert line.endswith(b"\n"), f"a line was cut: {line[-80:]!r}"
        message: Message = json.loads(line)
        return message

    def answer(self, request_id: object) -> Message:
        """Wait for the answer to a request; other messages are kept for ``next``."""
        passed: list[Message] = []
        while True:
            message = self.next()
            if "method" not in message and message.get("id") == request_id:
                self._kept = passed + self._kept
                return message
            passed.append(message)

    def start_request(self, method: str, params: Message | None = None) -> int:
        """Send a legacy request; return its id."""
        number = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})})
        return number

    def request(self, method: str, params: Message | None = None) -> Message:
        """Send a legacy request and return the whole answer."""
        return self.answer(self.start_request(method, params))

    def modern(self, method: str, params: Message | None = None, **capabilities: Message) -> Message:
        """Send a modern request of a client with these capabilities, and return the whole answer."""
        meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: capabilities, **((params or {}).get("_meta") or {})}
        return self.request(method, {**(params or {}), "_meta": meta})

    def handshake(self, version: str = "2025-11-25", **capabilities: Message) -> Message:
        """Shake hands as a legacy client with these capabilities, and return the result."""
        client = {"name": "tests", "version": "1"}
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}
        result: Message = self.request("initialize", params)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool: str, **arguments: Any) -> Message:
        """Call a tool as a legacy client, and return its result."""
        result: Message = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def text(self, tool: str, **arguments: Any) -> str:
        """Call a tool that has to work, and return its text."""
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        text: str = result["content"][0]["text"]
        return text

    def data(self, tool: str, **arguments: Any) -> Message:
        """Call a tool that has to work, and return the ``data`` of its envelope (C32)."""
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        data: Message = result["structuredContent"]["data"]
        return data

    def failure(self, tool: str, **arguments: Any) -> str:
        """Call a tool that has to fail, and return what it says (C29, C29a)."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        assert "structuredContent" not in result
        text: str = result["content"][0]["text"]
        return text

    def silent(self) -> None:
        """Make sure that the server has nothing to say but to the ping that asks it."""
        number = self.start_request("ping")
        assert self.next() == {"jsonrpc": "2.0", "id": number, "result": {}}

    def ended(self) -> int:
        """Wait for the end of the server, and return its exit code."""
        return self.process.wait(PATIENCE)

    def close(self) -> tuple[int, str]:
        """Close the server's input; return its exit code and what it wrote to standard error."""
        assert self.process.stdin
        self.process.stdin.close()
        ended = self.ended()
        stderr = self.process.stderr.read() if self.process.stderr else b""
        return ended, stderr.decode()

    def stop(self) -> None:
        """End the server whatever it does."""
        self.process.kill()
        self.process.wait()
        self._reader.join()  # before its pipe is closed: the number may be another server's the next moment
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def rest(self) -> list[Message]:
        """Return what the server still wrote, after its end."""
        found = []
        while True:
            try:
                found.append(self.next())
            except EOFError:
                return found


@pytest.fixture
def fixture_command() -> list[str]:
    """Return the command of the fixture server."""
    return [sys.executable, FIXTURES]


@pytest.fixture
def start(fixture_command: list[str]) -> Iterator[Callable[..., Host]]:
    """Return a function that starts the fixture server with words for its command line."""
    hosts: list[Host] = []

    def run(*words: str, **options: Any) -> Host:
        hosts.append(Host([*fixture_command, *words], **options))
        return hosts[-1]

    yield run
    for host in hosts:
        host.stop()


class Memories:
    """A memory root that a test fills: files as Engram writes them, and a ledger that vouches for them."""

    def __init__(self, root: Path, scope: str = "workspace") -> None:
        self.root = root
        self.scope = scope

    def add(
        self, kind: str, name: str, text: str, *, title: str = "", sections: str = "", folder: str = "", **keys: str
    ) -> Path:
        """Put a memory there as if a human had approved it; ``text`` is its content, one line a bullet."""
        folder = folder or {"rule": "rules", "skill": "skills", "knowledge": "knowledge"}[kind]
        head = {
            "authority": "reference" if kind == "knowledge" else "instruction", "confidence": "medium", "id": name,
            "last_confirmed": "2026-01-01", "revision": "1", "schema_version": "3", "scope": self.scope, "type": kind,
            **keys,
        }  # fmt: skip
        lines = "".join(f"{key}: {value}\n" for key, value in sorted(head.items()))
        body = f"# {title or name}\n\n## Content\n\n{text}\n{sections}"
        path = self.root / folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{lines}---\n\n{body}", encoding="utf-8", newline="\n")
        self.approve()
        return path

    def approve(self) -> None:
        """Write the ledger for the files as they are, in a new file as every writer does."""
        paths = sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*.md") if path.parent != self.root
        )
        lines = [f"{hashlib.sha256((self.root / path).read_bytes()).hexdigest()}  {path}\n" for path in paths]
        new = self.root / "SHA256SUMS.new"
        new.write_text("".join(lines), encoding="utf-8", newline="\n")
        new.replace(self.root / "SHA256SUMS")


@pytest.fixture
def memories(engram: Runner) -> Memories:
    """Make an empty memory in the scratch workspace, trusted because it was made here."""
    engram.ok("inject")
    return Memories(engram.cwd / ".agents" / ".engram")


@pytest.fixture
def everywhere(engram: Runner, memories: Memories, tmp_path: Path) -> Memories:
    """Make an empty global memory beside that of the workspace."""
    folder = tmp_path / "everywhere"
    engram.ok("inject", "--global-path", str(folder))
    return Memories(folder, "global")


@pytest.fixture
def serve(scratch: Scratch, workspace: Path) -> Iterator[Callable[..., Host]]:
    """Return a function that starts the real ``engram-mcp`` in the scratch workspace with words for its command."""
    hosts: list[Host] = []

    def run(*words: str, **options: Any) -> Host:
        hosts.append(Host([*installed_server(), *words], **{"environ": scratch.env, "cwd": workspace, **options}))
        return hosts[-1]

    yield run
    for host in hosts:
        host.stop()


@pytest.fixture
def server_command() -> list[str]:
    """Return the command of the real ``engram-mcp``."""
    return installed_server()


def installed_server() -> list[str]:
    """Return the command that starts the installed ``engram-mcp``, which stands beside this interpreter."""
    script = shutil.which("engram-mcp", path=os.path.dirname(sys.executable))
    return [script] if script else [sys.executable, "-c", "import sys; from engram.mcp import main; sys.exit(main())"]


@pytest.fixture
def server(start: Callable[..., Host]) -> Host:
    """Return a fixture server that has not heard anything yet."""
    return start()


@pytest.fixture
def clock() -> Callable[[str], dict[str, str]]:
    """Return a function that gives the variables for a process whose clock shows another time, by libfaketime."""
    found = sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))
    if not found:
        pytest.skip("libfaketime is not installed")

    def faked(when: str) -> dict[str, str]:
        return {
            "LD_PRELOAD": found[0],
            "FAKETIME": when,
            "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    return faked
