"""K3: `link` twice, then `unlink`: every host file equal to what it was, byte for byte (C1 to C13)."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from tests.acceptance.persons import HOSTS, PERSONS, tree

from engram.text.managed import add_block, sealed_file
from engram.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner, Scratch


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_files_are_what_the_contract_names(engram: Runner, scratch: Scratch, workspace: Path) -> None:  # C2, C6, C7
    bare = {"PATH": os.path.dirname(sys.executable) + os.pathsep + scratch.env["PATH"], "VIRTUAL_ENV": ""}
    engram.ok("link", *HOSTS, "--global", "--workspace", "--no-hooks", env=bare)
    home = scratch.home
    stdio = {"command": "engram-mcp", "args": []}

    assert read_json(workspace / ".gemini/settings.json")["mcpServers"]["engram"] == stdio
    assert read_json(workspace / ".cursor/mcp.json")["mcpServers"]["engram"] == stdio
    assert read_json(home / ".gemini/settings.json")["mcpServers"]["engram"] == stdio
    assert read_json(home / ".codeium/windsurf/mcp_config.json")["mcpServers"]["engram"] == stdio
    assert read_json(home / ".cursor/plugins/local/engram/mcp.json")["mcpServers"]["engram"] == stdio
    assert read_json(home / ".cursor/plugins/local/engram/.cursor-plugin/plugin.json")["name"] == "engram"
    opencode = {"type": "local", "command": ["engram-mcp"], "args": [], "enabled": True}
    assert read_json(workspace / "opencode.json")["mcp"]["engram"] == opencode
    assert read_json(home / ".config/opencode/opencode.jsonc")["mcp"]["engram"] == opencode
    assert read_json(workspace / ".vscode/mcp.json")["servers"]["engram"] == {"type": "stdio", **stdio}
    # C11: no hook of Claude is there or on its way, and this is what Claude Code reads.
    always = {"command": "engram-mcp", "args": ["--always-load"]}
    assert read_json(workspace / ".mcp.json")["mcpServers"]["engram"] == always
    codex = tomllib.loads((home / ".codex/config.toml").read_text(encoding="utf-8"))
    tools = {"engram_commit": {"approval_mode": "approve"}}
    assert codex == {"mcp_servers": {"engram": {**stdio, "tools": tools}}}


def test_claude_for_all_projects_is_a_command_to_run(engram: Runner, scratch: Scratch) -> None:  # C2, C11
    bare = {"PATH": os.path.dirname(sys.executable) + os.pathsep + scratch.env["PATH"], "VIRTUAL_ENV": ""}
    out = engram.ok("link", "claude", "--global", "--no-hooks", env=bare)
    assert "claude mcp add --scope user engram -- engram-mcp --always-load" in out
    assert "claude mcp add --scope user engram -- engram-mcp " in engram.ok("link", "claude", "--global", env=bare)
    assert not (scratch.home / ".claude.json").exists()
    assert "claude mcp remove" not in engram.ok("unlink", "claude", "--global")  # it has none


def claude_has(scratch: Scratch, *words: str) -> Path:
    """Write Claude Code's own file, with a server engram for all projects, as `claude mcp add` does."""
    file = scratch.home / ".claude.json"
    entry = {"type": "stdio", "command": words[0], "args": words[1:], "env": {}}
    file.write_text(json.dumps({"numStartups": 3, "mcpServers": {"engram": entry}}), encoding="utf-8")
    return file


@pytest.mark.parametrize("options", [(), ("--no-elicitation",), ("--mine",)], ids=str)
def test_what_claude_has_for_all_projects_is_not_to_be_done_again(
    engram: Runner, scratch: Scratch, options: tuple[str, ...]
) -> None:  # C2, C12
    bare = {"PATH": os.path.dirname(sys.executable) + os.pathsep + scratch.env["PATH"], "VIRTUAL_ENV": ""}
    file = claude_has(scratch, "engram-mcp", *options)
    before = file.read_bytes()
    out = engram.ok("link", "claude", "--global", env=bare)
    assert "as it was: ~/.claude.json, mcpServers.engram" in out
    assert "claude mcp" not in out
    assert "Everything is of today's form already." in engram.ok("upgrade", env=bare)
    assert "yours to do: claude mcp remove --scope user engram (" in engram.ok("unlink", "claude", "--global", env=bare)
    assert file.read_bytes() == before


