"""Which value counts, where it came from, and what a workspace file cannot do (F21, F18)."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engram.config.settings import Entry, NotCounted, Settings, UnknownKey, find_global_path, load_settings
from engram.errors import ConfigError, UsageError


class Layers:
    """Three files in a temporary folder, written as JSON or as given text."""

    def __init__(self, folder: Path) -> None:
        self.user = str(folder / "user.json")
        self.shared = str(folder / "global.json")
        self.workspace = str(folder / "workspace.json")

    def load(self, *, trusted: bool = False, environ: dict[str, str] | None = None, **files: object) -> Settings:
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            Path(getattr(self, name)).write_text(text, encoding="utf-8")
        return load_settings(
            workspace_file=self.workspace,
            global_file=self.shared,
            user_file=self.user,
            environ=environ or {},
            workspace_trusted=trusted,
        )


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


def test_without_files_everything_is_its_default(layers: Layers) -> None:
    settings = layers.load()
    assert settings.integer("load.limit") == 8
    assert settings.string("scope") == "workspace"
    assert settings.strings("roles") == ()
    assert settings.entry("scope") == Entry("scope", "workspace", "default", "")
    assert settings.not_counted == settings.unknown == ()
    assert [entry.layer for entry in settings.entries()] == ["default"] * 20


def test_each_layer_counts_over_the_one_below_and_says_where_it_came_from(layers: Layers) -> None:
    settings = layers.load(
        user={
            "load": {"limit": 1, "max_tokens": 201, "working_ttl_days": 21},
            "scope": "both",
            "rule_variant": "light",
        },
        shared={"load": {"limit": 2, "max_tokens": 202, "working_ttl_days": 22}, "scope": "global"},
        workspace={"load": {"limit": 3, "max_tokens": 203}, "roles": ["ops"]},
        environ={"ENGRAM_LOAD_LIMIT": "4", "ENGRAM_TRUST": "1"},
    )
    names = ("load.limit", "load.max_tokens", "load.working_ttl_days", "scope", "rule_variant", "roles")
    assert [settings.entry(name) for name in names] == [
        Entry("load.limit", 4, "environment", "ENGRAM_LOAD_LIMIT"),
        Entry("load.max_tokens", 203, "workspace", layers.workspace),
        Entry("load.working_ttl_days", 22, "global", layers.shared),
        Entry("scope", "global", "global", layers.shared),
        Entry("rule_variant", "light", "user", layers.user),
        Entry("roles", ("ops",), "workspace", layers.workspace),
    ]


def test_nested_and_flat_keys_mean_the_same_and_both_at_once_are_an_error(layers: Layers) -> None:
    settings = layers.load(user={"load.limit": 5, "safety": {"personal": "block", "personal.phone": "allow"}})
    assert settings.integer("load.limit") == 5
    assert settings.action("personal", "phone") == "allow"
    assert settings.action("personal", "iban") == "block"
    with pytest.raises(ConfigError, match=r"load\.limit stands twice .* lines 1 and 2") as caught:
        layers.load(workspace='{"load.limit": 5,\n "load": {"limit": 5}}')
    assert caught.value.line == 2


def test_unknown_keys_are_kept_apart_and_legacy_ones_are_among_them(layers: Layers) -> None:
    settings = layers.load(
        workspace={"version": "0.0.28", "enabled": True, "load": {"limit": 6, "depth": 2}, "safety": {"odd": {"a": 1}}},
        environ={"ENGRAM_SAFETY_SECRTE": "allow"},
    )
    assert settings.integer("load.limit") == 6
    assert settings.unknown == (
        UnknownKey("version", layers.workspace),
        UnknownKey("enabled", layers.workspace),
        UnknownKey("load.depth", layers.workspace),
        UnknownKey("safety.odd", layers.workspace),
        UnknownKey("ENGRAM_SAFETY_SECRTE", "the environment"),
    )


def test_a_real_older_folder_is_read() -> None:
    root = Path(__file__).parents[2].parent / "shared" / "cases" / "legacy-root" / ".agents" / ".engram"
    if not root.is_dir():
        pytest.skip("the shared cases are not beside this checkout")
    settings = load_settings(
        workspace_file=str(root / "engram.config.json"),
        global_file=None,
        user_file=None,
        environ={},
        workspace_trusted=False,
    )
    assert settings.integer("load.limit") == 6
    assert [unknown.key for unknown in settings.unknown] == ["version", "enabled"]


# Bad files.


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [('{\n  "scope": both\n}', 2, 12), ("", 1, 1), ("scope = both", 1, 1), ("[]", 1, 1), ('{"a": 1, "a": 2}', 1, 10)],
)
def test_a_file_that_is_not_json_is_named_with_line_and_column(
    layers: Layers, text: str, line: int, column: int
) -> None:
    with pytest.raises(ConfigError) as caught:
        layers.load(workspace=text)
    error = caught.value
    assert error.message.startswith(f"{layers.workspace} is not valid JSON: line {line}, column {column}: ")
    assert (error.path, error.line, error.exit_code) == (layers.workspace, line, 3)
    assert Path(layers.workspace).read_text(encoding="utf-8") == text


def test_bytes_that_are_not_utf_8_are_named_with_their_place(layers: Layers) -> None:
    Path(layers.workspace).write_bytes(b'{"scope":\n "\xc3\xa9\xff"}')
    with pytest.raises(ConfigError, match="line 2, column 4: the bytes here are not UTF-8"):
        layers.load()
    Path(layers.workspace).write_bytes('{"scope": "both"}'.encode("utf-16"))
    with pytest.raises(ConfigError, match="line 1, column 1"):
        layers.load()


def test_a_value_that_is_not_allowed_names_file_line_key_and_range(layers: Layers) -> None:
    with pytest.raises(ConfigError) as caught:
        layers.load(user='{\n  "load": {\n    "limit": 99\n  }\n}')
    assert caught.value.message == (
        f"load.limit in {layers.user} is 99, but must be a whole number from 1 to 32 (memories)"
    )
    assert (caught.value.path, caught.value.line) == (layers.user, 3)
    with pytest.raises(ConfigError, match=r'"load" in .* is 5, but must hold its keys in braces'):
        layers.load(user={"load": 5})
    with pytest.raises(ConfigError, match="the environment variable ENGRAM_READ"):
        layers.load(user={}, environ={"ENGRAM_READ": "sometimes"})


def test_what_is_no_plain_small_file_is_refused_and_never_waited_for(layers: Layers) -> None:
    Path(layers.workspace).write_text("{" + " " * 300_000 + "}", encoding="utf-8")
    with pytest.raises(ConfigError, match="larger than 256 KiB"):
        layers.load()
    Path(layers.workspace).unlink()
    Path(layers.workspace).mkdir()
    with pytest.raises(ConfigError, match=r"not a regular file|cannot be read"):
        layers.load()
    if hasattr(os, "mkfifo"):
        Path(layers.workspace).rmdir()
        os.mkfifo(layers.workspace)
        with pytest.raises(ConfigError, match="not a regular file"):
            layers.load()


# The environment.


def test_an_empty_variable_counts_as_not_set(layers: Layers) -> None:
    settings = layers.load(workspace={"roles": ["ops"]}, environ={"ENGRAM_ROLES": "", "ENGRAM_GLOBAL_DIR": ""})
    assert settings.strings("roles") == ("ops",)
    assert settings.string("global_path") == ""


def test_variables_set_kinds_of_findings_too(layers: Layers) -> None:
    settings = layers.load(environ={"ENGRAM_SAFETY_PERSONAL_EMAIL": "block", "ENGRAM_SAFETY_SECRET_AWS_KEY": "redact"})
    assert settings.action("personal", "email") == "block"
    assert settings.action("secret", "aws-key") == "redact"
    assert settings.action("secret", "jwt") == "block"
    assert settings.entries()[-1] == Entry(
        "safety.secret.aws_key", "redact", "environment", "ENGRAM_SAFETY_SECRET_AWS_KEY"
    )


# global_path.


def test_the_global_folder_comes_from_the_user_or_the_environment_only(layers: Layers, tmp_path: Path) -> None:
    settings = layers.load(
        user={"global_path": "~/memory"},
        shared={"global_path": "/elsewhere"},
        workspace={"global_path": ["not even a path"]},
        trusted=True,
        environ={"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)},
    )
    assert settings.string("global_path") == str(tmp_path / "memory")
    reason = "only your own configuration file or the environment can set it"
    assert settings.not_counted == (
        NotCounted("global_path", "/elsewhere", layers.shared, reason),
        NotCounted("global_path", ["not even a path"], layers.workspace, reason),
    )


def test_the_global_folder_is_known_before_its_own_file_is_read(layers: Layers, tmp_path: Path) -> None:
    Path(layers.user).write_text('{"global_path": "memory"}', encoding="utf-8")
    # A relative path in a file starts at the file.
    assert find_global_path(user_file=layers.user, environ={}) == str(tmp_path / "memory")
    given = {"ENGRAM_GLOBAL_DIR": str(tmp_path / "other"), "ENGRAM_READ": "sometimes"}
    assert find_global_path(user_file=layers.user, environ=given) == str(tmp_path / "other")
    assert find_global_path(user_file=None, environ={}) == ""


def test_a_configuration_folder_that_is_the_global_root_is_read_once(layers: Layers) -> None:
    Path(layers.user).write_text('{"global_path": "/memory", "odd": 1}', encoding="utf-8")
    settings = load_settings(
        workspace_file=None, global_file=layers.user, user_file=layers.user, environ={}, workspace_trusted=False
    )
    assert settings.string("global_path") == os.path.abspath("/memory")
    assert settings.not_counted == ()
    assert settings.unknown == (UnknownKey("odd", layers.user),)


# What a workspace file, which may come with a clone, can do.

STRICTER = [
    ("approval.terminal", "any", "tty"),
    ("trust.mode", "normal", "strict"),
    ("hosts.codex.approval_mode", "approve", "prompt"),
]


@pytest.mark.parametrize(("name", "loose", "strict"), STRICTER)
@pytest.mark.parametrize("trusted", [False, True])
def test_a_workspace_can_make_gates_stricter_and_never_looser(
    layers: Layers, name: str, loose: str, strict: str, trusted: bool
) -> None:
    settings = layers.load(workspace={name: strict}, trusted=trusted)
    assert settings.entry(name) == Entry(name, strict, "workspace", layers.workspace)

    for below in ("user", "shared"):
        settings = layers.load(
            **{"user": {}, "shared": {}, below: {name: strict}, "workspace": {name: loose}}, trusted=trusted
        )
        assert settings.string(name) == strict
        [refused] = settings.not_counted
        assert (refused.key, refused.value, refused.file) == (name, loose, layers.workspace)
        assert strict in refused.reason

    # The environment is the user's own, above both.
    assert layers.load(environ={"ENGRAM_" + name.upper().replace(".", "_"): loose}).string(name) == loose


def test_an_equal_value_changes_nothing_and_is_no_complaint(layers: Layers) -> None:
    settings = layers.load(user={"trust.mode": "strict"}, workspace={"trust.mode": "strict"})
    assert settings.entry("trust.mode").layer == "user"
    assert settings.not_counted == ()


def test_looser_safety_counts_in_a_trusted_workspace_and_never_for_secrets(layers: Layers) -> None:
    looser = {"safety": {"hidden": "allow", "personal.phone": "allow", "secret": "redact", "secret.jwt": "allow"}}

    foreign = layers.load(workspace=looser, trusted=False)
    assert foreign.action("hidden", "bidi") == "block"
    assert foreign.action("personal", "phone") == "redact"
    assert [refused.key for refused in foreign.not_counted] == [
        "safety.hidden",
        "safety.personal.phone",
        "safety.secret",
        "safety.secret.jwt",
    ]
    assert "engram trust" in foreign.not_counted[0].reason
    assert "secrets" in foreign.not_counted[2].reason

    trusted = layers.load(workspace=looser, trusted=True)
    assert trusted.action("hidden", "bidi") == "allow"
    assert trusted.action("personal", "phone") == "allow"
    assert trusted.action("secret", "jwt") == trusted.action("secret", "aws_key") == "block"
    assert [refused.key for refused in trusted.not_counted] == ["safety.secret", "safety.secret.jwt"]


def test_a_users_own_looser_rule_counts_for_secrets_too(layers: Layers) -> None:
    assert layers.load(user={"safety.secret.jwt": "redact"}).action("secret", "jwt") == "redact"


def test_a_kind_counts_over_its_group_whichever_file_it_stands_in(layers: Layers) -> None:
    settings = layers.load(user={"safety.personal.phone": "allow"}, workspace={"safety.personal": "block"})
    assert settings.action("personal", "phone") == "allow"
    assert settings.action("personal", "iban") == "block"
    # A group that somebody sets holds for the kinds whose default is another: no exception was asked for.
    assert settings.action("personal", "email") == "block"
    assert settings.entry("safety.personal.email").where == layers.workspace
    assert Settings().action("personal", "email") == "allow"
    assert Settings().action("personal", "iban") == "redact"


ACTIONS = ("allow", "redact", "block")


@pytest.mark.parametrize("group", ["secret", "personal"])
def test_no_workspace_file_makes_any_kind_looser_than_it_may(layers: Layers, group: str) -> None:
    """Every mixture of group and kind, set by the user and by the workspace."""
    choices: list[str | None] = [None, *ACTIONS]

    def text(general: str | None, special: str | None) -> dict[str, Any]:
        values = {f"safety.{group}": general, f"safety.{group}.email": special}
        return {name: value for name, value in values.items() if value}

    for user in itertools.product(choices, choices):
        base = layers.load(user=text(*user), workspace={})
        for workspace in itertools.product(choices, choices):
            for trusted in (False, True) if group == "secret" else (False,):
                settings = layers.load(workspace=text(*workspace), trusted=trusted)
                for kind in ("email", "other"):
                    before, after = base.action(group, kind), settings.action(group, kind)
                    assert ACTIONS.index(after) >= ACTIONS.index(before), (user, workspace, kind)


def test_a_question_about_an_unknown_key_is_answered_with_the_closest_names() -> None:
    with pytest.raises(UsageError) as caught:
        Settings().get("lock.timeuot")
    assert "lock.timeout" in caught.value.hint
    with pytest.raises(UsageError):
        Settings().action("other", "kind")


def test_reading_settings_loads_no_heavy_module(tmp_path: Path) -> None:
    """On every prompt: see docs/decisions on the cold start."""
    (tmp_path / "c.json").write_text('{"load": {"limit": 6}}', encoding="utf-8")
    program = (
        "import sys; before = set(sys.modules)\n"
        "from engram.config.settings import load_settings\n"
        f"s = load_settings(workspace_file={str(tmp_path / 'c.json')!r}, global_file=None, user_file=None,"
        " environ={}, workspace_trusted=False)\n"
        "print(s.integer('load.limit'), *sorted(m for m in set(sys.modules) - before if not m.startswith('engram')))"
    )
    # Measured as it is: what coverage brings into a process is not ours.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True, env=environ
    )
    assert done.stdout.split() == ["6", "__future__", "_json"]  # a module in C, no part of the package json
