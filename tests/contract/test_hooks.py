"""What hosts get from `engram hook`: their own JSON, exit status 0, in time (C59b, C59c, F18, F21, G1)."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conftest import Runner

PAYLOADS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases", "hooks", "payloads.jsonl")
LIMIT_S = 60
HOSTS = ("claude", "codex", "gemini", "cursor", "copilot", "opencode", "cline", "windsurf", "antigravity")


def hook(
    engram: Runner, host: str, payload: object, *, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return subprocess.run(
        [*engram.command, "hook", host],
        input=data,
        capture_output=True,
        cwd=engram.cwd,
        env={**engram.scratch.env, **(env or {})},
        timeout=LIMIT_S,
        check=False,
    )


def answer(engram: Runner, host: str, payload: Mapping[str, object]) -> Any:
    done = hook(engram, host, {"cwd": str(engram.cwd), **payload})
    assert done.returncode == 0
    assert done.stderr == b""
    return json.loads(done.stdout) if done.stdout else None


def prompt(engram: Runner, text: str, *, session: str = "s1") -> str:
    payload = {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text}
    return context(answer(engram, "claude", payload))


def start(engram: Runner, source: str = "startup", *, session: str = "s1") -> str:
    payload = {"session_id": session, "hook_event_name": "SessionStart", "source": source}
    return context(answer(engram, "claude", payload))


def context(reply: Any) -> str:
    return "" if reply is None else str(reply["hookSpecificOutput"]["additionalContext"])


@pytest.fixture
def memory(engram: Runner) -> Runner:
    engram.ok("inject")
    engram.ok("save", "rule", "Use pnpm for every install; npm rewrites the lockfile.", input="A\n")
    engram.ok("save", "knowledge", "Prices are integers in cents.", input="A\n")
    engram.ok("save", "skill", "To cut a release, run all tests, then tag.", input="A\n")
    return engram


def allowed(host: str, event: str, output: bytes) -> bool:
    """Say whether a host's schema allows an output (hosts.md)."""
    if not output:
        return host != "gemini"
    reply = json.loads(output)
    match host:
        case "claude" | "codex" | "gemini":
            inner = reply.get("hookSpecificOutput", {"hookEventName": event, "additionalContext": ""})
            return set(reply) <= {"hookSpecificOutput"} and inner == {
                "hookEventName": event,
                "additionalContext": inner["additionalContext"],
            }
        case "copilot" | "opencode":
            return set(reply) <= {"additionalContext"}
        case _:
            return False


