"""Any text that is saved comes back, and any file that is read is written the same (F5, F8, K1)."""

from __future__ import annotations

from datetime import date

import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from engram.errors import FormatError
from engram.markdown.document import parse_document
from engram.markdown.memory import read_memory
from engram.markdown.passages import content_text
from engram.markdown.writing import render_memory, update_document
from engram.model import Memory

LINES = st.sampled_from(
    ["## Origin", "# Title", "## Content", "### Light", "---", "===", "```", "~~~", "<!--", "-->", "<div>", "<pre>",
     "- a", "  b", "* c", "- - -", "1. d", "> e", "    code", "", "", "  ", "\t", "text", "\u2028", "\x0c", "<<<<<<< x",
     "=======", ">>>>>>> y", "[a]: /b", "'c'", "-", "*", "+ ", "- ", "## ", "#", "\\", "|", "a\r## b", "\ufeff",
     "&nbsp;", "a  "]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(LINES, max_size=8).map("\n".join),
    st.lists(LINES, max_size=5).map("\r\n".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60),
    st.text(alphabet="#-=`~<>! \n\r\t\\*ab\u2028", max_size=30),
)
TITLES = st.one_of(TEXTS, st.text(alphabet="#\\ ab\t", max_size=12))
ITEMS = st.lists(TEXTS.filter(bool), max_size=3).map(tuple)


def stored(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def read(data: bytes) -> Memory:
    return read_memory(data, path="rules/a.md", scope="workspace")


@settings(max_examples=500)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
@example("- ---\n## Origin", "## Content", "### Strict", "a\n# b")
def test_every_text_comes_back(content: str, origin: str, variant: str, note: str) -> None:
    variants = tuple((name, text) for name, text in (("Light", variant), ("Strict", note)) if text.strip())
    new = Memory(
        id="a", type="rule", scope="workspace", title="T", content=content, origin=origin, human_note=note,
        variants=variants, authority="instruction",
    )  # fmt: skip
    data = render_memory(new)
    memory = read(data)
    assert content_text(memory.content) == stored(content)
    assert content_text(memory.origin) == stored(origin)
    assert content_text(memory.human_note) == stored(note)
    assert [(name, content_text(text)) for name, text in memory.variants] == [
        (name, stored(text)) for name, text in variants
    ]
    assert parse_document(data).to_bytes() == data == render_memory(new)
    again = new.replace(content=content_text(memory.content), origin=content_text(memory.origin))
    assert render_memory(again) == data


@settings(max_examples=300)
@given(TITLES)
def test_every_title_comes_back(title: str) -> None:
    data = render_memory(Memory(id="a", type="rule", scope="workspace", title=title, content="x"))
    line = " ".join(part.strip(" \t") for part in title.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    assert read(data).title == (line.strip(" \t") or "a")
    assert content_text(read(data).content) == "x"


@settings(max_examples=300)
@given(TEXTS, TEXTS, st.tuples(ITEMS, ITEMS), st.dates(min_value=date(1000, 1, 1)), st.integers(1, 9999))
def test_yaml_reads_the_frontmatter_as_the_same_values(
    name: str, level: str, lists: tuple[tuple[str, ...], tuple[str, ...]], day: date, revision: int
) -> None:
    tags, role = lists
    memory = Memory(
        id="a", type="skill", scope="global", title="T", content="x", author_name=name, level=level, tags=tags,
        role=role, created=day.isoformat(), revision=revision,
    )  # fmt: skip
    data = render_memory(memory)
    front = data.decode().split("\n---\n")[0].removeprefix("---\n")
    loaded = yaml.safe_load(front)
    assert list(loaded) == sorted(loaded)
    assert front.count("\n") + 1 == len(loaded)
    assert loaded == {
        "author_email": "", "author_name": name, "authority": "reference", "confidence": "medium", "created": day,
        "id": "a", "last_confirmed": "", "revision": revision, "schema_version": 3, "scope": "global", "source": "",
        "tags": list(tags), "type": "skill", "updated": "", "valid_from": "",
    } | ({"level": level} if level else {}) | ({"role": list(role)} if role else {})  # fmt: skip
    back = read_memory(data, path="skills/a.md", scope="global")
    assert (back.author_name, back.level, back.tags, back.role) == (name, level, tags, role)


FRONT = st.sampled_from(
    ["id: a", "type: rule", "tags: [a, b]", "tags:\n  - a\n  - b", "# note", "", "x_a: |\n  text\n\n   more",
     "x_b:\n  c: d", "x_c: 'q\n  r'", 'level: "2" # c', "revision: 2", "schema_version: 3", "source: s ",
     "x_d: [1,\n 2]", "author: a@b.c"]
)  # fmt: skip
BODIES = st.lists(LINES, max_size=10).map("\n".join)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Draw a file with some of what people, editors and other tools leave in one."""
    lines = draw(st.lists(FRONT, max_size=6, unique_by=lambda entry: entry.split(":")[0] or id(entry)))
    text = "\n".join(["---", *lines, "---", draw(BODIES)])
    if draw(st.booleans()):
        text = text.replace("\r", "").replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


@settings(max_examples=400)
@given(files().filter(lambda data: b"<<<<<<<" not in data))
def test_a_file_that_is_read_comes_back_byte_for_byte(data: bytes) -> None:
    document = parse_document(data)
    assert document.to_bytes() == data
    normal = document.normalised()
    assert parse_document(normal.to_bytes()) == normal
    assert [entry.value for entry in normal.entries] == [entry.value for entry in document.entries]


@settings(max_examples=300)
@given(files(), st.sampled_from(["id", "level", "tags", "x_b", "zz", "aa"]), TEXTS)
def test_a_change_keeps_every_line_of_the_other_keys(data: bytes, key: str, value: str) -> None:
    try:
        document = parse_document(data)
    except FormatError:
        return
    changed = parse_document(document.with_values({key: value}).to_bytes())
    assert changed.get(key) == value
    assert changed.body == document.body
    assert [e for e in changed.entries if e.key != key] == [e for e in document.entries if e.key != key]
    gone = parse_document(changed.with_values({key: None}).to_bytes())
    assert [e.lines for e in gone.entries] == [e.lines for e in document.entries if e.key != key]


@settings(max_examples=300)
@given(files(), TEXTS)
def test_an_update_reads_back_or_is_refused(data: bytes, text: str) -> None:
    assume(stored(text))
    try:
        before = read(data)
        document = update_document(parse_document(data), {"content": text, "origin": text})
    except FormatError:
        return
    memory = read(document.to_bytes())
    for section in (memory.content, memory.origin):
        assert stored(text) in {section.strip(), content_text(section).strip()}
    assert memory.human_note == before.human_note
    assert memory.extra == before.extra
