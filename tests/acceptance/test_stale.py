"""I: stale, wrong and double memory: what a save says about what is there already, and what it leaves behind (F20).

====  ==========================================================================================================
I1    test_a_long_line_of_superseded_ones_takes_the_place_of_no_living_memory,
      test_what_was_superseded_is_gone_from_every_surface, test_a_contradiction_supersedes_and_the_old_memory_leaves_…
I2    test_saved_twice_is_once_whatever_the_way, test_the_same_in_other_writing_is_a_noop,
      test_the_same_with_a_reason_is_an_update_that_loses_no_word
I3    test_what_is_no_longer_valid_is_not_routed_and_listed_for_review
I4    test_a_contradiction_is_proposed_as_supersede_and_never_merged, test_a_contradiction_supersedes_and_the_old_…
====  ==========================================================================================================
"""

from __future__ import annotations

import json
import time
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.contract.people import Modern, lines, names_in, saved, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Runner
    from tests.contract.conftest import Host, Memories

# Language, what is stored, its id, and the text that contradicts it.
CONTRADICTIONS = [
    ("Always deploy on Friday.", "always-deploy-on-friday", "Never deploy on Friday."),  # I4
    ("The retry limit for uploads is 3.", "the-retry-limit-for-uploads-is-3", "The retry limit for uploads is 5."),
    ("Use pnpm for every install.", "use-pnpm-for-every-install", "Use yarn for every install."),
    ("Despliega siempre en viernes.", "despliega-siempre-en-viernes", "No despliegues nunca en viernes."),
    ("El límite de subidas es de 10 MB.", "el-límite-de-subidas-es-de-10-mb", "El límite de subidas es de 20 MB."),
    ("必须在周五部署。", "必须在周五部署", "不要在周五部署。"),
    ("上传的重试上限是3次。", "上传的重试上限是3次", "上传的重试上限是5次。"),
]
EXTENSIONS = [
    ("Use pnpm for every install.", "Use pnpm for every install, because npm rewrites the lockfile."),
    ("Usa pnpm para cada instalación.", "Usa pnpm para cada instalación porque npm reescribe el lockfile."),
    ("使用pnpm安装依赖。", "使用pnpm安装依赖，因为npm会改写锁文件。"),
]


def only_file(root: Path) -> Path:
    """Return the one memory file of a root."""
    (file,) = root.glob("rules/*.md")
    return file


def test_a_long_line_of_superseded_ones_takes_the_place_of_no_living_memory(
    engram: Runner, memories: Memories
) -> None:  # I1
    old = {"superseded_by": "window", "lifecycle": "superseded"}
    for number in range(250):
        memories.add("rule", f"window-{number}", "- Deploy the payment gateway on Tuesday.", **old)
    memories.add("rule", "window", f"- Deploy the payment gateway on Thursday.\n- {'Mind the weather. ' * 20}")
    for command in ("load", "search", "route"):
        answer = engram.json(command, "deploy the payment gateway")["data"]
        assert answer.get("selected_keys", [entry["id"] for entry in answer.get("entries", ())]) == ["window"], command


@pytest.mark.parametrize(("stored", "memory_id", "text"), CONTRADICTIONS, ids=[one[1] for one in CONTRADICTIONS])
def test_a_contradiction_supersedes_and_the_old_memory_leaves_every_surface(
    engram: Runner, root: Path, stored: str, memory_id: str, text: str
) -> None:  # I1, I4, C42, F17
    engram.save("rule", stored)
    before = only_file(root).read_text(encoding="utf-8")
    shown = engram.save("rule", text)
    assert f"\nVerdict: SUPERSEDE {memory_id}\n" in shown
    assert "+lifecycle: superseded" in shown, "the change of the old file is shown"
    new = engram.json("list")["data"]["memories"][0]["id"]
    assert new != memory_id
    old = (root / "rules" / f"{memory_id}.md").read_text(encoding="utf-8")
    today = time.strftime("%Y-%m-%d")
    for line in ("lifecycle: superseded", f"superseded_by: {new}", f"valid_until: {today}", "revision: 2"):
        assert f"\n{line}\n" in old
    assert old.partition("\n# ")[2] == before.partition("\n# ")[2], "its text stays as it was"
    assert f"supersedes: [{memory_id}]" in (root / "rules" / f"{new}.md").read_text(encoding="utf-8")
    assert engram.json("load", stored)["data"]["selected_keys"] == [new]
    for command in (("search", stored), ("route", stored), ("list",), ("graph",)):
        lines = engram.ok(*command).splitlines()
        assert not any(line.strip().startswith((memory_id + " ", f"1. {memory_id} ")) for line in lines), command
    assert f"superseded by {new}" in engram.ok("load", "--id", memory_id).splitlines()[0]
    assert f"superseded by {new}" in engram.run("show", memory_id).stderr
    assert memory_id in engram.ok("list", "--all")
    engram.ok("verify")


