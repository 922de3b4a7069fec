"""F: how it starts and ends beside a host: at once, within its time, and never left behind.

====  ==========================================================================================================
F1    test_the_handshake_of_a_memory_without_index_is_answered_at_once_and_the_first_load_reports_progress,
      test_the_handshake_touches_no_memory
F2    test_whatever_is_broken_the_host_goes_on, test_a_store_that_others_hold_is_no_fault,
      test_an_index_that_a_hook_has_no_time_for_is_there_for_a_later_prompt
F3    test_a_server_whose_host_died_ends_though_a_sibling_holds_its_input,
      test_a_server_that_is_busy_when_its_host_dies_ends_too
====  ==========================================================================================================
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.conftest import installed_server

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.conftest import Runner, Scratch
    from tests.contract.conftest import Host, Memories

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
LIMIT_S = 60


def fill(memories: Memories, count: int) -> None:
    """Put many small memories there, and no index."""
    memories.add("rule", "oven-0000", "- Clean the oven 0.")
    text = (memories.root / "rules" / "oven-0000.md").read_text(encoding="utf-8")
    for number in range(1, count):
        path = memories.root / "rules" / f"oven-{number:04}.md"
        new = text.replace("oven-0000", f"oven-{number:04}").replace("oven 0", f"oven {number}")
        path.write_text(new, encoding="utf-8", newline="\n")
    memories.approve()
    shutil.rmtree(memories.root / ".cache", ignore_errors=True)


@pytest.mark.slow
def test_the_handshake_of_a_memory_without_index_is_answered_at_once_and_the_first_load_reports_progress(
    serve: Callable[..., Host], memories: Memories
) -> None:  # F1
    fill(memories, 5000)
    host = serve()
    host.handshake()
    assert not (memories.root / ".cache").exists(), "it answered before anything was indexed"
    params: dict[str, Any] = {"name": "engram_load", "arguments": {"query": "oven 77"}, "_meta": {"progressToken": "p"}}
    call = host.start_request("tools/call", params)
    host.send({"jsonrpc": "2.0", "id": "meanwhile", "method": "ping"})
    assert host.answer("meanwhile")["result"] == {}

    assert host.answer(call)["result"]["structuredContent"]["data"]["selected_keys"][0] == "oven-0077"
    said = [host.next()["params"] for _ in range(5)]
    assert [step["progress"] for step in said] == [1000, 2000, 3000, 4000, 5000]
    assert {step["progressToken"] for step in said} == {"p"}
    host.silent()


def test_the_handshake_touches_no_memory(serve: Callable[..., Host], memories: Memories) -> None:  # F1, C29c
    for number in range(3):
        memories.add("rule", f"oven-{number}", "- Clean the oven.")
    shutil.rmtree(memories.root / ".cache", ignore_errors=True)
    host = serve()
    host.handshake()
    host.modern("server/discover")
    for method in ("tools/list", "prompts/list", "resources/templates/list"):
        host.request(method)

    assert not (memories.root / ".cache").exists()
    assert len(host.data("engram_load", query="clean the oven")["selected_keys"]) == 3
    assert (memories.root / ".cache" / "index.sqlite").exists()


def hook(engram: Runner, host: str, payload: Mapping[str, object], **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run the hook of a host in the scratch workspace."""
    return subprocess.run(
        [*engram.command, "hook", host], input=json.dumps({"cwd": str(engram.cwd), **payload}).encode(),
        capture_output=True, cwd=engram.cwd, env={**engram.scratch.env, **env}, timeout=LIMIT_S, check=False,
    )  # fmt: skip


def lock(root: Path) -> None:
    (root / ".journal").mkdir(exist_ok=True)
    (root / ".journal" / "open.json").write_bytes(b"{")


def index_folder(root: Path) -> None:
    for file in (root / ".cache").glob("index*"):
        file.unlink()
        file.mkdir()


def rules_file(root: Path) -> None:
    shutil.rmtree(root / "rules")
    (root / "rules").write_bytes(b"")


def ledger_folder(root: Path) -> None:
    (root / "SHA256SUMS").unlink()
    (root / "SHA256SUMS").mkdir()


