"""``engram purge``: what was saved by mistake is gone everywhere that Engram wrote it, and Git's part is said (F17)."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.acceptance.conftest import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Ended, OpenTerminal
    from tests.conftest import Runner, Scratch

MEMORY = "wifi-of-the-office-is-marmalade"
TEXT = "Wifi of the office is marmalade."
TRACES = (b"marmalade", b"Marmalade")


def git(scratch: Scratch, folder: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", *args], cwd=folder, env=scratch.env, capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    return done.stdout


def purge(terminal: OpenTerminal, memory_id: str = MEMORY, typed: str = MEMORY) -> Ended:
    session = terminal("purge", memory_id)
    session.wait_for("to purge it:")
    session.type(f"{typed}\n")
    return session.end()


def holding(folder: Path) -> list[str]:
    """Return the files below a folder that hold a trace of the text or of its name, Git's own aside."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".git" not in path.relative_to(folder).parts:
            name = any(trace.decode() in path.name for trace in TRACES)
            if name or any(trace in path.read_bytes() for trace in TRACES):
                found.append(path.relative_to(folder).as_posix())
    return found


def test_it_is_gone_from_every_place(
    engram: Runner, root: Path, terminal: OpenTerminal, scratch: Scratch, tmp_path: Path
) -> None:
    engram.save("rule", "Never push to main.")
    engram.save("knowledge", TEXT)
    engram.save("knowledge", "The office has more than one wifi.", "--update", MEMORY)
    engram.ok("load", "wifi of the office")
    engram.ok("load", "--id", MEMORY)
    engram.ok("archive", MEMORY, "--reason", "it moved")
    engram.save("knowledge", TEXT)
    engram.ok("load", "wifi of the office marmalade")
    (root / "knowledge" / f"{MEMORY}.md.pre-v3.bak").write_text(TEXT, encoding="utf-8")
    engram.ok("save-session", "--file", "-", "--inbox", input=f"TYPE: rule | TEXT: Remember: {TEXT}\n")
    assert len(holding(tmp_path)) > 6
    done = purge(terminal)
    assert done.code == 0, done.text
    assert "Git does not have it." in done.text
    assert holding(tmp_path) == []
    assert "purge a memory (terminal)" in (root / "changelog.md").read_text("utf-8")
    assert engram.run("verify").returncode == 0
    assert engram.ok("repair") == "Nothing is damaged.\n"
    assert "never-push-to-main" in engram.ok("load", "push to main")
    assert not list((root / "archive").glob("*/*/*"))


@pytest.mark.parametrize("text", ["Wifi: marmalade.", "密码是金桔。"])
def test_a_short_text_is_gone_from_inbox_and_open_approvals_and_others_stay(
    engram: Runner, root: Path, terminal: OpenTerminal, text: str
) -> None:  # F17
    other = "TYPE: rule | TEXT: Rule\n"
    engram.save("knowledge", text, "--title", "Office wifi")
    engram.ok("save-session", "--file", "-", "--inbox", input=f"TYPE: rule | TEXT: {text} | TITLE: Wifi\n{other}")
    assert len(list((root / "inbox").iterdir())) == 2
    assert purge(terminal, "office-wifi", "office-wifi").code == 0
    (kept,) = (root / "inbox").iterdir()
    assert '"Rule"' in kept.read_text("utf-8")
    assert not [path for path in root.rglob("*") if path.is_file() and text[:6].encode() in path.read_bytes()]


def test_both_scopes_lose_the_same_text_and_keep_another_one(
    engram: Runner, global_root: Path, root: Path, terminal: OpenTerminal, tmp_path: Path
) -> None:
    engram.save("knowledge", TEXT, "--scope", "both")
    assert purge(terminal).code == 0
    assert holding(tmp_path) == []
    engram.save("knowledge", TEXT)
    engram.save("knowledge", "Something else.", "--title", "Wifi of the office is marmalade", "--scope", "global")
    assert purge(terminal).code == 0
    assert holding(root) == []
    assert (global_root / "knowledge" / f"{MEMORY}.md").exists()