def test_an_older_server_that_claude_has_is_replaced_by_what_is_printed(
    engram: Runner, scratch: Scratch
) -> None:  # C2, C4, C12
    bare = {"PATH": os.path.dirname(sys.executable) + os.pathsep + scratch.env["PATH"], "VIRTUAL_ENV": ""}
    old = ("uvx", "--from", "the-long-ride-engram==0.0.1", "engram-mcp")
    claude_has(scratch, *old, "--always-load", "--no-elicitation", "--mine")
    server = "engram-mcp --no-elicitation --mine"  # what a person chose stays; C11: there are hooks
    again = f"claude mcp remove --scope user engram && claude mcp add --scope user engram -- {server} ("
    assert again in engram.ok("link", "claude", "--global", env=bare)
    out = engram.ok("upgrade", env=bare)
    assert again in out
    assert "of today's form already" not in out
    (finding,) = [
        one
        for one in engram.json("doctor", env=bare)["data"]["findings"]
        if one.get("file", "").endswith(".claude.json")
    ]
    assert finding["command"] == again.removesuffix(" (")


def test_a_server_of_that_name_that_claude_has_and_engram_did_not_write_is_left(
    engram: Runner, scratch: Scratch
) -> None:  # C12
    claude_has(scratch, "node", "engram.js")
    assert "left alone: ~/.claude.json" in engram.ok("link", "claude", "--global")
    assert "Everything is of today's form already." in engram.ok("upgrade")
    assert "claude mcp remove --scope user engram && " in engram.ok("link", "claude", "--global", "--force")
    out = engram.ok("unlink", "claude", "--global")
    assert "left alone: ~/.claude.json" in out
    assert "claude mcp" not in out


def test_unlink_without_a_flag_says_where_else_a_host_is_linked(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "codex", "windsurf", "--workspace")
    out = engram.ok("unlink", "all")
    assert "engram unlink codex --workspace (it is linked in this project too)" in out
    assert "engram unlink windsurf --workspace" in out
    assert "Nothing of Engram was found" not in out
    out = engram.ok("unlink", "codex")
    assert "engram unlink codex --workspace" in out
    assert "--global" not in out
    engram.ok("unlink", "codex", "windsurf", "--workspace")
    assert sorted(os.listdir(workspace)) == [".git", "README"]
    assert "--workspace" not in engram.ok("unlink", "all")


def test_unlink_all_names_nothing_to_do_by_hand_for_hosts_that_were_never_linked(engram: Runner) -> None:
    for line in ("In VS Code: MCP: List Servers", "take out mcpServers"):
        assert line in engram.ok("unlink", "copilot", "antigravity", "--global")  # they were named
        assert line not in engram.ok("unlink", "all", "--global", "--workspace")
    engram.ok("link", "copilot", "--global")
    out = engram.ok("unlink", "all", "--global")
    assert "In VS Code: MCP: List Servers" in out
    assert "Antigravity" not in out


