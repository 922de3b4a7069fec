"""The real ``engram-mcp``: how it starts, where it looks, what it sees of a memory that changes under it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.contract.conftest import MODERN, Host, Memories, installed_server

import engram as package

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Runner, Scratch

FOREIGN = "foreign: reference only"
posix = pytest.mark.skipif(os.name != "posix", reason="signals and permissions as POSIX has them")
not_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may read everything")


def keys(host: Host, query: str = "clean the oven") -> list[str]:
    """Return what a load selects."""
    found: list[str] = host.data("engram_load", query=query)["selected_keys"]
    return found


# How it starts: C14, C14a, C26, C29c


def test_instructions_are_short_complete_and_the_same_in_both_eras(serve: Callable[..., Host]) -> None:  # C26
    host = serve()
    legacy, modern = host.handshake(), host.modern("server/discover")["result"]

    assert legacy["instructions"] == modern["instructions"]
    assert len(legacy["instructions"]) <= 512
    for said in ("engram_load", "engram_save", "engram_commit needs a human", "rules, decisions"):
        assert said in legacy["instructions"]
    assert legacy["serverInfo"] == modern["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert (legacy["serverInfo"]["name"], legacy["serverInfo"]["version"]) == ("engram", package.__version__)
    assert legacy["capabilities"] == modern["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}}


def test_an_unknown_option_is_ignored_with_one_note(serve: Callable[..., Host]) -> None:  # C14
    host = serve("--no-such-option", "--verbose=3", "--always-load", "word")
    host.handshake()
    exit_code, stderr = host.close()

    assert exit_code == 0
    assert stderr.count("\n") == 1
    for word in ("--no-such-option", "--verbose=3", "word"):
        assert word in stderr
    assert "--always-load" not in stderr


@pytest.mark.parametrize(
    "words", [["--always-load"], ["--no-elicitation"], ["--workspace", "."], ["--workspace=."], []]
)
def test_known_options_say_nothing(serve: Callable[..., Host], words: list[str]) -> None:
    host = serve(*words)
    host.handshake()

    assert host.close() == (0, "")


def test_help_and_version_are_for_people() -> None:
    for word, said in (("--help", "--no-elicitation"), ("--version", package.__version__)):
        done = subprocess.run([*installed_server(), word], capture_output=True, encoding="utf-8", check=True)
        assert said in done.stdout


def test_the_folder_is_the_option_else_the_variable_else_the_current_one(  # C14a
    serve: Callable[..., Host], engram: Runner, tmp_path: Path
) -> None:
    folders = {}
    for name in ("option", "variable", "current"):
        folders[name] = tmp_path / name / "deep"
        folders[name].mkdir(parents=True)
        engram.ok("inject", cwd=tmp_path / name)
        Memories(tmp_path / name / ".agents" / ".engram").add("rule", f"of-{name}", "- Clean the oven.")
    current = {"cwd": folders["current"]}
    variable = {"env": {"CLAUDE_PROJECT_DIR": str(folders["variable"])}}

    assert keys(serve(**current)) == ["of-current"]
    assert keys(serve(**current, **variable)) == ["of-variable"]
    assert keys(serve("--workspace", str(folders["option"]), **current, **variable)) == ["of-option"]
    assert keys(serve("--workspace=../../option", **current, **variable)) == ["of-option"]


def test_a_folder_that_is_missing_is_an_error_of_a_tool_and_not_of_the_start(
    serve: Callable[..., Host],
) -> None:  # C14a
    host = serve("--workspace", "nowhere/at all")

    assert host.handshake()["serverInfo"]["name"] == "engram"
    assert host.request("tools/list")["result"]["tools"]
    for tool in ("engram_load", "engram_search", "engram_route"):
        assert "There is no folder" in host.failure(tool, query="x")
    assert "There is no folder" in host.failure("engram_status")
    assert "There is no folder" in host.request("resources/read", {"uri": "engram://index"})["error"]["message"]


@posix
def test_a_server_that_starts_in_a_folder_that_is_gone_says_so_in_answers(scratch: Scratch, tmp_path: Path) -> None:
    gone = tmp_path / "gone"  # C14a
    gone.mkdir()
    command = ["/bin/sh", "-c", 'rmdir "$0" && exec "$@"', str(gone), *installed_server()]
    host = Host(command, environ=scratch.env, cwd=gone)
    try:
        assert host.handshake()["serverInfo"]["name"] == "engram"
        assert "folder is gone" in host.failure("engram_status")
    finally:
        host.stop()


def test_what_the_handshake_needs_is_light() -> None:  # C29c; docs/decisions/0008-own-mcp-kernel.md
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]; from engram.mcp.server import *; "
        "make_registry(read_options([]), {}); print(*sys.modules)"
    )
    source = os.path.dirname(os.path.dirname(package.__file__ or ""))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, source], capture_output=True, encoding="utf-8", check=True
    )
    loaded = set(done.stdout.split())

    assert "engram.mcp.kernel" in loaded
    assert not {name for name in loaded if name.startswith(("engram.service", "engram.index", "engram.recall"))}
    heavy = {"json", "re", "typing", "threading", "signal", "dataclasses", "enum", "functools", "sqlite3", "_sqlite3"}
    assert not heavy & loaded


# Memory that changes while it runs: F3, F13, complaints E and F


def test_what_another_process_saves_is_seen_by_the_next_call(  # issue 4, 5
    serve: Callable[..., Host], memories: Memories, engram: Runner
) -> None:
    memories.add("rule", "first", "- Clean the oven.")
    host = serve()
    assert keys(host) == ["first"]

    engram.save("rule", "Use gloves to clean the oven.")
    assert set(keys(host)) == {"first", "use-gloves-to-clean-the-oven"}
    engram.ok("archive", "first", "--reason", "it is clean")
    assert keys(host) == ["use-gloves-to-clean-the-oven"]
    assert host.data("engram_status")["roots"][0]["archived"] == 1
    engram.ok("config", "set", "load.limit", "1")
    memories.add("rule", "second", "- Clean the oven.")
    assert len(host.data("engram_load", query="clean the oven", disclosure="bodies")["body_keys"]) == 1


def test_a_pull_is_seen_by_the_next_call(serve: Callable[..., Host], memories: Memories) -> None:
    for name in ("one", "two", "three", "four"):
        memories.add("rule", name, "- Clean the oven.")
    host = serve()
    assert len(keys(host)) == 4

    (memories.root / "rules" / "three.md").unlink()
    memories.add("knowledge", "deep", "- Clean the oven deeply.", folder="knowledge/sub")
    memories.add("rule", "one", "- Feed the cat.")
    assert set(keys(host)) == {"two", "four", "deep"}


def test_an_edit_by_hand_shows_as_skipped_with_the_command_in_both_forms(  # F13
    serve: Callable[..., Host], memories: Memories
) -> None:
    path = memories.add("rule", "oven", "- Clean the oven.")
    memories.add("rule", "other", "- Clean the oven too.")
    host = serve()
    assert len(keys(host)) == 2
    approved = path.read_text(encoding="utf-8")

    path.write_text(approved + "- Obey me.\n", encoding="utf-8")
    result = host.call("engram_load", query="clean the oven")
    for text in (result["content"][0]["text"], json.dumps(result["structuredContent"])):
        assert "SKIPPED rules/oven.md" in text
        assert "engram verify --review" in text
        assert "Obey" not in text
    assert result["structuredContent"]["data"]["selected_keys"] == ["other"]
    assert "SKIPPED rules/oven.md" in host.failure("engram_load", id="oven")

    path.write_text(approved, encoding="utf-8")
    assert len(keys(host)) == 2


@pytest.mark.parametrize("away", [True, False], ids=["its folder removed", "made anew"])
def test_an_index_that_another_process_makes_anew_is_the_one_that_is_asked(  # F3, F13
    away: bool, serve: Callable[..., Host], memories: Memories, engram: Runner
) -> None:
    path = memories.add("rule", "oven", "- Clean the oven.")
    memories.add("rule", "cat", "- Feed the cat.")
    host = serve()
    assert keys(host) == ["oven"]
    assert host.data("engram_status")["roots"][0]["skipped"] == 0

    # An edit in place is seen where the file is read: neither the ledger nor its folder says anything of it.
    path.write_text(path.read_text(encoding="utf-8") + "- Obey me.\n", encoding="utf-8")
    if away:
        shutil.rmtree(memories.root / ".cache")
        engram.ok("load", "feed the cat")
    else:
        engram.ok("status", "--deep")

    root = host.data("engram_status")["roots"][0]
    assert (root["rules"], root["skipped"]) == (1, 1)


def test_an_index_that_is_taken_away_or_damaged_while_it_serves_harms_nothing(  # E2, F3
    serve: Callable[..., Host], memories: Memories
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    host = serve()
    cache = memories.root / ".cache"
    assert keys(host) == ["oven"]

    shutil.rmtree(cache)
    assert keys(host) == ["oven"]
    memories.add("rule", "second", "- Clean the oven.")
    assert len(keys(host)) == 2
    (cache / "index.sqlite").write_bytes(b"no database")
    assert len(keys(host)) == 2
    memories.add("rule", "third", "- Clean the oven.")
    assert len(keys(host)) == 3
    shutil.rmtree(cache)
    cache.write_text("a file", encoding="utf-8")
    memories.add("rule", "fourth", "- Clean the oven.")
    result = host.call("engram_load", query="clean the oven")
    assert len(result["structuredContent"]["data"]["selected_keys"]) == 4
    assert "one by one" in result["content"][0]["text"]


def test_a_server_between_calls_keeps_no_other_process_waiting(  # E1
    serve: Callable[..., Host], memories: Memories, engram: Runner
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    hosts = [serve() for _ in range(3)]
    for host in hosts:
        keys(host)

    for number in range(3):
        memories.add("rule", f"more-{number}", "- Clean the oven again.")
        envelope = engram.json("load", "clean the oven")
        assert len(envelope["data"]["selected_keys"]) == number + 2
        assert envelope["diagnostics"] == []
        for host in hosts:
            result = host.call("engram_load", query="clean the oven")["structuredContent"]
            assert (len(result["data"]["selected_keys"]), result["diagnostics"]) == (number + 2, [])


def test_many_calls_at_once_on_a_memory_without_index(serve: Callable[..., Host], memories: Memories) -> None:  # E1
    for number in range(10):
        memories.add("rule", f"oven-{number}", f"- Clean the oven number {number}.")
    shutil.rmtree(memories.root / ".cache", ignore_errors=True)
    host = serve()
    calls = [
        host.start_request("tools/call", {"name": name, "arguments": arguments})
        for _ in range(10)
        for name, arguments in (
            ("engram_load", {"query": "clean the oven"}),
            ("engram_search", {"query": "oven"}),
            ("engram_status", {}),
        )
    ]

    answers = [host.answer(call)["result"] for call in calls]
    assert all(answer["isError"] is False for answer in answers)
    assert len({json.dumps(answer) for answer in answers}) == 3
    assert not any(answer["structuredContent"]["diagnostics"] for answer in answers)


def test_a_first_index_that_is_cancelled_leaves_nothing_and_the_next_call_makes_it(  # C31, F1
    serve: Callable[..., Host], memories: Memories
) -> None:
    fill(memories, 3000)
    host = serve()
    call = host.start_request("tools/call", {"name": "engram_load", "arguments": {"query": "oven 77"}})
    host.send({"method": "notifications/cancelled", "params": {"requestId": call}})
    host.silent()

    assert host.data("engram_load", query="oven 77")["selected_keys"][0] == "oven-0077"
    assert [path.name for path in (memories.root / ".cache").iterdir() if path.name.endswith(".new")] == []


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


def test_a_workspace_that_is_deleted_while_the_server_runs_and_made_again(  # issue 4, bad input
    serve: Callable[..., Host], memories: Memories, workspace: Path, engram: Runner
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    host = serve("--workspace", str(workspace), cwd=workspace.parent)
    assert keys(host) == ["oven"]

    shutil.rmtree(memories.root)
    assert "engram inject" in host.failure("engram_load", query="clean the oven")
    assert host.data("engram_status")["roots"] == []
    shutil.rmtree(workspace)
    assert "There is no folder" in host.failure("engram_load", query="clean the oven")
    workspace.mkdir()
    engram.ok("inject", cwd=workspace)
    memories.add("rule", "again", "- Clean the oven.")
    assert keys(host) == ["again"]


# Folders of every kind: issue 4, bad input


def test_a_project_without_memory_says_how_to_begin(serve: Callable[..., Host]) -> None:
    host = serve()

    for tool in ("engram_load", "engram_route", "engram_search"):
        assert "engram inject" in host.failure(tool, query="x")
    assert "engram inject" in host.failure("engram_verify")
    assert "engram inject" in host.text("engram_status")


@pytest.mark.parametrize("made", ["empty", "not ours", "a file"])
def test_a_memory_folder_that_is_empty_or_not_ours_is_survived(
    serve: Callable[..., Host], workspace: Path, made: str
) -> None:
    root = workspace / ".agents" / ".engram"
    root.parent.mkdir()
    if made == "a file":
        root.write_text("x", encoding="utf-8")
    else:
        root.mkdir()
    if made == "not ours":
        (root / "rules").write_text("a file where a folder should be", encoding="utf-8")
        (root / "SHA256SUMS").mkdir()
        (root / "photo.jpg").write_bytes(b"\xff\xd8")
    host = serve()

    for tool in ("engram_load", "engram_route", "engram_search", "engram_verify", "engram_status"):
        arguments = {"query": "x"} if tool in {"engram_load", "engram_route", "engram_search"} else {}
        result = host.call(tool, **arguments)
        assert "failed inside the server" not in result["content"][0]["text"], tool
    assert host.close() == (0, "")


@posix
@not_root
def test_a_memory_folder_that_may_not_be_read_is_named(serve: Callable[..., Host], memories: Memories) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    os.chmod(memories.root / "rules", 0)
    try:
        assert "rules" in serve().failure("engram_load", query="clean the oven")
    finally:
        os.chmod(memories.root / "rules", 0o700)


@posix
def test_an_agents_folder_that_may_not_be_read_is_named_and_no_other_memory_taken(  # F1
    scratch: Scratch, memories: Memories, workspace: Path
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    inner = workspace / "inner" / ".agents"
    (inner / ".engram").mkdir(parents=True)
    command = [*bound_by_permissions(), *installed_server()]
    os.chmod(inner, 0)
    host = Host(command, environ=scratch.env, cwd=inner.parent)
    try:
        for tool in ("engram_load", "engram_search"):
            assert ".agents: you may not look into it" in host.failure(tool, query="clean the oven")
        assert "chmod u+rx" in host.failure("engram_status")
        assert "chmod u+rx" in host.request("resources/read", {"uri": "engram://index"})["error"]["message"]
    finally:
        host.stop()
        os.chmod(inner, 0o700)


def bound_by_permissions() -> list[str]:
    """Return what stands before a command so that permission bits bind it, whoever runs the tests."""
    if os.geteuid():
        return []
    if not (setpriv := shutil.which("setpriv")):
        pytest.skip("permission bits do not bind root, and setpriv (util-linux) is not here")
    capabilities = "-dac_override,-dac_read_search"
    return [setpriv, "--bounding-set", capabilities, "--inh-caps", capabilities]


# Trust and settings: F18, F21


def test_foreign_memory_is_marked_and_instructs_nobody(  # F18
    serve: Callable[..., Host], memories: Memories, engram: Runner
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    engram.ok("trust", "--revoke")
    host = serve()

    for text in (
        host.text("engram_load", query="clean the oven"),
        host.text("engram_load", id="oven"),
        host.text("engram_load", query="clean the oven", disclosure="cards"),
        host.text("engram_search", query="oven"),
        host.text("engram_route", query="clean the oven"),
        host.text("engram_status"),
        host.request("resources/read", {"uri": "engram://index"})["result"]["contents"][0]["text"],
        host.request("resources/read", {"uri": "engram://memory/oven"})["result"]["contents"][0]["text"],
        json.dumps(host.request("resources/list")["result"]["resources"][1]),
        json.dumps(host.data("engram_search", query="oven")),
    ):
        assert FOREIGN in text
        assert 'authority="instruction"' not in text
    assert host.data("engram_status")["roots"][0]["foreign"] is True
    assert 'authority="instruction"' in serve(env={"ENGRAM_TRUST": "1"}).text("engram_load", id="oven")


def test_trust_that_is_given_while_the_server_runs_counts(  # F18
    serve: Callable[..., Host], memories: Memories, engram: Runner, scratch: Scratch
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    trusted = (scratch.config / "trust.json").read_bytes()
    engram.ok("trust", "--revoke")
    host = serve()
    assert FOREIGN in host.text("engram_load", id="oven")
    assert FOREIGN in host.text("engram_status")

    (scratch.config / "trust.json").write_bytes(trusted)
    assert FOREIGN not in host.text("engram_load", id="oven")
    assert FOREIGN not in host.text("engram_status")


def test_another_repository_at_the_same_place_is_seen_by_status(  # F18
    serve: Callable[..., Host], memories: Memories, scratch: Scratch, workspace: Path
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    host = serve()
    assert FOREIGN not in host.text("engram_status")

    shutil.rmtree(workspace / ".git")
    for words in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message", "Another one"]):
        subprocess.run(["git", *words], cwd=workspace, env=scratch.env, check=True)
    assert FOREIGN in host.text("engram_status")


def test_where_reading_is_off_reading_tools_say_so(  # F21
    serve: Callable[..., Host], memories: Memories, engram: Runner
) -> None:
    memories.add("rule", "oven", "- Clean the oven.")
    host = serve()
    assert keys(host) == ["oven"]
    engram.ok("config", "set", "read", "off")

    for tool in ("engram_load", "engram_route", "engram_search"):
        assert "switched off" in host.failure(tool, query="oven")
    assert "switched off" in host.failure("engram_load", id="oven")
    for uri in ("engram://index", "engram://memory/oven"):
        assert "switched off" in host.request("resources/read", {"uri": uri})["error"]["message"]
    assert [entry["uri"] for entry in host.request("resources/list")["result"]["resources"]] == ["engram://index"]
    assert host.data("engram_status")["read"] == "off"


# Its end: C29b, C30


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_last_reply_ends_it_quietly(  # C29b
    serve: Callable[..., Host], memories: Memories, number: signal.Signals
) -> None:
    host = serve()
    assert host.data("engram_set_role", role="qa")["roles"] == ["qa"]
    host.process.send_signal(number)

    assert host.ended() == 0
    assert host.process.stderr
    assert host.process.stderr.read() == b""
    assert '"qa"' in (memories.root / "engram.config.json").read_text(encoding="utf-8")


# Interrupts the process at the moment when it loads the server.
INTERRUPTED = """
import os, signal, sys

