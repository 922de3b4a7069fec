"""F2a, F13, F14: the ledger's format, and what merges make of it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from engram.store.files import digest
from engram.store.ledger import Ledger, format_ledger, parse_ledger, read_ledger

if TYPE_CHECKING:
    from pathlib import Path

A, B = digest(b"a"), digest(b"b")


def test_a_ledger_is_sorted_by_path_and_reads_back_the_same() -> None:
    hashes = {"rules/z.md": (A,), "knowledge/用户身份.md": (B,), "rules/a.md": (A,)}
    data = format_ledger(hashes)
    assert data.decode().splitlines()[0] == f"{B}  knowledge/用户身份.md"
    assert parse_ledger(data) == hashes


@pytest.mark.parametrize("name", ["plain.md", "with blank.md", "back\\slash.md", "two\nlines.md", "身份.md"])
def test_sha256sum_accepts_what_we_write(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"a")
    (tmp_path / "SHA256SUMS").write_bytes(format_ledger({name: (A,)}))
    subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=tmp_path, check=True, capture_output=True)


def test_conflict_markers_take_no_line_out() -> None:  # F2a
    text = f"<<<<<<< HEAD\n{A}  rules/a.md\n=======\n{B}  rules/b.md\n>>>>>>> theirs\n{A}  rules/c.md"
    assert parse_ledger(text.encode()) == {"rules/a.md": (A,), "rules/b.md": (B,), "rules/c.md": (A,)}


def test_a_path_with_two_lines_after_a_merge_has_both_hashes() -> None:  # F2a
    ledger = Ledger(f"{A}  rules/a.md\n{B}  rules/a.md\n{A}  rules/b.md\n".encode())
    assert ledger.lookup("rules/a.md") == (A, B)
    assert ledger.lookup("rules/b.md") == (A,)


def test_a_lookup_does_not_take_a_longer_path_for_the_one_asked() -> None:
    ledger = Ledger(f"{A}  archive/rules/a.md\n{B}  rules/a.mdx\n".encode())
    assert ledger.lookup("rules/a.md") == ()


def test_windows_line_ends_and_the_binary_mark_are_read() -> None:
    assert parse_ledger(f"{A} *rules/a.md\r\n".encode()) == {"rules/a.md": (A,)}


def test_the_older_ledger_counts_only_while_there_is_no_newer_one(tmp_path: Path) -> None:  # F14
    (tmp_path / "memory.hashes.json").write_text(f'{{"rules/a.md": "{A}"}}', encoding="utf-8")
    assert read_ledger(str(tmp_path)).lookup("rules/a.md") == (A,)
    (tmp_path / "SHA256SUMS").write_text(f"{B}  rules/a.md\n", encoding="utf-8")
    assert read_ledger(str(tmp_path)).lookup("rules/a.md") == (B,)


@pytest.mark.parametrize("text", ["", "[]", "{", "\x00", '{"rules/a.md": 3}'])
def test_an_older_ledger_that_cannot_be_read_vouches_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "memory.hashes.json").write_text(text, encoding="utf-8")
    assert read_ledger(str(tmp_path)).lookup("rules/a.md") == ()
