"""Properties of JSON with comments over generated files: odd indents, tabs, CRLF, comments in every gap."""

from __future__ import annotations

import copy
import json
from typing import Any, NamedTuple

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from engram.text.jsonc import JsoncError, dumps, parse
from engram.text.jsonc_edit import append_value, set_value, unset_value

# Generated files are large for a busy machine: no test here is about time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text('abcü"\\ \t', max_size=3), inner)),
    max_leaves=6,
)
NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])


class Written(NamedTuple):
    """One member of a generated file: its path, its value, and where key and value stand."""

    path: tuple[str, ...]
    value: Any
    start: int
    value_start: int
    end: int


class Document(NamedTuple):
    """A generated file, what it means, and where everything in it stands."""

    text: str
    value: dict[str, Any]
    members: list[Written]
    comments: list[tuple[str, int]]


class _Writer:
    """Builds a JSONC text piece by piece and notes where each piece stands."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.text = "\ufeff" if draw(st.booleans()) else ""
        self.members: list[Written] = []
        self.comments: list[tuple[str, int]] = []

    @property
    def newline(self) -> str:
        """One of several: files with mixed line ends exist, and stay as they are."""
        return self.draw(NEWLINES)

    def gap(self) -> None:
        for piece in self.draw(st.lists(st.sampled_from([" ", "  ", "\t", "NL", "//", "/*", "/*NL"]), max_size=3)):
            if piece.startswith("/"):
                body = f"c{len(self.comments)}"
                whole = {"//": f"//{body} , }}", "/*": f'/*{body}"{{*/', "/*NL": f"/*{body}{self.newline} // x*/"}[
                    piece
                ]
                self.comments.append((whole, len(self.text)))
                self.text += whole + (self.newline if piece == "//" else "")
            else:
                self.text += self.newline if piece == "NL" else piece

    def value(self, path: tuple[str, ...], depth: int) -> Any:
        kind = self.draw(st.sampled_from(["scalar", "array", "object", "object"])) if depth else "scalar"
        if kind == "object":
            return self.object(path, depth)
        if kind == "array":
            return self.array(path, depth)
        scalar = self.draw(SCALARS)
        self.text += json.dumps(scalar, ensure_ascii=self.draw(st.booleans()))
        return scalar

    def array(self, path: tuple[str, ...], depth: int, least: int = 0) -> list[Any]:
        result: list[Any] = []
        self.text += "["
        self.gap()
        count = self.draw(st.integers(least, 2))
        for index in range(count):
            # The path of what an array holds is not one that set_value can name: kept out of the members.
            before = len(self.members)
            result.append(self.value(path, depth - 1))
            del self.members[before:]
            self.separator(last=index == count - 1)
        self.text += "]"
        return result

    def object(self, path: tuple[str, ...], depth: int, *, array: bool = False) -> dict[str, Any]:
        result: dict[str, Any] = {}
        self.text += "{"
        self.gap()
        keys = self.draw(st.lists(st.sampled_from(["a", "b", "c.d", "é", 'q"', "🙂"]), max_size=3, unique=True))
        if array:
            keys.insert(self.draw(st.integers(0, len(keys))), "list")
        for index, key in enumerate(keys):
            start = len(self.text)
            self.text += json.dumps(key, ensure_ascii=self.draw(st.booleans()))
            self.gap()
            self.text += ":"
            self.gap()
            value_start = len(self.text)
            below = (*path, key)
            result[key] = self.array(below, depth - 1, 1) if key == "list" else self.value(below, depth - 1)
            self.members.append(Written((*path, key), result[key], start, value_start, len(self.text)))
            self.separator(last=index == len(keys) - 1)
        self.text += "}"
        return result

    def separator(self, *, last: bool) -> None:
        self.gap()
        if not last or self.draw(st.booleans()):
            self.text += ","
            self.gap()


@st.composite
def documents(draw: st.DrawFn, *, array: bool = False) -> Document:
    """Any file; with ``array`` one that has a member, and an array that is not empty."""
    writer = _Writer(draw)
    writer.gap()
    value = writer.object((), 3, array=array)
    writer.gap()
    return Document(writer.text, value, writer.members, writer.comments)


def same(left: object, right: object) -> bool:
    """Equal in value and in type: True is not 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def holders(value: dict[str, Any]) -> list[tuple[str, ...]]:
    """The paths of all objects that set_value can reach."""
    found: list[tuple[str, ...]] = [()]
    for key, item in value.items():
        if isinstance(item, dict):
            found += [(key, *path) for path in holders(item)]
    return found