@pytest.mark.parametrize(("stored", "text"), EXTENSIONS)
def test_the_same_with_a_reason_is_an_update_that_loses_no_word(
    engram: Runner, root: Path, stored: str, text: str
) -> None:  # I2
    engram.save("rule", stored)
    file = only_file(root)
    shown = engram.save("rule", text)
    assert f"\nVerdict: UPDATE {file.stem}\n" in shown
    after = file.read_text(encoding="utf-8")
    assert f"- {text}\n" in after
    assert "\nrevision: 2\n" in after
    assert stored.rstrip(".。") in after
    assert "Verdict: NOOP" in engram.ok("save", "rule", text)


@pytest.mark.parametrize(
    "text", ["use PNPM  for every install", "- Use pnpm for every install!", "  Use pnpm for every install  "]
)
def test_the_same_in_other_writing_is_a_noop(engram: Runner, root: Path, text: str) -> None:  # I2
    engram.save("rule", "Use pnpm for every install.")
    assert "Verdict: NOOP duplicate of use-pnpm-for-every-install" in engram.ok("save", "rule", text)


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("The billing amber gateway waits 30 seconds.", "The billing cobalt gateway waits 30 seconds."),
        ("Crane 17 lifts 3 tons.", "Crane 18 lifts 3 tons."),
        ("17号吊车可以吊3吨。", "18号吊车可以吊3吨。"),
        ("La grúa 17 levanta 3 toneladas.", "La grúa 18 levanta 3 toneladas."),
    ],
)
def test_another_name_is_another_subject(engram: Runner, root: Path, stored: str, text: str) -> None:  # F20
    engram.save("knowledge", stored)
    shown = engram.save("knowledge", text)
    assert "\nVerdict: ADD\n" in shown
    assert "Related" not in shown
    assert len(list(root.glob("knowledge/*.md"))) == 2


def test_the_other_memories_with_the_old_value_are_named(engram: Runner, root: Path) -> None:  # C42
    engram.save("rule", "The upload limit is 10 MB.")
    engram.save("knowledge", "The upload limit is 12 MB.")
    done = engram.json("save", "rule", "The upload limit is 20 MB.", input="A\n")["data"]["outcomes"][0]
    assert (done["verdict"], done["target"]) == ("SUPERSEDE", "the-upload-limit-is-10-mb")
    assert done["others"] == ["the-upload-limit-is-12-mb"]
    engram.save("knowledge", "The upload limit is 20 MB, as the proxy says.", "--title", "Proxy")
    shown = engram.save("rule", "The gateway decides about uploads.", "--supersedes", "the-upload-limit-is-20-mb")
    assert "\nAlso with the old value: proxy\n" in shown


def test_another_type_is_never_superseded_but_shown(engram: Runner, root: Path) -> None:  # F20: same type
    engram.save("knowledge", "Always deploy on Friday.")
    shown = engram.save("rule", "Never deploy on Friday.")
    assert "\nVerdict: ADD\n" in shown
    assert "Related: always-deploy-on-friday" in shown


def test_scope_both_gets_a_verdict_for_each_scope(engram: Runner, root: Path, global_root: Path) -> None:  # F20
    engram.save("rule", "Always deploy on Friday.", "--scope", "global")
    engram.save("rule", "Never deploy on Friday, nobody is on call.", "--scope", "workspace")
    shown = engram.save("rule", "Never deploy on Friday.", "--scope", "both")
    verdicts = [line for line in shown.splitlines() if line.startswith("Verdict:")]
    assert verdicts == ["Verdict: ADD", "Verdict: SUPERSEDE always-deploy-on-friday"]
    assert shown.index("workspace:") < shown.index(verdicts[0]) < shown.index("global:") < shown.index(verdicts[1])


