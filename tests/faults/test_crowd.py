"""E1: many writers, two readers and a rebuild at once: every save is there, every reader is answered, nothing fails."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

pytestmark = pytest.mark.slow
WHOLE = os.environ.get("FAULTS") == "all"
WRITERS = 8
SAVES = 100 if WHOLE else 6  # `scripts/faults` lets each writer save a hundred times
WRITER = """
import subprocess, sys
name, count, *command = sys.argv[1:]
for number in range(int(count)):
    text = f"Writer {name} keeps fact number {number}."
    done = subprocess.run([*command, "save", "knowledge", text], input=b"A\\n", capture_output=True)
    if done.returncode or b"Traceback" in done.stderr:
        sys.exit(done.stdout.decode() + done.stderr.decode())
"""


def test_eight_writers_two_readers_and_a_rebuild_lose_nothing(engram: Runner, workspace: Path) -> None:
    engram.ok("inject")
    root = workspace / ".agents" / ".engram"
    began = time.monotonic()
    # Eight processes that never rest may starve one of them: the limit of waiting is another test's matter.
    env = {**engram.scratch.env, "ENGRAM_LOCK_TIMEOUT": "120"}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(name), str(SAVES), *engram.command], cwd=engram.cwd, env=env,
            stderr=subprocess.PIPE,
        )
        for name in range(WRITERS)
    ]  # fmt: skip
    over = threading.Event()
    failures: list[str] = []
    asked = {"readers": 0, "rebuilds": 0}

    def read(*words: str) -> None:
        while not over.is_set():
            done = engram.run(*words)
            asked["readers"] += 1
            if done.returncode or "SKIPPED" in done.stdout or "Traceback" in done.stderr:
                failures.append(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")

    def rebuild() -> None:
        while not over.is_set():
            shutil.rmtree(root / ".cache", ignore_errors=True)
            done = engram.run("status", "--deep")
            asked["rebuilds"] += 1
            if done.returncode or "Traceback" in done.stderr:
                failures.append(f"rebuild: {done.returncode}\n{done.stdout}\n{done.stderr}")

    beside = [threading.Thread(target=read, args=words) for words in (("load", "which fact is kept?"), ("list",))]
    beside.append(threading.Thread(target=rebuild))
    for thread in beside:
        thread.start()
    said = [writer.communicate()[1].decode() for writer in writers]
    over.set()
    for thread in beside:
        thread.join()

    assert said == [""] * WRITERS
    assert failures == []
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    files = sorted((root / "knowledge").iterdir())
    assert len(files) == len(lines) == len(set(lines)) == WRITERS * SAVES
    for line in lines:
        assert hashlib.sha256((root / line[66:]).read_bytes()).hexdigest() == line[:64]
    log = (root / "changelog.md").read_text(encoding="utf-8")
    assert log.count("add knowledge") == WRITERS * SAVES
    assert engram.run("verify").returncode == 0
    assert engram.ok("repair") == "Nothing is damaged.\n"
    assert os.listdir(root / ".journal") == []
    print(f"{WRITERS * SAVES} memories, {len(lines)} ledger lines, {asked}, {time.monotonic() - began:.0f} s")  # noqa: T201
