"""Each branch of each platform, on whatever platform this runs (F11, F15, F16)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.portable import (
    command_words,
    extended,
    fold,
    is_device,
    is_plain_name,
    remove,
    replace,
    runs,
    spelled,
    sync_folder,
    try_lock,
)
from engram.text.slugs import slug, unique_slug

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NFC, NFD = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    "name",
    ["con", "CON", "Prn", "aux", "NUL", "com1", "COM9", "lpt1", "LPT9", "com¹", "LPT³", "nul.md", "con.tar.gz", "aux ",
     "nul .txt", "CONIN$", "conout$"],
)  # fmt: skip
def test_windows_takes_it_for_a_device(name: str) -> None:  # F11
    assert is_device(name)
    assert not is_plain_name(name, windows=True)
    assert is_plain_name(name, windows=False)


@pytest.mark.parametrize("name", ["console", "com", "com10", "lpt", "a.con", "null", "con-memory", "", ".con"])
def test_windows_takes_it_for_no_device(name: str) -> None:
    assert not is_device(name)


@pytest.mark.parametrize("name", ["a.", "a ", "a:b", "a\\b", "a?", "a*", 'a"', "<a", "a|b", "a\tb"])
def test_windows_has_no_file_of_exactly_this_name(name: str) -> None:
    assert not is_plain_name(name, windows=True)
    assert is_plain_name(name, windows=False)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b"])
def test_no_platform_has_a_file_of_this_name(name: str) -> None:
    assert not is_plain_name(name, windows=True)
    assert not is_plain_name(name, windows=False)


@pytest.mark.parametrize("name", ["use-pnpm.md", ".journal", "用户身份.md", NFD, "a b.md", "x..y"])
def test_this_name_stands_for_one_file_everywhere(name: str) -> None:
    assert is_plain_name(name, windows=True)
    assert is_plain_name(name, windows=False)


@pytest.mark.parametrize(
    ("one", "other"), [("Foo", "foo"), (NFC, NFD), ("CAFÉ", NFD), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("\u212a", "k")]
)
def test_two_names_of_one_file_are_folded_to_one(one: str, other: str) -> None:  # F11
    assert fold(one) == fold(other)


def test_different_names_stay_different() -> None:
    assert len({fold(name) for name in ("用户身份", "用户偏好", "cafe", NFC, "foo-2", "foo")}) == 6


@given(st.text(min_size=1, max_size=20), st.sampled_from([str.upper, str.lower, str.title, str.swapcase]))
def test_ids_that_a_file_system_may_take_for_one_never_get_two_files(title: str, change: Callable[[str], str]) -> None:
    first = slug(title)
    taken = {fold(first)}
    for text in (change(title), unicodedata.normalize("NFD", title), unicodedata.normalize("NFD", change(title))):
        another = unique_slug(slug(text), taken)
        assert fold(another) not in taken
        taken.add(fold(another))


@given(st.text(max_size=20))
def test_folding_twice_changes_nothing_for_either_unicode_form(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


def test_macos_names_are_read_as_they_were_written() -> None:  # F13: the ledger has the name in NFC
    assert spelled(f"{NFD}.md", macos=True) == f"{NFC}.md"
    assert spelled(f"{NFD}.md", macos=False) == f"{NFD}.md", "elsewhere these are two files"
    assert spelled("plain.md", macos=True) == "plain.md"


LONG = "x" * 240


@pytest.mark.parametrize(
    ("path", "form"),
    [
        (rf"C:\memory\{LONG}", rf"\\?\C:\memory\{LONG}"),
        (f"C:/memory/./a/../{LONG}", rf"\\?\C:\memory\{LONG}"),
        (rf"\\server\share\{LONG}", rf"\\?\UNC\server\share\{LONG}"),
        (f"//server/share/a/../{LONG}", rf"\\?\UNC\server\share\{LONG}"),
        (rf"\\?\C:\memory\{LONG}", rf"\\?\C:\memory\{LONG}"),
        (rf"\\.\pipe\{LONG}", rf"\\.\pipe\{LONG}"),
        (rf"memory\{LONG}", rf"memory\{LONG}"),
        (rf"C:memory\{LONG}", rf"C:memory\{LONG}"),
        (r"C:\memory\short", r"C:\memory\short"),
        ("C:\\" + "\U0001f600" * 120, "\\\\?\\C:\\" + "\U0001f600" * 120),  # two units each, as Windows counts
    ],
)
def test_windows_takes_a_long_path_in_its_own_form(path: str, form: str) -> None:
    assert extended(path, windows=True) == form
    assert extended(path, windows=False) == path


class Shut:
    """The operating system's call on a file that another program has open for its first ``times`` calls."""

    def __init__(self, real: Callable[..., None], times: int) -> None:
        self.calls = 0
        self._real = real
        self._times = times

    def __call__(self, *paths: str) -> None:
        self.calls += 1
        if self.calls <= self._times:
            raise PermissionError(errno.EACCES, "The process cannot access the file", *paths)
        self._real(*paths)


