from __future__ import annotations

import pytest

from engram.errors import UsageError
from engram.model import MAX_BYTES
from engram.proposals.candidates import Candidate, format_candidate, looks_like_candidates, parse_candidates


def problems(text: str) -> list[tuple[int, str]]:
    """Return line and reason of everything that the parser objects to."""
    with pytest.raises(UsageError) as caught:
        parse_candidates(text)
    listed = caught.value.details["problems"]
    assert isinstance(listed, list)
    return [(problem["line"], problem["reason"]) for problem in listed]


def test_a_line_with_every_field_becomes_one_candidate() -> None:  # F19
    line = (
        "TYPE: rule | TEXT: Use pnpm. | TITLE: Package manager | CONTEXT: web | TRIGGERS: install, lockfile"
        " | DEPENDS_ON: node-version, global/style | LEVEL: advanced | ROLE: frontend, release | UPDATE: use-pnpm"
        " | CONFIDENCE: High | SCOPE: both | LIGHT: l | BALANCED: b | STRICT: s"
    )
    assert parse_candidates(line) == [
        Candidate(
            type="rule",
            text="Use pnpm.",
            title="Package manager",
            context="web",
            triggers=("install", "lockfile"),
            depends_on=("node-version", "global/style"),
            level="advanced",
            role=("frontend", "release"),
            update="use-pnpm",
            confidence="high",
            scope="both",
            light="l",
            balanced="b",
            strict="s",
        )
    ]


def test_keys_are_case_insensitive_and_lists_take_chinese_commas() -> None:  # F19
    assert parse_candidates("type: Knowledge | text: 用户身份 | Triggers: 登录，令牌、会话") == [
        Candidate("knowledge", "用户身份", triggers=("登录", "令牌", "会话"))
    ]


def test_workflow_is_a_skill_and_no_type_stays_open() -> None:  # F19, F20
    first, second = parse_candidates("TYPE: workflow | TEXT: a\nTEXT: b")
    assert (first.type, second.type) == ("skill", "")


def test_several_candidates_come_one_a_line_with_their_line_numbers() -> None:  # F19
    found = parse_candidates("\nTYPE: rule | TEXT: a\n\n- TYPE: skill | TEXT: b\n3. TYPE: rule | TEXT: c\n")
    assert [(c.type, c.text, c.line) for c in found] == [("rule", "a", 2), ("skill", "b", 4), ("rule", "c", 5)]


def test_blocks_begin_with_type_or_after_an_empty_line() -> None:  # F19
    found = parse_candidates("TYPE: rule\nTEXT: a\nTITLE: t\nTYPE: skill\nTEXT: b\n\nTEXT: c\nSUPERSEDES: old-c\n")
    assert found == [
        Candidate("rule", "a", title="t", line=1),
        Candidate("skill", "b", line=4),
        Candidate("", "c", supersedes="old-c", line=7),
    ]


@pytest.mark.parametrize("fence", ["```", "```text", "~~~"])
def test_a_code_fence_around_the_candidates_is_tolerated(fence: str) -> None:  # F19
    closing = fence[:3]
    assert parse_candidates(f"{fence}\nTYPE: rule | TEXT: a\n{closing}\n") == [Candidate("rule", "a", line=2)]


