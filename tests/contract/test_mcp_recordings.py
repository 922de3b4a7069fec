"""What real hosts sent, sent again: every request is answered, and the official schema finds nothing to say.

The programs that judge a session, and play one to the fixture server, are those of the folder ``shared``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.contract.conftest import Host, Memories, Message

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(os.path.dirname(ROOT), "shared", "tools")
CLIENTS = os.path.join(ROOT, "tests", "cases", "clients")
RECORDINGS = sorted(os.listdir(CLIENTS))
# The recorded server had two tools of its own; these do the same here.
MAPPED = ["--map", "ask=test_elicitation", "--args", 'test_elicitation={"message": "keep or drop?"}']
# And these are nearest to them in engram-mcp: one that only answers, and one that asks the human.
OURS: dict[str, tuple[str, Message]] = {
    "echo": ("engram_load", {"query": "echo: use pnpm for every install"}),
    "ask": ("engram_save", {"text": "Use tabs in Makefiles.", "type": "rule"}),
}

shared = pytest.mark.skipif(not os.path.isdir(TOOLS), reason="replay.py and validate_wire.py stand in ../shared")


class Recording:
    """What one host sent to one process, and what it had been answered by then.

    ``steps`` holds each message of the host beside the ids it was waiting for when it sent it; ``answers`` what it
    answered to the server, in order; ``signal`` what it ended the server with, 0 where it closed its input.
    """

    def __init__(self, name: str) -> None:
        self.steps: list[tuple[Message, frozenset[str | int]]] = []
        self.answers: list[Message] = []
        self.signal = 0
        waiting: set[str | int] = set()
        with open(os.path.join(CLIENTS, name), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        for row in rows:
            message = json.loads(row["raw"])
            if row["dir"] == "meta":
                self.signal = message.get("signal", self.signal)
            elif row["dir"] == "s2c":
                waiting.discard(message.get("id"))
            elif "method" not in message:
                self.answers.append(message)
            else:
                self.steps.append((message, frozenset(waiting)))
                if "id" in message:
                    waiting.add(message["id"])


class Replay:
    """Plays a recording to a server; ``transcript`` holds both sides afterwards, as the shared tools write it."""

    def __init__(self, host: Host, recording: Recording) -> None:
        self.transcript: list[dict[str, str]] = []
        self._host = host
        self._answers = list(recording.answers)
        self._waiting: set[str | int] = set()
        self._asked: Message = {}  # by the last result that wants more input
        self._state: str | None = None
        for message, unanswered in recording.steps:
            self._wait(unanswered)
            if message["method"] == "tools/call":
                self._translate(message["params"])
            if "id" in message:
                self._waiting.add(message["id"])
            self._send(message)
        self._wait(frozenset())

    def _send(self, message: Message) -> None:
        self.transcript.append({"dir": "c2s", "raw": json.dumps(message)})
        self._host.send(message)

    def _wait(self, allowed: frozenset[str | int]) -> None:
        while self._waiting - allowed:
            message = self._host.next()
            self.transcript.append({"dir": "s2c", "raw": json.dumps(message)})
            if "method" in message:
                if "id" in message:
                    answer = self._answers.pop(0) if self._answers else {"result": {"action": "cancel"}}
                    self._send({**answer, "jsonrpc": "2.0", "id": message["id"]})
                continue
            self._waiting.remove(message["id"])  # a second answer to one request would fail here
            result: Any = message.get("result", {})
            if result.get("resultType") == "input_required":
                self._asked, self._state = result.get("inputRequests", {}), result.get("requestState")

    def _translate(self, params: Message) -> None:
        """Name the tools of this server, and in a retry what it asked for, not what the recorded one did."""
        params["name"], params["arguments"] = OURS[params["name"]]
        if "inputResponses" in params and self._asked:
            (recorded,) = params["inputResponses"].values()
            params["inputResponses"] = dict.fromkeys(self._asked, recorded)
            params.pop("requestState", None)
            if self._state is not None:
                params["requestState"] = self._state


@pytest.fixture
def host(serve: Callable[..., Host], memories: Memories) -> Host:
    """Return the real server where there is something to recall."""
    memories.add("rule", "use-pnpm", "- Use pnpm for every install.", title="Use pnpm for every install")
    return serve()


@pytest.mark.parametrize("name", RECORDINGS)
def test_engram_answers_every_request_of_a_recorded_host_and_ends_as_it_is_told(host: Host, name: str) -> None:
    recording = Recording(name)
    played = Replay(host, recording)

    answers = [json.loads(row["raw"]) for row in played.transcript if row["dir"] == "s2c"]
    called = [message for message, _ in recording.steps if message.get("params", {}).get("name") == "engram_load"]
    assert len([answer for answer in answers if "method" not in answer]) == len(
        [message for message, _ in recording.steps if "id" in message]
    )
    for message in called:
        (answer,) = (answer for answer in answers if answer["id"] == message["id"])
        assert "use-pnpm" in answer["result"]["structuredContent"]["data"]["text"]
    if recording.signal:
        host.process.send_signal(recording.signal)
    assert host.close() == (0, "")
    assert host.rest() == []


@shared
@pytest.mark.parametrize("name", RECORDINGS)
def test_what_engram_writes_to_a_recorded_host_is_as_the_official_schema_says(
    host: Host, tmp_path: Path, name: str
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    lines = [json.dumps(row) + "\n" for row in Replay(host, Recording(name)).transcript]
    transcript.write_text("".join(lines), encoding="utf-8", newline="\n")

    judged = judge(str(transcript))
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert ", 0 server-side" in judged.stdout
    assert "unanswered" not in judged.stdout


@shared
@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recorded_host_is_served_as_the_official_schema_says(
    fixture_command: list[str], tmp_path: Path, name: str
) -> None:
    transcript = str(tmp_path / "transcript.jsonl")
    replay = [sys.executable, os.path.join(TOOLS, "replay.py"), os.path.join(CLIENTS, name), "--out", transcript]
    played = run([*replay, *MAPPED, "--", *fixture_command])
    judged = judge(transcript)

    assert played.returncode == 0, played.stderr
    assert "unanswered [], server exit 0" in played.stderr
    assert judged.returncode == 0, judged.stdout + judged.stderr


def judge(transcript: str) -> subprocess.CompletedProcess[str]:
    """Have every line that a server wrote compared with the official schema of its revision."""
    return run([sys.executable, os.path.join(TOOLS, "validate_wire.py"), "--server-only", transcript])


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a program of the shared folder, which opens files without naming the encoding."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONWARNDEFAULTENCODING"}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env, timeout=60, check=False)
