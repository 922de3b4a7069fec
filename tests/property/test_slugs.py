"""Ids are fit for every file system, whatever the title is (F10, F11, F12)."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from engram.errors import UsageError
from engram.text.slugs import MAX_ID_BYTES, MAX_ID_CHARS, check_id, fold_id, slug, title_of, unique_slug

TEXTS = st.text(max_size=200)


@given(TEXTS)
def test_a_slug_keeps_its_limits_and_is_an_id(title: str) -> None:
    result = slug(title)
    assert 0 < len(result) <= MAX_ID_CHARS
    assert len(result.encode()) <= MAX_ID_BYTES
    assert not result.startswith("-")
    assert not result.endswith(("-", "."))
    assert "--" not in result
    assert check_id(result) == ("", result)


@given(TEXTS)
def test_a_slug_is_nfc_and_stable(title: str) -> None:
    result = slug(title)
    assert unicodedata.is_normalized("NFC", result)
    assert slug(unicodedata.normalize("NFD", title)) == slug(unicodedata.normalize("NFC", title))
    assert slug(result) == result


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["x", "X y", "a" * 300, "数" * 90, "é", "e\u0301", "CON", "?"]), max_size=12))
def test_unique_slugs_never_clash_on_any_file_system(titles: list[str]) -> None:
    taken: set[str] = set()
    for title in titles:
        result = unique_slug(slug(title), taken)
        assert fold_id(result) not in taken
        assert len(result) <= MAX_ID_CHARS
        assert len(result.encode()) <= MAX_ID_BYTES
        taken.add(fold_id(result))


@given(TEXTS)
def test_a_title_is_one_line_of_at_most_80_characters(text: str) -> None:
    title = title_of(text)
    assert len(title) <= 80
    assert title == " ".join(title.split())
    assert bool(title) == bool(text.strip())


@given(st.text(alphabet="ab-/\\.:CON <>\0\u202e\u0301", max_size=12))
def test_an_id_that_passes_is_no_path(text: str) -> None:
    try:
        _, name = check_id(text)
    except UsageError:
        return
    assert name.strip()
    assert not name.startswith(".")
    assert not set(name) & set("/\\:\0<>\u202e")
