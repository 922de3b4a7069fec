"""Candidate lines and verdicts, through ``engram save`` (memory-format F19, F20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner


@pytest.fixture
def root(engram: Runner) -> Path:
    """Make an empty memory in the scratch workspace."""
    engram.ok("inject")
    return engram.cwd / ".agents" / ".engram"


def only(root: Path, kind: str) -> str:
    """Return the text of the one memory of a kind."""
    (file,) = (root / kind).iterdir()
    return file.read_text(encoding="utf-8")


def test_every_field_of_a_candidate_line_ends_up_in_the_memory(engram: Runner, root: Path) -> None:
    # F19
    engram.save("rule", "Test first.")
    engram.save(
        "TYPE: skill | TEXT: Release with the script. | TITLE: How to release | CONTEXT: After the outage | "
        "TRIGGERS: release, ship | DEPENDS_ON: test-first | LEVEL: team | ROLE: lead, writer | CONFIDENCE: low | "
        "SCOPE: workspace"
    )
    text = only(root, "skills")
    for line in (
        "# How to release", "- Release with the script.", "triggers: [release, ship]", "depends_on: [test-first]",
        "level: team", "role: [lead, writer]", "confidence: low", "scope: workspace", "type: skill",
    ):  # fmt: skip
        assert f"\n{line}\n" in text
    assert "## Origin\n\nAfter the outage" in text


def test_variants_become_sections(engram: Runner, root: Path) -> None:
    # F19, F5
    engram.save("TYPE: rule | TEXT: Review. | LIGHT: One look. | BALANCED: A careful look. | STRICT: Two people look.")
    text = only(root, "rules")
    assert "## Rule Variants\n\n### Light\n\nOne look.\n\n### Balanced\n\nA careful look.\n\n### Strict\n\nTwo" in text


@pytest.mark.parametrize(
    ("line", "kind", "content"),
    [
        ("type: rule | text: Keys in any case.", "rules", "Keys in any case."),
        ("Type:rule|Text:No blanks.", "rules", "No blanks."),
        ("TYPE: workflow | TEXT: Open a pull request.", "skills", "Open a pull request."),
        (r"TYPE: rule | TEXT: A bar \| in it", "rules", "A bar | in it"),
        (r"TYPE: rule | TEXT: Not a field \| TITLE: here", "rules", "Not a field | TITLE: here"),
        ("TYPE: rule | TEXT: ls | grep x | wc", "rules", "ls | grep x | wc"),
        ("TYPE: rule | TEXT: see https://a.test | b: c", "rules", "see https://a.test | b: c"),
        ("- TYPE: rule | TEXT: With a bullet.", "rules", "With a bullet."),
        ("TYPE: rule\nTEXT: One field a line.\nTRIGGERS: a, b", "rules", "One field a line."),
        ("```\nTYPE: rule | TEXT: In a fence.\n```", "rules", "In a fence."),
        ("TYPE： rule | TEXT：全角冒号也可以。", "rules", "全角冒号也可以。"),
        ("TEXT: Without a type. | TITLE: x", "knowledge", "Without a type."),
    ],
)
def test_what_a_candidate_line_may_look_like(engram: Runner, root: Path, line: str, kind: str, content: str) -> None:
    # F19
    engram.save("--", line)
    assert f"\n- {content}\n" in only(root, kind)


@pytest.mark.parametrize(
    "text", ["Role: only admins deploy", "Note | this is plain", "TYPE of rule: strict", "a | b: c"]
)
def test_a_sentence_that_only_looks_like_fields_is_plain_text(engram: Runner, root: Path, text: str) -> None:
    engram.save("knowledge", text)
    assert f"\n- {text}\n" in only(root, "knowledge")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("TYPE: rule | TEXT: x | FOO: y", "FOO"), ("TYPE: rule | TEXT: x | TITEL: y", "TITLE"),
        ("TYPE: law | TEXT: x", "rule, skill, knowledge"), ("TYPE: rule | TEXT:", "no TEXT"), ("TYPE: rule", "no TEXT"),
        ("TYPE: rule | TEXT: x | TEXT: y", "twice"), ("TYPE: rule | TEXT: x | CONFIDENCE: sure", "high, medium, low"),
        ("TYPE: rule | TEXT: x | SCOPE: all", "workspace, global, both"), ("TYPE: rule | TEXT: x | UPDATE: ../y", ".."),
        ("TYPE: rule | TEXT: x | UPDATE: a | SUPERSEDES: b", "exclude"), ("TYPE: rule | TEXT: x\nand more", "and more"),
        ("TYPE: rule | TEXT: x\nTYPE: rule | TEXT: y", "2"), ("TYPE: rule | TEXT: x | DEPENDS_ON: ok, C:\\y", "C:"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_an_error_that_quotes_it(engram: Runner, root: Path, line: str, said: str) -> None:
    # F19: nothing is dropped silently
    done = engram.run("save", line, input="A\n")
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert done.stdout == ""
    assert list((root / "rules").iterdir()) == []


def test_the_command_and_the_line_must_agree_on_the_kind(engram: Runner, root: Path) -> None:
    done = engram.run("save", "skill", "TYPE: rule | TEXT: x", input="A\n")
    assert done.returncode == 2
    assert "TYPE: rule" in done.stderr
    engram.save("workflow", "TYPE: skill | TEXT: Open a pull request.")
    engram.save("rule", "TEXT: Test first. | TITLE: Tests")
    assert "# Tests\n" in only(root, "rules")


def test_every_verdict_has_its_line(engram: Runner, root: Path) -> None:
    # F20, C42
    assert "\nVerdict: ADD\n" in engram.save("rule", "Never push to main.")
    assert "\nVerdict: ADD\n" in engram.save("rule", "Deploy by hand.")
    assert "Verdict: NOOP duplicate of never-push-to-main\n" in engram.ok("save", "rule", "never PUSH to main")
    updated = engram.save("TYPE: rule | TEXT: It is protected. | UPDATE: never-push-to-main")
    assert "\nVerdict: UPDATE never-push-to-main\n" in updated
    replaced = engram.save("TYPE: rule | TEXT: The pipeline deploys. | SUPERSEDES: Deploy-By-Hand")
    assert "\nVerdict: SUPERSEDE deploy-by-hand\n" in replaced
    assert "lifecycle: superseded" in (root / "rules" / "deploy-by-hand.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("Nunca hagas push a main.", "Haz push a main."),
        ("Pon trazas en los bucles.", "No pongas trazas en los bucles."),
        ("Usa npm.", "No uses npm."), ("Prefiere REST a GraphQL.", "Prefiere GraphQL a REST."),
        ("组合优于继承。", "继承优于组合。"), ("优先使用空格而不是制表符。", "优先使用制表符而不是空格。"),
        ("Prefer tabs to spaces.", "Prefer spaces to tabs."),
        ("Merging requires two approvals.", "Merging requires one approval."),
        ("Cada cambio necesita dos aprobaciones.", "Cada cambio necesita una aprobación."),
    ],
)  # fmt: skip
def test_what_says_the_opposite_supersedes(engram: Runner, root: Path, stored: str, text: str) -> None:  # C42, F20
    engram.save("rule", stored)
    said = engram.save("rule", text)

    (old,) = [path.stem for path in (root / "rules").glob("*.md") if f"- {stored}" in path.read_text(encoding="utf-8")]
    assert f"Verdict: SUPERSEDE {old}" in said
    assert text in engram.ok("load", text)
    assert stored not in engram.ok("load", text)  # I1


def test_noop_comes_before_an_explicit_update(engram: Runner, root: Path) -> None:
    # F20: in this order
    engram.save("rule", "Never push to main.")
    engram.save("rule", "Deploy by hand.")
    shown = engram.ok("save", "TYPE: rule | TEXT: Never push to main | UPDATE: deploy-by-hand")
    assert "Verdict: NOOP duplicate of never-push-to-main" in shown


def test_a_verdict_comes_from_the_target_scope_only(engram: Runner, root: Path, tmp_path: Path) -> None:
    # F20
    engram.ok("inject", "--global-path", str(tmp_path / "everywhere"))
    engram.save("rule", "Never push to main.")
    shown = engram.save("TYPE: rule | TEXT: Never push to main. | SCOPE: global")
    assert "Verdict: ADD" in shown
    both = engram.ok("save", "TYPE: rule | TEXT: Never push to main. | SCOPE: both")
    assert both.count("Verdict: NOOP duplicate of never-push-to-main") == 2
    listed = engram.json("list")["data"]["memories"]
    assert [memory["key"] for memory in listed] == ["never-push-to-main"], "equal twins are one (F20)"


def test_the_same_input_gives_the_same_verdict_in_every_process(engram: Runner, root: Path) -> None:
    # F20
    for number in range(5):
        engram.save("rule", f"The retry limit for uploads in region {number} is {number}.")
    question = "The retry limit for uploads in every region is seven."
    answers = {engram.run("save", "rule", question, env={"PYTHONHASHSEED": str(seed)}).stdout for seed in range(4)}
    assert len(answers) == 1
