"""F17: nothing is deleted; an archived memory is its old bytes under a public header, out of use and still readable."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

ID = "deploy-from-main"
TEXT = "Deploy from main; branches are stale."


@pytest.fixture
def root(engram: Runner, workspace: Path) -> Path:
    """Return a root with one memory that is to be archived, and another one."""
    engram.ok("inject")
    engram.save("rule", TEXT)
    engram.save("rule", "Keep the other one.")
    return workspace / ".agents" / ".engram"


def test_the_header_names_day_place_and_reason_and_the_old_bytes_follow(engram: Runner, root: Path) -> None:
    old = (root / "rules" / f"{ID}.md").read_bytes()
    first = time.strftime("%Y-%m-%d")
    engram.ok("archive", ID, "--reason", "releases are  tagged now")
    days = [path.name for path in (root / "archive").iterdir()]
    assert days in ([first], [time.strftime("%Y-%m-%d")])
    data = (root / "archive" / days[0] / "rules" / f"{ID}.md").read_bytes()
    header = (
        f"<!-- Archived {days[0]} -->\n"
        f"<!-- Original: workspace:rules/{ID}.md -->\n"
        "<!-- Reason: releases are tagged now -->\n\n"
    )
    assert data == header.encode() + old
    assert not (root / "rules" / f"{ID}.md").exists()


def test_it_is_no_longer_listed_or_loaded_and_still_shown(engram: Runner, root: Path) -> None:
    assert ID in engram.ok("load", "deploy from a branch")
    engram.ok("archive", ID, "--reason", "releases are tagged now")
    assert ID not in engram.ok("list")
    assert ID not in engram.ok("load", "deploy from a branch")
    done = engram.run("load", "--id", ID)
    assert done.returncode == 7
    assert f"engram show {ID}" in done.stderr
    shown = engram.run("show", ID)
    assert shown.returncode == 0
    assert "<!-- Reason: releases are tagged now -->" in shown.stdout
    assert TEXT in shown.stdout
    assert "archived" in shown.stderr
    envelope = engram.json("show", ID)
    assert envelope["data"]["archived"] is True


def test_the_ledger_line_moves_with_the_file_and_the_changelog_says_so(engram: Runner, root: Path) -> None:
    engram.ok("archive", ID, "--reason", "releases are tagged now")
    paths = [line[66:] for line in (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()]
    archived = next((root / "archive").rglob("*.md")).relative_to(root).as_posix()
    assert paths == [archived, "rules/keep-the-other-one.md"]
    assert f"{archived}: archive rule: {ID} (command)" in (root / "changelog.md").read_text(encoding="utf-8")
    assert engram.run("verify").returncode == 0


def test_a_second_one_of_the_same_id_and_day_gets_a_number(engram: Runner, root: Path) -> None:
    for text in ("the first", "the second", "the third"):
        engram.ok("archive", ID, "--reason", text)
        engram.save("rule", TEXT)
    found = sorted(path.name for path in (root / "archive").rglob("*.md"))
    assert found == [f"{ID}-2.md", f"{ID}-3.md", f"{ID}.md"]
    assert engram.run("verify").returncode == 0
    assert ID in engram.ok("list"), "the active one of that id is not the archived one"


def test_the_newest_of_several_archived_ones_is_shown(engram: Runner, root: Path) -> None:
    for text in ("the first", "the second"):
        engram.ok("archive", ID, "--reason", text)
        if text == "the first":
            engram.save("rule", TEXT)
    assert "<!-- Reason: the second -->" in engram.ok("show", ID)


@pytest.mark.parametrize("reason", [[], ["--reason", ""], ["--reason", " \t "]])
def test_a_reason_is_needed(engram: Runner, root: Path, reason: list[str]) -> None:
    done = engram.run("archive", ID, *reason)
    assert done.returncode == 2
    assert "reason" in done.stderr
    assert (root / "rules" / f"{ID}.md").exists()
    assert not (root / "archive").exists() or not list((root / "archive").rglob("*.md"))


def test_a_reason_cannot_close_the_comment_or_add_a_line(engram: Runner, root: Path) -> None:
    old = (root / "rules" / f"{ID}.md").read_bytes()
    engram.ok("archive", ID, "--reason", "done --> # Heading\n<!-- Original: elsewhere -->")
    data = next((root / "archive").rglob("*.md")).read_bytes()
    header = data.removesuffix(old).decode()
    assert header.count("\n") == 4
    assert header.count("-->") == 3
    assert header.count("<!-- Original: ") - header.count("Reason: ") <= 1
    assert engram.run("show", ID).returncode == 0


def test_an_archived_file_that_changed_is_not_shown(engram: Runner, root: Path) -> None:
    engram.ok("archive", ID, "--reason", "releases are tagged now")
    path = next((root / "archive").rglob("*.md"))
    path.write_bytes(path.read_bytes() + b"- Run the download.\n")
    done = engram.run("show", ID)
    assert done.returncode == 4
    assert "Run the download" not in done.stdout + done.stderr
    assert engram.run("verify").returncode == 4


def test_a_memory_that_changed_since_it_was_approved_is_not_archived(engram: Runner, root: Path) -> None:
    path = root / "rules" / f"{ID}.md"
    path.write_bytes(path.read_bytes() + b"- An edit.\n")
    edited = path.read_bytes()
    done = engram.run("archive", ID, "--reason", "releases are tagged now")
    assert done.returncode == 4
    assert path.read_bytes() == edited


def test_archiving_what_is_not_there_names_the_closest(engram: Runner, root: Path) -> None:
    done = engram.run("archive", "deploy-from-mian", "--reason", "x")
    assert done.returncode == 7
    assert ID in done.stderr


def test_a_superseded_memory_stays_in_place_out_of_routing(engram: Runner, root: Path) -> None:
    engram.save("rule", "Deploy from tags; main moves too fast.", "--supersedes", ID)
    text = (root / "rules" / f"{ID}.md").read_text(encoding="utf-8")
    assert "superseded_by: deploy-from-tags\n" in text
    assert "lifecycle: superseded\n" in text
    assert "valid_until: " in text
    assert (root / "rules" / "deploy-from-tags.md").exists()
    loaded = engram.json("load", "deploy from main or tags")["data"]["selected_keys"]
    assert "deploy-from-tags" in loaded
    assert ID not in loaded
    assert "superseded by deploy-from-tags" in engram.ok("load", "--id", ID)


def test_an_id_that_ends_in_a_number_is_no_second_archived_file(engram: Runner, root: Path) -> None:
    engram.save("rule", "Two people look at each release.", "--title", "Deploy from main 2")
    engram.ok("archive", f"{ID}-2", "--reason", "it is its own memory")
    assert engram.run("show", ID).stdout.startswith("---\n")
    engram.ok("archive", ID, "--reason", "the one without a number")
    assert "<!-- Reason: the one without a number -->" in engram.ok("show", ID)
    assert "<!-- Reason: it is its own memory -->" in engram.ok("show", f"{ID}-2")


@pytest.mark.parametrize("place", ["archive", "archive/2020-01-01"])
def test_a_file_without_a_header_in_the_archive_is_named_and_left(engram: Runner, root: Path, place: str) -> None:
    (root / place).mkdir(parents=True, exist_ok=True)
    (root / place / "by-hand.md").write_text("# Put here by hand\n", encoding="utf-8")
    done = engram.run("show", "by-hand")
    assert done.returncode == 1
    assert f"{place}/by-hand.md" in done.stderr
    assert "header of an archived memory" in done.stderr
    assert engram.run("verify").returncode == 0
