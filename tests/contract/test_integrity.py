"""F2a, F13 and F15 through the real ``engram``: what the ledger vouches for, merges, and an interrupted write."""

from __future__ import annotations

import hashlib
import subprocess
from typing import TYPE_CHECKING

import pytest

from engram.store.root import MemoryRoot, Skipped

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner


@pytest.fixture
def root(engram: Runner, workspace: Path) -> Path:
    engram.ok("inject")
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.", "--triggers", "install,lockfile")
    return workspace / ".agents" / ".engram"


@pytest.fixture
def pnpm(root: Path) -> Path:
    return root / "rules" / "use-pnpm-for-every-install.md"


def git(engram: Runner, *args: str) -> None:
    subprocess.run(["git", *args], cwd=engram.cwd, env=engram.scratch.env, check=True, capture_output=True, timeout=60)


def test_f2a_git_merges_ledger_and_changelog_by_union(engram: Runner, root: Path) -> None:
    assert (root / ".gitattributes").read_text(encoding="utf-8").splitlines() == [
        *("* -text", "SHA256SUMS merge=union", "changelog.md merge=union")
    ]
    git(engram, "add", "--all")
    git(engram, "commit", "--quiet", "--message", "Memory")
    git(engram, "switch", "--quiet", "--create", "theirs")
    engram.save("rule", "Theirs stands as well.")
    git(engram, "add", "--all")
    git(engram, "commit", "--quiet", "--message", "Theirs")
    git(engram, "switch", "--quiet", "main")
    engram.save("rule", "Ours stands beside it.")
    git(engram, "add", "--all")
    git(engram, "commit", "--quiet", "--message", "Ours")
    git(engram, "merge", "--quiet", "theirs")
    assert engram.run("verify").returncode == 0
    assert len(engram.ok("list").splitlines()) == 3
    engram.save("rule", "The next write leaves one clean list.")
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines), key=lambda line: line[66:])
    assert len(lines) == 4


