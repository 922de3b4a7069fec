"""Every finding of `engram doctor` comes with a command, and what it says is true once that was run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Runner

RULE = "rules/use-pnpm.md"


def findings(engram: Runner, *options: str, **given: Any) -> list[dict[str, Any]]:
    """Return what was found, each of it with a command; where the tests' own programs lie is not looked at."""
    found: list[dict[str, Any]] = engram.json("doctor", *options, **given)["data"]["findings"]
    assert [one["id"] for one in found if not one.get("command")] == []
    return [one for one in found if one["id"] != "install.path"]


def one_of(engram: Runner, name: str, **given: Any) -> dict[str, Any]:
    """Return the one finding of this name."""
    (found,) = [one for one in findings(engram, **given) if one["id"] == name]
    return found


def names(engram: Runner, **given: Any) -> set[str]:
    return {one["id"] for one in findings(engram, **given)}


def paste(engram: Runner, line: str) -> None:
    """Run a command as a person does who copies it, from another folder."""
    path = os.path.dirname(sys.executable) + os.pathsep + engram.scratch.env["PATH"]
    env = {**engram.scratch.env, "PATH": path}
    subprocess.run(["/bin/sh", "-c", line], cwd=engram.cwd, env=env, check=True, timeout=60)


def home(engram: Runner) -> Path:
    return Path(engram.scratch.env["HOME"])


def user_folder(engram: Runner) -> Path:
    return Path(engram.scratch.env["ENGRAM_CONFIG_DIR"])


