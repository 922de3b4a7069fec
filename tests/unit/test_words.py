"""Words, stems and stop words: what a person types is what is found."""

from __future__ import annotations

import pytest

from engram.text.stems import english, russian, singulars, spanish
from engram.text.stop import language, stop_words
from engram.text.terms import variants
from engram.text.words import fold, words


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("C++ and C#", ["c++", "c", "and", "c#", "c"]),
        (".NET", [".net", "net"]),
        ("don't", ["don't"]),
        ("the user’s", ["the", "user"]),
        ("gen-itgc", ["genitgc", "gen", "itgc"]),
        ("src/main.py", ["src/main.py", "main.py", "src", "main", "py"]),
        ("getHTMLParser", ["gethtmlparser", "get", "html", "parser"]),
        ("snake_case", ["snakecase", "snake", "case"]),
        ("Python 3.11", ["python", "3.11"]),
        ("node.js", ["node.js", "node", "js"]),
        ("重跑gen-itgc后50条", ["重跑", "genitgc", "gen", "itgc", "后", "50", "条"]),
        ("用户身份", ["用户", "户身", "身份"]),
        ("しりとり", ["しり", "りと", "とり"]),
        ("끝말잇기", ["끝말", "말잇", "잇기"]),
        ("ví dụ", ["ví", "dụ"]),
        ("ＡＢＣ", ["abc"]),
        ('"unbalanced NEAR( * AND', ["unbalanced", "near", "and"]),
        ("", []),
        ("-- '' ... ++ /", []),
    ],
)
def test_names_stay_whole_and_their_parts_are_words_too(text: str, kept: list[str]) -> None:  # H1, H2
    assert words(text) == kept


def test_a_soft_hyphen_does_not_break_a_word() -> None:
    assert words("con\u00adfigure") == ["configure"]


def test_diacritics_come_off_only_where_the_letter_stays_the_same() -> None:  # H4
    assert [fold(word) for word in ("résumé", "đường", "が", "straße")] == ["resume", "duong", "が", "strasse"]


@pytest.mark.parametrize(
    ("forms", "stem"),
    [
        (("test", "tests", "tested", "testing"), "test"),
        (("configure", "configured", "configurations"), "configur"),
        (("policy", "policies"), "polici"),
        (("hop", "hopping", "hopped"), "hop"),
        (("hope", "hoping"), "hope"),
        (("index", "indexes", "indices"), "index"),
    ],
)
def test_english_forms_of_a_word_meet(forms: tuple[str, ...], stem: str) -> None:  # H4
    assert {english(form) for form in forms} == {stem}


@pytest.mark.parametrize(
    "forms",
    [("factura", "facturas"), ("validar", "validado", "validación"), ("luz", "luces"), ("jugador", "jugadores")],
)
def test_spanish_forms_of_a_word_meet(forms: tuple[str, ...]) -> None:
    assert len({spanish(form) for form in forms}) == 1


def test_words_that_are_content_elsewhere_are_stop_words_only_in_their_language() -> None:
    assert "sin" not in stop_words(["numpy", "sin", "function"])
    assert "sin" in stop_words(["pruebas", "sin", "que", "la", "base"])


@pytest.mark.parametrize(
    "forms",
    [
        ("сервер", "сервера", "серверов", "серверами", "серверы"),
        ("база", "базы", "базу", "базой", "базам"),
        ("новый", "новая", "новые", "нового", "новых"),
    ],
)
def test_russian_forms_of_a_word_meet(forms: tuple[str, ...]) -> None:
    assert len({russian(form) for form in forms}) == 1


def test_a_short_russian_word_and_words_of_other_scripts_keep_their_ends() -> None:
    assert [russian(word) for word in ("код", "дом", "用户", "tests", "α")] == ["код", "дом", "用户", "tests", "α"]


def test_plurals_that_change_a_vowel_lead_to_their_singular_and_other_words_to_none() -> None:
    plurals = {"häuser": "haus", "bäume": "baum", "wörtern": "wort", "journaux": "journal", "bureaux": "bureau"}
    assert {word: singulars(word) for word in plurals} == {word: (single,) for word, single in plurals.items()}
    assert [singulars(word) for word in ("über", "für", "faux", "deploy", "用户")] == [()] * 5


def test_a_query_without_function_words_is_read_with_both_stems() -> None:
    assert language(["validar", "facturas"]) == ""
    assert [term for term, _ in variants("facturas", "")] == ["factura", "factur"]
    assert [term for term, _ in variants("facturas", "en")] == ["factura"]


def test_a_word_with_diacritics_is_looked_for_without_them_too_but_counts_less() -> None:  # H4
    found = dict(variants("résumé", "en"))
    assert found["résumé"] == 1.0
    assert found["resum"] < 1.0
