from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engram.errors import NotFoundError, UsageError
from engram.model import Memory
from engram.proposals.candidates import Candidate
from engram.proposals.languages.english import ENGLISH
from engram.proposals.languages.spanish import SPANISH
from engram.proposals.verdicts import Verdict, judge, normalise

if TYPE_CHECKING:
    from engram.proposals.languages.tables import Language


def memory(id: str, content: str, **fields: str) -> Memory:  # noqa: A002
    return Memory(id, "rule", "workspace", "A title", content).replace(**fields)


PNPM = memory("use-pnpm", "- Use pnpm for every install; npm rewrites the lockfile that CI checks.")
CENTS = memory("prices", "Prices are stored as integers in cents.")
FRIDAY = memory("Café-deploys", "- Deploy on Tuesdays.\n- Tag the merge commit.")
ALL = [PNPM, CENTS, FRIDAY]


@pytest.mark.parametrize(
    "text",
    [
        "Prices are stored as integers in cents.",
        "  prices ARE stored\n as   integers in cents !",
        "- Prices are stored as integers in cents",
    ],
)
def test_the_same_text_saved_again_is_a_noop(text: str) -> None:  # F20, I2
    verdict = judge(Candidate("rule", text, title="Another title"), ALL)
    assert (verdict.word, verdict.id, verdict.related) == ("NOOP", "prices", ())
    assert verdict.line() == "Verdict: NOOP duplicate of prices"


def test_one_bullet_of_a_list_of_statements_is_a_noop() -> None:  # F20
    assert judge(Candidate("rule", "Tag the merge commit"), ALL).id == "Café-deploys"


def test_a_bullet_under_a_sentence_says_nothing_by_itself() -> None:  # F20: a swallowed memory is lost
    about = memory("crane", "For crane 17:\n- The limit is 3 tons.")
    assert judge(Candidate("rule", "The limit is 3 tons."), [about]).word == "ADD"


def test_nfc_and_nfd_are_one_text() -> None:  # F20, K1
    assert (
        judge(Candidate("", "El cafe\u0301 se sirve a las nueve"), [memory("x", "El café se sirve a las nueve.")]).word
        == "NOOP"
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Prices are stored as integers in dollars.", "SUPERSEDE"),
        ("Prices are stored as integers in cents since May.", "UPDATE"),
        ("Prices are shown with two decimals.", "ADD"),
    ],
)
def test_another_text_is_no_noop(text: str, word: str) -> None:  # F20
    assert judge(Candidate("rule", text), ALL).word == word


def test_noop_is_judged_before_an_explicit_update() -> None:  # F20
    candidate = Candidate("rule", "Prices are stored as integers in cents", update="use-pnpm")
    assert judge(candidate, ALL).line() == "Verdict: NOOP duplicate of prices"


def test_an_explicit_update_names_the_memory_as_it_is_spelt_on_disk() -> None:  # F11, F20
    verdict = judge(Candidate("rule", "Deploy on Mondays.", update="workspace/CAFE\u0301-DEPLOYS"), ALL)
    assert verdict.line() == "Verdict: UPDATE Café-deploys"


def test_an_explicit_supersedes_replaces() -> None:  # F20
    verdict = judge(Candidate("rule", "Use bun for every install.", supersedes="use-pnpm"), ALL)
    assert (verdict.word, verdict.id, verdict.related) == ("SUPERSEDE", "use-pnpm", ())
    assert verdict.line() == "Verdict: SUPERSEDE use-pnpm"


@pytest.mark.parametrize("name", ["use-pnmp", "global/use-pnpm"])
def test_a_target_that_is_not_there_is_an_error_with_the_closest_ids(name: str) -> None:  # C37
    with pytest.raises(NotFoundError, match=name) as caught:
        judge(Candidate("rule", "Use bun.", update=name), ALL)
    assert "use-pnpm" in caught.value.hint
    assert caught.value.details == {"closest": ["use-pnpm"]}


def test_a_target_that_is_no_id_is_a_usage_error() -> None:  # F12
    with pytest.raises(UsageError):
        judge(Candidate("rule", "Use bun.", supersedes="../use-pnpm"), ALL)


def test_an_add_shows_the_nearest_memories_at_most_three() -> None:  # F20
    near = [memory(f"m{n}", f"The retry limit for {'very ' * n}large uploads is 1.") for n in range(5)]
    verdict = judge(Candidate("rule", "The retry limit for uploads is 3."), [*near, CENTS])
    assert (verdict.word, verdict.line()) == ("ADD", "Verdict: ADD")
    assert verdict.related == ("m0", "m1", "m2")
    assert "m0" not in verdict.reason, "the related ones have a line of their own"


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("The billing amber gateway waits 30 seconds.", "The billing cobalt gateway waits 30 seconds."),
        ("Crane 17 lifts 3 tons.", "Crane 18 lifts 3 tons."),
        ("17号吊车可以吊3吨。", "18号吊车可以吊3吨。"),
        ("La grúa 17 levanta 3 toneladas.", "La grúa 18 levanta 3 toneladas."),
    ],
)
def test_two_names_or_numbers_are_two_subjects_and_never_related(stored: str, text: str) -> None:  # F20
    assert judge(Candidate("rule", text), [memory("m", stored)]) == Verdict("ADD", "", "no memory says this yet")


def test_nothing_in_common_is_a_plain_add() -> None:
    assert judge(Candidate("rule", "Cranes rest at night."), ALL) == Verdict("ADD", "", "no memory says this yet", ())
    assert judge(Candidate("rule", "Anything."), []).word == "ADD"


def test_the_order_of_the_memories_changes_nothing() -> None:  # C42
    twins = [memory("b", "Same text."), memory("a", "Same text."), memory("c", "Same text, or near to it.")]
    candidate = Candidate("rule", "same text")
    assert judge(candidate, twins) == judge(candidate, twins[::-1])
    assert judge(candidate, twins).id == "a"


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("Use X.", "use  x", True),
        ("STRASSE", "straße", True),
        ("用 pnpm。", "用 pnpm", True),
        ("- a\n- b", "* a\n* b", True),
        ("```diff\n- a\n```", "```diff\na\n```", False),
        ("- a\n+ b", "+ a\n- b", False),
        ("!", "?", False),
        ("Use C++", "Use C", False),
        ("Never x", "Always x", False),
    ],
)
def test_normalise_folds_writing_and_keeps_meaning(left: str, right: str, same: bool) -> None:  # F20
    assert (normalise(left) == normalise(right)) is same


@pytest.mark.parametrize("language", [ENGLISH, SPANISH], ids=["en", "es"])
@pytest.mark.parametrize("table", ["choose", "settle", "stays", "verbs", "attributes", "grants"])
def test_every_word_of_a_table_is_found_by_its_key(language: Language, table: str) -> None:
    key = language.key if table == "attributes" else language.loose
    words = [word for some in getattr(language, table)._words.values() for word in some]
    assert words
    assert [word for word in words if key(word) not in getattr(language, table)] == []
    assert "xyzzy" not in getattr(language, table)
