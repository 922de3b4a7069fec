"""A folder of schemas 1 to 3 that another Engram wrote opens unchanged, and keeps what it holds (F7, F8, F14, F18)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

TASKS = {
    "use-pnpm-for-every-install": "install a dependency",
    "skill-cut-a-release": "tag a release",
    "orders-are-eventually-consistent": "why is an order missing from the orders list",
    "prices-are-integers-in-cents": "add a column for prices",
}
FILES = {
    "use-pnpm-for-every-install": "rules/use-pnpm-for-every-install.md",
    "skill-cut-a-release": "skills/skill-cut-a-release.md",
    "orders-are-eventually-consistent": "knowledge/orders-are-eventually-consistent.md",
    "prices-are-integers-in-cents": "knowledge/prices-are-integers-in-cents.md",
}
ARCHIVED = "build-runs-on-node-16"
TRUSTED = {"ENGRAM_TRUST": "1"}


def contents(root: Path) -> dict[str, bytes]:
    """Return every file of a root that is not derived."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and ".cache" not in path.parts]
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def ledger(root: Path) -> dict[str, str]:
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return {line[66:]: line[:64] for line in lines}


def older_ledger(root: Path) -> dict[str, str]:
    text = (root / "memory.hashes.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    assert text == json.dumps(found, indent=2, sort_keys=True) + "\n"
    return found


def update(engram: Runner, memory_id: str, text: str) -> str:
    return engram.save(text, "--update", memory_id)


@pytest.mark.parametrize("memory_id", TASKS)
def test_each_active_memory_loads_by_id_and_by_task(engram: Runner, legacy_root: Path, memory_id: str) -> None:
    by_task = engram.json("load", TASKS[memory_id])
    assert memory_id in by_task["data"]["selected_keys"]
    by_id = engram.ok("load", "--id", memory_id)
    assert f'id="{memory_id}"' in by_id
    shown = engram.ok("show", memory_id)
    text = (legacy_root / FILES[memory_id]).read_bytes().decode("utf-8-sig")
    assert text.replace("\r\n", "\n") in shown.replace("\r\n", "\n")


def test_every_piece_is_marked_foreign_until_the_root_is_trusted(engram: Runner, legacy_root: Path) -> None:
    pack = engram.ok("load", "install orders prices release")
    assert pack.count("<engram-memory ") == pack.count('note="foreign: reference only"') == 4
    assert 'authority="instruction"' not in pack
    listed = engram.ok("list").splitlines()
    assert len([line for line in listed if "(foreign: reference only)" in line]) == 4
    trusted = engram.ok("load", "install orders prices release", env=TRUSTED)
    assert "foreign" not in trusted
    assert trusted.count('authority="instruction"') == 2


def test_the_archived_memory_is_shown_but_never_loaded(engram: Runner, legacy_root: Path) -> None:
    assert ARCHIVED not in engram.ok("load", "which node version does the build image run on")
    assert ARCHIVED not in engram.ok("list")
    done = engram.run("load", "--id", ARCHIVED)
    assert done.returncode == 7
    assert "archived" in done.stderr
    assert "the build moved to Node 20" in engram.ok("show", ARCHIVED)


def test_reading_and_a_second_inject_change_no_byte(engram: Runner, legacy_root: Path) -> None:
    before = contents(legacy_root)
    for command in (("inject",), ("list",), ("load", "prices"), ("show", ARCHIVED), ("status",), ("verify",), ()):
        engram.ok(*command)
    assert contents(legacy_root) == before
    assert engram.json("status")["data"]["roots"][0]["foreign"] is True, "inject must not trust what was there before"


def test_the_first_write_makes_the_ledger_from_every_file_that_matched(engram: Runner, legacy_root: Path) -> None:
    (legacy_root / FILES["skill-cut-a-release"]).write_text("---\ntype: skill\n---\n\n# Edited\n", encoding="utf-8")
    (legacy_root / "rules" / "smuggled.md").write_text("---\ntype: rule\n---\n\n# Smuggled\n", encoding="utf-8")
    text = engram.ok("load", "tag a release, smuggled")
    assert "SKIPPED skills/skill-cut-a-release.md: it changed since it was approved" in text
    assert "SKIPPED rules/smuggled.md" in text
    engram.save("rule", "Write the ledger now.")
    made = ledger(legacy_root)
    expected = set(FILES.values()) - {FILES["skill-cut-a-release"]} | {"rules/write-the-ledger-now.md"}
    assert set(made) == expected
    assert all(hash_of(legacy_root / path) == value for path, value in made.items())


def test_both_ledgers_stay_in_step_through_save_update_and_archive(engram: Runner, legacy_root: Path) -> None:
    steps = (
        ("save", "rule", "Ledgers walk in step."),
        ("save", "Orders lag four seconds at most.", "--update", "orders-are-eventually-consistent"),
        ("archive", "prices-are-integers-in-cents", "--reason", "it moved to the wiki"),
        ("config", "set", "load.limit", "7"),
    )
    for step in steps:
        engram.ok(*step, input="A\n" if step[0] == "save" else None)
        ours = ledger(legacy_root)
        assert older_ledger(legacy_root) == {path: ours[path] for path in ours if not path.startswith("archive/")}
        assert list(ours) == sorted(ours)
        assert all(hash_of(legacy_root / path) == value for path, value in ours.items())
        if program := shutil.which("sha256sum"):
            subprocess.run([program, "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=legacy_root, check=True)
        assert engram.run("verify").returncode == 0
    assert "prices-are-integers-in-cents" not in "".join(older_ledger(legacy_root))
    assert any(path.startswith("archive/") for path in ledger(legacy_root))


def test_where_both_ledgers_disagree_ours_counts(engram: Runner, legacy_root: Path) -> None:  # F14
    engram.save("rule", "Write the ledger now.")
    edited = legacy_root / FILES["prices-are-integers-in-cents"]
    edited.write_bytes(edited.read_bytes() + b"- An edit.\n")
    old = older_ledger(legacy_root) | {FILES["prices-are-integers-in-cents"]: hash_of(edited)}
    (legacy_root / "memory.hashes.json").write_text(json.dumps(old), encoding="utf-8")
    assert "SKIPPED knowledge/prices-are-integers-in-cents.md" in engram.ok("load", "prices")


def test_unknown_keys_and_the_schema_survive_an_update(engram: Runner, legacy_root: Path) -> None:
    before = (legacy_root / FILES["orders-are-eventually-consistent"]).read_bytes()
    update(engram, "orders-are-eventually-consistent", "Orders lag four seconds at most.")
    after = (legacy_root / FILES["orders-are-eventually-consistent"]).read_bytes()
    gone = set(before.splitlines()) - set(after.splitlines())
    assert gone == {b"updated: 2025-11-03"}, "a schema 1 memory changes only in what the update says"
    new = [line for line in after.splitlines() if line not in set(before.splitlines())]
    assert new[1:] == [b"- Orders lag four seconds at most."]
    assert new[0].startswith(b"updated: ")
    assert b'x_team: "fulfilment"' in after.splitlines()
    assert b"schema_version" not in after


def test_a_schema_2_memory_stays_schema_2(engram: Runner, legacy_root: Path) -> None:
    update(engram, "skill-cut-a-release", "Announce it in the channel.")
    lines = (legacy_root / FILES["skill-cut-a-release"]).read_text(encoding="utf-8").splitlines()
    assert "schema_version: 2" in lines
    assert "# Skill: Cut a release" in lines
    assert "author: mara@example.test" in lines
    assert not [line for line in lines if line.startswith(("revision:", "valid_from:", "last_confirmed:"))]


def test_a_byte_order_mark_and_windows_line_ends_survive_an_update_of_schema_1(
    engram: Runner, legacy_root: Path
) -> None:
    path = legacy_root / FILES["prices-are-integers-in-cents"]
    assert path.read_bytes().startswith(b"\xef\xbb\xbf---\r\n")
    update(engram, "prices-are-integers-in-cents", "Prices are in euro cents.")
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")


def test_a_schema_3_memory_counts_its_revision_and_keeps_its_variants(engram: Runner, legacy_root: Path) -> None:
    path = legacy_root / FILES["use-pnpm-for-every-install"]
    before = path.read_text(encoding="utf-8")
    update(engram, "use-pnpm-for-every-install", "Yarn rewrites it too.")
    after = path.read_text(encoding="utf-8")
    assert "revision: 3\n" in after
    assert 'author_name: "Mara Quint"\n' in after
    assert before.partition("## Rule Variants")[2] == after.partition("## Rule Variants")[2]


def test_the_comment_in_the_configuration_survives_a_change(engram: Runner, legacy_root: Path) -> None:
    path = legacy_root / "engram.config.json"
    before = path.read_text(encoding="utf-8")
    assert engram.ok("config", "get", "load.limit").strip() == "6"
    engram.ok("config", "set", "load.limit", "7")
    assert path.read_text(encoding="utf-8") == before.replace('"limit": 6', '"limit": 7')
    assert "/* kept by hand */" in before
    engram.ok("config", "set", "load.limit", "6")
    assert path.read_text(encoding="utf-8") == before


def test_without_any_ledger_nothing_is_vouched_for(engram: Runner, legacy_root: Path) -> None:  # F13
    os.unlink(legacy_root / "memory.hashes.json")
    text = engram.ok("load", "prices", env=TRUSTED)
    assert "<engram-memory" not in text
    assert "SKIPPED 4 files in workspace memory: they are not in SHA256SUMS" in text
    assert engram.run("verify").returncode == 4
