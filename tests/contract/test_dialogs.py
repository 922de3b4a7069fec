"""Approval in the host's own dialog, in both eras: what is asked, and what becomes of every answer (C43a, C45 to C53).

Each test that takes ``era`` runs twice: with a legacy client, which is asked while its call waits, and with a modern
one, which calls again with its answer.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.conftest import CAPABILITIES_KEY, installed_server
from tests.contract.people import (
    FORMS,
    THREE,
    THREE_IDS,
    Legacy,
    Modern,
    book_of,
    data_of,
    everything_in,
    failure_of,
    inbox_of,
    lines,
    names_in,
    saved,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Runner, Scratch
    from tests.contract.conftest import Host, Memories, Message

    Era = Legacy | Modern

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(os.path.dirname(ROOT), "shared", "tools")
CLIENTS = os.path.join(ROOT, "tests", "cases", "clients")
# Python ends without writing what a file's buffer still holds while a thread of replay.py has it in hand.
LINE_BY_LINE = (
    "import builtins, runpy, sys; plain = builtins.open; del sys.argv[0]; "
    "builtins.open = lambda *a, **k: plain(*a, **k, **({'buffering': 1} if 'w' in a else {})); "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
DECLINED = "approval was declined in the approval dialog"
NOTHING = "nothing was saved"
STORED = "Uploads go through the queue with three workers."
NEAR = "Uploads of images go through the small queue."


@pytest.fixture(params=[Legacy, Modern], ids=["legacy", "modern"])
def client(request: pytest.FixtureRequest, serve: Callable[..., Host], memories: Memories) -> Callable[..., Era]:
    """Return a function that starts a server and connects a client of one era to it."""
    kind: type[Era] = request.param

    def connect(*words: str, name: str = "tests", env: dict[str, str] | None = None, **capabilities: Message) -> Era:
        return kind(serve(*words, **({"env": env} if env else {})), name, **(capabilities or FORMS))

    assert names_in(memories.root) == []
    return connect


@pytest.fixture
def era(client: Callable[..., Era]) -> Era:
    """Return a client that shows forms."""
    return client()


def token_of(result: Message) -> str:
    """Return the token of a proposal."""
    token: str = data_of(result)["approval_token"]
    return token


# Who is asked, and what: C22, C45, C46, C53


def test_a_form_has_a_box_for_each_candidate_and_no_memory_text(era: Era, memories: Memories) -> None:  # C45, C46
    memories.add("rule", "the-oven", "- The oven is cleaned with vinegar.")
    memories.add("rule", "the-door", "- The door stays open.")
    dialog = era.ask(
        "engram_save_session",
        text="TYPE: rule | TEXT: Soda works too. | UPDATE: the-oven\n"
        "TYPE: rule | TEXT: The gate is locked. | SUPERSEDES: the-door | CONTEXT: A thief came.\n"
        "TYPE: knowledge | TEXT: Mice like cheese. They come at night.",
    )

    assert dialog.boxes == ["candidate_1", "candidate_2", "candidate_3"]
    titles = [dialog.fields[box]["title"] for box in dialog.boxes]
    assert titles == [
        "1. UPDATE the-oven (the-oven)", "2. SUPERSEDE the-door (the-gate-is-locked)", "3. ADD (mice-like-cheese)",
    ]  # fmt: skip
    assert dialog.fields["scope"]["enum"] == ["workspace"]
    assert "engram review" in dialog.message
    shown = json.dumps(dialog.params)
    for text in ("Soda", "gate is", "thief", "Mice like", "at night", "vinegar"):
        assert text not in shown


def test_a_form_is_flat_so_that_every_revision_can_show_it(era: Era) -> None:  # C46
    schema = era.ask("engram_save", text="Bake the bread.").params["requestedSchema"]

    assert set(schema) == {"type", "properties", "required"}
    for field in schema["properties"].values():
        assert field["type"] in {"boolean", "string"}
        assert not {"anyOf", "oneOf", "$ref", "properties", "items"} & set(field)


@pytest.mark.parametrize("capabilities", [{"roots": {}}, {"elicitation": {"url": {}}}, {"sampling": {}}], ids=str)
def test_a_client_that_declares_no_forms_is_never_asked(
    client: Callable[..., Era], memories: Memories, capabilities: Message
) -> None:  # C22, C53
    era = client(**capabilities)
    result = era.call("engram_save_session", text=THREE)

    assert text_of(result).startswith("Proposed, not saved")
    assert saved(era.call("engram_commit", approval_token=token_of(result), approve="all")) == THREE_IDS


def test_no_elicitation_keeps_the_token_flow(client: Callable[..., Era], memories: Memories) -> None:  # C13, C53
    era = client("--no-elicitation", name="codex-mcp-client")
    result = era.call("engram_save_session", text=THREE)

    assert text_of(result).startswith("Proposed, not saved")
    assert saved(era.call("engram_commit", approval_token=token_of(result), approve="all")) == THREE_IDS


def test_the_eras_may_come_interleaved_in_one_process(serve: Callable[..., Host], memories: Memories) -> None:  # C16
    host = serve()
    legacy, modern = Legacy(host), Modern(host)
    first = modern.ask("engram_save", text="Bake the bread.")
    second = legacy.ask("engram_save", text="Count the stars.")

    assert saved(first.accept()) == ["bake-the-bread"]
    assert saved(second.accept()) == ["count-the-stars"]


def test_more_than_twenty_candidates_take_the_token_flow(era: Era, memories: Memories) -> None:  # C46
    many = [f"Lamp {n} hangs over table {n * 7}." for n in range(21)]
    result = era.call("engram_save_session", text=lines(*many))

    assert len(data_of(result)["candidates"]) == 21
    assert token_of(result)
    dialog = era.ask("engram_save_session", text=lines(*many[:20]))
    assert len(dialog.boxes) == 20
    assert len(saved(dialog.accept())) == 20


# Answers: C47 to C49


def test_accept_writes_exactly_the_ticked_ones(era: Era, memories: Memories, engram: Runner) -> None:  # C47
    result = era.ask("engram_save_session", text=THREE).accept("candidate_1", "candidate_3")

    assert saved(result) == names_in(memories.root) == [THREE_IDS[0], THREE_IDS[2]]
    assert "approval_token" not in json.dumps(result)
    assert [row["number"] for row in data_of(result)["outcomes"]] == [1, 3]
    assert (memories.root / "changelog.md").read_text(encoding="utf-8").count("(dialog)") == 2  # C59a
    assert engram.run("verify").returncode == 0
    assert book_of(memories.root)["pending"] == []


def test_accept_of_everything(era: Era, memories: Memories) -> None:
    assert saved(era.ask("engram_save_session", text=THREE).accept()) == THREE_IDS


def test_with_every_box_unticked_nothing_is_written(era: Era, memories: Memories) -> None:  # C47
    before = everything_in(memories.root)
    result = era.ask("engram_save_session", text=THREE).untick()

    assert text_of(result).startswith("Nothing was saved")
    assert "approval_token" not in json.dumps(result)
    assert everything_in(memories.root) == before
    assert inbox_of(memories.root) == []
    assert len(era.ask("engram_save_session", text=THREE).boxes) == 3, "that was no decline"


def test_one_whose_verdict_changed_meanwhile_is_deferred_and_named(
    era: Era, memories: Memories, engram: Runner
) -> None:  # C47
    dialog = era.ask("engram_save_session", text=THREE)
    engram.save("rule", "Count the stars by hand.")
    result = dialog.accept()

    assert saved(result) == [THREE_IDS[0], THREE_IDS[2]]
    (late,) = [row for row in data_of(result)["outcomes"] if not row["saved"]]
    assert (late["number"], late["deferred"]) == (2, True)
    assert THREE_IDS[1] in text_of(result)
    assert len(inbox_of(memories.root)) == 1


def test_decline_revokes_every_token_of_the_same_candidates(
    client: Callable[..., Era], memories: Memories
) -> None:  # C48
    era = client()
    before = everything_in(memories.root)
    token = token_of(era.ask("engram_save_session", text=THREE).cancel())
    other = token_of(client(roots={}).call("engram_save_session", text=lines("Be brief.")))
    result = era.ask("engram_save_session", text=THREE).decline()

    assert DECLINED in text_of(result)
    assert "--no-elicitation" in text_of(result)  # C13
    assert "approval_token" not in json.dumps(result)
    assert DECLINED in failure_of(era.call("engram_commit", approval_token=token, approve="all"))
    assert everything_in(memories.root) == before
    assert saved(era.call("engram_commit", approval_token=other, approve="all")) == ["be-brief"]


# A whole answer to the form of three candidates, every box ticked.
FILLED: Message = {"candidate_1": True, "candidate_2": True, "candidate_3": True, "scope": "workspace"}


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"action": "yes"}, {"action": 1}, {"action": None}, {"action": "Accept", "content": FILLED},
        {"action": "accept", "content": {**FILLED, "candidate_1": "true"}},
        {"action": "accept", "content": {**FILLED, "candidate_1": 1}},
        {"action": "accept", "content": {**FILLED, "candidate_1": None}},
        {"action": "accept", "content": {**FILLED, "scope": "global"}},
        {"action": "accept", "content": {**FILLED, "scope": "both"}},
        {"action": "accept", "content": {**FILLED, "scope": None}},
        {"action": "accept", "content": {**FILLED, "scope": ["workspace"]}},
        {"action": "accept", "content": {**FILLED, "candidate_4": True}},
        {"action": "accept", "content": {**FILLED, "Candidate_1": True}},
        {"action": "accept", "content": {**FILLED, "note": "as you like"}},
        {"action": "accept", "content": {**FILLED, "": None}},
        *({"action": "accept", "content": {key: FILLED[key] for key in FILLED if key != left}} for left in FILLED),
        {"action": "accept", "content": {"candidate_2": True}}, {"action": "accept", "content": {"scope": "workspace"}},
        {"action": "accept", "content": [True]}, {"action": "accept", "content": "yes"},
        {"action": "accept", "content": True},
    ],
    ids=lambda answer: json.dumps(answer)[-60:],
)  # fmt: skip
def test_an_answer_that_the_form_cannot_give_revokes_the_proposal(
    era: Era, memories: Memories, answer: Message
) -> None:  # C46: no scope is widened; C48
    token = token_of(era.ask("engram_save_session", text=THREE).cancel())
    result = era.ask("engram_save_session", text=THREE).give(answer)

    assert text_of(result).startswith("Nothing was saved")
    assert "approval_token" not in json.dumps(result)
    assert "revoked" in failure_of(era.call("engram_commit", approval_token=token, approve="all"))
    assert names_in(memories.root) == []
    assert len(era.ask("engram_save_session", text=THREE).boxes) == 3, "nobody declined"


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "accept"}, {"action": "accept", "content": None}, {"action": "accept", "content": {}},
        {"action": "accept", "content": {"other": True, "candidate_9": True}}, {"action": "cancel"},
        {"action": "cancel", "content": {"candidate_1": True}},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_no_answer_falls_back_to_the_token(era: Era, memories: Memories, answer: Message) -> None:  # C48, C49
    result = era.ask("engram_save_session", text=THREE).give(answer)

    assert text_of(result).startswith(NOTHING)
    assert data_of(result)["text"].startswith(NOTHING)
    assert names_in(memories.root) == []
    assert saved(era.call("engram_commit", approval_token=token_of(result), approve="1,2")) == THREE_IDS[:2]
    assert "(token)" in (memories.root / "changelog.md").read_text(encoding="utf-8")


def test_a_dialog_that_is_never_shown_falls_back_in_time(client: Callable[..., Era], memories: Memories) -> None:
    # A5, C49: legacy only; a modern retry that never comes leaves nothing behind
    era = client(env={"ENGRAM_MCP_DIALOG_TIMEOUT": "1"})
    if isinstance(era, Modern):
        era.ask("engram_save_session", text=THREE)
        era.host.silent()
        assert names_in(memories.root) == []
        assert inbox_of(memories.root) == []
        return
    number = era.host.start_request("tools/call", {"name": "engram_save_session", "arguments": {"text": THREE}})
    question = era.host.next()
    withdrawn = era.host.next()
    result = era.result(number)

    assert withdrawn["method"] == "notifications/cancelled"
    assert withdrawn["params"]["requestId"] == question["id"]
    assert text_of(result).startswith(NOTHING)
    answer = {"action": "accept", "content": {"candidate_1": True, "scope": "workspace"}}
    era.host.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})  # too late
    era.host.silent()
    assert names_in(memories.root) == []
    assert saved(era.call("engram_commit", approval_token=token_of(result), approve="all")) == THREE_IDS


def test_the_time_for_an_answer_is_configured(
    serve: Callable[..., Host], memories: Memories, engram: Runner
) -> None:  # C49, F21
    engram.ok("config", "set", "mcp.dialog_timeout", "1")
    era = Legacy(serve())
    number = era.host.start_request("tools/call", {"name": "engram_save", "arguments": {"text": "Be brief."}})

    assert era.host.next()["method"] == "elicitation/create"
    assert text_of(era.result(number)).startswith(NOTHING)


def test_an_error_of_the_client_falls_back_to_the_token(serve: Callable[..., Host], memories: Memories) -> None:
    # C49
    era = Legacy(serve())
    for error in ({"error": {"code": -32601, "message": "Method not found"}}, {"error": None}, {"error": 5}):
        result = era.ask("engram_save_session", text=THREE).give(error)
        assert text_of(result).startswith(NOTHING)
        assert names_in(memories.root) == []
    assert saved(era.call("engram_commit", approval_token=token_of(result), approve="all")) == THREE_IDS


@pytest.mark.parametrize("result", [None, [], "accept", 5, True], ids=repr)
def test_a_result_that_is_no_object_falls_back_to_the_token(
    serve: Callable[..., Host], memories: Memories, result: Any
) -> None:
    answer = Legacy(serve()).ask("engram_save_session", text=THREE).give(result)

    assert text_of(answer).startswith(NOTHING)
    assert names_in(memories.root) == []


# Declined before: C48


def test_a_declined_text_is_proposed_again_only_when_it_is_asked_for(
    client: Callable[..., Era], memories: Memories
) -> None:
    import time

    era = client()
    days = {time.strftime("%Y-%m-%d")}
    era.ask("engram_save", text="Bake the bread.", type="rule").decline()
    days.add(time.strftime("%Y-%m-%d"))
    first = era.call("engram_save", text="bake  the BREAD", type="knowledge")

    said = {f"declined on {day}; call again only if the human asks for it" for day in days}
    assert text_of(first) in said
    assert data_of(first)["text"] in said
    assert "approval_token" not in json.dumps(first)
    assert saved(era.ask("engram_save", text="Bake the bread.", type="rule").accept()) == ["bake-the-bread"]


def test_a_decline_is_remembered_for_thirty_days_and_in_every_server(
    client: Callable[..., Era], memories: Memories, clock: Callable[[str], dict[str, str]]
) -> None:
    era = client()
    era.ask("engram_save", text="Bake the bread.").decline()
    era.ask("engram_save", text="Count the stars.").decline()
    assert "Bake the bread" not in (memories.root / "pending-approvals.json").read_text(encoding="utf-8")

    month = client(env=clock("+29d"))
    assert text_of(month.call("engram_save", text="Bake the bread.")).startswith("declined on ")
    assert month.ask("engram_save", text="Bake the bread.")
    assert client(env=clock("+31d")).ask("engram_save", text="Count the stars.")


def test_a_declined_text_among_others_is_named_once(era: Era) -> None:
    era.ask("engram_save", text="Bake the bread at dawn.", type="rule").decline()

    assert text_of(era.call("engram_save_session", text=THREE)).startswith("declined on ")
    assert len(era.ask("engram_save_session", text=THREE).boxes) == 3


# In which scope: C46


def test_both_can_be_narrowed_to_one(era: Era, memories: Memories, everywhere: Memories) -> None:
    dialog = era.ask("engram_save_session", text=THREE, scope="both")

    assert dialog.fields["scope"]["enum"] == ["both", "workspace", "global"]
    assert saved(dialog.accept("candidate_1", scope="global")) == [THREE_IDS[0]]
    assert (names_in(memories.root), names_in(everywhere.root)) == ([], [THREE_IDS[0]])
    assert saved(era.ask("engram_save_session", text=THREE, scope="both").accept("candidate_2", scope="workspace"))
    assert (names_in(memories.root), names_in(everywhere.root)) == ([THREE_IDS[1]], [THREE_IDS[0]])
    assert len(saved(era.ask("engram_save_session", text=lines("Be brief."), scope="both").accept())) == 2


def test_one_scope_cannot_be_widened(era: Era, memories: Memories, everywhere: Memories) -> None:
    for scope, wider in (("workspace", "global"), ("workspace", "both"), ("global", "both"), ("global", "workspace")):
        dialog = era.ask("engram_save", text=f"Bake the {scope} bread {wider}.", scope=scope)
        assert dialog.fields["scope"]["enum"] == [scope]
        assert "revoked" in text_of(dialog.accept(scope=wider))
    assert names_in(memories.root) == names_in(everywhere.root) == []


def test_a_scope_of_its_own_is_not_widened_by_both(era: Era, memories: Memories, everywhere: Memories) -> None:
    text = "TYPE: rule | TEXT: Bake the bread. | SCOPE: workspace\nTYPE: rule | TEXT: Count stars. | SCOPE: global"
    dialog = era.ask("engram_save_session", text=text)

    assert len(saved(dialog.accept(scope="both"))) == 2
    assert (names_in(memories.root), names_in(everywhere.root)) == (["bake-the-bread"], ["count-stars"])


def test_a_ticked_one_that_the_chosen_scope_leaves_out_is_named(
    era: Era, memories: Memories, everywhere: Memories
) -> None:
    text = "TYPE: rule | TEXT: Bake the bread. | SCOPE: workspace\nTYPE: rule | TEXT: Count stars. | SCOPE: both"
    result = era.ask("engram_save_session", text=text).accept(scope="global")

    assert saved(result) == ["count-stars"]
    assert [row["reason"] for row in data_of(result)["outcomes"] if not row["saved"]] == [
        "it was proposed for workspace memory, and global was chosen"
    ]
    assert "bake-the-bread" in text_of(result)
    assert names_in(memories.root) == []


# What would wait in the inbox: C46


def test_what_would_wait_has_no_box_and_is_named_and_goes_to_the_inbox(era: Era, memories: Memories) -> None:
    memories.add("rule", "uploads", f"- {STORED}")
    dialog = era.ask("engram_save_session", text=lines(STORED, "Bake the bread at dawn.", NEAR))

    assert dialog.boxes == ["candidate_2"]
    assert "1. uploads (workspace) would wait in the inbox: " in dialog.message
    assert "3. uploads-of-images" in dialog.message
    assert "DEPENDS_ON" in dialog.message
    result = dialog.accept()
    assert saved(result) == ["bake-the-bread-at-dawn"]
    assert {one["candidate"]["text"] for one in inbox_of(memories.root)} == {STORED, NEAR}
    assert [row["number"] for row in data_of(result)["outcomes"]] == [1, 2, 3]
    assert names_in(memories.root) == ["bake-the-bread-at-dawn", "uploads"]


def test_what_had_no_box_is_not_written_even_if_its_reason_is_gone(
    era: Era, memories: Memories, engram: Runner
) -> None:
    memories.add("rule", "uploads", f"- {STORED}")
    dialog = era.ask("engram_save_session", text=lines(NEAR, "Bake the bread at dawn."))
    engram.ok("archive", "uploads", "--reason", "no longer so")

    assert dialog.boxes == ["candidate_2"]
    assert saved(dialog.accept()) == ["bake-the-bread-at-dawn"]
    assert names_in(memories.root) == ["bake-the-bread-at-dawn"]


def test_one_that_contradicts_another_of_the_same_form_has_no_box(era: Era, memories: Memories) -> None:  # C39
    dialog = era.ask("engram_save_session", text=lines("Always deploy on Friday.", "Never deploy on Friday."))

    assert dialog.boxes == ["candidate_1"]
    assert "would wait in the inbox: it contradicts candidate 1 (always-deploy-on-friday)" in dialog.message
    assert saved(dialog.accept()) == ["always-deploy-on-friday"]
    assert [one["candidate"]["text"] for one in inbox_of(memories.root)] == ["Never deploy on Friday."]


def test_one_that_changes_the_same_memory_as_another_has_no_box(era: Era, memories: Memories) -> None:  # A1, C46
    memories.add("rule", "the-oven", "- The oven is cleaned with vinegar.")
    text = "TYPE: rule | TEXT: Soda too. | UPDATE: the-oven\nTYPE: rule | TEXT: Sand. | SUPERSEDES: the-oven"
    dialog = era.ask("engram_save_session", text=text)

    assert dialog.boxes == ["candidate_1"]
    assert "it changes the-oven, as does candidate 1 (the-oven)" in dialog.message
    assert saved(dialog.accept()) == ["the-oven"]
    assert [one["candidate"]["text"] for one in inbox_of(memories.root)] == ["Sand."]


def test_a_dialog_names_what_a_candidate_depends_on_in_vain(era: Era, memories: Memories) -> None:  # F19, C46
    text = "TYPE: rule | TITLE: Soak | TEXT: Soak the beans at night. | DEPENDS_ON: the-gohst"
    dialog = era.ask("engram_save_session", text=text)

    assert "1. soak (workspace): It depends on the-gohst, which is no memory here." in dialog.message
    assert "beans" not in dialog.message
    assert "the-gohst" in text_of(dialog.accept())


def test_a_scope_in_which_it_would_wait_is_named_and_not_offered(
    era: Era, memories: Memories, everywhere: Memories
) -> None:
    everywhere.add("rule", "bread", "- Bake the bread at dawn.")
    dialog = era.ask("engram_save", text="Bake the bread at dawn.", type="rule", scope="both")

    assert dialog.boxes == ["candidate_1"]
    assert dialog.fields["scope"]["enum"] == ["workspace"]
    assert "(global) would wait" in dialog.message
    assert len(saved(dialog.accept())) == 1
    assert (names_in(memories.root), names_in(everywhere.root)) == (["bake-the-bread-at-dawn"], ["bread"])


def test_where_everything_would_wait_nobody_is_asked(era: Era, memories: Memories) -> None:
    memories.add("rule", "uploads", f"- {STORED}")
    result = era.call("engram_save", text=STORED, type="rule")

    assert "nothing of this would be saved" in text_of(result)
    assert "NOOP duplicate of uploads" in text_of(result)


# The state of a modern dialog: C51, C52


@pytest.fixture
def modern(serve: Callable[..., Host], memories: Memories) -> Modern:
    """Return a modern client that shows forms."""
    assert names_in(memories.root) == []
    return Modern(serve())


def refused(answer: Message) -> bool:
    """Tell whether an answer is the refusal of a state."""
    error = answer.get("error", {})
    return error.get("code") == -32602 and "requestState" in error.get("message", "")


def yes(modern: Modern, dialog: Any, **change: Any) -> Message:
    """Retry with an accepting answer, with some of it changed, and return the whole answer."""
    content = {"candidate_1": True, "scope": "workspace"}
    retry = {"inputResponses": {dialog.key: {"action": "accept", "content": content}}, "requestState": dialog.state}
    tool = change.pop("tool", "engram_save")
    arguments = change.pop("arguments", {"text": "Bake the bread."})
    return modern.raw(tool, arguments, **{key: value for key, value in {**retry, **change}.items() if value is not ...})


def test_a_state_is_good_for_one_answer(modern: Modern, memories: Memories) -> None:  # C52
    dialog = modern.ask("engram_save", text="Bake the bread.")

    assert saved(yes(modern, dialog)["result"]) == ["bake-the-bread"]
    for _ in range(3):
        assert refused(yes(modern, dialog))
    assert names_in(memories.root) == ["bake-the-bread"]


@pytest.mark.parametrize(
    "change",
    [
        {"arguments": {"text": "Bake the cake."}}, {"arguments": {"text": "Bake the bread.", "scope": "workspace"}},
        {"arguments": {"text": "Bake the bread.", "type": "rule"}}, {"tool": "engram_save_session",
        "arguments": {"text": "TEXT: Bake the bread."}}, {"requestState": ""}, {"requestState": "."},
        {"requestState": "x.y"}, {"requestState": "\ud800"}, {"requestState": "0" * 32 + "." + "0" * 64},
        {"requestState": "a" * 1_000_000},
    ],
    ids=lambda change: json.dumps(change)[:60],
)  # fmt: skip
def test_a_state_is_bound_to_its_tool_and_arguments(modern: Modern, memories: Memories, change: Message) -> None:
    # C51, C52
    dialog = modern.ask("engram_save", text="Bake the bread.")

    assert refused(yes(modern, dialog, **change))
    assert names_in(memories.root) == []


def test_a_state_of_another_shape_is_no_state(modern: Modern, memories: Memories) -> None:
    dialog = modern.ask("engram_save", text="Bake the bread.")
    states: tuple[object, ...] = (None, 5, [], {})
    for state in states:
        assert yes(modern, dialog, requestState=state)["error"]["code"] == -32602
    answers: tuple[object, ...] = (None, 5, [], "x", {"a": 5})
    for responses in answers:
        assert yes(modern, dialog, inputResponses=responses)["error"]["code"] == -32602
    assert names_in(memories.root) == []


def test_answers_without_their_state_ask_again(modern: Modern, memories: Memories) -> None:  # C52
    changes: tuple[dict[str, Any], ...] = ({"requestState": ...}, {"inputResponses": ...}, {"inputResponses": {}})
    for change in changes:
        dialog = modern.ask("engram_save", text="Bake the bread.")
        again = yes(modern, dialog, **change)["result"]
        assert again["resultType"] == "input_required"
    assert names_in(memories.root) == []


def test_states_cannot_be_swapped(modern: Modern, memories: Memories) -> None:
    bread, cake = (modern.ask("engram_save", text=f"Bake the {what}.") for what in ("bread", "cake"))

    assert refused(yes(modern, bread, requestState=cake.state))
    number, _, _ = bread.state.partition(".")
    assert refused(yes(modern, bread, requestState=number + "." + cake.state.partition(".")[2]))
    assert names_in(memories.root) == []


def test_a_restart_makes_open_states_invalid(
    modern: Modern, serve: Callable[..., Host], memories: Memories
) -> None:  # C52
    dialog = modern.ask("engram_save", text="Bake the bread.")
    assert modern.host.close() == (0, "")
    restarted = Modern(serve())

    assert refused(yes(restarted, dialog))
    assert names_in(memories.root) == []
    assert saved(restarted.ask("engram_save", text="Bake the bread.").accept()) == ["bake-the-bread"]


def test_a_state_of_another_workspace_is_refused(
    serve: Callable[..., Host], memories: Memories, workspace: Path, tmp_path: Path, engram: Runner
) -> None:  # C51: the folder of the server may be another one at the time of the retry
    away = tmp_path / "away"
    modern = Modern(serve("--workspace", str(workspace)))
    dialog = modern.ask("engram_save", text="Bake the bread.")
    workspace.rename(away)
    workspace.symlink_to(away)

    assert refused(yes(modern, dialog))
    assert names_in(away / ".agents" / ".engram") == []


def test_a_state_expires_after_half_an_hour(
    serve: Callable[..., Host], memories: Memories, clock: Callable[[str], dict[str, str]], tmp_path: Path
) -> None:  # C51
    rate = tmp_path / "faketimerc"
    rate.write_text("+0", encoding="utf-8")
    faked = {**clock("+0"), "FAKETIME_TIMESTAMP_FILE": str(rate), "FAKETIME_NO_CACHE": "1"}
    del faked["FAKETIME"]
    modern = Modern(serve(env=faked))
    old = modern.ask("engram_save", text="Bake the bread.")
    early = modern.ask("engram_save", text="Count the stars.")
    rate.write_text("+29m", encoding="utf-8")
    assert saved(yes(modern, early, arguments={"text": "Count the stars."})["result"]) == ["count-the-stars"]
    rate.write_text("+31m", encoding="utf-8")

    assert refused(yes(modern, old))
    assert names_in(memories.root) == ["count-the-stars"]


def test_mutations_of_a_state_are_refused_on_the_wire(modern: Modern, memories: Memories) -> None:  # C52
    dice = random.Random(20261202)
    dialog = modern.ask("engram_save", text="Bake the bread.")
    for _ in range(200):
        assert refused(yes(modern, dialog, requestState=mutated(dialog.state, dice)))
    assert names_in(memories.root) == []
    assert saved(yes(modern, dialog)["result"]) == ["bake-the-bread"], "none of them used it up"


def mutated(state: str, dice: random.Random) -> str:
    """Return another text: characters changed, put in, taken out, parts cut, doubled and swapped."""
    while True:
        text = list(state)
        for _ in range(dice.choice((1, 1, 1, 2, 5))):
            at = dice.randrange(len(text))
            match dice.randrange(6):
                case 0:
                    text[at] = dice.choice("0123456789abcdefABCDEF. \n\x00é")
                case 1:
                    text.insert(at, dice.choice("0123456789abcdef. "))
                case 2 if len(text) > 2:
                    del text[at]
                case 3:
                    text = text[:at] or ["."]
                case 4:
                    text = text[at:] + text[:at]
                case _:
                    text[at] = text[at].swapcase()
        if "".join(text) != state:
            return "".join(text)


# While a dialog waits: C30, C31, C50


def test_other_requests_are_answered_while_a_dialog_waits(serve: Callable[..., Host], memories: Memories) -> None:
    memories.add("rule", "the-oven", "- The oven is cleaned with vinegar.")
    era = Legacy(serve())
    dialogs = [era.ask("engram_save", text=f"Lamp {n} hangs over table {n * 7}.") for n in range(6)]

    era.host.silent()
    assert "the-oven" in era.host.text("engram_load", query="clean the oven with vinegar")
    assert era.host.request("tools/list")["result"]["tools"]
    token = token_of(Modern(era.host, roots={}).call("engram_save", text="Be brief."))
    assert saved(era.call("engram_commit", approval_token=token, approve="all")) == ["be-brief"]
    for dialog in reversed(dialogs):
        assert len(saved(dialog.accept())) == 1
    assert len(names_in(memories.root)) == 8


def test_a_cancelled_call_is_not_answered_and_nothing_is_written(
    serve: Callable[..., Host], memories: Memories
) -> None:  # C31
    era = Legacy(serve())
    dialog: Any = era.ask("engram_save", text="Bake the bread.")
    era.host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": dialog.number}})
    withdrawn = era.host.next()
    answer = {"action": "accept", "content": {"candidate_1": True, "scope": "workspace"}}
    era.host.send({"jsonrpc": "2.0", "id": withdrawn["params"]["requestId"], "result": answer})

    assert withdrawn["method"] == "notifications/cancelled"
    era.host.silent()
    assert names_in(memories.root) == []
    assert saved(era.ask("engram_save", text="Bake the bread.").accept()) == ["bake-the-bread"]
    assert book_of(memories.root)["pending"] == []
    assert era.host.close() == (0, "")


def test_the_end_of_the_input_ends_a_waiting_dialog(serve: Callable[..., Host], memories: Memories) -> None:  # C30
    era = Legacy(serve())
    dialog: Any = era.ask("engram_save", text="Bake the bread.")

    assert era.host.close() == (0, "")
    (answer,) = era.host.rest()
    assert answer["id"] == dialog.number
    assert text_of(answer["result"]).startswith(NOTHING)
    assert names_in(memories.root) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_waiting_dialog_quietly(
    client: Callable[..., Era], memories: Memories, number: signal.Signals
) -> None:  # C29b
    era = client()
    era.ask("engram_save", text="Bake the bread.")
    era.host.process.send_signal(number)

    assert era.host.ended() == 0
    assert era.host.process.stderr
    assert era.host.process.stderr.read() == b""
    assert era.host.rest() == []
    assert names_in(memories.root) == []


def test_a_dialog_that_nobody_answers_sends_no_human_to_the_inbox_and_leaves_it_in_time(
    client: Callable[..., Era], memories: Memories, engram: Runner, clock: Callable[[str], dict[str, str]]
) -> None:  # C46, C49
    client().ask("engram_save", text="Bake the bread.")

    (item,) = engram.json("review", "--list")["data"]["items"]
    assert (item["state"], item["title"]) == ("asked", "1 candidate: Bake the bread")
    assert item["reason"].startswith("asked in a dialog of the host")
    assert "Bake the bread." in engram.ok("review", "show", item["name"]), "the form sends the human there (C46)"
    state = engram.json("status")["data"]["roots"][0]
    assert (state["proposals"], state["proposals_asked"]) == (0, 1)
    assert "engram review" not in engram.ok("status") + engram.ok()
    later = clock("+31m")
    assert engram.json("review", "--list", env=later)["data"]["items"] == []
    state = engram.json("status", env=later)["data"]["roots"][0]
    assert (state["proposals"], state["proposals_asked"], state["proposals_expired"]) == (0, 0, 0)


def test_what_no_dialog_answered_is_over_after_half_an_hour(
    client: Callable[..., Era], memories: Memories, clock: Callable[[str], dict[str, str]]
) -> None:  # C49: it leaves nothing behind
    client().ask("engram_save", text="Bake the bread.")
    assert len(book_of(memories.root)["pending"]) == 1, "until then a human can still find it"
    client(env=clock("+31m")).call("engram_status")
    client(env=clock("+31m"), roots={}).call("engram_save", text="Count the stars.")

    (entry,) = book_of(memories.root)["pending"]
    assert entry["offered"][0]["candidate"]["text"] == "Count the stars."


# A host that runs engram_commit unasked: C43a


@pytest.fixture
def codex(client: Callable[..., Era]) -> Callable[..., Era]:
    """Return a function that starts a server and connects Codex to it, which shows forms."""

    def connect(*words: str, **options: Any) -> Era:
        return client(*words, name="codex-mcp-client", **options)

    return connect


def proposed(era: Era, text: str = THREE) -> str:
    """Return the token of a proposal whose dialog was cancelled."""
    return token_of(era.ask("engram_save_session", text=text).cancel())


def test_codex_is_asked_at_commit_and_accept_writes(codex: Callable[..., Era], memories: Memories) -> None:
    era = codex()
    token = proposed(era)
    dialog = era.ask("engram_commit", approval_token=token, approve="1,3")

    assert dialog.boxes == ["candidate_1", "candidate_3"]
    assert [dialog.fields[box]["title"] for box in dialog.boxes] == [
        f"1. ADD ({THREE_IDS[0]})", f"3. ADD ({THREE_IDS[2]})",
    ]  # fmt: skip
    assert names_in(memories.root) == []
    assert saved(dialog.accept("candidate_3")) == names_in(memories.root) == [THREE_IDS[2]]
    assert "(dialog)" in (memories.root / "changelog.md").read_text(encoding="utf-8")
    assert "used already" in failure_of(era.call("engram_commit", approval_token=token, approve="all"))


def test_codex_is_told_what_a_candidate_depends_on_in_vain(codex: Callable[..., Era], memories: Memories) -> None:
    memories.add("rule", "the-oven", "- The oven is cleaned with vinegar.")
    era = codex()
    proposal = era.ask(
        "engram_save_session",
        text="TYPE: rule | TITLE: Soak | TEXT: Soak the beans. | DEPENDS_ON: the-gohst, the-oven, boil\n"
        "TYPE: rule | TITLE: Boil | TEXT: Guests eat at seven.",
    ).cancel()  # F19
    dialog = era.ask("engram_commit", approval_token=token_of(proposal), approve="1")

    assert "1. soak (workspace): It depends on the-gohst, which is no memory here." in dialog.message
    assert "It depends on boil, which is no memory here" in dialog.message  # candidate 2 was not chosen
    assert "oven" not in dialog.message


def test_codex_cannot_tick_what_was_not_asked_about(codex: Callable[..., Era], memories: Memories) -> None:
    era = codex()
    token = proposed(era)
    dialog = era.ask("engram_commit", approval_token=token, approve=[2])
    result = dialog.give({"action": "accept", "content": FILLED})

    assert text_of(result).startswith("Nothing was saved")
    assert names_in(memories.root) == []
    assert "revoked" in failure_of(era.call("engram_commit", approval_token=token, approve="all"))


def test_a_decline_at_commit_revokes_the_token(codex: Callable[..., Era], memories: Memories) -> None:
    era = codex()
    token = proposed(era)
    result = era.ask("engram_commit", approval_token=token, approve="all").decline()

    assert DECLINED in text_of(result)
    assert DECLINED in failure_of(era.call("engram_commit", approval_token=token, approve="all"))
    assert text_of(era.call("engram_save_session", text=THREE)).startswith("declined on ")
    assert names_in(memories.root) == []


def test_an_invalid_answer_at_commit_revokes_the_token(codex: Callable[..., Era], memories: Memories) -> None:
    era = codex()
    token = proposed(era)
    result = era.ask("engram_commit", approval_token=token, approve="all").accept(scope="global")

    assert "revoked" in text_of(result)
    assert "revoked" in failure_of(era.call("engram_commit", approval_token=token, approve="all"))
    assert names_in(memories.root) == []


@pytest.mark.parametrize(
    "answer",
    [{"action": "cancel"}, {"action": "accept", "content": None}, {"action": "accept", "content": {}}],
    ids=str,
)
def test_no_answer_at_commit_leaves_the_token_as_it_was(
    codex: Callable[..., Era], memories: Memories, answer: Message
) -> None:
    era = codex()
    token = proposed(era)
    result = era.ask("engram_commit", approval_token=token, approve="all").give(answer)

    assert text_of(result).startswith("Nothing was saved")
    assert names_in(memories.root) == []
    assert era.ask("engram_commit", approval_token=token, approve="all").untick()
    assert saved(era.ask("engram_commit", approval_token=token, approve="all").accept()) == THREE_IDS


def test_a_time_out_at_commit_leaves_the_token_as_it_was(serve: Callable[..., Host], memories: Memories) -> None:
    era = Legacy(serve(env={"ENGRAM_MCP_DIALOG_TIMEOUT": "1"}), "codex-mcp-client")
    token = proposed(era)
    arguments = {"approval_token": token, "approve": "all"}
    number = era.host.start_request("tools/call", {"name": "engram_commit", "arguments": arguments})

    assert [era.host.next()["method"] for _ in range(2)] == ["elicitation/create", "notifications/cancelled"]
    assert text_of(era.result(number)).startswith("Nothing was saved")
    assert names_in(memories.root) == []
    assert saved(era.ask("engram_commit", **arguments).accept()) == THREE_IDS


def test_where_codex_asks_by_itself_nobody_is_asked_twice(
    codex: Callable[..., Era], memories: Memories, scratch: Scratch
) -> None:
    (scratch.config / "engram.config.json").write_text(
        '{"hosts": {"codex": {"approval_mode": "prompt"}}}', encoding="utf-8"
    )
    era = codex()

    assert saved(era.call("engram_commit", approval_token=proposed(era), approve="all")) == THREE_IDS


def test_a_clone_cannot_say_that_codex_asks_by_itself(
    serve: Callable[..., Host], scratch: Scratch, tmp_path: Path
) -> None:  # F21
    from tests.conftest import make_repository

    clone = make_repository(scratch, tmp_path / "clone")
    root = clone / ".agents" / ".engram"
    root.mkdir(parents=True)
    (root / "engram.config.json").write_text('{"hosts": {"codex": {"approval_mode": "prompt"}}}', encoding="utf-8")
    era = Legacy(serve(cwd=clone), "codex-mcp-client")

    assert era.ask("engram_commit", approval_token=proposed(era), approve="all").cancel()
    assert names_in(root) == []


def test_codex_without_forms_keeps_the_token_flow(codex: Callable[..., Era], memories: Memories) -> None:  # C53
    era = codex(roots={})
    token = token_of(era.call("engram_save_session", text=THREE))

    assert saved(era.call("engram_commit", approval_token=token, approve="all")) == THREE_IDS


def test_codex_cannot_write_unasked_what_no_form_can_show(codex: Callable[..., Era], memories: Memories) -> None:
    era = codex()
    many = [f"Lamp {n} hangs over table {n * 7}." for n in range(21)]
    token = token_of(era.call("engram_save_session", text=lines(*many)))

    assert "1 to 20" in failure_of(era.call("engram_commit", approval_token=token, approve="all"))
    assert names_in(memories.root) == []
    some = ",".join(str(number) for number in range(2, 22))
    assert len(saved(era.ask("engram_commit", approval_token=token, approve=some).accept())) == 20


@pytest.mark.parametrize("name", ["claude-code", "Visual Studio Code", "my-codex", "", "opencode"])
def test_other_hosts_ask_by_themselves(client: Callable[..., Era], memories: Memories, name: str) -> None:
    era = client(name=name)

    assert saved(era.call("engram_commit", approval_token=proposed(era), approve="all")) == THREE_IDS


def test_a_token_that_is_none_is_refused_before_anybody_is_asked(codex: Callable[..., Era]) -> None:
    era = codex()
    token = proposed(era)

    assert "unknown" in failure_of(era.call("engram_commit", approval_token="x", approve="all"))
    assert "approve" in failure_of(era.call("engram_commit", approval_token=token, approve="ALL"))


# Recorded hosts


@pytest.mark.skipif(not os.path.isdir(TOOLS), reason="replay.py and validate_wire.py stand in ../shared")
@pytest.mark.parametrize("answer", ["accept", "decline", "cancel"])
@pytest.mark.parametrize(
    "name",
    [
        "claude-session-mrtr",
        "claude-session-legacy-elicit",
        "codex-elicit-approve.1",
    ],
)
def test_a_recorded_host_saves_what_its_human_accepts(
    memories: Memories, scratch: Scratch, tmp_path: Path, name: str, answer: str
) -> None:
    transcript = str(tmp_path / "transcript.jsonl")
    script, client = os.path.join(TOOLS, "replay.py"), os.path.join(CLIENTS, f"{name}.jsonl")
    replay = [sys.executable, "-c", LINE_BY_LINE, script, client]
    options = [
        "--out", transcript, "--map", "ask=engram_save",
        "--args", 'engram_save={"text": "Bake the bread at dawn.", "type": "rule"}', "--answer", answer,
    ]  # fmt: skip
    env = {key: value for key, value in scratch.env.items() if key != "PYTHONWARNDEFAULTENCODING"}

    def run(command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, capture_output=True, encoding="utf-8", env=env, timeout=60, check=False, cwd=tmp_path / "project"
        )

    played = run([*replay, *options, "--", *installed_server()])
    judged = run([sys.executable, os.path.join(TOOLS, "validate_wire.py"), "--server-only", transcript])

    assert played.returncode == 0, played.stderr
    assert "unanswered [], server exit 0" in played.stderr
    assert judged.returncode == 0, judged.stdout + judged.stderr
    with open(transcript, encoding="utf-8") as file:
        wire = file.read()
    asked = "elicitation/create" in wire
    assert asked == (CAPABILITIES_KEY in wire or "elicitation" in wire)
    assert names_in(memories.root) == ([THREE_IDS[0]] if asked and answer == "accept" else [])
    if asked and answer == "decline":
        assert DECLINED in wire
    if asked and answer == "cancel":
        assert NOTHING in wire
