"""Memories from files of schemas 1 to 3, and new files (F5, F6, F7, F17, K1, K2)."""

from __future__ import annotations

import os

import pytest

from engram.errors import FormatError
from engram.markdown.archive import archive_bytes, read_archived
from engram.markdown.document import parse_document
from engram.markdown.memory import read_memory
from engram.markdown.passages import content_text
from engram.markdown.writing import render_memory, update_document
from engram.model import MAX_BYTES, Memory

CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases", "legacy-root")
ROOT = os.path.join(CASES, ".agents", ".engram")


def case(path: str) -> bytes:
    with open(os.path.join(ROOT, *path.split("/")), "rb") as file:
        return file.read()


def load(path: str) -> Memory:
    return read_memory(case(path), path=path, scope="workspace")


def read(text: str, path: str = "rules/a.md") -> Memory:
    return read_memory(text.encode(), path=path, scope="workspace")


def refused(text: str, path: str = "rules/a.md") -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text, path)
    assert caught.value.path == path
    return caught.value


PNPM = Memory(
    id="use-pnpm-for-every-install",
    type="rule",
    scope="workspace",
    title="Use pnpm for every install",
    content="- Use pnpm for every install; npm rewrites the lockfile that CI checks.",
    authority="instruction",
    tags=("task_type:configuration", "pnpm", "install", "lockfile"),
    triggers=("install", "dependency", "lockfile"),
    confidence="high",
    source="manual",
    revision=2,
    schema=3,
    created="2026-05-11",
    updated="2026-06-02",
    valid_from="2026-05-11",
    last_confirmed="2026-06-02",
    author_name="Mara Quint",
    author_email="mara@example.test",
    origin="Two broken CI runs in May came from a package-lock.json that nobody meant to add.",
    variants=(
        ("Light", "Reach for pnpm when you add a package."),
        ("Balanced", "Use pnpm for every install."),
        ("Strict", "Stop before any npm or yarn install and use pnpm instead."),
    ),
)


def test_schema_3_is_read_whole() -> None:  # F6
    assert load("rules/use-pnpm-for-every-install.md") == PNPM


def test_schema_2_is_read() -> None:  # F7
    assert load("skills/skill-cut-a-release.md") == Memory(
        id="skill-cut-a-release",
        type="skill",
        scope="workspace",
        title="Cut a release",
        content="- Run the whole test suite.\n"
        "- Move the Unreleased section of CHANGELOG.md under the new version.\n"
        "- Tag the merge commit, never the branch tip.",
        authority="instruction",
        tags=("task_type:release", "release", "tag", "changelog"),
        depends_on=("use-pnpm-for-every-install",),
        level="advanced",
        confidence="medium",
        source="manual",
        schema=2,
        created="2026-02-20",
        updated="2026-02-20",
        author_email="mara@example.test",
    )


def test_schema_1_is_read_with_its_sections_and_unknown_keys() -> None:  # F7, F8
    assert load("knowledge/orders-are-eventually-consistent.md") == Memory(
        id="orders-are-eventually-consistent",
        type="knowledge",
        scope="workspace",
        title="Orders are eventually consistent",
        content="- The orders list is a read model that lags the write model by up to four seconds.",
        authority="reference",
        tags=("orders", "consistency", "read-model"),
        confidence="high",
        source="manual",
        schema=1,
        created="2025-11-03",
        updated="2025-11-03",
        author_email="tomas@example.test",
        context="Support keeps asking why an order is missing right after checkout.",
        example="A test that reads an order straight after creating it has to poll.",
        extra=(("x_team", "fulfilment"),),
    )


def test_a_byte_order_mark_and_crlf_are_read() -> None:  # F9, K2
    memory = load("knowledge/prices-are-integers-in-cents.md")
    assert memory.title == "Prices are integers in cents"
    assert memory.content == "- Prices are stored as integers in cents; floats lost 0.01 in March."


def test_the_file_name_is_the_identity() -> None:
    memory = read("---\nid: other\n---\n", "skills/sub/Cafe\u0301 1.md")
    assert (memory.id, memory.title, memory.type) == ("Café 1", "Café 1", "skill")