def test_carriage_returns_and_a_byte_order_mark_are_tolerated() -> None:
    assert parse_candidates("\ufeffTYPE: rule\r\nTEXT: a\r\n") == [Candidate("rule", "a")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"a \| TITLE: b", "a | TITLE: b"),
        ("ps aux | grep x", "ps aux | grep x"),
        ("a | note: x", "a | note: x"),
        ("see | HTTPS://x.test", "see | HTTPS://x.test"),
        (r"C:\dir and \d+", r"C:\dir and \d+"),
        (r"x \\| y", r"x \| y"),
        ("a || b", "a || b"),
    ],
)
def test_a_text_may_hold_bars_and_backslashes(written: str, meant: str) -> None:  # F19
    assert parse_candidates(f"TYPE: rule | TEXT: {written} | TITLE: t") == [Candidate("rule", meant, title="t")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TYPE: rule | TEXT: a\nand so on", [(2, "no field is named")]),
        ("TYPE: rule | TEXT: a | FOO: b", [(1, "unknown field FOO")]),
        ("TYPE: rule\nTEXT: a\nTrigger: b", [(3, "unknown field Trigger (do you mean TRIGGERS?)")]),
        ("TYPE: rule | TEXT: ", [(1, "no TEXT")]),
        ("TYPE: rule", [(1, "no TEXT")]),
        ("TYPE: law | TEXT: a", [(1, "TYPE is one of rule, skill, knowledge")]),
        ("TYPE: rule\nTEXT: a\nSCOPE: galaxy", [(3, "SCOPE is one of workspace, global, both")]),
        ("TYPE: rule | TEXT: a | CONFIDENCE: sure", [(1, "CONFIDENCE is one of high, medium, low")]),
        ("TYPE: rule | TEXT: a | TEXT: b", [(1, "TEXT is given twice")]),
        ("TYPE: rule\nTEXT: a\nTITLE: t\nTEXT: b", [(4, "TEXT is given twice")]),
        ("TYPE: rule | TEXT: a | UPDATE: ../x", [(1, "UPDATE takes the id of a memory")]),
        ("TYPE: rule | TEXT: a | SUPERSEDES: C:\\x", [(1, "SUPERSEDES takes the id of a memory")]),
        ("TYPE: rule | TEXT: a | DEPENDS_ON: ok, /etc/passwd", [(1, "DEPENDS_ON takes the id of a memory")]),
        ("TYPE: rule | TEXT: a | UPDATE: b | SUPERSEDES: c", [(1, "exclude each other")]),
        ("TYPE: rule | TEXT: a\0b", [(1, "NUL")]),
        ("TYPE: rule | TEXT: \ud800", [(1, "valid Unicode")]),
        ("```TYPE: rule | TEXT: b\nTYPE: rule | TEXT: a\n```", [(1, "no field is named"), (3, "no field is named")]),
        ("junk\nTYPE: rule | TEXT: a\nmore", [(1, "no field is named"), (3, "no field is named")]),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_line(text: str, expected: list[tuple[int, str]]) -> None:  # F19, F12
    found = problems(text)
    assert [line for line, _ in found] == [line for line, _ in expected]
    assert all(part in reason for (_, reason), (_, part) in zip(found, expected, strict=True))


def test_the_error_quotes_the_line_and_shows_the_grammar() -> None:  # F19
    with pytest.raises(UsageError, match=r'line 2: no field is named.*: "and so on"') as caught:
        parse_candidates("TYPE: rule | TEXT: a\nand so on")
    assert "TYPE: rule | TEXT:" in caught.value.hint


@pytest.mark.parametrize(
    "line", ["remember {}\x1b[2J", "SUPERSEDES: {} /", "UPDATE: {}/x", "DEPENDS_ON: a, {}\\", "{}: x"]
)
def test_an_error_shows_no_secret_and_no_control_character(line: str) -> None:  # C3
    key = "ghp_" + "a1B2c3D4e5" * 4
    with pytest.raises(UsageError) as caught:
        parse_candidates(line.format(key))
    shown = str(caught.value.as_dict())
    assert key[6:] not in shown
    assert "\x1b" not in shown


def test_a_text_over_the_limit_of_a_memory_is_refused_with_the_limit() -> None:  # B2
    assert "262144" in problems("TYPE: rule | TEXT: " + "a" * (MAX_BYTES + 1))[0][1]
    assert len(parse_candidates("TYPE: rule | TEXT: " + "a" * MAX_BYTES)[0].text) == MAX_BYTES


def test_blank_text_holds_no_candidates() -> None:
    assert parse_candidates(" \n\t\n") == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("TYPE: rule | TEXT: a", True),
        ("- type: rule\n  text: a", True),
        ("```\nTEXT: a\n```", True),
        ("TYPE: rule", True),
        ("Here they are:\nTYPE: rule | TEXT: a", True),
        ("Use pnpm for every install.", False),
        ("Role: only admins deploy", False),
        ("Type: ignore comments need a reason", False),
        ("First line\nTEXT: a", False),
        ("", False),
    ],
)
def test_plain_text_is_told_from_candidates(text: str, meant: bool) -> None:
    assert looks_like_candidates(text) is meant


@pytest.mark.parametrize(
    "candidate",
    [Candidate("rule", "a\nb"), Candidate("rule", "a "), Candidate("rule", "a", triggers=("x, y",))],
)
def test_what_the_grammar_cannot_carry_is_not_written(candidate: Candidate) -> None:
    with pytest.raises(UsageError):
        format_candidate(candidate)


def test_of_very_many_problems_a_hundred_are_listed_and_all_are_counted() -> None:
    with pytest.raises(UsageError) as caught:
        parse_candidates("TYPE: rule | TEXT: a | " + " | ".join(f"FOO{number}: x" for number in range(3000)))
    listed = caught.value.details["problems"]
    assert isinstance(listed, list)
    assert (len(listed), caught.value.details["more"]) == (100, 2900)
    assert "and 2995 more" in str(caught.value)