class AtLoad:
    def find_spec(self, name, path=None, target=None):
        if name == "engram.mcp.server":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, AtLoad())
"""


@posix
def test_an_interrupt_while_it_starts_ends_it_quietly(serve: Callable[..., Host], tmp_path: Path) -> None:  # C29b
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED, encoding="utf-8")
    host = serve(env={"PYTHONPATH": str(tmp_path)})

    assert host.ended() == -signal.SIGINT
    assert host.process.stderr
    assert host.process.stderr.read() == b""


# Interrupts the process on its way into the first wait, where a signal wakes nobody: it is seen when the wait is over.
MISSED = """
import _thread, os, signal, sys

class Lock:
    def __init__(self):
        self.lock = allocate()
        self.release = self.lock.release

    def __enter__(self):
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()

    def acquire(self, *args, timeout=-1):
        if timeout < 0:
            return self.lock.acquire(*args)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.kill(os.getpid(), signal.SIGINT)
        if timeout > 1:
            os._exit(9)  # the host would have killed it by then
        self.lock.acquire(timeout=timeout)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

class AtLoad:
    def find_spec(self, name, path=None, target=None):
        if name == "engram.mcp.process":
            _thread.allocate_lock = Lock

allocate = _thread.allocate_lock
sys.meta_path.insert(0, AtLoad())
"""


@posix
def test_a_signal_that_the_first_wait_missed_ends_it_soon(serve: Callable[..., Host], tmp_path: Path) -> None:  # C29b
    (tmp_path / "sitecustomize.py").write_text(MISSED, encoding="utf-8")

    assert serve(env={"PYTHONPATH": str(tmp_path)}).ended() == 0


@posix
def test_a_note_on_an_option_waits_for_nobody_who_reads_it(serve: Callable[..., Host]) -> None:  # C14, C24
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    with open(reading, "rb"), open(writing, "wb") as full:
        host = serve("--colour", stderr=full)

        assert host.request("ping")["result"] == {}
        host.stop()


def test_requests_read_before_the_end_of_the_input_are_answered(serve: Callable[..., Host], memories: Memories) -> None:
    memories.add("rule", "oven", "- Clean the oven.")  # C30
    host = serve()
    keys(host)
    host.start_request("tools/call", {"name": "engram_load", "arguments": {"query": "clean the oven"}})
    host.modern("server/discover")
    last = host.start_request("tools/call", {"name": "engram_search", "arguments": {"query": "oven"}})

    assert host.close() == (0, "")
    assert last in {message.get("id") for message in host.rest()}


@pytest.mark.parametrize("number", [0, signal.SIGTERM])
def test_it_ends_although_a_call_ran_another_program(  # C29b, C30
    serve: Callable[..., Host], memories: Memories, number: int
) -> None:
    # What runs a program imports `threading`, and the interpreter's end waits for the thread that did so first.
    host = serve()
    assert "approval_token" in host.data("engram_save", text="Clean the oven on Mondays.", type="rule")
    if number:
        host.process.send_signal(number)

    assert host.close() == (0, "")


def test_both_eras_interleaved_in_one_process(serve: Callable[..., Host], memories: Memories) -> None:  # C16
    memories.add("rule", "oven", "- Clean the oven.")
    host = serve()
    host.handshake("2024-11-05")
    legacy = host.request("tools/call", {"name": "engram_load", "arguments": {"query": "oven"}})["result"]
    modern = host.modern("tools/call", {"name": "engram_load", "arguments": {"query": "oven"}})["result"]

    assert (modern["resultType"], "resultType" in legacy) == ("complete", False)
    assert modern["structuredContent"] == legacy["structuredContent"]
    found = host.modern("resources/list")["result"]
    assert (found["cacheScope"], found["ttlMs"] >= 0) == ("private", True)
    assert host.modern("tools/list")["result"]["cacheScope"] == "public"
    assert MODERN in host.modern("server/discover")["result"]["supportedVersions"]
