"""Properties of TOML edited in place, over generated files: comments, odd spacing, CRLF, every kind of string."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engram.text.toml_edit import TomlError, add_tables, parse, remove_tables, statements, swap_string

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

OURS = ("mcp_servers", "engram")
TABLES: list[tuple[tuple[str, ...], dict[str, object]]] = [
    (OURS, {"command": "uvx", "args": ["--from", "the-long-ride-engram==0.1.0", "engram-mcp"]}),
    ((*OURS, "tools", "engram_commit"), {"approval_mode": "approve"}),
]

VALUES = st.sampled_from(
    [
        "1", "-2.5", "nan", "true", "1979-05-27", '"plain"', '"q \\" # [x]"', "'lit # ]'", '"""m\n[x]\n# no \\""" """',
        "'''m\n= \"\n'''", "[1, 2]", "[ # c ]\n  1,\n  'a]', # d\n]", "{ a = 1, b = { c = [1] } }", '[["x"], []]',
        '"""a""""', "''''a'''''",
    ]
)  # fmt: skip
KEYS = st.sampled_from(["a", "b-c", '"q.r"', "'x y'", "d . e", '"é"', "f.g"])
HEADERS = st.sampled_from(
    [
        "[t]",
        "[ t . u ]",
        '[t."v.w"]',
        "[[list]]",
        "[mcp_servers.other]",
        "[mcp_servers.other.tools.x]",
        "[ mcp_servers ]",
    ]
)
FILL = st.sampled_from(["", " ", "\t", "# c", "  # mcp_servers.engram = [", "#"])


@st.composite
def files(draw: st.DrawFn) -> str:
    """Write a TOML file whose names are all different; what is no TOML by chance is drawn again."""
    lines: list[str] = []

    def pairs() -> None:
        for key in draw(st.lists(KEYS, max_size=3, unique_by=lambda key: key.split(".")[0].strip())):
            lines.extend(draw(st.lists(FILL, max_size=2)))
            blank = draw(st.sampled_from(["", " ", "  "]))
            tail = draw(st.sampled_from(["", " # why", "  "]))
            lines.append(f"{blank}{key}{blank}={blank}{draw(VALUES)}{tail}")

    pairs()
    for header in draw(st.lists(HEADERS, max_size=4, unique=True)):
        lines.extend(draw(st.lists(FILL, max_size=2)))
        lines.append(draw(st.sampled_from(["", "  "])) + header + draw(st.sampled_from(["", " # t"])))
        pairs()
    lines.extend(draw(st.lists(FILL, max_size=2)))
    text = "\n".join(lines)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
        text += draw(st.sampled_from(["", "\r\n", "\r\n\r\n"]))
    else:
        text += draw(st.sampled_from(["", "\n", "\n\n"]))
    text = draw(st.sampled_from(["", "\ufeff"])) + text
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        assume(False)
    return text


def with_ours(text: str) -> dict[str, Any]:
    meant: dict[str, Any] = tomllib.loads(text.removeprefix("\ufeff"))
    ours = meant.setdefault("mcp_servers", {}).setdefault("engram", {})
    ours.update(TABLES[0][1])
    ours["tools"] = {"engram_commit": TABLES[1][1]}
    return meant


@given(files())
@settings(max_examples=300)
def test_tables_come_in_at_the_end_and_taking_them_out_gives_the_same_bytes(text: str) -> None:
    added = add_tables(text, TABLES)

    assert added.startswith(text)
    assert repr(tomllib.loads(added.removeprefix("\ufeff"))) == repr(with_ours(text))
    assert remove_tables(added, OURS) == text


LATER = st.tuples(st.sampled_from(["[z]", "[mcp_servers.z]", "[[zz]]"]), FILL, VALUES)


@given(files(), st.lists(LATER, min_size=1, max_size=3, unique_by=lambda table: table[0]))
@settings(max_examples=150)
def test_what_stands_behind_our_tables_by_now_stays_too(text: str, rest: list[tuple[str, str, str]]) -> None:
    # As after `codex mcp add`: other tables, with their comments, follow ours.
    added = add_tables(text, TABLES)
    assume(added.endswith("\n") and text.removeprefix("\ufeff"))
    later = "".join(f"{fill}\n{header}\nkey = {value} # why\n" for header, fill, value in rest)

    assert remove_tables(added + later, OURS) == text + later


@given(files())
def test_every_statement_is_found_where_it_stands(text: str) -> None:
    found = statements(text)
    for statement in found:
        if statement.kind == "pair":
            begin, end = statement.value
            assert tomllib.loads(f"k = {text[begin:end]}")
        assert text[statement.start : statement.end].strip()
    between = text.removeprefix("\ufeff")
    for statement in found:
        between = between.replace(text[statement.start : statement.end], "", 1)
    assert all(not line.strip() or line.strip().startswith("#") for line in between.splitlines())


@given(files())
def test_a_pin_is_changed_and_nothing_else(text: str) -> None:
    added = add_tables(text, TABLES)
    changed = swap_string(added, (*OURS, "args"), "the-long-ride-engram==0.1.0", "the-long-ride-engram==0.2.0")
    assert changed == added.replace("engram==0.1.0", "engram==0.2.0")
    assert remove_tables(changed, OURS) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[mcp_servers]\nengram.command = "x"\nother.command = "y"\n', '[mcp_servers]\nother.command = "y"\n'),
        ('[mcp_servers]\nengram = { command = "x" } # c\n# d\n', "[mcp_servers]\n# d\n"),
        ('mcp_servers.engram.command = "x"\nmodel = 1\n', "model = 1\n"),
        ('[ "mcp_servers" . engram ]\ncommand = "x"\n# mine\n\n[z]\n', "# mine\n\n[z]\n"),
        ('[a]\n\n[mcp_servers.engram]\ncommand = "x"\n[mcp_servers.engram.tools.t]\nx = 1\n\n[z]\n', "[a]\n\n[z]\n"),
        # As codex writes it: the server's table first, its tools after another server.
        (
            '[mcp_servers.engram]\ncommand = "x"\n\n[mcp_servers.b]\ncommand = "b"\n\n[mcp_servers.engram.t]\nx = 1\n',
            '[mcp_servers.b]\ncommand = "b"\n',
        ),
        ('[mcp_servers.engram]\n# why\ncommand = "x"\n\n# of z\n[z]\n', "# of z\n[z]\n"),
        ("[a]\nb = 1\n", "[a]\nb = 1\n"),
    ],
)
def test_tables_are_found_however_they_are_written(text: str, expected: str) -> None:
    assert remove_tables(text, OURS) == expected


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", 'mcp_servers = "x"\n', "[[mcp_servers]]\n", "[mcp_servers]\nengram = 1\n"]
)
def test_a_table_that_cannot_be_extended_where_it_stands_is_named_with_its_line(text: str) -> None:  # C8
    with pytest.raises(TomlError) as caught:
        add_tables("# top\n" + text, TABLES)
    assert caught.value.line in (2, 3)
    assert "cannot be extended" in caught.value.reason


def test_ours_inside_an_inline_table_is_not_taken_apart() -> None:
    with pytest.raises(TomlError, match="inline table"):
        remove_tables("mcp_servers = { engram = { command = 'x' }, b = { command = 'y' } }\n", OURS)


@pytest.mark.parametrize(
    ("text", "line"), [("a = \n", 1), ("ok = 1\na = 1\na = 2\n", 3), ("ok = 1\n[t]\nx = [1,\n", 4), ("\x00", 1)]
)
def test_what_is_no_toml_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(TomlError) as caught:
        parse(text)
    assert caught.value.line == line
    assert caught.value.reason
