"""The frontmatter: every style of value that people write, and what is refused with its line (F8, F9, K2)."""

from __future__ import annotations

import pytest

from engram.errors import FormatError
from engram.markdown.frontmatter import format_entry, parse_entries
from engram.markdown.scalars import quote_scalar


def read(text: str) -> dict[str, str | tuple[str, ...]]:
    entries, _ = parse_entries(text.split("\n"))
    return {entry.key: entry.value for entry in entries}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("id: plain text", "plain text"),
        ("id:   spaced   ", "spaced"),
        ("id: a # comment", "a"),
        ("id: a#b", "a#b"),
        ("id: http://x/y", "http://x/y"),
        ("id: 'it''s'", "it's"),
        ("id: 'a' # comment", "a"),
        (r'id: "a\"b\\c\u00e9\x41\n"', 'a"b\\céA\n'),
        ("id: 'two\n\n  lines'", "two\nlines"),
        ('id: "folded \\\n   here"', "folded here"),
        ("id: plain\n  goes on\n\n  below", "plain goes on\nbelow"),
        ("id:\n  on the next line", "on the next line"),
        ("id:\n  'quoted below'", "quoted below"),
        ("id: |\n  a\n   b\n\n  c", "a\n b\n\nc\n"),
        ("id: |-\n  a\n\n", "a"),
        ("id: |+\n  a\n\n", "a\n\n\n"),
        ("id: |1\n  a", " a\n"),
        ("id: >-\n  a\n  b\n\n  c", "a b\nc"),
        ("id: > # comment\n  a", "a\n"),
        ("id:", ""),
        ("id: ~", ""),
        ("id: null", ""),
        ("id: 'null'", "null"),
        ("id: # nothing", ""),
        ("tags: []", ()),
        ("tags: [a, b c, task_type:x]", ("a", "b c", "task_type:x")),
        ("tags: ['a, b', \"c\", d,]", ("a, b", "c", "d")),
        ("tags: [a,  # first\n  b\n]", ("a", "b")),
        ("tags:\n- a\n- b", ("a", "b")),
        ("tags:\n  - a # first\n\n  # between\n  - 'b: c'\n  -", ("a", "b: c", "")),
        ("tags:\n  - a\n    goes on", ("a goes on",)),
        ("tags: one", "one"),
    ],
)
def test_every_style_of_value_is_read(source: str, value: str | tuple[str, ...]) -> None:  # F9
    key = source.partition(":")[0]
    assert read(f"{source}\ntype: rule") == {key: value, "type": "rule"}


@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        ("id: &a x", 2, "anchors"),
        ("type: rule\nid: *a", 3, "anchors"),
        ("id: !str x", 2, "tags"),
        ("tags: [&a x]", 2, "anchors"),
        ("tags:\n  - *a", 3, "anchors"),
        ("x_team:\n  a: &b c", 3, "anchors"),
        ("x_team: {a: *b}", 2, "anchors"),
        ("<<: x", 2, "merge"),
        ("x_team:\n  <<: x", 3, "merge"),
        ("id: a\nid: b", 3, "twice"),
        ("id: a\nx: b\n'id': c", 4, "twice"),
        ("id: a: b", 2, "colon"),
        ("tags: {a: b}", 2, "map"),
        ("tags:\n  a: b", 3, "map"),
        ("tags: [a, [b]]", 2, "another list"),
        ("tags:\n  - a: b", 3, "map"),
        ("x:\n\ta: b", 3, "tab"),
        ("tags:\n\t- a", 3, "tab"),
        ("id: 'never closed\nx: y", 2, "never closed"),
        ("tags: [a, b\ntype: rule", 3, "] is missing"),
        ("tags: [a, b", 2, "never closed"),
        ("tags: [a,, b]", 2, "missing"),
        ("id: 'a' b", 2, "follows"),
        ('id: "\\q"', 2, "escape"),
        ("id: @x", 2, "quoted"),
        ("- a", 2, "key"),
        ("no colon", 2, "key"),
        ("  id: a", 2, "indented"),
        ("<<<<<<< HEAD", 2, "conflict"),
        ("id: a\n=======\nid: b\n>>>>>>> x", 3, "conflict"),
        ("x:\n  a: b\n>>>>>>> x", 4, "conflict"),
        ("id: a\rb", 2, "carriage return"),
    ],
)
def test_what_is_not_read_names_line_and_reason(source: str, line: int, reason: str) -> None:  # F9, J3, K2
    with pytest.raises(FormatError) as caught:
        read(source)
    assert (caught.value.line, reason in caught.value.message) == (line, True), caught.value.message


def test_structures_below_unknown_keys_are_kept() -> None:  # F8
    source = [
        "x_list:",
        "- a: 1",
        "  b: [2, {c: d}]",
        "id: a",
        "x_map:",
        "  note: |",
        "    *no alias*",
        "",
        "# between",
        "  more: 'a",
        "    b'",
        "x_flow: {a: b,",
        "c: d}",
        "# at the end",
    ]
    entries, rest = parse_entries(source)
    assert [entry.key for entry in entries] == ["x_list", "id", "x_map", "x_flow"]
    assert entries[1].value == "a"
    assert [line for entry in entries for line in (*entry.before, *entry.lines)] + list(rest) == source
    assert rest == ("# at the end",)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", "plain"),
        ("Mara Quint", "Mara Quint"),
        ("用户", "用户"),
        ("a:b", "a:b"),
        ("it's", "it's"),
        ("-dash", "-dash"),
        ("2fa", "2fa"),
        ("1.2.3", "1.2.3"),
        ("Governance: x", '"Governance: x"'),
        ("'type' is x", "\"'type' is x\""),
        ("- dash", '"- dash"'),
        ("a #b", '"a #b"'),
        ("", '""'),
        (" a", '" a"'),
        ("a\nb", r'"a\nb"'),
        ("a\u2028b\x1b", r'"a\u2028b\x1b"'),
        ("yes", '"yes"'),
        ("No", '"No"'),
        ("null", '"null"'),
        ("12", '"12"'),
        ("1e3", '"1e3"'),
        ("0x1F", '"0x1F"'),
        ("12:30", '"12:30"'),
        ("2026-05-11", '"2026-05-11"'),
        (".inf", '".inf"'),
        ("=", '"="'),
    ],
)
def test_only_what_yaml_would_read_otherwise_is_quoted(value: str, written: str) -> None:  # F5
    assert quote_scalar(value) == written


def test_lists_quote_what_would_end_an_item() -> None:  # F5
    assert format_entry("tags", ("a, b", "[c]", "task_type:x", "d")) == 'tags: ["a, b", "[c]", task_type:x, d]'
    assert format_entry("tags", ()) == "tags: []"


def test_dates_and_numbers_are_plain_only_under_their_keys() -> None:  # F6
    assert format_entry("created", "2026-05-11") == "created: 2026-05-11"
    assert format_entry("created", "2026-13-45") == 'created: "2026-13-45"'
    assert format_entry("created", "soon") == "created: soon"
    assert format_entry("revision", "2") == "revision: 2"
    assert format_entry("level", "2") == 'level: "2"'
    assert format_entry("level", "2026-05-11") == 'level: "2026-05-11"'
