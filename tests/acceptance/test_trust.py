"""F18: whose memory may instruct is what a human of this machine said, and it holds for that project only."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner, Scratch

ID = "never-push-to-main"
FOREIGN = "foreign: reference only"
QUESTION = "Trust this workspace? [y/N]"


def git(scratch: Scratch, folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, env=scratch.env, check=True, capture_output=True, timeout=60)


def is_foreign(engram: Runner, folder: Path) -> bool:
    """Tell how a load marks the memory of a folder; list and load always agree."""
    listed = engram.json("list", cwd=folder)["data"]["memories"]
    marks = {memory["foreign"] for memory in listed}
    pack = engram.ok("load", "--id", ID, cwd=folder)
    assert marks == {FOREIGN in pack}
    assert ('authority="instruction"' in pack) is not (FOREIGN in pack)
    return FOREIGN in pack


def at_terminal(engram: Runner, folder: Path, answer: bytes, *args: str) -> tuple[int, str]:
    """Run ``engram trust`` with a terminal at which ``answer`` is typed; return exit code and what was printed."""
    mine, theirs = pty.openpty()
    try:
        os.write(mine, answer)
        with subprocess.Popen(
            [*engram.command, "trust", *args],
            cwd=folder,
            env=engram.scratch.env,
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            start_new_session=True,
        ) as process:
            out, _ = process.communicate(timeout=60)
        os.close(theirs)
        said = b""
        while True:
            try:
                chunk = os.read(mine, 65536)
            except OSError:  # the other end is closed: everything was read
                break
            if not chunk:
                break
            said += chunk
    finally:
        os.close(mine)
    return process.returncode, (out + said).decode()


@pytest.fixture
def shared(engram: Runner, workspace: Path, scratch: Scratch) -> Path:
    """Return a project whose memory is committed, as its maker has it."""
    engram.ok("inject")
    engram.save("rule", "Never push to main.")
    git(scratch, workspace, "add", "--all")
    git(scratch, workspace, "commit", "--quiet", "--message", "Memory")
    return workspace


@pytest.fixture
def clone(shared: Path, scratch: Scratch, tmp_path: Path) -> Path:
    """Return a clone of it, which nobody has accepted."""
    git(scratch, tmp_path, "clone", "--quiet", str(shared), "clone")
    return tmp_path / "clone"


def accept(engram: Runner, folder: Path) -> None:
    code, said = at_terminal(engram, folder, b"y\n")
    assert code == 0, said


def test_a_root_made_here_is_trusted_from_the_start(engram: Runner, shared: Path) -> None:
    assert not is_foreign(engram, shared)


def test_a_clone_is_foreign_everywhere_and_still_read(engram: Runner, clone: Path) -> None:
    assert is_foreign(engram, clone)
    for command in (("list",), ("load", "push to main"), ("load", "--full", "push to main"), ("load", "--id", ID)):
        text = engram.ok(*command, cwd=clone)
        assert FOREIGN in text, command
        assert 'authority="instruction"' not in text
    shown = engram.run("show", ID, cwd=clone)
    assert shown.returncode == 0
    assert FOREIGN in shown.stderr
    assert "Never push to main" in shown.stdout
    assert FOREIGN in engram.ok("status", cwd=clone)
    assert engram.json("load", "push to main", cwd=clone)["ok"] is True


def test_neither_inject_nor_a_save_makes_a_clone_trusted(engram: Runner, clone: Path) -> None:
    assert "foreign" in engram.ok("inject", cwd=clone)
    engram.save("rule", "One of ours beside theirs.", cwd=clone)
    assert is_foreign(engram, clone)


def test_the_environment_trusts_the_workspace_of_that_process(engram: Runner, clone: Path) -> None:
    assert FOREIGN not in engram.ok("load", "--id", ID, cwd=clone, env={"ENGRAM_TRUST": "1"})
    assert FOREIGN in engram.ok("load", "--id", ID, cwd=clone, env={"ENGRAM_TRUST": "0"})
    assert is_foreign(engram, clone)


@pytest.mark.parametrize("given", [None, "y\n", "yes\nyes\n"])
def test_trust_without_a_terminal_refuses_and_names_the_variable(
    engram: Runner, clone: Path, given: str | None
) -> None:
    done = engram.run("trust", cwd=clone, input=given)
    assert done.returncode == 5
    assert "ENGRAM_TRUST=1" in done.stderr
    assert is_foreign(engram, clone)


def test_trust_by_the_variable_is_named_as_such_and_how_to_trust_for_good(engram: Runner, clone: Path) -> None:
    done = engram.run("trust", cwd=clone, env={"ENGRAM_TRUST": "1"})
    assert done.returncode == 0
    assert "trusted by ENGRAM_TRUST=1, for this process only" in done.stdout
    assert "unset ENGRAM_TRUST and run engram trust" in done.stdout
    assert is_foreign(engram, clone)


@pytest.mark.parametrize("answer", [b"y\n", b"yes\n", b" Y \n"])
def test_a_human_at_a_terminal_accepts(engram: Runner, clone: Path, answer: bytes) -> None:
    code, said = at_terminal(engram, clone, answer)
    assert QUESTION in said
    assert "1 rules" in said or "1 rule" in said
    assert code == 0
    assert not is_foreign(engram, clone)
    code, said = at_terminal(engram, clone, b"")
    assert code == 0
    assert "trusted already" in said


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"yep\n", b"\x04"])
def test_anything_but_yes_at_the_terminal_is_a_refusal(engram: Runner, clone: Path, answer: bytes) -> None:
    code, said = at_terminal(engram, clone, answer)
    assert QUESTION in said
    assert code == 5
    assert is_foreign(engram, clone)


def test_what_is_trusted_is_listed_and_can_be_revoked(engram: Runner, shared: Path, clone: Path) -> None:
    accept(engram, clone)
    listed = engram.ok("trust", "--list", cwd=clone)
    assert [line.split("  since ")[0] for line in listed.splitlines()] == [str(clone), str(shared)]
    assert "no longer trusted" in engram.ok("trust", "--revoke", cwd=clone)
    assert is_foreign(engram, clone)
    assert not is_foreign(engram, shared), "revoking one project leaves the others"
    assert "was not trusted" in engram.ok("trust", "--revoke", cwd=clone)
    assert str(clone) not in engram.ok("trust", "--list")


def test_trust_is_kept_in_the_users_folder_and_never_in_the_repository(
    engram: Runner, clone: Path, scratch: Scratch
) -> None:
    before = sorted(path for path in clone.rglob("*") if not {".git", ".cache"} & {*path.parts})
    accept(engram, clone)
    assert (scratch.config / "trust.json").stat().st_mode & 0o077 == 0
    after = sorted(path for path in clone.rglob("*") if not {".git", ".cache"} & {*path.parts})
    assert [path for path in after if path.name != ".lock"] == [path for path in before if path.name != ".lock"]
    other = engram.scratch.home / "of-another-user"
    assert FOREIGN in engram.ok("load", "--id", ID, cwd=clone, env={"ENGRAM_CONFIG_DIR": str(other)})


def test_a_list_of_trust_that_is_damaged_trusts_nobody(engram: Runner, shared: Path, scratch: Scratch) -> None:
    (scratch.config / "trust.json").write_text('[{"path": ', encoding="utf-8")
    done = engram.run("load", "push to main")
    assert done.returncode == 3
    assert str(scratch.config / "trust.json") in done.stderr


@pytest.mark.parametrize("text", ["{}", "null", "[1]", '["x"]', '[{"path": 1}]', "7"])
def test_a_list_of_trust_of_another_shape_is_an_error_that_names_it(
    engram: Runner, shared: Path, scratch: Scratch, text: str
) -> None:
    (scratch.config / "trust.json").write_text(text, encoding="utf-8")
    done = engram.run("load", "push to main")
    assert done.returncode == 3, done.stdout + done.stderr
    assert str(scratch.config / "trust.json") in done.stderr


def test_another_history_at_the_same_path_is_foreign(
    engram: Runner, clone: Path, scratch: Scratch, tmp_path: Path
) -> None:
    accept(engram, clone)
    (clone / ".git").rename(tmp_path / "old-git")
    git(scratch, clone, "init", "--quiet")
    assert is_foreign(engram, clone), "no commit yet, and none of those that were known"
    git(scratch, clone, "add", "--all")
    git(scratch, clone, "commit", "--quiet", "--message", "Another history")
    assert is_foreign(engram, clone)


def test_the_same_history_cloned_again_to_the_same_path_is_trusted(
    engram: Runner, shared: Path, clone: Path, scratch: Scratch, tmp_path: Path
) -> None:
    accept(engram, clone)
    clone.rename(tmp_path / "moved-away")
    git(scratch, tmp_path, "clone", "--quiet", str(shared), "clone")
    assert not is_foreign(engram, clone)
    assert is_foreign(engram, tmp_path / "moved-away"), "trust is bound to the path"


def test_a_copy_elsewhere_is_foreign(engram: Runner, clone: Path, tmp_path: Path) -> None:
    accept(engram, clone)
    shutil.copytree(clone, tmp_path / "copy")
    assert is_foreign(engram, tmp_path / "copy")


def test_a_clone_inside_a_trusted_project_is_foreign(
    engram: Runner, shared: Path, scratch: Scratch, tmp_path: Path
) -> None:
    git(scratch, shared, "clone", "--quiet", str(shared), "vendored")
    assert is_foreign(engram, shared / "vendored")
    shutil.rmtree(shared / "vendored" / ".git")
    # Without a .git of its own it is part of the project, whose owner put it there.
    assert not is_foreign(engram, shared / "vendored")


def test_git_init_in_a_trusted_folder_keeps_the_trust(engram: Runner, scratch: Scratch, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    engram.ok("inject", cwd=plain)
    engram.save("rule", "Never push to main.", cwd=plain)
    assert not is_foreign(engram, plain)
    git(scratch, plain, "init", "--quiet")
    assert not is_foreign(engram, plain)
    git(scratch, plain, "add", "--all")
    git(scratch, plain, "commit", "--quiet", "--message", "First")
    assert not is_foreign(engram, plain)
    engram.ok("trust", "--revoke", cwd=plain)
    assert is_foreign(engram, plain)


def test_a_shallow_clone_is_known_by_its_path_and_its_origin(
    engram: Runner, shared: Path, scratch: Scratch, tmp_path: Path
) -> None:
    origin = f"file://{shared}"
    for name in ("shallow", "again"):
        git(scratch, tmp_path, "clone", "--quiet", "--depth", "1", origin, name)
    shallow = tmp_path / "shallow"
    assert (shallow / ".git" / "shallow").exists()
    assert is_foreign(engram, shallow)
    accept(engram, shallow)
    assert not is_foreign(engram, shallow)
    assert is_foreign(engram, tmp_path / "again")
    (shallow / ".git").rename(tmp_path / "old-git")
    (tmp_path / "again" / ".git").rename(shallow / ".git")
    assert not is_foreign(engram, shallow), "the same origin at the same path"
    git(scratch, shallow, "remote", "set-url", "origin", "https://example.test/another.git")
    assert is_foreign(engram, shallow)


def test_a_global_memory_that_the_user_configured_is_trusted(engram: Runner, clone: Path, tmp_path: Path) -> None:
    engram.ok("inject", "--global-path", str(tmp_path / "global"))
    engram.save("rule", "Write tests first.", "--scope", "global", cwd=clone)
    pack = engram.ok("load", "push tests to main", cwd=clone)
    assert pack.count(FOREIGN) == 1
    assert pack.count('authority="instruction"') == 1


def test_trust_where_there_is_no_memory_says_so(engram: Runner, workspace: Path) -> None:
    for args in ((), ("--revoke",)):
        done = engram.run("trust", *args)
        assert done.returncode == 7
        assert "engram inject" in done.stderr
    assert "trusts no workspace yet" in engram.ok("trust", "--list")


def test_status_sees_another_history_behind_the_same_inode_and_reading_remembers(
    engram: Runner, workspace: Path, scratch: Scratch
) -> None:
    # F18: the inode of a folder made anew may be the old one's; `status` looks at the root commits themselves.
    engram.ok("inject")
    engram.save("rule", "Use tabs in Makefiles.")
    git(scratch, workspace, "checkout", "--orphan", "other")
    git(scratch, workspace, "commit", "--allow-empty", "--message", "another history")
    assert engram.json("list")["data"]["memories"][0]["foreign"] is False
    done = engram.run("status")
    assert "is not the project that you trusted here" in done.stderr
    assert engram.json("list")["data"]["memories"][0]["foreign"] is True
    git(scratch, workspace, "checkout", "main")
    assert engram.json("list")["data"]["memories"][0]["foreign"] is False


def test_status_names_the_trusted_place_that_a_moved_project_came_from(
    engram: Runner, workspace: Path, tmp_path: Path
) -> None:  # F18
    engram.ok("inject")
    engram.save("rule", "Never push to main.")
    copy = tmp_path / "copy"
    shutil.copytree(workspace, copy)
    assert "was it moved here?" not in engram.ok("status", cwd=copy), "the trusted one is still there"
    workspace.rename(tmp_path / "moved")
    text = engram.ok("status", cwd=tmp_path / "moved")
    assert f"its history is that of {workspace}, which you trusted and which is gone: was it moved here?" in text
    assert is_foreign(engram, tmp_path / "moved"), "a likeness is no trust"


def pull(engram: Runner, shared: Path, folder: Path, *texts: str, author: str = "Bob Puller") -> None:
    """Save in the one project as somebody else, commit, and pull into the other."""
    env = {"ENGRAM_AUTHOR_NAME": author, "ENGRAM_AUTHOR_EMAIL": "bob@example.test", "ENGRAM_TRUST": "1"}
    for text in texts:
        engram.save("rule", text, cwd=shared, env=env)
    git(engram.scratch, shared, "add", "--all")
    git(engram.scratch, shared, "commit", "--quiet", "--message", "More memory")
    git(engram.scratch, folder, "pull", "--quiet")


def at_start(engram: Runner, folder: Path, session: str) -> str:
    """Return what a session's start injects."""
    event = {"hook_event_name": "SessionStart", "session_id": session, "source": "startup", "cwd": str(folder)}
    return engram.ok("hook", "claude", input=json.dumps(event), cwd=folder)


