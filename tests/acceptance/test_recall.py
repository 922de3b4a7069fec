"""Recall through the index: always as the files are now, whatever becomes of the index (E2, F3, G2, decision 1)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from benchmarks.memories import fill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.conftest import OpenTerminal
    from tests.conftest import Runner, Scratch
    from tests.contract.conftest import Memories


@pytest.fixture
def remembered(engram: Runner, root: Path) -> Runner:
    assert root.is_dir()
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.")
    engram.save("knowledge", "Prices are integers in cents.", "--triggers", "money, price")
    engram.save("skill", "Cut a release from the main branch.", "--depends-on", "use-pnpm-for-every-install")
    return engram


def keys(engram: Runner, task: str) -> list[str]:
    data = engram.json("load", task)["data"]
    assert isinstance(data["selected_keys"], list)
    return data["selected_keys"]


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def test_a_folder_in_the_place_of_the_index_is_the_one_that_is_named(remembered: Runner, root: Path) -> None:  # E2
    remembered.ok("load", "install a package")
    index = root / ".cache" / "index.sqlite"
    index.unlink()
    index.mkdir()
    (index / "notes.txt").write_text("somebody's", encoding="utf-8")
    for _ in range(2):
        done = remembered.run("load", "install a package")
        assert (done.returncode, "use-pnpm-for-every-install" in done.stdout) == (0, True)
        assert f"{index} cannot be used" in done.stderr
    assert (index / "notes.txt").read_text(encoding="utf-8") == "somebody's"


def test_an_empty_folder_in_the_place_of_the_index_gives_way(remembered: Runner, root: Path) -> None:  # E2
    before = remembered.ok("load", "install a package")
    index = root / ".cache" / "index.sqlite"
    index.unlink()
    index.mkdir()
    done = remembered.run("load", "install a package")
    assert (done.returncode, done.stdout, done.stderr) == (0, before, "")
    assert index.is_file()


@pytest.mark.parametrize("damage", [b"", b"\0" * 5000, b"garbage\n" * 700])
def test_whoever_writes_over_every_file_of_the_cache_harms_nothing_else(
    remembered: Runner, root: Path, damage: bytes
) -> None:  # E2, decision 1
    before = [remembered.ok(*question) for question in QUESTIONS]

    def lasting() -> dict[Path, bytes]:
        files = (path for path in root.rglob("*") if path.is_file() and ".cache" not in path.parts)
        return {path: path.read_bytes() for path in files}

    truth = lasting()
    for path in (root / ".cache").rglob("*"):
        if path.is_file():
            path.write_bytes(damage)  # in place: what has a second name elsewhere changes there too
    assert lasting() == truth
    assert [remembered.ok(*question) for question in QUESTIONS] == before
    remembered.save("rule", "Never deploy on Friday.")
    assert keys(remembered, "deploy on friday") == ["never-deploy-on-friday"]
    remembered.ok("verify")


@pytest.mark.parametrize(
    "command", [(), ("status",), ("search", "voucher", "--limit", "1")], ids=["engram", "status", "search"]
)
def test_at_a_terminal_the_answer_begins_on_its_own_line_below_the_progress(
    terminal: OpenTerminal, root: Path, command: tuple[str, ...]
) -> None:  # F1
    fill(str(root), 1000)
    ended = terminal(*command).end()
    assert "\rReading memory: 1,000 files …\n" in ended.text, ended.text


QUESTIONS = ((), ("status",), ("load", "install a package"), ("search", "install"), ("route", "install a package"))


def test_a_save_is_seen_by_the_next_call_and_an_archived_memory_no_more(remembered: Runner) -> None:
    assert keys(remembered, "deploy on friday") == []
    remembered.save("rule", "Never deploy on Friday.")
    assert keys(remembered, "deploy on friday") == ["never-deploy-on-friday"]
    remembered.ok("archive", "never-deploy-on-friday", "--reason", "we may now")
    assert keys(remembered, "deploy on friday") == []


def test_what_another_branch_holds_is_seen_after_a_checkout(
    remembered: Runner, workspace: Path, scratch: Scratch
) -> None:
    def git(*args: str) -> None:
        subprocess.run(["git", *args], cwd=workspace, env=scratch.env, check=True, capture_output=True, timeout=60)

    git("add", ".agents")
    git("commit", "--quiet", "--message", "Memory")
    git("checkout", "--quiet", "-b", "other")
    remembered.save("rule", "Never deploy on Friday.")
    git("add", ".agents")
    git("commit", "--quiet", "--message", "A rule")
    assert keys(remembered, "deploy on friday") == ["never-deploy-on-friday"]
    git("checkout", "--quiet", "main")
    assert keys(remembered, "deploy on friday") == []
    git("checkout", "--quiet", "other")
    assert keys(remembered, "deploy on friday") == ["never-deploy-on-friday"]


def test_an_edit_by_hand_shows_as_skipped_with_the_command_and_comes_back_when_it_is_undone(
    remembered: Runner, root: Path
) -> None:  # F13
    path = root / "rules" / "use-pnpm-for-every-install.md"
    approved = path.read_bytes()
    info = path.stat()
    path.write_bytes(approved.replace(b"Use pnpm", b"Use yarn"))
    # Equal size and time: the hash of what is shown decides.
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    text = remembered.ok("load", "install a package with pnpm")
    assert "SKIPPED rules/use-pnpm-for-every-install.md" in text
    assert "engram verify --review" in text
    assert "yarn" not in text
    path.write_bytes(approved)
    assert "use-pnpm-for-every-install" in keys(remembered, "install a package with pnpm")


def write_over(path: Path, ledger: Path, old: bytes, new: bytes) -> None:
    """Change a memory and its line in the ledger in place; both files keep their size and their time."""
    before = path.read_bytes()
    after = before.replace(old, new)
    for file, data in ((path, after), (ledger, ledger.read_bytes().replace(sha256(before), sha256(after)))):
        info = file.stat()
        with file.open("r+b") as stream:
            stream.write(data)
        os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))


def test_a_ledger_that_is_written_over_and_keeps_its_size_and_time_is_read_again(
    remembered: Runner, root: Path
) -> None:  # F13
    path, ledger = root / "knowledge" / "prices-are-integers-in-cents.md", root / "SHA256SUMS"
    assert keys(remembered, "integers") == [path.stem]
    write_over(path, ledger, b"integers", b"fraction")
    assert keys(remembered, "fraction") == [path.stem]
    assert keys(remembered, "integers") == []


def test_such_a_ledger_is_read_again_after_an_update_of_the_index_that_could_not_be_written(
    remembered: Runner, root: Path
) -> None:  # E2, F13
    path, ledger = root / "knowledge" / "prices-are-integers-in-cents.md", root / "SHA256SUMS"
    assert keys(remembered, "integers") == [path.stem]
    write_over(path, ledger, b"integers", b"fraction")
    held = sqlite3.connect(root / ".cache" / "index.sqlite", isolation_level=None)
    try:
        held.execute("begin immediate")
        assert keys(remembered, "fraction") == [path.stem]
    finally:
        held.close()
    assert keys(remembered, "fraction") == [path.stem]
    assert keys(remembered, "integers") == []


def test_a_file_that_nobody_approved_shows_as_skipped(remembered: Runner, root: Path) -> None:  # F13
    remembered.ok("load", "install")
    shutil.copy(root / "rules" / "use-pnpm-for-every-install.md", root / "rules" / "stranger.md")
    text = remembered.ok("load", "install")
    assert "SKIPPED rules/stranger.md" in text


def test_deleting_the_cache_loses_nothing_and_it_never_gets_into_git(
    remembered: Runner, root: Path, workspace: Path, scratch: Scratch
) -> None:  # F3
    before = remembered.ok("load", "install a package")
    shutil.rmtree(root / ".cache")
    assert remembered.ok("load", "install a package") == before
    done = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=workspace, env=scratch.env, capture_output=True, encoding="utf-8", check=True, timeout=60,
    )  # fmt: skip
    assert ".cache" not in done.stdout


def test_a_prerequisite_comes_before_what_needs_it_though_it_shares_no_word(remembered: Runner) -> None:  # C34
    remembered.save("rule", "Sign the tag.", "--title", "Zebra")
    remembered.save("skill", "Publish the package to the registry.", "--depends-on", "zebra")
    assert keys(remembered, "publish to the registry")[:2] == ["zebra", "publish-the-package-to-the-registry"]


def test_explain_says_why_and_signals_can_be_switched_off(remembered: Runner) -> None:
    text = remembered.ok("load", "money", "--explain")
    assert "word: money" in text
    assert "triggers" in text
    assert "triggers:" not in remembered.ok("load", "money", "--explain", "--without", "triggers")
    done = remembered.run("load", "money", "--without", "magic")
    assert done.returncode == 2
    assert "phrase" in done.stderr


def reasons(engram: Runner, task: str, *options: str) -> dict[str, dict[str, str]]:
    """Return what each signal says of each memory, by the memory's key."""
    hits = engram.json("load", task, "--explain", *options)["data"]["explain"]["hits"]
    return {hit["key"]: {reason["signal"]: reason["about"] for reason in hit["reasons"]} for hit in hits}


