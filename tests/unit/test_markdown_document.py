"""One memory file, lossless: what is read, what is refused, what a change leaves alone (F5, F7, F8, F9)."""

from __future__ import annotations

import os

import pytest

from engram.errors import FormatError
from engram.markdown.document import parse_document
from engram.model import MAX_BYTES

CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases", "legacy-root")
ROOT = os.path.join(CASES, ".agents", ".engram")
FILES = (
    "rules/use-pnpm-for-every-install.md",
    "skills/skill-cut-a-release.md",
    "knowledge/prices-are-integers-in-cents.md",
    "knowledge/orders-are-eventually-consistent.md",
)


def case(path: str) -> bytes:
    with open(os.path.join(ROOT, *path.split("/")), "rb") as file:
        return file.read()


@pytest.mark.parametrize("path", FILES)
def test_files_of_every_schema_come_back_byte_for_byte(path: str) -> None:  # F7, F8
    data = case(path)
    document = parse_document(data, path)
    assert document.to_bytes() == data
    assert document.with_values({entry.key: entry.value for entry in document.entries}).to_bytes() == data
    assert document.with_title(document.title()).to_bytes() == data
    for section in document.sections():
        assert document.with_section(section.name, section.text).to_bytes() == data


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf---\nid: a\n---\nbody",
        b"---\r\nid: a\r\n---\r\n\r\n# A\r\n",
        b"---\r\nid: a\ntype: rule\r\n---\n# A\r\n",
        b"---\nid: a\n---",
        b"---\n---\n",
        b"---\n\n---\n",
        b"---  \nid: a\n--- \t\n",
        b"---\nid: a\n---\n---\nid: b\n---\nbody\n",
        b"---\nid: a\n---\n\x0c\xe2\x80\xa8 a\rb",
        b"---\nid: a\n---\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n",
    ],
)
def test_what_is_read_comes_back_byte_for_byte(data: bytes) -> None:  # F9, K2
    assert parse_document(data).to_bytes() == data


def test_a_second_block_is_body() -> None:  # F9
    document = parse_document(b"---\nid: a\n---\n---\nid: b\n---\n")
    assert document.get("id") == "a"
    assert document.body == "---\nid: b\n---\n"


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"", 0, "empty"),
        (b"\n\n", 1, "no frontmatter"),
        (b"# Title\n\n- text\n", 1, "no frontmatter"),
        (b"----\nid: a\n---\n", 1, "no frontmatter"),
        (b"---", 1, "no frontmatter"),
        (b"---\nid: a\n", 1, "never closed"),
        (b"---\nid: a\n----\n", 1, "never closed"),
        (b"---\nid: \xff\n---\n", 2, "UTF-8"),
        (b"---\nid: a\n---\n\n\xc3", 5, "UTF-8"),
        (b"---\nid: a\n---\na\0b\n", 4, "NUL"),
        (b"---\nid: a\n---\n" + b"x" * MAX_BYTES, 0, "bytes"),
        (b"---\nid: &x a\n---\n", 2, "anchors"),
        (b"---\nid: a\nid: b\n---\n", 3, "twice"),
        (b"<<<<<<< HEAD\n---\nid: a\n=======\n---\nid: b\n>>>>>>> x\n---\n", 1, "conflict"),
        (b"---\n<<<<<<< HEAD\nid: a\n=======\nid: b\n>>>>>>> x\n---\n", 2, "conflict"),
        (b"---\nid: a\n---\n# A\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n", 6, "conflict"),
        (b"---\r\nid: a\r\n---\r\n<<<<<<< HEAD\r\n- a\r\n=======\r\n- b\r\n>>>>>>> x\r\n", 4, "conflict"),
        (b"---\nid: a\n---\n<<<<<<< HEAD\n```\na\n=======\nb\n>>>>>>> x\n```\n", 4, "conflict"),
    ],
)
def test_what_is_refused_names_line_and_reason(data: bytes, line: int, reason: str) -> None:  # F9, J3, K2
    with pytest.raises(FormatError) as caught:
        parse_document(data, "rules/a.md")
    assert (caught.value.path, caught.value.line) == ("rules/a.md", line)
    assert reason in caught.value.message


SOURCE = b"""---
# whose it is
author_name:   "Mara Quint" # quoted
id: a
tags: [ x,
  y ]

x_team:
  name: b   # kept
# at the end
---

# A

intro

## Content

- one

## Notes
- kept
"""


def test_a_change_touches_only_the_lines_of_its_key() -> None:  # F5, F8
    changed = parse_document(SOURCE).with_values({"id": "b", "tags": ("x", "y"), "author_name": "Mara Quint"})
    assert changed.to_bytes() == SOURCE.replace(b"id: a", b"id: b")


def test_new_keys_go_in_at_their_sorted_place() -> None:  # F5
    changed = parse_document(SOURCE).with_values({"level": "2", "a": "1", "z": ("p", "q: r")})
    assert changed.to_bytes() == (
        SOURCE.replace(b"# whose", b'a: "1"\n# whose')
        .replace(b"tags:", b'level: "2"\ntags:')
        .replace(b"# at the end", b'z: [p, "q: r"]\n# at the end')
    )


