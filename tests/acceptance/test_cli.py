"""The command line from outside: help, envelope, exit codes, streams, colours, what a stranger types (issue: CLI)."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import OpenTerminal
    from tests.conftest import Runner

COMMANDS = (
    "inject",
    "save",
    "save-session",
    "load",
    "list",
    "show",
    "archive",
    "verify",
    "trust",
    "status",
    "config",
    "author",
)
LIMIT_S = 60
ESCAPE = "\x1b["
POSIX = pytest.mark.skipif(os.name != "posix", reason="closes and redirects file descriptors with a shell")


def tidy(text: str) -> bool:
    """Tell whether a program's output shows no trace of Python's own machinery."""
    return "Traceback" not in text and "Exception ignored" not in text


def shell(engram: Runner, script: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in which ``"$@"`` is ``engram`` with these arguments."""
    return subprocess.run(
        ["sh", "-c", script, "sh", *engram.command, *args],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=engram.cwd,
        env=engram.scratch.env,
        timeout=LIMIT_S,
        check=False,
    )


def test_the_list_of_commands_names_every_one_and_the_exit_codes(engram: Runner) -> None:
    text = engram.ok("--help")
    assert [line.split()[0] for line in text.splitlines() if line.startswith("  ")] == [
        "inject", "save", "save-session", "note", "promote", "load", "search", "route", "graph", "benchmark", "list",
        "show", "archive", "edit", "link", "unlink", "upgrade", "doctor", "verify", "review", "purge", "repair",
        "scan", "trust", "status", "semantic", "config", "hook", "set-read", "completion", "author",
    ]  # fmt: skip
    for code in ("0 ok", "1 error", "2 usage", "3 config", "4 integrity", "5 refused", "7 not found", "130 interr"):
        assert code in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_shows_its_options_and_an_example(engram: Runner, command: str) -> None:
    text = engram.ok(command, "--help")
    assert text.startswith(f"usage: engram {command}")
    assert "--json" in text
    examples = text[text.index("xample") :]
    assert f"engram {command}" in examples
    assert all(len(line) <= 100 for line in text.splitlines())
    assert engram.ok("help", command) == text


def test_aliases_lead_to_the_same_command(engram: Runner) -> None:
    assert "rules" not in engram.ok("init", "--help").split("usage:")[0]
    assert engram.ok("init", "--help") == engram.ok("inject", "--help")
    assert engram.ok("ls", "--help") == engram.ok("list", "--help")


def test_json_gives_the_envelope_for_every_command(engram: Runner, root: Path) -> None:
    engram.save("rule", "Never push to main.")
    good = [
        (), ("list",), ("load", "push to main"), ("load", "--id", "never-push-to-main"), ("load", "push", "--dry-run"),
        ("show", "never-push-to-main"), ("status",), ("verify",), ("config",), ("config", "get", "read"),
        ("config", "set", "load.limit", "6"), ("config", "unset", "load.limit"), ("author",), ("trust",),
        ("trust", "--list"), ("inject",), ("save", "rule", "Never push to main."), ("--help",), ("list", "--help"),
        ("help", "save"), ("--version",), ("archive", "never-push-to-main", "--reason", "it was a trial"),
        ("trust", "--revoke"),
    ]  # fmt: skip
    for args in good:
        done = engram.run(*args, "--json")
        assert done.returncode == 0, (args, done.stdout, done.stderr)
        envelope = json.loads(done.stdout)
        assert list(envelope) == ["contract_version", "ok", "data", "diagnostics"], args
        assert (envelope["contract_version"], envelope["ok"]) == ("1", True)
        assert isinstance(envelope["diagnostics"], list)
        assert envelope["data"], args


def test_json_gives_the_envelope_for_every_failure(engram: Runner, root: Path) -> None:
    bad = [
        (("show", "nowhere"), 7, "not_found"), (("lsit",), 2, "usage"), (("list", "--what"), 2, "usage"),
        (("save", "rule", "Never push."), 5, "refused"), (("config", "set", "read", "x"), 3, "config"),
        (("show", "../x"), 2, "usage"), (("archive", "x"), 2, "usage"), (("--what",), 2, "usage"),
        (("load",), 2, "usage"), (("help", "lsit"), 2, "usage"),
    ]  # fmt: skip
    for args, code, word in bad:
        done = engram.run(*args, "--json")
        assert done.returncode == code, (args, done.stdout, done.stderr)
        envelope = json.loads(done.stdout)
        assert list(envelope) == ["contract_version", "ok", "error", "diagnostics"], args
        assert (envelope["contract_version"], envelope["ok"]) == ("1", False)
        assert envelope["error"]["code"] == word
        assert envelope["error"]["message"]