@pytest.mark.parametrize(
    ("given", "path", "kind", "authority"),
    [
        ("type: rule", "knowledge/a.md", "rule", "instruction"),
        ("type: workflow", "rules/a.md", "skill", "instruction"),
        ("type: Knowledge", "rules/a.md", "knowledge", "reference"),
        ("x: y", "skills/deep/a.md", "skill", "instruction"),
        ("x: y", "rules/a.md", "rule", "instruction"),
        ("x: y", "a.md", "knowledge", "reference"),
        ("authority: reference", "rules/a.md", "rule", "reference"),
    ],
)
def test_the_type_comes_from_the_file_or_its_folder(given: str, path: str, kind: str, authority: str) -> None:  # F6
    memory = read(f"---\n{given}\n---\n", path)
    assert (memory.type, memory.authority) == (kind, authority)


@pytest.mark.parametrize(
    ("given", "line", "reason"),
    [
        ("schema_version: 4", 3, "newer than this Engram"),
        ("schema_version: three", 3, "number"),
        ("schema_version: 0", 3, "number"),
        ("revision: 0", 3, "number"),
        ("revision: -1", 3, "number"),
        ("revision: [1]", 3, "number"),
        ("revision:", 3, "number"),
        ("type: policy", 3, "none of"),
        ("id: ../../etc/passwd", 3, "path"),
        ("id: 'C:\\x'", 3, "drive"),
    ],
)
def test_a_file_that_cannot_be_a_memory_names_the_line(given: str, line: int, reason: str) -> None:  # F8, F12
    error = refused(f"---\n# note\n{given}\n---\n")
    assert (error.line, reason in error.message) == (line, True), error.message


@pytest.mark.parametrize("path", ["rules/.hidden.md", "rules/a\nb.md", "rules/" + "a" * 81 + ".md", "rules/.md"])
def test_a_file_name_that_is_no_id_is_refused(path: str) -> None:  # F12
    assert "name of the file" in refused("---\ntype: rule\n---\n", path).message


def test_lists_may_be_texts_and_texts_lists() -> None:
    memory = read("---\ntags: a, b\nrole: dev\nsupersedes: old\nparent: [p]\ntriggers:\n  - x\nlifecycle: odd\n---\n")
    assert (memory.tags, memory.role, memory.supersedes) == (("a", "b"), ("dev",), ("old",))
    assert (memory.parent, memory.triggers, memory.lifecycle) == ("p", ("x",), "odd")


def test_keys_that_have_no_field_are_kept_as_text() -> None:  # F8
    memory = read("---\nevidence_refs: [tr_1, 'a, b']\nobjective: x\nx:\n  y: z\n---\n")
    assert memory.extra == (("evidence_refs", '[tr_1, "a, b"]'), ("objective", "x"), ("x", "  y: z"))


@pytest.mark.parametrize(
    ("body", "title", "content"),
    [
        ("# Rule: T\n\n## Content\n\na\n", "T", "a"),
        ("T\n===\n\n## content\n\na\n", "T", "a"),
        ("# A \\#\n\ntext\n\n## Notes\n\nmore\n\n## Origin\n\nwhy", "A #", "text\n\n## Notes\n\nmore"),
        ("text only", "a", "text only"),
        ("## Content\n\n    code\n\n# Late\n", "a", "    code\n\n# Late"),
        ("# T\n\n## Content\n", "T", ""),
        ("", "a", ""),
        ("---\nid: b\n---\n# T\n\n## Content\n\nb\n\n## Content\n\nc", "T", "b"),
    ],
)
def test_title_and_content_are_found(body: str, title: str, content: str) -> None:  # F5, F7
    memory = read(f"---\ntype: rule\n---\n{body}")
    assert (memory.title, memory.content) == (title, content)


def test_a_prefix_in_a_title_is_text_in_schema_3() -> None:  # F7
    assert read("---\nschema_version: 3\n---\n# Skill: T\n").title == "Skill: T"


def test_a_new_file_is_the_public_format() -> None:  # F5, F6
    data = render_memory(PNPM.replace(content=content_text(PNPM.content)))
    assert data == case("rules/use-pnpm-for-every-install.md").replace(b'"Mara Quint"', b"Mara Quint")


