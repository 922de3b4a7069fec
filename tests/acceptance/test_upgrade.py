"""`engram upgrade` (C4, C12, F7, F14): a plan, then today's form, then nothing to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases", "legacy-root", ".agents")


def files(root: Path) -> dict[str, bytes]:
    found = [path for path in sorted(root.rglob("*")) if path.is_file() and ".cache" not in path.parts]
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


@pytest.fixture
def legacy(engram: Runner) -> Path:
    shutil.copytree(CASES, engram.cwd / ".agents")
    return engram.cwd / ".agents" / ".engram"


def body_of(data: bytes) -> bytes:
    """Return what stands below the frontmatter."""
    text = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    return text.split(b"\n---\n", 1)[1]


def test_a_plan_writes_nothing(engram: Runner, legacy: Path) -> None:
    before = files(legacy)
    text = engram.ok("upgrade", "--plan", "--migrate-memories")
    assert "would be rewritten as schema 3" in text
    assert "memory.hashes.json would be taken away" in text
    assert files(legacy) == before


def test_older_memories_keep_their_bodies_and_a_copy(engram: Runner, legacy: Path) -> None:  # F7, F8, F14
    before = files(legacy)
    engram.ok("upgrade", "--migrate-memories")
    after = files(legacy)
    assert "memory.hashes.json" not in after
    older = [name for name in after if name.endswith(".pre-v3.bak")]
    assert older
    for name in older:
        path = name.removesuffix(".pre-v3.bak")
        assert after[name] == before[path]
        assert body_of(after[path]) == body_of(before[path])
        assert b"schema_version: 3" in after[path]
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=legacy, check=True)
    assert engram.run("verify").returncode == 0
    assert "Everything is of today's form already." in engram.ok("upgrade", "--migrate-memories")
    assert files(legacy) == after


def test_memories_are_not_rewritten_silently(engram: Runner, legacy: Path) -> None:  # F7
    before = files(legacy)
    text = engram.ok("upgrade")
    assert "engram upgrade --migrate-memories rewrites them" in text
    after = files(legacy)
    assert {name: data for name, data in after.items() if name.endswith(".md") and "/" in name} == {
        name: data for name, data in before.items() if name.endswith(".md") and "/" in name
    }
    assert "memory.hashes.json" not in after
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=legacy, check=True)


def test_entries_are_pinned_afresh_and_other_words_stay(engram: Runner) -> None:  # C4, C12
    engram.ok("inject")
    engram.ok("link", "claude")
    file = engram.cwd / ".mcp.json"
    linked = file.read_text(encoding="utf-8")
    old = json.loads(linked)
    old["mcpServers"]["engram"] = {
        "command": "uvx",
        "args": ["--from", "the-long-ride-engram==0.0.1", "engram-mcp"],
    }
    old["mcpServers"]["other"] = {"command": "other"}
    file.write_text(json.dumps(old, indent=4) + "\n", encoding="utf-8")
    assert ".mcp.json" in engram.ok("upgrade", "--plan")
    engram.ok("upgrade")
    new = json.loads(file.read_text(encoding="utf-8"))
    assert new["mcpServers"]["other"] == {"command": "other"}
    assert "0.0.1" not in json.dumps(new)
    assert "Everything is of today's form already." in engram.ok("upgrade")


def test_a_review_of_a_persons_edits_needs_a_terminal(engram: Runner) -> None:  # C12
    engram.ok("inject")
    engram.ok("link", "claude")
    block = engram.cwd / "CLAUDE.md"
    text = block.read_text(encoding="utf-8")
    block.write_text(text.replace("memory", "remembrance", 1), encoding="utf-8")
    edited = block.read_bytes()
    done = engram.run("upgrade", "--review")
    assert done.returncode == 5
    assert block.read_bytes() == edited


def edited(file: Path, old: str, new: str) -> bytes:
    """Change a text in a file, as a person does, and return its bytes then."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return file.read_bytes()


def test_a_file_that_hosts_share_is_named_and_asked_about_once(engram: Runner, terminal: Any) -> None:  # C12
    engram.ok("inject")
    (engram.cwd / "CLAUDE.md").symlink_to("AGENTS.md")
    engram.ok("link", "opencode", "copilot", "agents-md", "claude")
    guide = engram.cwd / "AGENTS.md"
    fresh = guide.read_bytes()
    mine = edited(guide, "Before a task", "Before ANY task")
    out = engram.ok("upgrade")
    assert out.count("its block was edited") == 1
    assert "Codex" not in out  # it reads the file too, and nobody linked it
    assert "1 part edited by hand" in out
    for answer, kept in (("Q\n", mine), ("S\n", mine), ("what\nA\n", fresh)):
        shown = terminal("upgrade", "--review")
        shown.wait_for("Q ends")
        shown.type(answer)
        ended = shown.end()
        assert ended.code == 0
        assert guide.read_bytes() == kept
        assert ended.text.count("Q ends") == 1 + answer.count("what")
        assert ended.text.count("Please answer A, S or Q.") == answer.count("what")
    assert "Everything is of today's form already." in engram.ok("upgrade")


def test_a_review_says_what_could_not_be_written(engram: Runner, terminal: Any) -> None:  # C1
    engram.ok("inject")
    engram.ok("link", "claude")
    guide = engram.cwd / "CLAUDE.md"
    mine = edited(guide, "Before a task", "Before ANY task")
    guide.chmod(0o444)
    shown = terminal("upgrade", "--review")
    ended = shown.end()
    assert ended.code == 1
    assert "it is read-only" in ended.text
    assert "Written afresh" not in ended.text
    assert guide.read_bytes() == mine


