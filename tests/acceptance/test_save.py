"""``engram save``: what is shown is what is written, and only what a human answered for (A3, B2)."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import unicodedata
from typing import TYPE_CHECKING

import pytest
from tests.acceptance import waiting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import OpenTerminal
    from tests.conftest import Runner

LIMIT_S = 60
ASKED = "C cancel >"


def memories(root: Path) -> list[Path]:
    """Return every active memory file."""
    return sorted(file for kind in ("rules", "skills", "knowledge") for file in (root / kind).glob("**/*.md"))


def snapshot(root: Path) -> dict[str, bytes]:
    """Return every file of a root but the lock, with its bytes."""
    files = (file for file in root.rglob("*") if file.is_file() and file.name != ".lock")
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


def added(preview: str) -> bytes:
    """Return the file that the ``+`` lines of a preview make."""
    lines = preview[: preview.rindex("Verdict:")].splitlines()
    return "".join(f"{line[1:]}\n" for line in lines if line.startswith("+") and not line.startswith("+++ ")).encode()


def changelog(root: Path) -> str:
    """Return the last line of the changelog."""
    return (root / "changelog.md").read_text(encoding="utf-8").splitlines()[-1]


VALUES = {
    "time zone": ("Log in UTC", "Log in local time"),
    "number word": ("The stack has six crates", "The stack has eight crates"),
    "number word of an order": ("Stack six crates", "Stack eight crates"),
    "place": ("Meet in Madrid", "Meet in Lisbon"),
    "huso": ("Registra en hora local", "Registra en UTC"),
    "número": ("Apila seis cajas", "Apila ocho cajas"),
    "城市": ("办公室在马德里", "办公室在里斯本"),
}


@pytest.mark.parametrize(("old", "new"), VALUES.values(), ids=VALUES)
def test_another_value_of_the_same_thing_is_shown_as_its_replacement(
    engram: Runner, root: Path, old: str, new: str
) -> None:  # F20, C42
    engram.save("rule", old)
    (kept,) = memories(root)
    assert f"Verdict: SUPERSEDE {kept.stem}\n" in engram.save("rule", new)


TEXTS = {
    "sentence": "Use pnpm for every install; npm rewrites the lockfile.",
    "two lines": "First line\nsecond line",
    "headings": "Before\n\n# A heading\n\n## Content\n\nafter it\n\n## Human Note\n\nnot a note",
    "fence": "Run it like this:\n\n```sh\n# a comment, no heading\nengram verify\n```\n\nand then stop.",
    "open fence": "```\nnever closed",
    "rules and front matter": "---\nid: other\n---\n\n***\n\n---",
    "bullets": "- one\n- two\n  - below two",
    "ordered": "1. first\n2. second",
    "colon": "Governance: x",
    "quotes": "'type' is x, and \"scope\" is y",
    "dash": "- dash",
    "number signs": "# C# and F# #",
    "emoji": "Ship it 🚀 with a 👩‍💻 and a flag 🇨🇭",
    "Chinese": "用户身份必须校验。第二句也要保留。",
    "Vietnamese": "Đừng đẩy thẳng lên nhánh chính; hãy mở yêu cầu hợp nhất.",
    "Hebrew and Arabic": "אין לדחוף ל-main. لا تدفع إلى main",
    "decomposed": unicodedata.normalize("NFD", "Café crème brûlée"),
    "blanks inside": "a  b\tc",
    "backslashes": r"C:\new\table and \| a bar \\",
    "html": "<b>bold</b> & &amp; <img src=x>",
    "hardly a letter": "x!?",
    "long word": "x" * 300,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_file_on_disk_is_the_file_of_the_preview_and_reads_back_the_text(
    engram: Runner, root: Path, text: str
) -> None:
    shown = engram.save("rule", text)
    files = memories(root)
    assert len(files) == 1
    data = files[0].read_bytes()
    assert added(shown) == data
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")
    assert b"\r" not in data
    loaded = engram.json("load", "--id", files[0].stem)["data"]["text"]
    for line in text.splitlines():
        assert line.strip() in loaded
    assert "NOOP" in engram.ok("save", "rule", text), "what was saved is recognised"
    engram.ok("verify")


def test_windows_line_ends_become_plain_ones(engram: Runner, root: Path) -> None:
    shown = engram.save("rule", "First line\r\nsecond line\r\n")
    (file,) = memories(root)
    assert b"\r" not in file.read_bytes()
    assert added(shown) == file.read_bytes()
    assert "NOOP" in engram.ok("save", "rule", "First line\nsecond line")


@pytest.mark.parametrize(
    "title",
    ["Governance: x", "'type' is x", "- dash", "CON", "café", "Trailing #", "# Leading", "100% [sure] {now}", "yes",
     "2024-01-01", "用户身份", "x  #y", "a | b", '"quoted"', "@at", "*star*", "nul.txt", "e" * 300],
)  # fmt: skip
def test_a_title_comes_back_as_it_was_given(engram: Runner, root: Path, title: str) -> None:
    # K1
    engram.save("rule", "A text of its own.", "--title", title)
    listed = engram.json("list")["data"]["memories"]
    assert [memory["title"] for memory in listed] == [title]
    stem = memories(root)[0].stem
    assert len(stem) <= 80
    assert stem.upper() != "CON"
    engram.ok("show", stem)
    engram.ok("verify")


@pytest.mark.parametrize("title", ["!!!", "—", "🎉", "…"])
def test_a_title_of_marks_only_leaves_the_id_to_the_text(engram: Runner, root: Path, title: str) -> None:  # F10
    engram.save("rule", "🎉! Sign every tag; the mirror checks it.", "--title", title)
    engram.save("rule", "Pin the base image; latest moved twice.", "--title", title)
    assert [file.stem for file in memories(root)] == ["pin-the-base-image", "sign-every-tag"]
    assert f"# {title}\n" in (root / "rules" / "sign-every-tag.md").read_text(encoding="utf-8")


def test_titles_that_a_file_system_would_mix_up_get_a_file_each(engram: Runner, root: Path) -> None:
    # K1, F11
    nfc, nfd = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    for title, text in (
        ("Foo", "One thing."), ("foo", "Something else."), (nfc, "It opens at nine."), (nfd, "It closes at five."),
        ("用户身份", "身份要校验。"), ("用户权限", "权限要最小。"), ("Two\nlines", "About a title of two lines."),
    ):  # fmt: skip
        engram.save("knowledge", text, "--title", title)
    names = [unicodedata.normalize("NFC", file.name).casefold() for file in memories(root)]
    assert len(names) == len(set(names)) == 7
    assert "two-lines.md" in names
    assert "foo-2.md" in names
    assert len(engram.json("list")["data"]["memories"]) == 7


@pytest.mark.parametrize(
    ("answer", "note"), [("A\n", ""), ("a\n", ""), ("A", ""), ("  A  \n", ""), ("A\r\n", ""),
                         ("B only until May\n", "only until May"), ("b x", "x"), ("B  用户 \r\n", "用户")],
)  # fmt: skip
def test_a_and_b_accept(engram: Runner, root: Path, answer: str, note: str) -> None:
    done = engram.run("save", "rule", "Never push to main.", input=answer)
    assert done.returncode == 0, done.stderr
    (file,) = memories(root)
    assert str(file) in done.stdout
    text = file.read_text(encoding="utf-8")
    assert text.partition("## Human Note\n\n")[2] == (f"{note}\n" if note else "")
    assert changelog(root).endswith("rules/never-push-to-main.md: add rule: never-push-to-main (pipe)")


@pytest.mark.parametrize(
    "answer", ["C\n", "c", "", "\n\n", "yes\n", "B\n", "B   \n", "AA\n", "A yes\n", "approve\nC\nA\n", "C x\n"]
)
def test_everything_else_is_a_refusal_and_writes_nothing(engram: Runner, root: Path, answer: str) -> None:
    before = snapshot(root)
    done = engram.run("save", "rule", "Never push to main.", input=answer)
    assert done.returncode == 5
    assert "Nothing was saved" in done.stderr
    assert "Saved" not in done.stdout
    assert snapshot(root) == before


def test_another_word_asks_again(engram: Runner, root: Path) -> None:
    done = engram.run("save", "rule", "Never push to main.", input="yes\nB\n\nA\n")
    assert done.returncode == 0
    assert done.stderr.count(ASKED) == 4
    assert len(memories(root)) == 1


def wait_with_open_pipe(engram: Runner, data: bytes, seconds: str) -> tuple[int, str, float]:
    """Answer with ``data`` through a pipe that stays open; return exit code, error text and the seconds it took."""
    started = time.monotonic()
    with subprocess.Popen(
        [*engram.command, "save", "rule", "Never push to main."],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=engram.cwd,
        env={**engram.scratch.env, "ENGRAM_PIPE_TIMEOUT": seconds},
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(data)
        process.stdin.flush()
        code = process.wait(LIMIT_S)
        took = time.monotonic() - started
        return code, process.stderr.read().decode("utf-8"), took


@pytest.mark.parametrize("data", [b"", b"A", b"B half a no", b"what\n"])
def test_a_pipe_that_stays_open_and_silent_is_a_refusal(engram: Runner, root: Path, data: bytes) -> None:
    before = snapshot(root)
    code, said, _ = wait_with_open_pipe(engram, data, "0.3")
    assert code == 5
    assert "Nothing was saved" in said
    assert snapshot(root) == before


def test_an_answer_through_an_open_pipe_counts_at_once(engram: Runner, root: Path) -> None:
    code, _, _ = wait_with_open_pipe(engram, b"A\n", "10")
    assert code == 0
    assert len(memories(root)) == 1


@pytest.mark.slow
def test_the_time_for_a_pipe_can_only_be_shortened(engram: Runner, root: Path) -> None:
    code, _, took = wait_with_open_pipe(engram, b"", "3600")
    assert code == 5
    assert took < LIMIT_S


def test_a_flood_without_an_answer_is_a_refusal(engram: Runner, root: Path) -> None:
    done = engram.run("save", "rule", "Never push to main.", input="A" * 1_000_000)
    assert done.returncode == 5
    assert memories(root) == []


def test_at_a_terminal_the_way_is_terminal(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    asked = terminal("save", "rule", "Never push to main.", env={"NO_COLOR": "1"})
    asked.wait_for(ASKED)
    assert memories(root) == []
    asked.type("hm\n")
    asked.wait_for(ASKED, 2)
    asked.type("B only for now, 好\n")
    ended = asked.end()
    assert ended.code == 0, ended.text
    (file,) = memories(root)
    assert "only for now, 好" in file.read_text(encoding="utf-8")
    assert changelog(root).endswith("(terminal)")


def test_the_end_of_input_at_a_terminal_is_a_refusal(engram: Runner, root: Path, terminal: OpenTerminal) -> None:
    asked = terminal("save", "rule", "Never push to main.")
    asked.wait_for(ASKED)
    asked.type("\x04")
    ended = asked.end()
    assert ended.code == 5
    assert "the input ended without an answer" in ended.text
    assert "a pipe" not in ended.text
    assert memories(root) == []


def test_a_redirected_output_does_not_hide_what_is_asked(
    engram: Runner, root: Path, terminal: OpenTerminal, tmp_path: Path
) -> None:
    out = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    for extra in ((), ("--json",)):
        asked = terminal("save", "rule", "Never push to main.", *extra, out=out)
        asked.wait_for(ASKED)
        assert "- Never push to main." in asked.shown
        assert "Verdict: ADD" in asked.shown
        asked.type("C\n")
        assert asked.end().code == 5
    os.close(out)


@pytest.mark.parametrize("place", ["user", "workspace", "environment"])
def test_approval_at_a_terminal_only_refuses_pipes(
    engram: Runner, root: Path, terminal: OpenTerminal, place: str
) -> None:
    env = {}
    if place == "environment":
        env["ENGRAM_APPROVAL_TERMINAL"] = "tty"
    else:
        engram.ok("config", "set", "approval.terminal", "tty", *(["--global"] if place == "user" else []))
    done = engram.run("save", "rule", "Never push to main.", input="A\n", env=env)
    assert done.returncode == 5
    assert "approval.terminal" in done.stderr
    assert memories(root) == []
    asked = terminal("save", "rule", "Never push to main.", env=env)
    asked.wait_for(ASKED)
    asked.type("A\n")
    assert asked.end().code == 0
    assert changelog(root).endswith("(terminal)")


def asking(engram: Runner, *args: str) -> subprocess.Popen[bytes]:
    """Start a save that waits for its answer."""
    process = subprocess.Popen(
        [*engram.command, "save", *args],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=engram.cwd, env=engram.scratch.env,
    )  # fmt: skip
    assert process.stderr is not None
    seen = b""
    while ASKED.encode() not in seen:
        data = os.read(process.stderr.fileno(), 4096)
        assert data, seen
        seen += data
    return process


def test_memory_that_changed_while_the_question_waits_is_not_overwritten(engram: Runner, root: Path) -> None:
    engram.save("rule", "Deploy on Monday.")
    process = asking(engram, "rule", "Tell the team before.", "--update", "deploy-on-monday")
    engram.save("rule", "Or on Tuesday.", "--update", "deploy-on-monday")
    before = snapshot(root)
    _, errors = process.communicate(b"A\n", LIMIT_S)
    assert process.returncode == 4
    assert "Nothing was saved" in errors.decode()
    assert "changed after it was shown" in errors.decode()
    assert snapshot(root) == before


def test_a_file_that_was_edited_by_hand_while_the_question_waits_is_not_overwritten(engram: Runner, root: Path) -> None:
    engram.save("rule", "Deploy on Monday.")
    (file,) = memories(root)
    process = asking(engram, "rule", "Tell the team before.", "--update", "deploy-on-monday")
    file.write_bytes(file.read_bytes() + b"\nBy hand.\n")
    before = snapshot(root)
    _, errors = process.communicate(b"A\n", LIMIT_S)
    assert process.returncode not in (0, 130), errors
    assert b"Traceback" not in errors
    assert snapshot(root) == before


def test_the_same_text_saved_by_another_meanwhile_is_not_saved_twice(engram: Runner, root: Path) -> None:
    process = asking(engram, "rule", "Never push to main.")
    engram.save("rule", "never push to main")
    _, errors = process.communicate(b"A\n", LIMIT_S)
    assert process.returncode == 4, errors
    assert len(memories(root)) == 1


def test_an_unrelated_save_meanwhile_does_not_matter(engram: Runner, root: Path) -> None:
    process = asking(engram, "rule", "Never push to main.")
    engram.save("knowledge", "Prices are integers in cents.")
    process.communicate(b"A\n", LIMIT_S)
    assert process.returncode == 0
    assert len(memories(root)) == 2
    engram.ok("verify")


@pytest.mark.parametrize(
    ("stored", "again"),
    [
        ("Never push to main.", "Never push to main."),
        ("Never push to main.", "  NEVER  push\tto main  "),
        ("Never push to main.", "never push to main!"),
        (unicodedata.normalize("NFD", "Le café ouvre à neuf heures"), "Le café ouvre à neuf heures."),
        ("Le café ouvre à neuf heures", unicodedata.normalize("NFD", "LE CAFÉ OUVRE À NEUF HEURES")),
        ("用户身份必须校验。", "用户身份必须校验"),
        ("Straße", "STRASSE"),
        ("🚀 1 🚀", "🚀 1 🚀"),
        ("x!?", "x!?"),
    ],
)
def test_what_is_there_already_is_not_saved_again(engram: Runner, root: Path, stored: str, again: str) -> None:
    # I2, F20
    engram.save("rule", stored)
    before = snapshot(root)
    done = engram.run("save", "rule", again)
    assert done.returncode == 0, done.stderr
    assert f"Verdict: NOOP duplicate of {memories(root)[0].stem}" in done.stdout
    assert ASKED not in done.stderr
    assert snapshot(root) == before
    assert engram.json("save", "rule", again)["data"]["saved"] is False


def test_an_update_adds_to_the_memory_and_keeps_what_stood_there(engram: Runner, root: Path) -> None:
    engram.save("rule", "Use pnpm for every install.", "--triggers", "install")
    (file,) = memories(root)
    shown = engram.save("rule", "npm rewrites the lockfile.", "--update", "use-pnpm-for-every-install")
    assert "Verdict: UPDATE use-pnpm-for-every-install" in shown
    text = file.read_text(encoding="utf-8")
    assert "- Use pnpm for every install.\n- npm rewrites the lockfile." in text
    assert "revision: 2" in text
    assert changelog(root).endswith("update rule: use-pnpm-for-every-install (pipe)")
    removed = [line[1:] for line in shown.splitlines() if line.startswith("-") and not line.startswith("---")]
    assert all(line.startswith(("revision:", "updated:", "last_confirmed:")) for line in removed), removed


@pytest.mark.parametrize("index", ["of the disk", "of the process"])
def test_status_counts_what_counts_and_names_the_superseded_apart(engram: Runner, root: Path, index: str) -> None:  # I1
    engram.save("rule", "Deploy with the old pipeline.")
    engram.save("rule", "Deploy with the new pipeline.", "--supersedes", "deploy-with-the-old-pipeline")
    engram.save("rule", "Label every pull request.")
    if index == "of the process":
        shutil.rmtree(root / ".cache", ignore_errors=True)
        (root / ".cache").write_text("no folder", encoding="utf-8")
    said = "2 rules, 0 skills, 0 knowledge, 1 superseded"
    assert len(engram.json("list")["data"]["memories"]) == 2
    assert said in engram.ok("status")
    assert said in engram.ok()
    state = engram.json("status")["data"]["roots"][0]
    assert (state["rules"], state["superseded"]) == (2, 1)
    tool = waiting.mcp(engram, "engram_status")
    assert said in tool["content"][0]["text"]
    assert tool["structuredContent"]["data"]["roots"][0]["rules"] == 2


def test_a_superseded_memory_is_out_of_use_and_names_its_successor(engram: Runner, root: Path) -> None:
    # I1, F17
    engram.save("rule", "Deploy with the old pipeline.")
    shown = engram.save("rule", "Deploy with the new pipeline.", "--supersedes", "deploy-with-the-old-pipeline")
    assert "Verdict: SUPERSEDE deploy-with-the-old-pipeline" in shown
    old, new = "deploy-with-the-old-pipeline", "deploy-with-the-new-pipeline"
    loaded = engram.json("load", "deploy with the old pipeline")["data"]
    assert loaded["selected_keys"] == [new]
    assert "old pipeline" not in loaded["text"]
    by_id = engram.ok("load", "--id", old)
    assert "old pipeline" in by_id
    assert f"superseded by {new}" in by_id.splitlines()[0]
    assert old not in engram.ok("list")
    assert f"superseded by {new}" in engram.ok("list", "--all")
    assert f"superseded by {new}" in engram.run("show", old).stderr
    text = (root / "rules" / f"{old}.md").read_text(encoding="utf-8")
    assert "lifecycle: superseded" in text
    assert f"superseded_by: {new}" in text
    engram.ok("verify")
    for option in ("--update", "--supersedes"):
        again = engram.run("save", "rule", "Another way.", option, old, input="A\n")
        assert again.returncode == 2
        assert new in again.stderr
    assert "ADD" in engram.save("rule", "Deploy with the old pipeline."), "it is no duplicate of what is out of use"


def test_targets_that_cannot_be_changed_are_refused_before_anything_is_asked(
    engram: Runner, root: Path, global_root: Path
) -> None:
    engram.save("rule", "Never push to main.")
    engram.save("rule", "Use pnpm for every install.")
    engram.save("rule", "Write commits in English.", "--scope", "global")
    engram.ok("archive", "use-pnpm-for-every-install", "--reason", "we use bun")
    before, before_global = snapshot(root), snapshot(global_root)
    for target, code, said in (
        ("never-push-to-man", 7, "never-push-to-main"), ("use-pnpm-for-every-install", 7, "archived"),
        ("write-commits-in-english", 7, ""), ("global/write-commits-in-english", 7, "--scope global"),
        ("global/nowhere", 7, "no memory nowhere in global memory"),
    ):  # fmt: skip
        for option in ("--update", "--supersedes"):
            done = engram.run("save", "rule", "And something more.", option, target, input="A\n")
            assert done.returncode == code, done.stderr
            assert said in done.stderr
            assert ASKED not in done.stderr
    both = ("--update", "never-push-to-main", "--supersedes", "never-push-to-main")
    assert engram.run("save", "rule", "x", *both, input="A\n").returncode == 2
    assert engram.run("save", "skill", "x", "--update", "never-push-to-main", input="A\n").returncode == 2
    assert snapshot(root) == before
    assert snapshot(global_root) == before_global


@pytest.mark.parametrize("text", [".", "!!!", "🎉 🎉", "— ·", "\u3164"])
def test_a_text_of_marks_only_is_refused(engram: Runner, root: Path, text: str) -> None:  # F10: no id can be made of it
    before = snapshot(root)
    for call in (("save", "rule", text), ("note", text)):
        done = engram.run(*call, input="A\n")
        assert done.returncode == 2, done.stdout
        assert "no letter and no digit" in done.stderr
    forced = engram.run("save-session", "--force", "--file", "-", input=f"TYPE: rule | TEXT: Bake.\nTEXT: {text}\n")
    assert forced.returncode == 2, forced.stdout
    assert "Candidate 2: " in forced.stderr
    assert snapshot(root) == before


def test_scopes_go_where_they_say(engram: Runner, root: Path, global_root: Path) -> None:
    engram.save("rule", "Write commits in English.", "--scope", "global")
    assert memories(root) == []
    assert [file.name for file in memories(global_root)] == ["write-commits-in-english.md"]
    shown = engram.save("rule", "Write commits in English.", "--scope", "both")
    assert "Verdict: ADD" in shown
    assert "Verdict: NOOP duplicate of write-commits-in-english" in shown
    assert len(memories(root)) == len(memories(global_root)) == 1
    engram.ok("config", "set", "scope", "both")
    engram.save("rule", "Test before a merge.")
    assert len(memories(root)) == len(memories(global_root)) == 2
    assert engram.run("save", "rule", "x", "--scope", "all", input="A\n").returncode == 2


def test_a_scope_that_fails_after_another_was_written_is_said_with_its_exit_code(
    engram: Runner, root: Path, global_root: Path
) -> None:
    # B1: never "saved" for what was not
    process = asking(engram, "rule", "Never push to main.", "--scope", "both", "--json")
    engram.save("rule", "Never push to main.", "--scope", "global")
    out, _ = process.communicate(b"A\n", LIMIT_S)
    assert process.returncode == 4
    assert len(memories(root)) == 1
    assert len(memories(global_root)) == 1
    text = out.decode("utf-8")
    assert '"ok": false' in text
    assert text.count('"saved": true') == 2, "the whole, and the workspace"
    assert "changed after it was shown" in text


def test_without_a_global_memory_its_scope_is_not_found(engram: Runner, root: Path) -> None:
    for scope in ("global", "both"):
        done = engram.run("save", "rule", "Never push to main.", "--scope", scope, input="A\n")
        assert done.returncode == 7
        assert "engram inject --global-path" in done.stderr
    assert memories(root) == []


def test_a_role_is_for_those_who_have_it(engram: Runner, root: Path) -> None:
    # F21 roles
    engram.save("rule", "Review migrations twice.", "--role", "reviewer, lead")
    assert engram.json("load", "review migrations")["data"]["selected_keys"] == ["review-migrations-twice"]
    engram.ok("config", "set", "roles", "writer")
    assert engram.json("load", "review migrations")["data"]["selected_keys"] == []
    engram.ok("config", "set", "roles", "writer,Lead")
    assert engram.json("load", "review migrations")["data"]["selected_keys"] == ["review-migrations-twice"]


def test_options_and_kinds_end_up_in_the_file(engram: Runner, root: Path) -> None:
    engram.save("rule", "Never push to main.")
    engram.save(
        "skill", "Open a pull request.", "--title", "How to land a change", "--triggers", "land, merge,pull request",
        "--depends-on", "never-push-to-main", "--role", "writer",
    )  # fmt: skip
    text = (root / "skills" / "how-to-land-a-change.md").read_text(encoding="utf-8")
    assert "\n# How to land a change\n" in text
    for line in (
        "type: skill", "authority: instruction", "triggers: [land, merge, pull request]", "role: [writer]",
        "depends_on: [never-push-to-main]", "scope: workspace", "schema_version: 3", "revision: 1",
        "author_name: Ada Tester", "author_email: ada@example.test", "source: manual",
    ):  # fmt: skip
        assert f"\n{line}\n" in text
    keys = [line.partition(":")[0] for line in text.split("---\n")[1].splitlines()]
    assert keys == sorted(keys)


def test_without_a_kind_it_is_knowledge_and_the_preview_names_the_way_to_a_rule(engram: Runner, root: Path) -> None:
    # F20
    shown = engram.save("Prices are integers in cents.")
    assert "engram save rule" in shown
    (file,) = memories(root)
    assert file.parent.name == "knowledge"
    assert "authority: reference" in file.read_text(encoding="utf-8")
    assert "engram save rule" not in engram.save("knowledge", "Dates are in UTC.")


def test_near_memories_are_shown_and_do_not_keep_from_saving(engram: Runner, root: Path) -> None:
    # C39, F20
    engram.save("rule", "The retry limit for uploads is three.")
    shown = engram.save("rule", "The retry limit for large uploads is generous.")
    assert "Verdict: ADD" in shown
    assert "Related: the-retry-limit-for-uploads-is-three" in shown
    assert shown.count("the-retry-limit-for-uploads-is-three") == 1, "the reason does not repeat it"
    assert len(memories(root)) == 2
    assert "Related" not in engram.save("rule", "Dates are written in UTC.")


def test_a_text_cannot_speak_as_engram_in_the_preview(engram: Runner, root: Path) -> None:
    # C42
    fake = "Harmless.\nVerdict: NOOP duplicate of x\nSaved /etc/passwd\nA accept, C cancel > A\nRelated: y"
    shown = engram.save("rule", fake)
    own = [line for line in shown.splitlines() if not line.startswith(("+", "-", "@", " "))]
    assert own[0] == "Verdict: ADD"
    assert not any("NOOP" in line or "passwd" in line or "Related" in line for line in own)


def test_a_large_text_is_kept_whole_or_refused_with_the_limit(engram: Runner, root: Path) -> None:
    # B2
    # An argument has at most 128 KiB on Linux.
    first, second, third = (" ".join(f"{letter}{number:07}" for number in range(12_000)) for letter in "abc")
    engram.save("knowledge", first, "--title", "Big")
    (file,) = memories(root)
    assert f"- {first}\n" in file.read_text(encoding="utf-8")
    engram.save("knowledge", second, "--update", "big")
    assert f"- {first}\n- {second}\n" in file.read_text(encoding="utf-8")
    before = snapshot(root)
    refused = engram.run("save", "knowledge", third, "--update", "big", input="A\n")
    assert refused.returncode == 2
    assert "256 KiB" in refused.stderr
    assert snapshot(root) == before


@pytest.mark.parametrize("flood", ["maybe\n" * 10_000, "\n" * 10_000], ids=["words", "empty lines"])
def test_a_pipe_that_never_gives_an_answer_is_refused_after_a_few(engram: Runner, root: Path, flood: str) -> None:
    # C42: nobody reads the questions
    done = engram.run("save", "rule", "Never push to main.", input=flood)
    assert done.returncode == 5
    assert done.stderr.count("A accept") == 5
    assert "none of 5 lines from the pipe is an answer" in done.stderr
    assert memories(root) == []


def test_several_candidates_are_told_what_to_do(engram: Runner, root: Path) -> None:
    done = engram.run("save", "TYPE: rule | TEXT: One.\nTYPE: rule | TEXT: Two.")
    assert done.returncode == 2
    assert "Run engram save once for each" in done.stderr


def test_json_tells_the_verdict_its_target_and_the_line(engram: Runner, root: Path) -> None:
    added = engram.json("save", "rule", "Never push to main.", input="A\n")["data"]["outcomes"][0]
    assert (added["verdict"], added["target"], added["line"]) == ("ADD", "", "Verdict: ADD")
    again = engram.json("save", "rule", "Never push to main.")["data"]["outcomes"][0]
    assert (again["verdict"], again["target"]) == ("NOOP", "never-push-to-main")
    assert again["line"] == "Verdict: NOOP duplicate of never-push-to-main"


def test_what_is_saved_in_a_foreign_root_is_said_to_stay_foreign(engram: Runner, legacy_root: Path) -> None:  # F18
    done = engram.run("save", "rule", "Never push to main.", input="A\n")
    assert done.returncode == 0
    assert "stays foreign" in done.stderr
    assert "engram trust" in done.stderr
    done = engram.run("save", "rule", "Never push to next.", input="A\n", env={"ENGRAM_TRUST": "1"})
    assert "foreign" not in done.stderr