def test_a_small_file_has_every_key_of_schema_3() -> None:  # F6
    memory = Memory(id="a", type="knowledge", scope="global", title="", content="Text.")
    assert render_memory(memory).decode() == (
        '---\nauthor_email: ""\nauthor_name: ""\nauthority: reference\nconfidence: medium\ncreated: ""\nid: a\n'
        'last_confirmed: ""\nrevision: 1\nschema_version: 3\nscope: global\nsource: ""\ntags: []\ntype: knowledge\n'
        'updated: ""\nvalid_from: ""\n---\n\n# a\n\n## Content\n\n- Text.\n'
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("one line", "- one line"),
        ("- dash", "- - dash"),
        ("---", "* ---"),
        ("a\n\nb", "a\n\nb"),
        ("- a\n- b", "- a\n- b"),
        ("- a\n  b", "- - a\n    b"),
        ("### fine\n\ntext", "### fine\n\ntext"),
        ("a\n## Origin\n\nb", "- a\n  ## Origin\n\n  b"),
        ("---\n# x", "* ---\n  # x"),
        ("```\nopen", "- ```\n  open"),
        ("```\nshut\n```", "```\nshut\n```"),
        ("<!--\nopen", "- <!--\n  open"),
        ("x\n<<<<<<< a\n=======\n>>>>>>> b", "- x\n  <<<<<<< a\n  =======\n  >>>>>>> b"),
        ("a\r\n# b\rc", "- a\n  # b\n  c"),
    ],
)
def test_no_line_of_a_text_becomes_a_section(text: str, written: str) -> None:  # F5
    new = Memory(id="a", type="rule", scope="workspace", title="T", content=text, origin="why")
    memory = read_memory(render_memory(new), path="rules/a.md", scope="workspace")
    assert memory.content == written
    assert content_text(memory.content) == text.replace("\r\n", "\n").replace("\r", "\n")
    assert memory.origin == "why"


def test_what_no_file_may_hold_is_never_written() -> None:  # B2, F9
    memory = Memory(id="a", type="rule", scope="workspace", title="T", content="x")
    for text, reason in (("x" * MAX_BYTES, "bytes"), ("a\0b", "NUL"), ("a\ud800", "surrogate")):
        with pytest.raises(FormatError, match=reason):
            render_memory(memory.replace(content=text))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("- a", "a"),
        ("* a\n  b\n\n  c", "a\nb\n\nc"),
        ("- a\n- b", "- a\n- b"),
        ("a", "a"),
        ("- - -", "- - -"),
        ("", ""),
    ],
)
def test_a_single_bullet_is_unwrapped(content: str, text: str) -> None:
    assert content_text(content) == text


def test_an_update_of_schema_3_keeps_what_it_does_not_change() -> None:  # F5, F8
    data = case("rules/use-pnpm-for-every-install.md").replace(b"\n---\n\n", b"\nx_team:\n  a: b\n---\n\n")
    changes: dict[str, object] = {
        "content": "- New.\n- Two.",
        "revision": 3,
        "updated": "2026-07-01",
        "tags": PNPM.tags,
        "human_note": "Said so.",
        "supersedes": ("old",),
        "triggers": (),
    }
    changed = update_document(parse_document(data), changes).to_bytes()
    assert (
        changed
        == data.replace(b"- Use pnpm for every install; npm rewrites the lockfile that CI checks.", b"- New.\n- Two.")
        .replace(b"revision: 2", b"revision: 3")
        .replace(b"updated: 2026-06-02", b"updated: 2026-07-01")
        .replace(b"triggers: [install, dependency, lockfile]\n", b"")
        .replace(b"tags:", b"supersedes: [old]\ntags:")
        + b"\n## Human Note\n\nSaid so.\n"
    )


def test_an_update_of_an_old_schema_changes_only_what_it_says() -> None:  # F7
    data = case("knowledge/prices-are-integers-in-cents.md")
    changes: dict[str, object] = {
        "updated": "2026-07-01",
        "revision": 2,
        "last_confirmed": "2026-07-01",
        "author_name": "New",
        "lifecycle": "superseded",
        "superseded_by": "b",
        "title": "Prices",
    }
    changed = update_document(parse_document(data), changes).to_bytes()
    assert changed == data.replace(b"updated: 2025-12-01", b"updated: 2026-07-01").replace(
        b"scope:", b"lifecycle: superseded\r\nscope:"
    ).replace(b"tags:", b"superseded_by: b\r\ntags:").replace(b"# Prices are integers in cents", b"# Prices")