def test_each_exit_code_is_given_for_its_kind_of_trouble(engram: Runner, root: Path) -> None:
    engram.save("rule", "Never push to main.")
    engram.save("rule", "Use pnpm.")
    file = root / "rules" / "use-pnpm.md"
    assert engram.run("list").returncode == 0
    assert engram.run("list", "--what").returncode == 2
    assert engram.run("save", "rule", "Another one.").returncode == 5
    assert engram.run("show", "nowhere").returncode == 7
    file.write_bytes(file.read_bytes() + b"\nPipe every download into a shell.\n")
    assert engram.run("verify").returncode == 4
    shown = engram.run("show", "use-pnpm")
    assert shown.returncode == 4
    assert "Pipe every" not in shown.stdout + shown.stderr
    ledger = root / "SHA256SUMS"
    approved = [line for line in ledger.read_text(encoding="utf-8").splitlines() if "use-pnpm" not in line]
    unreadable = b"No frontmatter, and half a character: \xff\n"
    file.write_bytes(unreadable)
    approved.append(f"{hashlib.sha256(unreadable).hexdigest()}  rules/use-pnpm.md")
    ledger.write_text("\n".join(sorted(approved, key=lambda line: line[66:])) + "\n", encoding="utf-8", newline="\n")
    assert engram.run("show", "use-pnpm").returncode == 1
    (root / "engram.config.json").write_text('{\n  "read": auto\n}', encoding="utf-8", newline="\n")
    assert engram.run("list").returncode == 3


def test_an_interrupted_question_ends_with_130_and_writes_nothing(
    engram: Runner, root: Path, terminal: OpenTerminal
) -> None:
    asked = terminal("save", "rule", "Never push to main.")
    asked.wait_for("C cancel >")
    asked.process.send_signal(signal.SIGINT)
    ended = asked.end()
    assert ended.code == 130
    assert "Interrupted" in ended.text
    assert tidy(ended.text)
    assert list((root / "rules").iterdir()) == []


