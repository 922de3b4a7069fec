"""Titles and ids from texts in every script (F10, F11, F12, K1)."""

from __future__ import annotations

import unicodedata

import pytest

from engram.errors import UsageError
from engram.text.slugs import check_id, fold_id, slug, title_of, unique_slug


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Use pnpm for every install; npm rewrites the lockfile.", "Use pnpm for every install"),
        ("Never deploy on Friday. Ask first.", "Never deploy on Friday"),
        ("Never deploy on Friday!", "Never deploy on Friday"),
        ("价格以分为单位存储。不要用浮点数。", "价格以分为单位存储"),
        ("先迁移；再部署", "先迁移"),
        ("- a bullet\n- another", "a bullet"),
        ("1. First step. Then more", "First step"),
        ("Node.js 20.1 is pinned", "Node.js 20.1 is pinned"),
        ("two\nlines", "two"),
        ("  \n  indented  text ", "indented text"),
        ("...", "..."),
        ("", ""),
    ],
)
def test_the_title_is_the_first_sentence(text: str, title: str) -> None:  # F10
    assert title_of(text) == title


def test_a_long_title_is_cut_at_a_word() -> None:  # F10
    title = title_of("word " * 40)
    assert title == ("word " * 16).strip()


def test_a_long_word_is_cut_hard_but_never_between_a_letter_and_its_mark() -> None:
    text = "क" * 79 + "की" + "क" * 20
    assert title_of(text) == "क" * 79


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Governance: x", "governance-x"),
        ("'type' is x", "type-is-x"),
        ("- dash", "dash"),
        ("用户身份", "用户身份"),
        ("しりとり", "しりとり"),
        ("끝말잇기", "끝말잇기"),
        ("ví dụ", "ví-dụ"),
        ("हिन्दी में नियम", "हिन्दी-में-नियम"),
        ("ภาษาไทยที่นี่", "ภาษาไทยที่นี่"),
        ("C++ & C#", "c-c"),
        ("src/main.py", "src-main-py"),
        ("Straße", "straße"),
        ("❤️ \U0001f600", "memory"),
        ("a\u200bb", "a-b"),
        ("葛\U000e0100", "葛"),
        ("\u3164", "memory"),
        ("../../etc", "etc"),
    ],
)
def test_letters_and_digits_of_every_script_are_kept(title: str, expected: str) -> None:  # F10, K1
    assert slug(title) == expected


@pytest.mark.parametrize("title", ["CON", "nul", "Aux", "PRN", "com1", "LPT9", "COM0", "com¹", "lpt³"])
def test_windows_device_names_are_avoided(title: str) -> None:  # F11, K1
    assert slug(title) == f"{title.lower()}-memory"


def test_a_slug_falls_back_only_where_nothing_is_left() -> None:
    assert slug("!!!", "rule") == "rule"
    assert slug("console", "rule") == "console"


def test_300_letters_and_long_chinese_titles_fit_a_file_name() -> None:  # F10, K1
    assert slug("a" * 300) == "a" * 80
    assert slug("数" * 300) == "数" * 60  # 180 bytes
    assert slug("word-" * 60) == "-".join(["word"] * 16)


def test_cafe_in_nfc_and_nfd_is_one_id() -> None:  # F11, K1
    composed, decomposed = "café", unicodedata.normalize("NFD", "café")
    assert slug(composed) == slug(decomposed) == "café"
    assert fold_id(decomposed) == fold_id("CAFÉ") == "café"


def test_a_clash_gets_a_number() -> None:  # F11
    assert unique_slug("foo", set()) == "foo"
    assert unique_slug("foo", {"foo"}) == "foo-2"
    assert unique_slug("Foo", {"foo", "foo-2"}) == "Foo-3"
    assert unique_slug("a" * 80, {"a" * 80}) == "a" * 78 + "-2"


@pytest.mark.parametrize(
    ("text", "scope", "name"),
    [
        ("use-pnpm", "", "use-pnpm"),
        ("global/use-pnpm", "global", "use-pnpm"),
        ("workspace/Foo bar_2.x", "workspace", "Foo bar_2.x"),
        ("workspace", "", "workspace"),
        (unicodedata.normalize("NFD", "café"), "", "café"),
    ],
)
def test_a_scope_is_taken_off_an_id(text: str, scope: str, name: str) -> None:  # F12
    assert check_id(text) == (scope, name)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ".", "..", "../x", "a/b", "a\\b", "/etc/passwd", "\\\\server\\share", "C:x", "C:\\x", "c:/x", "a:b",
        "a\0b", "a\nb", "a\x1bb", "a\u2028b", "a\u202eb", ".hidden", "global/", "global/../x", "global/workspace/x",
        "workspace//x", "what?", "a*", "a|b", "<a>", '"a"', "a" * 81, "数" * 61,
    ],
)  # fmt: skip
def test_paths_and_hostile_names_are_no_ids(text: str) -> None:  # F12
    with pytest.raises(UsageError) as caught:
        check_id(text)
    assert "is no memory id" in caught.value.message
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("before", range(0, 100, 3))
def test_a_title_is_never_cut_inside_a_marker_of_redaction(before: int) -> None:  # F10
    title = title_of(
        f"{'x' * before} [redacted: personal/phone] is the number that every one of us has to call first now"
    )
    assert title.count("[redacted: personal/phone]") == title.count("["), title
    assert title