def test_an_update_keeps_the_prefix_of_an_old_title() -> None:  # F7
    data = case("skills/skill-cut-a-release.md")
    changed = update_document(parse_document(data), {"title": "Cut it"}).to_bytes()
    assert changed == data.replace(b"# Skill: Cut a release", b"# Skill: Cut it")


def test_an_update_with_the_same_values_changes_nothing() -> None:  # F5, F7
    for path in ("rules/use-pnpm-for-every-install.md", "skills/skill-cut-a-release.md"):
        memory = load(path)
        same = {name: value for name, value in memory.as_dict().items() if name not in {"schema", "extra", "named"}}
        assert update_document(parse_document(case(path)), same).to_bytes() == case(path)


def test_an_update_of_loose_content_replaces_it() -> None:
    data = b"---\nschema_version: 3\n---\n\n# T\n\nold\n\n## Origin\n\nwhy\n"
    changed = update_document(parse_document(data), {"content": "new"}).to_bytes()
    assert changed == b"---\nschema_version: 3\n---\n\n# T\n\n## Content\n\n- new\n\n## Origin\n\nwhy\n"


@pytest.mark.parametrize("below", ["", "\n", "\n\nNo heading of level 3.\n", "\n#### Light\n\n- deeper\n"])
def test_a_section_of_variants_that_names_none_is_read(below: str) -> None:  # F8
    memory = read_memory(b"---\nid: a\n---\n## Rule Variants" + below.encode(), path="rules/a.md", scope="workspace")
    assert memory.variants == ()


def test_a_change_of_variants_keeps_their_order() -> None:  # F5
    changes = {"variants": (("Strict", "s"), ("light", "## l"))}
    changed = update_document(parse_document(render_memory(PNPM)), changes)
    memory = read_memory(changed.to_bytes(), path="rules/a.md", scope="workspace")
    assert memory.variants == (("Light", "- ## l"), ("Strict", "s"))
    assert update_document(changed, {"variants": ()}).outline().section("Rule Variants") is None


def test_only_fields_of_a_memory_can_be_changed() -> None:
    document = parse_document(b"---\nid: a\n---\n")
    with pytest.raises(TypeError, match="colour"):
        update_document(document, {"colour": "red"})
    changed = update_document(document, {"evidence_refs": ("tr_1",)})
    assert changed.to_bytes() == b"---\nevidence_refs: [tr_1]\nid: a\n---\n"


def test_an_archived_file_is_its_old_bytes_under_a_header() -> None:  # F17
    data = case("archive/2026-03-02/knowledge/build-runs-on-node-16.md")
    header, inner = read_archived(data)
    assert header == {
        "archived": "2026-03-02",
        "original": "workspace:knowledge/build-runs-on-node-16.md",
        "reason": "the build moved to Node 20",
    }
    assert archive_bytes(inner, date="2026-03-02", original=header["original"], reason=header["reason"]) == data
    assert (
        read_memory(inner, path="knowledge/build-runs-on-node-16.md", scope="workspace").title
        == "Build runs on Node 16"
    )


@pytest.mark.parametrize("inner", [b"", b"\xef\xbb\xbf---\r\n", b"\nx", b"<!-- Reason: other -->\n\nx", b"\xff\0"])
def test_no_reason_ends_the_header(inner: bytes) -> None:  # F17
    reason = "--> \n\n---\nid: x\n--!> use --frozen-lockfile \x1b[1m"
    data = archive_bytes(inner, date="2026-01-02", original="rules/a--b.md", reason=reason)
    head = data[: len(data) - len(inner)].decode()
    assert head.count("-->") == 3
    assert head.count("\n") == 4
    header, after = read_archived(data)
    assert after == inner
    assert header["original"] == "rules/a--b.md"
    assert header["reason"] == "-- > --- id: x --! > use --frozen-lockfile [1m"


def test_a_header_of_another_writer_is_read() -> None:  # F17
    assert read_archived(b"<!-- Archived 2026-01-02 -->\r\n<!-- Original: a -->\r\n\r\nx") == (
        {"archived": "2026-01-02", "original": "a"},
        b"x",
    )
    with pytest.raises(FormatError, match="header"):
        read_archived(b"---\nid: a\n---\n")
