"""The ranking as a person meets it: what is found, in which order, and when nothing is."""

from __future__ import annotations

import pytest

from engram.index.segment import Segment
from engram.model import Memory
from engram.recall.rank import SIGNALS, Ranking, rank

FILLER = (
    "invoices are archived after a year",
    "the mailer retries three times with a pause",
    "thumbnails are rendered by a worker pool",
    "currency is rounded half to even",
    "feature flags live in one table",
    "search suggestions come from the nightly job",
    "sessions expire after thirty minutes",
    "reports are exported as plain text",
    "the sidebar keeps its width",
    "uploads are scanned before they are stored",
)


def memory(memory_id: str, title: str = "", content: str = "", **more: object) -> Memory:
    return Memory(id=memory_id, type="rule", scope="workspace", title=title, content=content, **more)  # type: ignore[arg-type]


def indexed(*memories: Memory, filler: bool = True) -> Segment:
    segment = Segment()
    both = [*memories, *(memory(f"filler-{number}", content=text) for number, text in enumerate(FILLER) if filler)]
    for one in both:
        segment.add(f"rules/{one.id}.md", "", one)
    return segment


def found(segment: Segment, task: str, **options: object) -> list[str]:
    return [hit.entry.id for hit in rank([segment], task, **options).hits]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stored", "task"),
    [
        ("系统中的用户身份由网关校验", "用户身份"),
        ("しりとりのルールを説明する", "しりとり"),
        ("끝말잇기 게임의 규칙", "끝말잇기"),
        ("Thêm ví dụ cho mỗi quy tắc", "ví dụ"),
        ("重跑gen-itgc后50条", "itgc"),
        ("Send the résumé to the parser", "resume parser"),
        ("A resume is parsed once", "résumé"),
        ("Write a test for each bug", "tests"),
        ("Kubernetes ingress needs a class", "kubernets ingress"),
        ("Kubernetes ingress needs a class", "kubrenetes"),
        ("Use C++ only in the codec", "C++ codec"),
        ("Entry point is src/main.py", "src/main.py"),
        ("A multi-agent run has one lead", "multiagent"),
        ("文件锁由操作系统给出", "锁"),
        ("Validar las facturas con el esquema de pagos", "validación de factura"),
    ],
)
def test_what_was_stored_in_any_script_is_found(stored: str, task: str) -> None:  # H1, H4
    assert found(indexed(memory("wanted", content=stored)), task)[:1] == ["wanted"]


@pytest.mark.parametrize(
    "task", ["", " ", "*", "NEAR(", '"unbalanced', "a AND", "AND OR NOT", "\x00", "don't", "(" * 500, "x" * 10_000]
)
def test_no_text_is_an_error(task: str) -> None:  # H2
    assert isinstance(rank([indexed()], task), Ranking)


def test_of_a_very_long_task_the_end_counts() -> None:  # H2, C59c
    task = "lorem ipsum dolor " * 2000 + "where do the thumbnails come from?"
    assert found(indexed(), task)[:1] == ["filler-2"]


@pytest.mark.parametrize("task", ["purple monkey dishwasher", "¿Cuándo florecen los cerezos?", "月亮为什么是红色的？"])
def test_nonsense_gets_nothing_and_a_reason(task: str) -> None:  # H3
    ranking = rank([indexed()], task)
    assert ranking.hits == ()
    assert ranking.abstained


def test_one_common_word_of_a_long_task_is_not_enough() -> None:  # H3
    many = [memory(f"m-{number}", content=f"the spring service number {number} restarts") for number in range(30)]
    task = "book a romantic weekend with my girlfriend in lisbon this spring"
    ranking = rank([indexed(*many)], task)
    assert (ranking.hits, ranking.abstained) == ((), "the nearest memory shares only spring with it")
    assert rank([indexed(*many)], task, without={"floor"}).hits


def test_the_order_of_indexing_does_not_show() -> None:  # G2
    memories = [memory(f"m-{number}", content="the harbour gateway") for number in range(20)]
    forward, backward = indexed(*memories), indexed(*reversed(memories))
    assert rank([forward], "harbour gateway").hits[0].entry.id == "m-0"
    assert found(forward, "harbour gateway") == found(backward, "harbour gateway")