def test_explain_names_the_trigger_and_the_tag_that_stand_in_the_task(remembered: Runner) -> None:
    remembered.save("knowledge", "The basket rounds up.", "--triggers", "unit price, basket")
    assert reasons(remembered, "what is the price of a unit")["the-basket-rounds-up"]["triggers"] == "unit price"
    for line in remembered.ok("load", "price of a unit", "--explain").splitlines():
        assert not line.endswith(":"), f"a signal without its reason: {line}"


def test_explain_shows_what_orders_hits_without_a_score_and_each_of_it_can_be_switched_off(
    remembered: Runner, root: Path
) -> None:
    path = root / "skills" / "cut-a-release-from-the-main-branch.md"
    approved = path.read_bytes()
    path.write_bytes(approved.replace(b"confidence: high", b"confidence: low"))
    ledger = root / "SHA256SUMS"
    ledger.write_bytes(ledger.read_bytes().replace(sha256(approved), sha256(path.read_bytes())))
    task = "install, then cut a release from the main branch"
    found = reasons(remembered, task)
    rule, skill = found["use-pnpm-for-every-install"], found["cut-a-release-from-the-main-branch"]
    assert rule["graph"] == "comes before cut-a-release-from-the-main-branch, which depends on it"
    assert rule["scope"] == skill["scope"] == "workspace"
    assert rule["recency"].endswith("1 of 2 from the latest")
    assert skill["confidence"].startswith("low")
    found_first = [entry["id"] for entry in remembered.json("search", "cut a release install")["data"]["entries"]]
    assert found_first == ["use-pnpm-for-every-install", "cut-a-release-from-the-main-branch"], "low confidence last"
    text = remembered.ok("load", task, "--explain")
    for signal in ("graph", "scope", "recency", "confidence"):
        assert f" {signal}: " in text
        assert f" {signal}: " not in remembered.ok("load", task, "--explain", "--without", signal)
        assert f"switched off: {signal}" in remembered.ok("search", task, "--explain", "--without", signal)


