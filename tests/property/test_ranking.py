"""For any memories: a file, memory, and changes one by one give the same ranking; strangers do not move it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.index.database import Database
from engram.index.segment import Segment
from engram.index.writing import build, update
from engram.model import Memory
from engram.recall.rank import SIGNALS, Ranking, rank
from engram.recall.typos import changed_at_start, is_neighbour

# Forms of few stems in several languages, names, and scripts without blanks, so that words meet, and slips find them.
WORDS = (
    "deploy", "deployed", "deployment", "gateway", "gateways", "billing", "configure", "configuration", "configured",
    "testing", "tests", "harbour", "kubernetes", "src/main.py", "getUserName", "C++", "résumé", "resume", "facturas",
    "validación", "validar", "para", "los", "the", "of", "用户身份", "部署服务", "しりとり", "ví", "dụ", "running",
)  # fmt: skip
SLIPS = ("deplyo", "gatewey", "gatway", "configred", "harbuor", "kubernets", "testng", "facturs", "runing", "biling")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
tasks = st.lists(st.sampled_from(WORDS + SLIPS), min_size=1, max_size=8).map(" ".join)
fields = st.fixed_dictionaries(
    {
        "title": texts,
        "content": texts,
        "triggers": st.lists(texts, max_size=2).map(tuple),
        "tags": st.lists(st.sampled_from(("deploy", "billing", "task_type:release", "用户")), max_size=2).map(tuple),
        "task_types": st.lists(st.sampled_from(("testing", "onboarding")), max_size=1).map(tuple),
        "confidence": st.sampled_from(("low", "medium", "high")),
        "last_confirmed": st.sampled_from(("", "2026-01-02", "2025-01-02")),
    }
)
several = st.lists(fields, min_size=1, max_size=14)
slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def made(number: int, values: dict[str, Any]) -> tuple[str, str, Memory]:
    memory = Memory(id=f"m-{number:02d}", type="rule", scope="workspace", **values)
    return f"rules/{memory.id}.md", f"{number:064x}", memory


def in_memory(memories: list[tuple[str, str, Memory]]) -> Segment:
    segment = Segment()
    for item in memories:
        segment.add(*item)
    return segment


def shown(ranking: Ranking) -> object:
    """Return everything of a ranking but the numbers that memories have inside an index."""
    hits = [(hit.entry.id, hit.score, hit.reasons) for hit in ranking.hits]
    return hits, ranking.abstained, ranking.corrected, ranking.unknown


@slow
@given(several, st.lists(tasks, min_size=1, max_size=4), st.sets(st.sampled_from(sorted(SIGNALS)), max_size=3))
def test_a_file_and_memory_agree_on_every_score(
    values: list[dict[str, Any]], queries: list[str], without: set[str]
) -> None:  # F3, G2
    memories = [made(number, one) for number, one in enumerate(values)]
    segment = in_memory(memories)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "index.db")
        build(path, memories)
        with Database(path) as index:
            for task in queries:
                assert shown(rank([index], task, without=without)) == shown(rank([segment], task, without=without))
                assert shown(rank([index, segment], task)) == shown(rank([segment, index], task))


@slow
@given(several, several, st.lists(tasks, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_changes_in_any_order_end_where_a_rebuild_ends(
    before: list[dict[str, Any]], after: list[dict[str, Any]], queries: list[str], chance: Any
) -> None:  # G2
    old = [made(number, one) for number, one in enumerate(before)]
    new = [made(number, one) for number, one in enumerate(after)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "index.db")
        build(path, old)
        names = {item[0]: item for item in new}
        changes = sorted({item[0] for item in old} | names.keys())
        chance.shuffle(changes)
        while changes:
            some = [changes.pop() for _ in range(min(len(changes), chance.randrange(1, 4)))]
            update(path, some, [names[name] for name in some if name in names])
        segment = in_memory(new)
        with Database(path) as index:
            assert (index.count, index.length) == (segment.count, segment.length)
            for task in queries:
                assert shown(rank([index], task)) == shown(rank([segment], task))


@slow
@given(several, tasks)
def test_a_memory_without_a_word_of_the_task_does_not_move_the_ranking(
    values: list[dict[str, Any]], task: str
) -> None:  # G3
    # Where the count of memories does not step: 15 and 16 are one step, and so is the average length here.
    filled = [*values, *[values[0]] * (15 - len(values))]
    memories = [made(number, one) for number, one in enumerate(filled)]
    average = sum(row.length for row in in_memory(memories).rows) // len(memories)
    stranger = Memory(id="zz", type="rule", scope="workspace", title="", content=" ".join(["pelican"] * average))
    old, new = in_memory(memories), in_memory([*memories, ("rules/zz.md", "", stranger)])
    from engram.recall.score import nearest_step

    if nearest_step(old.length / old.count) == nearest_step(new.length / new.count):
        assert shown(rank([old], task)) == shown(rank([new], task))


@slow
@given(st.text(max_size=300))
def test_any_text_is_a_task(task: str) -> None:  # H2
    segment = in_memory([made(1, {"title": "deploy", "content": "用户身份 résumé"})])
    assert isinstance(rank([segment], task), Ranking)


def test_processes_with_other_hash_seeds_rank_alike() -> None:  # G2
    code = (
        "from tests.property.test_ranking import *\n"
        "import random\n"
        "rng = random.Random(3)\n"
        "word = lambda: rng.choice(WORDS)\n"
        "some = [made(n, dict(title=word(), content=' '.join(word() for _ in range(12)))) for n in range(90)]\n"
        "for task in ('deployed gatewey 用户 facturas', 'configred runing tests for the résumé'):\n"
        "    print(shown(rank([in_memory(some)], task)))\n"
    )
    project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    outputs = set()
    for seed in ("0", "1", "2", "77"):
        path = os.pathsep.join([project, os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=env, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert "m-" in outputs.pop()


@given(st.text(alphabet="abcñ", min_size=4, max_size=7))
def test_guesses_and_comparison_together_know_every_word_at_one_edit_and_no_other(word: str) -> None:
    letters = "abc" + "ñ" * ("ñ" in word)
    edits = {word[:at] + word[at + 1 :] for at in range(len(word))}
    edits |= {word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    edits |= {word[:at] + letter + word[at + 1 :] for at in range(len(word)) for letter in letters}
    edits |= {word[:at] + letter + word[at:] for at in range(len(word) + 1) for letter in letters}
    edits.discard(word)
    guessed = set(changed_at_start(word, 3))
    assert {other for other in guessed if set(other) <= set("abcñ")} <= edits
    assert {other for other in edits if other not in guessed and not other.startswith(word[:3])} == set()
    strangers = {other + "aa" for other in edits} | {other[::-1] for other in edits} | {word}
    for other in edits | strangers:
        assert is_neighbour(word, other, letters) == (other in edits), other
