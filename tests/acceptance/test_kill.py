"""B3: a process killed in the middle of a save leaves the old or the new state, and the next command heals the rest."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

KILLS = 200
# Saves that nobody kills, before the others.
KEPT = 3


def start_save(engram: Runner, number: int, said: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*engram.command, "save", "rule", f"Rule number {number} holds; it has a reason of its own."],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=said,
        cwd=engram.cwd,
        env=engram.scratch.env,
    )


def ledger_of(root: Path) -> dict[str, str]:
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines() if (root / "SHA256SUMS").exists() else []
    return {line[66:]: line[:64] for line in lines}


@pytest.mark.slow
def test_two_hundred_kills_at_random_moments_lose_nothing_and_leave_no_part(
    engram: Runner, workspace: Path, tmp_path: Path
) -> None:
    engram.ok("inject")
    # What every save says goes to one file, so that what a later one heals is seen.
    with open(tmp_path / "said", "a+b") as said:
        kill_saves(engram, workspace, said)
        said.seek(0)
        healed = said.read().count(b"an interrupted write")
    assert healed, "no kill ever left an open journal: nothing was healed"


def kill_saves(engram: Runner, workspace: Path, said: IO[bytes]) -> None:
    """Kill ``KILLS`` saves and check after each one that every memory is whole."""
    root = workspace / ".agents" / ".engram"
    rng = random.Random(20261202)
    usual = 0.0
    acknowledged = set()
    for number in range(KEPT):  # the first has no memory to be compared with, and is over sooner than the others
        began = time.monotonic()
        done = start_save(engram, number, said)
        done.communicate(b"A\n", timeout=60)
        assert done.returncode == 0
        usual = time.monotonic() - began
        acknowledged.add(f"rules/rule-number-{number}-holds.md")
    for number in range(KEPT, KEPT + KILLS):
        process = start_save(engram, number, said)
        assert process.stdin
        process.stdin.write(b"A\n")
        process.stdin.close()
        # Most of the time goes into starting; the second half of a save is where it writes.
        if number % 5:
            time.sleep(rng.uniform(0.35, 1.15) * usual)
        else:  # in the middle of its writing, which is soon over
            while process.poll() is None and not (root / ".journal" / "open.json").exists():
                pass
        process.send_signal(signal.SIGKILL)
        if process.wait(timeout=60) == 0:
            acknowledged.add(f"rules/rule-number-{number}-holds.md")
        if number % 2 and (root / ".journal" / "open.json").exists():
            # The next save may be killed before it can say that it healed; a reader says so too, and in peace.
            said.write(engram.run("list").stderr.encode())
            said.flush()
        for name in os.listdir(root / "rules"):
            data = (root / "rules" / name).read_bytes()
            which = name.removeprefix("rule-number-").removesuffix("-holds.md")
            assert data.startswith(b"---\n"), f"{name} is no whole memory after kill {number}"
            assert data.endswith(f"- Rule number {which} holds; it has a reason of its own.\n".encode())
    healed = engram.run("verify")
    assert healed.returncode == 0, healed.stdout + healed.stderr
    ledger = ledger_of(root)
    on_disk = {f"rules/{name}" for name in os.listdir(root / "rules")}
    assert acknowledged <= on_disk
    assert set(ledger) == on_disk
    assert len(acknowledged) > KEPT, "every save was killed before it could finish: the moments are not random"
    assert len(acknowledged) < KEPT + KILLS, "no save was killed: the moments are not random"
    for path, value in ledger.items():
        assert hashlib.sha256((root / path).read_bytes()).hexdigest() == value
    engram.save("rule", "The next save works as if nothing had happened.")
    assert os.listdir(root / ".journal") == []
