"""F15: at whatever call a write dies or fails, the old or the new state stands, and the next writer heals it."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import pytest

from engram.errors import StoreError
from engram.store.files import digest, has_open_journal
from engram.store.journal import Write, commit, journal_hashes, recover
from engram.store.write import RootWriter, create_root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Every call by which a transaction touches the disk.
CALLS = ("open", "write", "fsync", "replace", "unlink", "link", "mkdir")
MOST_CALLS = 200
OLD = {"rules/a.md": b"old a\n", "rules/gone.md": b"goes\n", "SHA256SUMS": b"old ledger\n"}
NEW = {"rules/a.md": b"new a\n", "archive/2026-12-02/rules/gone.md": b"kept\n", "SHA256SUMS": b"new ledger\n"}


def make(root: Path) -> None:
    for path, data in OLD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def writes() -> list[Write]:
    return [
        Write("archive/2026-12-02/rules/gone.md", "", NEW["archive/2026-12-02/rules/gone.md"]),
        Write("rules/gone.md", digest(OLD["rules/gone.md"]), None),
        Write("rules/a.md", digest(OLD["rules/a.md"]), NEW["rules/a.md"]),
        Write("SHA256SUMS", digest(OLD["SHA256SUMS"]), NEW["SHA256SUMS"]),
    ]


def state(root: Path) -> dict[str, bytes]:
    found = {}
    for folder, _, names in os.walk(root):
        if os.path.basename(folder) == ".journal":
            continue
        for name in names:
            full = os.path.join(folder, name)
            with open(full, "rb") as file:
                found[os.path.relpath(full, root).replace(os.sep, "/")] = file.read()
    return found


def at_call(number: int, then: Callable[[], None]) -> None:
    """Let the ``number``-th call that touches the disk do ``then`` first."""
    seen = 0

    def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal seen
            seen += 1
            if seen == number:
                then()
            return real(*args, **kwargs)

        return call

    for name in CALLS:
        setattr(os, name, wrap(getattr(os, name)))


def in_child(work: Callable[[], None]) -> int:
    """Run ``work`` in a process of its own, which may change ``os`` as it likes; return its exit code."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            work()
            code = 0
        except StoreError:
            code = 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("number", range(1, 60))
def test_a_crash_at_any_call_leaves_the_old_or_the_new_state(tmp_path: Path, number: int) -> None:
    make(tmp_path)

    def crash() -> None:
        at_call(number, lambda: os._exit(137))
        commit(str(tmp_path), writes(), "a test")

    code = in_child(crash)
    for path, data in state(tmp_path).items():
        # Even before healing every file is whole, old or new, and a reader may accept each.
        assert data in {OLD.get(path), NEW.get(path)}, path
    if has_open_journal(str(tmp_path)):
        for path, (old, new) in journal_hashes(str(tmp_path)).items():
            if path in state(tmp_path):
                assert digest(state(tmp_path)[path]) in {old, new}
    recover(str(tmp_path))
    healed = state(tmp_path)
    assert healed in (OLD, NEW)
    if code == 0:
        assert healed == NEW
    assert not (tmp_path / ".journal").exists() or os.listdir(tmp_path / ".journal") == []
    assert recover(str(tmp_path)) == []


def test_the_crashes_cover_the_whole_transaction(tmp_path: Path) -> None:
    make(tmp_path)

    def crash() -> None:
        at_call(60, lambda: os._exit(137))
        commit(str(tmp_path), writes(), "a test")

    assert in_child(crash) == 0, "a transaction makes more calls than the test above reaches"


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("number", range(1, 60))
def test_an_error_at_any_call_leaves_the_old_state_or_has_finished(tmp_path: Path, number: int, reason: int) -> None:
    make(tmp_path)

    def fail() -> None:
        raise OSError(reason, os.strerror(reason))

    def work() -> None:
        at_call(number, fail)
        commit(str(tmp_path), writes(), "a test")

    code = in_child(work)
    assert code in {0, 1}
    said_done = code == 0
    now = state(tmp_path)
    assert now == (NEW if said_done else OLD), "what was said is what stands, without healing"
    recover(str(tmp_path))
    assert state(tmp_path) == now


def test_an_edit_by_hand_after_a_crash_is_kept_and_the_interrupted_text_too(tmp_path: Path) -> None:
    make(tmp_path)

    def crash() -> None:
        real = os.replace

        def replace(source: str, target: str) -> None:
            if target.endswith("a.md"):
                os._exit(137)
            real(source, target)

        os.replace = replace  # type: ignore[assignment]
        commit(str(tmp_path), writes(), "a test")

    assert in_child(crash) == 137
    (tmp_path / "rules" / "a.md").write_bytes(b"edited by hand\n")
    said = recover(str(tmp_path))
    assert (tmp_path / "rules" / "a.md").read_bytes() == b"edited by hand\n"
    assert (tmp_path / "inbox" / "interrupted-1.txt").read_bytes() == NEW["rules/a.md"]
    assert any("inbox/interrupted-1.txt" in sentence for sentence in said)


def test_a_target_that_changed_before_the_write_is_not_overwritten(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "rules" / "a.md").write_bytes(b"edited by hand\n")
    with pytest.raises(StoreError, match="changed while it was being written"):
        commit(str(tmp_path), writes(), "a test")
    assert (tmp_path / "rules" / "a.md").read_bytes() == b"edited by hand\n"
    assert not (tmp_path / ".journal").exists()


def test_a_ledger_that_a_pull_changed_after_a_crash_keeps_both_sides(tmp_path: Path) -> None:
    root = str(tmp_path)
    create_root(root, "{}\n", 1)
    with RootWriter(root, 1) as writer:
        writer.apply([Write("rules/one.md", "", b"one\n")], "add rule: one", "test")

    def crash() -> None:
        real = os.replace

        def replace(source: str, target: str) -> None:
            if target.endswith("SHA256SUMS"):
                os._exit(137)
            real(source, target)

        os.replace = replace  # type: ignore[assignment]
        with RootWriter(root, 1) as writer:
            writer.apply([Write("rules/two.md", "", b"two\n")], "add rule: two", "test")

    assert in_child(crash) == 137
    ledger = tmp_path / "SHA256SUMS"
    pulled = f"{digest(b'three')}  rules/three.md\n"
    ledger.write_text(ledger.read_text(encoding="utf-8") + pulled, encoding="utf-8")
    with RootWriter(root, 1) as writer:
        assert writer.healed
    lines = ledger.read_text(encoding="utf-8").splitlines()
    assert [line[66:] for line in lines] == ["rules/one.md", "rules/three.md", "rules/two.md"]
    assert "add rule: two" in (tmp_path / "changelog.md").read_text(encoding="utf-8")
