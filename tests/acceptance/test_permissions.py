"""B1 and F18: what may not be read or written is named with what to do; permission bits survive a rewrite."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.acceptance.conftest import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner, Scratch

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")


@pytest.fixture
def bound(engram: Runner) -> Runner:
    """Return a runner that permission bits bind, also where the tests run as root."""
    inside = type(engram)(engram.scratch, engram.cwd)
    if os.geteuid() == 0:
        drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if not shutil.which("setpriv") or subprocess.run([*drop, "true"], check=False, timeout=60).returncode:
            pytest.skip("permission bits do not bind root here")
        inside.command = [*drop, *engram.command]
    return inside


@pytest.fixture
def closed() -> Closed:
    return Closed()


class Closed:
    """Takes the right to write, or to read, for a while."""

    def run(self, runner: Runner, path: Path, mode: int, *args: str) -> subprocess.CompletedProcess[str]:
        before = path.stat().st_mode & 0o777
        path.chmod(mode)
        try:
            return runner.run(*args, input="A\n")
        finally:
            path.chmod(before)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_error_names_the_folder_that_cannot_be_written(bound: Runner, root: Path, closed: Closed) -> None:  # B1
    bound.save("rule", "Keep the first one.")
    done = closed.run(bound, root / "rules", 0o555, "save", "rule", "Refuse the second one.")
    assert done.returncode == 1
    assert f"Nothing was written to {root / 'rules'}: you may not write there" in done.stderr
    assert "--scope global" in done.stderr, "this is a save, so there is another place"
    assert "Saved" not in done.stdout
    assert bound.run("verify").returncode == 0


def test_only_a_save_is_told_of_another_scope(bound: Runner, root: Path, closed: Closed, scratch: Scratch) -> None:
    bound.save("rule", "Keep the first one.")
    for path, args in (
        (root, ("config", "set", "load.limit", "6")),
        (root / "rules", ("archive", "keep-the-first-one", "--reason", "old")),
        (scratch.config, ("config", "set", "load.limit", "6", "--global")),
    ):
        done = closed.run(bound, path, 0o555, *args)
        assert done.returncode == 1, args
        assert str(path) in done.stderr
        assert "Change the folder's permissions." in done.stderr
        assert "scope" not in done.stderr


@pytest.mark.parametrize(("name", "right"), [("rules", "u+rx"), ("SHA256SUMS", "u+r")])
def test_what_may_not_be_read_says_what_to_do(bound: Runner, root: Path, closed: Closed, name: str, right: str) -> None:
    bound.save("rule", "Keep the first one.")
    for args in (("list",), ("load", "first one"), ("verify",), ("status",), ("save", "rule", "Another one.")):
        done = closed.run(bound, root / name, 0o000, *args)
        assert done.returncode == 1, args
        assert f"{root / name}: you may not read it" in done.stderr, args
        assert f"chmod {right} {root / name}" in done.stderr
    assert "first one" in bound.ok("load", "first one")


def test_inject_makes_nothing_when_it_cannot_keep_the_trust(
    bound: Runner, scratch: Scratch, workspace: Path, closed: Closed
) -> None:  # F18
    done = closed.run(bound, scratch.config, 0o555, "inject")
    assert done.returncode == 1
    assert str(scratch.config) in done.stderr
    assert not (workspace / ".agents").exists()
    bound.ok("inject")
    bound.save("rule", "Keep the first one.")
    assert 'authority="instruction"' in bound.ok("load", "first one")
    assert "foreign" not in bound.ok("inject") + bound.ok("status")


def test_inject_takes_the_trust_back_when_it_cannot_make_the_root(
    bound: Runner, scratch: Scratch, workspace: Path, closed: Closed
) -> None:  # F18
    done = closed.run(bound, workspace, 0o555, "inject")
    assert done.returncode == 1
    assert bound.json("trust", "--list")["data"]["trusted"] == []
    bound.ok("inject")
    assert len(bound.json("trust", "--list")["data"]["trusted"]) == 1


def test_outside_git_a_root_made_here_is_bound_to_its_folder(engram: Runner, scratch: Scratch, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    engram.ok("inject", cwd=folder)
    (record,) = engram.json("trust", "--list", cwd=folder)["data"]["trusted"]
    info = (folder / ".agents" / ".engram").stat()
    assert (record["device"], record["inode"]) == (info.st_dev, info.st_ino)


def test_a_rewrite_keeps_the_permission_bits_and_a_new_file_follows_the_umask(
    engram: Runner, root: Path
) -> None:  # F15
    engram.save("rule", "Keep the first one.")
    rule = root / "rules" / "keep-the-first-one.md"
    files = (rule, root / "SHA256SUMS", root / "changelog.md", root / "engram.config.json")
    plain = 0o666 & ~_umask()
    assert {mode_of(path) for path in files} == {plain}
    for path in files:
        path.chmod(0o600)
    engram.save("rule", "Keep it well.", "--update", rule.stem)
    engram.ok("config", "set", "load.limit", "6")
    assert {path.name: mode_of(path) for path in files} == {path.name: 0o600 for path in files}
    engram.ok("archive", rule.stem, "--reason", "no longer so")
    (archived,) = (root / "archive").rglob("*.md")
    assert mode_of(archived) == 0o600, "what moves stays as private as it was"
    engram.save("rule", "Another one is new.")
    assert mode_of(root / "rules" / "another-one-is-new.md") == plain


def test_the_users_configuration_keeps_its_permission_bits(engram: Runner, scratch: Scratch, root: Path) -> None:
    engram.ok("config", "set", "load.limit", "6", "--global")
    path = scratch.config / "engram.config.json"
    path.chmod(0o640)
    engram.ok("config", "set", "load.limit", "7", "--global")
    assert mode_of(path) == 0o640


def _umask() -> int:
    before = os.umask(0o022)
    os.umask(before)
    return before


def test_unlink_says_what_it_took_out_when_its_records_cannot_be_written(
    bound: Runner, closed: Closed, scratch: Scratch
) -> None:  # C5
    bound.ok("link", "cursor")
    done = closed.run(bound, scratch.config, 0o555, "unlink", "cursor")
    assert done.returncode == 1
    assert "taken out: .cursor/mcp.json" in done.stdout
    assert f"Nothing was written to {scratch.config}" in done.stderr
    assert not (bound.cwd / ".cursor").exists()
    bound.ok("unlink", "cursor")
    assert not (bound.cwd / ".cursor").exists()


def test_what_could_not_be_linked_is_not_said_to_be(bound: Runner, closed: Closed) -> None:  # C1
    folder = bound.cwd / ".cursor"
    folder.mkdir()
    for options in (("--plan",), ()):
        done = closed.run(bound, folder, 0o555, "link", "cursor", *options)
        assert done.returncode == 1
        assert "added: .cursor" not in done.stdout
        assert "would be added: .cursor" not in done.stdout
        assert done.stdout.count("not done: ") == 4
        assert done.stderr.count(f"Nothing was written to {folder}") == 1
    assert sorted(os.listdir(folder)) == []


def test_the_review_accepts_nothing_that_it_cannot_write_down(
    bound: Runner, root: Path, scratch: Scratch, tmp_path: Path
) -> None:  # F18
    pytest.importorskip("pty")
    bound.save("rule", "Never push to main.")
    colleague = {"ENGRAM_CONFIG_DIR": str(tmp_path / "colleague"), "ENGRAM_TRUST": "1"}
    bound.save("rule", "Deploy the gateway with the script.", env=colleague)

    def review(answer: str) -> str:
        asked = Terminal(bound, ("review",), {"NO_COLOR": "1"}, out=None)
        try:
            asked.wait_for("Enter begins")
            asked.type("\n")
            asked.wait_for("A accept it, R archive it")
            asked.type(f"{answer}\n")
            return asked.end().text
        finally:
            asked.close()

    scratch.config.chmod(0o555)
    try:
        said = review("A")
    finally:
        scratch.config.chmod(0o755)
    assert f"Nothing was written to {scratch.config}: you may not write there." in said
    assert "Accepted." not in said
    assert "1 still waits" in said
    assert "deploy-the-gateway-with-the-script" in bound.ok("review", "--list")
    said = review("A")
    assert "Accepted." in said
    assert "1 accepted, nothing waits any more." in said
    assert bound.ok("review", "--list").splitlines() == ["Nothing waits for a review."]


@pytest.mark.parametrize(
    "args",
    [("list",), ("load", "first one"), ("status",), ("upgrade",), ("upgrade", "--plan"), ("save", "rule", "Another.")],
)
def test_a_memory_that_may_not_be_looked_for_does_not_count_as_missing(
    bound: Runner, root: Path, closed: Closed, args: tuple[str, ...]
) -> None:  # F1
    bound.save("rule", "Keep the first one.")
    inner = bound.cwd / "package"
    (inner / ".agents" / ".engram").mkdir(parents=True)
    inside = type(bound)(bound.scratch, inner)
    inside.command = bound.command
    before = sorted(root.rglob("*"))
    done = closed.run(inside, inner / ".agents", 0o000, *args)
    assert done.returncode == 1, "the memory of the folder above is another one"
    assert f"{inner / '.agents'}: you may not look into it" in done.stderr
    assert f"chmod u+rx {inner / '.agents'}" in done.stderr
    assert "first one" not in done.stdout
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize("args", [("list",), ("load", "friday"), ("status",), ("upgrade",), ("upgrade", "--plan")])
def test_a_global_memory_that_may_not_be_looked_at_does_not_count_as_missing(
    bound: Runner, root: Path, closed: Closed, tmp_path: Path, args: tuple[str, ...]
) -> None:  # F1
    shelf = tmp_path / "shelf"
    bound.ok("inject", "--global-path", str(shelf / "memory"))
    bound.save("rule", "Never push on Friday.", "--scope", "global")
    done = closed.run(bound, shelf, 0o000, *args)
    assert done.returncode == 3, "its configuration is the first thing that is read"
    assert str(shelf / "memory") in done.stderr
    assert "Friday" not in done.stdout
    assert "Friday" in bound.ok("list")
