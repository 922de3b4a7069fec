"""`engram edit`: the person's editor, the diff, one question, a durable write, and nothing on any other way."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Ended, OpenTerminal
    from tests.conftest import Runner

ID = "use-pnpm-for-every-install"
PLAIN = {"NO_COLOR": "1"}


@pytest.fixture
def rule(engram: Runner, root: Path) -> Path:
    """Save a rule; return its file."""
    engram.save("rule", "Use pnpm for every install; npm rewrites the lockfile.")
    return root / "rules" / f"{ID}.md"


def editor(engram: Runner, code: str) -> dict[str, str]:
    """Return an environment whose editor runs ``code`` on ``data``, the bytes of the file, each time it is opened."""
    path = engram.scratch.home / "editor.py"
    path.write_text(
        "import os, sys\n"
        "path = sys.argv[1]\n"
        "data = open(path, 'rb').read()\n"
        "again = os.path.exists(sys.argv[0] + '.opened')\n"
        "open(sys.argv[0] + '.opened', 'w', encoding='utf-8').close()\n"
        f"{code}\n"
        "open(path, 'wb').write(data)\n",
        encoding="utf-8",
        newline="\n",
    )
    return {**PLAIN, "EDITOR": f'"{sys.executable}" "{path}"'}


def edit(terminal: OpenTerminal, env: dict[str, str], *answers: str) -> Ended:
    asked = terminal("edit", ID, env=env)
    for number, text in enumerate(answers, start=1):
        asked.wait_for(" > ", number)
        asked.type(f"{text}\n")
    return asked.end()


def state(root: Path) -> dict[str, bytes]:
    """Return every file that an edit may change."""
    return {str(path): path.read_bytes() for path in (*root.rglob("*.md"), root / "SHA256SUMS")}


def test_an_accepted_edit_counts_the_revision_on_and_stands_in_ledger_and_changelog(
    engram: Runner, root: Path, rule: Path, terminal: OpenTerminal
) -> None:
    env = editor(engram, "data = data.replace(b'rewrites', b'breaks').replace(b'\\n', b'\\r\\n')")
    ended = edit(terminal, env, "A")
    assert ended.code == 0
    assert f"rules/{ID}.md (revision 2, " in ended.text
    assert "\n-- Use pnpm for every install; npm rewrites the lockfile.\n" in ended.text
    assert "\n+- Use pnpm for every install; npm breaks the lockfile.\n" in ended.text
    data = rule.read_bytes()
    assert b"revision: 2\n" in data
    assert b"\r" not in data
    assert engram.run("verify").returncode == 0
    last = (root / "changelog.md").read_text(encoding="utf-8").splitlines()[-1]
    assert last.endswith(f"rules/{ID}.md: edit rule: {ID} (terminal)")
    assert not list(engram.scratch.config.glob("edit-*"))
    assert "breaks the lockfile" in engram.ok("load", "install a package")


@pytest.mark.parametrize(
    "case",
    [
        ("sys.exit(1)", (), "ended with status 1, so nothing was changed"),
        ("os.remove(path); sys.exit(0)", (), "left no file"),
        ("pass", (), "Nothing was changed."),
        ("data = data.replace(b'every install; npm', b'each install; npm')", ("C",), "Nothing was changed."),
        ("data = data.replace(b'every install; npm', b'each install; npm')", ("x", "\x04"), "Nothing was changed."),
        ("data = b''", ("C",), "the file is empty"),
        ("data = b'# no frontmatter'", ("C",), "there is no frontmatter: the first line is not --- (line 1)"),
        ("data = data.replace(b'revision: 1', b'revision: one')", ("C",), "must be a number from 1 (line 9)"),
        ("data = data.replace(b'type: rule', b'type: skill')", ("C",), "the type of a memory stays"),
        ("data = data.replace(b'id: use', b'id: abuse')", ("C",), "the id of a memory stays"),
        ("data = data.replace(b'scope: workspace', b'scope: global')", ("C",), "the folder decides"),
        ("data = data.replace(b'schema_version: 3', b'schema_version: 9')", ("C",), "the format of a file stays"),
        ("data = data.partition(b'## Content')[0]", ("C",), "without content"),
        ("data += bytes([255])", ("C",), "is no valid UTF-8"),
        ("data += b'x' * 300_000", ("C",), "at most 262,144"),
        ("data += b'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'", ("C",), "nothing was saved: line 24 holds"),
    ],
)  # fmt: skip
def test_nothing_changes_when_the_edit_fails_is_cancelled_or_is_no_memory(
    engram: Runner, root: Path, rule: Path, terminal: OpenTerminal, case: tuple[str, tuple[str, ...], str]
) -> None:
    code, answers, said = case
    before = state(root)
    ended = edit(terminal, editor(engram, code), *answers)
    assert said in ended.text
    assert state(root) == before
    assert not list(engram.scratch.config.glob("edit-*"))


def test_a_text_that_cannot_be_read_is_edited_again(engram: Runner, rule: Path, terminal: OpenTerminal) -> None:
    env = editor(
        engram, "data = data.replace(b'---', b'===', 1) if not again else data.replace(b'===', b'---', 1) + b'Yes.'"
    )
    ended = edit(terminal, env, "E", "A")
    assert ended.code == 0
    assert rule.read_bytes().endswith(b"Yes.\n")


def test_a_scope_that_the_file_says_wrongly_can_be_put_right(
    engram: Runner, rule: Path, terminal: OpenTerminal
) -> None:
    wrong = rule.read_bytes().replace(b"scope: workspace", b"scope: global")
    rule.write_bytes(wrong)
    asked = terminal("verify", "--review")
    asked.wait_for("Q quit > ")
    asked.type("A\n")
    asked.end()
    ended = edit(terminal, editor(engram, "data = data.replace(b'scope: global', b'scope: workspace')"), "A")
    assert ended.code == 0
    assert b"scope: workspace" in rule.read_bytes()


def test_a_validity_that_is_no_day_is_not_written(
    engram: Runner, root: Path, rule: Path, terminal: OpenTerminal
) -> None:  # F6
    before = state(root)
    ended = edit(terminal, editor(engram, "data = data.replace(b'type: rule', b'type: rule\\nvalid_until: soon')"), "C")
    assert "`valid_until` is 'soon': write a day as YYYY-MM-DD" in ended.text
    assert state(root) == before


def test_personal_data_is_redacted_and_it_is_said(engram: Runner, rule: Path, terminal: OpenTerminal) -> None:
    ended = edit(terminal, editor(engram, "data += b'Call 4111 1111 1111 1111.'"), "A")
    assert "Redacted: " in ended.text
    assert b"4111" not in rule.read_bytes()
    assert b"[redacted: personal/" in rule.read_bytes()


def test_what_changed_meanwhile_is_not_overwritten_and_the_text_is_kept(
    engram: Runner, root: Path, rule: Path, terminal: OpenTerminal
) -> None:
    asked = terminal("edit", ID, env=editor(engram, "data = data.replace(b'every install; npm', b'each install; npm')"))
    asked.wait_for(" > ")
    engram.save("rule", "Use pnpm for every install; CI checks.", "--update", ID)
    before = state(root)
    asked.type("A\n")
    ended = asked.end()
    assert ended.code == 1
    assert "changed" in ended.text
    assert state(root) == before
    (kept,) = engram.scratch.config.glob("edit-*/*.md")
    assert "each install" in kept.read_text(encoding="utf-8")
    assert str(kept) in ended.text


@pytest.mark.parametrize(
    "env", [{"EDITOR": "", "VISUAL": ""}, {"EDITOR": "no-such-editor-anywhere"}, {"EDITOR": "a 'b"}]
)
def test_an_editor_that_is_not_there_is_said(
    engram: Runner, root: Path, rule: Path, terminal: OpenTerminal, env: dict[str, str]
) -> None:
    before = state(root)
    ended = edit(terminal, {**PLAIN, **env})
    assert ended.code in {1, 2}
    assert "ditor" in ended.text
    assert "Traceback" not in ended.text
    assert state(root) == before


def test_without_a_terminal_no_editor_opens(engram: Runner, root: Path, rule: Path) -> None:
    before = state(root)
    done = engram.run("edit", ID, input="A\n", env=editor(engram, "data += b'x'"))
    assert done.returncode == 5
    assert state(root) == before
    assert not (engram.scratch.home / "editor.py.opened").exists()


def test_a_file_that_is_not_as_approved_is_reviewed_first(engram: Runner, rule: Path, terminal: OpenTerminal) -> None:
    rule.write_bytes(rule.read_bytes() + b"more\n")
    ended = edit(terminal, editor(engram, "data += b'x'"))
    assert ended.code == 4
    assert "engram verify --review" in ended.text


def test_an_older_schema_keeps_its_keys_and_its_line_ends(
    engram: Runner, legacy_root: Path, terminal: OpenTerminal
) -> None:  # F7
    path = next(path for path in legacy_root.glob("*/*.md") if b"\r\n" in path.read_bytes())
    code = "data = data.rstrip() + b'\\r\\n\\r\\nMore of it.\\r\\n'"
    asked = terminal("edit", path.stem, env=editor(engram, code))
    asked.wait_for(" > ")
    asked.type("A\n")
    assert asked.end().code == 0
    data = path.read_bytes()
    assert data.replace(b"\r\n", b"").count(b"\n") == 0
    assert b"revision" not in data
    assert b"More of it.\r\n" in data


def test_json_holds_the_receipt_and_the_screen_goes_beside_it(
    engram: Runner, rule: Path, terminal: OpenTerminal
) -> None:
    asked = terminal(
        "edit", ID, "--json", env=editor(engram, "data = data.replace(b'every install; npm', b'each install; npm')")
    )
    asked.wait_for(" > ")
    asked.type("A\n")
    ended = asked.end()
    assert '"changed": true' in ended.text
    assert '"sha256": "' in ended.text
