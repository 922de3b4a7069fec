"""J: which memory applies in a folder (F1), and what Git leaves in one.

====  ==========================================================================================================
J1    test_a_subfolder_finds_…, test_a_path_through_a_link_finds_…, test_a_linked_worktree_uses_…,
      test_a_submodule_uses_the_memory_of_its_superproject, test_a_memory_of_its_own_counts_in_a_…,
      test_home_is_no_workspace
J3    test_a_memory_with_conflict_markers_is_never_routed_and_named_by_repair
====  ==========================================================================================================

J2 is the matter of a later issue.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner, Scratch
    from tests.contract.conftest import Memories


def git(scratch: Scratch, folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, env=scratch.env, check=True, capture_output=True, timeout=60)


@pytest.fixture
def remembered(engram: Runner) -> Runner:
    engram.ok("inject")
    engram.save("rule", "Use tabs in Makefiles.")
    return engram


def root_seen(engram: Runner, folder: Path) -> str:
    roots = engram.json("status", cwd=folder)["data"]["roots"]
    return str(roots[0]["root"]) if roots else ""


def test_a_subfolder_finds_the_memory_of_its_project(remembered: Runner, workspace: Path) -> None:  # J1
    deep = workspace / "src" / "deep"
    deep.mkdir(parents=True)
    assert root_seen(remembered, deep) == str(workspace / ".agents" / ".engram")


def test_a_path_through_a_link_finds_the_same_memory(remembered: Runner, workspace: Path, tmp_path: Path) -> None:  # J1
    (workspace / "src").mkdir()
    link = tmp_path / "link"
    link.symlink_to(workspace / "src", target_is_directory=True)
    assert root_seen(remembered, link) == str(workspace / ".agents" / ".engram")
    elsewhere = remembered.json("status", "--workspace", str(link), cwd=tmp_path)
    assert elsewhere["data"]["roots"][0]["root"] == str(workspace / ".agents" / ".engram")


def test_the_search_does_not_go_above_the_git_top_level(remembered: Runner, workspace: Path, scratch: Scratch) -> None:
    inner = workspace / "vendored"
    inner.mkdir()
    git(scratch, inner, "init", "--quiet")
    assert root_seen(remembered, inner) == ""


def test_the_nearest_folder_counts(remembered: Runner, workspace: Path) -> None:
    package = workspace / "packages" / "one"
    own = package / ".agents" / ".engram" / "rules"
    own.mkdir(parents=True)
    assert root_seen(remembered, package) == str(package / ".agents" / ".engram")


def test_a_linked_worktree_uses_the_memory_and_the_trust_of_its_main_worktree(
    remembered: Runner, workspace: Path, scratch: Scratch, tmp_path: Path
) -> None:  # J1
    tree = tmp_path / "tree"
    git(scratch, workspace, "worktree", "add", "--quiet", str(tree))
    envelope = remembered.json("status", cwd=tree)
    assert envelope["data"]["roots"][0]["root"] == str(workspace / ".agents" / ".engram")
    assert envelope["data"]["roots"][0]["foreign"] is False
    # One of its own counts before the main worktree's, trusted as that is.
    git(scratch, workspace, "add", ".agents")
    git(scratch, workspace, "commit", "--quiet", "--message", "Memory")
    git(scratch, tree, "merge", "--quiet", "main")
    own = remembered.json("status", cwd=tree)["data"]["roots"][0]
    assert own["root"] == str(tree / ".agents" / ".engram")
    assert own["foreign"] is False


def test_a_submodule_uses_the_memory_of_its_superproject(
    remembered: Runner, workspace: Path, scratch: Scratch, tmp_path: Path
) -> None:  # J1
    library = tmp_path / "library"
    library.mkdir()
    git(scratch, library, "init", "--quiet")
    (library / "a").write_text("a", encoding="utf-8")
    git(scratch, library, "add", "a")
    git(scratch, library, "commit", "--quiet", "--message", "a")
    allow = ("-c", "protocol.file.allow=always")
    git(scratch, workspace, *allow, "submodule", "add", "--quiet", str(library), "library")
    assert root_seen(remembered, workspace / "library") == str(workspace / ".agents" / ".engram")


def test_a_memory_of_its_own_counts_in_a_submodule_and_is_as_foreign_as_its_repository(
    remembered: Runner, workspace: Path, scratch: Scratch, tmp_path: Path
) -> None:  # J1
    library = tmp_path / "library"
    own = library / ".agents" / ".engram" / "rules"
    own.mkdir(parents=True)
    (own / "x.md").write_text("---\nid: x\ntype: rule\n---\n\n# X\n\n- x\n", encoding="utf-8", newline="\n")
    for args in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "a")):
        git(scratch, library, *args)
    git(scratch, workspace, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(library), "library")
    found = remembered.json("status", cwd=workspace / "library")["data"]["roots"][0]
    assert found["root"] == str(workspace / "library" / ".agents" / ".engram")
    assert found["foreign"] is True, "another repository: who trusts the project has not trusted it"


def test_home_is_no_workspace(engram: Runner, scratch: Scratch) -> None:  # J1
    (scratch.home / ".agents" / ".engram" / "rules").mkdir(parents=True)
    assert root_seen(engram, scratch.home) == ""
    below = scratch.home / "notes"
    below.mkdir()
    assert root_seen(engram, below) == ""
    done = engram.run("inject", cwd=scratch.home)
    assert done.returncode == 2
    assert "home folder" in done.stderr


def test_a_home_that_is_a_git_repository_does_not_count_as_one(engram: Runner, scratch: Scratch) -> None:
    git(scratch, scratch.home, "init", "--quiet")
    project = scratch.home / "project"
    project.mkdir()
    engram.ok("inject", cwd=project)
    assert (project / ".agents" / ".engram").is_dir()
    assert not (scratch.home / ".agents").exists()


def test_a_folder_inside_a_memory_root_belongs_to_that_root(remembered: Runner, workspace: Path) -> None:
    root = workspace / ".agents" / ".engram"
    assert root_seen(remembered, root / "rules") == str(root)
    remembered.ok("inject", cwd=root / "rules")
    assert not (root / "rules" / ".agents").exists()


def test_the_configuration_folder_and_dot_git_are_no_projects(remembered: Runner, workspace: Path) -> None:
    assert root_seen(remembered, workspace / ".git") == str(workspace / ".agents" / ".engram")
    done = remembered.run("inject", cwd=remembered.scratch.config)
    assert done.returncode == 2
    assert not (remembered.scratch.config / ".agents").exists()


def test_inject_in_a_subfolder_makes_the_memory_at_the_git_top_level(engram: Runner, workspace: Path) -> None:
    (workspace / "src").mkdir()
    engram.ok("inject", cwd=workspace / "src")
    assert (workspace / ".agents" / ".engram" / "rules").is_dir()


def test_a_memory_folder_that_is_a_link_out_of_the_project_is_refused(engram: Runner, workspace: Path) -> None:
    elsewhere = workspace.parent / "elsewhere"
    (elsewhere / "rules").mkdir(parents=True)
    (workspace / ".agents").mkdir()
    (workspace / ".agents" / ".engram").symlink_to(elsewhere, target_is_directory=True)
    done = engram.run("load", "anything")
    assert done.returncode == 2
    assert "outside of the project" in done.stderr


def test_a_git_file_that_names_a_strangers_repository_lends_no_trust(
    remembered: Runner, workspace: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "unpacked"
    (archive / ".agents" / ".engram" / "rules").mkdir(parents=True)
    (archive / ".git").write_text(f"gitdir: {workspace / '.git'}\n", encoding="utf-8")
    assert remembered.json("status", cwd=archive)["data"]["roots"][0]["foreign"] is True


@pytest.mark.parametrize("style", ["merge", "diff3", "crlf", "in the frontmatter"])
def test_a_memory_with_conflict_markers_is_never_routed_and_named_by_repair(
    remembered: Runner, workspace: Path, memories: Memories, style: str
) -> None:  # J3
    path = memories.add("rule", "conflict", "@")
    base = "||||||| base\n- neither\n" if style == "diff3" else ""
    sides = f"<<<<<<< HEAD\n- text of conflict\n{base}=======\n- the other text\n>>>>>>> branch/other"
    text = path.read_text(encoding="utf-8")
    if style == "in the frontmatter":
        sides = sides.replace("- text of conflict", "title: text of conflict").replace("- the", "title: the")
        text = text.replace("type: rule", f"type: rule\n{sides}")
    data = text.replace("@", sides).replace("\n", "\r\n" if style == "crlf" else "\n").encode()
    path.write_bytes(data)
    memories.approve()
    line = data.decode()[: data.decode().index("<<<<<<<")].count("\n") + 1
    for command in (
        ("list",),
        ("load", "text of conflict"),
        ("search", "text conflict"),
        ("route", "text of conflict"),
    ):
        said = remembered.run(*command)
        assert said.returncode == 0
        assert "a Git conflict marker stands in the file" in said.stdout + said.stderr, command
        assert "text of conflict" not in said.stdout.replace("for: text of conflict", ""), command
    (row,) = [row for row in remembered.json("repair")["data"]["damage"] if row["kind"] == "conflict"]
    assert (row["path"], row["line"]) == ("rules/conflict.md", line)
    assert "rules/conflict.md" in remembered.run("repair").stdout
    remembered.run("repair", "--fix")
    assert remembered.run("archive", "conflict", "--reason", "x").returncode == 1
    assert path.read_bytes() == data