def test_windows_replaces_a_file_as_soon_as_nobody_has_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_bytes(b"new")
    old.write_bytes(b"old")
    shut = Shut(os.replace, times=2)
    monkeypatch.setattr(os, "replace", shut)
    replace(str(new), str(old), windows=True)
    assert old.read_bytes() == b"new"
    assert not new.exists()
    assert shut.calls == 3


def test_windows_removes_a_file_as_soon_as_nobody_has_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x")
    shut = Shut(os.unlink, times=2)
    monkeypatch.setattr(os, "unlink", shut)
    remove(str(file), windows=True)
    assert not file.exists()
    assert shut.calls == 3


def test_the_patience_with_an_open_file_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = tmp_path / "new"
    new.write_bytes(b"new")
    shut = Shut(os.replace, times=10_000)
    monkeypatch.setattr(os, "replace", shut)
    with pytest.raises(PermissionError):
        replace(str(new), str(tmp_path / "old"), patience=0.02, windows=True)
    assert 1 < shut.calls < 10
    assert new.read_bytes() == b"new"


def test_elsewhere_a_refusal_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shut = Shut(os.replace, times=1)
    monkeypatch.setattr(os, "replace", shut)
    with pytest.raises(PermissionError):
        replace(str(tmp_path / "new"), str(tmp_path / "old"), windows=False)
    assert shut.calls == 1


def test_what_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    for windows in (True, False):
        with pytest.raises(FileNotFoundError):
            replace(str(tmp_path / "new"), str(tmp_path / "old"), windows=windows)
        with pytest.raises(FileNotFoundError):
            remove(str(tmp_path / "new"), windows=windows)


def test_windows_opens_no_folder_to_make_its_names_durable(tmp_path: Path) -> None:
    sync_folder(str(tmp_path))
    sync_folder(str(tmp_path / "missing"), windows=True)
    with pytest.raises(FileNotFoundError):
        sync_folder(str(tmp_path / "missing"), windows=False)


def test_windows_asks_no_other_process_whether_it_runs() -> None:
    assert runs(os.getpid(), windows=True)
    assert not runs(os.getppid(), windows=True), "os.kill would end it"
    assert runs(os.getppid(), windows=False)
    assert not runs(2**70, windows=False)


def test_a_backslash_is_a_letter_in_a_command_of_windows() -> None:
    line = r'"C:\Program Files\Editor\edit.exe" --wait'
    assert command_words(line, windows=True) == [r"C:\Program Files\Editor\edit.exe", "--wait"]
    assert command_words(r"my\ editor --wait", windows=False) == ["my editor", "--wait"]
    with pytest.raises(ValueError, match="quotation"):
        command_words('"edit', windows=True)


HOLD = """
import os, sys
from engram.portable import try_lock
system = None
if sys.argv[2] == "msvcrt":
    from tests.msvcrt_of_posix import Msvcrt
    system = Msvcrt()
fd = os.open(sys.argv[1], os.O_RDWR)
assert try_lock(fd, system=system)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("kind", ["msvcrt", "own"])
def test_a_lock_keeps_others_out_lets_its_file_be_read_and_ends_with_its_process(tmp_path: Path, kind: str) -> None:
    if kind == "msvcrt" and sys.platform != "linux":
        pytest.skip("the stand-in for Windows' locks is Linux's")
    file = tmp_path / ".lock"
    file.write_bytes(b"1234 this-host\n")
    system = None
    if kind == "msvcrt":
        from tests.msvcrt_of_posix import Msvcrt

        system = Msvcrt()
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file), kind], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        for flags, shared in ((os.O_RDWR, False), (os.O_RDWR, True), (os.O_RDONLY, True)):
            fd = os.open(file, flags)
            try:
                assert not try_lock(fd, shared=shared, system=system)
                os.lseek(fd, 0, os.SEEK_SET)
                assert os.read(fd, 100) == b"1234 this-host\n"
            finally:
                os.close(fd)
        holder.kill()
    fd = os.open(file, os.O_RDWR)
    try:
        assert try_lock(fd, shared=True, system=system)
        assert try_lock(fd, system=system)
        other = os.open(file, os.O_RDWR)
        try:
            assert not try_lock(other, system=system), "another opening of the same file in this process"
        finally:
            os.close(other)
    finally:
        os.close(fd)
    assert file.read_bytes() == b"1234 this-host\n"


def test_a_platform_without_locks_is_an_error_and_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    with (tmp_path / ".lock").open("wb") as file, pytest.raises(OSError, match=r"."):
        try_lock(file.fileno())