def test_of_two_that_need_each_other_only_the_first_is_explained_as_coming_before(
    remembered: Runner, root: Path
) -> None:
    path, ledger = root / "rules" / "use-pnpm-for-every-install.md", root / "SHA256SUMS"
    old = path.read_bytes()
    new = old.replace(b"\nid:", b"\ndepends_on: [cut-a-release-from-the-main-branch]\nid:", 1)
    path.write_bytes(new)
    ledger.write_bytes(ledger.read_bytes().replace(sha256(old), sha256(new)))
    assert keys(remembered, "release") == ["use-pnpm-for-every-install", "cut-a-release-from-the-main-branch"]
    graph = {key: found.get("graph", "") for key, found in reasons(remembered, "release").items()}
    assert graph["use-pnpm-for-every-install"].startswith("comes before cut-a-release-from-the-main-branch")
    assert graph["cut-a-release-from-the-main-branch"] == ""


def test_without_the_graph_nothing_is_there_for_another_memory(remembered: Runner) -> None:
    task = "cut a release"
    assert keys(remembered, task)[0] == "use-pnpm-for-every-install"
    entries = remembered.json("load", task, "--without", "graph")["data"]["selected_keys"]
    assert entries == ["cut-a-release-from-the-main-branch"]


def test_without_role_and_lifecycle_what_is_out_comes_with_a_mark_and_the_reason_is_explained_else(
    engram: Runner, root: Path
) -> None:  # F20, F21, I3
    assert root.is_dir()
    engram.save("rule", "Numbats sleep in hollow logs.", "--role", "keepers")
    engram.save("rule", "Wombats sleep in burrows.")
    engram.save("rule", "Wombats sleep under the porch.", "--supersedes", "wombats-sleep-in-burrows")
    engram.ok("config", "set", "roles", "frontend")
    task = "where do numbats and wombats sleep"
    text = engram.ok("load", task, "--explain")
    assert "left out numbats-sleep-in-hollow-logs: for the role keepers" in text
    assert "left out wombats-sleep-in-burrows: superseded by wombats-sleep-under-the-porch" in text
    found = reasons(engram, task, "--without", "role,lifecycle")
    assert set(found) == {
        "numbats-sleep-in-hollow-logs", "wombats-sleep-in-burrows", "wombats-sleep-under-the-porch",
    }  # fmt: skip
    text = engram.ok("load", task, "--without", "lifecycle")
    assert 'note="superseded by wombats-sleep-under-the-porch"' in text
    assert "keepers" not in text


