"""The memory on disk, line by line of the format's contract, through the real ``engram``.

What has a file of its own is not repeated here: F1 (test_identity), F4 and hostile clones (test_hostile_clone), F7,
F14 (test_legacy_root), F8, F9, F11 and F12 (test_files), F15 (test_kill, test_journal), F16 (test_locks), F17
(test_archive), F18 (test_trust).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.conftest import Runner

ALWAYS = {
    *("id", "type", "scope", "authority", "tags", "confidence", "source", "revision", "schema_version", "created"),
    *("updated", "valid_from", "last_confirmed", "author_name", "author_email"),
}
DAY = re.compile(r"20\d\d-\d\d-\d\d")


@pytest.fixture
def root(engram: Runner, workspace: Path) -> Path:
    engram.ok("inject")
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.", "--triggers", "install,lockfile")
    return workspace / ".agents" / ".engram"


@pytest.fixture
def pnpm(root: Path) -> Path:
    return root / "rules" / "use-pnpm-for-every-install.md"


def git(engram: Runner, *args: str) -> str:
    done = subprocess.run(
        ["git", *args],
        cwd=engram.cwd,
        env=engram.scratch.env,
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    return done.stdout


def values(path: Path) -> dict[str, str]:
    """Return the frontmatter of a file that Engram wrote: one line a key."""
    lines = path.read_text(encoding="utf-8").split("---\n")[1].splitlines()
    return dict(line.split(": ", 1) for line in lines)


def everything(folders: Iterable[Path]) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_f2_the_layout_of_a_root(engram: Runner, root: Path) -> None:
    engram.save("skill", "Cut a release: tag the merge commit.")
    engram.save("knowledge", "Prices are integers in cents.")
    engram.ok("archive", "prices-are-integers-in-cents", "--reason", "x")
    names = {path.name for path in root.iterdir()}
    assert {"rules", "skills", "knowledge", "archive", "engram.config.json", "SHA256SUMS", "changelog.md"} <= names
    allowed = {".lock", ".journal", ".gitignore", ".gitattributes", ".cache", "inbox", "working", "traces"}
    assert names - allowed == {
        *("rules", "skills", "knowledge", "archive", "engram.config.json", "SHA256SUMS", "changelog.md")
    }
    assert (root / "skills" / "cut-a-release-tag-the-merge-commit.md").exists()
    assert re.fullmatch(r"archive/20\d\d-\d\d-\d\d/knowledge/prices-are-integers-in-cents\.md", archived(root))


def archived(root: Path) -> str:
    return next((root / "archive").rglob("*.md")).relative_to(root).as_posix()


def test_f2_memories_in_sub_folders_are_active_and_keep_their_place(engram: Runner, pnpm: Path, root: Path) -> None:
    deep = root / "rules" / "build" / "node" / pnpm.name
    deep.parent.mkdir(parents=True)
    pnpm.rename(deep)
    ledger = root / "SHA256SUMS"
    ledger.write_text(ledger.read_text(encoding="utf-8").replace("rules/", "rules/build/node/"), encoding="utf-8")
    assert "Use pnpm" in engram.ok("load", "--id", pnpm.stem)
    engram.save("Yarn too.", "--update", pnpm.stem)
    assert "- Yarn too.\n" in deep.read_text(encoding="utf-8")
    assert not pnpm.exists()
    engram.ok("archive", pnpm.stem, "--reason", "x")
    assert archived(root).endswith(f"/rules/{pnpm.name}")
    assert engram.run("verify").returncode == 0


def test_f2_one_changelog_line_a_write(engram: Runner, pnpm: Path, root: Path) -> None:
    engram.save("Yarn too.", "--update", pnpm.stem)
    engram.ok("config", "set", "load.limit", "6")
    engram.ok("archive", pnpm.stem, "--reason", "x")
    lines = (root / "changelog.md").read_text(encoding="utf-8").splitlines()
    stamp = r"- 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ "
    expected = [
        rf"rules/{pnpm.name}: add rule: {pnpm.stem} \(pipe\)",
        rf"rules/{pnpm.name}: update rule: {pnpm.stem} \(pipe\)",
        r"engram\.config\.json: set load\.limit \(command\)",
        rf"archive/[-0-9]+/rules/{pnpm.name}: archive rule: {pnpm.stem} \(command\)",
    ]
    entries = [line for line in lines if line.startswith("- ")]
    assert len(entries) == len(expected)
    for line, pattern in zip(entries, expected, strict=True):
        assert re.fullmatch(stamp + pattern, line), line


def test_f2_what_is_private_or_derived_is_ignored_by_git_and_nothing_else(engram: Runner, root: Path) -> None:
    for name in (".cache/index", ".journal/open.json", "inbox/a.md", "working/b.md", "pending-approvals.json"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")
    git(engram, "add", "--all")
    added = {name.removeprefix(".agents/.engram/") for name in git(engram, "ls-files", ".agents").splitlines()}
    assert added == {
        *(".gitattributes", ".gitignore", "SHA256SUMS", "changelog.md", "engram.config.json"),
        "rules/use-pnpm-for-every-install.md",
    }


def test_f3_without_the_cache_everything_is_found(engram: Runner, pnpm: Path, root: Path) -> None:
    before = engram.ok("load", "install a package")
    (root / ".cache").mkdir(exist_ok=True)
    for path in (root / ".cache").iterdir():
        path.unlink()
    (root / ".cache").rmdir()
    assert engram.ok("load", "install a package") == before


def test_f4_nothing_is_written_outside_the_root_and_the_users_folder(engram: Runner, workspace: Path) -> None:
    elsewhere = [engram.scratch.home, workspace / ".git"]
    before = everything(elsewhere)
    engram.ok("inject")
    engram.save("rule", "Stay inside.")
    engram.ok("load", "inside")
    engram.ok("archive", "stay-inside", "--reason", "x")
    engram.ok("author", "set", "Ada", "ada@example.test")
    after = everything(elsewhere)
    changed = {path for path in after if after[path] != before.get(path)} | (before.keys() - after.keys())
    assert {os.path.dirname(path) for path in changed} == {str(engram.scratch.config)}
    assert {path.name for path in workspace.iterdir()} == {".agents", ".git", "README"}
    assert [path.name for path in (workspace / ".agents").iterdir()] == [".engram"]


def test_f5_f6_a_new_file(pnpm: Path) -> None:
    data = pnpm.read_bytes()
    text = data.decode("utf-8")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\r" not in text
    found = values(pnpm)
    assert list(found) == sorted(found)
    assert set(found) == ALWAYS | {"triggers"}
    fixed = {
        "id": "use-pnpm-for-every-install",
        "type": "rule",
        "scope": "workspace",
        "authority": "instruction",
        "revision": "1",
        "schema_version": "3",
        "triggers": "[install, lockfile]",
        "author_name": "Ada Tester",
    }
    assert {key: found[key] for key in fixed} == fixed
    assert all(DAY.fullmatch(found[key]) for key in ("created", "updated", "valid_from", "last_confirmed"))
    body = text.split("---\n", 2)[2]
    assert body == (
        "\n# Use pnpm for every install\n\n## Content\n\n- Use pnpm for every install; npm rewrites the lockfile.\n"
    )


def test_f5_the_sections_stand_in_their_order(engram: Runner, root: Path) -> None:
    line = "TYPE: rule | TEXT: Use tags. | CONTEXT: It broke. | LIGHT: Maybe. | STRICT: Always."
    engram.ok("save", line, input="B a note of mine\n")
    text = (root / "rules" / "use-tags.md").read_text(encoding="utf-8")
    headings = [part for part in text.splitlines() if part.startswith("#")]
    assert headings == [
        *("# Use tags", "## Content", "## Rule Variants", "### Light", "### Strict", "## Origin", "## Human Note")
    ]
    assert text.endswith("\n\na note of mine\n")


def test_f5_a_rewrite_keeps_the_lines_of_what_did_not_change(engram: Runner, pnpm: Path, root: Path) -> None:
    text = pnpm.read_text(encoding="utf-8")
    ours = text.replace("source: manual\n", 'source: "manual"   # by hand\n').replace(
        "valid_from:", "x_team: # who\n  - one\n  - two\nvalid_from:"
    )
    pnpm.write_text(ours, encoding="utf-8")
    value = hashlib.sha256(pnpm.read_bytes()).hexdigest()
    (root / "SHA256SUMS").write_text(f"{value}  rules/{pnpm.name}\n", encoding="utf-8")
    engram.save("Yarn too.", "--update", pnpm.stem)
    after = pnpm.read_text(encoding="utf-8")
    gone = [line for line in ours.splitlines() if line not in after.splitlines()]
    assert {line.split(":")[0] for line in gone} <= {"updated", "revision", "last_confirmed"}
    assert "revision: 2\n" in after
    assert "x_team: # who\n  - one\n  - two\nvalid_from:" in after


def test_f6_knowledge_is_for_reference(engram: Runner, root: Path) -> None:
    engram.save("knowledge", "Prices are integers in cents.")
    engram.save("skill", "Cut releases from tags.")
    assert values(root / "knowledge" / "prices-are-integers-in-cents.md")["authority"] == "reference"
    assert values(root / "skills" / "cut-releases-from-tags.md")["authority"] == "instruction"


def test_f6a_the_first_complete_author_counts(engram: Runner, root: Path) -> None:
    def author(text: str, env: dict[str, str] | None = None) -> tuple[str, str]:
        engram.save("rule", f"{text}.", env=env)
        found = values(root / "rules" / f"{text.lower()}.md")
        return found["author_name"], found["author_email"]

    assert author("One") == ("Ada Tester", "ada@example.test")
    engram.ok("author", "set", "Bea Set", "bea@example.test")
    assert author("Two") == ("Bea Set", "bea@example.test")
    full = {"ENGRAM_AUTHOR_NAME": "Cy Env", "ENGRAM_AUTHOR_EMAIL": "cy@example.test"}
    assert author("Three", full) == ("Cy Env", "cy@example.test")
    assert author("Four", {"ENGRAM_AUTHOR_NAME": "Cy Env"}) == ("Bea Set", "bea@example.test")
    assert "bea@example.test" not in (root / "engram.config.json").read_text(encoding="utf-8")


def test_f6a_nobody_is_kept_from_a_first_save(engram: Runner, root: Path) -> None:
    done = engram.run("save", "rule", "Anybody may.", input="A\n", env={"GIT_CONFIG_GLOBAL": os.devnull, "USER": "sam"})
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("engram author set") == 1
    assert values(root / "rules" / "anybody-may.md")["author_email"] == '""'


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Use tabs. They align.", "Use tabs"),
        ("Use tabs; they align.", "Use tabs"),
        ("使用制表符。它们对齐", "使用制表符"),
        ("Use tabs!\nThey align.", "Use tabs"),
        ("Version 1.2 is the last one", "Version 1.2 is the last one"),
        ("word " * 40, ("word " * 16).strip()),
    ],
)
def test_f10_the_title_is_the_first_sentence(engram: Runner, root: Path, text: str, title: str) -> None:
    envelope = engram.json("save", "rule", text, input="A\n")
    outcome = envelope["data"]["outcomes"][0]
    assert outcome["title"] == title
    assert len(outcome["id"]) <= 80
    assert f"# {title}\n" in (root / "rules" / f"{outcome['id']}.md").read_text(encoding="utf-8")


def test_f10_another_title_renames_no_file(engram: Runner, pnpm: Path) -> None:
    engram.save("Yarn too.", "--update", pnpm.stem, "--title", "No npm here")
    assert "# No npm here\n" in pnpm.read_text(encoding="utf-8")
    assert [path.name for path in pnpm.parent.iterdir()] == [pnpm.name]


def test_f11_two_files_with_one_id_are_one_memory_and_the_other_is_named(
    engram: Runner, pnpm: Path, root: Path
) -> None:
    twin = root / "skills" / pnpm.name.upper().replace(".MD", ".md")
    twin.write_bytes(pnpm.read_bytes())
    with (root / "SHA256SUMS").open("a", encoding="utf-8") as file:
        file.write(f"{hashlib.sha256(pnpm.read_bytes()).hexdigest()}  skills/{twin.name}\n")
    text = engram.ok("list")
    assert text.count(f"{pnpm.stem}  [") == 1
    assert f"SKIPPED skills/{twin.name}: rules/{pnpm.name} has the same id" in text


def test_f12_a_scope_before_an_id_is_taken_off(engram: Runner, pnpm: Path, tmp_path: Path) -> None:
    engram.ok("inject", "--global-path", str(tmp_path / "global"))
    engram.save("rule", "Use pnpm for every install, says the global one.", "--scope", "global", "--title", "Use pnpm")
    assert "npm rewrites" in engram.ok("show", f"workspace/{pnpm.stem}")
    assert "says the global one" in engram.ok("load", "--id", "global/use-pnpm")
    assert engram.run("show", f"global/{pnpm.stem}").returncode == 7
