from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.errors import UsageError
from engram.proposals.candidates import Candidate, format_candidate, parse_candidates

LINE = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=40).map(str.strip)
SPIKED = st.lists(
    st.sampled_from(["|", "\\", " ", "TITLE:", "text：", "FOO: ", "a", "- ", "```", "[", "]", "用户", "1. ", ":"]),
    max_size=12,
).map(lambda parts: "".join(parts).strip())
VALUE = LINE | SPIKED
ITEM = VALUE.filter(lambda value: value != "" and not set(value) & set(",，、"))
ID = st.from_regex(r"(global/|workspace/)?[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True)


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    """Return a candidate that the grammar can carry."""
    update, supersedes = draw(st.sampled_from([("", ""), ("x-1", ""), ("", "global/y")]))
    return Candidate(
        type=draw(st.sampled_from(["", "rule", "skill", "knowledge"])),
        text=draw(VALUE.filter(bool)),
        title=draw(VALUE),
        context=draw(VALUE),
        triggers=tuple(draw(st.lists(ITEM, max_size=3, unique=True))),
        depends_on=tuple(draw(st.lists(ID, max_size=3, unique=True))),
        level=draw(VALUE),
        role=tuple(draw(st.lists(ITEM, max_size=2, unique=True))),
        update=update,
        supersedes=supersedes,
        confidence=draw(st.sampled_from(["", "high", "medium", "low"])),
        scope=draw(st.sampled_from(["", "workspace", "global", "both"])),
        light=draw(VALUE),
        balanced=draw(VALUE),
        strict=draw(VALUE),
    )


@given(st.lists(candidates(), min_size=1, max_size=4))
def test_what_is_written_reads_back_the_same(written: list[Candidate]) -> None:  # F19
    text = "\n\n".join(format_candidate(candidate) for candidate in written)
    assert [c.replace(line=1) for c in parse_candidates(text)] == written


@given(st.text() | st.lists(SPIKED | st.sampled_from(["", "TYPE: rule", "TEXT: a"]), max_size=6).map("\n".join))
def test_any_text_gives_candidates_or_one_usage_error_and_loses_no_line(text: str) -> None:  # F19
    try:
        found = parse_candidates(text)
    except UsageError:
        return
    assert all(candidate.text for candidate in found)
    said = "".join("".join(map(str, candidate.replace(line=0).as_dict().values())) for candidate in found)
    letters = {char for char in text.removeprefix("\ufeff") if char.isalpha() and not char.isascii()}
    assert letters <= set(said)
