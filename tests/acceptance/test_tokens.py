"""G: what a host pays for: nothing is given twice, and the same task gives the same bytes.

====  ==========================================================================================================
G1    test_a_prompt_brings_what_it_needs_once_in_a_session, test_the_same_prompt_twice_is_empty_in_every_host
G2    test_the_same_task_gives_the_same_bytes_in_every_process, test_a_server_gives_the_bytes_of_the_command
G3    test_a_memory_that_shares_no_word_changes_no_pack
====  ==========================================================================================================
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.conftest import Runner
    from tests.contract.conftest import Host, Memories

TASK = "install a dependency with pnpm"


@pytest.fixture
def filled(memories: Memories) -> Memories:
    """Return a memory of seventy memories: the count of documents enters in steps, and no step is near."""
    memories.add("rule", "use-pnpm", "- Use pnpm for every install; npm rewrites the lockfile.", title="Use pnpm")
    memories.add("knowledge", "prices", "- Prices are integers in cents.", title="Prices")
    memories.add("skill", "release", "- Install with pnpm, run all tests, then tag.", depends_on="[use-pnpm]")
    text = (memories.root / "knowledge" / "prices.md").read_text(encoding="utf-8")
    for number in range(67):
        new = text.replace("prices", f"ware-{number}").replace("Prices are integers in cents", f"Crate {number} is wet")
        (memories.root / "knowledge" / f"ware-{number}.md").write_text(new, encoding="utf-8", newline="\n")
    memories.approve()
    return memories


def ask(engram: Runner, host: str, payload: Mapping[str, object]) -> str:
    """Run the hook of a host, and return what it prints."""
    return engram.ok("hook", host, input=json.dumps({"cwd": str(engram.cwd), **payload}))


def prompt(engram: Runner, text: str, session: str = "one") -> str:
    """Return what Claude Code injects with a prompt."""
    said = ask(engram, "claude", {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text})
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""


def test_a_prompt_brings_what_it_needs_once_in_a_session(engram: Runner, filled: Memories) -> None:  # G1
    first = prompt(engram, TASK)
    assert 'id="use-pnpm"' in first
    assert prompt(engram, TASK) == ""
    assert prompt(engram, f"{TASK}!") == "", "another prompt that needs the same"
    assert prompt(engram, TASK, "two") == first
    assert 'id="prices"' in prompt(engram, "are prices integers in cents?")


# A host, the event of a prompt with its own names, and whether its empty answer is an empty object.
PROMPTS = [
    ("claude", {"session_id": "one", "hook_event_name": "UserPromptSubmit", "prompt": TASK}, ""),
    ("codex", {"session_id": "one", "hook_event_name": "UserPromptSubmit", "prompt": TASK}, ""),
    ("gemini", {"session_id": "one", "hook_event_name": "BeforeAgent", "prompt": TASK}, "{}\n"),
]


@pytest.mark.parametrize(("host", "payload", "empty"), PROMPTS, ids=[host for host, _, _ in PROMPTS])
def test_the_same_prompt_twice_is_empty_in_every_host(
    engram: Runner, filled: Memories, host: str, payload: dict[str, object], empty: str
) -> None:  # G1
    assert "use-pnpm" in ask(engram, host, payload)
    assert ask(engram, host, payload) == empty
    assert ask(engram, host, payload) == empty


def test_the_same_task_gives_the_same_bytes_in_every_process(engram: Runner, filled: Memories) -> None:  # G2, C35
    first = engram.ok("load", TASK, env={"PYTHONHASHSEED": "1"})
    assert 'id="use-pnpm"' in first
    for file in filled.root.rglob("*.md"):
        file.touch()
    assert engram.ok("load", TASK, env={"PYTHONHASHSEED": "2"}) == first
    assert engram.ok("load", TASK, env={"TZ": "UTC", "LC_ALL": "C"}) == first
    shutil.rmtree(filled.root / ".cache")
    assert engram.ok("load", TASK) == first, "with a new index"
    assert prompt(engram, TASK, "one") == prompt(engram, TASK, "two")


def test_a_server_gives_the_bytes_of_the_command(
    engram: Runner, serve: Callable[..., Host], filled: Memories
) -> None:  # G2
    packs = {host.data("engram_load", query=TASK)["text"] for host in (serve(), serve(PYTHONHASHSEED="7"))}
    packs.add(engram.json("load", TASK)["data"]["text"])
    assert len(packs) == 1


@pytest.mark.parametrize("text", ["Pelicans nest on cliffs.", "火山每年喷发一次。", "word " * 40, "x1 y2 z3"])
def test_a_memory_that_shares_no_word_changes_no_pack(engram: Runner, filled: Memories, text: str) -> None:  # G3
    before = {task: engram.ok("load", task) for task in (TASK, "run all tests", "prices in cents")}
    engram.save("knowledge", text, "--title", "Pelican volcano")
    assert {task: engram.ok("load", task) for task in before} == before
    archived = engram.json("list")["data"]["memories"]
    assert any(memory["id"] == "pelican-volcano" for memory in archived)