@pytest.mark.parametrize("name", ["SHA256SUMS", "changelog.md"])
def test_f2a_conflict_markers_take_no_memory_out_of_service(engram: Runner, pnpm: Path, root: Path, name: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    theirs = "b" * 64 + text[64:] if name == "SHA256SUMS" else text.replace("a", "b")
    marked = f"<<<<<<< HEAD\n{text}=======\n{theirs}>>>>>>> theirs"
    (root / name).write_text(marked, encoding="utf-8")
    assert "Use pnpm" in engram.ok("load", "--id", pnpm.stem)
    engram.save("rule", "The next write leaves one clean list.")
    after = (root / name).read_text(encoding="utf-8")
    assert not [line for line in after.splitlines() if line.startswith(("<<<<<<<", "=======", ">>>>>>>"))]
    assert after.endswith("\n")
    assert after.count(f"  rules/{pnpm.name}\n") == (1 if name == "SHA256SUMS" else 0)
    assert engram.ok("list").count("SKIPPED") == 0


def edited(data: bytes) -> dict[str, tuple[bytes, str]]:
    return {
        "a word": (data.replace(b"every", b"no"), "it changed since it was approved"),
        "line ends": (data.replace(b"\n", b"\r\n"), "only white space changed"),
        "final line end": (data.rstrip(b"\n"), "only white space changed"),
        "mark": (b"\xef\xbb\xbf" + data, "only white space changed"),
    }


@pytest.mark.parametrize("how", ["a word", "line ends", "final line end", "mark"])
def test_f13_a_file_that_does_not_match_is_named_and_its_text_kept_back(engram: Runner, pnpm: Path, how: str) -> None:
    data, reason = edited(pnpm.read_bytes())[how]
    pnpm.write_bytes(data)
    text = engram.ok("load", "install a package")
    assert f"SKIPPED rules/{pnpm.name}: {reason}" in text
    assert "engram verify --review" in text
    assert "npm rewrites" not in text
    for command in (("show", pnpm.stem), ("load", "--id", pnpm.stem), ("save", "x", "--update", pnpm.stem)):
        done = engram.run(*command, input="A\n")
        assert done.returncode == 4
        assert "npm rewrites" not in done.stdout + done.stderr
    assert engram.run("verify").returncode == 4
    assert pnpm.read_bytes() == data


def test_f13_a_file_that_nobody_approved_is_not_shown(engram: Runner, pnpm: Path) -> None:
    (pnpm.parent / "smuggled.md").write_bytes(pnpm.read_bytes().replace(b"pnpm", b"malware"))
    text = engram.ok("load", "install a package")
    assert "SKIPPED rules/smuggled.md: it is not in SHA256SUMS" in text
    assert "malware" not in text
    engram.save("rule", "A write vouches for nothing but itself.")
    assert "smuggled" not in (pnpm.parent.parent / "SHA256SUMS").read_text(encoding="utf-8")


def test_f13_a_file_that_is_gone_is_named_by_verify(engram: Runner, pnpm: Path) -> None:
    pnpm.unlink()
    done = engram.run("verify")
    assert done.returncode == 4
    assert f"SKIPPED rules/{pnpm.name}: SHA256SUMS names it, but the file is gone" in done.stdout


def test_f15_what_a_dead_writer_left_is_finished_and_said(engram: Runner, pnpm: Path, root: Path) -> None:
    new = pnpm.read_bytes().replace(b"every", b"each")
    old_hash, new_hash = (hashlib.sha256(data).hexdigest() for data in (pnpm.read_bytes(), new))
    ledger = (root / "SHA256SUMS").read_bytes()
    new_ledger = ledger.replace(old_hash.encode(), new_hash.encode())
    journal = root / ".journal"
    (journal / "0.new").write_bytes(new)
    (journal / "1.new").write_bytes(new_ledger)
    sums = [hashlib.sha256(data).hexdigest() for data in (ledger, new_ledger)]
    targets = f'[["rules/{pnpm.name}", "{old_hash}", "{new_hash}"], ["SHA256SUMS", "{sums[0]}", "{sums[1]}"]]'
    (journal / "open.json").write_text(
        f'{{"version": 1, "note": "update rule", "targets": {targets}}}', encoding="utf-8"
    )
    done = engram.run("load", "install a package")
    assert done.returncode == 0
    assert "Finished an interrupted write: update rule" in done.stderr
    assert "Use pnpm for each install" in done.stdout
    assert list(journal.iterdir()) == []
    assert "interrupted" not in engram.run("load", "install a package").stderr
    assert engram.run("verify").returncode == 0


def test_f15_config_set_says_what_it_had_to_heal(engram: Runner, workspace: Path) -> None:
    # F15: the next command that writes finishes what a dead writer left, and says so, whichever command it is.
    engram.ok("inject")
    root = workspace / ".agents" / ".engram"
    journal = root / ".journal"
    journal.mkdir(exist_ok=True)
    text = '{"version": 1, "note": "add rule: lost", "targets": [["rules/lost.md", "", "' + "0" * 64 + '"]]}'
    (journal / "open.json").write_text(text, encoding="utf-8")
    done = engram.run("config", "set", "load.limit", "4")
    assert done.returncode == 0
    assert "Undid an interrupted write, nothing of it was saved: add rule: lost." in done.stderr
    assert not (journal / "open.json").exists()


def test_what_came_or_went_while_the_folders_were_read_is_not_said_to_be_lost(engram: Runner, workspace: Path) -> None:
    # F13, E1: a reader that meets a writer has seen the folders before it sees the ledger
    engram.ok("inject")
    engram.save("rule", "The gate is locked.")
    engram.save("rule", "The door is open.")
    folder = workspace / ".agents" / ".engram"
    root = MemoryRoot(str(folder), "workspace")
    gate = "rules/the-gate-is-locked.md"
    assert root.ledger().lookup(gate)
    assert root.gone(set()) == [], "they came after the folders were read"
    engram.ok("archive", "the-gate-is-locked", "--reason", "it is a door now")
    assert root.gone({"rules/the-door-is-open.md"}) == [], "it went after the ledger was read"
    assert not root.lost([gate])
    found = root.read(gate)
    assert isinstance(found, Skipped)
    assert found.reason == "the file is gone"
    assert root.memories()[1] == []
    (folder / "rules" / "the-door-is-open.md").unlink()
    assert [skip.path for skip in root.gone(set())] == ["rules/the-door-is-open.md"]