def test_words_that_age_are_shown_with_the_date_they_mean(engram: Runner, root: Path) -> None:  # F20
    shown = engram.json("save", "knowledge", "The old pipeline was shut down yesterday.", input="A\n")["data"]
    (word,) = shown["outcomes"][0]["ageing"]
    assert word["word"] == "yesterday"
    assert word["meant"] in {str(date.today() - timedelta(days=days)) for days in (0, 1, 2)}  # noqa: DTZ011 (midnight)
    assert '"昨天" means 20' in engram.save("knowledge", "新的流水线昨天上线了。")
    assert '"la próxima semana"' not in engram.save("knowledge", "La próxima semana cierra la oficina vieja.")
    assert "means 20" not in engram.save("knowledge", "Cranes rest at night.")


def test_a_dependency_on_what_was_superseded_is_said_in_the_graph(engram: Runner, root: Path) -> None:  # I1
    engram.save("rule", "Deploy with the old pipeline.")
    engram.save("skill", "Cut a release.", "--depends-on", "deploy-with-the-old-pipeline")
    engram.save("rule", "Deploy with the new pipeline.", "--supersedes", "deploy-with-the-old-pipeline")
    text = engram.ok("graph")
    assert (
        "cut-a-release needs deploy-with-the-old-pipeline, which is superseded by deploy-with-the-new-pipeline" in text
    )
    assert "deploy-with-the-old-pipeline" in engram.ok("graph", "deploy-with-the-old-pipeline")


def test_an_update_appends_where_the_old_words_are_only_part_of_the_new(engram: Runner, root: Path) -> None:  # F17
    engram.save("rule", "Use pnpm.", "--title", "Packages")
    engram.save("rule", "Never use pnpm in the docs folder.", "--update", "packages")
    text = only_file(root).read_text(encoding="utf-8")
    assert "- Use pnpm.\n- Never use pnpm in the docs folder.\n" in text


def test_what_was_superseded_is_gone_from_every_surface(
    engram: Runner, serve: Callable[..., Host], root: Path
) -> None:  # I1, through a dialog
    engram.save("rule", "Always deploy on Friday.")
    host = serve()
    era = Modern(host)
    text = "TYPE: rule | TEXT: Never deploy on Friday. | SUPERSEDES: always-deploy-on-friday"
    assert saved(era.ask("engram_save_session", text=text).accept()) == ["never-deploy-on-friday"]

    task = "deploy on Friday"
    said: dict[tuple[str, ...], str] = {
        **{command: engram.ok(*command) for command in (("load", task), ("search", task), ("route", task), ("list",))},
        **{("hook", event): hooked(engram, event, task) for event in ("SessionStart", "UserPromptSubmit")},
        **{(tool,): text_of(era.call(tool, query=task)) for tool in ("engram_load", "engram_search", "engram_route")},
        ("index",): json.dumps(host.modern("resources/read", {"uri": "engram://index"})),
        ("resources",): json.dumps(host.modern("resources/list")),
    }
    for surface, shown in said.items():
        assert "lways deploy" not in shown, surface
        assert "always-deploy" not in shown, surface
        assert "never-deploy-on-friday" in shown or surface == ("resources",), surface
    for banner in (
        engram.ok("load", "--id", "always-deploy-on-friday"),
        text_of(era.call("engram_load", id="always-deploy-on-friday")),
    ):
        assert "superseded by never-deploy-on-friday" in banner.splitlines()[0]
        assert "Always deploy on Friday." in banner


def hooked(engram: Runner, event: str, prompt: str) -> str:
    """Return what a host is given at an event, in a session of its own."""
    payload = {"hook_event_name": event, "session_id": event, "source": "startup", "prompt": prompt}
    return engram.ok("hook", "claude", input=json.dumps({**payload, "cwd": str(engram.cwd)}))