def test_what_several_hosts_use_is_taken_out_for_all_that_go(engram: Runner, workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("# Ours\n", encoding="utf-8")
    (workspace / "CLAUDE.md").symlink_to("AGENTS.md")
    engram.ok("link", "claude", "copilot", "opencode")
    out = engram.ok("unlink", "claude", "--plan")
    assert "kept: .mcp.json, mcpServers.engram (copilot uses it too)" in out
    assert "kept: .claude/skills/engram-memory/SKILL.md (copilot, opencode use it too)" in out
    out = engram.ok("unlink", "claude", "copilot", "opencode")
    assert "kept" not in out
    assert out.count("taken out: .mcp.json, mcpServers.engram") == 2


def test_a_hook_of_claude_makes_always_load_needless(engram: Runner, workspace: Path) -> None:  # C11
    engram.ok("link", "claude")
    engram.ok("unlink", "copilot")
    engram.ok("link", "copilot", "--no-instructions")
    assert "--always-load" not in (workspace / ".mcp.json").read_text(encoding="utf-8")
    engram.ok("unlink", "claude")
    engram.ok("unlink", "copilot")
    engram.ok("link", "copilot")
    assert "--always-load" in (workspace / ".mcp.json").read_text(encoding="utf-8")


def test_without_a_flag_hosts_for_all_projects_only_say_what_to_type(engram: Runner, tmp_path: Path) -> None:
    before = tree(tmp_path)
    for host in ("codex", "windsurf", "cascade", "cline", "antigravity"):
        out = engram.ok("link", host)
        assert f"engram link {'windsurf' if host == 'cascade' else host} --global" in out
    assert tree(tmp_path) == before
    assert "documents only user-level MCP" in engram.ok("link", "windsurf")  # C3
    assert "documents only user-level MCP" in engram.ok("link", "windsurf", "--workspace")


def test_all_means_the_hosts_that_are_here(engram: Runner, scratch: Scratch, workspace: Path, tmp_path: Path) -> None:
    (scratch.home / ".gemini").mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    cursor = programs / "cursor"
    cursor.write_text("#!/bin/sh\n", encoding="utf-8")
    cursor.chmod(0o755)
    env = {"PATH": f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin"}

    data = engram.json("link", "all", env=env)["data"]

    linked = {result["host"] for result in data["results"]}
    assert linked == {"gemini", "cursor", "agents-md"}
    assert set(data["not_found"]) == set(HOSTS) - linked
    assert "not found on this machine" in engram.ok("link", "all", env=env)
    assert (workspace / "AGENTS.md").exists()
    assert not (workspace / "CLAUDE.md").exists()


def test_a_plan_shows_every_change_and_makes_none(engram: Runner, scratch: Scratch, machine: Path) -> None:
    before, config = tree(machine), sorted(os.listdir(scratch.config))
    key = "sk-ant-api03-" + "Ab3dEf9hIjKlMnOpQrStUvWxYz0123456789" * 2 + "-abcdefAA"
    file = machine / "home/.copilot/mcp-config.json"
    file.write_text('{"mcpServers": {"db": {"env": {"KEY": "' + key + '"}}}}\n', encoding="utf-8")
    before = tree(machine)

    out = engram.ok("link", *HOSTS, "--global", "--workspace", "--plan")

    assert tree(machine) == before
    assert sorted(os.listdir(scratch.config)) == config
    assert "+[mcp_servers.engram]" in out
    assert '+      "command": "' in out
    assert "would be kept in" in out
    assert key not in out  # C3 of the complaint kinds: host files hold keys
    assert "@@ -" in out
    shown = engram.json("link", "codex", "--global", "--plan")["data"]
    assert [change["change"] for change in shown["files"]][:1] == ["edit"]
    applied = engram.json("link", "codex", "--global")["data"]
    assert [change["file"] for change in applied["files"]] == [change["file"] for change in shown["files"]]


@pytest.mark.parametrize("host", ["claude", "codex", "agents-md"])
@pytest.mark.parametrize("extra", [(), ("--plan",)])
def test_a_link_of_nothing_says_so(engram: Runner, workspace: Path, host: str, extra: tuple[str, ...]) -> None:
    where = () if host == "agents-md" else ("--global",)
    done = engram.run("link", host, *where, *extra, "--no-mcp", "--no-hooks", "--no-instructions")
    assert done.returncode == 2
    assert "Nothing is left to link" in done.stderr
    assert not done.stdout
    assert not (workspace / "AGENTS.md").exists()


def test_parts_can_be_left_out(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "claude", "--no-mcp", "--no-hooks")
    assert not (workspace / ".mcp.json").exists()
    assert not (workspace / ".claude/settings.json").exists()
    assert (workspace / "CLAUDE.md").exists()
    engram.ok("unlink", "claude")
    engram.ok("link", "claude", "--no-instructions")
    assert not (workspace / "CLAUDE.md").exists()
    assert not (workspace / ".claude/skills").exists()
    assert (workspace / ".mcp.json").exists()


def test_no_elicitation_is_written_and_codex_asks_by_itself(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:  # C7, C13
    engram.ok("link", "codex", "--global", "--no-elicitation")
    codex = tomllib.loads((scratch.home / ".codex/config.toml").read_text(encoding="utf-8"))["mcp_servers"]["engram"]
    assert codex["args"] == ["--no-elicitation"]
    assert codex["tools"]["engram_commit"]["approval_mode"] == "prompt"
    engram.ok("unlink", "codex", "--global")
    engram.ok("config", "set", "hosts.codex.approval_mode", "prompt", "--global")
    engram.ok("link", "codex", "--global")
    codex = tomllib.loads((scratch.home / ".codex/config.toml").read_text(encoding="utf-8"))["mcp_servers"]["engram"]
    assert codex["args"] == []
    assert codex["tools"]["engram_commit"]["approval_mode"] == "prompt"


def test_what_another_tool_wrote_anew_in_between_loses_only_ours(engram: Runner, machine: Path) -> None:  # C5, C7a
    engram.ok("link", "codex", "claude", "gemini", "cursor", "--global", "--workspace")
    # As `codex mcp add` does it: comments and empty arrays gone, another server amid ours.
    codex = machine / "home/.codex/config.toml"
    codex.write_text(
        'model = "o1"\n\n[mcp_servers.db]\ncommand = "db-mcp"\nargs = ["a"]\n\n[mcp_servers.engram]\ncommand = '
        + json.dumps(tomllib.loads(codex.read_text(encoding="utf-8"))["mcp_servers"]["engram"]["command"])
        + '\n\n[mcp_servers.other]\ncommand = "foo"\n\n[mcp_servers.engram.tools.engram_commit]\n'
        'approval_mode = "approve"\n',
        encoding="utf-8",
    )
    files = [
        machine / "project/.mcp.json",
        machine / "project/.claude/settings.json",
        machine / "project/.cursor/mcp.json",
    ]
    for file in files:
        data = read_json(file)
        data["added"] = {"by": "another tool"}
        file.write_text(json.dumps(data, indent=4, sort_keys=True), encoding="utf-8")
    guide = machine / "project/CLAUDE.md"
    guide.write_bytes(guide.read_bytes().replace(b"\r\n", b"\n") + b"\nA later line.\n")

    engram.ok("unlink", "codex", "claude", "gemini", "cursor", "--global", "--workspace")

    assert codex.read_text(encoding="utf-8") == (
        'model = "o1"\n\n[mcp_servers.db]\ncommand = "db-mcp"\nargs = ["a"]\n\n[mcp_servers.other]\ncommand = "foo"\n'
    )
    settings = json.loads(PERSONS["project/.claude/settings.json"])
    settings["added"] = {"by": "another tool"}
    assert files[1].read_text(encoding="utf-8") == json.dumps(settings, indent=4, sort_keys=True)
    servers = json.loads(PERSONS["project/.mcp.json"])
    servers["added"] = {"by": "another tool"}
    assert files[0].read_text(encoding="utf-8") == json.dumps(servers, indent=4, sort_keys=True)
    assert read_json(files[2]) == {"added": {"by": "another tool"}}
    assert guide.read_text(encoding="utf-8") == "# Rules\n\n- Use tabs.\n\nA later line.\n"


def test_a_hook_that_a_person_put_beside_ours_stays(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "claude")
    file = workspace / ".claude/settings.json"
    data = read_json(file)
    data["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "date"})
    data["hooks"]["UserPromptSubmit"].append({"hooks": [{"type": "command", "command": "engram-like hook claude"}]})
    file.write_text(json.dumps(data, indent=2), encoding="utf-8")

    engram.ok("unlink", "claude")

    assert read_json(file)["hooks"] == {
        "SessionStart": [{"hooks": [{"type": "command", "command": "date"}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "engram-like hook claude"}]}],
    }


def test_without_its_records_unlink_finds_ours_all_the_same(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:  # C5
    engram.ok("link", "claude", "cursor", "codex", "--workspace")
    (scratch.config / "links.json").unlink()

    engram.ok("unlink", "claude", "cursor", "codex", "--workspace")

    assert read_json(workspace / ".mcp.json") == {"mcpServers": {}}
    assert (workspace / "CLAUDE.md").read_bytes() == b""
    assert (workspace / ".codex/config.toml").read_bytes() == b""
    assert not (workspace / ".cursor/commands/engram.md").exists()
    assert read_json(workspace / ".claude/settings.json") == {"hooks": {"SessionStart": [], "UserPromptSubmit": []}}


def test_an_entry_that_engram_did_not_write_is_left_alone_and_said(engram: Runner, workspace: Path) -> None:  # C12
    foreign = {"mcpServers": {"engram": {"command": "node", "args": ["engram.js"]}, "mem": {"command": "engram-mcp"}}}
    file = workspace / ".mcp.json"
    file.write_text(json.dumps(foreign), encoding="utf-8")

    out = engram.ok("link", "claude")

    assert read_json(file) == foreign
    assert "Engram did not write the entry" in out
    assert "mcpServers.mem starts engram-mcp too" in out
    assert "did not write" in engram.ok("unlink", "claude")
    assert read_json(file) == foreign
    engram.ok("link", "claude", "--force")
    changed = read_json(file)["mcpServers"]
    assert changed["engram"]["command"].endswith("engram-mcp")
    assert changed["mem"] == foreign["mcpServers"]["mem"]


def test_in_an_entry_of_ours_only_the_pin_changes(engram: Runner, scratch: Scratch, workspace: Path) -> None:  # C12, C4
    old = "the-long-ride-engram==0.0.1"
    entry = f'"command":"uvx","args":["--from","{old}","engram-mcp","--mine"],"env":{{"X":"1"}} /* my own */'
    text = '{"mcpServers":{"engram":{' + entry + "}}}"
    (workspace / ".mcp.json").write_text(text, encoding="utf-8")
    codex = f'[mcp_servers.engram]\ncommand = "uvx" # pinned\nargs = [\n  "--from", # c\n  \'{old}\', "engram-mcp"]\n'
    (scratch.home / ".codex").mkdir()
    (scratch.home / ".codex/config.toml").write_text(codex, encoding="utf-8")
    released = release_metadata(workspace.parent / "site", None)

    engram.ok("link", "claude", "--no-hooks", "--no-instructions", env=released)
    engram.ok("link", "codex", "--global", "--no-hooks", "--no-instructions", env=released)

    pin = f"the-long-ride-engram=={__version__}"
    assert (workspace / ".mcp.json").read_text(encoding="utf-8") == text.replace(old, pin)
    assert (scratch.home / ".codex/config.toml").read_text(encoding="utf-8") == codex.replace(f"'{old}'", f'"{pin}"')


def release_metadata(site: Path, origin: dict[str, Any] | None) -> dict[str, str]:
    """Make this Engram one that was installed from somewhere (PEP 610); return the environment for it."""
    info = site / f"the_long_ride_engram-{__version__}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    head = f"Metadata-Version: 2.1\nName: the-long-ride-engram\nVersion: {__version__}\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    return {"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin"}


GIT = "https://example.test/engram.git"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (None, "the-long-ride-engram=="),
        ({"url": GIT, "vcs_info": {"vcs": "git", "commit_id": COMMIT}}, f"git+{GIT}@{COMMIT}"),
        ({"url": "https://example.test/e.whl", "archive_info": {}}, "https://example.test/e.whl"),
    ],
    ids=["release", "git", "url"],
)
def test_where_the_name_is_not_on_path_the_command_is_pinned(
    engram: Runner, workspace: Path, origin: dict[str, Any] | None, requirement: str
) -> None:  # C4
    env = release_metadata(workspace.parent / "site", origin)
    done = engram.run("link", "claude", env=env)
    assert done.returncode == 0
    entry = read_json(workspace / ".mcp.json")["mcpServers"]["engram"]
    assert entry["command"] == "uvx"
    assert entry["args"][0] == "--from"
    assert entry["args"][1].startswith(requirement)
    assert entry["args"][2:] == ["engram-mcp"]
    hook = read_json(workspace / ".claude/settings.json")["hooks"]["SessionStart"][0]["hooks"][0]
    assert hook == {"type": "command", "command": f"uvx --from {entry['args'][1]} engram hook claude", "timeout": 5}
    assert "uvx is not on the PATH" in done.stderr
    assert "downloads" in done.stderr


@pytest.mark.parametrize("editable", [True, False])
def test_from_a_folder_the_command_is_a_path_and_git_gets_a_warning(
    engram: Runner, scratch: Scratch, workspace: Path, editable: bool
) -> None:  # C4
    origin = {"url": "file:///src/engram", "dir_info": {"editable": editable}}
    env = release_metadata(workspace.parent / "site", origin)
    done = engram.run("link", "claude", env=env)
    entry = read_json(workspace / ".mcp.json")["mcpServers"]["engram"]
    assert os.path.isabs(entry["command"])
    assert os.path.basename(entry["command"]).startswith("engram-mcp")
    assert "tracked by Git" not in done.stderr
    subprocess.run(["git", "add", ".mcp.json"], cwd=workspace, env=scratch.env, check=True)
    done = engram.run("link", "claude", env=env)
    assert ".mcp.json is tracked by Git" in done.stderr


def test_a_name_on_path_counts_only_outside_of_an_activated_environment(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:  # C4
    folder = os.path.dirname(sys.executable)
    path = {"PATH": folder + os.pathsep + scratch.env["PATH"]}
    engram.ok("link", "claude", env={**path, "VIRTUAL_ENV": os.path.dirname(folder)})
    assert read_json(workspace / ".mcp.json")["mcpServers"]["engram"]["command"] != "engram-mcp"
    engram.ok("unlink", "claude")
    done = engram.run("link", "claude", env={**path, "VIRTUAL_ENV": ""})
    assert read_json(workspace / ".mcp.json")["mcpServers"]["engram"]["command"] == "engram-mcp"
    # A program from the desktop does not have this PATH, and that is said.
    assert "would not find engram-mcp on its PATH" in done.stderr


def test_another_program_of_that_name_is_never_started(engram: Runner, scratch: Scratch, workspace: Path) -> None:  # C4
    local = scratch.home / ".local/bin"
    local.mkdir(parents=True)
    proof = workspace.parent / "started"
    other = local / "engram-mcp"
    other.write_text(f"#!/bin/sh\ntouch {proof}\n", encoding="utf-8")
    other.chmod(0o755)
    path = os.path.dirname(sys.executable) + os.pathsep + scratch.env["PATH"]
    done = engram.run("link", "claude", env={"PATH": path, "VIRTUAL_ENV": ""})
    assert "would start another program" in done.stderr
    assert not proof.exists()
    assert engram.run("link", "claude", "--plan").returncode == 0
    assert not proof.exists()


def test_each_changed_file_is_kept_once_for_its_owner_only(engram: Runner, scratch: Scratch, machine: Path) -> None:
    file = machine / "home/.codex/config.toml"
    file.chmod(0o640)
    before = file.read_bytes()
    out = engram.ok("link", "codex", "--global")
    (kept,) = [path for path in (scratch.config / "backups").iterdir() if path.name.endswith("-config.toml")]
    assert kept.name in out
    assert kept.read_bytes() == before
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    file.write_bytes(file.read_bytes() + b"\n# mine\n")
    engram.ok("link", "codex", "--global", "--force", "--no-elicitation")
    engram.ok("unlink", "codex", "--global")
    assert kept.read_bytes() == before
    assert file.read_bytes() == before + b"\n# mine\n"


def test_a_kept_file_goes_where_there_is_nothing_to_go_back_to(engram: Runner, scratch: Scratch, machine: Path) -> None:
    engram.ok("link", "codex", "gemini", "--global")
    assert os.listdir(scratch.config / "backups")
    engram.ok("unlink", "codex", "gemini", "--global")
    assert not os.listdir(scratch.config / "backups")


def test_unlink_takes_away_what_a_link_left_that_was_killed_before_a_rename(engram: Runner, machine: Path) -> None:
    before = tree(machine)
    engram.ok("link", "claude", "--workspace")
    folder = engram.cwd / ".claude" / "skills" / "engram-memory"
    (folder / "SKILL.md").rename(folder / ".SKILL.md.engram-new")
    engram.ok("unlink", "claude", "--workspace")
    assert tree(machine) == before  # C5


def test_what_a_killed_run_kept_goes_with_the_next_one(engram: Runner, scratch: Scratch, machine: Path) -> None:
    file = machine / "home/.codex/config.toml"
    before = file.read_bytes()
    engram.ok("link", "codex", "--global", "--no-hooks", "--no-instructions")
    backups = scratch.config / "backups"
    (kept,) = [path for path in backups.iterdir() if path.name.endswith("-config.toml")]
    # Killed after it had kept the file, and before it wrote anything; and in the midst of keeping another one.
    (scratch.config / "links.json").unlink()
    file.write_bytes(before)
    (backups / "0123456789ab-settings.json.1234.tmp").write_bytes(b"half of a k")
    (scratch.config / "links.json.1234.tmp").write_bytes(b"{")
    assert kept.read_bytes() == before
    engram.ok("unlink", "codex", "--global")
    assert not os.listdir(backups)
    assert not (scratch.config / "links.json.1234.tmp").exists()
    assert file.read_bytes() == before


def test_what_is_still_kept_after_unlink_is_said(engram: Runner, scratch: Scratch, machine: Path) -> None:
    file = machine / "home/.codex/config.toml"
    engram.ok("link", "codex", "--global")
    file.write_bytes(file.read_bytes() + b"\n# mine\n")
    (kept,) = [path for path in (scratch.config / "backups").iterdir() if path.name.endswith("-config.toml")]
    shown = f"config.toml as it was before Engram came is still kept in ~/.engram/backups/{kept.name}"
    assert shown in engram.ok("unlink", "codex", "--global")


def test_a_kill_at_any_moment_leaves_whole_files_and_unlink_finds_them(
    engram: Runner, scratch: Scratch, machine: Path
) -> None:
    before = tree(machine)
    engram.ok("link", "claude", "codex", "gemini", "--global", "--workspace")
    after = tree(machine)
    engram.ok("unlink", "claude", "codex", "gemini", "--global", "--workspace")
    command = [*engram.command, "link", "claude", "codex", "gemini", "--global", "--workspace"]
    for round_ in range(12):
        process = subprocess.Popen(
            command, cwd=engram.cwd, env=scratch.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(0.05 + round_ * 0.02)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.wait()
        for name, state in tree(machine).items():
            if not name.endswith(".engram-new"):
                assert state in (before.get(name), after.get(name)), name
    engram.ok("link", "claude", "codex", "gemini", "--global", "--workspace")
    assert tree(machine) == after
    engram.ok("unlink", "claude", "codex", "gemini", "--global", "--workspace")
    assert tree(machine) == before


def test_list_says_what_is_linked_where(engram: Runner) -> None:
    engram.ok("link", "claude")
    rows = {row["host"]: row for row in engram.json("link", "list")["data"]["hosts"]}
    assert set(rows) == set(HOSTS)
    assert {part["state"] for part in rows["claude"]["parts"]} == {"linked"}
    assert [part["part"] for part in rows["codex"].get("parts", ())] == []


def test_all_takes_named_hosts_with_it_and_list_stands_alone(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "all", "cursor", cwd=workspace)
    assert (workspace / ".cursor" / "mcp.json").is_file()
    for words in (("all", "emacs"), ("emacs", "all")):
        done = engram.run("link", *words, cwd=workspace)
        assert done.returncode == 7
        assert "no host emacs" in done.stderr
    done = engram.run("link", "all", "list", cwd=workspace)
    assert done.returncode == 2
    assert "stands alone" in done.stderr


def test_a_host_that_nobody_knows_is_named_with_those_that_are(engram: Runner) -> None:
    done = engram.run("link", "emacs")
    assert done.returncode == 7
    assert "claude" in done.stderr
    assert engram.run("link").returncode == 2


def test_upgrade_pins_afresh_and_a_second_run_does_nothing(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:  # C4, C12
    engram.ok("link", "claude", "codex", "opencode", "--global", "--workspace", "--no-elicitation")
    linked = tree(workspace)
    released = release_metadata(workspace.parent / "site", None)

    assert '+        "--from",' in engram.ok("upgrade", "--plan", env=released)
    assert tree(workspace) == linked
    engram.ok("upgrade", env=released)

    entry = read_json(workspace / ".mcp.json")["mcpServers"]["engram"]
    assert entry["command"] == "uvx"
    assert entry["args"][2:] == ["engram-mcp", "--no-elicitation"]  # a person chose it when it was linked
    hook = read_json(workspace / ".claude/settings.json")["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert hook.startswith("uvx --from the-long-ride-engram==")
    codex = tomllib.loads((scratch.home / ".codex/config.toml").read_text(encoding="utf-8"))["mcp_servers"]["engram"]
    assert codex["command"] == "uvx"
    assert codex["tools"]["engram_commit"]["approval_mode"] == "prompt"
    assert '"uvx"' in (workspace / ".opencode/plugins/engram.js").read_text(encoding="utf-8")
    upgraded = tree(workspace)
    assert "Everything is of today's form already" in engram.ok("upgrade", env=released)
    assert tree(workspace) == upgraded
    engram.ok("unlink", "all", "--global", "--workspace")
    assert sorted(os.listdir(workspace)) == [".git", "README"]


def test_upgrade_refreshes_what_an_older_engram_wrote_and_leaves_what_a_person_edited(
    engram: Runner, terminal: Any, workspace: Path
) -> None:
    engram.ok("link", "claude")
    guide, skill = workspace / "CLAUDE.md", workspace / ".claude/skills/engram-memory/SKILL.md"
    fresh_guide, fresh_skill = guide.read_bytes(), skill.read_bytes()
    guide.write_text(add_block("", "An older text."), encoding="utf-8")
    skill.write_text(sealed_file("---\nname: engram-memory\n---\nOlder.\n", "<!-- {} -->"), encoding="utf-8")
    engram.ok("upgrade")
    assert (guide.read_bytes(), skill.read_bytes()) == (fresh_guide, fresh_skill)

    skill.write_bytes(fresh_skill + b"Mine.\n")
    assert "1 part edited by hand" in engram.ok("upgrade")
    assert skill.read_bytes() == fresh_skill + b"Mine.\n"
    refused = engram.run("upgrade", "--review")
    assert refused.returncode == 5
    assert skill.read_bytes() == fresh_skill + b"Mine.\n"
    for answer, expected in (("S\n", fresh_skill + b"Mine.\n"), ("A\n", fresh_skill)):
        shown = terminal("upgrade", "--review")
        shown.wait_for("S keeps yours")
        shown.type(answer)
        assert shown.end().code == 0
        assert skill.read_bytes() == expected
