"""Properties of the parts of hosts: what goes into generated files comes out again without a trace (K3, C5)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.property.test_jsonc import Document, documents
from tests.property.test_toml_edit import files

from engram.hosts.json_part import JsonEntry, JsonHooks
from engram.hosts.part import Part, PartError, Wish
from engram.hosts.table import HOSTS
from engram.hosts.toml_part import TomlTables
from engram.text.jsonc import parse
from engram.text.toml_edit import parse as parse_toml

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

WISHES = st.sampled_from(
    [
        Wish("claude", ("engram-mcp",), ("engram",)),
        Wish("claude", ("uvx", "--from", "the-long-ride-engram==0.1.0", "engram-mcp", "--always-load"), ("engram",)),
        Wish("claude", ("C:\\Program Files\\engram-mcp.exe",), ("C:\\Program Files\\engram.exe",)),
        Wish("claude", ("/opt/my tools/engram-mcp",), ("/opt/my tools/engram",)),
    ]
)


def parts_of(kind: type[Part]) -> list[Part]:
    found: list[Part] = []
    for host in HOSTS:
        for part in (*host.workspace, *host.everywhere):
            shape = part.replace(file="", order=(), borrow="", refuses=frozenset())
            if isinstance(part, kind) and shape not in found:
                found.append(shape)
    return found


def renamed(document: Document, first: str, second: str, third: str) -> str:
    """Give the generated file the very containers that parts go into."""
    text = document.text
    for old, new in (("a", first), ("b", second), ("c.d", third)):
        for quoted in (f'"{old}"', json.dumps(old)):
            text = text.replace(quoted, f'"{new}"')
    return text


@pytest.mark.parametrize("part", parts_of(JsonEntry), ids=lambda part: part.where)
@given(document=documents(), wish=WISHES)
@settings(max_examples=100)
def test_an_entry_comes_in_and_goes_out_without_a_trace(part: JsonEntry, document: Document, wish: Wish) -> None:
    text = renamed(document, part.key[0], "other", "engram")
    try:
        edit = part.link(text, wish)
    except PartError:
        assume(False)
    assume(edit.action == "added")

    expected: Any = parse(text)
    expected.setdefault(part.key[0], {})[part.key[1]] = part.value(wish)
    assert parse(edit.text) == expected
    assert part.state(edit.text, wish) == "linked"
    assert part.link(edit.text, wish).text == edit.text
    assert part.unlink(edit.text, wish, edit.made, ()).text == text

    # A tool that writes the whole file anew keeps the meaning, and so does taking ours out of that.
    for indent in (None, 4):
        again = json.dumps(parse(edit.text), indent=indent)
        assert parse(part.unlink(again, wish, edit.made, ()).text) == parse(text)


@pytest.mark.parametrize("part", parts_of(JsonHooks), ids=lambda part: part.where)
@given(document=documents(), wish=WISHES)
@settings(max_examples=100)
def test_hooks_come_in_and_go_out_without_a_trace(part: JsonHooks, document: Document, wish: Wish) -> None:
    text = renamed(document, "hooks", part.events[0], part.events[1])
    try:
        edit = part.link(text, wish)
    except PartError:
        assume(False)

    assert edit.action == "added"
    assert part.state(edit.text, wish) == "linked"
    assert part.link(edit.text, wish).text == edit.text
    assert part.unlink(edit.text, wish, edit.made, ()).text == text
    again = json.dumps(parse(edit.text), indent="\t")
    assert parse(part.unlink(again, wish, edit.made, ()).text) == parse(text)


@given(document=documents(), wish=WISHES, backwards=st.booleans())
@settings(max_examples=100)
def test_two_parts_of_one_file_go_in_any_order(document: Document, wish: Wish, backwards: bool) -> None:
    gemini = next(host for host in HOSTS if host.id == "gemini")
    parts = [part for part in gemini.workspace if part.file.endswith("settings.json")]
    assert len(parts) == 2
    text = new = renamed(document, "hooks", "mcpServers", "SessionStart")
    wish = wish.replace(host="gemini")
    made: tuple[tuple[str, ...], ...] = ()
    try:
        for part in parts:
            edit = part.link(new, wish)
            new, made = edit.text, (*made, *edit.made)
    except PartError:
        assume(False)
    for part in reversed(parts) if backwards else parts:
        new = part.unlink(new, wish, made, ()).text
    assert new == text


@pytest.mark.parametrize("part", parts_of(TomlTables), ids=lambda part: part.where)
@given(text=files(), wish=WISHES)
@settings(max_examples=100)
def test_tables_come_in_and_go_out_without_a_trace(part: TomlTables, text: str, wish: Wish) -> None:
    edit = part.link(text, wish)
    assert edit.action == "added"
    assert part.state(edit.text, wish) == "linked"
    assert part.link(edit.text, wish).text == edit.text
    assert part.unlink(edit.text, wish, (), ()).text == text
    assert parse_toml(edit.text)["mcp_servers"]["engram"]["tools"] == {  # type: ignore[index]
        "engram_commit": {"approval_mode": "approve"}
    }
