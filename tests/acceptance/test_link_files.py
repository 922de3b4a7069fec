"""Host files as they are in the world: empty, broken, linked, read-only, somebody else's, large (C5, C8, C12)."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Runner, Scratch


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        (".mcp.json", b'{"mcpServers": {', "line 1, column 17"),
        (".mcp.json", b'{\n  "mcpServers": {},\n  "mcpServers": {}\n}', "line 3, column 3"),
        (".mcp.json", b'{"mcpServers": []}', "line 1, column 16"),
        (".mcp.json", b"[]", "line 1, column 1"),
        (".mcp.json", '{"mcpServers": {}}'.encode("utf-16"), "UTF-16"),
        (".mcp.json", b'{"a": "\xff"}', "line 1 is not UTF-8"),
        (".mcp.json", b'{"a": "\x00"}', "NUL"),
        (".claude/settings.json", b'{"hooks": {"SessionStart": {}}}', "line 1"),
        (".claude/settings.json", b'{"hooks": []}', "line 1"),
        ("CLAUDE.md", b"a\n<!-- engram:begin 1 -->\nb\n", "line 2"),
        ("CLAUDE.md", "text".encode("utf-16"), "UTF-16"),
        (".codex/config.toml", b"a = 1\na = 2\n", "line 2"),
        (".codex/config.toml", b"# x\nmcp_servers = {}\n", "line 2"),
        (".codex/config.toml", b"[[mcp_servers]]\nx = 1\n", "line 1"),
    ],
    ids=str,
)
def test_a_file_that_cannot_be_read_is_named_with_the_place_and_left_and_the_others_go_on(
    engram: Runner, workspace: Path, name: str, data: bytes, place: str
) -> None:  # C8
    file = workspace / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)

    for verb in ("link", "unlink"):
        done = engram.run(verb, "claude", "codex", "cursor", "--workspace")
        assert done.returncode == 1 or (verb == "unlink" and "cannot be extended" not in done.stderr)
        assert file.read_bytes() == data
        if verb == "link":
            assert str(file) in done.stderr
            assert place in done.stderr
            assert (workspace / ".cursor/mcp.json").exists()
            assert "Traceback" not in done.stderr
    assert not (workspace / ".cursor").exists()


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"  \r\n\t"])
@pytest.mark.parametrize("name", [".mcp.json", ".claude/settings.json", "CLAUDE.md", ".codex/config.toml"])
def test_an_empty_file_takes_ours_and_is_empty_again(engram: Runner, workspace: Path, name: str, data: bytes) -> None:
    file = workspace / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    engram.ok("link", "claude", "codex", "--workspace")
    assert len(file.read_bytes()) > len(data) + 20
    engram.ok("unlink", "claude", "codex", "--workspace")
    assert file.read_bytes() == data


def test_a_link_into_a_dotfiles_repository_is_written_through_and_stays(
    engram: Runner, scratch: Scratch, tmp_path: Path
) -> None:  # C5
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    real = dotfiles / "gemini.json"
    real.write_bytes(b'{"theme": "x"}')
    folder = scratch.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").symlink_to(os.path.join("..", "..", "dotfiles", "gemini.json"))
    (scratch.home / ".codex").symlink_to(dotfiles / "codex")
    (dotfiles / "codex").mkdir()

    engram.ok("link", "gemini", "codex", "--global")

    assert (folder / "settings.json").is_symlink()
    assert "engram" in json.loads(real.read_text(encoding="utf-8"))["mcpServers"]
    assert (dotfiles / "codex/config.toml").exists()
    engram.ok("unlink", "gemini", "codex", "--global")
    assert (folder / "settings.json").is_symlink()
    assert real.read_bytes() == b'{"theme": "x"}'
    assert os.listdir(dotfiles / "codex") == []


def test_a_link_to_nothing_gets_its_file_and_loses_it_again(engram: Runner, scratch: Scratch, tmp_path: Path) -> None:
    (scratch.home / ".gemini").mkdir()
    (scratch.home / ".gemini/settings.json").symlink_to(tmp_path / "gone.json")
    engram.ok("link", "gemini", "--global")
    assert (tmp_path / "gone.json").exists()
    engram.ok("unlink", "gemini", "--global")
    assert not (tmp_path / "gone.json").exists()
    assert (scratch.home / ".gemini/settings.json").is_symlink()


@pytest.mark.parametrize("join", ["symlink", "hardlink"])
def test_what_two_names_reach_is_edited_once_and_goes_with_the_last_host(
    engram: Runner, workspace: Path, join: str
) -> None:  # C5
    guide = workspace / "AGENTS.md"
    guide.write_bytes(b"# Guide\n")
    other = workspace / "CLAUDE.md"
    if join == "symlink":
        other.symlink_to("AGENTS.md")
    else:
        other.hardlink_to(guide)

    engram.ok("link", "claude", "agents-md")

    text = guide.read_text(encoding="utf-8")
    assert text.count("engram:begin") == 1
    assert other.read_text(encoding="utf-8") == text
    assert other.is_symlink() == (join == "symlink")
    out = engram.ok("unlink", "claude")
    assert "agents-md uses it too" in out
    assert guide.read_text(encoding="utf-8") == text
    engram.ok("unlink", "agents-md")
    assert guide.read_bytes() == other.read_bytes() == b"# Guide\n"


def test_a_file_that_two_hosts_share_goes_with_the_last_of_them(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "claude")
    engram.ok("link", "copilot")
    engram.ok("unlink", "claude")
    assert (workspace / ".mcp.json").exists()
    assert (workspace / ".claude/skills/engram-memory/SKILL.md").exists()  # Copilot reads it there
    assert not (workspace / ".agents").exists()
    engram.ok("unlink", "copilot")
    assert sorted(os.listdir(workspace)) == [".git", "README"]


def test_a_read_only_file_is_left_and_named(engram: Runner, workspace: Path) -> None:
    file = workspace / ".mcp.json"
    file.write_bytes(b"{}")
    file.chmod(0o444)
    done = engram.run("link", "claude")
    assert done.returncode == 1
    assert f"{file} was left as it is: it is read-only" in done.stderr
    assert f"MCP server    not done: {file}" in done.stdout
    assert "asks once whether it may use .mcp.json" not in done.stdout
    assert file.read_bytes() == b"{}"
    assert (workspace / "CLAUDE.md").exists()
    # A plan says it beforehand, and taking out what cannot be written does not claim to have done it.
    plan = engram.run("link", "claude", "--plan")
    assert plan.returncode == 1
    assert f"not done: {file}" in plan.stdout
    assert f"+++ {file}" not in plan.stdout
    file.chmod(0o644)
    engram.ok("link", "claude")
    file.chmod(0o444)
    data = engram.json("unlink", "claude")["data"]
    assert {row["part"]: row["action"] for row in data["results"]}["mcp"] == "failed"
    assert str(file) not in {row["file"] for row in data["files"]}
    file.chmod(0o644)
    engram.ok("unlink", "claude")
    assert file.read_bytes() == b"{}"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_owner_and_mode_stay_what_they_are(engram: Runner, workspace: Path) -> None:  # C5
    file = workspace / ".mcp.json"
    file.write_bytes(b"{}")
    file.chmod(0o620)
    os.chown(file, 1234, 2345)
    engram.ok("link", "claude")
    info = file.stat()
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (1234, 2345, 0o620)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
def test_a_file_of_another_user_is_left_and_named(scratch: Scratch) -> None:
    # pytest's own folders are closed to others.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        file = os.path.join(folder, ".mcp.json")
        with open(file, "wb") as out:
            out.write(b"{}")
        os.chmod(file, 0o666)
        assert "belongs to another user (root)" in replaced_by_another_user(file, scratch)
        os.chmod(file, 0o600)
        assert "It belongs to another user (root), who can give you the right." in replaced_by_another_user(
            file, scratch
        )
        with open(file, "rb") as kept:
            assert kept.read() == b"{}"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
def test_a_file_of_a_group_that_its_owner_is_not_in_keeps_its_group(scratch: Scratch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        file = os.path.join(folder, ".mcp.json")
        with open(file, "wb") as out:
            out.write(b"{}")
        os.chown(file, 1234, 0)
        os.chmod(file, 0o640)
        assert replaced_by_another_user(file, scratch) == ""
        info = os.stat(file)
        assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (1234, 0, 0o640)
        with open(file, "rb") as kept:
            assert kept.read() == b"x"


def replaced_by_another_user(file: str, scratch: Scratch) -> str:
    # Everything is imported before: another user may not even read this interpreter.
    code = (
        "import os, pwd, sys\nfrom engram.store.host_files import HostFileError, open_host_file, replace_file\n"
        "os.setgroups([]); os.setgid(1234); os.setuid(1234)\n"
        "try:\n    replace_file(open_host_file(sys.argv[1]), b'x')\n"
        "except HostFileError as error:\n    print(error, error.hint)\n"
    )
    # Nor may another user write what a run with coverage collects.
    env = {name: value for name, value in scratch.env.items() if not name.startswith(("COVERAGE_", "COV_CORE_"))}
    done = subprocess.run(
        [sys.executable, "-c", code, file], capture_output=True, encoding="utf-8", env=env, timeout=60, check=False
    )
    return done.stdout + done.stderr


def test_a_large_file_is_edited_like_any_other(engram: Runner, scratch: Scratch) -> None:
    folder = scratch.home / ".copilot"
    folder.mkdir()
    rows = {f"server-{number}": {"command": "x" * 60, "args": ["a", "b"]} for number in range(40_000)}
    before = json.dumps({"mcpServers": rows}, indent=2).encode()
    assert len(before) > 5_000_000
    file = folder / "mcp-config.json"
    file.write_bytes(before)
    plan = engram.ok("link", "copilot", "--global", "--plan")
    assert len(plan) < 10_000
    engram.ok("link", "copilot", "--global")
    assert "engram" in json.loads(file.read_text(encoding="utf-8"))["mcpServers"]
    engram.ok("unlink", "copilot", "--global")
    assert file.read_bytes() == before


def test_a_large_instruction_file_is_edited_like_any_other(engram: Runner, workspace: Path) -> None:
    before = b"# Ours\r\n" + b"some words here and `code` there\n" * 160_000
    assert len(before) > 5_000_000
    file = workspace / "AGENTS.md"
    file.write_bytes(before)
    assert len(engram.ok("link", "agents-md", "--plan")) < 10_000
    engram.ok("link", "agents-md")
    assert file.read_bytes().startswith(before)
    assert file.read_bytes() != before
    engram.ok("unlink", "agents-md")
    assert file.read_bytes() == before


def test_what_its_host_will_not_read_is_edited_and_named(engram: Runner, workspace: Path) -> None:  # C8
    (workspace / ".mcp.json").write_text('// mine\n{"mcpServers": {},}\n', encoding="utf-8")
    (workspace / ".gemini").mkdir()
    (workspace / ".gemini/settings.json").write_text("\ufeff// fine\n{}\n", encoding="utf-8")
    out = engram.ok("link", "claude", "gemini")
    assert "it holds a comment (line 1), so the host passes over the whole file" in out
    assert "a comma stands before a closing bracket (line" in out
    assert "it begins with a byte-order mark, so the host passes over" in out
    engram.ok("unlink", "claude", "gemini")
    assert (workspace / ".mcp.json").read_text(encoding="utf-8") == '// mine\n{"mcpServers": {},}\n'
    assert (workspace / ".gemini/settings.json").read_text(encoding="utf-8") == "\ufeff// fine\n{}\n"


def test_what_was_edited_by_hand_is_left_and_said(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "claude")
    guide, skill = workspace / "CLAUDE.md", workspace / ".claude/skills/engram-memory/SKILL.md"
    guide.write_text(
        guide.read_text(encoding="utf-8").replace("<!-- engram:end", "Ask Ada.\n<!-- engram:end"), encoding="utf-8"
    )
    skill.write_text(skill.read_text(encoding="utf-8") + "\nMine.\n", encoding="utf-8")

    engram.ok("link", "claude")
    assert "Ask Ada." in guide.read_text(encoding="utf-8")
    out = engram.ok("unlink", "claude")

    assert guide.read_text(encoding="utf-8") == "Ask Ada.\n"
    assert skill.read_text(encoding="utf-8").endswith("\nMine.\n")
    assert "1 line of your own inside the block stays" in out
    assert "it was edited by hand; remove it by hand" in out


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
def test_what_a_plan_shows_is_what_is_done(engram: Runner, workspace: Path, tmp_path: Path) -> None:
    (workspace / ".gemini").mkdir()
    (workspace / ".gemini/settings.json").write_text('{\n\t"x": 1 // c\n}', encoding="utf-8")
    (workspace / "AGENTS.md").write_text("# A\n\nb", encoding="utf-8")
    (workspace / "GEMINI.md").write_bytes(b"# A\r\n\r\nb\r\n")
    patched = tmp_path / "patched"
    hosts = ("claude", "gemini", "opencode", "codex", "--workspace")
    for verb in ("link", "unlink"):
        shutil.copytree(workspace, patched, ignore=shutil.ignore_patterns(".git"))
        plan = engram.ok(verb, *hosts, "--plan")
        assert "\\u{d}" not in plan  # a mark at the end of each line of a file from Windows
        (patched / "GEMINI.md").write_bytes((patched / "GEMINI.md").read_bytes().replace(b"\r\n", b"\n"))
        diff = plan[plan.index("\n--- ") + 1 :].replace(f"{workspace}/", "")
        words = ["patch", "--quiet", "--strip=0", "--no-backup-if-mismatch"]
        subprocess.run(words, input=diff, cwd=patched, encoding="utf-8", check=True)
        engram.ok(verb, *hosts)
        done = {path.relative_to(workspace): path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
        done = {path: data.replace(b"\r\n", b"\n") for path, data in done.items() if path.parts[0] != ".git"}
        shown = {path.relative_to(patched): path.read_bytes() for path in patched.rglob("*") if path.is_file()}
        assert shown == done
        shutil.rmtree(patched)


def moved_in(text: str) -> str:
    """Return a text as a program does that moves it below a list."""
    return "".join(f"  {line}" if line.strip() else line for line in text.splitlines(keepends=True))


def broken_elsewhere(text: str) -> str:
    """Return a text as a formatter leaves it: other marks of lists, and lines that end elsewhere."""
    return text.replace("\n- ", "\n* ").replace("\n  What it", " What\n  it")


@pytest.mark.parametrize("change", [moved_in, broken_elsewhere])
def test_a_block_that_a_formatter_laid_out_anew_goes_whole(
    engram: Runner, workspace: Path, change: Callable[[str], str]
) -> None:
    guide = workspace / "AGENTS.md"
    guide.write_text("# Rules\n", encoding="utf-8")
    engram.ok("link", "agents-md")
    guide.write_text(
        "# Rules\n" + change(guide.read_text(encoding="utf-8").removeprefix("# Rules\n")), encoding="utf-8"
    )
    changed = guide.read_bytes()
    engram.ok("link", "agents-md")
    assert guide.read_bytes() == changed
    engram.ok("unlink", "agents-md")
    assert guide.read_text(encoding="utf-8") == "# Rules\n"


def test_lines_of_a_persons_own_stay_as_they_are_in_a_block_that_was_moved_in(engram: Runner, workspace: Path) -> None:
    guide = workspace / "AGENTS.md"
    engram.ok("link", "agents-md")
    text = moved_in(guide.read_text(encoding="utf-8"))
    guide.write_text(text.replace("  <!-- engram:end", "   * Ask Ada.\n  <!-- engram:end"), encoding="utf-8")
    engram.ok("unlink", "agents-md")
    assert guide.read_text(encoding="utf-8") == "   * Ask Ada.\n"


def test_force_writes_what_was_edited_afresh(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "claude")
    skill = workspace / ".claude/skills/engram-memory/SKILL.md"
    fresh = skill.read_bytes()
    skill.write_bytes(fresh + b"\nMine.\n")
    assert "--force writes it afresh" in engram.ok("link", "claude")
    engram.ok("link", "claude", "--force")
    assert skill.read_bytes() == fresh


def test_an_entry_that_stood_there_before_link_is_kept_aside_before_unlink_takes_it_out(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:
    file = workspace / ".mcp.json"
    data = b'{"mcpServers": {"engram": {"command": "engram-mcp", "args": [], "env": {"MINE": "1"}}}}'
    file.write_bytes(data)
    assert "as it was: .mcp.json" in engram.ok("link", "claude", "--no-hooks", "--no-instructions")
    assert file.read_bytes() == data
    plan = engram.ok("unlink", "claude", "--plan")
    assert "(.mcp.json as it is now would be kept in" in plan
    engram.ok("unlink", "claude")
    (kept,) = (scratch.config / "backups").iterdir()
    assert kept.read_bytes() == data
    assert b"engram" not in file.read_bytes()


def test_a_file_of_that_name_that_is_not_ours_is_left(engram: Runner, workspace: Path) -> None:
    command = workspace / ".claude/commands/engram.md"
    command.parent.mkdir(parents=True)
    command.write_text("My own command.\n", encoding="utf-8")
    assert "Engram did not write" in engram.ok("link", "claude")
    engram.ok("unlink", "claude")
    assert command.read_text(encoding="utf-8") == "My own command.\n"


def test_a_plugin_of_that_name_that_is_not_ours_is_left(engram: Runner, scratch: Scratch) -> None:
    manifest = scratch.home / ".cursor/plugins/local/engram/.cursor-plugin/plugin.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('{"name": "engram", "version": "9"}\n', encoding="utf-8")
    for verb in ("link", "unlink"):
        assert "that Engram did not write" in engram.ok(verb, "cursor", "--global")
        assert f"left alone: {os.path.join('~', '.cursor/plugins/local/engram')}: a plugin" in engram.ok(
            verb, "cursor", "--global"
        )
    assert [path.name for path in manifest.parent.parent.rglob("*")] == [".cursor-plugin", "plugin.json"]


@pytest.mark.parametrize("more", [{}, {"version": "1.0.0"}], ids=["laid out afresh", "with one more key"])
def test_a_plugin_of_ours_whose_manifest_another_program_rewrote_is_still_ours(
    engram: Runner, scratch: Scratch, more: dict[str, str]
) -> None:  # C5
    (scratch.home / ".cursor/plugins/local").mkdir(parents=True)
    engram.ok("link", "cursor", "--global")
    manifest = scratch.home / ".cursor/plugins/local/engram/.cursor-plugin/plugin.json"
    manifest.write_text(json.dumps({**more, **json.loads(manifest.read_text(encoding="utf-8"))}), encoding="utf-8")
    assert "that Engram did not write" not in engram.ok("link", "cursor", "--global")
    engram.ok("unlink", "cursor", "--global")
    assert os.listdir(scratch.home / ".cursor/plugins/local") == []


def test_the_plugin_folder_of_cursor_goes_whole(engram: Runner, scratch: Scratch) -> None:
    (scratch.home / ".cursor/plugins/local").mkdir(parents=True)
    engram.ok("link", "cursor", "--global")
    rule = scratch.home / ".cursor/plugins/local/engram/rules/engram.mdc"
    rule.write_text(rule.read_text(encoding="utf-8") + "more\n", encoding="utf-8")
    (scratch.config / "links.json").unlink()
    engram.ok("unlink", "cursor", "--global")
    assert os.listdir(scratch.home / ".cursor/plugins/local") == []


def test_a_tracked_link_that_leads_out_of_the_project_is_not_followed(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:
    target = scratch.home / "profile.md"
    target.write_text("mine\n", encoding="utf-8")
    (workspace / "CLAUDE.md").symlink_to(target)
    subprocess.run(["git", "add", "CLAUDE.md"], cwd=workspace, env=scratch.env, check=True)
    done = engram.run("link", "claude")
    assert done.returncode == 1
    assert "came with the project and leads out of it" in done.stderr
    assert target.read_text(encoding="utf-8") == "mine\n"
    engram.ok("link", "claude", "--force")
    assert "engram:begin" in target.read_text(encoding="utf-8")
    # The word that was given once holds for this link.
    engram.ok("link", "claude")
    assert "Everything is of today's form already." in engram.ok("upgrade")
    (workspace / "CLAUDE.md").unlink()
    (workspace / "CLAUDE.md").symlink_to(scratch.home / "other.md")
    assert engram.run("link", "claude").returncode == 1
    engram.ok("unlink", "claude")
    assert not (scratch.home / "other.md").exists()


def test_a_link_to_a_file_of_all_projects_is_not_followed_because_that_one_is_linked(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:
    engram.ok("link", "claude", "--global")
    (workspace / "CLAUDE.md").symlink_to(scratch.home / ".claude" / "CLAUDE.md")
    subprocess.run(["git", "add", "CLAUDE.md"], cwd=workspace, env=scratch.env, check=True)
    done = engram.run("link", "claude")
    assert done.returncode == 1
    assert "came with the project and leads out of it" in done.stderr


def test_a_pipe_a_folder_and_a_loop_are_named(engram: Runner, workspace: Path) -> None:
    os.mkfifo(workspace / ".mcp.json")
    (workspace / "CLAUDE.md").mkdir()
    (workspace / ".claude").symlink_to(".claude")
    done = engram.run("link", "claude")
    assert done.returncode == 1
    for name in (".mcp.json", "CLAUDE.md", ".claude"):
        assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_is_named(engram: Runner, workspace: Path) -> None:
    (workspace / ".claude").write_text("a file\n", encoding="utf-8")
    done = engram.run("link", "claude")
    assert done.returncode == 1
    assert ".claude" in done.stderr
    assert (workspace / ".mcp.json").exists()
    engram.ok("unlink", "claude")
    assert not (workspace / ".mcp.json").exists()
    assert (workspace / ".claude").read_text(encoding="utf-8") == "a file\n"


def link_with_no_room(engram: Runner, most: int, *args: str) -> subprocess.CompletedProcess[str]:
    """Run `engram link` where no file can grow beyond so many bytes, as on a disk that is full."""
    code = (
        "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2); "
        "os.execv(sys.argv[2], sys.argv[2:])"
    )
    words = [sys.executable, "-c", code, str(most), *engram.command, "link", *args]
    # Compiled modules would be cut off as well, and so would what a run with coverage collects.
    env = {name: value for name, value in engram.scratch.env.items() if not name.startswith(("COVERAGE_", "COV_CORE_"))}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.run(
        words, capture_output=True, encoding="utf-8", cwd=engram.cwd, env=env, timeout=60, check=False
    )


def test_a_file_of_two_names_is_whole_where_the_disk_is_full(engram: Runner, workspace: Path) -> None:  # C5
    pytest.importorskip("resource")
    guide = workspace / "AGENTS.md"
    before = b"# Ours\n" + b"a line of some words\n" * 190
    guide.write_bytes(before)
    os.link(guide, workspace / "GUIDE.md")
    done = link_with_no_room(engram, 4096, "agents-md")
    assert done.returncode == 1
    assert "AGENTS.md" in done.stderr
    assert "Traceback" not in done.stderr
    assert guide.read_bytes() == before
    engram.ok("link", "agents-md")
    assert (workspace / "GUIDE.md").read_bytes() == guide.read_bytes() != before
    engram.ok("unlink", "agents-md")
    assert guide.read_bytes() == before


def test_folders_of_a_file_that_could_not_be_made_go_again(engram: Runner, workspace: Path) -> None:  # C5
    pytest.importorskip("resource")
    done = link_with_no_room(engram, 2000, "opencode", "--no-mcp", "--no-instructions")
    assert done.returncode == 1
    assert "plugins/engram.js" in done.stderr
    assert sorted(os.listdir(workspace)) == [".git", "README"]


def test_hooks_of_ours_that_were_moved_to_another_event_go_too(engram: Runner, workspace: Path) -> None:  # C5
    engram.ok("link", "claude")
    settings = workspace / ".claude/settings.json"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("UserPromptSubmit", "PreCompact"), encoding="utf-8")
    engram.ok("unlink", "claude")
    assert "engram" not in settings.read_text(encoding="utf-8")


def test_damaged_records_are_named_and_nothing_is_guessed(engram: Runner, scratch: Scratch, workspace: Path) -> None:
    (scratch.config / "links.json").write_text("{", encoding="utf-8")
    done = engram.run("link", "claude")
    assert done.returncode == 3
    assert "links.json cannot be read" in done.stderr
    assert not (workspace / ".mcp.json").exists()


def test_the_home_folder_is_no_project_but_has_files_of_all_projects(engram: Runner, scratch: Scratch) -> None:
    done = engram.run("link", "claude", cwd=scratch.home)
    assert done.returncode == 2
    assert "home folder" in done.stderr
    assert "--global" in done.stderr
    engram.ok("link", "claude", "--global", cwd=scratch.home)
    engram.ok("link", "list", cwd=scratch.home)


def test_a_linked_worktree_and_a_subfolder_link_their_own_tree(
    engram: Runner, scratch: Scratch, workspace: Path, tmp_path: Path
) -> None:
    engram.ok("inject")
    tree = tmp_path / "tree"
    subprocess.run(["git", "worktree", "add", "--quiet", str(tree)], cwd=workspace, env=scratch.env, check=True)
    inner = tree / "src"
    inner.mkdir()
    engram.ok("link", "claude", cwd=inner)
    assert (tree / ".mcp.json").exists()
    assert not (workspace / ".mcp.json").exists()
    engram.ok("link", "cursor", f"--workspace={workspace}", cwd=inner)
    assert (workspace / ".cursor/mcp.json").exists()


def test_two_links_at_once_both_count(engram: Runner, scratch: Scratch, workspace: Path) -> None:
    running = [
        subprocess.Popen([*engram.command, "link", host], cwd=workspace, env=scratch.env, stdout=subprocess.DEVNULL)
        for host in ("claude", "gemini", "cursor", "opencode")
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    engram.ok("unlink", "all")
    assert sorted(os.listdir(workspace)) == [".git", "README"]


def test_an_entry_that_was_edited_by_hand_goes_and_what_went_with_it_is_said(engram: Runner, workspace: Path) -> None:
    engram.ok("link", "claude", "codex", "--workspace")
    file, table = workspace / ".mcp.json", workspace / ".codex/config.toml"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["mcpServers"]["engram"]["env"] = {"ENGRAM_READ": "manual"}
    file.write_text(json.dumps(data), encoding="utf-8")
    table.write_text(
        table.read_text(encoding="utf-8").replace("args =", "tool_timeout_sec = 9\nargs ="), encoding="utf-8"
    )
    engram.ok("link", "claude", "codex", "--workspace")
    assert json.loads(file.read_text(encoding="utf-8")) == data

    forced = engram.ok("link", "claude", "codex", "--workspace", "--force", "--plan")
    out = engram.ok("unlink", "claude", "codex", "--workspace")

    for name in ('"env" of your own went with the entry', '"tool_timeout_sec" of your own went with the table'):
        assert name in forced
    assert '"env" of your own went with the entry' in out
    assert '"tool_timeout_sec" of your own went with the table' in out
    assert not file.exists()
    assert not table.exists()


def test_a_broken_configuration_does_not_keep_anybody_from_unlinking(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:
    engram.ok("link", "claude")
    (scratch.config / "engram.config.json").write_text("{", encoding="utf-8")
    assert engram.run("link", "gemini").returncode == 3
    engram.ok("unlink", "claude")
    assert sorted(os.listdir(workspace)) == [".git", "README"]


def test_what_another_tool_left_of_codex_tables_goes_too(engram: Runner, scratch: Scratch) -> None:  # C7a
    file = scratch.home / ".codex/config.toml"
    file.parent.mkdir()
    rest = '[mcp_servers.engram.tools.engram_commit]\napproval_mode = "approve"\n'
    file.write_text("a = 1\n\n" + rest, encoding="utf-8")
    engram.ok("unlink", "codex", "--global")
    assert file.read_text(encoding="utf-8") == "a = 1\n"
    file.write_text("a = 1\n\n" + rest, encoding="utf-8")
    engram.ok("link", "codex", "--global")
    engram.ok("unlink", "codex", "--global")
    assert file.read_text(encoding="utf-8") == "a = 1\n"
    remote = '[mcp_servers.engram]\nurl = "https://example.test"\n'
    file.write_text(remote, encoding="utf-8")
    for verb in ("link", "unlink"):
        assert "Engram did not write the table" in engram.ok(verb, "codex", "--global")
        assert file.read_text(encoding="utf-8") == remote


def test_an_empty_list_that_another_tool_left_out_is_no_edit(engram: Runner, scratch: Scratch, workspace: Path) -> None:
    bare = {"PATH": os.path.dirname(sys.executable) + os.pathsep + scratch.env["PATH"], "VIRTUAL_ENV": ""}
    engram.ok("link", "codex", "gemini", "--global", "--no-hooks", env=bare)
    toml, settings = scratch.home / ".codex/config.toml", scratch.home / ".gemini/settings.json"
    toml.write_text(toml.read_text(encoding="utf-8").replace("args = []\n", ""), encoding="utf-8")
    settings.write_text('{"mcpServers": {"engram": {"command": "engram-mcp"}}}', encoding="utf-8")
    before = toml.read_bytes(), settings.read_bytes()
    assert "(edited)" not in engram.ok("link", "list", env=bare)
    assert "differs" not in engram.ok("link", "codex", "gemini", "--global", "--no-hooks", env=bare)
    assert "Everything is of today's form already." in engram.ok("upgrade", env=bare)
    assert (toml.read_bytes(), settings.read_bytes()) == before


def test_hosts_whose_folder_was_moved_are_linked_there(engram: Runner, scratch: Scratch, tmp_path: Path) -> None:
    env = {
        "CODEX_HOME": str(tmp_path / "codex"),
        "CLAUDE_CONFIG_DIR": "~/claude-work",
        "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
        "CLINE_MCP_SETTINGS_PATH": str(tmp_path / "cline.json"),
    }
    engram.ok("link", "codex", "claude", "opencode", "cline", "--global", env=env)
    assert (tmp_path / "codex/config.toml").exists()
    assert (scratch.home / "claude-work/settings.json").exists()
    assert (tmp_path / "xdg/opencode/opencode.jsonc").exists()
    assert (tmp_path / "cline.json").exists()
    engram.ok("unlink", "codex", "claude", "opencode", "cline", "--global", env=env)
    assert not (tmp_path / "codex").exists()
    assert not (tmp_path / "cline.json").exists()


def test_no_copy_is_kept_of_a_file_that_could_not_be_written(engram: Runner, scratch: Scratch) -> None:
    """It may hold keys, and there is nothing to go back to."""
    file = engram.cwd / ".mcp.json"
    file.write_text('{"mcpServers": {}}', encoding="utf-8", newline="\n")
    file.chmod(0o444)
    assert engram.run("link", "claude").returncode == 1
    config = scratch.env["ENGRAM_CONFIG_DIR"]
    assert [name for name in os.listdir(os.path.join(config, "backups")) if name.endswith(".mcp.json")] == []