def test_whatever_is_left_out_takes_no_place_from_what_may_be_given(
    engram: Runner, memories: Memories
) -> None:  # F21 roles
    rules = memories.root / "rules"
    head = "type: rule\nscope: workspace\nrole: [bakers]\n---\n\n# Ovens\n\n## Content\n\n- Pans.\n"
    for number in range(300):
        (rules / f"ovens-{number}.md").write_bytes(f"---\nid: ovens-{number}\n{head}".encode())
    said = "- Order flour on Mondays, set the tables, call the guests, and have the ovens swept by somebody who can."
    memories.add("rule", "mondays", said, role="[clerks]")
    assert "ovens-0" in engram.ok("load", "ovens and pans")
    engram.ok("config", "set", "roles", "clerks")
    assert engram.json("load", "ovens and pans")["data"]["selected_keys"] == ["mondays"]
    explained = engram.ok("load", "ovens and pans", "--explain")
    assert explained.count("left out ovens-") == 20
    assert "280 more, all of them with --json" in explained
    assert len(engram.json("load", "ovens and pans", "--explain")["data"]["explain"]["left_out"]) == 300


def test_of_two_scopes_the_workspace_comes_first_unless_scope_is_switched_off(
    engram: Runner, root: Path, tmp_path: Path
) -> None:
    assert root.is_dir()
    engram.ok("inject", "--global-path", str(tmp_path / "everywhere"))
    engram.save("rule", "Aardvarks eat termites.", "--scope", "global", "--title", "Aa")
    engram.save("rule", "Aardvarks eat termites!", "--scope", "workspace", "--title", "Zz")
    task = "aardvarks eat termites"
    assert list(reasons(engram, task)) == ["zz", "aa"]
    assert list(reasons(engram, task, "--without", "scope")) == ["aa", "zz"]


def test_each_signal_that_can_be_switched_off_is_named_with_its_meaning(remembered: Runner) -> None:
    hint = remembered.run("load", "money", "--without", "magic").stderr
    for signal in ("word", "phrase", "anchors", "triggers", "tags", "paths", "graph", "role", "recency", "scope",
                   "typos", "lifecycle", "confidence", "floor"):  # fmt: skip
        assert f"  {signal}: " in hint
        assert remembered.run("load", "money", "--without", signal).returncode == 0


def test_search_marks_the_matches_and_stays_small(remembered: Runner) -> None:  # C36
    text = remembered.ok("search", "lockfile")
    assert "**lockfile" in text
    assert len(text.encode()) <= 2048
    entries = remembered.json("search", "cents", "--type", "knowledge")["data"]["entries"]
    assert [entry["id"] for entry in entries] == ["prices-are-integers-in-cents"]
    assert set(entries[0]) >= {"id", "type", "scope", "score", "title", "snippet"}
    assert remembered.json("search", "cents", "--type", "rule")["data"]["entries"] == []
    assert "No memory matches" in remembered.ok("search", "xyzzy")
    for command in ("search", "route"):
        assert remembered.json(command, "xyzzy")["data"]["nothing"] in remembered.ok(command, "xyzzy")  # H3
        assert "nothing" not in remembered.json(command, "cents")["data"]
    for limit in ("0", "51", "-1"):
        assert remembered.run("search", "x", "--limit", limit).returncode == 2


def test_a_title_with_marks_of_mermaid_is_drawn_as_it_is(engram: Runner, memories: Memories) -> None:
    memories.add("rule", "first", "- One.", title="Fix #3; then [x]")
    memories.add("rule", "second", "- Two.", title="`$$x$$` %%{init: {}}%%", depends_on="[first]")
    # In back quotes stands Markdown, between dollars a formula, and after `%%{` an order to Mermaid.
    drawn = '["#96;#36;#36;x#36;#36;#96; #37;#37;{init: {}}#37;#37;"]'
    assert drawn in engram.ok("graph", "--format", "mermaid")
    # Mermaid draws `#35;` as a number sign, but `&#93;` as an ampersand and a bracket.
    assert '["Fix #35;3; then [x#93;"]' in engram.ok("graph", "--format", "mermaid")


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("重跑itgc后五十条,然后验证。", "itgc", "重跑**itgc**后五十条"),
        ("重跑gen-itgc后50条", "itgc", "重跑gen-**itgc**后50条"),
        ("Store each applicant's resume in the drawer.", "résumé", "applicant's **resume** in"),
        ("Mỗi hàm cần một ví dụ chạy được.", "vi du", "một **ví** **dụ** chạy"),
        ("Ứng dụng đọc ảnh gốc.", "anh", "đọc **ảnh** gốc"),
        ("The Straße is closed to the tests.", "test", "the **tests**."),
    ],
)
def test_search_marks_what_a_word_was_found_by(
    engram: Runner, root: Path, text: str, query: str, marked: str
) -> None:  # H1, H4
    assert root.is_dir()
    engram.save("knowledge", text)
    assert marked in engram.ok("search", query)