def at_prompt(engram: Runner, folder: Path, prompt: str) -> str:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "p", "prompt": prompt, "cwd": str(folder)}
    return engram.ok("hook", "claude", input=json.dumps(event), cwd=folder)


def test_what_a_pull_brings_is_used_and_named_with_its_author(engram: Runner, shared: Path, clone: Path) -> None:
    accept(engram, clone)
    assert "a pull brought" not in engram.ok("status", cwd=clone)
    assert "Brought by a pull" not in engram.ok("review", "--list", cwd=clone)
    at_start(engram, clone, "one")
    pull(engram, shared, clone, "Deploy the gateway with the script.")
    named = "deploy-the-gateway-with-the-script (by Bob Puller)"
    said = engram.ok("status", cwd=clone)
    assert f"1 memory that a pull brought is in use: {named}; engram review shows it" in said
    assert engram.json("status", cwd=clone)["data"]["roots"][0]["pulled"] == 1
    listed = engram.json("review", "--list", cwd=clone)["data"]["items"]
    assert [(one["kind"], one["state"], one["name"]) for one in listed] == [
        ("pulled", "used", "deploy-the-gateway-with-the-script")
    ]
    assert "by Bob Puller" in listed[0]["reason"]
    assert named in at_start(engram, clone, "two")
    assert named not in at_start(engram, clone, "three")
    pack = engram.ok("load", "deploy the gateway", cwd=clone)
    assert 'authority="instruction"' in pack
    code, said = at_terminal(engram, clone, b"y\n")
    assert code == 0, said
    assert named.split(maxsplit=1)[0] in said
    assert "a pull brought" not in engram.ok("status", cwd=clone)


