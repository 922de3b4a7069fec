"""A: approval binds to what a human saw, once.

The chat, the dialog and the command line reach the same memory here, as they do at somebody's desk.

====  ==========================================================================================================
A1    test_each_of_three_is_judged_against_the_memory_as_it_is_now
A2    test_a_token_is_used_once_by_whoever_comes, and in two processes at once: test_a_hundred_kills_between_…
A3    test_words_of_approval_in_a_text_approve_nothing
A4    test_the_counts_stand_in_status_the_overview_and_the_tool_of_agents, test_241_proposals_that_nobody_saw_…
A5    test_a_client_that_never_shows_its_dialog_gets_the_token_in_time
====  ==========================================================================================================
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.acceptance import waiting
from tests.contract.conftest import Host, installed_server
from tests.contract.people import (
    THREE,
    THREE_IDS,
    Legacy,
    Modern,
    data_of,
    failure_of,
    inbox_of,
    lines,
    names_in,
    saved,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Runner, Scratch

KILLS = 100


@pytest.fixture
def host(serve: Callable[..., Host], root: Path) -> Host:
    """Return a server for a client without dialogs, in a workspace with an empty memory."""
    assert names_in(root) == []
    host = serve()
    host.handshake()
    return host


def propose(host: Host, text: str = THREE, **arguments: Any) -> str:
    """Propose candidate lines, and return the token."""
    token: str = data_of(host.call("engram_save_session", text=text, **arguments))["approval_token"]
    return token


def test_each_of_three_is_judged_against_the_memory_as_it_is_now(host: Host, root: Path, engram: Runner) -> None:  # A1
    engram.save("rule", "The oven is cleaned with vinegar.")
    engram.save("rule", "The door stays open.")
    oven, door = names_in(root)[1], names_in(root)[0]
    token = propose(
        host,
        f"TYPE: rule | TEXT: Soda works too. | UPDATE: {oven}\n"
        f"TYPE: rule | TEXT: The gate is locked. | SUPERSEDES: {door}\n"
        "TYPE: rule | TEXT: Bake the bread at dawn.",
    )
    edited = root / "rules" / f"{oven}.md"
    edited.write_text(edited.read_text(encoding="utf-8") + "- By hand.\n", encoding="utf-8", newline="\n")
    (root / "rules" / f"{door}.md").unlink()
    result = host.call("engram_commit", approval_token=token, approve="all")

    assert saved(result) == [THREE_IDS[0]]
    reasons = [row["reason"] for row in data_of(result)["outcomes"] if not row["saved"]]
    assert oven in reasons[0]
    assert door in reasons[1]
    assert oven in text_of(result), "what was kept is named"
    assert door in text_of(result)
    assert {one["candidate"]["text"] for one in inbox_of(root)} == {"Soda works too.", "The gate is locked."}
    assert "Soda" not in edited.read_text(encoding="utf-8")


def test_a_token_is_used_once_by_whoever_comes(host: Host, serve: Callable[..., Host], root: Path) -> None:  # A2
    token = propose(host)
    assert len(saved(host.call("engram_commit", approval_token=token, approve="all"))) == 3
    log = (root / "changelog.md").read_bytes()

    for other in (host, serve()):
        assert "used already" in failure_of(other.call("engram_commit", approval_token=token, approve="all"))
    assert (root / "changelog.md").read_bytes() == log


def test_words_of_approval_in_a_text_approve_nothing(host: Host, root: Path, engram: Runner) -> None:  # A3
    said = 'No. Do not answer "A", "approve all" or engram_commit; I decline.'
    token = propose(host, lines(said))

    for approve in (said, "no: all", 'not "all"'):
        failure_of(host.call("engram_commit", approval_token=token, approve=approve))
    for answer in (f"{said}\n", "No, A is wrong\n", "approve all\n", "yes\n", "AA\n", ""):
        assert engram.run("save", "rule", said, input=answer).returncode == 5
    assert names_in(root) == []


def test_the_counts_stand_in_status_the_overview_and_the_tool_of_agents(engram: Runner, root: Path) -> None:  # A4
    waiting.propose(engram, waiting.FRIDAY, waiting.CENTS)
    waiting.propose(engram, waiting.UPLOADS)
    waiting.defer(engram, "TYPE: knowledge | TEXT: The build runs on Node 22.")
    sentence = "2 proposals wait, 1 deferred: engram review"
    assert sentence in engram.ok("status")
    assert sentence in engram.ok()
    assert "Next: engram review" in engram.ok()
    state = engram.json("status")["data"]["roots"][0]
    assert (state["proposals"], state["proposals_expired"], state["deferred"]) == (2, 0, 1)
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(root.parent.parent)})
    assert sentence in engram.ok("hook", "claude", input=event)  # A4
    result = waiting.mcp(engram, "engram_status")
    assert sentence in result["content"][0]["text"]
    assert sentence in result["structuredContent"]["data"]["text"]


def test_241_proposals_that_nobody_saw_are_all_counted_and_listed_as_expired(engram: Runner, root: Path) -> None:  # A4
    waiting.propose(engram, waiting.FRIDAY)
    waiting.age(engram, root, 20 * 24 * 3600 + 1900, copies=241)
    assert "241 proposals expired: engram review" in engram.ok("status")
    found = waiting.items(engram)
    assert len(found) == 241
    assert {item["state"] for item in found} == {"expired"}
    assert len({item["name"] for item in found}) == 241
    assert "expired 20 days ago" in engram.ok("review")


def test_a_client_that_never_shows_its_dialog_gets_the_token_in_time(
    serve: Callable[..., Host], root: Path
) -> None:  # A5
    era = Legacy(serve(ENGRAM_MCP_DIALOG_TIMEOUT="1"))
    number = era.host.start_request("tools/call", {"name": "engram_save_session", "arguments": {"text": THREE}})
    result = era.result(number)

    assert text_of(result).startswith("nothing was saved")
    token = data_of(result)["approval_token"]
    assert saved(era.call("engram_commit", approval_token=token, approve="all")) == names_in(root) == THREE_IDS


def test_every_way_of_approval_writes_the_same_bytes(scratch: Scratch, tmp_path: Path) -> None:  # C39: one write path
    from tests.conftest import Runner as Other
    from tests.conftest import make_repository

    folders = []
    for way in ("token", "dialog", "force", "pipe"):
        folder = make_repository(scratch, tmp_path / way)
        runner = Other(scratch, folder)
        runner.ok("inject")
        if way == "force":
            runner.ok("save-session", "--file", "-", "--force", input=THREE)
        elif way == "pipe":
            (folder / "c.txt").write_text(THREE, encoding="utf-8")
            runner.ok("save-session", "--file", "c.txt", input="A\n")
        else:
            host = Host(installed_server(), environ=scratch.env, cwd=folder)
            try:
                if way == "dialog":
                    Modern(host).ask("engram_save_session", text=THREE).accept()
                else:
                    host.call("engram_commit", approval_token=propose(host), approve="all")
            finally:
                host.stop()
        folders.append((way, folder / ".agents" / ".engram"))
    written = []
    for way, folder in folders:
        log = (folder / "changelog.md").read_text(encoding="utf-8")
        assert log.count(f"({way})") == 3, log
        written.append({path.name: path.read_bytes() for path in (folder / "rules").iterdir()})
    assert written[0] == written[1] == written[2] == written[3]
    assert sorted(written[0]) == [f"{name}.md" for name in THREE_IDS]


def test_an_accept_after_which_the_folder_cannot_be_written_claims_nothing(
    serve: Callable[..., Host], root: Path
) -> None:  # B1
    dialog = Modern(serve()).ask("engram_save", text="Bake the bread.", type="rule")
    rules = root / "rules"
    rules.rmdir()
    rules.write_text("a file in the place of the folder", encoding="utf-8")
    said = failure_of(dialog.accept())

    assert "rules" in said
    assert "aved" not in said.replace("othing was saved", "").replace("othing was written", "")
    assert rules.is_file()
    assert not (root / "SHA256SUMS").exists()


# Killed between approval and reply


def whole(path: Path, number: int) -> bool:
    """Tell whether a memory is there, all of it."""
    if not path.exists():
        return False
    data = path.read_bytes()
    assert data.startswith(b"---\n")
    assert data.endswith(f"- Lamp {number} hangs over table {number * 7}.\n".encode())
    return True


@pytest.mark.slow
def test_a_hundred_kills_between_approval_and_reply_write_all_or_nothing_and_no_token_works_twice(
    scratch: Scratch, workspace: Path, root: Path, engram: Runner
) -> None:
    dice = random.Random(20261202)
    wrote = lost = 0
    usual = 0.0
    for number in range(KILLS):
        host = Host(installed_server(), environ=scratch.env, cwd=workspace, stderr=subprocess.DEVNULL)
        text = f"Lamp {number} hangs over table {number * 7}."
        modern = number % 2 == 1
        try:
            token = ""
            if modern:
                dialog = Modern(host).ask("engram_save", text=text, type="rule")
                message = {
                    "name": "engram_save",
                    "arguments": {"text": text, "type": "rule"},
                    "_meta": Modern(host).meta,
                    "requestState": dialog.state,
                    "inputResponses": {
                        "approval": {"action": "accept", "content": {"candidate_1": True, "scope": "workspace"}}
                    },
                }
            else:
                token = propose(host, lines(text))
                message = {"name": "engram_commit", "arguments": {"approval_token": token, "approve": "all"}}
            if number < 2:
                began = time.monotonic()
                host.request("tools/call", message)
                usual = max(usual, time.monotonic() - began)
                wrote += 1
                continue
            host.start_request("tools/call", message)
            time.sleep(dice.uniform(0, 1.2) * usual)
            host.process.send_signal(signal.SIGKILL)
            host.ended()
            replied = any("Saved 1 of 1." in json.dumps(message) for message in host.rest())
        finally:
            host.stop()
        (memory,) = [f"lamp-{number}-hangs-over-table-{number * 7}"]
        path = root / "rules" / f"{memory}.md"
        assert engram.run("verify").returncode == 0
        there = whole(path, number)
        assert there or not replied, "it said that it was saved"
        wrote, lost = wrote + there, lost + (not there)
        if token:
            second = redeem_again(scratch, workspace, token)
            if there:
                assert "used already" in second
                assert whole(path, number)
            else:
                assert "Saved 1 of 1." in second or "used already" in second
                assert "used already" in redeem_again(scratch, workspace, token)
        assert not (root / "rules" / f"{memory}-2.md").exists()
    assert wrote > 2, "every call was killed before it could write: the moments are not random"
    assert lost > 0, "no call was killed: the moments are not random"
    ledger = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert sorted(line[66:] for line in ledger) == sorted(f"rules/{name}" for name in os.listdir(root / "rules"))
    for line in ledger:
        assert hashlib.sha256((root / line[66:]).read_bytes()).hexdigest() == line[:64]
    log = re.findall(r" rules/(\S+)\.md: add", (root / "changelog.md").read_text(encoding="utf-8"))
    assert sorted(log) == sorted(set(log)) == names_in(root)


def redeem_again(scratch: Scratch, workspace: Path, token: str) -> str:
    """Try a token in a new server, and return what it says."""
    host = Host(installed_server(), environ=scratch.env, cwd=workspace)
    try:
        return text_of(host.call("engram_commit", approval_token=token, approve="all"))
    finally:
        host.stop()
