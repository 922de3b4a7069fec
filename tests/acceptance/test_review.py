"""F13: a human at a terminal decides about each file that is not as the ledger has it."""

from __future__ import annotations

import hashlib
import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Ended, OpenTerminal, Terminal
    from tests.conftest import Runner

QUESTION = "A accept, R reject, S skip, Q quit > "
END = "R reject, S skip, Q quit > "  # of every question; one that does not offer A begins with it
PLAIN = {"NO_COLOR": "1"}
PNPM = "rules/use-pnpm-for-every-install.md"
PRICES = "knowledge/prices-are-integers-in-cents.md"


@pytest.fixture
def memory(engram: Runner, root: Path) -> Path:
    """Save a rule and a piece of knowledge, and commit them; return the root."""
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.")
    engram.save("knowledge", "Prices are integers in cents.")
    commit(engram)
    return root


def git(engram: Runner, *args: str) -> None:
    subprocess.run(["git", *args], cwd=engram.cwd, env=engram.scratch.env, check=True, capture_output=True, timeout=60)


def commit(engram: Runner) -> None:
    git(engram, "add", "--all")
    git(engram, "commit", "--quiet", "--message", "Memory")


def edit(root: Path, path: str, old: bytes = b"every", new: bytes = b"each") -> bytes:
    """Change a word of a file as an editor would; return the new bytes."""
    data = (root / path).read_bytes()
    assert old in data
    (root / path).write_bytes(data.replace(old, new))
    return data.replace(old, new)


def answer(asked: Terminal, *answers: str) -> Ended:
    """Type each answer once its question stands there, and wait for the end."""
    for number, text in enumerate(answers, start=1):
        asked.wait_for(END, number)
        asked.type(text)
    return asked.end()


def review(terminal: OpenTerminal, *answers: str) -> Ended:
    return answer(terminal("verify", "--review", env=PLAIN), *(f"{text}\n" for text in answers))


def archived(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.glob("archive/*/*/*.md")}


def last_change(root: Path) -> str:
    return (root / "changelog.md").read_text(encoding="utf-8").splitlines()[-1].partition(" ")[2].partition(" ")[2]


def everything(root: Path) -> dict[str, bytes]:
    """Return every file that a review may change."""
    places = (*root.rglob("*.md"), root / "SHA256SUMS")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in places}


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_without_a_terminal_it_refuses_and_says_so(engram: Runner, memory: Path, more: tuple[str, ...]) -> None:
    edit(memory, PNPM)
    before = everything(memory)
    done = engram.run("verify", "--review", *more, input="A\nA\n")
    assert done.returncode == 5
    assert "terminal" in done.stdout + done.stderr
    assert everything(memory) == before