def test_a_key_that_goes_leaves_the_comments_above_it() -> None:  # F8
    changed = parse_document(SOURCE).with_values({"author_name": None, "tags": None, "absent": None})
    assert changed.to_bytes() == SOURCE.replace(b'author_name:   "Mara Quint" # quoted\n', b"").replace(
        b"tags: [ x,\n  y ]\n", b""
    )


def test_a_change_in_a_file_with_crlf_keeps_its_line_ends() -> None:  # F7
    data = case("knowledge/prices-are-integers-in-cents.md")
    changed = parse_document(data).with_values({"updated": "2026-12-01", "valid_until": "2026-12-31"})
    changed = changed.with_section("Content", "- New\n- Two").with_section("Origin", "A reason.")
    assert changed.to_bytes() == data.replace(
        b"updated: 2025-12-01\r\n", b"updated: 2026-12-01\r\nvalid_until: 2026-12-31\r\n"
    ).replace(
        b"- Prices are stored as integers in cents; floats lost 0.01 in March.\r\n",
        b"- New\r\n- Two\r\n\r\n## Origin\r\n\r\nA reason.\r\n",
    )


def test_a_section_is_replaced_and_the_others_stay() -> None:  # F5
    changed = parse_document(SOURCE).with_section("content", "new\n\ntext")
    assert changed.to_bytes() == SOURCE.replace(b"- one", b"new\n\ntext")


def test_a_new_section_goes_in_at_its_place() -> None:  # F5
    document = parse_document(b"---\nid: a\n---\n\n# A\n\n## Content\n\n- a\n\n## Human Note\n\nb")
    changed = document.with_section("Origin", "why").with_section("Rule Variants", "### Light\n\nx")
    assert [s.name for s in changed.sections()] == ["Content", "Rule Variants", "Origin", "Human Note"]
    assert changed.body.endswith("- a\n\n## Rule Variants\n\n### Light\n\nx\n\n## Origin\n\nwhy\n\n## Human Note\n\nb")
    assert document.with_section("Origin", "").to_bytes() == document.to_bytes()


def test_a_new_section_at_the_end_of_a_file_without_a_final_line_end() -> None:
    changed = parse_document(b"---\nid: a\n---").with_section("Content", "- a").with_section("Origin", "b")
    assert changed.to_bytes() == b"---\nid: a\n---\n\n## Content\n\n- a\n\n## Origin\n\nb\n"


def test_an_empty_text_takes_a_section_out() -> None:
    document = parse_document(SOURCE)
    assert document.with_section("Content", "").to_bytes() == SOURCE.replace(b"## Content\n\n- one\n\n", b"")
    assert document.with_section("Notes", "").to_bytes() == SOURCE.replace(b"\n## Notes\n- kept\n", b"")


def test_a_text_that_would_leave_its_section_is_refused() -> None:
    document = parse_document(SOURCE)
    for text in ("a\n\n## Origin\n\nb", "```\nnever closed", "<!-- never closed"):
        with pytest.raises(FormatError):
            document.with_section("Content", text)
    with pytest.raises(FormatError, match="cannot be written") as caught:
        parse_document(b"---\nid: a\n---\n## Content\n```\nopen\n").with_section("Origin", "b")
    assert "code fence" in caught.value.hint


def test_headings_in_code_are_no_sections() -> None:  # F5
    body = "# A\n\n## Content\n\n```md\n## Origin\n```\n\n    ## Origin\n\n## Origin\n\nreal\n"
    document = parse_document(f"---\nid: a\n---\n{body}".encode())
    assert [(s.name, s.line) for s in document.sections()] == [("Content", 2), ("Origin", 10)]


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Plain", "# Plain"),
        ("C#", "# C#"),
        ("Use C #", "# Use C \\#"),
        ("# Hash", "# \\# Hash"),
        ("#", "# \\#"),
        ("##", "# \\##"),
        ("a \\#", "# a \\\\#"),
        ("a\\b", "# a\\b"),
        ("a\\\\b", "# a\\\\\\b"),
        ("two\nlines", "# two lines"),
    ],
)
def test_a_title_reads_back_the_same(title: str, line: str) -> None:  # F5, K1
    document = parse_document(SOURCE).with_title(title)
    assert document.to_bytes() == SOURCE.replace(b"# A\n", f"{line}\n".encode())
    assert document.title() == title.replace("\n", " ")


def test_a_title_goes_in_where_there_was_none() -> None:
    assert parse_document(b"---\nid: a\n---\n\ntext\n").with_title("T").body == "\n# T\n\ntext\n"
    assert parse_document(b"---\nid: a\n---\n").with_title("T").body == "\n# T\n"
    assert parse_document(b"---\nid: a\n---\n\nOld\n===\n\ntext\n").with_title("T").body == "\n# T\n\ntext\n"


def test_normalised_is_how_engram_writes() -> None:  # F5
    data = case("knowledge/prices-are-integers-in-cents.md")
    expected = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    assert parse_document(data).normalised().to_bytes() == expected
    assert parse_document(data[:-2]).normalised().to_bytes() == expected


def test_a_document_that_grew_too_large_is_refused() -> None:  # B2, F9
    document = parse_document(SOURCE).with_section("Content", "x" * MAX_BYTES)
    with pytest.raises(FormatError, match="bytes"):
        document.to_bytes()
    for text in ("a\0b", "a\ud800b"):
        with pytest.raises(FormatError):
            parse_document(SOURCE).with_section("Content", text).to_bytes()