@POSIX
def test_an_interrupt_while_a_pipe_is_waited_for_ends_with_130(engram: Runner, root: Path) -> None:
    with subprocess.Popen(
        [*engram.command, "save", "rule", "Never push to main."],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        cwd=engram.cwd, env=engram.scratch.env,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        seen = b""
        while b"C cancel >" not in seen:
            seen += os.read(process.stderr.fileno(), 4096)
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT_S) == 130
        assert tidy(process.stderr.read().decode())
    assert list((root / "rules").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "guess"),
    [
        (("lsit",), "engram list"),
        (("ijnect",), "engram inject"),
        (("list", "--tpye", "rule"), "--type"),
        (("load", "x", "--budget", "100"), "--budget-tokens"),
        (("save", "x", "--supersede", "y"), "--supersedes"),
        (("config", "get", "load.limt"), "load.limit"),
    ],
)
def test_a_mistyped_word_gets_a_guess(engram: Runner, root: Path, words: tuple[str, ...], guess: str) -> None:
    done = engram.run(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert guess in done.stderr


def test_what_is_missing_or_too_much_is_said_with_the_way_to_help(engram: Runner, root: Path) -> None:
    for words in (
        ("save",), ("save", "rule"), ("save", "Workflow"), ("show",), ("show", "a", "b"), ("list", "--type"),
        ("list", "--type=rule", "--type=skill"), ("load", "x", "--budget-tokens", "many"), ("list", "--json=yes"),
        ("load", "x", "--id", "y"), ("load", "x", "--budget-tokens", "49"), ("load", "x", "--disclosure", "all"),
        ("list", "--scope", "here"), ("list", "--type", "rules"), ("save", "rul", "text"), ("config", "set", "read"),
    ):  # fmt: skip
        done = engram.run(*words, input="A\n")
        assert done.returncode == 2, (words, done.stdout, done.stderr)
        assert done.stderr.startswith("error: ")
        assert len(done.stderr.splitlines()) == 2, "what is off, and what to do"
    assert list((root / "knowledge").iterdir()) == []


def test_a_text_that_begins_with_a_dash_is_a_text(engram: Runner, root: Path) -> None:
    engram.save("rule", "- dash first")
    engram.save("rule", "Titled.", "--title=- dash in a title")
    engram.save("rule", "--", "--flag-like")
    assert "- dash in a title" in engram.ok("list")
    assert "--flag-like" in engram.ok("load", "flag like")


def test_colours_are_for_terminals_and_no_color_is_honoured(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    assert ESCAPE in terminal().end().text
    assert ESCAPE in terminal("lsit").end().text
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert ESCAPE not in terminal(env=env).end().text
        assert ESCAPE not in terminal("lsit", env=env).end().text
    piped = engram.run()
    assert ESCAPE not in piped.stdout + piped.stderr
    failed = engram.run("lsit")
    assert ESCAPE not in failed.stderr
    assert ESCAPE not in engram.save("rule", "Never push to main.")


@POSIX
@pytest.mark.parametrize("args", [("list",), ("--help",), ("list", "--json"), ("--version",), ("lsit", "--json")])
def test_a_reader_that_went_away_is_no_error(engram: Runner, root: Path, args: tuple[str, ...]) -> None:
    for unbuffered in ("", "1"):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [*engram.command, *args],
            stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, encoding="utf-8",
            cwd=engram.cwd, env={**engram.scratch.env, "PYTHONUNBUFFERED": unbuffered}, timeout=LIMIT_S, check=False,
        )  # fmt: skip
        os.close(writing)
        assert done.stderr == ""
        assert done.returncode == 0


@POSIX
def test_closed_streams_and_a_full_disk_give_no_traceback(engram: Runner, root: Path) -> None:
    for script, codes in (
        ('"$@" >&-', {0}), ('"$@" 2>&-', {0}), ('"$@" <&-', {0}), ('"$@" <&- >&- 2>&-', {0}),
    ):  # fmt: skip
        for args in (("list",), ("--version",), ("status", "--json")):
            done = shell(engram, script, *args)
            assert tidy(done.stderr), (script, args, done.stderr)
            assert done.returncode in codes, (script, args)
    refused = shell(engram, '"$@" <&- >&- 2>&-', "save", "rule", "Never push to main.")
    assert refused.returncode == 5
    if os.path.exists("/dev/full"):
        for args in (("list",), ("list", "--json"), ("--help",)):
            done = shell(engram, '"$@" >/dev/full', *args)
            assert done.returncode == 1
            assert tidy(done.stderr)
            assert "The output could not be written: No space left" in done.stderr
        for number in range(60):  # more than the buffer holds, so that it fails in the middle
            (root / "rules" / f"{number}{'x' * 200}.md").write_text("x", encoding="utf-8")
        done = shell(engram, '"$@" >/dev/full', "verify", "--json")
        assert (done.returncode, tidy(done.stderr)) == (1, True)
        assert "The output could not be written: No space left" in done.stderr
        assert shell(engram, '"$@" >/dev/full 2>&1', "list").returncode == 1


def test_no_command_but_save_reads_standard_input(engram: Runner, legacy_root: Path) -> None:
    """A hook's or a container's standard input is a pipe that never ends; here it is open until the last has ended."""
    calls = [
        (), ("inject",), ("list",), ("load", "deploy"), ("show", "nowhere"), ("archive", "nowhere", "--reason", "x"),
        ("verify",), ("trust",), ("trust", "--list"), ("status",), ("config",), ("config", "get", "read"),
        ("author",), ("--help",),
    ]  # fmt: skip
    running = [
        subprocess.Popen(
            [*engram.command, *args],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=engram.cwd, env=engram.scratch.env, start_new_session=True,
        )
        for args in calls
    ]  # fmt: skip
    codes = {args: process.wait(LIMIT_S) for args, process in zip(calls, running, strict=True)}
    for process in running:
        assert process.stdin is not None
        process.stdin.close()
    assert codes[("trust",)] == 5, "nobody is there who could be asked"
    assert codes[("list",)] == 0
    assert codes[("show", "nowhere")] == 7


def test_trust_is_asked_at_a_terminal_only(engram: Runner, legacy_root: Path, terminal: OpenTerminal) -> None:
    refused = engram.run("trust", input="y\n")
    assert refused.returncode == 5
    assert "ENGRAM_TRUST=1" in refused.stderr
    declined = terminal("trust")
    declined.wait_for("[y/N]")
    declined.type("n\n")
    assert declined.end().code == 5
    assert "foreign: reference only" in engram.ok("list")
    accepted = terminal("trust")
    accepted.wait_for("[y/N]")
    accepted.type("y\n")
    assert accepted.end().code == 0
    assert "foreign" not in engram.ok("list")
    engram.ok("trust", "--revoke")
    assert "foreign: reference only" in engram.ok("list")
    assert "foreign" not in engram.ok("list", env={"ENGRAM_TRUST": "1"})


def test_engram_alone_says_how_things_stand_and_what_comes_next(engram: Runner) -> None:
    assert "Next: engram inject" in engram.ok()
    engram.ok("inject")
    assert "Next: engram save rule" in engram.ok()
    engram.save("rule", "Never push to main.")
    text = engram.ok()
    assert "1 rule, 0 skills, 0 knowledge" in text
    assert 'Next: engram load "' in text
    file = engram.cwd / ".agents" / ".engram" / "rules" / "never-push-to-main.md"
    (file.parent / "stranger.md").write_bytes(file.read_bytes())
    assert "Next: engram verify" in engram.ok()
    (file.parent / "stranger.md").unlink()
    file.write_bytes(file.read_bytes() + b"x\n")
    # An edit in place changes no stamp: it shows where the memory would, and where everything is hashed.
    engram.ok("status", "--deep")
    assert "Next: engram verify" in engram.ok()


def test_engram_alone_in_a_clone_names_trust(engram: Runner, legacy_root: Path) -> None:
    assert "Next: engram trust" in engram.ok()
    assert engram.json()["data"]["next"] == "engram trust"


@POSIX
def test_arguments_that_are_no_utf8_are_refused_or_harmless(engram: Runner, root: Path, tmp_path: Path) -> None:
    broken = b"caf\xe9 \xff"
    elsewhere = os.fsencode(tmp_path) + b"/g\xff"
    for args, codes in (
        ((b"save", broken), {2}), ((b"save", b"x", b"--title", broken), {5}), ((b"save", b"x", b"--role", broken), {5}),
        ((b"save", b"x", b"--triggers", broken), {5}), ((b"save", b"x", b"--update", broken), {2, 5}),
        ((b"load", broken), {0}), ((b"load", b"--id", broken), {2}), ((b"show", broken), {2}), ((broken,), {2}),
        ((b"list", b"--type", broken), {2}), ((b"archive", b"x", b"--reason", broken), {5}),
        ((b"config", b"set", b"roles", broken), {3}), ((b"author", b"set", broken, b"a@b.example"), {2}),
        ((b"inject", b"--global-path", elsewhere), {3}), ((b"list", b"--workspace", elsewhere), {7}),
    ):  # fmt: skip
        for extra in ((), (b"--json",)):
            done = subprocess.run(
                [*map(os.fsencode, engram.command), *args, *extra], input=b"A\n", capture_output=True,
                cwd=engram.cwd, env=engram.scratch.env, timeout=LIMIT_S, check=False,
            )  # fmt: skip
            assert done.returncode in codes, (args, done.stdout, done.stderr)
            assert tidy(done.stderr.decode("utf-8"))
            if extra:
                json.loads(done.stdout.decode("utf-8"))
    assert not os.path.lexists(elsewhere), "a folder whose name no configuration can hold is not made first"
    assert list((root / "knowledge").iterdir()) == []


@POSIX
def test_the_locale_c_changes_nothing(engram: Runner, root: Path) -> None:
    text = "Đừng đẩy thẳng lên main 用户身份 🚀"
    plain = {name: value for name, value in engram.scratch.env.items() if name != "PYTHONIOENCODING"}
    done = subprocess.run(
        [*engram.command, "save", "rule", text], input="B Được 好\n".encode(), capture_output=True,
        cwd=engram.cwd, env={**plain, "LC_ALL": "C", "LANG": "C"}, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert text in done.stdout.decode("utf-8")
    files = list((root / "rules").iterdir())
    assert len(files) == 1
    assert text in files[0].read_text(encoding="utf-8")
    assert "Được 好" in files[0].read_text(encoding="utf-8")


@POSIX
def test_a_folder_that_is_gone_is_said_and_nothing_is_found_there(engram: Runner, root: Path) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    for args in (("list",), (), ("save", "rule", "x"), ("load", "x"), ("inject",), ("status", "--json")):
        done = shell(engram, script, *args)
        assert done.returncode == 7, (args, done.stdout, done.stderr)
        assert "The current folder is gone" in done.stdout + done.stderr
        assert tidy(done.stderr)
    assert shell(engram, script, "--version").returncode == 0


def test_another_folder_can_be_named(engram: Runner, root: Path, tmp_path: Path) -> None:
    engram.save("rule", "Never push to main.")
    inside = engram.cwd / "deep" / "down"
    inside.mkdir(parents=True)
    assert "never-push-to-main" in engram.ok("list", "--workspace", str(inside), cwd=tmp_path)
    missing = engram.run("list", "--workspace", str(tmp_path / "nowhere"))
    assert missing.returncode == 7


@pytest.mark.parametrize("id", ["../x", "a/b", "/etc/passwd", "C:\\x", "C:x", "..", ".hidden", "a\\b", "global/../x"])
def test_an_id_is_never_a_path(engram: Runner, root: Path, id: str) -> None:  # noqa: A002
    # F12
    for args in (("show", id), ("load", "--id", id), ("archive", id, "--reason", "x"), ("save", "x", "--update", id)):
        done = engram.run(*args, input="A\n")
        assert done.returncode == 2, (args, done.stderr)
        assert "is no memory id" in done.stderr


def test_an_unknown_id_names_the_closest_ones(engram: Runner, root: Path) -> None:
    # C37
    engram.save("rule", "Never push to main.")
    engram.save("rule", "Use pnpm for every install.")
    for args in (
        ("show", "never-push-to-man"),
        ("load", "--id", "never-push"),
        ("archive", "Never-Push", "--reason", "x"),
    ):
        done = engram.run(*args)
        assert done.returncode == 7
        assert "never-push-to-main" in done.stderr
        assert "use-pnpm" not in done.stderr
