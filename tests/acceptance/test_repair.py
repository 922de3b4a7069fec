"""``engram repair`` finds and explains every kind of damage, and mends only what cannot lose anything (F2a, F8, J3)."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner


def damage(engram: Runner) -> list[dict[str, Any]]:
    envelope = engram.json("repair")
    found: list[dict[str, Any]] = envelope["data"]["damage"]
    assert envelope["ok"] is (not found)
    return found


def found(engram: Runner) -> list[tuple[str, str]]:
    return [(one["kind"], one["path"]) for one in damage(engram)]


def save(engram: Runner, root: Path, text: str, *args: str) -> Path:
    before = set(root.rglob("*.md"))
    engram.save("knowledge", text, *args)
    (made,) = set(root.rglob("*.md")) - before
    return made


def accept(root: Path, *files: Path) -> None:
    """Put the bytes that files have now into the ledger, as a review would."""
    ledger = root / "SHA256SUMS"
    lines = {line[66:]: line for line in ledger.read_text("utf-8").splitlines()}
    for file in files:
        path = file.relative_to(root).as_posix()
        lines[path] = f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {path}"
    text = "".join(f"{lines[path]}\n" for path in sorted(lines))
    ledger.write_text(text, encoding="utf-8", newline="\n")


def test_a_sound_memory_has_no_damage(engram: Runner, root: Path) -> None:
    save(engram, root, "Orders are eventually consistent.")
    engram.ok("load", "orders")
    assert engram.ok("repair") == "Nothing is damaged.\n"
    assert engram.ok("repair", "--fix") == "Nothing is damaged.\n"


def test_a_fresh_and_a_legacy_folder_are_sound_but_for_git_s_files(engram: Runner, legacy_root: Path) -> None:
    assert {kind for kind, _ in found(engram)} <= {"git"}


def test_each_kind_is_named_with_its_place_its_reason_and_what_mends_it(engram: Runner, root: Path) -> None:
    edited = save(engram, root, "Edited by hand.")
    edited.write_text(edited.read_text("utf-8") + "- more\n", encoding="utf-8", newline="\n")
    gone = save(engram, root, "Gone from the disk.")
    gone.unlink()
    broken = save(engram, root, "Broken frontmatter.")
    broken.write_text("---\nid: broken\nrevision: many\n---\n\n# Broken\n", encoding="utf-8", newline="\n")
    accept(root, broken)
    torn = save(engram, root, "Torn between two.")
    text = torn.read_text("utf-8")
    torn.write_text(f"{text}<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> theirs\n", encoding="utf-8", newline="\n")
    misplaced = save(engram, root, "A rule in the wrong folder.")
    misplaced.write_text(misplaced.read_text("utf-8").replace("type: knowledge", "type: rule"), "utf-8")
    accept(root, misplaced)
    (root / "knowledge" / "unknown.md").write_bytes(gone.read_bytes() if gone.exists() else edited.read_bytes())
    twin = root / "knowledge" / "deeper" / misplaced.name
    twin.parent.mkdir()
    twin.write_bytes(misplaced.read_bytes())
    accept(root, twin)
    (root / "stray.md").write_text("# Stray\n", encoding="utf-8")
    (root / "rule").mkdir()
    (root / "rule" / "typo.md").write_text("# Typo\n", encoding="utf-8")
    rows = {(one["kind"], one["path"]): one for one in damage(engram)}
    assert set(rows) == {
        ("mismatch", "knowledge/edited-by-hand.md"),
        ("missing", "knowledge/gone-from-the-disk.md"),
        ("unparsable", "knowledge/broken-frontmatter.md"),
        ("conflict", "knowledge/torn-between-two.md"),
        ("misplaced", "knowledge/a-rule-in-the-wrong-folder.md"),
        ("misplaced", "knowledge/deeper/a-rule-in-the-wrong-folder.md"),
        ("duplicate", "knowledge/deeper/a-rule-in-the-wrong-folder.md"),
        ("orphan", "knowledge/unknown.md"),
        ("duplicate", "knowledge/unknown.md"),
        ("misplaced", "stray.md"),
        ("misplaced", "rule/typo.md"),
    }
    assert rows["unparsable", "knowledge/broken-frontmatter.md"]["line"] == 3
    assert "revision" in rows["unparsable", "knowledge/broken-frontmatter.md"]["reason"]
    assert rows["conflict", "knowledge/torn-between-two.md"]["line"] == text.count("\n") + 1
    assert "rules/a-rule-in-the-wrong-folder.md" in rows["misplaced", "knowledge/a-rule-in-the-wrong-folder.md"]["mend"]
    assert all(one["reason"] and one["mend"] and not one["fixable"] for one in rows.values())
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    done = engram.run("repair", "--fix")
    assert done.returncode == 4
    assert "engram verify --review" in done.stdout
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before, "nobody's text is changed"
    assert len(found(engram)) == len(rows)


def test_dangling_dependencies_and_circles_are_named_and_what_only_leads_into_one_is_not(
    engram: Runner, root: Path
) -> None:
    first = save(engram, root, "Alpha comes first.", "--title", "Alpha")
    save(engram, root, "Beta needs alpha.", "--title", "Beta", "--depends-on", "alpha")
    save(engram, root, "Gamma needs beta.", "--title", "Gamma", "--depends-on", "beta,nowhere-to-be-found")
    first.write_text(first.read_text("utf-8").replace("id: alpha", "depends_on: [beta]\nid: alpha"), "utf-8")
    accept(root, first)
    rows = damage(engram)
    assert [(one["kind"], one["path"]) for one in rows] == [
        ("cycle", "knowledge/alpha.md"), ("cycle", "knowledge/beta.md"), ("dangling", "knowledge/gamma.md"),
    ]  # fmt: skip
    assert "nowhere-to-be-found" in rows[2]["reason"]
    assert "beta need each other" in rows[0]["reason"]


def test_a_file_that_was_moved_or_copied_by_hand_is_named_with_where_it_belongs(engram: Runner, root: Path) -> None:
    moved = save(engram, root, "Deploys run from the bastion host.", "--title", "Bastion")
    moved.rename(root / "rules" / "bastion.md")
    copied = save(engram, root, "Orders are eventually consistent.", "--title", "Orders")
    below = root / "knowledge" / "a" / "orders.md"
    below.parent.mkdir()
    below.write_bytes(copied.read_bytes())
    (root / "knowledge" / "another.md").write_bytes(copied.read_bytes())
    rows = {(one["kind"], one["path"]): one for one in damage(engram)}
    assert set(rows) == {
        ("duplicate", "knowledge/a/orders.md"),
        ("duplicate", "knowledge/another.md"),
        ("misplaced", "rules/bastion.md"),
        ("missing", "knowledge/bastion.md"),
        ("orphan", "knowledge/a/orders.md"),
        ("orphan", "knowledge/another.md"),
        ("orphan", "rules/bastion.md"),
    }
    assert "rules/bastion.md" in rows["missing", "knowledge/bastion.md"]["reason"]
    for one in (rows["missing", "knowledge/bastion.md"], rows["orphan", "rules/bastion.md"]):
        assert one["mend"].startswith("Move it back to knowledge/bastion.md")
    for path in ("knowledge/a/orders.md", "knowledge/another.md"):
        assert "knowledge/orders.md" in rows["duplicate", path]["reason"], "what was approved owns the id"
    (root / "rules" / "bastion.md").rename(moved)
    assert not [one for one in damage(engram) if "bastion" in one["path"]]


def test_what_a_memory_names_is_read_as_an_id_and_a_path_there_stops_nothing(  # F12
    engram: Runner, root: Path
) -> None:
    save(engram, root, "Alpha comes first.", "--title", "Alpha")
    save(engram, root, "Zebras graze at dawn.", "--title", "Zebra", "--depends-on", "alpha")
    save(engram, root, "Old ways were slow.", "--title", "Old")
    save(engram, root, "Needs the old ways.", "--title", "Needing", "--depends-on", "old")
    save(engram, root, "New ways are quick.", "--title", "New", "--supersedes", "old")
    zebra, alpha = root / "knowledge" / "zebra.md", root / "knowledge" / "alpha.md"
    zebra.write_text(
        zebra.read_text("utf-8").replace("[alpha]", "[workspace/alpha, ../../etc/passwd, 'C:/x']"), "utf-8"
    )
    alpha.write_text(alpha.read_text("utf-8").replace("id: alpha", "depends_on: [alpha]\nid: alpha"), "utf-8")
    accept(root, zebra, alpha)
    rows = damage(engram)
    assert [(one["kind"], one["path"]) for one in rows] == [
        ("cycle", "knowledge/alpha.md"), ("dangling", "knowledge/needing.md"),
        ("dangling", "knowledge/zebra.md"), ("dangling", "knowledge/zebra.md"),
    ]  # fmt: skip
    assert "itself" in rows[0]["reason"]
    assert "new has replaced" in rows[1]["reason"]
    assert "../../etc/passwd" in rows[2]["reason"]
    assert "../../etc/passwd" in engram.ok("graph")
    loaded = engram.ok("load", "zebras graze at dawn")
    assert loaded.index('id="alpha"') < loaded.index('id="zebra"'), "what is needed comes along, with a scope before it"
    engram.save("knowledge", "Lions sleep at noon.", "--depends-on", "zebra")


def merged(root: Path) -> tuple[bytes, bytes]:
    """Make of ledger and changelog what a union merge, and a forge without one, leaves; return what they were."""
    ledger, changelog = root / "SHA256SUMS", root / "changelog.md"
    was = ledger.read_bytes(), changelog.read_bytes()
    lines = was[0].decode().splitlines(keepends=True)
    other = "0" * 64 + lines[0][64:]
    text = "<<<<<<< HEAD\n" + lines[-1] + other + "=======\n" + "".join(lines) + ">>>>>>> theirs\n"
    ledger.write_text(text.rstrip("\n"), encoding="utf-8", newline="\n")
    log = was[1].decode().splitlines(keepends=True)
    changelog.write_text(
        "".join([*log[:2], "<<<<<<< HEAD\n", *log[2:3], "=======\n", *log[3:], ">>>>>>> x\n"]), "utf-8"
    )
    return was


def test_merged_ledgers_and_changelogs_are_mended(engram: Runner, root: Path) -> None:  # F2a
    for text in ("Orders are eventually consistent.", "Prices are integers in cents."):
        save(engram, root, text)
    ledger, log = merged(root)
    assert "orders-are-eventually" in engram.ok("load", "orders consistent"), "no memory is out of service meanwhile"
    assert {kind for kind, _ in found(engram)} == {"ledger", "changelog"}
    done = engram.run("repair", "--fix")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Mended") == 3
    assert (root / "SHA256SUMS").read_bytes() == ledger
    after = (root / "changelog.md").read_bytes()
    assert after.startswith(log)
    assert re.fullmatch(rb"- \S+ SHA256SUMS: repair ledger, changelog \(command\)\n", after[len(log) :])
    assert engram.run("verify").returncode == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [*lines, lines[0]],
        lambda lines: list(reversed(lines)),
        lambda lines: [*lines[:-1], lines[-1].rstrip(b"\n")],
        lambda lines: [b"# a remark\n", *lines],
    ],
)
def test_a_ledger_in_another_form_is_mended(engram: Runner, root: Path, change: Any) -> None:
    for text in ("Orders are eventually consistent.", "Prices are integers in cents."):
        save(engram, root, text)
    ledger = root / "SHA256SUMS"
    was = ledger.read_bytes()
    ledger.write_bytes(b"".join(change(was.splitlines(keepends=True))))
    assert found(engram) == [("ledger", "SHA256SUMS")]
    engram.ok("repair", "--fix")
    assert ledger.read_bytes() == was


def test_a_doubled_line_that_no_file_settles_stays_for_a_human(engram: Runner, root: Path) -> None:
    file = save(engram, root, "Orders are eventually consistent.")
    ledger = root / "SHA256SUMS"
    ledger.write_text(ledger.read_text("utf-8") + "0" * 64 + "  " + file.relative_to(root).as_posix() + "\n", "utf-8")
    file.write_text(file.read_text("utf-8") + "- more\n", encoding="utf-8", newline="\n")
    before = ledger.read_bytes()
    assert found(engram) == [("ledger", "SHA256SUMS"), ("mismatch", file.relative_to(root).as_posix())]
    assert {one["mend"] for one in damage(engram)} == {"engram verify --review"}
    assert engram.run("repair", "--fix").returncode == 4
    assert ledger.read_bytes() == before


@pytest.mark.parametrize("left", [None, b""])
def test_a_ledger_that_is_gone_or_empty_is_named_before_the_files_that_nobody_vouches_for_now(
    engram: Runner, root: Path, left: bytes | None
) -> None:
    file = save(engram, root, "Orders are eventually consistent.")
    ledger = root / "SHA256SUMS"
    ledger.unlink()
    if left is not None:
        ledger.write_bytes(left)
    first, second = damage(engram)
    assert (first["kind"], first["path"], first["fixable"]) == ("ledger", "SHA256SUMS", False)
    assert first["mend"].startswith("Bring it back from Git or a backup")
    assert (second["kind"], second["path"]) == ("orphan", file.relative_to(root).as_posix())


def test_what_stands_where_the_index_belongs_is_named_and_nothing_is_promised_that_a_mend_does_not_do(
    engram: Runner, root: Path
) -> None:
    save(engram, root, "Orders are eventually consistent.")
    (root / ".cache").write_text("mine", encoding="utf-8")
    assert [(one["kind"], one["path"], one["fixable"]) for one in damage(engram)] == [("misshaped", ".cache", False)]
    (root / ".cache").unlink()
    (root / ".cache" / "index.sqlite").mkdir(parents=True)
    (root / ".cache" / "index.sqlite" / "mine").write_text("mine", encoding="utf-8")
    rows = damage(engram)
    assert [(one["kind"], one["path"], one["fixable"]) for one in rows] == [("index", ".cache/index.sqlite", False)]
    engram.run("repair", "--fix")
    assert (root / ".cache" / "index.sqlite" / "mine").exists()
    (root / ".cache" / "index.sqlite" / "mine").unlink()
    (root / ".cache" / "index.sqlite").rmdir()
    assert engram.ok("repair") == "Nothing is damaged.\n"


def test_a_file_that_cannot_be_read_is_named_with_what_mends_that_file(engram: Runner, root: Path) -> None:
    (root / "rules").mkdir(exist_ok=True)
    (root / "rules" / "big.md").write_bytes(b"a" * 300_000)
    (root / "rules" / "nul.md").write_bytes(b"---\nid: nul\n---\n\0\n")
    wanted = {"rules/big.md": "Split it into several memories", "rules/nul.md": "Mend the file"}
    if os.name != "nt":
        (root / "rules" / "link.md").symlink_to("/etc/hosts")
        os.mkfifo(root / "rules" / "pipe.md")
        wanted |= {"rules/link.md": "Put the file itself in its place", "rules/pipe.md": "Take it away"}
    rows = {one["path"]: one["mend"] for one in damage(engram) if one["kind"] == "unparsable"}
    assert rows.keys() == wanted.keys()
    assert {path: mend for path, mend in rows.items() if not mend.startswith(wanted[path])} == {}


@pytest.mark.parametrize("name", ["SHA256SUMS", "memory.hashes.json", "changelog.md", ".gitignore", ".gitattributes"])
def test_a_folder_in_the_place_of_a_file_of_engram_s_own_is_named_and_ends_no_examination(
    engram: Runner, root: Path, name: str
) -> None:
    save(engram, root, "Orders are eventually consistent.")
    (root / "stray.md").write_text("# Stray\n", encoding="utf-8")
    (root / name).unlink(missing_ok=True)
    (root / name).mkdir()
    rows = {one["path"]: one for one in damage(engram)}
    assert set(rows) == {name, "stray.md"}
    assert (rows[name]["reason"], rows[name]["fixable"]) == ("it is no regular file", False)
    assert "moved away: mv" in rows[name]["mend"]
    assert engram.run("repair", "--fix").returncode == 4
    assert os.listdir(root / name) == []


def test_an_archived_file_that_no_ledger_names_is_sent_to_no_review(engram: Runner, root: Path) -> None:
    file = save(engram, root, "Orders are eventually consistent.")
    (root / "archive" / "odd").mkdir(parents=True)
    (root / "archive" / "odd" / file.name).write_bytes(file.read_bytes())
    (row,) = damage(engram)
    assert (row["kind"], row["mend"]) == ("misplaced", "Move it to archive/<day>/<kind>/")


def test_git_s_files_the_index_and_a_second_ledger_are_mended(engram: Runner, root: Path) -> None:
    save(engram, root, "Orders are eventually consistent.")
    (root / "memory.hashes.json").write_text(
        json.dumps({"knowledge/orders-are-eventually-consistent.md": "0" * 64}), encoding="utf-8"
    )
    engram.ok("load", "orders")
    (root / ".gitattributes").unlink()
    (root / ".cache" / "index.sqlite").write_bytes(b"no database")
    assert found(engram) == [
        ("index", ".cache/index.sqlite"),
        ("git", ".gitattributes"),
        ("ledger", "memory.hashes.json"),
    ]
    engram.ok("repair", "--fix")
    assert "SHA256SUMS merge=union" in (root / ".gitattributes").read_text("utf-8")
    assert engram.ok("repair") == "Nothing is damaged.\n"


def test_a_candidate_that_waits_for_more_than_thirty_days_is_named(engram: Runner, root: Path) -> None:
    engram.ok("save-session", "--file", "-", "--inbox", input="TYPE: rule | TEXT: Never push to main.\n")
    assert found(engram) == []
    (waiting,) = (root / "inbox").iterdir()
    row = json.loads(waiting.read_text("utf-8"))
    waiting.write_text(json.dumps({**row, "since": "2024-01-31"}), encoding="utf-8")
    rows = damage(engram)
    assert [(one["kind"], one["path"], one["mend"]) for one in rows] == [
        ("deferred", f"inbox/{waiting.name}", "engram review")
    ]
    assert "2024-01-31" in rows[0]["reason"]


def test_no_private_file_is_named(engram: Runner, root: Path) -> None:
    file = save(engram, root, "The merger closes in May.")
    file.write_bytes(b"\xff")
    (root / "private.md").write_text("x", encoding="utf-8")
    (engram.cwd / ".engramignore").write_text("private.md\nthe-merger*\n", encoding="utf-8")
    assert engram.ok("repair") == "Nothing is damaged.\n"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_said(engram: Runner, root: Path) -> None:
    (root / ".gitattributes").unlink()
    root.chmod(0o500)
    try:
        done = engram.run("repair", "--fix")
    finally:
        root.chmod(0o700)
    assert done.returncode == 1
    assert str(root) in done.stderr


def test_an_id_that_two_files_have_is_named_once_as_the_closest(engram: Runner, root: Path) -> None:  # F11, C37
    made = save(engram, root, "Orders are eventually consistent.")
    twin = root / "knowledge" / "deeper" / made.name
    twin.parent.mkdir()
    twin.write_bytes(made.read_bytes())
    accept(root, twin)
    said = engram.run("show", made.stem[:-1]).stderr
    assert said.count(made.stem) == 1, said