def test_nothing_to_review_is_said_without_a_question(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    ended = review(terminal)
    assert ended.code == 0
    assert "Every file is as it was approved." in ended.text
    assert QUESTION not in ended.text


def test_an_accepted_edit_is_shown_as_a_diff_and_counts_from_then_on(
    engram: Runner, memory: Path, terminal: OpenTerminal
) -> None:
    data = edit(memory, PNPM, b"npm rewrites", b"npm breaks")
    assert "SKIPPED" in engram.ok("load", "install a package")
    ended = review(terminal, "a")
    assert ended.code == 0
    assert f"--- approved/{PNPM}\n+++ now/{PNPM}\n" in ended.text
    assert "\n-- Use pnpm for every install; npm rewrites the lockfile.\n" in ended.text
    assert "\n+- Use pnpm for every install; npm breaks the lockfile.\n" in ended.text
    assert (memory / PNPM).read_bytes() == data
    assert last_change(memory) == f"{PNPM}: accept edited rule: use-pnpm-for-every-install (terminal)"
    assert engram.run("verify").returncode == 0
    assert "npm breaks the lockfile" in engram.ok("load", "install a package")
    assert archived(memory) == {}


def test_a_rejected_edit_moves_to_the_archive_and_the_approved_bytes_are_back(
    engram: Runner, memory: Path, terminal: OpenTerminal
) -> None:
    approved = (memory / PNPM).read_bytes()
    data = edit(memory, PNPM)
    ended = review(terminal, "R")
    assert ended.code == 0
    assert (memory / PNPM).read_bytes() == approved
    (name, kept), *more = archived(memory).items()
    assert (name, more) == ("use-pnpm-for-every-install.md", [])
    header, _, inner = kept.partition(b"\n\n")
    assert inner == data
    assert f"<!-- Original: workspace:{PNPM} -->\n<!-- Reason: rejected edit -->" in header.decode()
    assert last_change(memory).endswith(": reject edited rule: use-pnpm-for-every-install (terminal)")
    assert engram.run("verify").returncode == 0


def test_the_approved_bytes_are_found_in_an_older_commit(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    approved = (memory / PNPM).read_bytes()
    for new in (b"each", b"any"):
        (memory / PNPM).write_bytes(approved.replace(b"every", new))
        commit(engram)
    ended = review(terminal, "R")
    assert ended.code == 0
    assert "for every install" in ended.text
    assert (memory / PNPM).read_bytes() == approved


def test_what_git_does_not_have_is_shown_whole_and_not_rejected(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.")
    data = edit(root, PNPM)
    before = everything(root)
    ended = review(terminal, "R")
    assert ended.code == 4
    assert "Git does not have" in ended.text
    assert "\n| - Use pnpm for each install; npm rewrites the lockfile.\n" in ended.text
    assert everything(root) == before
    assert "SKIPPED" in engram.ok("list")
    assert review(terminal, "A").code == 0
    assert (root / PNPM).read_bytes() == data
    assert engram.run("verify").returncode == 0


@pytest.mark.parametrize("choice", ["A", "R", "S"])
def test_a_file_that_nobody_approved_is_shown_whole(
    engram: Runner, memory: Path, terminal: OpenTerminal, choice: str
) -> None:
    data = (memory / PNPM).read_bytes().replace(b"use-pnpm-for-every-install", b"by-hand").replace(b"pnpm", b"yarn")
    (memory / "rules" / "by-hand.md").write_bytes(data)
    ended = review(terminal, choice)
    assert "rules/by-hand.md: it is not in SHA256SUMS" in ended.text
    assert "\n| - Use yarn for every install; npm rewrites the lockfile.\n" in ended.text
    assert ended.code == (4 if choice == "S" else 0)
    assert (memory / "rules" / "by-hand.md").exists() is (choice != "R")
    assert [data in kept for kept in archived(memory).values()] == ([True] if choice == "R" else [])
    assert ("by-hand  [rule" in engram.ok("list")) is (choice == "A")
    assert engram.run("verify").returncode == ended.code


def test_anything_else_asks_again(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    edit(memory, PNPM)
    before = everything(memory)
    ended = review(terminal, "", "yes", "A B", "s")
    assert ended.text.count("Please answer A, R, S or Q.") == 3
    assert ended.code == 4
    assert "1 file is skipped after this review" in ended.text
    assert everything(memory) == before


@pytest.mark.parametrize("ending", ["Q\n", "\x04"], ids=["quit", "end of input"])
def test_quitting_leaves_all_that_remain(engram: Runner, memory: Path, terminal: OpenTerminal, ending: str) -> None:
    edit(memory, PNPM)
    edit(memory, PRICES, b"cents", b"euros")
    before = everything(memory)
    ended = answer(terminal("verify", "--review", env=PLAIN), ending)
    assert ended.text.count(QUESTION) == 1
    assert ended.code == 4
    assert "2 files are skipped after this review" in ended.text
    assert everything(memory) == before


def test_each_file_has_its_own_answer(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    approved = (memory / PRICES).read_bytes()
    data = edit(memory, PNPM)
    edit(memory, PRICES, b"cents", b"euros")
    assert review(terminal, "A", "R").code == 0
    assert (memory / PNPM).read_bytes() == data
    assert (memory / PRICES).read_bytes() == approved


def test_white_space_alone_is_accepted_with_one_answer_before_the_rest(
    engram: Runner, memory: Path, terminal: OpenTerminal
) -> None:
    engram.save("rule", "Never push to main.")
    engram.save("rule", "Write the changelog first.")
    commit(engram)
    unix = (memory / PNPM).read_bytes()
    (memory / PNPM).write_bytes(b"\xef\xbb\xbf" + unix.replace(b"\n", b"\r\n"))
    (memory / PRICES).write_bytes((memory / PRICES).read_bytes().rstrip(b"\n"))
    edit(memory, "rules/never-push-to-main.md", b"push to", b"push  to")
    edit(memory, "rules/write-the-changelog-first.md", b"first", b"last")
    ended = review(terminal, "A", "S")
    assert ended.text.startswith("Only white space changed in 3 files:\n")
    together = ended.text.partition(QUESTION)[0]
    assert f"{PNPM}: line ends, byte order mark\n" in together
    assert f"{PRICES}: final line end\n" in together
    assert "rules/never-push-to-main.md: blanks and line breaks\n" in together
    assert "\n+- Never push  to main.\n" in together, "blanks may change what a line means: it is shown"
    assert "write-the-changelog-first" not in together
    assert ended.code == 4
    change = last_change(memory)
    for name in ("use-pnpm-for-every-install", "prices-are-integers-in-cents", "never-push-to-main"):
        assert name in change
    listed = engram.ok("list")
    assert listed.count("SKIPPED") == 1
    assert "SKIPPED rules/write-the-changelog-first.md" in listed


def test_words_that_are_joined_are_no_white_space(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    edit(memory, PNPM, b"npm rewrites", b"npmrewrites")
    ended = review(terminal, "S")
    assert "Only white space" not in ended.text
    assert "\n+- Use pnpm for every install; npmrewrites the lockfile.\n" in ended.text


def test_white_space_can_be_rejected_without_git(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.")
    approved = (root / PNPM).read_bytes()
    (root / PNPM).write_bytes(approved.replace(b"\n", b"\r\n"))
    assert review(terminal, "R").code == 0
    assert (root / PNPM).read_bytes() == approved
    assert [kept.endswith(approved.replace(b"\n", b"\r\n")) for kept in archived(root).values()] == [True]


def test_an_edit_that_the_safety_rules_block_is_not_accepted(
    engram: Runner, memory: Path, terminal: OpenTerminal
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    edit(memory, PNPM, b"npm rewrites", f"log in with {token}, npm rewrites".encode())
    before = everything(memory)
    ended = review(terminal, "A", "S")
    assert "Found in line" in ended.text
    assert "It cannot be accepted: line" in ended.text
    assert QUESTION not in ended.text
    assert "Please answer R, S or Q." in ended.text
    assert ended.code == 4
    assert everything(memory) == before
    assert review(terminal, "R").code == 0


def test_the_author_in_the_frontmatter_is_no_personal_data(
    engram: Runner, memory: Path, terminal: OpenTerminal
) -> None:
    author = {"ENGRAM_AUTHOR_NAME": "Bob", "ENGRAM_AUTHOR_EMAIL": "bob@amber-ledger.io"}
    engram.save("rule", "Never push to main.", env=author)
    engram.ok("config", "set", "safety.personal.email", "block")
    edit(memory, "rules/never-push-to-main.md", b"main", b"trunk")
    assert review(terminal, "A").code == 0
    edit(memory, PRICES, b"- Prices are in", b"- Ask bob@amber-ledger.io: prices are in")
    ended = review(terminal, "A", "S")
    assert ended.text.count("Found in line") == 1
    assert "Please answer R, S or Q." in ended.text
    assert ended.code == 4


def test_white_space_hides_no_blocked_text_from_its_own_question(
    engram: Runner, memory: Path, terminal: OpenTerminal
) -> None:
    approved = edit(memory, PNPM, b"npm rewrites", b"npm\xe2\x80\x8b rewrites")
    digest = hashlib.sha256(approved).hexdigest()
    ledger = (memory / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    lines = [f"{digest}  {PNPM}" if line.endswith(PNPM) else line for line in ledger]
    (memory / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (memory / PNPM).write_bytes(approved.replace(b"\n", b"\r\n"))
    ended = review(terminal, "A", "S")
    assert "Only white space" not in ended.text
    assert "Please answer R, S or Q." in ended.text
    assert ended.code == 4


def test_what_cannot_be_read_as_memory_is_not_accepted(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    edit(memory, PNPM, b"every install", b"\xff install")
    ended = review(terminal, "A", "S")
    assert "\\xff install" in ended.text
    assert "it is no UTF-8 text" in ended.text
    assert "A accept" not in ended.text
    assert ended.code == 4


def test_a_file_shows_nothing_that_acts_on_the_terminal(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    edit(memory, PNPM, b"every", b"\x1b[2J\xe2\x80\xaeevery")
    ended = review(terminal, "S")
    assert "\x1b" not in ended.text
    assert "\u202e" not in ended.text
    assert "\\u{1b}[2J\\u{202e}every" in ended.text


@pytest.mark.parametrize("choice", ["A", "R"])
def test_a_file_that_changes_while_the_question_stands_is_left(
    engram: Runner, memory: Path, terminal: OpenTerminal, choice: str
) -> None:
    edit(memory, PNPM)
    asked = terminal("verify", "--review", env=PLAIN)
    asked.wait_for(QUESTION)
    edit(memory, PNPM, b"each", b"no")
    before = everything(memory)
    ended = answer(asked, f"{choice}\n")
    assert f"{PNPM} changed since it was shown" in ended.text
    assert ended.code == 4
    assert everything(memory) == before


@pytest.mark.parametrize("choice", ["A", "R", "S"])
def test_a_file_that_is_gone_is_taken_off_the_ledger_or_brought_back(
    engram: Runner, memory: Path, terminal: OpenTerminal, choice: str
) -> None:
    approved = (memory / PNPM).read_bytes()
    (memory / PNPM).unlink()
    commit(engram)
    ended = review(terminal, choice)
    assert f"{PNPM}: the file is gone" in ended.text
    assert "\n-- Use pnpm for every install; npm rewrites the lockfile.\n" in ended.text
    assert ended.code == (4 if choice == "S" else 0)
    assert (PNPM in (memory / "SHA256SUMS").read_text(encoding="utf-8")) is (choice != "A")
    assert (memory / PNPM).exists() is (choice == "R")
    if choice == "R":
        assert (memory / PNPM).read_bytes() == approved
    if choice == "A":
        assert last_change(memory) == f"{PNPM}: accept removed rule: use-pnpm-for-every-install (terminal)"
    assert engram.run("verify").returncode == ended.code


def test_a_file_that_is_gone_and_unknown_to_git_stays_named(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.")
    (root / PNPM).unlink()
    before = everything(root)
    ended = review(terminal, "R")
    assert "Git does not have" in ended.text
    assert ended.code == 4
    assert everything(root) == before


def test_an_archived_file_goes_back_to_what_it_was(engram: Runner, memory: Path, terminal: OpenTerminal) -> None:
    engram.ok("archive", "use-pnpm-for-every-install", "--reason", "we use yarn")
    commit(engram)
    path = next(memory.glob("archive/*/*/*.md"))
    approved = path.read_bytes()
    path.write_bytes(approved.replace(b"every", b"each"))
    ended = review(terminal, "R")
    assert ended.code == 0
    assert path.read_bytes() == approved
    assert sorted(archived(memory)) == ["use-pnpm-for-every-install-rejected.md", "use-pnpm-for-every-install.md"]
    assert "we use yarn" in engram.ok("show", "use-pnpm-for-every-install"), "the edit does not pass for the newest"


def test_a_ledger_line_that_leads_out_of_the_root_touches_nothing_there(
    engram: Runner, memory: Path, terminal: OpenTerminal
) -> None:
    with (memory / "SHA256SUMS").open("a", encoding="utf-8") as ledger:
        ledger.write(f"{'0' * 64}  rules/../../../gone.md\n{'0' * 64}  notes.txt\n")
    ended = review(terminal)
    assert "Not for review: workspace:rules/../../../gone.md" in ended.text
    assert "Not for review: workspace:notes.txt" in ended.text
    assert ended.code == 4
    assert QUESTION not in ended.text


def test_a_folder_without_a_new_ledger_is_reviewed_to_the_end(
    engram: Runner, legacy_root: Path, terminal: OpenTerminal
) -> None:
    """F14: the first answer makes SHA256SUMS, which holds only what matched; the second one still stands."""
    git(engram, "add", "--all")
    git(engram, "commit", "--quiet", "--message", "Memory")
    rule = "rules/use-pnpm-for-every-install.md"
    approved = (legacy_root / PRICES).read_bytes()
    edit(legacy_root, rule, b"pnpm", b"yarn")
    edit(legacy_root, PRICES, b"cents", b"euros")
    ended = review(terminal, "A", "R")
    assert ended.code == 0, ended.text
    assert (legacy_root / PRICES).read_bytes() == approved
    assert engram.run("verify").returncode == 0


def test_json_holds_what_was_done_and_the_questions_go_to_standard_error(
    engram: Runner, memory: Path, terminal: OpenTerminal, tmp_path: Path
) -> None:
    edit(memory, PNPM)
    edit(memory, PRICES, b"cents", b"euros")
    file = tmp_path / "out.json"
    with file.open("wb") as out:
        ended = answer(terminal("verify", "--review", "--json", env=PLAIN, out=out.fileno()), "A\n", "S\n")
    assert f"+++ now/{PNPM}" in ended.text
    envelope: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert ended.code == 4
    assert envelope["ok"] is False
    assert envelope["data"]["remaining"] == 1
    done, skipped = envelope["data"]["reviewed"]
    assert (done["id"], done["problem"], done["outcome"]) == ("use-pnpm-for-every-install", "mismatch", "accepted")
    assert [receipt["file"] for receipt in done["receipts"]] == [str(memory / PNPM)]
    assert (skipped["path"], skipped["outcome"], skipped["receipts"]) == (PRICES, "skipped", [])
    assert "each install" not in file.read_text(encoding="utf-8"), "text that was not approved is for the human only"


def test_one_scope_can_be_reviewed_alone(
    engram: Runner, memory: Path, global_root: Path, terminal: OpenTerminal
) -> None:
    engram.save("rule", "Answer in English.", "--scope", "global")
    edit(global_root, "rules/answer-in-english.md", b"English", b"French")
    edit(memory, PNPM)
    ended = answer(terminal("verify", "--review", "--scope", "global", env=PLAIN), "A\n")
    assert ended.code == 0
    assert "global:rules/answer-in-english.md" in ended.text
    assert PNPM not in ended.text


def test_a_copy_under_an_id_that_another_file_has_is_not_approved(  # F11
    terminal: OpenTerminal, memory: Path, engram: Runner
) -> None:
    copy = memory / "rules" / "sub" / "Use-pnpm-for-every-install.md"
    copy.parent.mkdir()
    copy.write_bytes((memory / PNPM).read_bytes().replace(b"every", b"each"))
    before = (memory / "SHA256SUMS").read_bytes()
    ended = review(terminal, "A", "S")
    assert f"{PNPM} has the same id" in ended.text
    assert "Please answer R, S or Q." in ended.text
    assert (memory / "SHA256SUMS").read_bytes() == before
    (memory / PNPM).unlink()  # it was moved, not copied
    assert "accepted." in review(terminal, "A", "A").text
    assert engram.ok("repair") == "Nothing is damaged.\n"


def test_a_partial_clone_is_not_made_to_fetch(  # SECURITY.md: no network
    terminal: OpenTerminal, memory: Path, engram: Runner, tmp_path: Path
) -> None:
    ledger = (memory / "SHA256SUMS").read_bytes()
    edit(memory, PNPM)
    commit(engram)
    git(engram, "config", "uploadpack.allowFilter", "true")
    git(engram, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "clone"
    git(engram, "clone", "--quiet", "--filter=blob:none", f"file://{engram.cwd}", str(clone))

    def missing() -> bytes:
        listed = ["git", "rev-list", "--objects", "--all", "--missing=print"]
        done = subprocess.run(listed, cwd=clone, env=engram.scratch.env, check=True, capture_output=True, timeout=60)
        return b"\n".join(line for line in done.stdout.splitlines() if line.startswith(b"?"))

    before = missing()
    assert before, "the clone lacks nothing"
    assert (clone / ".agents" / ".engram" / "SHA256SUMS").read_bytes() == ledger
    asked = terminal("verify", "--review", "--workspace", str(clone), env=PLAIN)
    assert "The whole file" in answer(asked, "S\n").text
    assert missing() == before
