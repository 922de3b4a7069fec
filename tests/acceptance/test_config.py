"""``engram config`` and ``engram author``: what counts, from where, and files that keep their comments (F21, F6a)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner, Scratch

COMMENTED = """\
// mine
{
  "scope": "workspace", // where
  /* later */ "unknown_key": {"kept": [1, 2]},
  "load": { "limit": 4, }, // few
}
"""


def write(root: Path, text: str) -> Path:
    """Write a workspace's configuration file."""
    file = root / "engram.config.json"
    file.write_text(text, encoding="utf-8", newline="\n")
    return file


def effective(engram: Runner, **env: str) -> dict[str, Any]:
    """Return every key's value that counts."""
    data = engram.json("config", "view", env=env)["data"]
    return {entry["name"]: entry["value"] for entry in data["settings"]}


def test_view_shows_every_key_with_its_default(engram: Runner, root: Path) -> None:
    assert effective(engram) == {
        "scope": "workspace", "read": "auto", "global_path": "", "roles": [], "rule_variant": "balanced",
        "load.limit": 8, "load.max_tokens": 1600, "load.working_ttl_days": 14, "mcp.resource_limit": 20,
        "mcp.dialog_timeout": 60, "approval.terminal": "any", "trust.mode": "normal",
        "hosts.codex.approval_mode": "approve", "ignore.patterns": [], "safety.secret": "block",
        "safety.personal": "redact", "safety.instruction": "block", "safety.hidden": "block",
        "safety.personal.email": "allow", "lock.timeout": 10,
    }  # fmt: skip
    shown = engram.ok("config")
    assert all(f"{name} " in shown for name in effective(engram))
    assert shown == engram.ok("config", "view")


def test_set_get_and_unset_keep_comments_and_unknown_keys(engram: Runner, root: Path) -> None:
    file = write(root, COMMENTED)
    assert engram.ok("config", "get", "load.limit") == "4\n"
    engram.ok("config", "set", "load.limit", "6")
    assert file.read_text(encoding="utf-8") == COMMENTED.replace('"limit": 4', '"limit": 6')
    engram.ok("config", "set", "load.max_tokens", "900")
    engram.ok("config", "set", "roles", "writer, lead")
    text = file.read_text(encoding="utf-8")
    for comment in ("// mine", "// where", "/* later */", "// few", '"unknown_key": {"kept": [1, 2]}'):
        assert comment in text
    assert engram.ok("config", "get", "roles") == "writer, lead\n"
    assert effective(engram)["load.max_tokens"] == 900
    engram.ok("config", "unset", "roles")
    engram.ok("config", "unset", "load.max_tokens")
    engram.ok("config", "set", "load.limit", "4")
    assert file.read_text(encoding="utf-8") == COMMENTED
    assert "unknown_key" in engram.ok("config", "view")


