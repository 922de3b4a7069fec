"""The quick reader of JSON agrees with the careful one, or leaves the text to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.text.jsonc import parse
from engram.text.plain_json import read_plain

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(values, st.sampled_from([None, 2]), st.booleans())
def test_what_is_read_quickly_is_what_the_careful_reader_reads(value: object, indent: int | None, ascii_: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)

    plain = read_plain(text)

    assert plain is None or plain == (parse(text),)


@given(values, st.integers(0, 60), st.sampled_from('{}[]",: \n\x00/*\\eE.-+0123456789N'))
def test_a_text_with_a_fault_is_never_read_quickly_as_something_else(value: object, at: int, char: str) -> None:
    text = json.dumps(value)
    text = text[:at] + char + text[at:]

    plain = read_plain(text)

    if plain is not None:
        assert plain == (parse(text),)  # which raises where the text is none


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}', '{"a": 1,}', "[1, ]", "{} // x", "/* */ {}", "NaN", "[Infinity]", "", " ", "{} {}",
        "\ufeff{}", '"\\ud800"', "[" * 200 + "]" * 200, "1" * 500, "{'a': 1}", "\u00a0{}",
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_the_careful_reader(text: str) -> None:
    assert read_plain(text) is None


@given(
    values, st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["// note", "  //", '\t// { "a', "/* x", "*/ //"])))
)
def test_lines_of_comment_change_nothing_or_are_left_to_the_careful_reader(
    value: object, comments: list[tuple[int, str]]
) -> None:
    lines = json.dumps(value, indent=1, ensure_ascii=False).split("\n")
    for at, comment in comments:
        lines.insert(at, comment)
    text = "\n".join(lines)

    plain = read_plain(text)

    assert plain is None or plain == (parse(text),)


def test_a_configuration_as_programs_write_it_is_read_quickly() -> None:
    text = json.dumps({"version": 1, "load": {"limit": 6}, "roles": ["backend", "测试"]}, indent=2, ensure_ascii=False)

    assert read_plain(text + "\n") == (json.loads(text),)
    assert read_plain(f"// mine\r\n{text}\r\n  // end\r\n") == (json.loads(text),)
