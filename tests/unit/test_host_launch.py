"""Commands of ours are known whatever their form, and no other command is (C4, C12)."""

from __future__ import annotations

import pytest

from engram.hosts.launch import PROGRAM, SERVER, form_of, hook_host, hook_line, new_pin, shell_line


@pytest.mark.parametrize(
    ("words", "kind", "pin", "rest"),
    [
        (("engram-mcp",), "bare", "", ()),
        (("engram-mcp", "--always-load"), "bare", "", ("--always-load",)),
        (("uvx", "--from", "the-long-ride-engram==0.1.0", "engram-mcp"), "pinned", "the-long-ride-engram==0.1.0", ()),
        (("uvx", "--from", "git+https://a.test/e@1", "engram-mcp", "-x"), "pinned", "git+https://a.test/e@1", ("-x",)),
        (("/opt/my tools/engram-mcp",), "path", "/opt/my tools/engram-mcp", ()),
        (("C:\\Users\\a\\engram-mcp.exe",), "path", "C:\\Users\\a\\engram-mcp.exe", ()),
    ],
)
def test_a_command_that_engram_writes_is_known(
    words: tuple[str, ...], kind: str, pin: str, rest: tuple[str, ...]
) -> None:
    form = form_of(words, SERVER)
    assert form is not None
    assert (form.kind, form.pin, form.rest) == (kind, pin, rest)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("node", "engram-mcp"),
        ("./engram-mcp",),
        ("/opt/engram-mcp-fork",),
        ("uvx", SERVER),
        ("uvx", "--from", PROGRAM, SERVER),
        ("uvx", "--from", "the-long-ride-engram==1", "other"),
        ("npx", "-y", "--package", "@the-long-ride/engram@1.0.0", "engram-mcp"),
    ],
)
def test_no_other_command_is_taken_for_ours(words: tuple[str, ...]) -> None:
    assert form_of(words, SERVER) is None


@pytest.mark.parametrize(
    "hook",
    [
        ("engram",),
        ("uvx", "--from", "git+https://a.test/e@1#subdirectory=x", "engram"),
        ("/opt/my tools/$x/engram",),
        ("C:\\Program Files\\engram.exe",),
    ],
)
def test_a_hook_is_known_by_its_command_line(hook: tuple[str, ...]) -> None:
    assert hook_host(hook_line(hook, "gemini")) == "gemini"
    assert form_of(hook, PROGRAM) is not None


@pytest.mark.parametrize(
    "line", ["date", "", "engram", "engram hook", "engram-like hook claude", "echo engram hook x", 3]
)
def test_a_hook_of_somebody_else_is_not(line: object) -> None:
    assert hook_host(line) == ""


def test_only_like_is_pinned_afresh_by_like() -> None:
    def form(*words: str) -> str:
        old, new = form_of(words, SERVER), form_of(("uvx", "--from", "the-long-ride-engram==2", SERVER), SERVER)
        assert old is not None
        assert new is not None
        return new_pin(old, new)

    assert form("uvx", "--from", "the-long-ride-engram==1", SERVER) == "the-long-ride-engram==2"
    assert form("uvx", "--from", "the-long-ride-engram==2", SERVER) == ""
    assert form(SERVER) == ""
    assert form("/opt/engram-mcp") == ""


def test_words_are_quoted_where_a_shell_would_read_something_else() -> None:
    assert shell_line(("uvx", "--from", "a==1", "x")) == "uvx --from a==1 x"
    assert shell_line(("/my tools/x", "$y", "")) == '"/my tools/x" \'$y\' ""'
