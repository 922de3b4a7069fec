"""Completion scripts, run by the shells that are here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Runner

SHELLS = ("bash", "zsh", "fish", "powershell")
LIMIT_S = 60


def in_bash(engram: Runner, program: str) -> str:
    """Return what a program for bash prints in the folder of a scratch project."""
    return subprocess.run(
        ["bash", "-c", program],
        capture_output=True,
        encoding="utf-8",
        cwd=engram.cwd,
        env=engram.scratch.env,
        timeout=LIMIT_S,
        check=True,
    ).stdout


def bash(engram: Runner, *words: str) -> set[str]:
    """Return what bash offers for the last of some words."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = engram.ok("completion", "bash")
    shim = f'engram() {{ "{sys.executable}" -m engram "$@"; }}'
    setting = f"COMP_WORDS=({quoted})\nCOMP_CWORD={len(words) - 1}"
    program = f'{script}\n{shim}\n{setting}\n_engram\nprintf "%s\\n" "${{COMPREPLY[@]}}"'
    return set(in_bash(engram, program).split())


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
def test_bash_completes_commands_options_and_their_values(engram: Runner) -> None:
    assert {"save", "save-session"} == bash(engram, "engram", "sav")
    assert {"--scope", "--supersedes"} == bash(engram, "engram", "save", "--s")
    assert {"workspace", "global", "both"} == bash(engram, "engram", "save", "--scope", "")
    assert {"set"} == bash(engram, "engram", "config", "set")
    assert {"load.limit", "load.max_tokens"} <= bash(engram, "engram", "config", "get", "load.")
    # Values follow their key, whatever options stand between.
    assert {"auto", "startup", "always", "manual", "off"} == bash(engram, "engram", "config", "set", "read", "")
    assert {"normal", "strict"} == bash(
        engram, "engram", "--json", "config", "--workspace", "x", "set", "trust.mode", ""
    )
    assert {"workspace"} == bash(engram, "engram", "save", "--scope", "=", "wo")
    assert {"text", "json", "sarif"} == bash(engram, "engram", "scan", "--format", "")
    assert {"antigravity", "agents-md", "all"} == bash(engram, "engram", "unlink", "a")
    assert {"list"} == bash(engram, "engram", "link", "claude", "li")
    # Options come where one was begun, and where nothing else can stand.
    assert "--plan" not in bash(engram, "engram", "link", "")
    assert "--strict" in bash(engram, "engram", "doctor", "")


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
def test_bash_offers_memories_and_runs_no_name_that_a_clone_brings(engram: Runner) -> None:
    """For ``compgen -W`` a word is a piece of a program."""
    engram.ok("inject")
    assert not {"No", "SKIPPED"} & bash(engram, "engram", "show", "")  # an empty memory says so in words
    engram.ok("save", "rule", "Run the tests before a push.", input="A\n")
    root = engram.cwd / ".agents" / ".engram"
    good = next((root / "rules").glob("*.md"))
    hostile = root / "rules" / "$(touch${IFS}pwned).md"
    text = good.read_text(encoding="utf-8")
    hostile.write_text(text.replace(f"id: {good.stem}", f"id: '{hostile.stem}'"), encoding="utf-8", newline="\n")
    lines = [f"{sha256(file.read_bytes()).hexdigest()}  rules/{file.name}\n" for file in sorted((hostile, good))]
    (root / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")
    assert hostile.stem in engram.ok("list")
    for words in (("show", ""), ("save", "--supersedes", "")):
        assert bash(engram, "engram", *words) == {good.stem}
    assert not (engram.cwd / "pwned").exists()


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash here")
def test_bash_completes_a_file_whose_name_holds_blanks_as_one_word(engram: Runner) -> None:
    (engram.cwd / "two words.md").write_text("", encoding="utf-8")
    script = engram.ok("completion", "bash")
    program = f'{script}\nCOMP_WORDS=(engram scan tw)\nCOMP_CWORD=2\n_engram\necho "${{#COMPREPLY[@]}}"'
    assert in_bash(engram, program) == "1\n"


def test_an_option_and_its_value_in_one_word_are_completed_as_one(engram: Runner) -> None:  # as zsh takes them apart
    script = engram.ok("completion", "bash")
    program = f'{script}\nCOMP_WORDS=(engram load --disclosure=a)\nCOMP_CWORD=2\n_engram\necho "${{COMPREPLY[@]}}"'
    assert in_bash(engram, program) == "--disclosure=auto\n"


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh here")
def test_zsh_reads_its_script(engram: Runner) -> None:
    script = engram.ok("completion", "zsh")
    subprocess.run(["zsh", "-n"], input=script, encoding="utf-8", timeout=LIMIT_S, check=True)
    # Also in a shell whose start files have not set completion up.
    done = subprocess.run(
        ["zsh", "-f", "-c", f"{script}\nprint -- $_comps[engram]"],
        capture_output=True,
        encoding="utf-8",
        env=engram.scratch.env,
        timeout=LIMIT_S,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("_bash_complete -F _engram", "")


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish here")
def test_fish_completes_commands_and_options(engram: Runner) -> None:
    script = engram.ok("completion", "fish")
    for line, wanted in (
        ("engram sav", "save-session"),
        ("engram save --sup", "--supersedes"),
        ("engram config get loa", "load.limit"),
        ("engram link anti", "antigravity"),
        ("engram config set read sta", "startup"),
        ("engram --ver", "--version"),
    ):
        done = subprocess.run(
            ["fish", "-c", f"source -\ncomplete -C '{line}'"],
            input=script,
            capture_output=True,
            encoding="utf-8",
            env=engram.scratch.env,
            timeout=LIMIT_S,
            check=True,
        )
        found = {row.split("\t")[0] for row in done.stdout.splitlines()}
        assert wanted in found
        assert not found & {"mcp.dialog_timeout", "unset"}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_stands_in_every_script(engram: Runner, shell: str) -> None:
    script = engram.ok("completion", shell)
    for name in ("save-session", "ss", "verify", "benchmark"):
        assert name in script


def test_a_shell_that_is_unknown_is_refused(engram: Runner) -> None:
    done = engram.run("completion", "tcsh")
    assert done.returncode == 2
    assert "bash, zsh, fish, powershell" in done.stderr


def test_config_explains_a_key_with_its_value_and_where_it_comes_from(engram: Runner) -> None:
    engram.ok("inject")
    engram.ok("config", "set", "load.limit", "6")
    text = engram.ok("config", "explain", "load.limit")
    assert "How many memories one load gives in full." in text
    assert "Values: 1 to 32 memories." in text
    assert "Now: 6, from " in text
    assert "engram.config.json" in text
    assert engram.json("config", "schema")["data"]["title"] == "engram.config.json"
    assert engram.run("config", "explain", "load.limits").returncode == 2