def test_search_of_many_hits_is_cut_at_two_kilobytes_and_all_shows_them(engram: Runner, root: Path) -> None:
    for number in range(12):
        engram.save("rule", f"Deploy step {number} needs a very long explanation of what happens to the service " * 2)
    assert root.is_dir()
    text = engram.ok("search", "deploy step", "--limit", "50")
    assert len(text.encode()) <= 2048
    assert "--all shows them" in text
    assert engram.ok("search", "deploy step", "--limit", "50", "--all").count("[rule, workspace]") == 12


def test_route_lists_in_load_order(remembered: Runner) -> None:  # C36
    entries = remembered.json("route", "cut a release")["data"]["entries"]
    ids = [entry["id"] for entry in entries]
    assert ids.index("use-pnpm-for-every-install") < ids.index("cut-a-release-from-the-main-branch")


def test_graph_draws_a_circle_in_one_layer_and_what_needs_it_after_it(engram: Runner, memories: Memories) -> None:
    for name, needs in (("a", "b"), ("b", "c"), ("c", "a"), ("after", "a"), ("last", "after"), ("x", "y"), ("y", "x")):
        memories.add("rule", name, "- Text.", depends_on=f"[{needs}]")
    memories.add("rule", "c", "- Text.", depends_on="[a, x, base]")
    memories.add("rule", "base", "- Text.")
    data = engram.json("graph", "--explain")["data"]
    assert data["layers"] == [["base", "x", "y"], ["a", "b", "c"], ["after"], ["last"]]
    assert data["cycles"] == ["a", "b", "c", "x", "y"]
    assert data["explain"]["memories"]["a"] == "layer 1: needs b; in a circle with b, c; needed by after, c"
    lines = engram.ok("graph").splitlines()
    assert lines[-2:] == [
        f"These need each other in a circle, directly or not: {names}" for names in ("a, b, c", "x, y")
    ]
    assert engram.json("graph", "last")["data"]["layers"][-1] == ["last"]


def test_graph_says_of_what_is_needed_and_not_drawn_why(engram: Runner, memories: Memories) -> None:  # F13
    memories.add("skill", "needs", "- Text.", depends_on="[edited, archived, gone]")
    for name in ("edited", "archived"):
        memories.add("rule", name, "- Text.")
    engram.ok("archive", "archived", "--reason", "Old")
    path = memories.root / "rules" / "edited.md"
    path.write_bytes(path.read_bytes() + b"- More.\n")
    done = engram.run("graph")
    assert done.stdout.splitlines()[-3:] == [
        "needs needs edited, which is skipped",
        "needs needs archived, which is archived",
        "needs needs gone, which does not exist",
    ]
    assert "SKIPPED rules/edited.md" in done.stderr
    assert "it depends on edited" not in engram.run("repair").stdout


def test_a_title_is_drawn_by_dot_as_it_is(engram: Runner, memories: Memories) -> None:
    memories.add("rule", "first", "- One.", title='Fix #3 &lt; "x" [y] \\n z')
    memories.add("rule", "second", "- Two.", depends_on="[first]")
    # Graphviz reads a backslash and what follows it, and `&lt;`; `#93;` is Mermaid's.
    assert '"first" [label="Fix #3 &amp;lt; \\"x\\" [y] \\\\n z"];' in engram.ok("graph", "--format", "dot")


def test_graph_draws_layers_and_exports(remembered: Runner) -> None:
    text = remembered.ok("graph")
    assert text.index("use-pnpm-for-every-install") < text.index("cut-a-release-from-the-main-branch")
    mermaid = remembered.ok("graph", "--format", "mermaid")
    assert mermaid.startswith("graph TD\n")
    assert " --> " in mermaid
    dot = remembered.ok("graph", "--format", "dot")
    assert '"cut-a-release-from-the-main-branch" -> "use-pnpm-for-every-install";' in dot
    assert remembered.json("graph", "cut-a-release-from-the-main-branch")["data"]["cycles"] == []
    assert remembered.run("graph", "--format", "png").returncode == 2