def inside(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def arrays(value: Any) -> list[tuple[str | int, ...]]:
    """The paths of all arrays, through objects and arrays."""
    steps: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        steps = list(value.items())
    elif isinstance(value, list):
        steps = list(enumerate(value))
    found: list[tuple[str | int, ...]] = [()] if isinstance(value, list) else []
    for step, item in steps:
        found += [(step, *path) for path in arrays(item)]
    return found


@given(documents())
def test_a_generated_file_means_what_was_written(document: Document) -> None:
    assert same(parse(document.text), document.value)


@given(documents(), VALUES, st.data())
@settings(max_examples=150)
def test_a_new_key_comes_in_and_taking_it_out_gives_the_same_bytes(
    document: Document, value: Any, data: st.DataObject
) -> None:
    path = (*data.draw(st.sampled_from(holders(document.value))), "new")
    expected = copy.deepcopy(document.value)
    inside(expected, path[:-1])["new"] = value

    added = set_value(document.text, path, value)

    assert same(parse(added), expected)
    assert unset_value(added, path) == document.text
    assert set_value(added, path, value) == added


@given(documents(array=True), VALUES, st.data())
@settings(max_examples=150)
def test_a_new_last_item_comes_in_and_taking_it_out_gives_the_same_bytes(
    document: Document, value: Any, data: st.DataObject
) -> None:
    paths = arrays(document.value)
    path = data.draw(st.sampled_from(paths))
    expected = copy.deepcopy(document.value)
    inside(expected, path).append(value)

    added = append_value(document.text, path, value)

    assert same(parse(added), expected)
    assert unset_value(added, (*path, len(inside(expected, path)) - 1)) == document.text


@given(documents(array=True), VALUES, st.data())
def test_an_item_of_an_array_is_replaced_and_nothing_around_it(
    document: Document, value: Any, data: st.DataObject
) -> None:
    paths = [path for path in arrays(document.value) if inside(document.value, path)]
    path = data.draw(st.sampled_from(paths))
    expected = copy.deepcopy(document.value)
    at = data.draw(st.integers(0, len(inside(expected, path)) - 1))
    inside(expected, path)[at] = value

    changed = set_value(document.text, (*path, at), value)

    assert same(parse(changed), expected)
    assert same(parse(unset_value(changed, (*path, at))), parse(unset_value(document.text, (*path, at))))


@given(documents(), VALUES, st.data())
def test_missing_objects_are_created_on_the_way(document: Document, value: Any, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(holders(document.value)))
    expected = copy.deepcopy(document.value)
    inside(expected, path)["new"] = {"x": {"y": value}}

    added = set_value(document.text, (*path, "new", "x", "y"), value)

    assert same(parse(added), expected)
    assert unset_value(added, (*path, "new")) == document.text


@given(documents(array=True), VALUES, st.data())
def test_a_changed_value_changes_nothing_around_it(document: Document, value: Any, data: st.DataObject) -> None:
    member = data.draw(st.sampled_from(document.members))

    changed = set_value(document.text, member.path, value)

    assert changed.startswith(document.text[: member.value_start])
    assert changed.endswith(document.text[member.end :])
    written = changed[member.value_start : len(changed) - (len(document.text) - member.end)]
    assert same(parse(written), value)
    if same(member.value, value):
        assert changed == document.text


@given(documents(array=True), st.data())
@settings(max_examples=150)
def test_a_key_goes_out_and_every_comment_and_other_token_stays(document: Document, data: st.DataObject) -> None:
    member = data.draw(st.sampled_from(document.members))
    expected = copy.deepcopy(document.value)
    del inside(expected, member.path[:-1])[member.path[-1]]

    removed = unset_value(document.text, member.path)

    assert same(parse(removed), expected)
    kept = [text for text, at in document.comments if not member.start <= at < member.end]
    places = [removed.find(comment) for comment in kept]
    assert -1 not in places
    assert places == sorted(places)

    def squeezed(text: str) -> str:
        return "".join(text.replace(",", "").split())

    assert squeezed(removed) == squeezed(document.text[: member.start] + document.text[member.end :])
    assert len(document.text) - len(removed) >= member.end - member.start
    assert unset_value(removed, member.path) == removed


@given(VALUES, st.sampled_from([None, 2, 4, "\t"]), NEWLINES)
def test_what_is_written_reads_back_for_us_and_for_every_json_reader(
    value: Any, indent: int | str | None, newline: str
) -> None:
    text = dumps(value, indent, newline=newline)
    assert same(parse(text), value)
    assert same(json.loads(text), value)


@given(st.text('[]{},:"\\ae10-+.tnul/*\n\t ', max_size=14))
@example("[1,]")
@example('{"a":1,,}')
@example("01")
@example("1.")
@example(".5")
@example("-")
@example("1e")
@example("tru")
def test_strict_json_is_read_alike_and_nothing_but_the_named_error_is_raised(text: str) -> None:
    def only_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def ours() -> tuple[object, JsoncError | None]:
        try:
            return parse(text), None
        except JsoncError as error:
            return None, error

    try:
        expected = json.loads(text, object_pairs_hook=only_once)
    except ValueError:
        _, error = ours()
        # What JSONC has beyond JSON: a comment, or a comma before a closing bracket.
        assert error or "/" in text or "," in text
        assert not error or (error.reason and 1 <= error.line <= text.count("\n") + 1 and error.column >= 1)
    else:
        assume("Infinity" not in json.dumps(expected))  # 1e999: refused here
        value, refused = ours()
        assert refused is None
        assert same(value, expected)
