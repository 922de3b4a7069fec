"""F4 and F9: what a clone brings (links, pipes, a forged journal) leads Engram nowhere outside of its root."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner, Scratch

PRIVATE = "a private key that stands outside of the project\n"


@pytest.fixture
def root(engram: Runner, workspace: Path) -> Path:
    """Return a memory root with one memory."""
    engram.ok("inject")
    engram.save("rule", "Keep the first one.")
    return workspace / ".agents" / ".engram"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder beside the project that nothing may touch, with a file in it."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "private").write_text(PRIVATE, encoding="utf-8")
    return folder


def untouched(outside: Path) -> bool:
    return os.listdir(outside) == ["private"] and (outside / "private").read_text(encoding="utf-8") == PRIVATE


def forge_journal(root: Path, target: str, data: bytes) -> None:
    folder = root / ".journal"
    folder.mkdir(exist_ok=True)
    (folder / "0.new").write_bytes(data)
    targets = [[target, "", hashlib.sha256(data).hexdigest()]]
    text = json.dumps({"version": 1, "note": "a forged write", "targets": targets})
    (folder / "open.json").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("up", ["../../../outside/planted", "rules/../../../../outside/planted", "/{outside}/planted"])
def test_a_forged_journal_writes_nothing_outside(engram: Runner, root: Path, outside: Path, up: str) -> None:
    forge_journal(root, up.format(outside=outside), b"planted\n")
    assert "keep-the-first-one" in engram.ok("list")
    assert untouched(outside)
    done = engram.run("save", "rule", "A second one.", input="A\n")
    assert done.returncode == 1
    assert "leads out of the memory folder" in done.stderr
    assert ".journal" in done.stderr
    assert untouched(outside)


def test_a_forged_journal_writes_nothing_through_a_link(engram: Runner, root: Path, outside: Path) -> None:
    (root / "skills").rmdir()
    (root / "skills").symlink_to(outside, target_is_directory=True)
    forge_journal(root, "skills/planted.md", b"planted\n")
    engram.ok("list")
    assert engram.run("save", "rule", "A second one.", input="A\n").returncode == 1
    assert untouched(outside)


@pytest.mark.parametrize("name", ["changelog.md", "SHA256SUMS", "memory.hashes.json", ".gitignore", ".gitattributes"])
def test_a_file_of_ours_that_is_a_link_out_is_not_copied_into_the_project(
    engram: Runner, root: Path, outside: Path, name: str
) -> None:
    (root / name).unlink(missing_ok=True)
    (root / name).symlink_to(outside / "private")
    done = engram.run("save", "rule", "A second one.", input="A\n")
    assert done.returncode == 1
    assert name in done.stderr
    assert "Saved" not in done.stdout
    assert (root / name).is_symlink()
    assert untouched(outside)
    assert not (root / "rules" / "a-second-one.md").exists()


@pytest.mark.parametrize("name", [".lock", ".journal/open.tmp", ".journal/0.new"])
def test_a_link_where_engram_makes_a_file_empties_nothing(engram: Runner, root: Path, outside: Path, name: str) -> None:
    (root / name).unlink(missing_ok=True)
    (root / name).symlink_to(outside / "private")
    done = engram.run("save", "rule", "A second one.", input="A\n")
    assert untouched(outside)
    assert done.returncode == (1 if name == ".lock" else 0)


@pytest.mark.parametrize("name", ["rules", ".journal", "archive"])
def test_a_folder_that_is_a_link_out_is_never_written_through(
    engram: Runner, root: Path, outside: Path, name: str
) -> None:
    commands: list[tuple[str, ...]] = [("save", "rule", "A second one.")]
    if name == "rules":
        (root / name).rename(root / "kept")
    elif name == ".journal":
        (root / name).rmdir()
        commands.append(("archive", "keep-the-first-one", "--reason", "x"))
    else:
        commands = [("archive", "keep-the-first-one", "--reason", "x")]
    (root / name).symlink_to(outside, target_is_directory=True)
    for command in commands:
        done = engram.run(*command, input="A\n")
        assert done.returncode == 1, command
        assert f"{name}" in done.stderr
        assert "leads out of the memory folder" in done.stderr
        assert untouched(outside)


def test_settings_are_not_written_through_a_link_out(engram: Runner, root: Path, outside: Path) -> None:
    (outside / "private").write_text("{}\n", encoding="utf-8")
    (root / "engram.config.json").unlink()
    (root / "engram.config.json").symlink_to(outside / "private")
    assert engram.run("config", "set", "load.limit", "6").returncode != 0
    assert (outside / "private").read_text(encoding="utf-8") == "{}\n"
    assert (root / "engram.config.json").is_symlink()


def test_a_rules_folder_that_is_a_link_out_is_not_walked_and_named_once(
    engram: Runner, root: Path, outside: Path
) -> None:
    for number in range(5):
        (outside / f"bait-{number}.md").write_text("---\nid: x\n---\n\n# Bait\n", encoding="utf-8")
    (root / "rules").rename(root / "kept")
    (root / "rules").symlink_to(outside, target_is_directory=True)
    for command in (("list",), ("load", "bait"), ("load", "--full", "bait")):
        text = engram.ok(*command)
        assert text.count("SKIPPED rules: it is a link that leaves the memory folder") == 1
        assert "bait-" not in text
    done = engram.run("show", "bait-1")
    assert done.returncode == 1
    assert "leaves the memory folder" in done.stderr
    assert engram.run("verify").returncode == 4


def test_a_memory_that_is_a_link_out_is_named_and_never_read(engram: Runner, root: Path, outside: Path) -> None:
    (root / "rules" / "bait.md").symlink_to(outside / "private")
    assert "SKIPPED rules/bait.md" in engram.ok("list")
    text = engram.ok("load", "private key")
    assert "SKIPPED rules/bait.md" in text
    assert "private key that stands" not in text
    for command in (("show", "bait"), ("load", "--id", "bait"), ("archive", "bait", "--reason", "x")):
        done = engram.run(*command)
        assert done.returncode == 1
        assert "leaves the memory folder" in done.stderr
        assert "private key that stands" not in done.stdout + done.stderr
    assert (root / "rules" / "bait.md").is_symlink()


def test_a_link_that_stays_in_the_root_is_read(engram: Runner, root: Path) -> None:
    (root / "more").mkdir()
    (root / "rules" / "keep-the-first-one.md").rename(root / "more" / "keep-the-first-one.md")
    (root / "rules" / "keep-the-first-one.md").symlink_to(root / "more" / "keep-the-first-one.md")
    assert "Keep the first one" in engram.ok("load", "--id", "keep-the-first-one")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["rules/pipe.md", "SHA256SUMS", "changelog.md", ".gitignore", ".journal/open.json"])
def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(engram: Runner, root: Path, name: str) -> None:
    (root / name).unlink(missing_ok=True)
    os.mkfifo(root / name)
    listed = engram.run("list")
    done = engram.run("save", "rule", "A second one.", input="A\n")
    if name == "rules/pipe.md":
        assert "SKIPPED rules/pipe.md: it is no regular file" in listed.stdout
        assert done.returncode == 0
    else:
        assert done.returncode == 1
        assert f"{name}: it is no regular file" in done.stderr
        assert not (root / "rules" / "a-second-one.md").exists()


def test_inject_makes_no_memory_through_an_agents_folder_that_is_a_link_out(
    engram: Runner, workspace: Path, outside: Path, scratch: Scratch
) -> None:
    (workspace / ".agents").symlink_to(outside, target_is_directory=True)
    done = engram.run("inject")
    assert done.returncode == 2
    assert "outside of the project" in done.stderr
    assert untouched(outside)
    assert not (scratch.config / "trust.json").exists()
