"""`engram upgrade` (C4, C12, F7, F14): a plan, then today's form, then nothing to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

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
    changed = text.count("would be rewritten as schema 3") + text.count("SHA256SUMS would be settled") + 1
    assert f"A plan: {changed} files would change, and nothing was written." in text
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