def test_what_changes_nothing_writes_nothing(engram: Runner, root: Path) -> None:
    file = write(root, COMMENTED)
    before = (root / "changelog.md").read_bytes()
    assert "already" in engram.ok("config", "set", "load.limit", "4")
    assert "is not set" in engram.ok("config", "unset", "read")
    assert file.read_text(encoding="utf-8") == COMMENTED
    assert (root / "changelog.md").read_bytes() == before


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("load.limit", "33", "1 to 32"), ("load.limit", "0", "1 to 32"), ("load.limit", "many", "1 to 32"),
        ("load.limit", "8.0", "1 to 32"), ("load.max_tokens", "199", "200 to 16000"), ("lock.timeout", "", "1 to 120"),
        ("read", "Auto", "auto, startup, always, manual, off"), ("scope", "all", "workspace, global, both"),
        ("safety.secret", "ignore", "block, redact, allow"), ("safety.secret.jwt", "x", "block, redact, allow"),
        ("roles", '["a", 1]', "a list of texts"), ("mcp.dialog_timeout", "601", "1 to 600"),
        ("mcp.dialog_timeout", "-1", "1 to 600"), ("load.limit", "-2.5", "1 to 32"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_allowed_is_named_with_its_key_and_what_is(
    engram: Runner, root: Path, key: str, value: str, allowed: str
) -> None:
    file = root / "engram.config.json"
    before = file.read_bytes()
    envelope = engram.json("config", "set", key, value)
    assert envelope["error"]["code"] == "config"
    message = envelope["error"]["message"]
    assert key in message
    assert allowed in message
    assert value.strip('[]"') in message
    assert engram.run("config", "set", key, value).returncode == 3
    assert file.read_bytes() == before


def test_an_unknown_key_gets_a_guess_and_is_not_written(engram: Runner, root: Path) -> None:
    for action in (("get", "load.limt"), ("set", "load.limt", "6"), ("unset", "load.limt")):
        done = engram.run("config", *action)
        assert done.returncode == 2
        assert "load.limit" in done.stderr
    assert "load.limit, load.max_tokens" in engram.run("config", "get", "load").stderr
    assert "limt" not in (root / "engram.config.json").read_text(encoding="utf-8")


def test_the_environment_is_above_the_files(engram: Runner, root: Path, tmp_path: Path) -> None:
    engram.ok("config", "set", "load.limit", "6")
    env = {
        "ENGRAM_LOAD_LIMIT": "3", "ENGRAM_ROLES": "a,b", "ENGRAM_SAFETY_SECRET_JWT": "redact",
        "ENGRAM_GLOBAL_DIR": str(tmp_path),
    }  # fmt: skip
    found = effective(engram, **env)
    assert found["load.limit"] == 3
    assert found["roles"] == ["a", "b"]
    assert found["safety.secret.jwt"] == "redact"
    assert found["global_path"] == str(tmp_path)
    assert "ENGRAM_LOAD_LIMIT" in engram.ok("config", "view", env=env)
    assert effective(engram, ENGRAM_LOAD_LIMIT="")["load.limit"] == 6
    wrong = engram.run("list", env={"ENGRAM_LOAD_LIMIT": "99"})
    assert wrong.returncode == 3
    assert "ENGRAM_LOAD_LIMIT" in wrong.stderr
    assert "1 to 32" in wrong.stderr


def test_the_workspace_lies_above_the_global_memory_and_that_above_the_user(
    engram: Runner, root: Path, global_root: Path
) -> None:
    engram.ok("config", "set", "load.limit", "3", "--global")
    assert effective(engram)["load.limit"] == 3
    assert '"limit": 3' in (engram.scratch.config / "engram.config.json").read_text(encoding="utf-8")
    write(global_root, '{"load": {"limit": 4}}')
    assert effective(engram)["load.limit"] == 4
    engram.ok("config", "set", "load.limit", "5")
    assert effective(engram)["load.limit"] == 5


def not_counted(engram: Runner) -> dict[str, str]:
    """Return the keys that stand in a file and do not count, with the reason."""
    data = engram.json("config", "view")["data"]["not_counted"]
    return {item["key"]: item["reason"] for item in data}


def test_a_clone_cannot_loosen_what_the_user_chose(engram: Runner, root: Path, tmp_path: Path) -> None:
    # F21: a workspace file may come with a clone
    engram.ok("trust", "--revoke")
    engram.ok("config", "set", "approval.terminal", "tty", "--global")
    engram.ok("config", "set", "trust.mode", "strict", "--global")
    engram.ok("config", "set", "hosts.codex.approval_mode", "prompt", "--global")
    loose = {
        "approval.terminal": "any", "trust.mode": "normal", "hosts.codex.approval_mode": "approve",
        "safety.secret": "allow", "safety.personal": "allow", "safety.instruction": "allow", "safety.hidden": "redact",
        "safety.secret.jwt": "allow", "global_path": str(tmp_path / "evil"),
    }  # fmt: skip
    write(root, json.dumps(loose))
    found = effective(engram)
    assert found["approval.terminal"] == "tty"
    assert found["trust.mode"] == "strict"
    assert found["hosts.codex.approval_mode"] == "prompt"
    assert found["global_path"] == ""
    assert (found["safety.secret"], found["safety.instruction"]) == ("block", "block")
    assert (found["safety.personal"], found["safety.hidden"]) == ("redact", "block")
    reasons = not_counted(engram)
    assert set(reasons) == set(loose)
    assert "engram trust" in reasons["safety.personal"]
    shown = engram.ok("config", "view")
    assert shown.count("Not counted: ") == len(loose)
    assert "does not count" in engram.run("status").stderr


def test_a_trusted_workspace_may_loosen_safety_but_never_for_secrets(engram: Runner, root: Path) -> None:
    write(root, json.dumps({"safety": {"secret": "allow", "personal": "allow", "hidden": "redact"}}))
    found = effective(engram)
    assert (found["safety.secret"], found["safety.personal"], found["safety.hidden"]) == ("block", "allow", "redact")
    assert set(not_counted(engram)) == {"safety.secret"}


def test_a_workspace_may_be_stricter(engram: Runner, root: Path) -> None:
    engram.ok("trust", "--revoke")
    strict = {"approval.terminal": "tty", "trust.mode": "strict", "safety.personal": "block", "load.limit": 2}
    write(root, json.dumps(strict))
    found = effective(engram)
    assert {key: found[key] for key in strict} == strict
    assert not_counted(engram) == {}


def test_the_global_path_is_no_setting_of_a_workspace(engram: Runner, root: Path, tmp_path: Path) -> None:
    done = engram.run("config", "set", "global_path", str(tmp_path))
    assert done.returncode == 2
    assert "--global" in done.stderr
    engram.ok("config", "set", "global_path", str(tmp_path / "none"), "--global")
    listed = engram.run("list")
    assert listed.returncode == 0
    assert "does not exist" in listed.stderr


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n  "scope": "workspace"\n  "read": "auto"\n}\n', 3, 3),
        ('{\n  "read": auto\n}\n', 2, 11),
        ("", 1, 1),
        ("[1]", 1, 1),
        ('{"read": "auto"', 1, 16),
    ],
)
def test_a_file_that_is_no_json_is_named_with_line_and_column_and_left_alone(
    engram: Runner, root: Path, text: str, line: int, column: int
) -> None:
    file = write(root, text)
    for args in (
        ("list",), ("load", "x"), ("config", "view"), ("config", "set", "load.limit", "6"),
        ("config", "unset", "read"), ("save", "rule", "Never push."), (),
    ):  # fmt: skip
        done = engram.run(*args, input="A\n")
        assert done.returncode == 3, (args, done.stdout, done.stderr)
        assert f"line {line}, column {column}" in done.stderr
        assert str(file) in done.stderr
    assert file.read_text(encoding="utf-8") == text
    error = engram.json("list")["error"]
    assert (error["line"], error["path"]) == (line, str(file))
    assert list((root / "rules").iterdir()) == []