def test_benchmark_ends_with_six_on_a_regression_only(remembered: Runner, tmp_path: Path) -> None:
    cases = tmp_path / "cases.json"
    good = {"task": "install a package", "must": ["use-pnpm-for-every-install"], "must_not": ["unknown"]}
    bad = {"task": "prices", "must": ["nobody"], "must_not": ["prices-are-integers-in-cents"]}
    cases.write_text(json.dumps({"version": 1, "cases": [good]}), encoding="utf-8")
    assert "1 of 1 case passes" in remembered.ok("benchmark", str(cases))
    cases.write_text(json.dumps({"version": 1, "cases": [good, bad]}), encoding="utf-8")
    done = remembered.run("benchmark", str(cases))
    assert done.returncode == 6
    assert "missing nobody; unwanted prices-are-integers-in-cents" in done.stdout
    baseline = tmp_path / "baseline.json"
    assert remembered.run("benchmark", str(cases), "--baseline", str(baseline)).returncode == 0
    assert remembered.run("benchmark", str(cases), "--baseline", str(baseline)).returncode == 0, "known, not worse"
    worse = {**good, "must": ["nobody"]}
    cases.write_text(json.dumps({"version": 1, "cases": [worse, bad]}), encoding="utf-8")
    assert remembered.run("benchmark", str(cases), "--baseline", str(baseline)).returncode == 6
    cases.write_text("{", encoding="utf-8")
    assert remembered.run("benchmark", str(cases)).returncode == 2


def test_status_deep_makes_the_index_anew(remembered: Runner, root: Path) -> None:
    remembered.ok("load", "install")
    before = (root / ".cache" / "index.sqlite").stat().st_ino
    remembered.ok("status")
    assert (root / ".cache" / "index.sqlite").stat().st_ino == before
    remembered.ok("status", "--deep")
    assert (root / ".cache" / "index.sqlite").stat().st_ino != before


def test_what_matches_and_is_out_of_service_is_the_reason_for_nothing(engram: Runner) -> None:  # H3, I3
    engram.ok("inject")
    engram.ok("save", "rule", "Numbats sleep in hollow logs.", "--role", "keepers", input="A\n")
    engram.ok("config", "set", "roles", "frontend")
    assert "what shares a word with it is left out: for the role keepers." in engram.ok("load", "numbats")
    assert "no memory shares a word" in engram.ok("load", "wobbegong")


def test_two_cases_of_one_task_are_two_in_a_baseline(engram: Runner, tmp_path: Path) -> None:
    engram.ok("inject")
    engram.ok("save", "rule", "Smoke tests run nightly.", input="A\n")
    cases = tmp_path / "cases.json"

    def write(first: str) -> None:
        both = [{"task": "smoke", "must": [first]}, {"task": "smoke", "must": ["absent"]}]
        cases.write_text(json.dumps({"version": 1, "cases": both}), encoding="utf-8")

    write("smoke-tests-run-nightly")
    engram.ok("benchmark", str(cases), "--baseline", str(tmp_path / "b.json"))
    engram.ok("benchmark", str(cases), "--baseline", str(tmp_path / "b.json"))
    write("missing-now")
    assert engram.run("benchmark", str(cases), "--baseline", str(tmp_path / "b.json")).returncode == 6


def test_a_case_that_asks_for_nothing_is_refused(engram: Runner, tmp_path: Path) -> None:
    engram.ok("inject")
    cases = tmp_path / "cases.json"
    for case, named in (
        ({"task": "smoke", "musts": ["smoke-tests"]}, "musts"),
        ({"task": "smoke", "must": ["smoke-tests"], "mustnot": []}, "mustnot"),
        ({"task": "smoke", "must": [], "must_not": []}, "whatever comes"),
        ({"task": " ", "must": ["smoke-tests"]}, "task"),
        ({"task": "smoke", "must": ["a", "smoke-tests"], "must_not": ["Smoke-Tests"]}, "smoke-tests"),
        ({"task": "smoke", "must": [1]}, "lists of ids"),
    ):
        cases.write_text(json.dumps({"version": 1, "cases": [case]}), encoding="utf-8")
        done = engram.run("benchmark", str(cases))
        assert (done.returncode, "Case 1" in done.stderr, named in done.stderr) == (2, True, True), done.stderr
    cases.write_text('{"version": 1, "cases": []}', encoding="utf-8")
    assert engram.run("benchmark", str(cases)).returncode == 2


