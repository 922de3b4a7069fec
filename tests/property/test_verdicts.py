"""What holds for every verdict: order changes nothing, writing changes nothing, and no contradiction is an UPDATE."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Literal

from benchmarks.verdicts import load
from hypothesis import example, given
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


@example("- Pin the base image", "NFC", str, "", "\t")
@example("- Pin the base image", "NFC", str, "", "\n")
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


# Sentences about one of several things; whatever stands for its name, two names are two subjects.
NAMED = (
    "Always check {}.", "Never touch {}.", "Note about {}: be careful.", "The {} service uses Redis.",
    "The {} gateway waits 30 seconds.", "The owner of {} is Ana.", "The key for {} is in Vault.",
    "Logs of {} are kept 30 days.", "For {}, use integers.", "When {} fails, page Ana.", "Restart {} after a deploy.",
    "Ask {} before a release.", "Give {} access to the repo.", "Store {} in Postgres.", "Only admins may edit {}.",
    "Team {} owns search.", "{} is deprecated.", "La pasarela {} espera 30 segundos.", "Reinicia {} tras desplegar.",
    "Nunca toques {}.", "La clave de {} está en Vault.", "Para {}, usa enteros.", "{}网关等待30秒。", "部署后重启{}。",
    "不要修改{}。", "{}的密钥存放在Vault。", "把{}翻译成法语。",
)  # fmt: skip
NAMES = ("amber", "Cobalt", "orders", "B", "A", "billing amber", "src/a.py", "users_table", "a3f9c2", "Kiwi", "琥珀")
NUMBERED = (
    "Fact number {} holds.", "Memory {} of process 2.", "Note {}: something to remember.", "This is memory {}.",
    "Rule {}: always check the input.", "Crane {} lifts 3 tons.", "Ticket {} is about search.",
    "Use lib-{} for parsing.",
    "Writer A keeps line {}.", "Run step {} before the deploy.", "Never delete user {}.", "Build {} failed.",
    "La grúa {} levanta 3 toneladas.", "Regla número {}.", "La factura {} está pendiente.", "{}号吊车可以吊3吨。",
    "第{}条规则。", "这是第{}条记忆。", "事实编号{}。", "发票{}未付款。",
)  # fmt: skip


@given(st.sampled_from(NAMED), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_another_name_is_another_subject(sentence: str, old: str, new: str) -> None:  # F20
    verdict = judge(Candidate("rule", sentence.format(new)), [memory(1, sentence.format(old))])
    assert verdict.word == ("NOOP" if old == new else "ADD")


@given(st.sampled_from(NUMBERED), st.integers(0, 5000), st.integers(0, 5000))
def test_another_number_that_is_a_name_is_another_subject(sentence: str, old: int, new: int) -> None:  # F20
    verdict = judge(Candidate("rule", sentence.format(new)), [memory(1, sentence.format(old))])
    assert (verdict.word, verdict.related) == ("NOOP" if old == new else "ADD", ())