def test_a_wrong_value_in_a_file_is_named_with_its_line(engram: Runner, root: Path) -> None:
    file = write(root, '{\n  "load": {\n    "limit": "8"\n  }\n}\n')
    done = engram.run("list")
    assert done.returncode == 3
    for part in ("load.limit", '"8"', "1 to 32", str(file), "line 3"):
        assert part in done.stderr
    write(root, '{"read": "auto",\n "read": "off"}')
    assert engram.run("list").returncode == 3
    file.write_bytes(b'{"scope": "\xff"}')
    broken = engram.run("list")
    assert broken.returncode == 3
    assert "line 1, column 12" in broken.stderr


def test_the_author_is_the_first_that_somebody_named(engram: Runner, root: Path) -> None:
    # F6a
    env = {"ENGRAM_AUTHOR_NAME": "Env", "ENGRAM_AUTHOR_EMAIL": "env@example.test"}
    assert engram.ok("author", "show") == "Ada Tester <ada@example.test> (git)\n"
    engram.ok("author", "set", "All", "all@example.test", "--global")
    assert engram.ok("author") == "All <all@example.test> (all)\n"
    engram.ok("author", "set", "Here", "here@example.test")
    assert engram.ok("author") == "Here <here@example.test> (root)\n"
    assert engram.ok("author", env=env) == "Env <env@example.test> (environment)\n"
    assert engram.ok("author", env={"ENGRAM_AUTHOR_NAME": "Half"}) == "Here <here@example.test> (root)\n"
    engram.save("rule", "Never push to main.")
    text = (root / "rules" / "never-push-to-main.md").read_text(encoding="utf-8")
    assert "author_name: Here\n" in text
    assert not [file for file in root.rglob("*.json") if "here@" in file.read_text(encoding="utf-8")]


def test_without_an_author_the_account_saves_and_is_told_once(engram: Runner, root: Path) -> None:
    # F6a: nobody is kept from a first save
    done = engram.run("save", "rule", "Never push to main.", input="A\n", env={"GIT_CONFIG_GLOBAL": "/dev/null"})
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("engram author set") == 1
    text = (root / "rules" / "never-push-to-main.md").read_text(encoding="utf-8")
    assert 'author_email: ""\n' in text


def test_an_author_that_is_none_is_refused(engram: Runner, root: Path) -> None:
    for name, email in (("", "a@b.example"), ("Ada", ""), ("A\nB", "a@b.example"), ("Ada", "<a@b.example>")):
        assert engram.run("author", "set", name, email).returncode == 2
    assert engram.run("author", "set", "Ada").returncode == 2
    assert engram.ok("author") == "Ada Tester <ada@example.test> (git)\n"