def test_entries_and_hooks_that_a_person_changed_are_left_and_shown_in_a_review(
    engram: Runner, terminal: Any
) -> None:  # C12
    engram.ok("inject")
    engram.ok("link", "claude", "--no-instructions")
    entry, hooks = engram.cwd / ".mcp.json", engram.cwd / ".claude" / "settings.json"
    fresh = entry.read_bytes(), hooks.read_bytes()
    mine = edited(entry, '"args": []', '"args": [], "env": {"A": "1"}'), edited(hooks, "hook claude", "hook claude --x")
    assert "2 parts edited by hand" in engram.ok("upgrade")
    assert (entry.read_bytes(), hooks.read_bytes()) == mine
    found = {one["id"]: one for one in engram.json("doctor")["data"]["findings"]}
    assert found["host.edited"]["command"] == "engram upgrade --review"
    assert not {"host.stale", "host.partial", "host.not_linked"} & found.keys()
    shown = terminal("upgrade", "--review")
    for times in (1, 2):
        shown.wait_for("Q ends", times)
        shown.type("A\n")
    ended = shown.end()
    assert ended.code == 0
    assert '-      "args": [], "env": {"A": "1"}' in ended.text
    assert "hook claude --x" in ended.text
    assert (entry.read_bytes(), hooks.read_bytes()) == fresh


def test_a_plan_counts_the_files_of_the_memory_too(engram: Runner, legacy: Path) -> None:  # F7, F14
    older = [path for path in legacy.rglob("*.md") if b"schema_version: 3" not in path.read_bytes()]
    older = [
        path for path in older if path.parent.name in {"rules", "skills", "knowledge"} and "archive" not in str(path)
    ]
    text = engram.ok("upgrade", "--plan", "--migrate-memories")
    assert text.rstrip().endswith(f"A plan: {len(older) + 2} files would change, and nothing was written.")


def test_a_file_of_ours_that_broke_is_named(engram: Runner) -> None:  # C8
    engram.ok("inject")
    engram.ok("link", "claude")
    (engram.cwd / ".mcp.json").write_text("{", encoding="utf-8")
    done = engram.run("upgrade")
    assert done.returncode == 1
    assert ".mcp.json was left as it is: line 1" in done.stderr
    assert "Everything is of today's form" not in done.stdout
    done = engram.run("upgrade", cwd=engram.cwd.parent)  # nothing was linked there
    assert done.returncode == 0


def test_a_hook_that_its_host_wants_to_review_again_is_said(engram: Runner) -> None:  # issue 5: Codex's hook trust
    engram.ok("inject")
    engram.ok("link", "codex", "--global")
    hooks = engram.scratch.home / ".codex" / "hooks.json"
    found = json.loads(hooks.read_text(encoding="utf-8"))
    for groups in found["hooks"].values():
        groups[0]["hooks"][0]["command"] = "uvx --from the-long-ride-engram==0.0.1 engram hook codex"
    hooks.write_text(json.dumps(found), encoding="utf-8")
    out = engram.ok("upgrade")
    assert "hooks         updated: " in out
    assert "Codex runs a hook only after you reviewed it" in out
    assert "reviewed" not in engram.ok("upgrade")


def test_another_tool_whose_server_has_the_same_name_is_left(engram: Runner, terminal: Any, tmp_path: Path) -> None:
    other = tmp_path / "other" / "engram-mcp"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n", encoding="utf-8")
    other.chmod(0o755)
    settings = engram.cwd / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"mcpServers": {"engram": {"command": str(other), "args": []}}}), encoding="utf-8")
    before = settings.read_bytes()
    assert f"{other} is another program" in engram.ok("upgrade")
    engram.run("doctor", "--fix")
    assert settings.read_bytes() == before
    shown = terminal("upgrade", "--review")
    shown.wait_for("Q ends")
    shown.type("A\n")
    assert shown.end().code == 0
    assert str(other).encode() not in settings.read_bytes()


def test_a_review_shows_what_it_asks_about_also_where_its_result_goes_into_a_file(
    engram: Runner, terminal: Any, tmp_path: Path
) -> None:
    engram.ok("link", "claude")
    edited(engram.cwd / "CLAUDE.md", "Before a task", "Before ANY task")
    with (tmp_path / "out").open("wb") as out:
        shown = terminal("upgrade", "--review", "--json", out=out.fileno())
        shown.wait_for("Q ends")
        assert "-- Before ANY task" in shown.shown
        shown.type("\x04")
        assert shown.end().code == 0
    assert json.loads((tmp_path / "out").read_bytes())["ok"] is True


def test_a_migrated_memory_reads_as_before(engram: Runner, legacy: Path) -> None:  # F7
    trusted = {"ENGRAM_TRUST": "1"}
    listed = engram.ok("list", env=trusted)
    ids = [line.split()[0] for line in listed.splitlines()]
    before = [engram.ok("load", "--id", name, env=trusted) for name in ids]
    assert (legacy / "skills" / "skill-cut-a-release.md").read_text(encoding="utf-8").count(
        "# Skill: Cut a release"
    ) == 1
    engram.ok("upgrade", "--migrate-memories", env=trusted)
    assert engram.ok("list", env=trusted) == listed
    assert [engram.ok("load", "--id", name, env=trusted) for name in ids] == before
    line = "TYPE: skill | UPDATE: skill-cut-a-release | TITLE: Rule: Cut every release | TEXT: Push the tag."
    engram.ok("save-session", "--force", "--file", "-", input=line, env=trusted)
    assert "Rule: Cut every release" in engram.ok("list", env=trusted)
