"""The user's own folders, on each platform (F3, F4)."""

from __future__ import annotations

import os

import pytest

from engram.config.files import cache_home, config_dir, expand, home_dir

LINUX = {"HOME": "/home/ada"}
WINDOWS = {"USERPROFILE": r"C:\Users\ada", "LOCALAPPDATA": r"C:\Users\ada\AppData\Local", "HOME": "/home/ada"}


def test_the_configuration_folder_is_below_home_unless_it_is_given() -> None:  # F4
    assert config_dir(LINUX, platform="linux") == os.path.abspath("/home/ada/.engram")
    assert config_dir({**LINUX, "ENGRAM_CONFIG_DIR": "/etc/engram"}, platform="linux") == os.path.abspath("/etc/engram")
    assert config_dir({**LINUX, "ENGRAM_CONFIG_DIR": "~/x"}, platform="linux") == os.path.abspath("/home/ada/x")
    assert config_dir({**LINUX, "ENGRAM_CONFIG_DIR": ""}, platform="linux") == os.path.abspath("/home/ada/.engram")
    assert config_dir({**LINUX, "ENGRAM_CONFIG_DIR": "here"}, platform="linux") == os.path.abspath("here")


def test_the_cache_follows_the_custom_of_the_platform() -> None:  # F3
    assert cache_home(LINUX, platform="linux") == os.path.join("/home/ada", ".cache", "engram")
    assert cache_home({**LINUX, "XDG_CACHE_HOME": os.path.abspath("/c")}, platform="linux") == os.path.join(
        os.path.abspath("/c"), "engram"
    )
    # The specification says to ignore a relative one.
    assert cache_home({**LINUX, "XDG_CACHE_HOME": "c"}, platform="linux") == os.path.join(
        "/home/ada", ".cache", "engram"
    )
    assert cache_home(LINUX, platform="darwin") == os.path.join("/home/ada", "Library", "Caches", "engram")
    assert cache_home(WINDOWS, platform="win32") == os.path.join(r"C:\Users\ada\AppData\Local", "engram")
    assert cache_home({"USERPROFILE": "U"}, platform="win32") == os.path.join("U", "AppData", "Local", "engram")


def test_windows_asks_its_own_variables_for_the_home_folder() -> None:
    assert home_dir(WINDOWS, platform="win32") == r"C:\Users\ada"
    assert home_dir({"HOMEDRIVE": "C:", "HOMEPATH": r"\Users\ada"}, platform="win32") == r"C:\Users\ada"
    assert home_dir({"HOMEDRIVE": "C:"}, platform="win32") == ""


def test_without_a_variable_the_account_knows_the_home_folder() -> None:
    pwd = pytest.importorskip("pwd")
    assert home_dir({}, platform="linux") == pwd.getpwuid(os.getuid()).pw_dir


def test_a_tilde_is_the_home_folder_at_the_begin_only() -> None:
    assert expand("~", LINUX, platform="linux") == "/home/ada"
    assert expand("~/a", LINUX, platform="linux") == "/home/ada/a"
    assert expand("~/a", {"HOME": "/"}, platform="linux") == "/a"
    assert expand(r"~\a", WINDOWS, platform="win32") == r"C:\Users\ada\a"
    for path in ("~bob/a", "/a/~", "a", "", r"~\a"):
        assert expand(path, LINUX, platform="linux") == path
