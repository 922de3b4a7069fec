"""E: several processes use one root, and its index may be anything: nothing is lost, and every question is answered.

====  ==========================================================================================================
E1    test_two_servers_saving_fifty_each_beside_a_rebuild_leave_a_hundred_memories_and_ledger_lines,
      test_two_processes_saving_fifty_each_leave_…; 8 writers with readers and a rebuild: tests/faults
E2    test_a_damaged_index_is_survived_and_the_answer_is_the_same, test_an_index_that_another_program_holds_…,
      test_every_question_to_an_index_with_a_table_gone_is_answered_from_the_files_…
====  ==========================================================================================================
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Runner
    from tests.contract.conftest import Host, Memories


def index_of(root: Path) -> Path:
    return root / ".cache" / "index.sqlite"


@pytest.fixture
def remembered(engram: Runner, memories: Memories) -> Runner:
    """Fill a memory, and let its index be made."""
    memories.add("rule", "use-pnpm", "- Use pnpm for every install of a package.")
    memories.add("skill", "release", "- Cut a release from the main branch.", depends_on="[use-pnpm]")
    engram.ok("load", "install a package")
    return engram


QUESTIONS = ((), ("status",), ("load", "install a package"), ("search", "install"), ("route", "install a package"))
SAVES = 50
WRITER = """
import subprocess, sys
name, count, *command = sys.argv[1:]
for number in range(int(count)):
    text = f"{name} {number} is kept."
    done = subprocess.run([*command, "save", "knowledge", text], input=b"A\\n", capture_output=True)
    if done.returncode:
        sys.exit(done.stdout.decode() + done.stderr.decode())
"""


@pytest.mark.slow
def test_two_processes_saving_fifty_each_leave_a_hundred_memories_and_ledger_lines(
    engram: Runner, workspace: Path
) -> None:  # E1
    engram.ok("inject")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name, str(SAVES), *engram.command],
            cwd=engram.cwd,
            env=engram.scratch.env,
            stderr=subprocess.PIPE,
        )
        for name in ("Lantern", "Pelican")
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


@pytest.mark.slow
def test_two_servers_saving_fifty_each_beside_a_rebuild_leave_a_hundred_memories_and_ledger_lines(
    engram: Runner, serve: Callable[..., Host], root: Path
) -> None:  # E1, but for the panel
    failures: list[str] = []
    over = threading.Event()

    def save(name: str) -> None:
        host = serve()
        host.handshake()
        for number in range(SAVES):
            text = f"{name} {number} is kept."
            token = host.data("engram_save", text=text, type="knowledge")["approval_token"]
            said = host.text("engram_commit", approval_token=token, approve="all")
            if "Saved 1 of 1" not in said:
                failures.append(said)

    def rebuild() -> None:
        while not over.is_set():
            shutil.rmtree(root / ".cache", ignore_errors=True)
            done = engram.run("status", "--deep")
            if done.returncode or "Traceback" in done.stderr:
                failures.append(done.stdout + done.stderr)

    beside = threading.Thread(target=rebuild)
    beside.start()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(save, ("Lantern", "Pelican")))
    over.set()
    beside.join()
    assert failures == []
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert len(os.listdir(root / "knowledge")) == len(lines) == len(set(lines)) == 2 * SAVES
    assert engram.run("verify").returncode == 0
    assert len(engram.json("list")["data"]["memories"]) == 2 * SAVES


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


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def to_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def to_newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version = 9999")
    connection.commit()
    connection.close()


def without_tables(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("drop table postings")
    connection.commit()
    connection.close()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "zero bytes": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "garbage": lambda path: path.write_bytes(b"no database" * 1000),
    "folder": to_folder,
    "newer version": to_newer,
    "a table gone": without_tables,
    "gone": lambda path: path.unlink(),
    "pipe": to_pipe,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_survived_and_the_answer_is_the_same(
    remembered: Runner, root: Path, damage: str
) -> None:  # E2
    before = remembered.ok("load", "install a package")
    DAMAGES[damage](index_of(root))
    assert remembered.ok("load", "install a package") == before
    assert remembered.ok("load", "install a package") == before


@pytest.mark.parametrize("table", ["memories", "postings", "problems", "sequences", "terms"])
def test_every_question_to_an_index_with_a_table_gone_is_answered_from_the_files_and_the_next_from_a_new_index(
    remembered: Runner, root: Path, table: str
) -> None:  # E2
    for question in QUESTIONS:
        before = remembered.ok(*question)
        connection = sqlite3.connect(index_of(root))
        connection.execute(f"drop table {table}")
        connection.commit()
        connection.close()
        done = remembered.run(*question)
        assert (done.returncode, done.stdout) == (0, before), (question, done.stderr)
        assert "Traceback" not in done.stderr
        assert remembered.ok("load", "install a package")
        assert "one by one" not in remembered.run("load", "install a package").stderr


def test_an_index_that_another_program_holds_is_survived(remembered: Runner, root: Path) -> None:  # E2
    before = remembered.ok("load", "install a package")
    connection = sqlite3.connect(index_of(root))
    connection.execute("begin exclusive")
    try:
        assert remembered.ok("load", "install a package") == before
    finally:
        connection.close()
