"""B: what cannot be written whole is an error that says why; "saved" is never said of less than that.

====  ==========================================================================================================
B1    test_a_read_only_folder_…, test_a_folder_without_write_permission_…, test_a_file_where_the_folder_belongs_…
B2    test_a_body_of_200_kb_is_kept_whole_and_a_bigger_one_refused_…, test_the_limit_is_of_bytes_and_nothing_is_cut_…
B3    test_two_hundred_kills_at_random_moments_lose_nothing_and_leave_no_part; more of them: tests/faults
B4    test_a_full_disk_leaves_the_old_state_and_says_so; at every call of the system: tests/faults
====  ==========================================================================================================
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING

import pytest

from engram.errors import UsageError
from engram.proposals.candidates import Candidate
from engram.service.saving import apply, propose
from engram.service.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Runner

BLOCK = 4096  # a page, which is what a file of any size takes at least on a tmpfs


class Disks:
    """A mount namespace of its own: what is mounted in it is seen by the commands run in it, and ends with them."""

    def __init__(self, holder: subprocess.Popen[bytes]) -> None:
        user = ["--user", "--preserve-credentials"] if os.geteuid() else []
        self.enter = ["nsenter", "--target", str(holder.pid), "--mount", *user, "--"]
        self._root = f"/proc/{holder.pid}/root"

    def mount(self, *args: str | Path) -> None:
        done = subprocess.run(
            [*self.enter, "mount", *map(str, args)], capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode:
            pytest.skip(f"this machine does not let a test mount anything: {done.stderr.strip()}")

    def seen(self, path: Path) -> Path:
        """Return the path by which this process reaches a file inside."""
        return type(path)(f"{self._root}{path}")

    def runner(self, engram: Runner) -> Runner:
        inside = type(engram)(engram.scratch, engram.cwd)
        inside.command = [*self.enter, "sh", "-c", 'cd "$0" && exec "$@"', str(engram.cwd), *engram.command]
        return inside


@pytest.fixture
def disks() -> Iterator[Disks]:
    if not shutil.which("unshare") or not shutil.which("nsenter"):
        pytest.skip("unshare and nsenter (util-linux) are not here")
    user = ["--map-root-user"] if os.geteuid() else []
    with subprocess.Popen(
        ["unshare", "--mount", *user, "sh", "-c", "echo ready && exec cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as holder:
        assert holder.stdin
        assert holder.stdout
        ready = holder.stdout.readline() == b"ready\n"
        try:
            if not ready:
                pytest.skip("this machine gives no mount namespace")
            yield Disks(holder)
        finally:
            holder.stdin.close()


def contents(root: Path) -> dict[str, bytes]:
    """Return every durable file of a root."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and name not in {".lock", "filler"} and not name.startswith(".cache/"):
            found[name] = path.read_bytes()
    return found


@pytest.fixture
def root(engram: Runner, workspace: Path) -> Path:
    engram.ok("inject")
    engram.save("rule", "The first one stands.")
    return workspace / ".agents" / ".engram"


def test_a_read_only_folder_is_an_error_that_names_it(engram: Runner, root: Path, disks: Disks) -> None:  # B1
    disks.mount("--bind", root, root)
    disks.mount("-o", "remount,ro,bind", root)
    inside = disks.runner(engram)
    before = contents(root)
    for command in (
        ("save", "rule", "The second one is refused."),
        ("archive", "the-first-one-stands", "--reason", "x"),
        ("config", "set", "load.limit", "6"),
    ):
        done = inside.run(*command, input="A\n")
        assert done.returncode == 1, command
        assert str(root) in done.stderr
        assert "read-only" in done.stderr
        assert "Saved" not in done.stdout
        assert "Archived" not in done.stdout
    assert contents(root) == before


