"""What is written as frontmatter, YAML reads as the same values; PyYAML is the judge (F5, K1)."""

from __future__ import annotations

from datetime import date

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engram.errors import FormatError
from engram.markdown.frontmatter import format_entry, parse_entries
from engram.markdown.scalars import quote_scalar

WORDS = st.sampled_from(
    ["yes", "N", "off", "null", "~", "1_0", "0o7", "0b1", "0x_f", "1e3", "+1", "-.5", ".nan", "12:30:45", "2026-5-1",
     "2026-05-11T01:02:03Z", "<<", "---", "...", "a: b", "a #b", "[", "{x}", "&a", "*a", "!t", "%", "@", "`", "? x",
     "?x", ":", ":x", "- ", "-", "-x", "'", '"', "|", ">", "\ufeff", "\x85", "\u2028", "\x7f", "é", "a\\b", "#",
     "1.", "._1"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text(alphabet="0123456789:-+._eExTZ a#,[]{}\"'?yYnN\t", max_size=10),
    st.builds("".join, st.lists(WORDS, max_size=3)),
)


@settings(max_examples=400)
@given(TEXTS)
def test_a_text_is_read_as_the_same_text(value: str) -> None:
    line = format_entry("level", value)
    assert "\n" not in line
    assert yaml.safe_load(line) == {"level": value}
    assert parse_entries([line])[0][0].value == value


@settings(max_examples=400)
@given(st.lists(TEXTS, max_size=4).map(tuple))
def test_a_list_is_read_as_the_same_list(values: tuple[str, ...]) -> None:
    line = format_entry("tags", values)
    assert yaml.safe_load(line) == {"tags": list(values)}
    assert parse_entries([line])[0][0].value == values


@settings(max_examples=400)
@given(TEXTS)
def test_quotes_stand_only_where_they_must(value: str) -> None:
    if quote_scalar(value) == value or not value.isascii():
        return
    try:
        plain = yaml.safe_load(f"level: {value}")
    except (yaml.YAMLError, ValueError):
        return
    if plain == {"level": value}:
        # PyYAML follows YAML 1.1; these are what 1.2 reads otherwise, or what 1.1 says and PyYAML leaves out.
        assert value[0] in "yYnN0123456789+-.?:" or value in {"...", "---"}


@given(st.dates(min_value=date(1000, 1, 1)), st.integers(1, 10_000))
def test_dates_and_numbers_are_read_as_such(day: date, number: int) -> None:
    text = "\n".join([format_entry("created", day.isoformat()), format_entry("revision", str(number))])
    assert yaml.safe_load(text) == {"created": day, "revision": number}


SOURCES = st.lists(
    st.sampled_from(
        ["id: a", "type: rule", "tags:", "- a", "  - b", "  - 'c'", "tags: [a,", "  b]", "]", "x: |", "  text", "",
         "   ", "# c", "  # d", "y: >-", "  more: z", "z: 'q", "  q'", 'w: "e\\', "v:", "  k: v", "u: {a: b}",
         "t: plain", "  on", "s: &a", "level: ~", "parent: 1", "scope:  x  # y", "  - k: v", "    l: m"]
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=500)
@given(SOURCES)
def test_what_is_read_of_any_source_is_what_yaml_reads(lines: list[str]) -> None:
    """Values equal PyYAML's; every line is kept; what PyYAML refuses below a known key is refused."""
    try:
        entries, rest = parse_entries(lines)
    except FormatError:
        return
    assert [line for entry in entries for line in (*entry.before, *entry.lines)] + list(rest) == lines
    try:
        loaded = yaml.load("\n".join([*lines, ""]), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return
    for key, value in (loaded or {}).items():
        found = next(entry.value for entry in entries if entry.key == key)
        if isinstance(value, str):
            assert found == ("" if value == "~" else value)
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            assert found == tuple(value)