@pytest.mark.parametrize("mode", ["normal", "strict"])
def test_status_review_and_a_session_s_start_count_alike_what_a_pull_brought(
    engram: Runner, shared: Path, clone: Path, mode: str
) -> None:  # F18
    accept(engram, clone)
    engram.ok("config", "set", "--global", "trust.mode", mode, cwd=clone)
    topics = ("gateway", "worker", "crane", "mirror", "kiln")
    pull(engram, shared, clone, *(f"Deploy the {topic} with its script." for topic in topics))
    root = clone / ".agents" / ".engram"
    files = [root / "rules" / f"deploy-the-{topic}-with-its-script.md" for topic in topics]
    files[0].unlink()
    with files[1].open("a", encoding="utf-8", newline="\n") as file:
        file.write("Edited by hand.\n")
    # Of two files with one id one is served: the second is damage, which `engram repair` names.
    (root / "rules" / "deep").mkdir()
    (root / "rules" / "deep" / files[2].name).write_bytes(files[2].read_bytes())
    with (root / "SHA256SUMS").open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"{hashlib.sha256(files[2].read_bytes()).hexdigest()}  rules/deep/{files[2].name}\n")
    listed = [item for item in engram.json("review", "--list", cwd=clone)["data"]["items"] if item["kind"] == "pulled"]
    assert len(listed) == 3
    assert engram.json("status", cwd=clone)["data"]["roots"][0]["pulled"] == 3
    assert "3 memories that a pull brought" in engram.ok("status", cwd=clone)
    started = at_start(engram, clone, "one")
    named = [item["name"] for item in listed if f"{item['name']} (by Bob Puller)" in started]
    assert len(named) == 3
    assert "more" not in started.partition("New in")[2].partition("\n")[0]
    assert files[0].stem not in started


