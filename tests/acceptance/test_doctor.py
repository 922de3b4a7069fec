"""`engram doctor` on files as hosts have them (C7, C9)."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import make_repository

import engram as package

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
    said = "The MCP entry of claude was linked, and is no longer there: engram link claude --workspace"
    assert said in linked.ok("status").splitlines()
    (gone,) = linked.json("status")["data"]["unlinked"]
    assert gone["command"] == "engram link claude --workspace"
    assert linked.run("doctor").returncode == 0
    assert linked.run("doctor", "--strict").returncode == 1
    linked.ok("link", "claude")
    assert "host.unlinked" not in findings(linked)
    assert linked.json("status")["data"]["unlinked"] == []


def test_a_broken_file_of_a_host_is_an_error(linked: Runner) -> None:
    write(linked.cwd / ".mcp.json", '{"mcpServers": {')
    assert findings(linked)["host.broken"]["level"] == "error"
    assert findings(linked)["host.broken"]["advice"] == "Put it right by hand, then run the command again."
    assert findings(linked)["host.broken"]["command"] == f"vi {linked.cwd / '.mcp.json'}"
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
        ("opencode.json", '{"permission": {"engram_*": "ask", "*": "allow"}}'),
        (".vscode/settings.json", '{"chat.tools.global.autoApprove": true}'),
        ("~/.cursor/cli-config.json", '{"permissions": {"allow": ["Mcp(engram:*)"]}}'),
        (".cursor/cli.json", '{"permissions": {"allow": ["Mcp(*:*)"]}}'),
        (".claude/settings.json", '{"permissions": {"allow": ["mcp__engram__engram_*"]}}'),
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
        (".claude/settings.json", '{"permissions": {"allow": ["mcp__engram"], "ask": ["mcp__engram__engram_commit"]}}'),
        ("opencode.json", '{"permission": {"engram_*": "allow", "engram_engram_commit": "ask"}}'),
        ("opencode.json", '{"permission": {"*": "allow", "engram_*": "ask"}}'),
        ("~/.cursor/permissions.json", '{"mcpAllowlist": ["engram:engram_load"]}'),
        (
            ".cursor/cli.json",
            '{"permissions": {"allow": ["Mcp(engram:*)", "Read(**)"], "deny": ["Mcp(engram:engram_commit)"]}}',
        ),
    ],
)
def test_reading_tools_may_run_unasked(engram: Runner, place: str, text: str) -> None:
    engram.ok("inject")
    write((home(engram) if place.startswith("~") else engram.cwd) / place.removeprefix("~/"), text)
    assert "host.commit_unasked" not in findings(engram)


def test_vs_code_that_asks_for_no_tool_in_any_project_is_named(engram: Runner) -> None:  # C9
    engram.ok("inject")
    folder = {
        "darwin": home(engram) / "Library" / "Application Support",
        "win32": home(engram) / "AppData" / "Roaming",
    }.get(sys.platform, home(engram) / ".config")
    text = '{// mine\n "chat.tools.global.autoApprove": true}'
    file = write(folder / "Code" / "User" / "settings.json", text)
    env = {"XDG_CONFIG_HOME": "", "APPDATA": ""}
    found = engram.json("doctor", env=env)["data"]["findings"]
    assert [one["file"] for one in found if one["id"] == "host.commit_unasked"] == [file]


def test_codex_as_link_wrote_it_is_no_finding_but_with_no_dialog_it_is(engram: Runner) -> None:  # C7, C9
    engram.ok("inject")
    engram.ok("link", "codex", "--global")
    file = home(engram) / ".codex" / "config.toml"
    assert not {"host.codex_commit", "host.commit_unasked"} & findings(engram).keys()
    text = file.read_text(encoding="utf-8")
    assert 'approval_mode = "approve"' in text
    write(file, text.replace("args = []", 'args = ["--no-elicitation"]'))
    assert findings(engram)["host.codex_commit"]["level"] == "warning"


def test_what_is_said_to_write_prompt_does(engram: Runner) -> None:  # C7, C9 host.codex_commit
    engram.ok("link", "codex", "--global")
    file = home(engram) / ".codex" / "config.toml"
    write(file, file.read_text(encoding="utf-8").replace("args = []", 'args = ["--no-elicitation"]'))
    command = findings(engram)["host.codex_commit"]["command"]
    engram.ok(*command.split()[1:])
    assert "host.codex_commit" not in findings(engram)


# What Codex 0.171.0 says of these hooks itself (`hooks/list` of its app server, `currentHash`).
CODEX_HASHES = {
    "session_start": "sha256:09f4ed02896aeb0788df34dc5be84ec9103ed3ff4bb28f5b6c0df18710dfa180",
    "user_prompt_submit": "sha256:72fa7d6df1e753dbcbaacfcc788e22fe545e65ffdd26e81abc4b4697d492c28c",
}


@pytest.mark.parametrize("scope", ["--global", "--workspace"])
def test_codex_hooks_wait_until_each_of_them_was_reviewed_as_it_is(engram: Runner, scope: str) -> None:
    folder = os.path.dirname(sys.executable)
    bare = {"PATH": folder + os.pathsep + engram.scratch.env["PATH"], "VIRTUAL_ENV": ""}
    engram.ok("link", "codex", scope, env=bare)
    hooks = (home(engram) if scope == "--global" else engram.cwd) / ".codex" / "hooks.json"
    assert '"command": "engram hook codex"' in hooks.read_text(encoding="utf-8")
    user = home(engram) / ".codex" / "config.toml"
    before = user.read_text(encoding="utf-8") if user.exists() else ""

    def waits(reviewed: dict[str, str]) -> bool:
        states = [f'\n[hooks.state."{name}"]\ntrusted_hash = "{value}"\n' for name, value in reviewed.items()]
        write(user, before + "".join(states))
        return "host.codex_hooks" in findings(engram)

    names = {event: f"{hooks}:{event}:0:0" for event in CODEX_HASHES}
    reviewed = {names[event]: value for event, value in CODEX_HASHES.items()}
    assert waits({})
    assert waits({"/elsewhere/hooks.json:stop:0:0": "sha256:1"})  # another hook says nothing about ours
    assert waits({names["session_start"]: CODEX_HASHES["session_start"]})
    assert waits({**reviewed, names["session_start"]: "sha256:1"})
    assert not waits(reviewed)
    assert "host.note" not in findings(engram)
    write(user, before + '\n[[hooks.Stop]]\nhooks = [{type = "command", command = "date"}]\n')
    assert ("host.note" in findings(engram)) == (scope == "--global")


def test_codex_reads_a_project_that_it_trusts(engram: Runner) -> None:  # C7b
    engram.ok("link", "codex", "--workspace")
    assert findings(engram)["host.codex_folder"]["level"] == "info"
    write(home(engram) / ".codex" / "config.toml", f'[projects."{engram.cwd}"]\ntrust_level = "trusted"\n')
    assert "host.codex_folder" not in findings(engram)


def test_gemini_waits_for_the_folders_trust(engram: Runner) -> None:
    engram.ok("link", "gemini", "--global")
    folder, above = str(engram.cwd), str(engram.cwd.parent)
    rules: dict[str, bool] = {
        json.dumps({folder: "TRUST_FOLDER"}): True,
        json.dumps({above: "TRUST_FOLDER"}): True,
        json.dumps({folder: "TRUST_PARENT"}): True,
        json.dumps({folder: "DO_NOT_TRUST"}): False,
        json.dumps({above: "TRUST_FOLDER", folder: "DO_NOT_TRUST"}): False,
        json.dumps({folder[:-1]: "TRUST_FOLDER"}): False,
        json.dumps({folder + "/inner": "TRUST_FOLDER"}): False,
    }
    assert "host.gemini_folder" in findings(engram)
    for text, trusted in rules.items():
        write(home(engram) / ".gemini" / "trustedFolders.json", text)
        assert ("host.gemini_folder" not in findings(engram)) == trusted, text
    file = home(engram) / ".gemini" / "settings.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    write(file, json.dumps({**data, "security": {"folderTrust": {"enabled": False}}}))
    assert "host.gemini_folder" not in findings(engram)


def test_what_claude_was_told_about_the_project_counts(linked: Runner) -> None:
    assert "host.claude_pending" in findings(linked)
    own = home(linked) / ".claude.json"
    write(own, json.dumps({"projects": {str(linked.cwd): {"enabledMcpjsonServers": ["engram"]}}}))
    assert not {"host.claude_pending", "host.claude_disabled"} & findings(linked).keys()
    write(own, json.dumps({"projects": {str(linked.cwd): {"disabledMcpjsonServers": ["engram"]}}}))
    found = findings(linked)
    assert "host.claude_pending" not in found
    assert found["host.claude_disabled"]["file"] == str(own)


def test_the_server_that_claude_has_for_all_projects_is_looked_at(engram: Runner) -> None:  # C2, C4
    engram.ok("link", "claude", "--global")
    own = home(engram) / ".claude.json"
    printed = findings(engram)["host.claude_user"]["command"]
    assert printed in engram.ok("link", "claude", "--global")
    words = printed.partition(" -- ")[2].split()
    for command, finding in (
        ({"command": words[0], "args": words[1:]}, ""),
        ({"command": "/gone/bin/engram-mcp", "args": []}, "host.stale"),
        ({"command": "node", "args": ["engram.js"]}, "host.foreign"),
    ):
        write(own, json.dumps({"mcpServers": {"engram": {"type": "stdio", **command}}}))
        found = findings(engram)
        assert "host.claude_user" not in found
        assert {"host.stale", "host.foreign"} & found.keys() == ({finding} if finding else set())
    engram.ok("unlink", "claude", "--global")
    own.unlink()
    assert "host.claude_user" not in findings(engram)


def test_another_program_of_that_name_on_path_is_named_and_never_run(engram: Runner, tmp_path: Path) -> None:
    trap = write(tmp_path / "first" / "engram", f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    os.chmod(trap, 0o755)
    path = f"{tmp_path}/first{os.pathsep}{engram.scratch.env['PATH']}"
    found = engram.json("doctor", env={"PATH": path})["data"]["findings"]
    other = next(one for one in found if one["id"] == "install.other")
    assert other["file"] == trap
    assert not (tmp_path / "sprung").exists()


def test_a_file_that_hosts_share_is_named_once(engram: Runner) -> None:
    write(engram.cwd / ".mcp.json", '{"mcpServers": {"engram": {"command": "x"}}}')  # Claude's, and read by Copilot
    found = engram.json("doctor")["data"]["findings"]
    assert [one["id"] for one in found].count("host.foreign") == 1


def test_what_fix_mends_is_what_engram_wrote_and_nobody_edited(linked: Runner) -> None:
    settings = linked.cwd / ".claude" / "settings.json"
    entry = linked.cwd / ".mcp.json"
    good = entry.read_text(encoding="utf-8"), settings.read_text(encoding="utf-8")
    words = json.loads(good[0])["mcpServers"]["engram"]
    write(entry, good[0].replace(json.dumps(words["command"]), '"/gone/bin/engram-mcp"'))
    write(linked.cwd / "CLAUDE.md", (linked.cwd / "CLAUDE.md").read_text(encoding="utf-8").replace("human", "person"))
    edited = (linked.cwd / "CLAUDE.md").read_text(encoding="utf-8")
    assert {"host.stale", "host.edited"} <= findings(linked).keys()
    done = linked.run("doctor", "--fix")
    assert "Mended: claude: mcp" in done.stdout
    assert (entry.read_text(encoding="utf-8"), settings.read_text(encoding="utf-8")) == good
    assert (linked.cwd / "CLAUDE.md").read_text(encoding="utf-8") == edited
    assert "host.stale" not in findings(linked)


def test_a_memory_that_changed_since_its_approval_is_named(linked: Runner) -> None:  # F13
    linked.ok("save", "rule", "Use pnpm for every install.", input="A\n")
    with open(linked.cwd / ".agents/.engram/rules/use-pnpm-for-every-install.md", "a", encoding="utf-8") as file:
        file.write("- and more\n")
    found = findings(linked)["memory.skipped"]
    assert "use-pnpm-for-every-install.md: it changed since it was approved" in found["message"]


@pytest.mark.skipif(os.name != "posix", reason="locks as POSIX has them")
def test_a_lock_that_is_held_and_a_journal_that_nobody_can_finish_are_named(linked: Runner) -> None:  # F15, F16
    import fcntl

    root = linked.cwd / ".agents" / ".engram"
    assert not {"memory.locked", "memory.journal"} & findings(linked).keys()
    with open(root / ".lock", "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "memory.locked" in findings(linked)
    write(root / ".journal" / "open.json", "{")
    assert findings(linked)["memory.journal"]["level"] == "error"


def test_a_proposal_that_waits_is_named_with_its_command(linked: Runner) -> None:  # A4
    call = {"name": "engram_save", "arguments": {"text": "Always rebase before merging.", "type": "rule"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "engram-mcp")],
        input=json.dumps(message) + "\n",
        encoding="utf-8",
        cwd=linked.cwd,
        env=linked.scratch.env,
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    found = findings(linked)["memory.attention"]
    assert (found["message"], found["command"]) == ("workspace memory: 1 proposal waits.", "engram review")


def test_an_entry_with_more_in_it_that_starts_what_link_writes_is_started_and_its_file_is_named(linked: Runner) -> None:
    file = linked.cwd / ".mcp.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["mcpServers"]["engram"]["env"] = {"MINE": "1"}
    write(file, json.dumps(data))
    found = findings(linked)
    assert "host.edited" in found
    assert not {"host.command", "host.start"} & found.keys()
    assert f"    in {file}\n" in linked.ok("doctor")


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
    assert "engram verify" in findings(engram)["memory.skipped"]["command"]


def test_a_host_that_is_here_and_not_linked_is_a_hint(linked: Runner) -> None:
    (home(linked) / ".gemini").mkdir()
    found = findings(linked)["host.not_linked"]
    assert (found["level"], found["command"]) == ("info", "engram link gemini")
    linked.ok("link", "gemini", "--no-hooks")
    found = findings(linked)
    assert "host.not_linked" not in found
    assert "memory comes only when the agent asks" in found["host.partial"]["message"]
    linked.ok("link", "gemini")
    assert "host.partial" not in findings(linked)


def test_a_record_that_is_damaged_is_an_error_and_the_rest_is_examined(linked: Runner) -> None:
    file = os.path.join(linked.scratch.env["ENGRAM_CONFIG_DIR"], "links.json")
    with open(file, "w", encoding="utf-8") as out:
        out.write("{")
    found = findings(linked)
    assert found["links.broken"]["level"] == "error"
    assert file in found["links.broken"]["message"]
    assert linked.run("doctor").returncode == 1


def test_programs_that_hosts_do_not_find_by_name_are_said(linked: Runner) -> None:  # C4
    found = linked.json("doctor", env={"PATH": "/usr/bin:/bin"})["data"]["findings"]
    (said,) = [one["message"] for one in found if one["id"] == "install.path" and "engram-mcp" in one["message"]]
    assert said == "engram-mcp is not on PATH, so hosts that start it by name do not find it."


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        (".codeium/windsurf", "engram link windsurf --global"),
        (".codex", "engram link codex --global"),
        (".cursor", "engram link cursor"),
    ],
)
def test_a_host_that_is_here_and_not_linked_comes_with_the_command_that_links_it(
    engram: Runner, folder: str, command: str
) -> None:  # C2
    (home(engram) / folder).mkdir(parents=True)
    assert findings(engram)["host.not_linked"]["command"] == command
    assert "added: " in engram.ok(*command.split()[1:])
    assert "host.not_linked" not in findings(engram)


def test_a_mode_that_asks_nobody_is_mended_by_another_mode_and_a_list_by_a_shorter_one(engram: Runner) -> None:  # C9
    write(engram.cwd / ".claude/settings.local.json", '{"permissions": {"defaultMode": "bypassPermissions"}}')
    advice = findings(engram)["host.commit_unasked"]["advice"]
    assert advice == "Take bypassPermissions out of permissions.defaultMode, or let it ask."
    write(engram.cwd / ".claude/settings.local.json", '{"permissions": {"allow": ["mcp__engram"]}}')
    assert "one by one" in findings(engram)["host.commit_unasked"]["advice"]


def test_what_stands_as_a_command_can_be_pasted_and_mends_what_was_found(engram: Runner, tmp_path: Path) -> None:
    project = make_repository(engram.scratch, tmp_path / "it's $HOME & more")
    root = project / ".agents" / ".engram"

    def found(name: str) -> dict[str, Any] | None:
        data = engram.json("doctor", cwd=project, env={"EDITOR": editor})["data"]["findings"]
        return next((one for one in data if one["id"] == name), None)

    def paste(line: str) -> None:
        folder = os.path.dirname(sys.executable)
        env = {**engram.scratch.env, "PATH": folder + os.pathsep + engram.scratch.env["PATH"]}
        subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, env=env, check=True, timeout=60)

    editor = f"{sys.executable} {write(tmp_path / 'editor.py', 'import os, sys; os.unlink(sys.argv[1])')}"
    engram.ok("inject", cwd=project)

    ignore = write(project / ".gitignore", "/build\n.agents\n")
    one = found("git.ignored")
    assert one
    assert (one["file"], one["advice"]) == (ignore, "Take .agents out of it (line 2), or put !.agents behind it.")
    paste(one["command"])  # an editor on the file that holds the rule
    assert found("git.ignored") is None

    private = [write(root / "inbox" / f"{number} x.json", "{}") for number in range(5)]
    private.append(write(root / "working" / "note.md", "x"))
    subprocess.run(["git", "add", "--force", *private], cwd=project, env=engram.scratch.env, check=True)
    one = found("git.private")
    assert one
    assert one["message"].endswith(" and 3 more.")
    paste(one["command"])
    assert found("git.private") is None
    assert all(map(os.path.exists, private))

    write(root / ".journal" / "open.json", "{")
    one = found("memory.journal")
    assert one
    paste(one["command"])
    assert found("memory.journal") is None
    assert (home(engram) / "engram-journal" / "open.json").read_text(encoding="utf-8") == "{"

    trap = write(project / ".mcp.json", json.dumps({"mcpServers": {"engram": {"command": "/x/trap", "args": []}}}))
    one = found("host.command")
    assert one
    assert one["file"] == trap
    paste(one["command"])
    assert not os.path.exists(trap)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="whoever may do everything writes everywhere")
def test_memory_that_cannot_be_written_comes_with_the_command_that_gives_the_right(engram: Runner) -> None:
    engram.ok("inject")
    root = engram.cwd / ".agents" / ".engram"
    root.chmod(0o500)
    try:
        assert findings(engram)["memory.attention"]["command"] == f"chmod u+w {root}"
    finally:
        root.chmod(0o700)


def test_memory_that_waits_for_trust_comes_with_the_command(engram: Runner) -> None:  # F18
    engram.ok("inject")
    os.unlink(os.path.join(engram.scratch.env["ENGRAM_CONFIG_DIR"], "trust.json"))
    found = findings(engram)["memory.attention"]
    assert (found["message"][:25], found["command"]) == ("workspace memory: foreign", "engram trust")


def test_an_entry_that_was_not_written_by_engram_is_replaced_by_what_is_printed(engram: Runner) -> None:  # C12
    write(engram.cwd / ".mcp.json", json.dumps({"mcpServers": {"engram": {"command": "x"}}}))
    command = findings(engram)["host.foreign"]["command"]
    assert command == "engram link claude --workspace --no-hooks --no-instructions --force"
    engram.ok(*command.split()[1:])
    assert "host.foreign" not in findings(engram)
    assert not (engram.cwd / "CLAUDE.md").exists()  # nothing but the entry


def test_one_command_that_many_hosts_start_is_tried_once_and_said_once(engram: Runner, tmp_path: Path) -> None:  # C4
    folder = tmp_path / "bin"
    folder.mkdir()
    (home(engram) / ".local" / "bin").mkdir(parents=True)
    for program in ("engram", "engram-mcp"):
        own = os.path.join(os.path.dirname(sys.executable), program)
        os.symlink(own, folder / program)
    bare = {"PATH": f"{folder}{os.pathsep}{engram.scratch.env['PATH']}", "VIRTUAL_ENV": ""}
    for host in ("claude", "gemini", "cursor", "opencode"):
        engram.ok("link", host, "--workspace", env=bare)
    said = [one for one in engram.json("doctor", env=bare)["data"]["findings"] if one["id"] == "host.start"]
    assert [one["message"].partition(":")[0] for one in said] == ["claude, gemini, cursor, opencode"]
    assert "would not find engram-mcp on its PATH" in said[0]["message"]
    subprocess.run(["/bin/sh", "-c", said[0]["command"]], env=engram.scratch.env, check=True, timeout=60)
    assert "host.start" not in {one["id"] for one in engram.json("doctor", env=bare)["data"]["findings"]}


def test_keys_of_configuration_that_mean_nothing_are_named(engram: Runner) -> None:  # F21
    engram.ok("inject")
    file = write(engram.cwd / ".agents/.engram/engram.config.json", '{"reed": "auto", /* mine */ "read": "auto"}\n')
    found = findings(engram)["config.unknown"]
    assert (found["level"], found["file"], found["command"]) == ("info", file, "engram config unset reed")
    engram.ok("config", "unset", "reed")
    assert "config.unknown" not in findings(engram)


def test_hosts_are_examined_also_while_a_configuration_file_is_broken(linked: Runner) -> None:
    file = write(linked.cwd / ".agents/.engram/engram.config.json", '{"read": ')
    data = linked.json("doctor")["data"]
    assert "workspace: mcp" in data["hosts"]["claude"]
    (broken,) = [one for one in data["findings"] if one["level"] == "error"]
    assert (broken["id"], broken["command"]) == ("config.broken", f"vi {file}")


def test_what_a_merge_left_in_the_ledger_is_named_and_mended(linked: Runner) -> None:  # F15
    linked.ok("save", "rule", "Use pnpm.", input="A\n")
    ledger = linked.cwd / ".agents" / ".engram" / "SHA256SUMS"
    good = ledger.read_text(encoding="utf-8")
    write(ledger, f"<<<<<<< HEAD\n{good}=======\n{good}>>>>>>> other\n")
    found = findings(linked)["memory.damaged"]
    assert (found["command"], found["fixable"]) == ("engram repair --fix", True)
    assert "Mended: SHA256SUMS" in linked.ok("doctor", "--fix")
    assert ledger.read_text(encoding="utf-8") == good
    assert "memory.damaged" not in findings(linked)


def test_an_engram_that_runs_from_its_sources_says_once_that_no_host_can_start_it(
    engram: Runner, tmp_path: Path
) -> None:
    engram.ok("inject")
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    python = bare / ("Scripts" if os.name == "nt" else "bin") / "python"
    sources = os.path.dirname(os.path.dirname(package.__file__ or ""))
    done = subprocess.run(
        [str(python), "-m", "engram", "doctor", "--json"], cwd=engram.cwd, capture_output=True, encoding="utf-8",
        env={**engram.scratch.env, "PYTHONPATH": sources, "PATH": os.defpath}, check=False,
    )  # fmt: skip

    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["data"]["findings"]
    # No folder holds the programs, so none is named to be put on PATH.
    assert [one["id"] for one in found if one["id"].startswith(("install.", "links."))] == ["install.program"]
    assert found[0]["message"].startswith("This Engram runs from a folder without a program engram-mcp")
