"""``engram save-session``: many candidates, one question, one write path (C39, C59, C59a)."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from tests.contract.people import THREE, THREE_IDS, inbox_of, lines, names_in

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Ended, OpenTerminal
    from tests.conftest import Runner

STORED = "Uploads go through the queue with three workers."
NEAR = "Uploads of images go through the small queue."


@pytest.fixture
def file(engram: Runner, root: Path) -> Path:
    """Return a file with three candidates, beside an empty memory."""
    assert names_in(root) == []
    path = engram.cwd / "candidates.txt"
    path.write_text(THREE, encoding="utf-8", newline="\n")
    return path


def ways(root: Path) -> list[str]:
    """Return the ways of approval that the changelog names, one a line (C59a)."""
    return re.findall(r"\((\w+)\)$", (root / "changelog.md").read_text(encoding="utf-8"), re.MULTILINE)


# How to propose: C59, C59a


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ((), 0), (("--query-level", "50"), 50), (("last", "50", "sessions"), 50), (("last", "session"), 1),
        (("last", "1", "session"), 1), (("LAST", "3", "Sessions"), 3), (("-f", "last", "50", "sessions"), 50),
        (("last", "50", "sessions", "--force"), 50), (("--query-level", "50", "--force"), 50),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("command", ["save-session", "ss"])
def test_without_candidates_it_says_how_an_agent_proposes(
    engram: Runner, root: Path, command: str, words: tuple[str, ...], number: int
) -> None:
    text = engram.ok(command, *words)

    assert "TYPE: rule | TEXT:" in text
    assert "ever call engram_commit before" in " ".join(text.split())
    assert (f"{number} sessions" in text or (number == 1 and "last session" in text)) == (number > 0)
    data = engram.json(command, *words)["data"]
    assert data["query_level"] == number
    assert data["protocol"] == text
    assert names_in(root) == []


@pytest.mark.parametrize(
    "words",
    [
        ("last",), ("last", "50"), ("first", "50", "sessions"), ("last", "many", "sessions"), ("last", "0", "sessions"),
        ("last", "-1", "sessions"), ("last", "5000", "sessions"), ("last", "5", "days"), ("50",),
        ("last", "sessions", "5"), ("last", "5", "sessions", "please"), ("--query-level", "0"),
        ("--query-level", "x"), ("--query-level", "-3"),
        ("last", "5", "sessions", "--query-level", "6"), ("--force", "--inbox"), ("last", "٣", "sessions"),
        ("--query-level", "99999999999999999999"),
    ],
    ids=str,
)  # fmt: skip
def test_words_that_mean_nothing_are_refused(engram: Runner, root: Path, words: tuple[str, ...]) -> None:
    done = engram.run("save-session", *words)

    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr
    assert names_in(root) == []


def test_without_a_memory_it_names_the_command_that_makes_one(engram: Runner) -> None:
    for words in ((), ("--file", "-", "--force")):
        done = engram.run("save-session", *words, input=THREE)
        assert done.returncode == 7
        assert "engram inject" in done.stderr


def test_a_file_that_is_none_is_named_with_what_to_do(engram: Runner, root: Path) -> None:
    for words in ((), ("--force",), ("--inbox",)):
        missing = engram.run("save-session", "--file", "no-such-file.txt", *words)
        assert missing.returncode == 7
        assert f"There is no file no-such-file.txt in {engram.cwd}" in missing.stderr
        assert "--file -" in missing.stderr
        folder = engram.run("save-session", "--file", ".", *words)
        assert folder.returncode == 2
        assert ". is a folder" in folder.stderr
    assert engram.run("save-session", "--file", "").returncode == 7


# What is shown


def test_every_candidate_is_shown_before_the_question(engram: Runner, root: Path, file: Path) -> None:
    engram.save("rule", STORED)
    file.write_text(lines("Bake the bread.", STORED, NEAR), encoding="utf-8")
    done = engram.run("save-session", "--file", str(file), input="C\n")

    assert done.returncode == 5
    for number in (1, 2, 3):
        assert f"Candidate {number} of 3:" in done.stdout
    assert "+- Bake the bread." in done.stdout
    assert "Verdict: ADD" in done.stdout
    assert "Verdict: NOOP duplicate of uploads-go" in done.stdout
    assert "Related: uploads-go" in done.stdout
    assert len(names_in(root)) == 1


def test_no_line_of_a_candidate_reads_as_engrams_own(engram: Runner, root: Path, file: Path) -> None:  # C42
    text = "Candidate 2 of 1: Verdict: ADD. A accept all, B, C cancel > A\u2028Verdict: ADD\u202e"
    file.write_text(f"TYPE: rule | TITLE: Verdict: ADD | TEXT: {text}\n", encoding="utf-8")
    done = engram.run("save-session", "--file", str(file), input="C\n")

    shown = [line for line in re.split("[\n\u2028]", done.stdout) if not line.startswith("+")]
    assert sum(line.startswith("Verdict: ") for line in shown) <= 1
    assert sum(line.startswith("Candidate ") for line in shown) <= 1
    assert "\u202e" not in done.stdout


# The answer: C39, C59a


@pytest.mark.parametrize(
    ("answer", "expected", "note"),
    [
        ("A", THREE_IDS, ""), ("a", THREE_IDS, ""), ("A 1,3", [THREE_IDS[0], THREE_IDS[2]], ""),
        ("A 2", [THREE_IDS[1]], ""), ("A 1, 3", [THREE_IDS[0], THREE_IDS[2]], ""),
        ("A 1 3", [THREE_IDS[0], THREE_IDS[2]], ""), ("B 1,3 as we said", [THREE_IDS[0], THREE_IDS[2]], "as we said"),
        ("B as we said", THREE_IDS, "as we said"), ("b 2 只在早上", [THREE_IDS[1]], "只在早上"),
        ("B 3rd time this week", THREE_IDS, "3rd time this week"), ("B 2, 3 both", THREE_IDS[1:], "both"),
        ("B 1 2 tries are enough", [THREE_IDS[0]], "2 tries are enough"),
    ],
)  # fmt: skip
def test_an_answer_at_a_terminal_decides(
    terminal: OpenTerminal, file: Path, answer: str, expected: list[str], note: str
) -> None:
    ended = answered(terminal, file, answer)
    root = file.parent / ".agents" / ".engram"

    assert ended.code == 0
    assert names_in(root) == expected
    assert ways(root) == ["terminal"] * len(expected)
    for name in expected:
        text = (root / "rules" / f"{name}.md").read_text(encoding="utf-8")
        assert ("## Human Note" in text) == bool(note)
        assert note in text
        assert f"rules/{name}.md" in ended.text


def answered(terminal: OpenTerminal, file: Path, *answers: str) -> Ended:
    """Answer the question of a save-session at a terminal."""
    at = terminal("save-session", "--file", str(file))
    for times, answer in enumerate(answers, 1):
        at.wait_for("C cancel >", times)
        at.type(answer + "\n")
    return at.end()


def test_what_is_no_answer_is_asked_again(terminal: OpenTerminal, root: Path, file: Path) -> None:
    unclear = ["", "yes", "A 0", "A 4", "A 1,1", "A 1,x", "B", "B 1,3", "all", "A all", "C 1", "A 99999999999"]
    ended = answered(terminal, file, *unclear, "A 2")

    assert ended.code == 0
    told = "Please answer A, A 1,3 (numbers from 1 to 3, each once), B <note>, B 1,3 <note> or C."
    assert ended.text.count(told) == len(unclear)
    assert names_in(root) == [THREE_IDS[1]]


def test_one_candidate_is_asked_for_without_numbers(terminal: OpenTerminal, root: Path, file: Path) -> None:
    file.write_text(lines("Bake the bread."), encoding="utf-8")
    ended = answered(terminal, file, "A 2", "A 1")

    assert "A accept, B <note> accept with a note, C cancel > " in ended.text
    assert "Please answer A, B <note> or C." in ended.text
    assert names_in(root) == ["bake-the-bread"]


def test_what_came_through_a_pipe_and_is_no_answer_is_not_called_silence(
    engram: Runner, root: Path, file: Path
) -> None:
    done = engram.run("save-session", "--file", str(file), input="A 9\n")
    assert done.returncode == 5
    assert "Nothing was saved: what came through the pipe is no answer." in done.stderr
    assert "numbers from 1 to 3, each once" in done.stderr
    assert names_in(root) == []


def test_cancel_and_the_end_of_input_write_nothing(
    terminal: OpenTerminal, engram: Runner, root: Path, file: Path
) -> None:
    assert answered(terminal, file, "C").code == 5
    for given in ("C\n", "", "A 1", "maybe\n" * 9):
        done = engram.run("save-session", "--file", str(file), input=given, env={"ENGRAM_PIPE_TIMEOUT": "5"})
        assert (done.returncode == 0) == (given == "A 1")
    assert names_in(root) == [THREE_IDS[0]]
    assert ways(root) == ["pipe"]
    assert inbox_of(root) == []


def test_what_changed_while_the_question_waited_is_kept_and_named(
    terminal: OpenTerminal, engram: Runner, root: Path, file: Path
) -> None:  # A1
    at = terminal("save-session", "--file", str(file))
    at.wait_for("C cancel >")
    engram.save("rule", "Count the stars by hand.")
    at.type("A\n")
    ended = at.end()

    assert names_in(root) == THREE_IDS
    assert "Kept in the inbox" in ended.text
    assert len(inbox_of(root)) == 1


def test_related_and_duplicate_candidates_wait_with_the_ids_and_the_field(
    engram: Runner, root: Path, file: Path
) -> None:  # C39
    engram.save("rule", STORED)
    file.write_text(lines("Bake the bread.", STORED, NEAR), encoding="utf-8")
    done = engram.run("save-session", "--file", str(file), input="A\n")

    assert done.returncode == 0
    assert done.stdout.count("Kept in the inbox") == 2
    shown = done.stdout[: done.stdout.index("Kept in the inbox")]
    assert shown.count("Would wait in the inbox: ") == 2, "who is asked knows before"
    for word in ("uploads-go", "DEPENDS_ON", "UPDATE", "SUPERSEDES"):
        assert word in done.stdout
    assert {one["candidate"]["text"] for one in inbox_of(root)} == {STORED, NEAR}
    assert len(names_in(root)) == 2
    assert "inbox/" in (root / ".gitignore").read_text(encoding="utf-8").split()


def test_where_nothing_is_new_nobody_is_asked(engram: Runner, root: Path, file: Path) -> None:
    engram.ok("save-session", "--file", str(file), "--force")
    done = engram.run("save-session", "--file", str(file))

    assert done.returncode == 0
    assert "Nothing to save" in done.stdout
    assert inbox_of(root) == []


# Candidates that contradict or repeat each other: C39, C42

RIVALS = [
    ("Always deploy on Friday.", "Never deploy on Friday.", "contradicts candidate 1"),
    ("The upload retry limit is 3.", "The upload retry limit is 5.", "contradicts candidate 1"),
    ("Install packages with npm.", "Install packages with pnpm.", "contradicts candidate 1"),
    ("Despliega los viernes.", "Nunca despliegues los viernes.", "contradicts candidate 1"),
    ("每周五部署。", "禁止每周五部署。", "contradicts candidate 1"),
    ("Use pnpm for installs.", "Always use pnpm for installs.", "says more than candidate 1"),
    ("Use pnpm for installs.", "For installs, use pnpm.", "says the same as candidate 1"),
]


@pytest.mark.parametrize("rivals", RIVALS, ids=lambda rivals: rivals[1])
@pytest.mark.parametrize("way", ["answer", "force"])
def test_of_two_candidates_that_cannot_both_be_new_the_second_waits(
    engram: Runner, root: Path, file: Path, way: str, rivals: tuple[str, str, str]
) -> None:
    first, second, said = rivals
    file.write_text(lines(first, second, "Bake the bread at dawn."), encoding="utf-8")
    done = engram.run("save-session", "--file", str(file), *(["--force"] if way == "force" else []), input="A\n")

    assert done.returncode == 0, done.stderr
    shown = done.stdout[: done.stdout.index("Saved ")]
    before = shown[: shown.index("Candidate 2 of 3:")]
    assert said not in before
    assert shown.count("Would wait in the inbox: ") == 1
    assert f"In this proposal it {said}" in " ".join(shown[shown.index("Candidate 2 of 3:") :].split())
    assert len(names_in(root)) == 2
    assert [(one["candidate"]["text"], said in one["reason"]) for one in inbox_of(root)] == [(second, True)]


def test_the_second_of_two_that_contradict_is_written_where_it_is_chosen_alone(
    engram: Runner, root: Path, file: Path
) -> None:
    file.write_text(lines("Always deploy on Friday.", "Never deploy on Friday."), encoding="utf-8")
    engram.ok("save-session", "--file", str(file), input="A 2\n")

    assert names_in(root) == ["never-deploy-on-friday"]
    assert inbox_of(root) == []


def test_two_candidates_of_which_one_depends_on_the_other_are_both_written(
    engram: Runner, root: Path, file: Path
) -> None:  # C39
    first = "TYPE: rule | TITLE: Friday | TEXT: Always deploy on Friday."
    second = "TYPE: rule | TEXT: Never deploy on Friday. | DEPENDS_ON: friday"
    file.write_text(f"{first}\n{second}\n", encoding="utf-8")
    engram.ok("save-session", "--file", str(file), "--force")

    assert names_in(root) == ["friday", "never-deploy-on-friday"]


# Two candidates that change one memory: A1, C39

UPDATE = "TYPE: rule | TEXT: The oven is cleaned with soda too. | UPDATE: the-oven-is-cleaned-with-vinegar"
REPLACE = "TYPE: rule | TEXT: The oven cleans itself. | SUPERSEDES: the-oven-is-cleaned-with-vinegar"
BY_VERDICT = "TYPE: rule | TEXT: The oven is never cleaned with vinegar."
OVEN = "the-oven-is-cleaned-with-vinegar"


@pytest.mark.parametrize("way", ["answer", "force"])
@pytest.mark.parametrize(
    "both",
    [
        (UPDATE, REPLACE), (REPLACE, UPDATE), (UPDATE, UPDATE.replace("soda", "sand")),
        (REPLACE, "TYPE: rule | TEXT: Nobody cleans the oven. | SUPERSEDES: the-oven-is-cleaned-with-vinegar"),
        (UPDATE, BY_VERDICT),
    ],
    ids=["update-supersede", "supersede-update", "two-updates", "two-supersedes", "by-verdict"],
)  # fmt: skip
def test_of_two_candidates_that_change_one_memory_the_second_waits_and_the_rest_is_written(
    engram: Runner, root: Path, file: Path, way: str, both: tuple[str, str]
) -> None:
    first, second = both
    engram.save("rule", "The oven is cleaned with vinegar.")
    file.write_text(f"{first}\n{second}\n{lines('Bake the bread at dawn.')}", encoding="utf-8")
    done = engram.run("save-session", "--file", str(file), *(["--force"] if way == "force" else []), input="A\n")

    assert done.returncode == 0, done.stderr
    shown = done.stdout[: done.stdout.index("Saved ")]
    assert f"In this proposal it changes {OVEN}, as does candidate 1 (" in " ".join(shown.split())
    assert "bake-the-bread-at-dawn" in names_in(root)
    (waits,) = inbox_of(root)
    assert waits["candidate"]["text"] in second
    assert waits["reason"].startswith(f"it changes {OVEN}, as does candidate 1 (")
    assert f"look at {OVEN}" in waits["reason"]
    assert OVEN in waits["related"]
    assert waits["reason"] in done.stdout
    text = (root / "rules" / f"{OVEN}.md").read_text(encoding="utf-8")
    assert ("superseded_by: the-oven-cleans-itself" in text) == (first == REPLACE)
    assert ("soda" in text) == (first == UPDATE)
    assert engram.ok("verify")


def test_the_second_of_two_that_change_one_memory_is_written_where_it_is_chosen_alone(
    engram: Runner, root: Path, file: Path
) -> None:
    engram.save("rule", "The oven is cleaned with vinegar.")
    file.write_text(f"{UPDATE}\n{REPLACE}\n", encoding="utf-8")
    engram.ok("save-session", "--file", str(file), input="A 2\n")

    assert "the-oven-cleans-itself" in names_in(root)
    assert inbox_of(root) == []


def test_of_three_that_change_one_memory_the_first_that_is_chosen_is_written(
    engram: Runner, root: Path, file: Path
) -> None:
    engram.save("rule", "The oven is cleaned with vinegar.")
    sand = UPDATE.replace("soda", "sand")
    file.write_text(f"{UPDATE}\n{sand}\n{REPLACE}\n", encoding="utf-8")
    engram.ok("save-session", "--file", str(file), input="A 2,3\n")

    assert "sand" in (root / "rules" / f"{OVEN}.md").read_text(encoding="utf-8")
    assert ["as does candidate 2 (" in one["reason"] for one in inbox_of(root)] == [True]


# What a candidate depends on: F19

GHOST = "TYPE: rule | TITLE: Soak | TEXT: Soak the beans at night. | DEPENDS_ON: the-gohst"


def test_a_dependency_that_is_no_memory_is_named_before_the_question_and_after_it(
    engram: Runner, root: Path, file: Path
) -> None:
    said = "It depends on the-gohst, which is no memory here"
    file.write_text(f"{GHOST}\n", encoding="utf-8")

    assert said in engram.run("save-session", "--file", str(file), input="C\n").stdout
    one = engram.run("save", GHOST, input="C\n")
    assert said in one.stdout
    assert names_in(root) == []
    done = engram.ok("save-session", "--file", str(file), "--force")
    assert done.index(said) < done.index("Saved ") < done.rindex(said)
    assert names_in(root) == ["soak"]


def test_a_dependency_on_a_memory_or_on_another_candidate_is_in_order(engram: Runner, root: Path, file: Path) -> None:
    engram.save("rule", "The oven is cleaned with vinegar.")
    early = "TYPE: rule | TITLE: Soak | TEXT: Soak the beans at night. | DEPENDS_ON: beans, Workspace/" + OVEN
    early = early.replace("Workspace", "workspace")
    file.write_text(f"{early}\nTYPE: knowledge | TITLE: Beans | TEXT: Beans come on Monday.\n", encoding="utf-8")
    done = engram.run("save-session", "--file", str(file), input="A 1\n")

    before, after = done.stdout.split("Saved ", 1)
    assert "depends on" not in before
    assert "It depends on beans, which is no memory here" in after  # candidate 2 was not approved


@pytest.mark.parametrize(
    ("gone", "said"), [("archived", "which is archived"), ("superseded", "which soda-cleans-it has replaced")]
)
def test_a_dependency_on_what_is_out_of_service_says_so(
    engram: Runner, root: Path, file: Path, gone: str, said: str
) -> None:
    engram.save("rule", "The oven is cleaned with vinegar.")
    if gone == "archived":
        engram.ok("archive", OVEN, "--reason", "old", input="A\n")
    else:
        engram.ok("save", "rule", "Soda cleans it.", "--supersedes", OVEN, input="A\n")
    file.write_text(GHOST.replace("the-gohst", OVEN) + "\n", encoding="utf-8")

    assert f"It depends on {OVEN}, {said}" in engram.run("save-session", "--file", str(file), input="C\n").stdout


def test_a_dependency_on_what_the_same_proposal_replaces_says_so(engram: Runner, root: Path, file: Path) -> None:
    engram.save("rule", "The oven is cleaned with vinegar.")
    file.write_text(f"{REPLACE}\n{GHOST.replace('the-gohst', OVEN)}\n", encoding="utf-8")
    shown = engram.run("save-session", "--file", str(file), input="C\n").stdout

    assert f"It depends on {OVEN}, which the-oven-cleans-itself replaces" in shown


def test_a_circle_of_dependencies_is_named(engram: Runner, root: Path, file: Path) -> None:
    first = "TYPE: rule | TITLE: Soak | TEXT: Soak the beans at night. | DEPENDS_ON: boil"
    second = "TYPE: rule | TITLE: Boil | TEXT: Boil them for an hour. | DEPENDS_ON: serve"
    third = "TYPE: rule | TITLE: Serve | TEXT: Guests eat at seven. | DEPENDS_ON: soak"
    file.write_text(f"{first}\n{second}\n{third}\n", encoding="utf-8")
    shown = " ".join(engram.run("save-session", "--file", str(file), input="C\n").stdout.split())

    for around in ("soak, boil, serve, soak", "boil, serve, soak, boil", "serve, soak, boil, serve"):
        assert f"Memories would need each other in a circle: {around}" in shown


def test_an_update_that_closes_a_circle_and_a_memory_that_needs_itself_are_named(
    engram: Runner, root: Path, file: Path
) -> None:
    engram.ok("save", "TYPE: rule | TITLE: Beans | TEXT: Beans come on Monday.", input="A\n")
    engram.ok("save", GHOST.replace("the-gohst", "beans"), input="A\n")
    shown = engram.run("save", "TYPE: rule | TEXT: And soaked. | UPDATE: beans | DEPENDS_ON: soak", input="C\n").stdout
    assert "Memories would need each other in a circle: beans, soak, beans" in shown
    alone = engram.run("save", "TYPE: rule | TEXT: And dry. | UPDATE: beans | DEPENDS_ON: beans", input="C\n").stdout
    assert "It depends on beans itself" in alone


# Force and inbox: C59, C59a


@pytest.mark.parametrize("flag", ["--force", "-f"])
def test_force_skips_the_question_and_nothing_else(engram: Runner, root: Path, file: Path, flag: str) -> None:
    engram.save("rule", STORED)
    engram.save("rule", "The oven is cleaned with vinegar.")
    engram.save("rule", "Always deploy on Friday.")
    file.write_text(
        lines("Bake the bread.", STORED, NEAR, "Never deploy on Friday.")
        + "\nTYPE: rule | TEXT: Soda works too. | UPDATE: the-oven-is-cleaned-with-vinegar\n",
        encoding="utf-8",
    )
    done = engram.run("save-session", "--file", str(file), flag)

    assert done.returncode == 0, done.stderr
    assert "Candidate 5 of 5:" in done.stdout
    assert names_in(root) == [
        "always-deploy-on-friday", "bake-the-bread", "the-oven-is-cleaned-with-vinegar",
        "uploads-go-through-the-queue-with-three-workers",
    ]  # fmt: skip
    assert ways(root)[-2:] == ["force", "force"]
    waiting = {one["candidate"]["text"]: one["reason"] for one in inbox_of(root)}
    assert set(waiting) == {STORED, NEAR, "Never deploy on Friday."}
    assert "SUPERSEDES: always-deploy-on-friday" in waiting["Never deploy on Friday."]
    oven = (root / "rules" / "the-oven-is-cleaned-with-vinegar.md").read_text(encoding="utf-8")
    assert "Soda" in oven
    assert "vinegar" in oven
    assert "sha256" in done.stdout


def test_force_writes_no_secret(engram: Runner, root: Path, file: Path) -> None:
    key = "AKIA" + "IOSFODNN7" + "EXAMPLQ"
    file.write_text(lines("Bake the bread.", f"The key is {key}."), encoding="utf-8")
    done = engram.run("save-session", "--file", str(file), "--force")

    assert done.returncode == 5
    assert key not in done.stdout + done.stderr
    assert names_in(root) == []


def test_under_tty_only_a_terminal_approves(
    engram: Runner, terminal: OpenTerminal, root: Path, file: Path
) -> None:  # C59a
    strict = {"ENGRAM_APPROVAL_TERMINAL": "tty"}
    for words, given in ((["--force"], ""), (["--force"], "A\n"), ([], "A\n")):
        done = engram.run("save-session", "--file", str(file), *words, input=given, env=strict)
        assert done.returncode == 5
        assert "approval.terminal: tty" in done.stderr
    assert names_in(root) == []
    at = terminal("save-session", "--file", str(file), "--force", env=strict)
    assert at.end().code == 0
    assert names_in(root) == THREE_IDS
    assert ways(root) == ["force"] * 3


def test_inbox_writes_no_memory_and_keeps_everything(engram: Runner, root: Path, file: Path) -> None:
    done = engram.run("save-session", "--file", str(file), "--inbox")

    assert done.returncode == 0
    assert names_in(root) == []
    assert len(inbox_of(root)) == 3
    assert {one["way"] for one in inbox_of(root)} == {"inbox"}
    engram.ok("save-session", "--file", str(file), "--inbox")
    assert len(inbox_of(root)) == 3, "putting the same there again changes nothing"


def test_a_candidate_as_long_as_a_memory_may_be_is_kept_in_the_inbox(engram: Runner, root: Path, file: Path) -> None:
    text = "Bake é. " * 28_000
    file.write_text(lines(text, kind="knowledge"), encoding="utf-8")
    engram.ok("save-session", "--file", str(file), "--inbox")

    (one,) = inbox_of(root)
    assert one["candidate"]["text"] == text.strip()


def test_a_query_level_goes_into_the_origin(engram: Runner, root: Path, file: Path) -> None:  # C59a
    engram.ok("ss", "-f", "last", "50", "sessions", "--file", str(file))

    for name in THREE_IDS:
        text = (root / "rules" / f"{name}.md").read_text(encoding="utf-8")
        assert "## Origin" in text
        assert "50 sessions" in text


# Where candidates come from


def test_standard_input_can_be_forced_or_kept_but_not_answered(engram: Runner, root: Path) -> None:
    refused = engram.run("save-session", "--file", "-", input=THREE + "\nA\n")
    assert refused.returncode != 0
    assert names_in(root) == []
    refused = engram.run("save-session", "--file", "-", input=THREE)
    assert refused.returncode == 5
    assert "--file PATH" in refused.stderr
    assert names_in(root) == []
    engram.ok("save-session", "--file", "-", "--force", input=THREE)
    assert names_in(root) == THREE_IDS


def test_scope_and_role_are_for_all_that_name_none(engram: Runner, root: Path, global_root: Path, file: Path) -> None:
    file.write_text(THREE + "\nTYPE: rule | TEXT: Be brief. | ROLE: writer\n", encoding="utf-8")
    engram.ok("save-session", "--file", str(file), "--force", "--scope", "both", "--role", "baker, cook")

    assert names_in(root) == names_in(global_root) == ["bake-the-bread-at-dawn", "be-brief", *THREE_IDS[1:]]
    assert "role: [baker, cook]" in (root / "rules" / f"{THREE_IDS[0]}.md").read_text(encoding="utf-8")
    assert "role: [writer]" in (root / "rules" / "be-brief.md").read_text(encoding="utf-8")


def test_json_says_what_became_of_each(engram: Runner, root: Path, file: Path) -> None:
    engram.save("rule", "Count the stars by hand.")
    envelope = engram.json("save-session", "--file", str(file), "--force")

    assert envelope["ok"] is True
    rows = envelope["data"]["outcomes"]
    assert [(row["number"], row["saved"], row["deferred"]) for row in rows] == [
        (1, True, False), (2, False, True), (3, True, False),
    ]  # fmt: skip
    assert len(names_in(root)) == 3


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "no candidate"), (b" \n\n", "no candidate"), (b"Use pnpm.\n", "line 1"),
        (b"TYPE: rule | TEXT: Be brief.\nrubbish\n", "rubbish"), (b"TYPE: rule | TEXT: x\xff\n", "UTF-8"),
        (b"TYPE: law | TEXT: Be brief.\n", "TYPE"), (b"TYPE: rule | TEXT: Be brief. | FOO: x\n", "FOO"),
        (b"TYPE: rule | TEXT: Be brief. | UPDATE: nothing\n", "nothing"),
        (b"TYPE: rule | TEXT: Be brief. | UPDATE: a | SUPERSEDES: b\n", "SUPERSEDES"),
        (b"TYPE: rule | TEXT: " + b"Bake. " * 50_000 + b"\n", "256 KiB"),
        (b"TYPE: rule | TEXT: Fact.\n" * 500, "500"), ("é".encode() * 1_500_000, "2048 KiB"),
        (b"TYPE: rule | TEXT: a\0b\n", "NUL"),
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_bad_candidates_are_named_and_nothing_is_written(
    engram: Runner, root: Path, file: Path, data: bytes, word: str
) -> None:
    file.write_bytes(data)
    done = engram.run("save-session", "--file", str(file), "--force")

    assert done.returncode not in {0, 1}, done.stderr
    assert word in done.stderr
    assert len(done.stderr) < 3000
    assert "Traceback" not in done.stderr
    assert names_in(root) == []
    assert inbox_of(root) == []


def test_a_file_that_is_not_there_is_named(engram: Runner, root: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        done = engram.run("save-session", "--file", str(path), "--force")
        assert done.returncode != 0
        assert str(path) in done.stderr
        assert "Traceback" not in done.stderr
    assert names_in(root) == []


def test_candidates_typed_at_a_terminal_can_be_answered(terminal: OpenTerminal, root: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no pseudo terminal there")
    at = terminal("save-session", "--file", "-")
    at.type("TYPE: rule | TEXT: Bake the bread.\n\x04")
    at.wait_for("C cancel >")
    at.type("A\n")

    assert at.end().code == 0
    assert names_in(root) == ["bake-the-bread"]
    assert ways(root) == ["terminal"]