def test_every_recorded_payload_gets_what_its_host_allows(memory: Runner) -> None:  # C59b
    with open(PAYLOADS, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    events = {(row["host"], row["event"]): row["stdin"] for row in rows if "stdin" in row}
    assert len(events) > 15
    for (host, event), payload in events.items():
        done = hook(memory, host, {**payload, "cwd": str(memory.cwd)})
        assert done.returncode == 0, (host, event)
        assert allowed(host, event, done.stdout), (host, event, done.stdout)


def test_a_session_begins_with_rules_as_bodies_and_the_rest_as_cards(memory: Runner) -> None:  # C59b
    text = start(memory)
    assert '<engram-memory id="use-pnpm-for-every-install" type="rule"' in text
    assert "- prices-are-integers-in-cents [knowledge" in text
    assert "- to-cut-a-release-run-all-tests-then-tag [skill" in text
    assert "Prices are integers in cents.\n" not in text
    # What was a body is not brought again; what was a card is, once it is needed whole.
    assert prompt(memory, "install a dependency with pnpm") == ""
    assert 'id="prices-are-integers-in-cents"' in prompt(memory, "prices in cents")


def test_resume_brings_what_is_unseen_and_compact_and_clear_forget(memory: Runner) -> None:  # C59b
    whole = start(memory)
    assert start(memory, "resume") == ""
    memory.ok("save", "rule", "Never deploy on Friday.", input="A\n")
    resumed = start(memory, "resume")
    assert "never-deploy-on-friday" in resumed
    assert '<engram-memory id="use-pnpm' not in resumed
    for source in ("compact", "clear"):
        assert '<engram-memory id="use-pnpm' in start(memory, source)
    assert '<engram-memory id="use-pnpm' in whole


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_two_hooks_of_one_start_bring_it_once(memory: Runner, source: str) -> None:  # linked in both scopes; C59b
    payload = {"session_id": "s1", "cwd": str(memory.cwd), "hook_event_name": "SessionStart", "source": source}
    for host in ("codex", "claude"):
        texts = at_once(memory, host, payload)
        assert sum(b"use-pnpm-for-every-install" in text for text in texts) == 1
        assert min(map(len, texts)) == 0


def test_two_hooks_of_one_prompt_bring_it_once(memory: Runner) -> None:  # linked in both scopes; G1
    payload = {"session_id": "s1", "cwd": str(memory.cwd), "hook_event_name": "UserPromptSubmit", "turn_id": "t1"}
    for mode in ("auto", "always"):
        memory.ok("config", "set", "read", mode)
        texts = at_once(memory, "codex", {**payload, "prompt": "install with pnpm", "turn_id": mode})
        assert sum(b"use-pnpm-for-every-install" in text for text in texts) == 1, mode
    again = at_once(memory, "codex", {**payload, "prompt": "install with pnpm", "turn_id": "t3"})
    assert sum(b"use-pnpm-for-every-install" in text for text in again) == 1, "always brings it with each prompt"


@pytest.mark.parametrize(
    ("host", "payload"),
    [
        ("gemini", {"session_id": "s1", "hook_event_name": "BeforeAgent"}),
        ("copilot", {"sessionId": "s1"}),
        ("opencode", {"session_id": "s1", "event": "prompt"}),
    ],
)
def test_two_hooks_of_one_prompt_without_an_id_bring_it_once_too(
    memory: Runner, host: str, payload: dict[str, str]
) -> None:  # linked in both scopes; G1
    memory.ok("config", "set", "read", "always")
    for text in ("install with pnpm", "how do I install with pnpm"):
        texts = at_once(memory, host, {**payload, "cwd": str(memory.cwd), "prompt": text})
        assert sum(b"use-pnpm-for-every-install" in text for text in texts) == 1


def test_a_session_that_is_cleared_twice_gets_its_start_twice(memory: Runner) -> None:  # C59b
    assert '<engram-memory id="use-pnpm' in start(memory, "clear")
    sessions = os.path.join(memory.cwd, ".agents", ".engram", ".cache", "sessions")
    (name,) = os.listdir(sessions)
    with open(os.path.join(sessions, name), encoding="ascii") as file:
        lines = [line.split(" ") for line in file.read().splitlines()]
    with open(os.path.join(sessions, name), "w", encoding="ascii") as file:  # as if two seconds had gone by
        file.writelines(" ".join([line[0], *(str(int(ended) - 2000) for ended in line[1:])]) + "\n" for line in lines)
    assert '<engram-memory id="use-pnpm' in start(memory, "clear")


def at_once(engram: Runner, host: str, payload: object) -> list[bytes]:
    """Return what two hooks print that a host starts at the same moment."""
    running = [
        subprocess.Popen(
            [*engram.command, "hook", host],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=engram.cwd,
            env=engram.scratch.env,
        )
        for _ in range(2)
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
    texts = []
    for process in running:
        assert process.stdout is not None
        texts.append(process.stdout.read())
        process.stdout.close()
        assert process.wait(LIMIT_S) == 0
    return texts


def test_no_prompt_is_kept(memory: Runner) -> None:  # F21
    assert prompt(memory, "install xylophones with pnpm") != ""
    for folder, _, names in os.walk(os.path.join(memory.cwd, ".agents", ".engram", ".cache", "sessions")):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                assert b"xylophone" not in file.read()
            assert "s1" not in name


@pytest.mark.parametrize(
    ("mode", "at_start", "first", "second"),
    [
        ("auto", True, False, False),
        ("startup", True, False, False),
        ("always", True, True, True),
        ("manual", False, False, False),
        ("off", False, False, False),
    ],
)
def test_read_says_when_memory_is_given(  # F21
    memory: Runner, mode: str, *, at_start: bool, first: bool, second: bool
) -> None:
    memory.ok("set-read", mode)
    assert bool(start(memory)) is at_start
    assert bool(prompt(memory, "install with pnpm")) is first
    assert bool(prompt(memory, "once more, install with pnpm")) is second


def test_geminis_own_context_is_no_question(memory: Runner) -> None:
    payload = {
        "session_id": "g",
        "hook_event_name": "BeforeAgent",
        "prompt": "<hook_context>install with pnpm</hook_context>\n\ncompose sonnets",
    }
    assert answer(memory, "gemini", payload) == {}


def test_the_shapes_of_other_hosts(memory: Runner) -> None:  # hosts.md
    cursor = {"conversation_id": "c", "hook_event_name": "beforeSubmitPrompt", "prompt": "install with pnpm"}
    reply = answer(memory, "cursor", cursor)
    assert reply["continue"] is True
    assert "use-pnpm" in reply["additional_context"]
    assert answer(memory, "cursor", cursor) == {"continue": True}
    assert "use-pnpm" in answer(memory, "copilot", {"sessionId": "x", "prompt": "pnpm install"})["additionalContext"]
    assert "use-pnpm" in answer(memory, "copilot", {"sessionId": "y", "source": "new"})["additionalContext"]
    assert answer(memory, "copilot", {"sessionId": "y", "toolName": "x"}) == {}
    assert "use-pnpm" in answer(memory, "opencode", {"event": "prompt", "prompt": "pnpm install"})["additionalContext"]
    assert answer(memory, "windsurf", {"agent_action_name": "pre_user_prompt"}) is None
    # VS Code runs Claude's hooks with names of its own.
    payload = {"sessionId": "v", "hookEventName": "UserPromptSubmit", "prompt": "pnpm install"}
    assert "use-pnpm" in context(answer(memory, "claude", payload))


def test_the_project_is_the_hosts_variable_then_cwd_then_the_folder(memory: Runner, tmp_path: Path) -> None:  # C59c
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    payload = {"hook_event_name": "UserPromptSubmit", "prompt": "pnpm install"}
    there = {**payload, "cwd": str(elsewhere)}
    assert hook(memory, "claude", there).stdout == b""
    assert b"use-pnpm" in hook(memory, "claude", payload).stdout
    assert b"use-pnpm" in hook(memory, "claude", there, env={"CLAUDE_PROJECT_DIR": str(memory.cwd)}).stdout


def test_of_a_very_long_prompt_the_end_is_asked(memory: Runner) -> None:  # C59c
    noise = "compose sonnets about rivers " * 200_000
    assert "use-pnpm" in prompt(memory, f"{noise} install with pnpm")


def test_foreign_memory_is_one_line_at_the_start_and_nothing_with_prompts(memory: Runner) -> None:  # F18
    memory.ok("trust", "--revoke")
    assert start(memory) == "This project brings 3 memories that nobody here accepted yet: engram trust"
    assert prompt(memory, "install with pnpm") == ""


def test_the_start_names_what_is_new_and_from_whom(memory: Runner) -> None:  # F18
    assert "New in" not in start(memory)
    memory.ok(
        "save",
        "rule",
        "Never deploy on Friday.",
        input="A\n",
        env={"ENGRAM_AUTHOR_NAME": "Grace", "ENGRAM_AUTHOR_EMAIL": "g@example.test"},
    )
    assert "New in workspace memory since the last session: never-deploy-on-friday (by Grace)." in start(
        memory, session="s2"
    )
    assert "New in" not in start(memory, session="s3")


def test_the_start_says_how_many_files_are_skipped_and_a_foreign_one_only_what_trust_is_for(
    memory: Runner,
) -> None:  # F13, A4
    assert "skipped" not in start(memory)
    root = memory.cwd / ".agents" / ".engram"
    rule = next((root / "rules").glob("*.md"))
    rule.write_bytes(rule.read_bytes().replace(b"pnpm", b"yarn"))  # in place, so that no folder's time tells of it
    (root / "knowledge" / "mine.md").write_text("---\ntype: knowledge\n---\n# Mine\n", encoding="utf-8")
    text = start(memory, session="s2")
    assert text.startswith(
        "For the human, in workspace memory: 2 files are skipped, so no agent is given what stands there: "
        "engram verify --review\n"
    )
    assert "yarn" not in text
    assert "Mine" not in text
    (memory.scratch.config / "trust.json").unlink()
    foreign = start(memory, session="s3")
    assert "engram trust" in foreign
    assert "skipped" not in foreign


def test_an_injection_stays_below_9000_characters(memory: Runner) -> None:  # C59b
    memory.ok("config", "set", "load.max_tokens", "16000")
    memory.ok("config", "set", "load.limit", "32")
    for number in range(30):
        memory.ok("save", "rule", f"Rule {number} for pnpm: " + f"keep {number} apart. " * 60, input="A\n")
    assert 4000 < len(start(memory)) < 9000
    assert 4000 < len(prompt(memory, "what rules are there for pnpm", session="other")) < 9000


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"prompt": 7}', b"null", b"\0" * 1000])
def test_a_payload_that_is_none_is_answered_with_nothing(engram: Runner, host: str, data: bytes) -> None:  # C59b
    done = hook(engram, host, data)
    assert done.returncode == 0
    assert done.stdout in {b"", b"{}\n", b'{"cancel":false}\n'}


def test_a_host_that_is_unknown_is_said_and_harms_nothing(engram: Runner) -> None:
    done = hook(engram, "emacs", {})
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"emacs is none of" in done.stderr


def test_a_hook_whose_time_is_over_says_so_where_the_host_keeps_its_log(memory: Runner) -> None:  # F2
    memory.ok("status")
    index = memory.cwd / ".agents" / ".engram" / ".cache" / "index.sqlite"
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "install", "cwd": str(memory.cwd)}
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("begin exclusive")
        # A reader waits for a second in all before it does without.
        done = hook(memory, "claude", payload, env={"ENGRAM_HOOK_TIMEOUT": "0.8"})
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"engram status" in done.stderr
    assert "use-pnpm" in prompt(memory, "install")