def test_config_set_mends_the_value_that_stands_in_the_way(engram: Runner, root: Path) -> None:
    (root / "engram.config.json").write_text('{"load": {"limit": 99} /* too many */}', encoding="utf-8")
    assert engram.run("list").returncode == 3
    engram.ok("config", "set", "load.limit", "9")
    assert (root / "engram.config.json").read_text(encoding="utf-8") == '{"load": {"limit": 9} /* too many */}'
    assert engram.ok("config", "get", "load.limit") == "9\n"


def test_a_value_that_is_set_beside_one_that_is_wrong_is_said_to_be_written(engram: Runner, root: Path) -> None:
    # B: no failure is claimed of what was done either; both can only be mended one after the other
    file = root / "engram.config.json"
    file.write_text('{"load": {"limit": -1}, "scope": "nowhere"}', encoding="utf-8")
    first = engram.run("config", "set", "load.limit", "5")
    assert first.returncode == 0, first.stderr
    assert "load.limit = 5" in first.stdout
    assert "counts once this is mended" in first.stderr
    assert "scope" in first.stderr
    second = engram.run("config", "set", "scope", "both")
    assert (second.returncode, second.stderr) == (0, "")
    assert json.loads(file.read_text(encoding="utf-8")) == {"load": {"limit": 5}, "scope": "both"}


def test_a_value_that_will_not_count_is_said_when_it_is_set(engram: Runner, root: Path) -> None:  # F21
    engram.ok("config", "set", "approval.terminal", "tty", "--global")
    done = engram.run("config", "set", "approval.terminal", "any")
    assert done.returncode == 0
    assert "does not count" in done.stderr
    assert str(root) in done.stderr


def test_a_value_that_does_not_count_is_said_also_when_it_is_there_already(engram: Runner, root: Path) -> None:  # F21
    engram.ok("config", "set", "approval.terminal", "tty", "--global")
    for expected in ("approval.terminal = any", "approval.terminal is any already"):
        done = engram.run("config", "set", "approval.terminal", "any")
        assert expected in done.stdout
        assert "does not count" in done.stderr


@pytest.mark.parametrize("key", ["roles", "ignore.patterns", "global_path"])
def test_an_empty_value_is_shown_as_one(engram: Runner, root: Path, key: str) -> None:  # F21
    done = engram.ok("config", "set", key, "", "--global")
    assert done.startswith(f"{key} = (none) in ")
    assert engram.ok("config", "set", key, "", "--global").startswith(f"{key} is (none) already in ")
    assert engram.ok("config", "get", key) == "(none)\n"


def test_a_value_is_shown_as_it_is_understood(engram: Runner, root: Path) -> None:
    assert engram.ok("config", "set", "roles", "a, b ,,c").startswith("roles = a, b, c in ")
    assert engram.ok("config", "get", "roles") == "a, b, c\n"


def test_a_folder_is_meant_from_where_it_is_typed(engram: Runner, root: Path, scratch: Scratch) -> None:  # F21
    (engram.cwd / "sub").mkdir()
    engram.ok("config", "set", "global_path", "../everywhere", "--global", cwd=engram.cwd / "sub")
    assert engram.ok("config", "get", "global_path") == f"{engram.cwd / 'everywhere'}\n"
    engram.ok("config", "set", "global_path", "~/everywhere", "--global")
    assert '"~/everywhere"' in (scratch.config / "engram.config.json").read_text(encoding="utf-8")


def test_a_value_that_another_one_lies_above_is_said_to(engram: Runner, root: Path) -> None:  # F21
    engram.ok("config", "set", "read", "always")
    done = engram.run("config", "set", "read", "startup", "--global")
    assert f"{root / 'engram.config.json'} sets read too, and that counts." in done.stderr
    done = engram.run("config", "set", "read", "manual", env={"ENGRAM_READ": "auto"})
    assert "ENGRAM_READ sets read too, and that counts." in done.stderr
    assert engram.run("config", "set", "load.limit", "5", "--global").stderr == ""


def test_what_does_not_count_in_a_workspace_can_be_taken_out_of_it(engram: Runner, root: Path) -> None:  # F21
    (root / "engram.config.json").write_text('{"global_path": "/x"}', encoding="utf-8")
    assert engram.run("config", "set", "global_path", "/y").returncode == 2
    engram.ok("config", "unset", "global_path")
    assert (root / "engram.config.json").read_text(encoding="utf-8") == "{}"