def test_other_memories_lose_nothing_and_those_that_name_it_are_said(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    engram.save("knowledge", TEXT)
    engram.save("knowledge", "Guests ask at the desk.", "--depends-on", MEMORY)
    guests = root / "knowledge" / "guests-ask-at-the-desk.md"
    before = guests.read_bytes()
    done = purge(terminal)
    assert "knowledge/guests-ask-at-the-desk.md" in done.text
    assert guests.read_bytes() == before


def test_the_answer_says_where_git_has_it_and_how_to_rewrite_that(
    engram: Runner, root: Path, terminal: OpenTerminal, scratch: Scratch
) -> None:
    engram.save("knowledge", TEXT)
    git(scratch, engram.cwd, "add", "--all")
    git(scratch, engram.cwd, "commit", "--quiet", "--message", "Save")
    engram.ok("archive", MEMORY, "--reason", "it moved")
    git(scratch, engram.cwd, "add", "--all")
    git(scratch, engram.cwd, "commit", "--quiet", "--message", "Archive")
    git(scratch, engram.cwd, "update-ref", "refs/remotes/origin/main", "HEAD")
    done = purge(terminal)
    assert done.code == 0, done.text
    assert f"Git still has it, in 2 commits of {engram.cwd}:" in done.text
    active = f".agents/.engram/knowledge/{MEMORY}.md"
    assert f"--path {active}" in done.text
    assert "git filter-repo --invert-paths" in done.text
    assert "origin/main" in done.text
    assert f"{MEMORY}==>purged" in done.text
    assert holding(engram.cwd) == []
    assert active in git(scratch, engram.cwd, "ls-tree", "-r", "--name-only", "HEAD~1"), "history is not rewritten"


def test_what_was_staged_only_is_said(engram: Runner, root: Path, terminal: OpenTerminal, scratch: Scratch) -> None:
    engram.save("knowledge", TEXT)
    git(scratch, engram.cwd, "add", "--all")
    done = purge(terminal)
    assert "git gc --prune=now" in done.text


def test_an_edited_or_broken_memory_can_be_purged(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    engram.save("knowledge", TEXT)
    (root / "knowledge" / f"{MEMORY}.md").write_bytes(b"---\nid: [\n---\nmarmalade for everybody\n")
    assert purge(terminal).code == 0
    assert holding(root) == []


def test_a_working_note_is_purged_by_its_name(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    engram.ok("note", TEXT, "--objective", "the office", input="yes\n")
    (note,) = (root / "working").glob("*.md")
    done = purge(terminal, f"note/{note.stem}", note.stem)
    assert done.code == 0, done.text
    assert holding(root) == []


def test_a_note_of_the_same_text_goes_too_and_one_that_says_more_is_named(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # F17
    engram.save("knowledge", TEXT)
    engram.ok("note", f"Ask Bob first.\n\n{TEXT}", input="A\n")
    engram.ok("note", TEXT, input="A\n")
    assert len(list((root / "working").glob("*.md"))) == 2
    done = purge(terminal)
    assert done.code == 0, done.text
    assert holding(root) == ["working/ask-bob-first.md"]
    assert f"Some of its text still stands in {root / 'working' / 'ask-bob-first.md'}" in done.text.replace("\r\n", "")


def test_in_a_linked_worktree_the_notes_of_the_main_one_are_purged(
    engram: Runner, root: Path, scratch: Scratch, tmp_path: Path
) -> None:  # F1, F17
    git(scratch, engram.cwd, "add", "--all")
    git(scratch, engram.cwd, "commit", "--quiet", "--message", "Memory")
    git(scratch, engram.cwd, "worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = type(engram)(scratch, tmp_path / "linked")
    for name in (f"note/{MEMORY}", MEMORY):
        linked.ok("note", TEXT, input="A\n")
        if name == MEMORY:
            linked.save("knowledge", TEXT)
        assert holding(root)
        asked = Terminal(linked, ("purge", name), {}, out=None)
        try:
            asked.wait_for("to purge it:")
            asked.type(f"{MEMORY}\n")
            assert asked.end().code == 0
        finally:
            asked.close()
        assert holding(tmp_path) == []


@pytest.mark.parametrize("typed", ["", "yes", "y", MEMORY.upper()])
def test_nothing_happens_unless_the_id_is_typed(engram: Runner, root: Path, terminal: OpenTerminal, typed: str) -> None:
    engram.save("knowledge", TEXT)
    before = holding(root)
    assert purge(terminal, typed=typed).code == 5
    assert holding(root) == before


def test_without_a_terminal_it_refuses(engram: Runner, root: Path) -> None:
    engram.save("knowledge", TEXT)
    done = engram.run("purge", MEMORY, input=f"{MEMORY}\n")
    assert done.returncode == 5
    assert "terminal" in done.stderr
    assert (root / "knowledge" / f"{MEMORY}.md").exists()


def test_an_unknown_id_names_the_closest(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    engram.save("knowledge", TEXT)
    session = terminal("purge", "wifi-of-the-office")
    done = session.end()
    assert done.code == 7
    assert MEMORY in done.text


def test_an_open_approval_of_the_text_is_revoked(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    engram.save("rule", "Never push to main.")
    code = (
        "import engram; s = engram.open_memory();"
        "from engram.service.sessions import propose_session; from engram.service.approving import offer;"
        f"b = propose_session(s, 'TYPE: knowledge | TEXT: {TEXT}\\nTYPE: rule | TEXT: Always sign commits.');"
        "print(offer(s, b))"
    )
    python = os.path.join(os.path.dirname(engram.command[0]), "python")
    done = subprocess.run(
        [python, "-c", code], cwd=engram.cwd, env=engram.scratch.env, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert "pending-approvals.json" in holding(root)
    engram.save("knowledge", TEXT)
    assert purge(terminal).code == 0
    assert holding(root) == []


def test_no_file_is_named_that_git_never_had(
    engram: Runner, root: Path, terminal: OpenTerminal, scratch: Scratch
) -> None:
    engram.save("knowledge", TEXT)
    git(scratch, engram.cwd, "add", "--all")
    git(scratch, engram.cwd, "commit", "--quiet", "--message", "Save")
    engram.ok("archive", MEMORY, "--reason", "it moved")
    done = purge(terminal)
    assert f"Git still has it, in 1 commit of {engram.cwd}:" in done.text
    assert f"--path .agents/.engram/knowledge/{MEMORY}.md" in done.text
    assert "--path .agents/.engram/archive" not in done.text