FAULTS: dict[str, Callable[[Path], object]] = {
    "an open journal that nobody can read": lock,
    "configuration": lambda root: (root / "engram.config.json").write_bytes(b"{"),
    "an index that is a folder": index_folder,
    "an index of zero bytes": lambda root: (root / ".cache" / "index.sqlite").write_bytes(b""),
    "no rules": lambda root: (root / "rules").rename(root / "other"),
    "a file for a folder": rules_file,
    "ledger": lambda root: (root / "SHA256SUMS").write_bytes(b"\xff\0"),
    "a ledger that is a folder": ledger_folder,
    "no ledger": lambda root: (root / "SHA256SUMS").unlink(),
    "a memory that is no text": lambda root: (root / "rules" / "use-pnpm.md").write_bytes(b"\xff\0"),
    "inbox": lambda root: (root / "pending-approvals.json").write_bytes(b"{"),
    "nothing": shutil.rmtree,
}
# For each host the events that it sends, and what an empty answer looks like (hosts.md).
EVENTS = {
    "claude": ("SessionStart", "UserPromptSubmit", ""),
    "codex": ("SessionStart", "UserPromptSubmit", ""),
    "gemini": ("SessionStart", "BeforeAgent", "{}\n"),
    "copilot": ("sessionStart", "userPromptSubmitted", ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_is_broken_the_host_goes_on(engram: Runner, memories: Memories, fault: str) -> None:  # F2
    memories.add("rule", "use-pnpm", "- Use pnpm for every install.")
    engram.ok("load", "install with pnpm")
    FAULTS[fault](memories.root)
    for host, (start, prompt, empty) in EVENTS.items():
        for event in (start, prompt):
            payload = {"session_id": "s", "hook_event_name": event, "source": "startup", "prompt": "install with pnpm"}
            done = hook(engram, host, payload)
            assert done.returncode == 0, (host, event, done.stderr)
            assert b"Traceback" not in done.stderr
            text = done.stdout.decode()
            assert text == empty or isinstance(json.loads(text), dict), (host, event)


@pytest.mark.parametrize("hold", ["begin exclusive", "begin immediate"])  # nobody may read, nobody may write
def test_a_store_that_others_hold_is_no_fault(engram: Runner, memories: Memories, hold: str) -> None:  # F2, E2
    fcntl = pytest.importorskip("fcntl")
    memories.add("rule", "use-pnpm", "- Use pnpm for every install.")
    engram.ok("load", "install with pnpm")
    memories.add("rule", "use-pnpm-too", "- Use pnpm for scripts too.")
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "install with pnpm"}
    with (
        closing(sqlite3.connect(memories.root / ".cache" / "index.sqlite")) as held,
        (memories.root / ".lock").open("a", encoding="utf-8") as file,
    ):
        held.execute(hold)
        fcntl.flock(file, fcntl.LOCK_EX)
        for session in ("one", "two"):
            done = hook(engram, "claude", {**event, "session_id": session})
            assert done.returncode == 0
            assert b"use-pnpm" in done.stdout


@pytest.mark.slow
def test_an_index_that_a_hook_has_no_time_for_is_there_for_a_later_prompt(engram: Runner, memories: Memories) -> None:
    fill(memories, 5000)
    (engram.cwd / "engram").mkdir()  # nothing of the project is run
    trap = engram.cwd / "engram" / "__init__.py"
    trap.write_text("raise SystemExit('sprung')\n", encoding="utf-8")
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "oven 77", "session_id": "s"}
    said = b""
    began = time.monotonic()
    while time.monotonic() - began < LIMIT_S:
        # Enough to begin with the index, never enough to make it.
        done = hook(engram, "claude", event, ENGRAM_HOOK_TIMEOUT="0.5")
        assert done.returncode == 0
        said += done.stderr
        if b"oven-0077" in done.stdout:
            break
    else:
        pytest.fail("no prompt was ever given memory")
    assert b"the index is being made" in said


def test_what_a_pull_brought_is_counted_without_reading_it_all(engram: Runner, memories: Memories) -> None:  # F18
    engram.ok("inject")
    fill(memories, 600)
    (memories.root / "rules" / "oven-0007.md").write_text("Not as it was approved.", encoding="utf-8")
    assert "599 memories that a pull brought" in engram.ok("status")
    start = json.loads(hook(engram, "claude", {"hook_event_name": "SessionStart", "source": "startup"}).stdout)
    said = start["hookSpecificOutput"]["additionalContext"]
    assert "oven-0000" in said
    assert "and 594 more" in said


def test_a_hook_that_would_take_too_long_ends_by_its_own_clock(engram: Runner, memories: Memories) -> None:  # F2
    memories.add("rule", "use-pnpm", "- Use pnpm for every install.")
    began = time.monotonic()
    with subprocess.Popen(
        [*engram.command, "hook", "gemini"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=engram.cwd,
        env={**engram.scratch.env, "ENGRAM_HOOK_TIMEOUT": "0.5"},
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdout.read() == b"{}\n"  # nobody ever closes its input
        assert process.wait(LIMIT_S) == 0
    assert time.monotonic() - began < LIMIT_S / 2


# Starts the server as a child and waits to be killed: a host that dies while others hold its pipes.
DYING_HOST = "import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()"
CALL = b'{"id":1,"method":"tools/call","params":{"name":"engram_status"}}\n'


def die_beside(scratch: Scratch, workspace: Path, call: bytes, *, answered: bool) -> None:
    """Start a server below a host, let the host die, and wait for the end of the server's output."""
    command = [sys.executable, "-c", DYING_HOST, *installed_server()]
    env = {**scratch.env, "ENGRAM_MCP_ORPHAN_TIMEOUT": "0.3"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=workspace) as host:
        assert host.stdin
        assert host.stdout
        host.stdin.write(CALL)
        host.stdin.flush()
        assert b'"id":1' in host.stdout.readline()
        host.stdin.write(call)
        host.stdin.flush()
        if answered:
            assert host.stdout.readline()
        host.kill()

        host.stdout.read()  # the end of the file: the server is gone, though its input is open


@posix
def test_a_server_whose_host_died_ends_though_a_sibling_holds_its_input(scratch: Scratch, workspace: Path) -> None:
    # F3
    die_beside(scratch, workspace, CALL, answered=True)


@posix
def test_a_server_that_is_busy_when_its_host_dies_ends_too(
    scratch: Scratch, workspace: Path, memories: Memories
) -> None:  # F3
    fill(memories, 500)
    load = {"id": 2, "method": "tools/call", "params": {"name": "engram_load", "arguments": {"query": "oven 77"}}}
    die_beside(scratch, workspace, json.dumps(load).encode() + b"\n", answered=False)
