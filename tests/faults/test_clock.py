"""A clock that goes back, by seconds or by years: nothing is lost, hidden, or approved twice."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from tests.contract.conftest import Host, installed_server
from tests.contract.people import data_of, saved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Runner, Scratch

# Every process that finds this on its path sees another time; so no library has to be installed for it.
CLOCK = """
import os, time
offset = float(os.environ.get("CLOCK_OFFSET", "0"))
if offset:
    real, real_ns = time.time, time.time_ns
    local, utc, text = time.localtime, time.gmtime, time.strftime
    time.time = lambda: real() + offset
    time.time_ns = lambda: real_ns() + int(offset * 1e9)
    time.localtime = lambda at=None: local(time.time() if at is None else at)
    time.gmtime = lambda at=None: utc(time.time() if at is None else at)
    time.strftime = lambda form, at=None: text(form, time.localtime() if at is None else at)
"""
DAY = 24 * 3600
# Seconds after the real time, one after the other: the clock was far ahead, is set right, and goes on falling back.
BACKWARDS = (40 * DAY, 2 * DAY, 3600, 0, -5, -3600, -DAY, -400 * DAY, -(30 * 365) * DAY)


@pytest.fixture
def clock(tmp_path: Path) -> Callable[[float], dict[str, str]]:
    """Return a function that gives the variables of a process whose clock is so many seconds ahead."""
    folder = tmp_path / "clock"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(CLOCK, encoding="utf-8", newline="\n")

    def ahead(seconds: float) -> dict[str, str]:
        return {"PYTHONPATH": str(folder), "CLOCK_OFFSET": str(seconds)}

    return ahead


@pytest.fixture
def serve(scratch: Scratch, workspace: Path) -> Iterator[Callable[[dict[str, str]], Host]]:
    """Return a function that starts the real ``engram-mcp`` with some variables."""
    hosts: list[Host] = []

    def run(env: dict[str, str]) -> Host:
        hosts.append(Host(installed_server(), environ=scratch.env, env=env, cwd=workspace))
        hosts[-1].handshake()
        return hosts[-1]

    yield run
    for host in hosts:
        host.stop()


def test_every_save_is_there_and_given_at_once_while_the_clock_goes_back(
    engram: Runner, workspace: Path, clock: Callable[[float], dict[str, str]]
) -> None:
    engram.ok("inject")
    root = workspace / ".agents" / ".engram"
    days = set()
    for number, offset in enumerate(BACKWARDS):
        env = clock(offset)
        engram.save("rule", f"Gate number {number} is locked at night.", env=env)
        engram.save(f"Key number {number} opens it.", "--update", "gate-number-0-is-locked-at-night", env=env)
        text = (root / "rules" / f"gate-number-{number}-is-locked-at-night.md").read_text(encoding="utf-8")
        days.add(re.search(r"created: (\S+)", text).group(1))  # type: ignore[union-attr]
        given = engram.json("load", f"gate number {number}", env=env)["data"]["selected_keys"]
        assert f"gate-number-{number}-is-locked-at-night" in given, offset
        assert engram.run("verify", env=env).returncode == 0
    assert len(days) > 4, "the clock did not go back"
    first = (root / "rules" / "gate-number-0-is-locked-at-night.md").read_text(encoding="utf-8")
    assert f"revision: {len(BACKWARDS) + 1}\n" in first
    log = (root / "changelog.md").read_text(encoding="utf-8")
    assert log.count("add rule") == len(BACKWARDS)
    assert len(engram.json("list")["data"]["memories"]) == len(BACKWARDS)
    assert engram.ok("repair") == "Nothing is damaged.\n"


@pytest.mark.parametrize("later", [0, -60, -3600, -2 * DAY, -400 * DAY])
def test_an_approval_is_redeemed_once_though_the_clock_goes_back(
    engram: Runner,
    workspace: Path,
    serve: Callable[[dict[str, str]], Host],
    clock: Callable[[float], dict[str, str]],
    later: float,
) -> None:  # A2
    engram.ok("inject")
    token = data_of(serve({}).call("engram_save", text="Deploy on Monday.", type="rule"))["approval_token"]
    log = workspace / ".agents" / ".engram" / "changelog.md"
    commits = [serve(clock(later + step)).call for step in (0, -10, 10, -DAY)]
    results = [call("engram_commit", approval_token=token, approve="all") for call in commits]
    assert sum(not result["isError"] and len(saved(result)) for result in results) <= 1
    assert log.read_text(encoding="utf-8").count("add rule") <= 1
    if later == 0:
        assert saved(results[0]) == ["deploy-on-monday"]
    rules = os.listdir(workspace / ".agents" / ".engram" / "rules")
    assert len(rules) == log.read_text(encoding="utf-8").count("add rule")
    assert engram.run("review").returncode == 0


def test_a_file_that_was_edited_by_hand_is_seen_whatever_its_time_says(engram: Runner, workspace: Path) -> None:
    engram.ok("inject")
    engram.save("rule", "The gate is locked at night.")
    path = workspace / ".agents" / ".engram" / "rules" / "the-gate-is-locked-at-night.md"
    data, stamp = path.read_bytes(), path.stat()
    task = "is the gate locked at night?"
    for when in (stamp.st_mtime_ns, stamp.st_mtime_ns - 10**9, 0, stamp.st_mtime_ns + 10**15):
        assert engram.json("load", task)["data"]["selected_keys"] == [path.stem]
        path.write_bytes(data.replace(b"locked", b"opened"))
        os.utime(path, ns=(when, when))
        assert engram.json("load", task)["data"]["selected_keys"] == [], when
        assert "opened at night" not in engram.ok("load", task)
        path.write_bytes(data)
        os.utime(path, ns=(when, when))
