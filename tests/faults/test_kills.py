"""B3: commands of every kind are killed at random moments, with edits by hand in between; nothing is lost or half."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

pytestmark = pytest.mark.slow
KILLS = 500 if os.environ.get("FAULTS") == "all" else 60  # `scripts/faults` kills five hundred
FOLDERS = ("rules", "skills", "knowledge", "archive")


def memory_files(root: Path) -> dict[str, bytes]:
    """Return every file that the ledger vouches for, or should."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*.md"))
    }


def ledger_of(root: Path) -> dict[str, str]:
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return {line[66:]: line[:64] for line in lines}


class Story:
    """Commands one after the other, each killed at a random moment, and what has to be true after each of them."""

    def __init__(self, engram: Runner, root: Path) -> None:
        self.engram = engram
        self.root = root
        self.rng = random.Random(20261203)
        self.done = self.healed = 0
        self.edited: dict[str, bytes] = {}

    def words(self, number: int) -> tuple[list[str], str]:
        """Return a command and its input."""
        live = [path for path in memory_files(self.root) if not path.startswith("archive") and path not in self.edited]
        kind = self.rng.choice(["save", "save", "update", "archive", "supersede", "note", "config", "session"])
        if kind in {"update", "archive", "supersede"} and len(live) < 4:
            kind = "save"
        name = os.path.basename(self.rng.choice(live or [""])).removesuffix(".md")
        match kind:
            case "save":
                return ["save", "rule", f"Rule number {number} holds; it has a reason of its own."], "A\n"
            case "update":
                return ["save", f"And sentence number {number} belongs to it.", "--update", name], "A\n"
            case "supersede":
                return ["save", "rule", f"Rule number {number} is the better one.", "--supersedes", name], "A\n"
            case "archive":
                return ["archive", name, "--reason", f"reason {number}"], ""
            case "note":
                return ["note", f"The build of day {number} is slow.", "--objective", f"build-{number}"], "A\n"
            case "config":
                return ["config", "set", "load.limit", str(1 + number % 20)], ""
            case _:
                lines = "\n".join(f"TYPE: knowledge | TEXT: Fact {number} of {part} is known." for part in "abc")
                return ["save-session", "--file", "-", "--force"], lines

    def killed(self, number: int, usual: float) -> None:
        """Run one command, kill it, and look at what it left."""
        words, given = self.words(number)
        before = memory_files(self.root)
        process = subprocess.Popen(
            [*self.engram.command, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            cwd=self.engram.cwd, env=self.engram.scratch.env,
        )  # fmt: skip
        assert process.stdin
        assert process.stdout
        process.stdin.write(given.encode())
        process.stdin.close()
        if number % 3:
            time.sleep(self.rng.uniform(0.4, 1.2) * usual)
        else:
            while process.poll() is None and not (self.root / ".journal" / "open.json").exists():
                pass
        process.send_signal(signal.SIGKILL)
        said = process.stdout.read().decode()
        process.stdout.close()
        self.done += process.wait(timeout=60) == 0
        for path, data in memory_files(self.root).items():
            assert data.startswith((b"---\n", b"<!-- ")), f"{path} is not whole after kill {number} of {words}"
            assert data.endswith(b"\n"), f"{path} is cut after kill {number} of {words}"
        reader = self.engram.run("list")
        assert reader.returncode == 0, reader.stderr
        self.healed += "an interrupted write" in reader.stderr
        assert not (self.root / ".journal" / "open.json").exists()
        after, ledger = memory_files(self.root), ledger_of(self.root)
        assert set(ledger) == set(after), (words, said)
        for path, value in ledger.items():
            if path not in self.edited:
                assert hashlib.sha256(after[path]).hexdigest() == value, (path, words, said)
        for path, data in self.edited.items():
            assert after[path] == data, "what somebody edits by hand is theirs"
        if process.returncode == 0 and ("Saved" in said or "Archived" in said):
            assert after != before or words[0] == "note", (words, said)

    def edit(self, number: int) -> None:
        """Let a person edit a file, who keeps its size and its time: nothing but its bytes tells."""
        live = [path for path in memory_files(self.root) if path.startswith("rules") and path not in self.edited]
        if not live:
            return
        path = self.root / self.rng.choice(live)
        stamp, data = path.stat(), path.read_bytes()
        with path.open("r+b") as file:
            file.seek(-3, os.SEEK_END)
            file.write(b"!!")
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        name = path.relative_to(self.root).as_posix()
        self.edited[name] = path.read_bytes()
        assert self.edited[name] != data
        shown = self.engram.run("load", "--id", path.stem)
        assert shown.returncode in {4, 7}, f"{name} was edited by hand at {number}, and given all the same"
        if self.rng.random() < 0.7:  # and thinks better of it
            path.write_bytes(data)
            del self.edited[name]


def test_kills_at_random_moments_of_every_command_lose_nothing(engram: Runner, workspace: Path) -> None:
    engram.ok("inject")
    root = workspace / ".agents" / ".engram"
    for number in range(4):
        began = time.monotonic()
        engram.save("rule", f"Ground rule {number} stands from the start.")
        usual = time.monotonic() - began
    story = Story(engram, root)
    for number in range(KILLS):
        story.killed(number, usual)
        if number % 10 == 9:
            story.edit(number)
    assert story.done, "every command was killed before it could finish: the moments are not random"
    assert story.done < KILLS, "no command was killed: the moments are not random"
    assert story.healed, "no kill ever left an open journal: nothing was healed"
    engram.save("rule", "The next save works as if nothing had happened.")
    assert os.listdir(root / ".journal") == []
    print(f"{KILLS} kills, {story.done} commands were over before, {story.healed} times healed")  # noqa: T201
