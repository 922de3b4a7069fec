"""Properties of managed blocks and sealed files over generated Markdown."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engram.text.managed import (
    BlockError,
    add_block,
    file_state,
    find_blocks,
    remove_blocks,
    replace_block,
    sealed_file,
)

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

BODY = "## Project memory\n\nUse `engram_load`.\nAsk first."
LINES = st.sampled_from(
    [
        "",
        " ",
        "# Title",
        "- item",
        "text 漢字",
        "```",
        "```md",
        "~~~",
        "<!-- other -->",
        "<!-- engram:endless -->",
        "\t",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def texts(draw: st.DrawFn, *, begun: bool = False, ended: bool = False) -> str:
    text = "" if begun else draw(st.sampled_from(["", "\ufeff"]))
    for line in draw(st.lists(LINES, min_size=int(ended), max_size=8)):
        text += line + draw(ENDS)
    return text if ended else text + draw(LINES)


@given(texts())
@settings(max_examples=400)
def test_a_block_comes_in_at_the_end_and_taking_it_out_gives_the_same_bytes(text: str) -> None:
    added = add_block(text, BODY)
    blocks = find_blocks(added)
    assume(blocks)  # behind an open fence nothing is a block: `add` of the host's part says so

    assert added.startswith(text)
    assert [(block.edited, block.body) for block in blocks] == [(False, BODY)]
    assert remove_blocks(added, ()) == (text, 0)


@given(texts(ended=True), texts(begun=True))
@settings(max_examples=200)
def test_what_is_written_behind_the_block_stays(text: str, later: str) -> None:
    added = add_block(text, BODY)
    assume(find_blocks(added) and added.endswith(("\n", "\r")))
    assume(not (added.endswith("\r") and later.startswith("\n")))
    assert remove_blocks(added + later, ()) == (text + later, 0)


@given(texts())
def test_a_refreshed_block_goes_out_without_a_trace_too(text: str) -> None:
    added = add_block(text, "old\nbody")
    blocks = find_blocks(added)
    assume(blocks)
    changed = replace_block(added, blocks[0], BODY)
    assert [block.body for block in find_blocks(changed)] == [BODY]
    assert remove_blocks(changed, ()) == (text, 0)


@given(texts(), st.sampled_from(["\n", "\r\n"]))
def test_line_ends_that_a_tool_changed_are_no_edit(text: str, newline: str) -> None:
    added = add_block(text, BODY)
    assume(find_blocks(added))
    changed = newline.join(added.splitlines()) + newline
    assert [block.edited for block in find_blocks(changed)] == [False]
    body = "---\nname: x\n---\n\n" + text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n") + "\n"
    assert file_state(sealed_file(body, "# {}").replace("\n", newline)) == "ours"


def test_a_line_of_a_persons_own_stays_where_an_edited_block_goes() -> None:
    text = add_block("# Rules\n", BODY).replace("Ask first.", "Ask first.\nAnd never on Friday.")
    assert [block.edited for block in find_blocks(text)] == [True]
    assert remove_blocks(text, [BODY]) == ("# Rules\n\nAnd never on Friday.\n", 1)


def test_marks_in_fenced_code_are_an_example() -> None:
    text = "```\n<!-- engram:begin 1 -->\n```\n"
    assert find_blocks(text) == []
    assert remove_blocks(add_block(text, BODY), ()) == (text, 0)


def test_marks_that_do_not_belong_together_are_named_with_their_line() -> None:
    for text, line in (
        ("a\n<!-- engram:begin 1 -->\nb\n", 2),
        ("<!-- engram:end -->\n", 1),
        ("<!-- engram:begin 1 -->\n<!-- engram:begin 1 -->\n<!-- engram:end -->\n", 2),
    ):
        with pytest.raises(BlockError) as caught:
            find_blocks(text)
        assert caught.value.line == line


def test_a_file_is_ours_ours_but_edited_or_somebody_elses() -> None:
    text = sealed_file("a\nb\n", "<!-- {} -->")
    assert file_state(text) == "ours"
    assert file_state(text.replace("b", "c")) == "edited"
    assert file_state(text + "more\n") == "edited"
    assert file_state("a\nb\n") == "foreign"
