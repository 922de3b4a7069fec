"""E1 and F16: several processes write one root; nothing is lost, and waiting has a limit that names the holder."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

SAVES = 50
WRITER = """
import subprocess, sys
name, count, *command = sys.argv[1:]
for number in range(int(count)):
    text = f"Writer {name} keeps fact number {number}."
    done = subprocess.run([*command, "save", "knowledge", text], input=b"A\\n", capture_output=True)
    if done.returncode:
        sys.exit(done.stdout.decode() + done.stderr.decode())
"""


@pytest.mark.slow
def test_two_processes_saving_fifty_each_leave_a_hundred_memories_and_ledger_lines(
    engram: Runner, workspace: Path
) -> None:
    engram.ok("inject")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name, str(SAVES), *engram.command],
            cwd=engram.cwd,
            env=engram.scratch.env,
            stderr=subprocess.PIPE,
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        _, said = writer.communicate(timeout=300)
        assert writer.returncode == 0, said.decode()
    root = workspace / ".agents" / ".engram"
    assert len(os.listdir(root / "knowledge")) == 2 * SAVES
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) == 2 * SAVES
    assert lines == sorted(lines, key=lambda line: line[66:])
    changes = (root / "changelog.md").read_text(encoding="utf-8").splitlines()
    assert sum("add knowledge" in line for line in changes) == 2 * SAVES
    assert engram.run("verify").returncode == 0


def test_a_held_lock_ends_in_an_error_that_names_the_holder(engram: Runner, workspace: Path) -> None:  # F16
    engram.ok("inject")
    lock = workspace / ".agents" / ".engram" / ".lock"
    with lock.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{os.getpid()} this-host\n")
        file.flush()
        begun = time.monotonic()
        done = engram.run("save", "rule", "Wait for me.", input="A\n", env={"ENGRAM_LOCK_TIMEOUT": "1"})
        waited = time.monotonic() - begun
    assert done.returncode == 1
    assert f"process {os.getpid()} on this-host" in done.stderr
    assert "lock.timeout" in done.stderr
    assert waited < 5 * 5
    assert os.listdir(workspace / ".agents" / ".engram" / "rules") == []


def test_what_stands_in_the_lock_file_decides_nothing(engram: Runner, workspace: Path) -> None:  # F16
    engram.ok("inject")
    (workspace / ".agents" / ".engram" / ".lock").write_text("1 another-host\n", encoding="utf-8")
    engram.save("rule", "A dead holder frees the lock.")


def test_reading_does_not_wait_for_a_writer(engram: Runner, workspace: Path) -> None:
    engram.ok("inject")
    engram.save("rule", "Readers never wait.")
    with (workspace / ".agents" / ".engram" / ".lock").open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "Readers never wait" in engram.ok("load", "do readers wait?")
