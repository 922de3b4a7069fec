"""JSON with comments, read and changed: the cases a person would name; generated files are a property test."""

from __future__ import annotations

import pytest

from engram.text.jsonc import JsoncError, dumps, parse
from engram.text.jsonc_edit import set_value, unset_value


def test_comments_trailing_commas_and_a_byte_order_mark_are_read() -> None:
    text = '\ufeff// top\n{"a": [1, 2,], /* in\nside */ "b": {"c": null,}, // end\n}\n// last'
    assert parse(text) == {"a": [1, 2], "b": {"c": None}}


def test_every_escape_and_surrogate_pairs_are_read() -> None:
    assert parse(r'"\" \\ \/ \b\f\n\r\t \u00e9 \uD83D\ude42 é🙂"') == '" \\ / \b\f\n\r\t é 🙂 é🙂'


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("-0", 0), ("12", 12), ("-1.5", -1.5), ("1e2", 100.0), ("1.25E-2", 0.0125)]
)
def test_numbers_keep_their_type(text: str, value: float) -> None:
    assert parse(text) == value
    assert type(parse(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "the end of the file"),
        ("// only a comment", 1, 18, "the end of the file"),
        ('{"a": 1', 1, 8, 'a comma or "}"'),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, 'a comma or "}"'),
        ('{\r\n  "a": 1,\r\n  b: 2\r\n}', 3, 3, "in double quotes"),
        ('\ufeff{"a" 1}', 1, 6, "a colon"),
        ('{"é": 1, "x": }', 1, 15, "a value should stand here"),
        ('{"a": 1, "b": 2, "a": 3}', 1, 18, 'the key "a" stands twice'),
        ('{"a": "x\n"}', 1, 7, "no closing quote on its line"),
        ('{"a": "x', 1, 7, "no closing quote"),
        ('"\t"', 1, 2, "must be written as an escape"),
        (r'"\x"', 1, 2, "may not follow a backslash"),
        (r'"\u12g4"', 1, 2, "four hexadecimal digits"),
        (r'"\u12"', 1, 2, "four hexadecimal digits"),
        (r'"\ud83d"', 1, 2, "surrogate pair"),
        (r'"\ud83d\u0041"', 1, 2, "surrogate pair"),
        (r'"\ude42\ud83d"', 1, 2, "surrogate pair"),
        ("[1,,2]", 1, 4, "a value should stand here"),
        ("[,]", 1, 2, "a value should stand here"),
        ("{,}", 1, 2, "in double quotes"),
        ("{'a': 1}", 1, 2, "in double quotes"),
        ("NaN", 1, 1, "a value should stand here"),
        ("-Infinity", 1, 2, "a digit"),
        ("1e999", 1, 1, "too large"),
        ("9" * 5000, 1, 1, "more than 400"),
        ("01", 1, 1, "may not begin with 0"),
        ("1.", 1, 3, "a digit"),
        ("+1", 1, 1, "a value should stand here"),
        ("True", 1, 1, "a value should stand here"),
        ("{} x", 1, 4, "nothing may follow"),
        ("{} /* x", 1, 4, "never closed"),
        ("{ /x }", 1, 3, "in double quotes"),
        ("{\x00}", 1, 2, "U+0000"),
        ("[" * 101, 1, 101, "more than 100 levels"),
        ("\r\r[1 2]", 3, 4, 'a comma or "]"'),
    ],
)
def test_what_is_not_json_is_named_with_its_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(JsoncError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in caught.value.reason
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


def test_a_message_holds_nothing_that_a_terminal_obeys() -> None:
    with pytest.raises(JsoncError) as caught:
        parse('{"\u202e\x9b": 1, "\u202e\x9b": 2}')
    assert caught.value.reason == 'the key "\\u202e\\u009b" stands twice in one object'


def test_a_hundred_levels_are_read() -> None:
    assert parse("[" * 100 + "]" * 100) is not None


def test_dumps_writes_what_a_person_would() -> None:
    value = {"name": "Zoë 🙂", "args": ["--x", 1], "on": True, "env": {}, "rows": [{"a": 1.5}, []], "none": None}
    assert (
        dumps(value)
        == """{
  "name": "Zoë 🙂",
  "args": ["--x", 1],
  "on": true,
  "env": {},
  "rows": [
    {
      "a": 1.5
    },
    []
  ],
  "none": null
}"""
    )
    assert dumps(value["rows"], None) == '[{"a": 1.5}, []]'
    assert dumps(("a" * 80,), "\t") == f'[\n\t"{"a" * 80}"\n]'
    assert dumps('\x00\x1f"\\\n') == '"\\u0000\\u001f\\"\\\\\\n"'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1: 2}, "\ud83d", {"a": b"x"}])