def test_a_case_passes_by_what_a_load_gives_and_not_by_what_the_budget_leaves_out(
    remembered: Runner, tmp_path: Path
) -> None:  # C34
    for number in range(12):
        words = " ".join(f"seam{number}x{place}" for place in range(40))
        remembered.save("knowledge", f"The zeppelin {words}.", "--title", f"Zeppelin {number}")
    remembered.ok("config", "set", "load.max_tokens", "200")
    data = remembered.json("load", "zeppelin")["data"]
    assert data["omitted_ids"]
    cases = tmp_path / "cases.json"
    case = {"task": "zeppelin", "must": [data["omitted_ids"][0]]}
    cases.write_text(json.dumps({"version": 1, "cases": [case]}), encoding="utf-8")
    assert f"missing {data['omitted_ids'][0]}" in remembered.run("benchmark", str(cases)).stdout
    (judged,) = remembered.json("benchmark", str(cases))["data"]["cases"]
    assert judged["brought"] == data["selected_keys"]


def test_ids_of_a_case_may_name_their_scope_and_those_of_no_memory_are_named(
    remembered: Runner, tmp_path: Path
) -> None:  # F12
    pnpm = "use-pnpm-for-every-install"
    cases = tmp_path / "cases.json"

    def run(**case: list[str]) -> tuple[int, str, str]:
        text = json.dumps({"version": 1, "cases": [{"task": "install a package", **case}]})
        cases.write_text(text, encoding="utf-8")
        done = remembered.run("benchmark", str(cases))
        return done.returncode, done.stdout, done.stderr

    assert run(must=[pnpm.upper(), f"workspace/{pnpm}"], must_not=["prices-are-integers-in-cents"])[::2] == (0, "")
    assert run(must_not=[f"workspace/{pnpm}"])[0] == 6
    code, out, said = run(must=[f"global/{pnpm}"])
    assert code == 6
    assert f"missing global/{pnpm}" in out
    assert f"No memory here has the id global/{pnpm}." in said
    code, _, said = run(must=[pnpm], must_not=["prices-are-intgers", "prices-are-integers-in-cents"])
    assert (code, said) == (0, "warning: No memory here has the id prices-are-intgers.\n")
    code, _, said = run(must=["../rules/x"])
    assert code == 2
    assert "Case 1" in said
    remembered.ok("archive", "prices-are-integers-in-cents", "--reason", "No more")
    assert run(must=[pnpm], must_not=["prices-are-integers-in-cents"])[::2] == (0, ""), "it is out, and was meant"


def test_a_case_that_fails_for_a_file_edited_by_hand_says_so(remembered: Runner, root: Path, tmp_path: Path) -> None:
    pnpm = root / "rules" / "use-pnpm-for-every-install.md"  # F13
    pnpm.write_bytes(pnpm.read_bytes() + b"- Or npm.\n")
    cases = tmp_path / "cases.json"
    case = {"task": "install a package", "must": [pnpm.stem]}
    cases.write_text(json.dumps({"version": 1, "cases": [case]}), encoding="utf-8")
    done = remembered.run("benchmark", str(cases))
    assert done.returncode == 6
    assert "engram verify --review" in done.stderr


def test_load_all_gives_weak_matches_too_and_is_bound_by_no_budget_but_the_largest(engram: Runner, root: Path) -> None:
    assert root.is_dir()
    for number in range(20):
        engram.save("rule", f"Deploy step {number} needs a long explanation of what happens to the service " * 6)
    data = engram.json("load", "deploy step service", "--all")["data"]
    assert len(data["body_keys"]) == 20
    assert data["omitted_ids"] == []
    assert engram.json("load", "deploy step service", "--all", "--budget-tokens", "400")["data"]["tokens"] <= 400
    weak = "the keyboard layout of the laptop of the woman who sat beside Napoleon saw a service"
    assert keys(engram, weak) == []
    assert len(engram.json("load", weak, "--all")["data"]["selected_keys"]) == 20


@pytest.mark.parametrize("command", ["load", "search", "route"])
def test_a_dry_run_says_what_would_be_given_and_its_size_without_its_text(remembered: Runner, command: str) -> None:
    whole = remembered.ok(command, "prices")
    text = remembered.ok(command, "prices", "--dry-run")
    assert "prices-are-integers-in-cents" in text
    assert text.splitlines()[-1].endswith(" tokens")
    data = remembered.json(command, "prices", "--dry-run", "--all", "--explain")["data"]
    assert data["tokens"] > 0
    assert data["explain"]["hits"][0]["key"] == "prices-are-integers-in-cents"
    if command != "load":
        assert "Prices are" in whole
        assert "Prices are" not in text
        assert set(data["entries"][0]) == {"id", "type", "scope", "score"}


