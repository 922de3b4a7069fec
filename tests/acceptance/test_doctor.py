"""`engram doctor` on files as hosts have them (C7, C9)."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner


def findings(engram: Runner, *options: str) -> dict[str, dict[str, Any]]:
    """Return the findings by their ids."""
    found = engram.json("doctor", *options)["data"]["findings"]
    return {one["id"]: one for one in found}


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def home(engram: Runner) -> Path:
    from pathlib import Path

    return Path(engram.scratch.env["HOME"])


@pytest.fixture
def linked(engram: Runner) -> Runner:
    engram.ok("inject")
    engram.ok("link", "claude")
    return engram


def test_a_linked_host_whose_server_starts_is_no_finding(linked: Runner) -> None:
    found = findings(linked)
    assert not {"host.start", "host.stale", "host.unlinked", "host.command"} & found.keys()
    assert "host.claude_pending" in found
    hosts = linked.json("doctor")["data"]["hosts"]
    assert "workspace: mcp" in hosts["claude"]
    assert set(hosts) == {"claude"}


def test_what_was_linked_and_is_gone_is_said_with_the_command(linked: Runner) -> None:  # C9 host.unlinked
    os.unlink(linked.cwd / ".mcp.json")
    found = findings(linked)["host.unlinked"]
    assert found["command"] == "engram link claude --workspace"
    assert linked.run("doctor").returncode == 0
    assert linked.run("doctor", "--strict").returncode == 1
    linked.ok("link", "claude")
    assert "host.unlinked" not in findings(linked)


def test_a_broken_file_of_a_host_is_an_error(linked: Runner) -> None:
    write(linked.cwd / ".mcp.json", '{"mcpServers": {')
    assert findings(linked)["host.broken"]["level"] == "error"
    assert linked.run("doctor").returncode == 1


def test_gemini_that_trusts_the_server_is_a_warning(engram: Runner) -> None:  # C9 host.gemini_trust
    engram.ok("inject")
    file = write(
        engram.cwd / ".gemini" / "settings.json", '{"mcpServers": {"engram": {"command": "x", "trust": true}}} // ours'
    )
    assert findings(engram)["host.gemini_trust"]["file"] == file


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (".claude/settings.json", '{"permissions": {"allow": ["mcp__engram"]}}'),
        (".claude/settings.json", '{"permissions": {"allow": ["mcp__engram__engram_commit"]}}'),
        (".claude/settings.local.json", '{"permissions": {"defaultMode": "bypassPermissions"}}'),
        ("~/.claude/settings.json", '{"permissions": {"allow": ["*"]}}'),
        ("opencode.json", '{"permission": {"engram_*": "allow"}}'),
        ("opencode.jsonc", '{"permission": "allow" /* all */}'),
        ("~/.cursor/permissions.json", '{"mcpAllowlist": ["engram:*"]}'),
        (
            "~/.cline/data/settings/cline_mcp_settings.json",
            '{"mcpServers": {"engram": {"command": "x", "autoApprove": ["engram_commit"]}}}',
        ),
        (
            "~/.codex/config.toml",
            '[mcp_servers.engram]\ncommand = "x"\ndefault_tools_approval_mode = "approve"\n',
        ),
    ],
)
def test_a_host_that_commits_with_nobody_asked_is_named(engram: Runner, place: str, text: str) -> None:  # C9
    engram.ok("inject")
    folder = home(engram) if place.startswith("~") else engram.cwd
    file = write(folder / place.removeprefix("~/"), text)
    found = findings(engram)["host.commit_unasked"]
    assert (found["level"], found["file"]) == ("warning", file)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (".claude/settings.json", '{"permissions": {"allow": ["mcp__engram__engram_load", "Bash(ls:*)"]}}'),
        ("opencode.json", '{"permission": {"engram_*": "allow", "engram_engram_commit": "ask"}}'),
        ("~/.cursor/permissions.json", '{"mcpAllowlist": ["engram:engram_load"]}'),
    ],
)
def test_reading_tools_may_run_unasked(engram: Runner, place: str, text: str) -> None:
    engram.ok("inject")
    write((home(engram) if place.startswith("~") else engram.cwd) / place.removeprefix("~/"), text)
    assert "host.commit_unasked" not in findings(engram)


def test_codex_as_link_wrote_it_is_no_finding_but_with_no_dialog_it_is(engram: Runner) -> None:  # C7, C9
    engram.ok("inject")
    engram.ok("link", "codex", "--global")
    file = home(engram) / ".codex" / "config.toml"
    assert not {"host.codex_commit", "host.commit_unasked"} & findings(engram).keys()
    text = file.read_text(encoding="utf-8")
    assert 'approval_mode = "approve"' in text
    write(file, text.replace("args = []", 'args = ["--no-elicitation"]'))
    assert findings(engram)["host.codex_commit"]["level"] == "warning"


def test_a_command_that_a_clone_brought_is_named_and_never_run(engram: Runner, tmp_path: Path) -> None:
    engram.ok("inject")
    trap = tmp_path / "trap"
    write(trap, f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    write(engram.cwd / ".mcp.json", json.dumps({"mcpServers": {"engram": {"command": str(trap), "args": []}}}))
    found = findings(engram)
    assert {"host.foreign", "host.command"} <= found.keys()
    assert not (tmp_path / "sprung").exists()


def test_memory_that_git_ignores_and_what_it_should_not_track(engram: Runner) -> None:
    engram.ok("inject")
    write(engram.cwd / ".gitignore", ".agents\n")
    assert "git.ignored" in findings(engram)
    os.unlink(engram.cwd / ".gitignore")
    private = engram.cwd / ".agents" / ".engram" / "inbox" / "x.json"
    write(private, "{}")
    subprocess.run(["git", "add", "--force", private], cwd=engram.cwd, env=engram.scratch.env, check=True)
    assert ".agents/.engram/inbox/x.json" in findings(engram)["git.private"]["message"]


def test_memory_that_needs_a_look_is_named(engram: Runner) -> None:
    assert findings(engram)["memory.none"]["command"] == "engram inject"
    engram.ok("inject")
    engram.ok("save", "rule", "Use pnpm.", input="A\n")
    write(engram.cwd / ".agents" / ".engram" / "rules" / "use-pnpm.md", "---\nid: use-pnpm\n---\n# x\n")
    assert "engram verify" in findings(engram)["memory.attention"]["command"]