def put(path: Path, text: str | None) -> None:
    """Put a text, or a folder for None, in the place of whatever is there."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if text is None:
        path.mkdir(parents=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


@pytest.fixture
def saved(engram: Runner) -> Path:
    """Return the root of a memory with one rule."""
    engram.ok("inject")
    engram.ok("save", "rule", "Use pnpm.", input="A\n")
    return engram.cwd / ".agents" / ".engram"


def test_what_stands_where_engram_keeps_a_file_or_a_folder_is_named_and_moved_away(  # F2
    engram: Runner, saved: Path
) -> None:
    files = {"changelog.md", ".gitignore", ".gitattributes", ".lock", "memory.hashes.json", "pending-approvals.json"}
    folders = {".journal", "inbox", "working", "archive", "traces", ".cache", "knowledge"}
    for name in files:
        put(saved / name, None)
    for name in folders:
        put(saved / name, "mine")
    assert engram.run("repair").stdout.count("misshaped: ") == len(files | folders)
    found = [one for one in findings(engram) if one["id"] == "memory.misshaped"]
    assert {os.path.relpath(one["file"], saved) for one in found} == files | folders
    assert {one["level"] for one in found} == {"error"}
    for one in found:
        paste(engram, one["command"])
    assert not {"memory.misshaped", "memory.broken"} & names(engram)
    assert (home(engram) / "engram-inbox").read_text(encoding="utf-8") == "mine"
    engram.ok("doctor", "--fix")
    assert names(engram) == set()
    engram.ok("archive", "use-pnpm", "--reason", "old")


@pytest.mark.parametrize(
    "place", ["SHA256SUMS", "engram.config.json", ".engramignore", "~trust.json", "~links.json", "~author.json"]
)
def test_a_folder_in_the_place_of_a_file_that_all_needs_is_named_once(engram: Runner, saved: Path, place: str) -> None:
    file = user_folder(engram) / place[1:] if place.startswith("~") else saved / place
    put(file, None)
    (found,) = [one for one in findings(engram) if one["level"] == "error"]
    assert found["file"] == str(file)
    paste(engram, found["command"])
    assert "error" not in {one["level"] for one in findings(engram)}


@pytest.mark.skipif(os.name != "posix", reason="pipes with names")
@pytest.mark.parametrize("name", ["SHA256SUMS", ".lock"])
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(engram: Runner, saved: Path, name: str) -> None:  # E2
    (saved / name).unlink()
    os.mkfifo(saved / name)
    paste(engram, one_of(engram, "memory.misshaped")["command"])
    assert (home(engram) / f"engram-{name.lstrip('.')}").is_fifo()
    os.mkfifo(saved / name)
    done = engram.run("load", "pnpm")
    assert (done.returncode, "no regular file" in done.stderr) == ((0, False) if name == ".lock" else (1, True))


def test_a_damaged_file_of_the_users_own_is_named_with_what_moves_it_away(engram: Runner, saved: Path) -> None:
    engram.ok("link", "claude")
    for name in ("links.json", "trust.json"):
        put(user_folder(engram) / name, "{")
        (found,) = [one for one in findings(engram) if name in one["message"]]
        paste(engram, found["command"])
        assert name not in str(findings(engram))
    put(user_folder(engram) / "author.json", "{")
    assert one_of(engram, "config.broken")["command"].endswith("author.json")


def test_memory_cannot_be_made_where_a_file_stands(engram: Runner) -> None:
    put(engram.cwd / ".agents", "mine")
    paste(engram, one_of(engram, "memory.misshaped")["command"])
    assert one_of(engram, "memory.none")["command"] == "engram inject"
    engram.ok("inject")


def test_in_the_home_folder_memory_is_made_for_all_projects(engram: Runner) -> None:  # F1
    command = one_of(engram, "memory.none", cwd=home(engram))["command"]
    paste(engram, command)
    assert "memory.none" not in names(engram, cwd=home(engram))


def test_a_user_folder_that_is_a_file_is_named(engram: Runner, saved: Path) -> None:  # F4
    put(user_folder(engram), "mine")
    paste(engram, one_of(engram, "install.folder")["command"])
    assert "install.folder" not in names(engram)


def test_a_host_file_that_became_a_folder_is_named_where_engram_had_linked_it(engram: Runner, saved: Path) -> None:
    engram.ok("link", "claude")
    put(engram.cwd / ".mcp.json", None)
    found = one_of(engram, "host.broken")
    assert found["file"] == str(engram.cwd / ".mcp.json")
    paste(engram, found["command"])
    assert one_of(engram, "host.unlinked")["command"] == "engram link claude --workspace"


def test_fix_mends_the_rest_where_one_thing_cannot_be_mended(engram: Runner, saved: Path) -> None:
    ledger = (saved / "SHA256SUMS").read_text(encoding="utf-8")
    put(saved / "SHA256SUMS", f"<<<<<<< HEAD\n{ledger}=======\n{ledger}>>>>>>> other\n")
    put(user_folder(engram) / "links.json", "{")
    done = engram.run("doctor", "--fix")
    assert done.returncode == 1
    assert "Mended: SHA256SUMS" in done.stdout
    assert "[links.broken]" in done.stdout
    assert (saved / "SHA256SUMS").read_text(encoding="utf-8") == ledger


def test_fix_with_a_configuration_that_cannot_be_read_says_which(engram: Runner, saved: Path) -> None:  # F21
    put(saved / "engram.config.json", '{"read": ')
    done = engram.run("doctor", "--fix")
    assert (done.returncode, "[config.broken]" in done.stdout) == (1, True)
    put(saved / "engram.config.json", "{}")
    wrong = {"ENGRAM_READ": "sometimes"}
    assert one_of(engram, "config.broken", env=wrong)["command"] == "unset ENGRAM_READ"


def test_a_host_file_that_could_not_be_mended_is_said(engram: Runner, saved: Path) -> None:
    engram.ok("link", "claude")
    entry = engram.cwd / ".mcp.json"
    data = json.loads(entry.read_text(encoding="utf-8"))
    data["mcpServers"]["engram"]["command"] = "/gone/bin/engram-mcp"
    put(entry, json.dumps(data, indent=2))
    entry.chmod(0o444)
    done = engram.run("doctor", "--fix")
    assert f"Not mended: {entry} was left as it is" in done.stdout
    assert "[host.stale]" in done.stdout


def test_what_a_look_finishes_is_mended_and_no_finding(engram: Runner, saved: Path) -> None:  # F15
    data = (saved / RULE).read_bytes()
    new = data.replace(b"Use pnpm.", b"Use pnpm only.")
    old, now = (hashlib.sha256(text).hexdigest() for text in (data, new))
    ledger = (saved / "SHA256SUMS").read_text(encoding="utf-8")
    sums = ledger.replace(old, now).encode()
    targets = [[RULE, old, now], ["SHA256SUMS", *(hashlib.sha256(one).hexdigest() for one in (ledger.encode(), sums))]]
    put(saved / ".journal" / "open.json", json.dumps({"version": 1, "note": "update it", "targets": targets}))
    (saved / ".journal" / "0.new").write_bytes(new)
    (saved / ".journal" / "1.new").write_bytes(sums)
    mended = engram.json("doctor")["data"]["mended"]
    assert mended == [f"Finished an interrupted write: update it. ({saved})"]
    assert (saved / RULE).read_bytes() == new


def test_a_write_that_cannot_be_finished_is_said_once_with_the_reason(engram: Runner, saved: Path) -> None:  # F15
    put(saved / ".journal" / "open.json", "{")
    found = findings(engram)
    assert [one["id"] for one in found] == ["memory.journal"]
    assert "open.json cannot be read: line 1" in found[0]["message"]
    paste(engram, found[0]["command"])
    assert names(engram) == set()


def test_files_that_a_review_decides_about_come_with_the_review(engram: Runner, saved: Path) -> None:  # F13, F2a
    put(saved / "SHA256SUMS", f"{'0' * 64}  {RULE}\n{'1' * 64}  {RULE}\n")
    found = {one["id"]: one for one in findings(engram)}
    assert found.keys() == {"memory.skipped", "memory.damaged"}
    assert {one["command"] for one in found.values()} == {"engram verify --review"}
    assert not found["memory.damaged"].get("fixable")
    assert found["memory.skipped"]["message"].endswith("it changed since it was approved; review it.")


def test_recall_without_an_index_and_a_cache_that_leads_out_come_with_commands(engram: Runner, saved: Path) -> None:
    shutil.rmtree(saved / ".cache", ignore_errors=True)
    (saved / ".cache").symlink_to(home(engram), target_is_directory=True)
    paste(engram, one_of(engram, "memory.cache")["command"])
    assert not (saved / ".cache").is_symlink()
    put(saved / ".cache", "mine")
    assert one_of(engram, "memory.no_index")["command"] == "engram status"
    paste(engram, one_of(engram, "memory.misshaped")["command"])
    paste(engram, "engram status")
    assert names(engram) == set()


def test_values_that_do_not_count_are_taken_out_by_what_is_printed(engram: Runner, saved: Path) -> None:  # F21
    put(
        saved / "engram.config.json", '{"safety": {"secret": "allow"}, "global_path": "/x", /* mine */ "scope": "both"}'
    )
    put(user_folder(engram) / "engram.config.json", '{"reed": "auto"}')
    found = findings(engram)
    assert {one["id"] for one in found} == {"memory.not_counted", "config.unknown"}
    for one in found:
        paste(engram, one["command"])
    assert names(engram) == set()
    assert (saved / "engram.config.json").read_text(encoding="utf-8") == '{/* mine */ "scope": "both"}'


def test_a_global_memory_that_is_a_file_is_no_missing_one(engram: Runner, saved: Path, tmp_path: Path) -> None:
    put(tmp_path / "global", "mine")
    engram.ok("config", "set", "--global", "global_path", str(tmp_path / "global"))
    found = one_of(engram, "memory.global_missing")
    assert found["message"].endswith("global is no folder.")
    paste(engram, found["command"])
    assert names(engram) == set()


def test_another_history_at_a_trusted_place_is_said_until_it_is_trusted(engram: Runner, saved: Path) -> None:  # F18
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=engram.cwd, env=engram.scratch.env, check=True, timeout=60)

    shutil.rmtree(engram.cwd / ".git")
    git("init", "--quiet")
    git("add", "README")
    git("commit", "--quiet", "--message", "Another history")
    for options in ((), (), ("--fix",)):
        (found,) = [one for one in findings(engram, *options) if one["id"] == "memory.other_history"]
        assert (found["command"], found["advice"]) == ("engram trust", "Look at it, then run this.")


@pytest.mark.skipif(os.name != "posix", reason="scripts as POSIX starts them")
@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("sleep 600 & wait", "engram-mcp gave no answer within 5 seconds"),
        ("yes | tr -d '\\n'", "engram-mcp does not speak MCP"),
        ("exit 3", "engram-mcp ended without an answer"),
    ],
)
def test_a_server_that_does_not_answer_is_ended_with_what_it_started(  # C4
    engram: Runner, saved: Path, tmp_path: Path, script: str, trouble: str
) -> None:
    # An installation of its own, whose server is a script.
    folder = tmp_path / "installed"
    folder.mkdir()
    (folder / "python").symlink_to(os.path.realpath(sys.executable))
    for name, text in {
        "engram": f"#!{folder}/python\nfrom engram.cli import program\nprogram()\n",
        "engram-mcp": f"#!/bin/sh\necho $$ >> {tmp_path}/started\n{script}\n",
    }.items():
        put(folder / name, text)
        (folder / name).chmod(0o755)
        put(home(engram) / ".local" / "bin" / name, "")
        (home(engram) / ".local" / "bin" / name).unlink()
        (home(engram) / ".local" / "bin" / name).symlink_to(folder / name)
    engram.command = [str(folder / "engram")]
    env = {"PATH": f"{folder}{os.pathsep}/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    assert trouble in engram.run("link", "claude", env=env).stderr
    found = one_of(engram, "host.start", env=env)
    assert trouble in found["message"]
    assert (found["command"], found["advice"]) == ("engram upgrade", "Install Engram again, then run this.")
    groups = {int(line) for line in (tmp_path / "started").read_text(encoding="utf-8").split()}
    deadline = time.monotonic() + 60
    while any(map(_lives, groups)):
        assert time.monotonic() < deadline, "what the server started is still there"
        time.sleep(0.05)


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
