"""`engram review`: what waits for a human is seen, decided at a terminal, and never lost (A4, C39, C48, F13, I3)."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from tests.acceptance.waiting import CENTS, FRIDAY, UPLOADS, age, commit, defer, items, mcp, propose

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Ended, OpenTerminal, Terminal
    from tests.conftest import Runner

BEGIN = "Enter begins, a number begins there, Q quits > "
QUESTION = "? more > "
PLAIN = {"NO_COLOR": "1"}


def inbox(root: Path) -> list[Path]:
    return sorted((root / "inbox").glob("*.json"))


def changes(root: Path) -> list[str]:
    return [line.split(" ", 2)[2] for line in (root / "changelog.md").read_text(encoding="utf-8").splitlines()[2:]]


def answer(asked: Terminal, *answers: str) -> Ended:
    """Begin with the first thing, and answer one question after the other."""
    asked.wait_for(BEGIN)
    asked.type("\n")
    for number, text in enumerate(answers, start=1):
        asked.wait_for(" > ", number + 1)
        asked.type(f"{text}\n")
    return asked.end()


def review(terminal: OpenTerminal, *answers: str, **env: str) -> Ended:
    return answer(terminal("review", env={**PLAIN, **env}), *answers)


def editor(engram: Runner, code: str) -> str:
    """Write an editor: a Python program that changes the text of the file that it is given."""
    path = engram.scratch.home / "editor.py"
    path.write_text(
        "import sys\n"
        "path = sys.argv[1]\n"
        "text = open(path, encoding='utf-8', newline='').read()\n"
        f"{code}\n"
        "open(path, 'w', encoding='utf-8', newline='').write(text)\n",
        encoding="utf-8",
        newline="\n",
    )
    return f"{sys.executable} {path}"


# The list, and that it is seen (A4)


def test_without_memory_it_says_how_to_start(engram: Runner) -> None:
    done = engram.run("review")
    assert done.returncode == 7
    assert "engram inject" in done.stderr


def test_nothing_waits_and_it_says_so(engram: Runner, root: Path) -> None:
    assert engram.ok("review").splitlines() == ["Nothing waits for a review."]
    assert engram.json("review")["data"]["items"] == []
    assert "engram review" not in engram.ok("status") + engram.ok()


@pytest.mark.parametrize("words", [("review",), ("review", "--list")])
def test_without_a_terminal_it_only_lists_whatever_comes_through_the_pipe(
    engram: Runner, root: Path, words: tuple[str, ...]
) -> None:
    token = propose(engram, FRIDAY)
    defer(engram, CENTS)
    done = engram.run(*words, input="\nA\nA\nA\n")
    assert done.returncode == 0
    assert "2 things wait for you" in done.stdout
    assert "Never deploy on Friday" in done.stdout
    assert "Prices are integers in cents" in done.stdout
    assert "Decide at a terminal" in done.stdout
    assert " > " not in done.stdout + done.stderr
    assert changes(root) == []
    assert "Saved 1 of 1" in commit(engram, token)


def test_show_gives_one_whole_however_long_the_preview_was_cut(engram: Runner, root: Path) -> None:  # C42
    text = " ".join(f"Sentence number {number} of a long piece of knowledge." for number in range(200))
    propose(engram, f"TYPE: knowledge | TEXT: {text}")
    (item,) = items(engram)
    shown = engram.ok("review", "show", item["name"])
    assert "Sentence number 199 of a long piece of knowledge." in shown
    assert "Verdict: ADD" in shown
    assert engram.ok("review", "show", "1") == shown
    data = engram.json("review", "show", item["name"])["data"]
    assert "Sentence number 199" in data["candidates"][0]["preview"]
    assert data["candidates"][0]["verdict"] == "ADD"


def test_a_name_that_waits_nowhere_is_answered_with_the_closest(engram: Runner, root: Path) -> None:
    defer(engram, CENTS)
    name = items(engram)[0]["name"]
    done = engram.run("review", "show", name[:-1])
    assert done.returncode == 7
    assert name in done.stderr


@pytest.mark.parametrize("words", [("show",), ("accept", "1"), ("show", "1", "--list")])
def test_words_that_it_does_not_know_are_a_mistake_of_use(engram: Runner, root: Path, words: tuple[str, ...]) -> None:
    assert engram.run("review", *words).returncode == 2


# Proposals


def test_an_accepted_proposal_is_written_as_shown_and_its_token_is_used(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # C39, C40, C59a
    token = propose(engram, FRIDAY, CENTS)
    ended = review(terminal, "A")
    assert ended.code == 0
    assert "+- Never deploy on Friday." in ended.text
    assert "+- Prices are integers in cents." in ended.text
    assert ended.text.count("Verdict: ADD") == 2
    assert "1 accepted, nothing waits any more." in ended.text
    assert [line.rpartition(" ")[2] for line in changes(root)] == ["(terminal)", "(terminal)"]
    assert {path.stem for path in root.glob("*/*.md")} == {"never-deploy-on-friday", "prices-are-integers-in-cents"}
    assert "used already" in commit(engram, token)
    assert len(changes(root)) == 2
    assert items(engram) == []


def test_only_the_chosen_candidates_of_a_proposal_are_written_with_the_note(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    propose(engram, FRIDAY, CENTS, UPLOADS)
    review(terminal, "A 4", "A 1,x", "B 1,4 Agreed", "B 1, 3 Agreed with Bob")
    assert sorted(path.stem for path in root.glob("*/*.md")) == [
        "never-deploy-on-friday",
        "uploads-end-after-five-minutes",
    ]
    for path in root.glob("rules/*.md"):
        assert "## Human Note\n\nAgreed with Bob\n" in path.read_text(encoding="utf-8")


def test_an_answer_that_is_none_is_told_what_to_type(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    propose(engram, FRIDAY, CENTS)
    ended = review(
        terminal, "E", "E 1 now", "U never-push", "D 2", "A 3", "A 1,1", "A all", "B", "R 1", "? A", "yes", "S"
    )
    for told in (
        "E takes the number of one of them: E 1\n",
        "E takes one number behind it.",
        "U takes the number of one of them: U 1 <id>",
        "D takes the id of a memory: D 2 use-pnpm",
        "Numbers go from 1 to 2, each once; 3 does not.",
        "Numbers go from 1 to 2, each once; 1,1 does not.",
        "A takes numbers from 1 to 2: A 1,2",
        "B takes a note: B <note>, or B 1 <note>",
        "R stands alone; it is for all of them.",
        "? stands alone.",
        "That is no answer here; ? says what is.",
    ):
        assert ended.text.count(told) == 1, told
    assert "1 still waits" in ended.text
    assert not list(root.glob("rules/*.md"))


def test_numbers_with_blanks_between_them_are_several_and_words_with_digits_belong_to_the_note(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    halls = [f"TYPE: knowledge | TEXT: Hall {name} is heated." for name in "ABCDEFGHIJKL"]
    propose(engram, *halls)
    assert "1 accepted" in review(terminal, "A 1 2").text
    assert sorted(path.stem for path in root.glob("*/*.md")) == ["hall-a-is-heated", "hall-b-is-heated"]
    propose(engram, *halls)
    assert "1 accepted" in review(terminal, "B 3 2nd floor, 1.5 degrees").text
    assert [path.stem for path in root.glob("*/*.md") if "2nd floor, 1.5 degrees" in path.read_text("utf-8")] == [
        "hall-c-is-heated"
    ]


def test_a_question_is_broken_between_words_and_an_id_that_fits_a_line_stays_whole(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    engram.save("rule", "Uploads end after five minutes.")
    defer(engram, "TYPE: rule | TEXT: Uploads end after nine minutes.")
    at = terminal("review", env={**PLAIN, "COLUMNS": "40"})
    at.wait_for("quits > ")
    at.type("\n")
    at.wait_for(QUESTION)
    at.type("S\n")
    lines = at.end().text.splitlines()
    assert "Enter begins, a number begins there, Q" in lines
    asked = lines.index("A accept, R reject, E edit, S skip, Q")
    assert lines[asked + 1].startswith("  quit, ? more > ")
    at_verdict = lines.index("Verdict: SUPERSEDE")
    assert lines[at_verdict + 1] == "  uploads-end-after-five-minutes"
    assert all(len(line) < 40 for line in lines)


def test_a_rejected_proposal_is_declined_and_its_text_leaves_a_fingerprint_only(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # C48
    token = propose(engram, FRIDAY)
    ended = review(terminal, "R")
    assert "1 rejected" in ended.text
    assert changes(root) == []
    assert "approval was declined" in commit(engram, token)
    assert "Friday" not in (root / "pending-approvals.json").read_text(encoding="utf-8")
    first = mcp(engram, "engram_save", text="Never deploy on friday", type="rule")
    assert "declined on" in first["content"][0]["text"]
    assert "approval_token" not in first["content"][0]["text"]
    assert (
        "approval_token" in mcp(engram, "engram_save", text="Never deploy on Friday", type="rule")["content"][0]["text"]
    )


@pytest.mark.parametrize("answers", [("S",), ("Q",), ("x", "A 9", "s"), ("\x04",)])
def test_what_is_skipped_waits_on_and_its_token_works(
    engram: Runner, root: Path, terminal: OpenTerminal, answers: tuple[str, ...]
) -> None:
    token = propose(engram, FRIDAY)
    ended = review(terminal, *answers)
    assert ended.code == 0
    assert "1 still waits" in ended.text
    assert len(items(engram)) == 1
    assert "Saved 1 of 1" in commit(engram, token)


def test_an_expired_proposal_is_judged_anew_and_may_still_be_accepted(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    propose(engram, FRIDAY)
    age(engram, root, 5500)
    assert items(engram)[0]["reason"] == "expired 1 hour ago"
    engram.save("rule", "Always deploy on Friday.")
    ended = review(terminal, "A")
    assert "Verdict: SUPERSEDE always-deploy-on-friday" in ended.text
    assert "lifecycle: superseded" in (root / "rules" / "always-deploy-on-friday.md").read_text(encoding="utf-8")


def test_a_candidate_that_no_longer_applies_is_named_and_the_rest_is_written(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # A1
    engram.save("knowledge", "The build runs on Node 16.")
    propose(
        engram,
        FRIDAY,
        "TYPE: knowledge | TEXT: The build runs on Node 16, in CI too. | UPDATE: the-build-runs-on-node-16",
    )
    engram.ok("archive", "the-build-runs-on-node-16", "--reason", "moved on")
    ended = review(terminal, "A 2", "A")
    assert "It cannot be applied: the-build-runs-on-node-16 is archived" in ended.text
    assert [path.stem for path in root.glob("*/*.md")] == ["never-deploy-on-friday"]


def test_of_two_candidates_that_change_one_memory_the_second_waits_in_the_inbox(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # A1
    engram.save("knowledge", "The build runs on Node 16.")
    target = "the-build-runs-on-node-16"
    propose(
        engram,
        f"TYPE: knowledge | TEXT: The build runs on Node 16, in CI too. | UPDATE: {target}",
        f"TYPE: knowledge | TITLE: Bun | TEXT: The build runs on Bun. | SUPERSEDES: {target} | DEPENDS_ON: the-gohst",
    )
    ended = review(terminal, "A")

    assert f"In this proposal it changes {target}, as does candidate 1" in ended.text
    assert "It depends on the-gohst, which is no memory here" in ended.text
    assert "in CI too" in (root / "knowledge" / f"{target}.md").read_text(encoding="utf-8")
    assert [json.loads(path.read_text(encoding="utf-8"))["candidate"]["title"] for path in inbox(root)] == ["Bun"]
    assert [one["kind"] for one in items(engram)] == ["deferred"]
    review(terminal, "A")
    assert sorted(path.stem for path in root.glob("*/*.md")) == ["bun", target]
    assert inbox(root) == []


def test_a_proposal_that_was_edited_on_the_disk_is_named_and_not_shown(engram: Runner, root: Path) -> None:  # C41
    propose(engram, FRIDAY)
    path = root / "pending-approvals.json"
    path.write_text(path.read_text(encoding="utf-8").replace("on Friday", "on Monday"), encoding="utf-8", newline="\n")
    shown = engram.ok("review")
    assert "SKIPPED workspace: 1 entry of pending-approvals.json changed" in shown
    assert "Monday" not in shown
    assert items(engram) == []


def test_what_was_approved_elsewhere_meanwhile_is_not_written_again(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    token = propose(engram, FRIDAY)
    asked = terminal("review", env=PLAIN)
    asked.wait_for(BEGIN)
    asked.type("\n")
    asked.wait_for(QUESTION)
    commit(engram, token)
    asked.type("A\n")
    ended = asked.end()
    assert "no longer open" in ended.text
    assert len(changes(root)) == 1


# Deferred candidates


def test_an_accepted_candidate_leaves_the_inbox_and_a_skipped_one_stays(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # C39
    defer(engram, FRIDAY, CENTS)
    assert len(inbox(root)) == 2
    first, second = items(engram)
    ended = review(terminal, "A", "S")
    assert "1 accepted, 1 still waits." in ended.text
    assert [item["name"] for item in items(engram)] == [second["name"]]
    assert changes(root)[0].endswith("(terminal)")
    assert first["state"] == second["state"] == "waiting"


def test_a_rejected_candidate_is_gone_and_who_proposes_it_again_is_told(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # C48
    defer(engram, FRIDAY)
    review(terminal, "R")
    assert inbox(root) == []
    assert changes(root) == []
    assert "Friday" not in (root / "pending-approvals.json").read_text(encoding="utf-8")
    assert "declined on" in mcp(engram, "engram_save_session", text=FRIDAY)["content"][0]["text"]


@pytest.mark.parametrize(
    "case",
    [
        ("U uploads-end-after-five-minutes", "Verdict: UPDATE uploads-end-after-five-minutes", "in the office"),
        ("P uploads-end-after-five-minutes", "Verdict: SUPERSEDE uploads-end-after-five-minutes", "superseded_by"),
    ],
)
def test_a_candidate_is_tied_to_another_memory_before_it_is_accepted(
    engram: Runner, root: Path, terminal: OpenTerminal, case: tuple[str, str, str]
) -> None:
    key, verdict, key_in_file = case
    engram.save("rule", "Uploads end after five minutes.")
    defer(engram, "TYPE: rule | TEXT: A transfer in the office may take long.")
    ended = review(terminal, key, "A")
    assert verdict in ended.text
    text = (root / "rules" / "uploads-end-after-five-minutes.md").read_text(encoding="utf-8")
    assert key_in_file in text


def test_a_dependency_is_added_and_an_id_that_is_not_there_changes_nothing(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    engram.save("rule", "Uploads end after five minutes.")
    defer(engram, FRIDAY)
    ended = review(terminal, "U nowhere", "U ../x", "U", "D uploads-end-after-five-minutes", "A")
    assert "There is no memory nowhere" in ended.text
    text = (root / "rules" / "never-deploy-on-friday.md").read_text(encoding="utf-8")
    assert "depends_on: [uploads-end-after-five-minutes]" in text


@pytest.mark.parametrize(("first", "then"), [("D", "U"), ("D", "P"), ("U", "D"), ("P", "D")])
def test_of_two_ties_to_one_memory_the_last_counts_and_no_memory_depends_on_itself(
    engram: Runner, root: Path, terminal: OpenTerminal, first: str, then: str
) -> None:
    old = "uploads-end-after-five-minutes"
    engram.save("rule", "Uploads end after five minutes.")
    defer(engram, "TYPE: rule | TEXT: A transfer in the office may take long.")
    ended = review(terminal, f"{first} {old}", f"{then} workspace/{old}", "A")
    assert "1 accepted" in ended.text
    changed = (root / "rules" / f"{old}.md").read_text(encoding="utf-8")
    assert "depends_on" not in changed
    if then == "U":
        assert "- A transfer in the office may take long." in changed
        return
    assert ("superseded_by" in changed) == (then == "P")
    added = next(file for file in (root / "rules").glob("*.md") if file.stem != old).read_text(encoding="utf-8")
    assert ("depends_on: [" in added) == (then == "D")
    assert ("supersedes: [" in added) == (then == "P")


def test_a_duplicate_cannot_be_accepted_only_rejected_or_left(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    engram.save("knowledge", "Prices are integers in cents.")
    defer(engram, CENTS)
    ended = review(terminal, "A", "R")
    assert "Verdict: NOOP duplicate of prices-are-integers-in-cents" in ended.text
    assert "A accept" not in ended.text
    assert inbox(root) == []
    assert len(changes(root)) == 1


def test_a_candidate_is_edited_and_seen_again_before_it_is_written(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    defer(engram, FRIDAY)
    visual = editor(engram, "text = text.replace('Friday.', 'Friday:\\n  the crew is thin.')")
    ended = review(terminal, "E", "A", VISUAL=visual, EDITOR="false")
    assert "+- Never deploy on Friday." in ended.text
    assert "+Never deploy on Friday:\n+the crew is thin." in ended.text
    (path,) = root.glob("rules/*.md")
    assert "\nNever deploy on Friday:\nthe crew is thin.\n" in path.read_text(encoding="utf-8")
    assert inbox(root) == []
    assert not list(engram.scratch.config.glob("edit-*"))


def test_an_edit_that_no_candidate_comes_of_names_the_line_and_can_be_mended(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    defer(engram, FRIDAY)
    code = "text = text.replace('TEXT:', 'TXET:') if 'TEXT:' in text else text.replace('TXET:', 'TEXT: Really:')"
    ended = review(terminal, "E", "E", "A", EDITOR=editor(engram, code))
    assert "Line 3 cannot be read" in ended.text
    assert "- Really: Never deploy on Friday." in next(root.glob("rules/*.md")).read_text(encoding="utf-8")


def test_an_editor_that_fails_or_is_not_set_leaves_everything_as_it_was(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    defer(engram, FRIDAY)
    ended = review(terminal, "E", "S", EDITOR=editor(engram, "sys.exit(3)"))
    assert "ended with status 3, so nothing was changed" in ended.text
    unset = review(terminal, "E", "S", EDITOR="", VISUAL="")
    assert "No editor is set" in unset.text
    assert len(inbox(root)) == 1


def test_a_secret_that_comes_in_through_the_editor_is_refused_and_not_shown(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    defer(engram, FRIDAY)
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ended = review(terminal, "E", "S", EDITOR=editor(engram, f"text = text.replace('Friday', 'Friday {key}')"))
    assert "It cannot be applied" in ended.text
    assert key not in ended.text
    assert len(inbox(root)) == 1


def test_an_old_candidate_is_named_as_old_and_stays(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    defer(engram, FRIDAY)
    (path,) = inbox(root)
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, "since": "2020-01-01"}), encoding="utf-8", newline="\n")
    (item,) = items(engram)
    assert item["state"] == "old"
    assert "old, more than 30 days" in engram.ok("review")
    review(terminal, "S")
    assert len(inbox(root)) == 1


def test_a_memory_that_changed_since_the_candidate_was_shown_is_shown_again(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # C42
    defer(engram, FRIDAY)
    asked = terminal("review", env=PLAIN)
    asked.wait_for(BEGIN)
    asked.type("\n")
    asked.wait_for(QUESTION)
    engram.save("rule", "Always deploy on Friday.")
    asked.type("A\n")
    asked.wait_for("Verdict: SUPERSEDE always-deploy-on-friday")
    assert "changed after it was shown" in asked.shown
    asked.wait_for(QUESTION, 2)
    asked.type("A\n")
    assert "1 accepted" in asked.end().text
    assert len(changes(root)) == 2


# The other kinds


def test_mismatches_are_reviewed_with_the_same_engine_and_shown_to_humans_only(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # F13
    engram.save("rule", "Never deploy on Friday.")
    path = root / "rules" / "never-deploy-on-friday.md"
    path.write_text(path.read_text(encoding="utf-8").replace("Friday.", "Saturday."), encoding="utf-8", newline="\n")
    (item,) = items(engram)
    assert (item["kind"], item["state"]) == ("mismatch", "mismatch")
    assert "Saturday" not in engram.ok("review", "show", item["name"])
    assert "Saturday" not in json.dumps(engram.json("review", "show", item["name"]))
    ended = review(terminal, "A")
    assert "- Never deploy on Saturday." in ended.text
    assert engram.run("verify").returncode == 0
    assert "1 accepted" in ended.text


def test_changes_of_white_space_are_one_question_in_the_review_too(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # F13
    for text in ("Never deploy on Friday.", "Uploads end after five minutes."):
        engram.save("rule", text)
    for path in root.glob("rules/*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    ended = review(terminal, "A")
    assert "Only white space changed in 2 files" in ended.text
    assert "2 accepted, nothing waits any more." in ended.text


def write_due(root: Path, engram: Runner, terminal: OpenTerminal, key: str, value: str) -> Path:
    """Save a memory and give it a date that is over, as a person does with an editor."""
    engram.save("knowledge", "The build runs on Node 16.")
    path = root / "knowledge" / "the-build-runs-on-node-16.md"
    code = f"text = text.replace('valid_from:', '{key}: {value}\\nvalid_from:')"
    asked = terminal("edit", path.stem, env={**PLAIN, "EDITOR": editor(engram, code)})
    asked.wait_for(" > ", 1)
    asked.type("A\n")
    asked.end()
    assert f"{key}: {value}" in path.read_text(encoding="utf-8")
    return path


@pytest.mark.parametrize("key", ["valid_until", "review_after"])
def test_a_memory_past_its_date_is_confirmed(
    engram: Runner, root: Path, terminal: OpenTerminal, key: str
) -> None:  # I3
    path = write_due(root, engram, terminal, key, "2020-05-05")
    (item,) = items(engram)
    assert item["kind"] == "due"
    assert "2020-05-05" in item["reason"]
    ended = review(terminal, "A")
    assert f"-{key}: 2020-05-05" in ended.text
    text = path.read_text(encoding="utf-8")
    assert key not in text
    assert "revision: 3\n" in text
    assert changes(root)[-1].endswith("confirm knowledge: the-build-runs-on-node-16 (terminal)")
    assert items(engram) == []


def test_a_memory_past_its_date_is_archived_or_edited(engram: Runner, root: Path, terminal: OpenTerminal) -> None:  # I3
    path = write_due(root, engram, terminal, "valid_until", "2020-05-05")
    assert "1 expired, for your review: engram review" in engram.ok("status")
    review(terminal, "E", "A", EDITOR=editor(engram, "text = text.replace('2020-05-05', '2020-06-06')"))
    assert "valid_until: 2020-06-06" in path.read_text(encoding="utf-8")
    review(terminal, "R")
    assert not path.exists()
    (kept,) = root.glob("archive/*/knowledge/*.md")
    assert "valid until 2020-06-06" in kept.read_text(encoding="utf-8")


def test_a_proposed_note_is_kept_or_rejected_by_a_human(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # C56
    mcp(engram, "engram_note", text="The staging key rotates tonight.")
    (item,) = items(engram)
    assert item["title"].startswith("1 note: The staging key rotates tonight")
    assert "staging" in engram.ok("review", "show", item["name"])
    review(terminal, "A")
    (path,) = root.glob("working/*.md")
    assert "The staging key rotates tonight." in path.read_text(encoding="utf-8")
    mcp(engram, "engram_note", text="The demo is on Thursday.")
    review(terminal, "R")
    assert len(list(root.glob("working/*.md"))) == 1
    assert items(engram) == []


@pytest.mark.parametrize(
    "case",
    [(("A", "A"), 1, 0), (("A", "S"), 0, 1), (("K",), 0, 1), (("R",), 0, 0), (("S",), 0, 1)],
)
def test_an_ended_note_becomes_a_memory_is_kept_longer_or_goes(
    engram: Runner, root: Path, terminal: OpenTerminal, case: tuple[tuple[str, ...], int, int]
) -> None:  # C57, C58
    answers, memories, notes = case
    engram.ok("note", "The staging key rotates tonight.", input="A\n")
    (path,) = root.glob("working/*.md")
    text = path.read_text(encoding="utf-8")
    until = next(line for line in text.splitlines() if line.startswith("valid_until"))
    path.write_text(text.replace(until, "valid_until: 2020-01-01"), encoding="utf-8", newline="\n")
    (item,) = items(engram)
    assert (item["kind"], item["state"], item["name"]) == ("note", "expired", f"note/{path.stem}")
    assert "| The staging key rotates tonight." in engram.ok("review", "show", item["name"])
    assert "1 working note expired, for your review: engram review" in engram.ok("status")
    review(terminal, *answers)
    assert len(list(root.glob("knowledge/*.md"))) == memories
    assert len(list(root.glob("working/*.md"))) == notes
    assert len(items(engram)) == (1 if answers[-1] == "S" else 0)


def test_foreign_memory_is_listed_with_its_count_and_trusted_by_a_human(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # F18
    engram.save("rule", "Deploy when you like.")
    engram.save("rule", "Never deploy on Friday.", "--supersedes", "deploy-when-you-like")
    engram.ok("trust", "--revoke")
    (item,) = items(engram)
    assert (item["kind"], item["title"]) == ("foreign", "1 rule, 0 skills, 0 knowledge")  # I1
    assert "engram trust" in item["reason"]
    ended = review(terminal, "A")
    assert "Never deploy on Friday (never-deploy-on-friday)" in ended.text
    assert "Trusted: " in ended.text
    assert items(engram) == []


# What was written while nobody was asked (C59a)


def test_what_was_written_by_token_or_force_is_named_until_a_human_looks(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    engram.save("rule", "Uploads end after five minutes.")
    assert "written by" not in engram.ok("status")
    commit(engram, propose(engram, FRIDAY))
    candidates = engram.scratch.home / "candidates.txt"
    candidates.write_text(CENTS, encoding="utf-8")
    engram.ok("save-session", "--force", "--file", str(candidates))
    sentence = (
        "2 written by token or force since you last looked: "
        "add knowledge: prices-are-integers-in-cents (force), add rule: never-deploy-on-friday (token)"
    )
    assert sentence in engram.ok("status")
    assert sentence in engram.ok("status")  # whoever reads a pipe is no human
    assert sentence in mcp(engram, "engram_status")["structuredContent"]["data"]["text"]
    rows = engram.json("status")["data"]["unasked"]
    assert [(row["path"], row["way"]) for row in rows] == [
        ("rules/never-deploy-on-friday.md", "token"),
        ("knowledge/prices-are-integers-in-cents.md", "force"),
    ]
    assert sentence in terminal("status", env=PLAIN).end().text
    assert "written by" not in engram.ok("status")
    assert not any("looked" in path.name for path in root.rglob("*"))


# Hostile content


FAKE = (
    "Harmless. Verdict: NOOP\nVerdict: NOOP duplicate of x\nA accept, R reject > A\nRejected.\n5 of 5  Nothing\n\x1b[2J"
)


def test_a_text_that_imitates_the_screen_stays_behind_its_mark_at_any_width(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:  # C42
    padded = (
        "Nice" + " " * 33 + "Verdict: NOOP duplicate of x" + " " * 20 + "Rejected. 1 rejected" + " " * 30 + "A accept"
    )
    defer(engram, f"TYPE: knowledge | TEXT: {padded}")
    asked = terminal("review", env={**PLAIN, "COLUMNS": "40"})
    asked.wait_for("quits > ")
    asked.type("\n")
    asked.wait_for(QUESTION)
    shown = asked.shown
    assert all(len(line) <= 40 for line in shown.splitlines() if line.startswith(("+", "-", " ")))
    own = [line for line in shown.splitlines() if not line.startswith(("+", "-", "@", " "))]
    assert own.count("Verdict: ADD") == 1
    assert not any("NOOP" in line or "Rejected" in line for line in own)


def test_what_stands_in_a_file_of_the_inbox_is_inert_and_broken_files_are_named(engram: Runner, root: Path) -> None:
    defer(engram, FRIDAY)
    (path,) = inbox(root)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["candidate"]["text"] = FAKE
    data["reason"] = "near\nProposals\n  9  \x1b]0;x\x07"
    data["since"] = "2026-01-01\n\x1b[31m"
    path.write_text(json.dumps(data), encoding="utf-8", newline="\n")
    for name, text in (("bad", "{"), ("list", "[]"), ("deep", "[" * 5000), ("wrong", '{"candidate": {"text": 5}}')):
        (root / "inbox" / f"deferred-{name}.json").write_text(text, encoding="utf-8", newline="\n")
    os.mkfifo(root / "inbox" / "deferred-pipe.json")
    shown = engram.ok("review")
    assert "\x1b" not in shown
    assert shown.count("SKIPPED inbox/deferred-") == 5
    assert [line for line in shown.splitlines() if line == "Proposals"] == []
    assert "6 deferred candidates wait: engram review" in engram.ok("status")
    lines = engram.ok("review", "show", "1").splitlines()
    assert "Verdict: NOOP duplicate of x" not in lines
    assert "Rejected." not in lines


def test_a_poisoned_text_in_the_inbox_is_not_shown_to_whoever_lists_it(engram: Runner, root: Path) -> None:  # C3
    defer(engram, CENTS)
    (path,) = inbox(root)
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path.write_text(
        path.read_text(encoding="utf-8").replace("Prices are", f"Prices {key} are"), encoding="utf-8", newline="\n"
    )
    assert key not in engram.ok("review") + engram.ok("review", "show", "1")
    assert key not in json.dumps(engram.json("review"))
    assert "not shown" in engram.ok("review")


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 1, "pending": [{}]}', '{"version": 1, "pending": 3}', "\x00"])
def test_a_file_of_proposals_that_cannot_be_read_is_said_and_hides_nothing_else(
    engram: Runner, root: Path, text: str
) -> None:
    defer(engram, CENTS)
    (root / "pending-approvals.json").write_text(text, encoding="utf-8", newline="\n")
    assert "the file of open proposals cannot be read" in engram.ok("status")
    shown = engram.ok("review")
    assert "SKIPPED workspace: pending-approvals.json cannot be read" in shown
    assert "Prices are integers in cents" in shown


def test_the_two_scopes_each_show_what_waits_in_them(
    engram: Runner, global_root: Path, root: Path, terminal: OpenTerminal
) -> None:
    candidates = engram.scratch.home / "candidates.txt"
    candidates.write_text(FRIDAY, encoding="utf-8")
    engram.ok("save-session", "--file", str(candidates), "--inbox", "--scope", "both")
    assert [item["scope"] for item in items(engram)] == ["workspace", "global"]
    assert "global" in engram.ok("review")
    review(terminal, "S", "A")
    assert [path.stem for path in global_root.glob("*/*.md")] == ["never-deploy-on-friday"]
    assert [item["scope"] for item in items(engram)] == ["workspace"]


def test_what_nobody_was_asked_about_is_named_with_the_memory_that_it_is_in(
    engram: Runner, global_root: Path, root: Path
) -> None:
    candidates = engram.scratch.home / "candidates.txt"
    candidates.write_text(f"{FRIDAY} | SCOPE: global\n{CENTS}", encoding="utf-8")
    engram.ok("save-session", "--file", str(candidates), "--force")
    since = "1 written by token or force since you last looked: add"
    listed = engram.ok("review").splitlines()
    assert f"workspace memory: {since} knowledge: prices-are-integers-in-cents (force)" in listed
    assert f"global memory: {since} rule: never-deploy-on-friday (force)" in listed


def test_colours_come_on_a_terminal_only_and_no_color_takes_them_away(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    defer(engram, FRIDAY)
    assert "\x1b[" not in engram.ok("review")
    assert "\x1b[36mDeferred candidates\x1b[0m" in answer(terminal("review"), "Q").text
    assert "\x1b[" not in review(terminal, "Q").text