def test_dumps_refuses_what_json_has_no_form_for(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        dumps(value)


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("{}", ("a",), 1, '{\n  "a": 1\n}'),
        ("{ }\n", ("a",), 1, '{ "a": 1 }\n'),
        ("{\n}\n", ("a",), 1, '{ "a": 1\n}\n'),
        ("{\n\n}\n", ("a",), 1, '{\n  "a": 1\n\n}\n'),
        ('{"a": 1}', ("b",), [2, {"c": 3}], '{"a": 1, "b": [2, {"c": 3}]}'),
        ('{"a":1}', ("b",), {"c": 3, "d": 4}, '{"a":1,"b":{"c":3,"d":4}}'),
        ('{ "a": 1, }', ("b",), 2, '{ "a": 1, "b": 2, }'),
        ('{"a":1, "b":2}', ("c",), 3, '{"a":1, "b":2, "c":3}'),
        ('{"a": 1 // why\n}', ("b",), 2, '{"a": 1, // why\n  "b": 2\n}'),
        ("{ /* none */ }", ("a",), 1, '{ /* none */ "a": 1 }'),
        ("{\n    // none\n}", ("a",), 1, '{\n    // none\n    "a": 1\n}'),
        ('{\n\t"a": 1\n}', ("b", "c"), True, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": true\n\t}\n}'),
        (
            '{\r\n    "a": 1,\r\n}\r\n',
            ("b",),
            {"c": 1},
            '{\r\n    "a": 1,\r\n    "b": {\r\n        "c": 1\r\n    },\r\n}\r\n',
        ),
        ('\ufeff{\n  "a": {}\n}', ("a", "b"), 1, '\ufeff{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"a": {}}', ("a", "b"), {"c": 1}, '{"a": {"b": {"c": 1}}}'),
        (
            '{\n  "s": {\n    "x": {"command": "x"}\n  }\n}',
            ("s", "engram"),
            {"command": "engram-mcp", "args": []},
            '{\n  "s": {\n    "x": {"command": "x"},\n    "engram": {"command": "engram-mcp", "args": []}\n  }\n}',
        ),
        ('{\n  "a": 1, // one\n  // "b": 2\n}', ("c",), 3, '{\n  "a": 1, // one\n  "c": 3,\n  // "b": 2\n}'),
        ('{\n  "a": 1 }', ("b",), 2, '{\n  "a": 1,\n  "b": 2 }'),
    ],
)
def test_a_new_key_looks_like_its_neighbours(before: str, path: tuple[str, ...], value: object, after: str) -> None:
    assert set_value(before, path, value) == after


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ('{"x" : 1 /* one */ , "y": 2}', 7, '{"x" : 7 /* one */ , "y": 2}'),
        ('{\n  "x": {\n    "a": 1 // gone with it\n  }\n}', {"b": 2}, '{\n  "x": {\n    "b": 2\n  }\n}'),
        ('{\n  "x": {"a": 1}\n}', {"b": 2}, '{\n  "x": {"b": 2}\n}'),
        ('{\n  "x": 1\n}', {"b": 2}, '{\n  "x": {\n    "b": 2\n  }\n}'),
        ('{"x": 1}', True, '{"x": true}'),
        ('{"x": 1}', 1.0, '{"x": 1.0}'),
        ('{"x": { "b" : [1 , 2] }}', {"b": (1, 2)}, '{"x": { "b" : [1 , 2] }}'),
        ('{"x": "\\u00e9"}', "é", '{"x": "\\u00e9"}'),
    ],
)
def test_a_value_is_replaced_where_it_stands_and_an_equal_one_is_left(before: str, value: object, after: str) -> None:
    assert set_value(before, ("x",), value) == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ('{"a": 1}', ("a",), "{}"),
        ('{\n  "a": 1\n}\n', ("a",), "{}\n"),
        ('{\n  "a": 1,\n}\n', ("a",), "{}\n"),
        ('{\n  // kept\n  "a": 1\n}\n', ("a",), "{\n  // kept\n}\n"),
        ('{ "a": 1, "b": 2, "c": 3 }', ("a",), '{ "b": 2, "c": 3 }'),
        ('{ "a": 1, "b": 2, "c": 3 }', ("b",), '{ "a": 1, "c": 3 }'),
        ('{ "a": 1, "b": 2, "c": 3 }', ("c",), '{ "a": 1, "b": 2 }'),
        ('{\n  "a": 1,\n  "b": 2,\n}', ("b",), '{\n  "a": 1,\n}'),
        ('{\r\n  "a": 1,\r\n  "b": [\r\n  ]\r\n}', ("b",), '{\r\n  "a": 1\r\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 // two\n}', ("b",), '{\n  "a": 1 // one\n  // two\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 }', ("b",), '{\n  "a": 1 // one\n  }'),
        ('{\n  "a": 1, /* // */\n  "b": 2 }', ("b",), '{\n  "a": 1 /* // */ }'),
        ('{\n  "a": 1, /* x */ // y\n  "b": 2 }', ("b",), '{\n  "a": 1 /* x */ // y\n  }'),
        ('{\n    "a": 1\n  , "b": 2\n  , "c": 3\n}', ("c",), '{\n    "a": 1\n  , "b": 2\n}'),
        ('{"a": {"b": 1}, "c": 2}', ("a", "b"), '{"a": {}, "c": 2}'),
        ('{"a": 1}', ("b",), '{"a": 1}'),
        ('{"a": 1}', ("a", "b"), '{"a": 1}'),
        ('{"a": 1}', ("b", "c"), '{"a": 1}'),
    ],
)
def test_a_key_goes_with_its_comma_and_line_and_comments_stay(before: str, path: tuple[str, ...], after: str) -> None:
    assert unset_value(before, path) == after


def test_nothing_is_set_inside_a_value_that_is_no_object() -> None:
    with pytest.raises(JsoncError, match=r'line 2, column 8: "a\.b" is no object'):
        set_value('{"a":\n {"b": 5}}', ("a", "b", "c"), 1)
    with pytest.raises(JsoncError, match="the outermost value is no object"):
        set_value("[]", ("a",), 1)


def test_a_text_that_is_not_json_is_never_changed() -> None:
    with pytest.raises(JsoncError, match="line 1, column 8"):
        set_value('{"a": 1', ("a",), 2)
    with pytest.raises(JsoncError, match="line 1, column 8"):
        unset_value('{"a": 1', ("a",))


def test_an_empty_path_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="at least one key"):
        set_value("{}", (), {})
    with pytest.raises(ValueError, match="at least one key"):
        unset_value("{}", ())
