"""F11 and F13: two files with one id, a file that is gone, and an id inside that is not the name."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

PLACES = (
    ("rules/Twin.md", "rules/twin.md"),
    ("rules/twin.md", "rules/sub/twin.md"),
    ("rules/sub/twin.md", "skills/twin.md"),
    ("rules/a/b/twin.md", "rules/b/twin.md"),
    ("rules/twin.md", "knowledge/twin.md"),
)


@pytest.fixture
def root(engram: Runner, workspace: Path) -> Path:
    engram.ok("inject")
    return workspace / ".agents" / ".engram"


def put(root: Path, **texts: str) -> None:
    """Write memories, and a ledger that vouches for all that there are."""
    for path, text in texts.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\nschema_version: 3\n---\n\n# {text}\n\n## Content\n\n- {text}\n", encoding="utf-8")
    found = sorted(path for kind in ("rules", "skills", "knowledge") for path in (root / kind).rglob("*.md"))
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in found)
    (root / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")


@pytest.mark.parametrize(("first", "second"), PLACES)
def test_f11_every_command_addresses_the_file_that_list_serves(
    engram: Runner, root: Path, first: str, second: str
) -> None:
    put(root, **{first: "The served text about ferries", second: "The skipped text about ferries"})
    if len(list(root.rglob("[Tt]win.md"))) < 2:
        pytest.skip("this file system takes the two names for one")
    listed = engram.ok("list")
    assert "The served text" in listed
    assert f"SKIPPED {second}: {first} has the same id" in listed
    shown = [engram.ok("load", "--id", name) + engram.ok("show", name) for name in ("twin", "Twin", "TWIN")]
    shown += [engram.ok("load", "text about ferries"), engram.ok("search", "text about ferries")]
    for text in shown:
        assert "The served text" in text
        assert "The skipped text" not in text
    kind = {"rules": "rule", "skills": "skill", "knowledge": "knowledge"}[first.partition("/")[0]]
    engram.save(kind, "More about ferries.", "--update", "twin")
    assert "More about ferries" in (root / first).read_text(encoding="utf-8")
    assert "More about ferries" not in (root / second).read_text(encoding="utf-8")
    engram.ok("archive", "twin", "--reason", "no longer so")
    assert not (root / first).exists()
    assert (root / second).exists()
    assert "The skipped text" in engram.ok("load", "--id", "twin"), "nothing comes before it any more"
    assert "The skipped text" in engram.ok("load", "text about ferries")


def test_f20_the_text_of_a_skipped_file_is_nobodys_memory(engram: Runner, root: Path) -> None:
    put(root, **{"rules/twin.md": "The ferry leaves at nine", "skills/twin.md": "The train leaves at ten"})
    assert "Verdict: ADD" in engram.save("rule", "The train leaves at ten")


def test_f11_where_the_first_is_changed_by_hand_the_next_is_served_by_every_command(engram: Runner, root: Path) -> None:
    put(root, **{"rules/twin.md": "The first text", "skills/twin.md": "The second text"})
    (root / "rules" / "twin.md").write_text("Obey.\n", encoding="utf-8")
    assert "The second text" in engram.ok("list")
    assert "The second text" in engram.ok("load", "--id", "twin")
    assert "The second text" in engram.ok("load", "second text")


def test_f13_where_none_is_in_order_the_reason_is_that_of_the_first(engram: Runner, root: Path) -> None:
    put(root, **{"rules/twin.md": "The first text", "skills/twin.md": "The second text"})
    for path in ("rules/twin.md", "skills/twin.md"):
        (root / path).write_text("Obey.\n", encoding="utf-8")
    for command in (("show", "twin"), ("load", "--id", "twin"), ("graph", "twin")):
        done = engram.run(*command)
        assert done.returncode == 4, command
        assert "SKIPPED rules/twin.md: it changed since it was approved" in done.stderr
        assert "Obey" not in done.stdout + done.stderr


@pytest.mark.parametrize("command", [("list",), ("load", "ferries"), ("verify",)], ids=" ".join)
def test_f13_a_memory_whose_file_is_gone_is_named_with_the_next_step(
    engram: Runner, root: Path, command: tuple[str, ...]
) -> None:
    put(root, **{"rules/gone.md": "The ferry leaves at nine", "rules/here.md": "The train leaves at ten"})
    engram.ok("load", "ferries")
    (root / "rules" / "gone.md").unlink()
    text = engram.run(*command).stdout
    assert "SKIPPED rules/gone.md: SHA256SUMS names it, but the file is gone; bring it back from Git" in text
    assert text.count("rules/gone.md") == 1
    assert "1 file is skipped" in engram.ok("status")


def test_f13_without_an_index_a_missing_file_is_named_too(engram: Runner, root: Path) -> None:
    put(root, **{"rules/gone.md": "The ferry leaves at nine"})
    (root / "rules" / "gone.md").unlink()
    (root / ".cache").write_text("no folder", encoding="utf-8")
    assert "SKIPPED rules/gone.md: SHA256SUMS names it" in engram.ok("load", "ferries")


def test_f8_an_id_inside_that_is_not_the_files_name_is_told_and_no_fault(engram: Runner, root: Path) -> None:
    put(root, **{"rules/by-name.md": "The ferry leaves at nine"})
    path = root / "rules" / "by-name.md"
    text = path.read_text(encoding="utf-8").replace("---\n", "---\nid: by-id\n", 1)
    path.write_text(text, encoding="utf-8", newline="\n")
    put(root)
    done = engram.run("verify")
    assert done.returncode == 0
    assert "rules/by-name.md names itself by-id; the file's name is its id." in done.stdout
    assert "1 file with another id inside than its name" in engram.ok("status", "--deep")
    assert "1 file matches the ledger" in done.stdout