def test_a_payload_of_five_megabytes_is_answered_in_time(memory: Runner) -> None:  # C59b, C59c
    size = 5 * 1024 * 1024
    base = {"session_id": "big", "hook_event_name": "UserPromptSubmit", "cwd": str(memory.cwd)}
    prompts = (
        "word " * (size // 5) + "install a dependency with pnpm",
        "記" * (size // 3) + " install a dependency with pnpm",
        "\x01" * (size // 6) + " install a dependency with pnpm",
    )
    for at, text in enumerate(prompts):
        done = hook(memory, "claude", {**base, "session_id": f"big-{at}", "prompt": text})
        assert (done.returncode, done.stderr) == (0, b"")
        assert "use-pnpm" in context(json.loads(done.stdout))
    for data in (b'{"prompt":' + b"[" * size, b'{"a":' + b"1" * size + b"}", b"\xff" * size, b'"' + b"a" * size + b'"'):
        done = hook(memory, "gemini", data)
        assert (done.returncode, done.stdout) == (0, b"{}\n")
    # What stands before Gemini's own prompt is taken off in one go, however often it stands there.
    text = "<hook_context>x</hook_context>\n\n" * (size // 33) + "install a dependency with pnpm"
    done = hook(memory, "gemini", {**base, "hook_event_name": "BeforeAgent", "prompt": text})
    assert "use-pnpm" in context(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("host", "event", "printed"), [("claude", "UserPromptSubmit", b""), ("gemini", "BeforeAgent", b"{}\n")]
)
def test_a_host_that_never_ends_its_input_gets_the_empty_answer(
    memory: Runner, host: str, event: str, printed: bytes
) -> None:  # C59b, by its own clock
    process = subprocess.Popen(
        [*memory.command, "hook", host],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=memory.cwd,
        env=memory.scratch.env,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"hook_event_name": event, "prompt": "install with pnpm"}).encode())
    process.stdin.flush()  # and it stays open
    assert process.wait(LIMIT_S) == 0
    assert process.stdout.read() == printed
    process.stdin.close()
    process.stdout.close()


@pytest.mark.skipif(os.name != "posix", reason="pipes with names")
@pytest.mark.parametrize("place", ["SHA256SUMS", "engram.config.json", "rules", ".cache", ".journal", ".engramignore"])
@pytest.mark.parametrize("kind", ["file", "folder", "pipe"])
def test_a_hook_of_a_broken_store_lets_the_prompt_through(memory: Runner, place: str, kind: str) -> None:  # F2
    broken = memory.cwd / ".agents" / ".engram" / place
    if broken.is_dir():
        shutil.rmtree(broken)
    broken.unlink(missing_ok=True)
    match kind:
        case "file":
            broken.write_bytes(b"\xff{")
        case "folder":
            broken.mkdir()
        case _:
            os.mkfifo(broken)
    done = hook(memory, "gemini", {"session_id": "s", "hook_event_name": "BeforeAgent", "prompt": "pnpm install"})
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"too long" not in done.stderr
    assert json.loads(done.stdout) is not None


def test_a_host_that_closed_its_end_did_not_see_it(memory: Runner) -> None:  # C59b
    payload = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "install with pnpm"}
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*memory.command, "hook", "claude"],
        input=json.dumps(payload).encode(),
        stdout=write,
        cwd=memory.cwd,
        env=memory.scratch.env,
        timeout=LIMIT_S,
        check=False,
    )
    os.close(write)
    assert done.returncode == 0
    assert "use-pnpm" in prompt(memory, "install with pnpm")


@pytest.mark.skipif(os.name != "posix", reason="closes file descriptors with a shell")
def test_closed_streams_are_no_fault(memory: Runner) -> None:
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" hook claude {closed}', memory.command[0]],
            stdin=subprocess.DEVNULL,
            cwd=memory.cwd,
            env=memory.scratch.env,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == 0