def test_a_read_only_checkout_is_read_as_ever(engram: Runner, root: Path, disks: Disks) -> None:  # F3
    reading = (("list",), ("load", "which one stands"), ("load", "--id", "the-first-one-stands"), ("verify",))
    writable = [engram.ok(*command) for command in reading]
    disks.mount("--bind", root, root)
    disks.mount("-o", "remount,ro,bind", root)
    inside = disks.runner(engram)
    assert [inside.ok(*command) for command in reading] == writable
    assert inside.ok("status").count("read-only") == 1
    assert "The first one stands" in inside.ok("show", "the-first-one-stands")


def test_a_journal_that_stands_in_a_read_only_checkout_harms_no_reader(
    engram: Runner, root: Path, disks: Disks
) -> None:  # F15
    (root / ".journal" / "open.json").write_text('{"version": 1, "note": "x", "targets": []}', encoding="utf-8")
    disks.mount("--bind", root, root)
    disks.mount("-o", "remount,ro,bind", root)
    assert "The first one stands" in disks.runner(engram).ok("load", "which one stands")


@pytest.mark.skipif(os.geteuid() == 0, reason="permission bits do not bind root; the read-only mount above does")
def test_a_folder_without_write_permission_is_an_error_that_names_it(engram: Runner, root: Path) -> None:  # B1
    before = contents(root)
    os.chmod(root, 0o555)
    try:
        done = engram.run("save", "rule", "The second one is refused.", input="A\n")
    finally:
        os.chmod(root, 0o755)
    assert done.returncode == 1
    assert str(root) in done.stderr
    assert contents(root) == before


def test_a_file_where_the_folder_belongs_is_an_error_that_names_it(engram: Runner, root: Path) -> None:  # B1
    (root / "knowledge").rmdir()
    (root / "knowledge").write_text("in the way\n", encoding="utf-8")
    before = contents(root)
    done = engram.run("save", "knowledge", "There is no place for this.", input="A\n")
    assert done.returncode == 1
    assert f"{root / 'knowledge'}" in done.stderr
    assert "Saved" not in done.stdout
    assert contents(root) == before
    assert engram.run("verify").returncode == 0


def test_a_file_in_place_of_the_memory_folder_is_an_error_that_names_it(engram: Runner, workspace: Path) -> None:
    (workspace / ".agents").write_text("in the way\n", encoding="utf-8")
    done = engram.run("inject")
    assert done.returncode == 1
    assert str(workspace / ".agents") in done.stderr
    assert "Made" not in done.stdout


def test_a_full_disk_leaves_the_old_state_and_says_so(
    engram: Runner, workspace: Path, disks: Disks
) -> None:  # B4, at every amount of space that is too little
    folder = workspace / ".agents" / ".engram"
    folder.mkdir(parents=True)
    disks.mount("-t", "tmpfs", "-o", f"size={40 * BLOCK}", "tmpfs", folder)
    inside, root = disks.runner(engram), disks.seen(folder)
    inside.ok("inject")
    inside.save("rule", "The first one stands.")
    free = os.statvfs(root).f_bavail
    (root / "filler").write_bytes(b"x" * BLOCK * free)
    assert os.statvfs(root).f_bavail == 0
    refused = 0
    while True:
        before = contents(root)
        done = inside.run("save", "rule", "The second one needs space.", input="A\n")
        if done.returncode == 0:
            break
        assert done.returncode == 1
        assert "the disk is full" in done.stderr
        assert str(folder) in done.stderr
        assert "Saved" not in done.stdout
        assert contents(root) == before
        refused += 1
        assert refused < free
        os.truncate(root / "filler", BLOCK * (free - refused))
    assert refused > 1, "the disk was never full"
    assert inside.run("verify").returncode == 0
    assert "The second one needs space" in inside.ok("load", "--id", "the-second-one-needs-space")