def test_in_strict_mode_each_new_content_hash_waits_for_a_human(engram: Runner, shared: Path, clone: Path) -> None:
    accept(engram, clone)
    engram.ok("config", "set", "--global", "trust.mode", "strict", cwd=clone)
    assert not is_foreign(engram, clone)
    pull(engram, shared, clone, "Deploy the gateway with the script.")
    gateway = "deploy-the-gateway-with-the-script"
    for command in (("list",), ("load", "deploy the gateway"), ("load", "--id", gateway), ("search", "gateway")):
        assert FOREIGN in engram.ok(*command, cwd=clone), command
    assert 'authority="instruction"' not in engram.ok("load", "deploy the gateway", cwd=clone)
    assert 'authority="instruction"' in engram.ok("load", "--id", ID, cwd=clone), "what was accepted stays"
    assert "deploy" not in at_prompt(engram, clone, "deploy the gateway with the script").lower()
    started = at_start(engram, clone, "one")
    assert f"1 memory that a pull brought waits for engram trust, reference only: {gateway} (by Bob Puller)" in started
    assert "# Deploy the gateway" not in started
    assert "Never push to main" in started
    assert "waits for engram trust" in at_start(engram, clone, "two"), "as long as it waits"
    assert "waits for engram trust" in engram.ok("status", cwd=clone)
    assert engram.json("review", "--list", cwd=clone)["data"]["items"][0]["state"] == "waiting"
    assert engram.run("trust", cwd=clone).returncode == 5
    assert at_terminal(engram, clone, b"n\n")[0] == 5
    assert FOREIGN in engram.ok("load", "--id", gateway, cwd=clone)
    assert FOREIGN not in engram.ok("load", "--id", gateway, cwd=clone, env={"ENGRAM_TRUST": "1"})
    assert at_terminal(engram, clone, b"y\n")[0] == 0
    assert FOREIGN not in engram.ok("load", "--id", gateway, cwd=clone)
    assert "deploy" in at_prompt(engram, clone, "deploy the gateway with the script").lower()


