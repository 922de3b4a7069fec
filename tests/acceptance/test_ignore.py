"""What ``.engramignore`` and ``ignore.patterns`` name is not read, indexed, scanned or shown, and no error names it."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS" * 2
READING = (
    ("list",),
    ("load", "the merger with northwind"),
    ("load", "--full", "the merger with northwind"),
    ("load", "--explain", "deploy to staging and the merger"),
    ("search", "merger northwind", "--all"),
    ("route", "merger northwind", "--all"),
    ("graph",),
    ("status",),
    ("status", "--deep"),
    ("verify",),
    ("scan",),
)


@pytest.fixture
def private(engram: Runner, root: Path) -> Path:
    """Save a memory that is to be private, and one that is not; return the private file."""
    engram.save("knowledge", "The merger with northwind closes in May.", "--title", "Northwind merger")
    engram.save("knowledge", "Deploy to staging before production.")
    return root / "knowledge" / "northwind-merger.md"


def hide(engram: Runner, root: Path, how: str) -> None:
    match how:
        case "project":
            (engram.cwd / ".engramignore").write_text("northwind*.md\n", encoding="utf-8")
        case "anchored":
            (engram.cwd / ".engramignore").write_text("/.agents/.engram/knowledge/northwind-merger.md\n", "utf-8")
        case "root":
            (root / ".engramignore").write_text("# private\nknowledge/north*\n", encoding="utf-8")
        case "folder":
            (root / "knowledge" / ".engramignore").write_text("*\n!deploy*\n", encoding="utf-8")
        case "configuration":
            engram.ok("config", "set", "ignore.patterns", "knowledge/northwind*")
        case "own":
            engram.ok("config", "set", "ignore.patterns", "northwind*", "--global")


def assert_silent(engram: Runner, *args: str) -> None:
    done = engram.run(*args)
    said = (done.stdout + done.stderr).lower()
    for word in args:  # what was typed may be quoted
        said = said.replace(word.lower(), "")
    assert not [word for word in ("northwind-", "-merger", "northwind merger", "closes in may") if word in said], said


@pytest.mark.parametrize("how", ["anchored", "root", "folder", "configuration", "own"])
def test_a_memory_can_be_private_in_many_ways(engram: Runner, root: Path, private: Path, how: str) -> None:
    if how in {"root", "own"}:  # as far as the index goes, it was not private before
        assert "northwind-merger" in engram.ok("load", "the merger with northwind")
    hide(engram, root, how)
    for args in (("list", "--json"), ("load", "the merger with northwind"), ("verify",)):
        assert_silent(engram, *args)
    assert "deploy-to-staging" in engram.ok("list")


def test_a_private_memory_is_nowhere(engram: Runner, root: Path, private: Path) -> None:
    hide(engram, root, "project")
    for args in READING:
        assert_silent(engram, *args)
        assert_silent(engram, *args, "--json")
    assert "deploy-to-staging" in engram.ok("list")
    for args in (("show", "northwind-merger"), ("load", "--id", "northwind-merge"), ("archive", "northwind-mergers")):
        done = engram.run(*args)
        assert done.returncode in {2, 7}
        assert "Did you mean northwind-merger" not in done.stderr


def test_what_is_no_longer_private_comes_back(engram: Runner, root: Path, private: Path) -> None:
    hide(engram, root, "project")
    assert "northwind" not in engram.ok("list")
    assert "No memory matches" in engram.ok("load", "merger northwind")
    (engram.cwd / ".engramignore").unlink()
    assert "northwind-merger" in engram.ok("load", "merger northwind")


@pytest.mark.parametrize("damage", ["edited", "gone", "broken", "unlisted"])
def test_no_error_names_a_private_file(engram: Runner, root: Path, private: Path, damage: str) -> None:
    hide(engram, root, "root")
    match damage:
        case "edited":
            private.write_text("---\nid: northwind-merger\n---\nother\n", encoding="utf-8")
        case "gone":
            private.unlink()
        case "broken":
            private.write_bytes(b"\xff\xfe\0")
        case "unlisted":
            (root / "knowledge" / "northwind-merger-2.md").write_bytes(private.read_bytes())
    for args in (("list",), ("load", "the merger with northwind"), ("verify",), ("status", "--deep"), ("scan",)):
        assert_silent(engram, *args)
    assert engram.run("verify").returncode == 0


def test_a_pattern_of_the_user_cannot_be_taken_back_by_a_project(engram: Runner, root: Path, private: Path) -> None:
    hide(engram, root, "own")
    engram.ok("config", "set", "ignore.patterns", "nothing-here")
    (engram.cwd / ".engramignore").write_text("!northwind*\n", encoding="utf-8")
    assert_silent(engram, "list")


def test_git_s_rules_hold_for_a_scan(engram: Runner, workspace: Path) -> None:
    for name in ("a.log", "keep.log", "build/x.txt", "src/build/y.txt", "deep/er/z.tmp", "deep/kept.tmp", "top.cfg",
                 "deep/top.cfg"):  # fmt: skip
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KEY, encoding="utf-8")
    (workspace / ".engramignore").write_text("*.log\n!keep.log\nbuild/\n/top.cfg\ndeep/**/*.tmp\n", encoding="utf-8")
    (workspace / "deep" / ".engramignore").write_text("!kept.tmp\n", encoding="utf-8")
    found = [row["path"].replace("\\", "/") for row in engram.json("scan")["data"]["findings"]]
    assert found == ["deep/kept.tmp", "deep/top.cfg", "keep.log"]
    below = engram.json("scan", ".", cwd=workspace / "src")["data"]
    assert (below["files"], below["findings"]) == (0, [])


def test_a_memory_is_not_saved_where_it_would_never_be_read(engram: Runner, root: Path, private: Path) -> None:
    hide(engram, root, "root")
    before = private.read_bytes()
    done = engram.run("save", "knowledge", "Northwind merger", input="A\n")
    assert done.returncode == 2
    assert "left alone" in done.stderr or "leave alone" in done.stderr
    assert private.read_bytes() == before


@pytest.mark.parametrize(
    ("lines", "reason"),
    [(b"*a*b*c*d*\n", "Line 1"), (b"\xff\xfe", "no UTF-8")],
)
def test_where_it_is_not_known_what_is_private_nothing_is_read(
    engram: Runner, root: Path, private: Path, lines: bytes, reason: str
) -> None:
    (engram.cwd / ".engramignore").write_bytes(lines)
    for args in (("list",), ("load", "merger"), ("scan",)):
        done = engram.run(*args)
        assert done.returncode == 3
        assert reason in done.stderr
        assert "northwind" not in done.stdout + done.stderr


def test_a_private_working_note_is_nowhere(engram: Runner, root: Path) -> None:
    engram.ok("note", "The merger closes in May.", "--objective", "northwind merger", input="yes\n")
    (note,) = (root / "working").glob("*.md")
    assert note.stem in engram.ok("list")
    (engram.cwd / ".engramignore").write_text("working/\n", encoding="utf-8")
    for args in (("list",), ("load", "merger"), ("status",), ("search", "merger")):
        assert_silent(engram, *args)
        assert note.stem not in engram.run(*args).stdout


PATHS = (
    "a.md", "b1.md", "[x].md", "#h.md", "drafts/a.md", "public/a.md", "public/drafts/a.md", "public/drafts/deep/b1.md",
    "sub/drafts/a.md", "sub/public/a.md", "sub/x y.md", "sub/deep/a.md",
)  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        ("drafts/", "!public/"),
        ("drafts/", "!public/drafts/", "b1.md"),
        ("drafts/**",),
        ("public/**", "!public/a.md"),
        ("**/drafts/**", "!**/deep/"),
        ("/drafts", "sub/*", "!sub/deep"),
        ("[[:alpha:]][[:digit:]].md",),
        ("[[:punct:]]*", "!\\#h.md"),
        ("[^[:lower:]]*",),
        ("[[]x].md",),
        ("sub/x\\ y.md", "*.md", "!a.md"),
        ("*", "!*/", "!a.md"),
    ],
)
def test_the_lines_mean_what_they_mean_to_git(engram: Runner, lines: tuple[str, ...]) -> None:
    for path in PATHS:
        file = engram.cwd / "notes" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"key {KEY}\n", encoding="utf-8")
    for name in (".engramignore", ".gitignore"):
        (engram.cwd / "notes" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = subprocess.run(
        ["git", "check-ignore", "--no-index", *(f"notes/{path}" for path in PATHS)],
        cwd=engram.cwd, capture_output=True, text=True, encoding="utf-8", check=False,
        env={**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.quotePath", "GIT_CONFIG_VALUE_0": "off"},
    )  # fmt: skip
    assert asked.returncode in (0, 1), asked.stderr
    done = engram.run("scan", "notes", "--format", "json")
    found = {one["path"] for one in json.loads(done.stdout)["data"]["findings"]}
    ignored = {line.strip('"').replace('\\"', '"') for line in asked.stdout.splitlines()}
    assert found == {f"notes/{path}" for path in PATHS} - ignored
    assert done.stderr == ""


def test_a_line_that_is_no_pattern_is_named_and_nothing_is_read(engram: Runner, private: Path) -> None:
    (engram.cwd / ".engramignore").write_text("[z-a]\n", encoding="utf-8")
    done = engram.run("list")
    assert done.returncode == 3
    assert "has a line that is no pattern" in done.stderr
    assert "Traceback" not in done.stderr
    assert "northwind" not in (done.stdout + done.stderr).lower()
