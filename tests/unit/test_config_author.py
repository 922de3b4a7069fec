"""Who a memory's author is (F6a)."""

from __future__ import annotations

import json
import os

import pytest

from engram.config.author import Author, account_name, choose_author, read_authors, set_author
from engram.errors import ConfigError, UsageError

ENVIRON = {"ENGRAM_AUTHOR_NAME": "Env", "ENGRAM_AUTHOR_EMAIL": "env@example.org"}
SAVED = {
    "/shop": Author("Shop", "shop@example.org", "root"),
    "": Author("All", "all@example.org", "all"),
}


def choose(
    environ: dict[str, str] | None = None,
    saved: dict[str, Author] | None = None,
    git: tuple[str, str] = ("Git", "git@example.org"),
    account: str = "ada",
) -> Author:
    return choose_author(
        environ=environ or {}, saved=saved or {}, root="/shop", git=lambda: git, account=lambda: account
    )


def test_the_first_complete_source_is_the_author() -> None:  # F6a
    assert choose(ENVIRON, SAVED) == Author("Env", "env@example.org", "environment")
    assert choose({}, SAVED) == Author("Shop", "shop@example.org", "root")
    assert choose({}, {"": SAVED[""], "/other": SAVED["/shop"]}) == Author("All", "all@example.org", "all")
    assert choose() == Author("Git", "git@example.org", "git")


def test_half_an_author_is_none_and_is_not_mixed_with_another() -> None:
    assert choose({"ENGRAM_AUTHOR_NAME": "Env"}).name == "Git"
    assert choose({**ENVIRON, "ENGRAM_AUTHOR_EMAIL": " "}).name == "Git"
    assert choose(git=("Git", "")) == Author("ada", "", "account")


def test_nobody_is_kept_from_a_first_save_and_the_stopgap_says_so() -> None:
    author = choose(git=("", ""), account="")
    assert author == Author("unknown", "", "account")
    assert author.is_stopgap
    assert not choose().is_stopgap


def test_git_and_the_account_are_asked_only_when_needed() -> None:
    def never() -> str:
        raise AssertionError("asked without need")

    def never_git() -> tuple[str, str]:
        raise AssertionError("asked without need")

    assert choose_author(environ=ENVIRON, saved={}, root="/x", git=never_git, account=never).name == "Env"
    assert choose_author(environ={}, saved=SAVED, root="/shop", git=never_git, account=never).name == "Shop"
    assert choose_author(environ={}, saved={}, root="", git=lambda: ("G", "g@x"), account=never).name == "G"


def test_a_name_stays_on_one_line() -> None:
    author = choose({"ENGRAM_AUTHOR_NAME": " Ada\n---\x1b Lovelace\udc80 ", "ENGRAM_AUTHOR_EMAIL": "a@x"})
    assert author.name == "Ada --- Lovelace"


def test_an_author_that_was_set_is_read_again_for_one_root_and_for_all() -> None:
    text = set_author("", name="All", email="all@example.org", root="")
    text = set_author(text, name="Zoë", email="zoe@example.org", root="/shop")
    assert read_authors(text) == {
        "": Author("All", "all@example.org", "all"),
        "/shop": Author("Zoë", "zoe@example.org", "root"),
    }
    again = set_author(text, name="Ada", email="ada@example.org", root="/shop")
    assert json.loads(again) == {
        "all": {"name": "All", "email": "all@example.org"},
        "roots": {"/shop": {"name": "Ada", "email": "ada@example.org"}},
    }
    assert again.endswith("}\n")


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"all": {"name": "A"}}',
        '{"all": 3, "roots": []}',
        '{"roots": {"/a": {"name": "", "email": "x"}, "/b": null}}',
    ],
)
def test_an_incomplete_entry_does_not_count(text: str) -> None:
    assert read_authors(text) == {}


@pytest.mark.parametrize(
    ("name", "email"),
    [("", "a@x"), (" ", "a@x"), ("A\nB", "a@x"), ("A", ""), ("A", "Ada <a@x>"), ("A", "a x"), ("A\udc80", "a@x")],
)
def test_an_impossible_author_is_refused(name: str, email: str) -> None:
    with pytest.raises(UsageError, match="the author's"):
        set_author("", name=name, email=email, root="")


def test_a_broken_file_is_named_with_its_place_and_never_replaced() -> None:
    with pytest.raises(ConfigError, match=r"/c/author\.json is not valid JSON: line 2, column 1"):
        read_authors("{\n", "/c/author.json")
    for text in ("{\n", "[]", '{"roots": 3}'):
        with pytest.raises(ConfigError, match=r"author\.json"):
            set_author(text, name="A", email="a@x", root="/shop")
    with pytest.raises(UsageError, match="not UTF-8"):
        set_author("", name="A", email="a@x", root="/shop\udc80")


def test_the_account_has_a_name() -> None:
    pytest.importorskip("pwd")
    assert account_name(dict(os.environ))