def test_in_strict_mode_a_changed_memory_waits_again_and_what_is_saved_here_does_not(
    engram: Runner, shared: Path, clone: Path
) -> None:
    accept(engram, clone)
    engram.ok("config", "set", "--global", "trust.mode", "strict", cwd=clone)
    engram.save("rule", "Write tests for the parser.", cwd=clone)
    assert FOREIGN not in engram.ok("load", "--id", "write-tests-for-the-parser", cwd=clone)
    engram.ok("save", "rule", "It is slow.", "--update", "write-tests-for-the-parser", input="A\n", cwd=clone)
    assert FOREIGN not in engram.ok("load", "--id", "write-tests-for-the-parser", cwd=clone)
    env = {"ENGRAM_TRUST": "1"}
    engram.ok("save", "rule", "But for hotfixes.", "--update", ID, input="A\n", cwd=shared, env=env)
    git(engram.scratch, clone, "add", "--all")
    git(engram.scratch, clone, "commit", "--quiet", "--message", "Mine")
    git(engram.scratch, shared, "add", "--all")
    git(engram.scratch, shared, "commit", "--quiet", "--message", "Change")
    git(engram.scratch, clone, "pull", "--quiet", "--no-rebase", "--no-edit")
    assert FOREIGN in engram.ok("load", "--id", ID, cwd=clone)
    # A change on top of it is no way around: who saw the difference has not read the rest.
    engram.ok("save", "rule", "Ask first.", "--update", ID, input="A\n", cwd=clone)
    assert FOREIGN in engram.ok("load", "--id", ID, cwd=clone)
    assert FOREIGN not in engram.ok("load", "--id", "write-tests-for-the-parser", cwd=clone)


def test_strict_mode_without_a_record_lets_everything_wait(engram: Runner, shared: Path, scratch: Scratch) -> None:
    for record in scratch.config.glob("accepted-*"):
        record.unlink()
    engram.ok("config", "set", "--global", "trust.mode", "strict")
    assert is_foreign(engram, shared)
    accept(engram, shared)
    assert not is_foreign(engram, shared)