def test_graph_explains_its_layers_and_what_it_leaves_out_and_all_draws_that_too(remembered: Runner) -> None:
    remembered.save("knowledge", "Prices are decimals in euros.", "--supersedes", "prices-are-integers-in-cents")
    needed, skill = "use-pnpm-for-every-install", "cut-a-release-from-the-main-branch"
    text = remembered.ok("graph", "--explain")
    assert f"{needed}: layer 0: needs nothing that is here; needed by {skill}" in text
    assert f"{skill}: layer 1: needs {needed}" in text
    assert "left out prices-are-integers-in-cents: superseded by prices-are-decimals-in-euros" in text
    assert "left out: 1 memory that depends on nothing" in text
    data = remembered.json("graph", "--all", "--explain")["data"]
    assert {key for layer in data["layers"] for key in layer} == {
        needed, skill, "prices-are-integers-in-cents", "prices-are-decimals-in-euros",
    }  # fmt: skip
    assert data["explain"]["left_out"] == {}
    assert data["explain"]["alone"] == 0
    assert "prices" not in remembered.ok("graph")
    lines = remembered.ok("graph", "--dry-run").splitlines()
    assert lines[:2] == [needed, skill]
    assert lines[2].endswith(" tokens")
    done = remembered.run("graph", "--format", "dot", "--explain")
    assert done.stdout == remembered.ok("graph", "--format", "dot"), "what explains a drawing is no part of it"
    assert f"{skill}: layer 1" in done.stderr


def to_link(cache: Path, target: Path) -> None:
    cache.symlink_to(target, target_is_directory=True)


CACHES: dict[str, Callable[[Path, Path], object]] = {
    "a link out of the memory": to_link,
    "a link to nothing": lambda cache, outside: to_link(cache, outside / "nothing"),
    "a link to nothing in the memory": lambda cache, _: to_link(cache, cache.parent / "nothing"),
    "a link to itself": lambda cache, _: to_link(cache, cache),
    "a file": lambda cache, _: cache.write_bytes(b"x"),
}


@pytest.mark.parametrize("kind", CACHES)
def test_whatever_stands_where_the_cache_belongs_recall_answers_and_nothing_is_written_outside(
    remembered: Runner, root: Path, tmp_path: Path, kind: str
) -> None:  # E2, F4
    questions = (*QUESTIONS[1:], ("graph",), ("list",), ("load", "--id", "use-pnpm-for-every-install"))
    before = [remembered.ok(*question) for question in questions]
    shutil.rmtree(root / ".cache")
    outside = tmp_path / "outside"
    outside.mkdir()
    CACHES[kind](root / ".cache", outside)
    for question, answer in zip(questions, before, strict=True):
        done = remembered.run(*question)
        assert (done.returncode, done.stdout) == (0, answer), (question, done.stderr)
    done = remembered.run("load", "install a package")
    assert ".cache" in done.stderr, "what is in the way is named"
    assert "Errno" not in done.stderr
    assert os.listdir(outside) == []
    remembered.ok("status", "--deep")
    remembered.save("rule", "Never deploy on Friday.")
    assert keys(remembered, "deploy on friday") == ["never-deploy-on-friday"]
    assert os.listdir(outside) == []


def test_processes_that_meet_a_memory_without_an_index_all_give_the_same_pack(engram: Runner, root: Path) -> None:
    # Each of them builds the index, or finds one that another has just put in place.
    engram.save("knowledge", "Service zero deploys to region zero.", "--title", "Number 0")
    pattern = (root / "knowledge" / "number-0.md").read_text(encoding="utf-8")
    lines = []
    for number in range(1, 400):
        text = pattern.replace("number-0", f"number-{number}").replace("Number 0", f"Number {number}")
        text = text.replace("region zero", f"region {number % 7} with cache shard {number % 31}")
        (root / "knowledge" / f"number-{number}.md").write_text(text, encoding="utf-8", newline="\n")
        lines.append(f"{sha256(text.encode()).decode()}  knowledge/number-{number}.md\n")
    with (root / "SHA256SUMS").open("a", encoding="utf-8", newline="\n") as ledger:
        ledger.writelines(lines)
    task = "deploy the cache shard of region 3"
    expected = engram.ok("load", task)
    assert "cache shard" in expected
    for _ in range(2):
        shutil.rmtree(root / ".cache")
        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda _: engram.run("load", task), range(8)))
        assert [(one.returncode, one.stdout, one.stderr) for one in done] == [(0, expected, "")] * 8
