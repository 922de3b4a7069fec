"""What holds for every verdict: order changes nothing, writing changes nothing, and no contradiction is an UPDATE."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Literal

from benchmarks.verdicts import load
from hypothesis import given
from hypothesis import strategies as st

from engram.model import Memory
from engram.proposals.candidates import Candidate
from engram.proposals.verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

TEXTS = sorted({memory["text"] for pair in load() for memory in pair["memories"]} | {pair["text"] for pair in load()})

# Sentences with a place for a number that counts; each with its unit.
COUNTED = (
    "The retry limit for uploads is {}.",
    "Keep backups for {} days.",
    "El límite de reintentos es {}.",
    "Guarda las copias durante {} días.",
    "重试上限为{}次。",
    "备份保留{}天。",
    "Giới hạn thử lại là {} lần.",
)
REASONS = (
    " because the proxy buffers",
    "; two people asked for it",
    " porque lo pide la auditoría",
    "，因为代理会缓冲",
    ".",
)
# A sentence that asks, and the one that forbids the same.
TURNED = (
    ("Always deploy on Friday", "Never deploy on Friday"),
    ("Commit generated files", "Do not commit generated files"),
    ("Siempre despliega en viernes", "Nunca despliegues en viernes"),
    ("Hay que firmar los commits", "No hay que firmar los commits"),
    ("必须在周五部署", "不要在周五部署"),
    ("允许直接推送到主分支", "禁止直接推送到主分支"),
)


def memory(number: int, text: str) -> Memory:
    return Memory(f"m{number:02}", "rule", "workspace", "A title", text)


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6), st.sampled_from(TEXTS), st.randoms())
def test_the_order_of_the_memories_changes_nothing(texts: list[str], text: str, random: Random) -> None:  # F20, C42
    memories = [memory(number, text) for number, text in enumerate(texts)]
    shuffled = memories[:]
    random.shuffle(shuffled)
    candidate = Candidate("rule", text)
    assert judge(candidate, memories) == judge(candidate, shuffled)


@given(
    st.sampled_from(TEXTS),
    st.sampled_from(["NFC", "NFD"]),
    st.sampled_from([str, str.upper, str.lower, str.title]),
    st.sampled_from(["", ".", "!", "。", " …", " . "]),
    st.sampled_from([" ", "  ", "\t", "\n"]),
)
def test_case_blanks_end_marks_and_unicode_forms_make_no_new_text(
    text: str, form: Literal["NFC", "NFD"], case: Callable[[str], str], end: str, blank: str
) -> None:  # I2, K1
    again = unicodedata.normalize(form, case(text.rstrip(".。!") + end).replace(" ", blank))
    folded = unicodedata.normalize("NFC", text).casefold()
    if unicodedata.normalize("NFC", case(text)).casefold() != folded:
        return  # a letter whose capital is two letters
    assert judge(Candidate("rule", again), [memory(1, text)]).word == "NOOP"


@given(
    st.sampled_from(COUNTED),
    st.integers(2, 900),
    st.integers(2, 900),
    st.sampled_from(REASONS),
)
def test_another_number_is_never_an_update(sentence: str, old: int, new: int, reason: str) -> None:  # F20
    text = sentence.format(new).rstrip(".。") + reason
    verdict = judge(Candidate("rule", text), [memory(1, sentence.format(old))])
    if old == new:
        assert verdict.word in {"UPDATE", "NOOP", "ADD"}
    else:
        assert verdict.word in {"SUPERSEDE", "ADD"}


@given(st.sampled_from(TURNED), st.booleans(), st.sampled_from(REASONS))
def test_the_opposite_is_never_an_update_or_a_duplicate(pair: tuple[str, str], turn: bool, reason: str) -> None:  # I4
    old, new = reversed(pair) if turn else pair
    assert judge(Candidate("rule", new + reason), [memory(1, old)]).word in {"SUPERSEDE", "ADD"}
    assert judge(Candidate("rule", new), [memory(1, old)]).word == "SUPERSEDE"


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_gets_a_verdict_and_the_same_one_twice(stored: str, text: str) -> None:  # F20
    memories = [memory(1, stored)]
    assert judge(Candidate("rule", text), memories) == judge(Candidate("rule", text), memories)