def test_saved_twice_is_once_whatever_the_way(engram: Runner, serve: Callable[..., Host], root: Path) -> None:  # I2
    engram.save("rule", "Bake the bread at dawn.")
    before = only_file(root).read_bytes()
    host = serve()
    host.handshake()
    for text in (
        "Bake the bread at dawn.",
        "BAKE  the bread at dawn",
        "bake the\tbread at dawn!",
        "- Bake the bread at dawn",
    ):
        assert "Verdict: NOOP duplicate of bake-the-bread-at-dawn" in engram.ok("save", "rule", text)
        (candidate,) = host.data("engram_save", text=text, type="rule")["candidates"]
        assert candidate["verdict"] == "NOOP duplicate of bake-the-bread-at-dawn"
        engram.run("save-session", "--file", "-", "--force", input=f"TYPE: rule | TEXT: {text.removeprefix('- ')}")
    dialog = Modern(serve()).ask("engram_save_session", text=lines("bake the bread at dawn!", "Be brief."))
    dialog.accept()
    assert names_in(root) == ["bake-the-bread-at-dawn", "be-brief"]
    assert (root / "rules" / "bake-the-bread-at-dawn.md").read_bytes() == before
    (update,) = host.data("engram_save", text="Bake the bread at dawn, because it sells out.", type="rule")[
        "candidates"
    ]
    assert update["verdict"] == "UPDATE bake-the-bread-at-dawn"


def test_a_contradiction_is_proposed_as_supersede_and_never_merged(
    engram: Runner, serve: Callable[..., Host], root: Path
) -> None:  # I4
    engram.save("rule", "Always deploy on Friday.")
    before = only_file(root).read_bytes()
    host = serve()
    host.handshake()
    for text in ("Never deploy on Friday.", "Do not deploy on Friday.", "Don't ever deploy on Friday."):
        (candidate,) = host.data("engram_save", text=text, type="rule")["candidates"]
        assert candidate["verdict"] == "SUPERSEDE always-deploy-on-friday", text
    assert only_file(root).read_bytes() == before


@pytest.mark.parametrize("day", ["2020-01-01", str(date.today() - timedelta(days=2))])  # noqa: DTZ011 (a local day)
def test_what_is_no_longer_valid_is_not_routed_and_listed_for_review(
    engram: Runner, memories: Memories, day: str
) -> None:  # I3
    memories.add("rule", "freeze", "- Deploy nothing in the freeze.", valid_until=day)
    memories.add("rule", "future", "- Deploy with the future tool.", valid_from="2999-01-01")
    memories.add("rule", "always", "- Deploy with two people.", valid_until="2999-01-01")
    assert engram.json("load", "deploy")["data"]["selected_keys"] == ["always"]
    for said in (
        engram.ok("route", "deploy"),
        hooked(engram, "SessionStart", ""),
        hooked(engram, "UserPromptSubmit", "deploy"),
    ):
        # As an id, not as the name of what came lately, which a human is told of whatever it is.
        assert 'id="freeze"' not in said.replace('\\"', '"')
        assert "freeze [" not in said
        assert "always" in said
    assert f"expired {day}" in engram.ok("load", "--id", "freeze").splitlines()[0]
    assert f"expired {day}" in engram.ok("list")
    assert "1 expired, for your review" in engram.ok("status")
    assert "freeze" in engram.ok("review")


@pytest.mark.parametrize("said", ["soon", "2026/01/31", "31.01.2026", "2026-13-01", "明天"])
def test_a_validity_that_is_no_day_is_named_where_a_person_looks(
    engram: Runner, memories: Memories, said: str
) -> None:  # F6, I3
    memories.add("rule", "freeze", "- Deploy nothing in the freeze.", valid_until=said)
    memories.add("rule", "always", "- Deploy with two people.", valid_until="2999-01-01T10:00:00Z")
    assert f"rules/freeze.md: valid_until is {said}, which is no day" in engram.ok("verify")
    undated = [{"path": "rules/freeze.md", "key": "valid_until", "value": said}]
    assert engram.json("verify")["data"]["roots"][0]["undated"] == undated
    found = {one["id"]: one["message"] for one in engram.json("doctor")["data"]["findings"]}
    assert f"rules/freeze.md (valid_until is {said})" in found["memory.undated"]
    if "freeze" in engram.json("load", "deploy")["data"]["selected_keys"]:
        assert f"valid_until is {said}, which is no day" in engram.ok("load", "deploy", "--explain")