def test_a_memory_that_shares_no_word_with_the_task_does_not_move_its_pack() -> None:  # G3
    before = [
        memory("a", content="harbour gateway rules"),
        memory("b", content="the gateway of the harbour opens late"),
    ]
    unrelated = memory("z", content="pelicans nest on cliffs")
    old, new = indexed(*before), indexed(*before, unrelated)
    assert [(hit.entry.id, hit.score) for hit in rank([old], "harbour gateway").hits] == [
        (hit.entry.id, hit.score) for hit in rank([new], "harbour gateway").hits
    ]


def test_of_equals_the_one_confirmed_last_comes_first() -> None:
    old = memory("a-old", content="harbour gateway", last_confirmed="2025-01-01")
    new = memory("z-new", content="harbour gateway", last_confirmed="2026-01-01")
    assert found(indexed(old, new), "harbour gateway") == ["z-new", "a-old"]
    assert found(indexed(old, new), "harbour gateway", without={"recency"}) == ["a-old", "z-new"]


def test_low_confidence_comes_last() -> None:
    sure = memory("sure", content="the harbour has a gateway somewhere in its long text", confidence="high")
    unsure = memory("unsure", title="Harbour gateway", content="harbour gateway", confidence="low")
    assert found(indexed(sure, unsure), "harbour gateway") == ["sure", "unsure"]
    assert found(indexed(sure, unsure), "harbour gateway", without={"confidence"}) == ["unsure", "sure"]


def test_a_memory_that_must_not_be_routed_is_named_with_the_reason() -> None:
    segment = indexed(memory("old", content="harbour gateway", superseded_by="new"), memory("new", content="harbour"))
    ranking = rank([segment], "harbour gateway", leave_out=lambda entry: entry.superseded_by and "superseded")
    assert [hit.entry.id for hit in ranking.hits] == ["new"]
    assert [(entry.id, why) for entry, why in ranking.left_out] == [("old", "superseded")]


def test_whole_triggers_and_tags_and_phrases_are_reasons() -> None:
    one = memory("one", content="harbour gateway opens late", triggers=("harbour gateway", "other"), tags=("late",))
    reasons = {signal for signal, _, _ in rank([indexed(one)], "the harbour gateway is late").hits[0].reasons}
    assert {"word", "phrase", "triggers", "tags"} <= reasons


def test_a_correction_is_said() -> None:
    ranking = rank([indexed(memory("k", content="Kubernetes ingress"))], "kubernets ingress")
    assert ranking.corrected == (("kubernets", "kubernetes"),)


@pytest.mark.parametrize("signal", sorted(SIGNALS))
def test_a_signal_that_is_off_gives_no_reason(signal: str) -> None:
    one = memory("one", content="harbour src/gate.py opens late", triggers=("harbour",), tags=("late",))
    for hit in rank([indexed(one)], "harbour src/gate.py opens lete late", without={signal}).hits:
        assert signal not in {name for name, _, _ in hit.reasons}


def test_the_workspace_comes_before_the_global_memory_where_they_are_equal() -> None:
    here, everywhere = indexed(memory("z", content="harbour gateway")), indexed(memory("a", content="harbour gateway"))
    hits = rank([here, everywhere], "harbour gateway").hits
    assert [(hit.source, hit.entry.id) for hit in hits] == [(0, "z"), (1, "a")]


def test_a_memory_of_256_kib_is_found_and_does_not_hide_the_short_ones() -> None:
    rest = "the quick harbour ledger closes every evening after the last ship has left\n"
    long = memory("long", content=("pelican " + rest * (256 * 1024 // len(rest)))[: 256 * 1024 - 9] + " cormoran")
    segment = indexed(long, memory("short", title="Harbour ledger", content="the harbour ledger closes at six"))
    assert found(segment, "pelican") == ["long"]
    assert found(segment, "cormoran") == ["long"]
    assert set(found(segment, "when does the harbour ledger close?")) == {"short", "long"}


@pytest.mark.parametrize("operator", ["AND", "OR", "NOT", "NEAR(", "title:", "*", '"', "^", "-", "(", "\x00", "';--"])
def test_operators_in_a_task_change_nothing(operator: str) -> None:  # H2
    asked = f"thumbnails {operator} rendered"
    assert found(indexed(), asked) == found(indexed(), "thumbnails rendered") == ["filler-2"]