def words(size: int) -> str:
    """Return a text of about ``size`` bytes in which no two words are the same."""
    return " ".join(f"word{number:06}" for number in range(size // 11))


def test_a_body_of_200_kb_is_kept_whole_and_a_bigger_one_refused_with_the_limit(
    engram: Runner, root: Path
) -> None:  # B2; one argument may have 128 KiB at most on Linux
    engram.save("knowledge", f"A long list. {words(100_000)}", "--title", "Long list")
    engram.save("knowledge", words(99_000).replace("word", "more"), "--update", "long-list")
    path = root / "knowledge" / "long-list.md"
    before = path.read_bytes()
    assert len(before) > 195_000
    assert set(words(100_000).split()) | set(words(99_000).replace("word", "more").split()) <= set(
        before.decode().split()
    )
    assert "more008999" in engram.ok("load", "--id", "long-list")
    done = engram.run("save", words(99_000).replace("word", "last"), "--update", "long-list", input="A\n")
    assert done.returncode == 2
    assert "262,144 (256 KiB)" in done.stderr
    assert "Saved" not in done.stdout
    assert path.read_bytes() == before


@pytest.mark.parametrize("script", ["x", "é", "用"])
def test_the_limit_is_of_bytes_and_nothing_is_cut_at_it(
    engram: Runner, root: Path, workspace: Path, script: str
) -> None:  # B2, without the limit of the command line
    session = Session(str(workspace), engram.scratch.env)
    fits = script * (200_000 // len(script.encode()))
    proposal = propose(session, Candidate(type="knowledge", title="Fits", text=fits))
    apply(session, proposal, way="pipe")
    assert f"- {fits}\n".encode() in (root / "knowledge" / "fits.md").read_bytes()
    with pytest.raises(UsageError, match="256 KiB"):
        propose(session, Candidate(type="knowledge", title="Too long", text=fits + fits))
    assert not (root / "knowledge" / "too-long.md").exists()


def test_a_note_that_makes_it_too_long_saves_nothing(engram: Runner, root: Path, workspace: Path) -> None:
    session = Session(str(workspace), engram.scratch.env)
    proposal = propose(session, Candidate(type="knowledge", title="Nearly", text="x" * 261_000))
    with pytest.raises(UsageError, match="256 KiB"):
        apply(session, proposal, way="pipe", note="y" * 2000)
    assert os.listdir(root / "knowledge") == []


def test_the_receipt_is_of_the_bytes_on_disk(engram: Runner, root: Path) -> None:
    envelope = engram.json("save", "rule", "Receipts are read back.", input="A\n")
    receipt = envelope["data"]["outcomes"][0]["receipts"][0]
    data = (root / "rules" / "receipts-are-read-back.md").read_bytes()
    assert receipt["bytes"] == len(data)
    assert receipt["file"] == str(root / "rules" / "receipts-are-read-back.md")
    assert receipt["revision"] == 1
    line = f"{receipt['sha256']}  rules/receipts-are-read-back.md"
    assert line in (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()


def test_the_receipt_says_which_revision_is_on_disk(engram: Runner, root: Path) -> None:
    first = engram.save("rule", "Use pnpm for every install.")
    assert "(revision 1, " in first
    second = engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.")
    assert "use-pnpm-for-every-install.md (revision 2, " in second
    candidates = root.parent / "candidates.txt"
    candidates.write_text(
        "TYPE: rule | TEXT: Use npm for every install. | SUPERSEDES: use-pnpm-for-every-install",
        encoding="utf-8",
        newline="\n",
    )
    third = engram.ok("save-session", "--file", str(candidates), "--force")
    assert "use-npm-for-every-install.md (revision 1, " in third
    assert "use-pnpm-for-every-install.md (revision 3, " in third


def test_no_answer_saves_nothing(engram: Runner, root: Path) -> None:
    before = contents(root)
    begun = time.monotonic()
    done = engram.run("save", "rule", "Nobody answered.")
    assert done.returncode == 5
    assert time.monotonic() - begun < 10, "the end of input is an answer; it needs no waiting"
    assert contents(root) == before


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
) -> None:  # B3
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
