"""The table of keys (F21), what is allowed in each, and what a person reads when it is not."""

from __future__ import annotations

import pytest

from engram.config.keys import KEYS, find, is_group, parse_text, require, validate, variable_of
from engram.errors import ConfigError, UsageError


def test_the_table_has_the_keys_defaults_and_ranges_of_the_contract() -> None:  # F21
    assert {key.name: key.default for key in KEYS} == {
        "scope": "workspace",
        "read": "auto",
        "global_path": "",
        "roles": (),
        "rule_variant": "balanced",
        "load.limit": 8,
        "load.max_tokens": 1600,
        "load.working_ttl_days": 14,
        "mcp.resource_limit": 20,
        "mcp.dialog_timeout": 60,
        "approval.terminal": "any",
        "trust.mode": "normal",
        "hosts.codex.approval_mode": "approve",
        "ignore.patterns": (),
        "safety.secret": "block",
        "safety.personal": "redact",
        "safety.instruction": "block",
        "safety.hidden": "block",
        "safety.personal.email": "allow",
        "lock.timeout": 10,
    }
    assert {key.name: (key.minimum, key.maximum) for key in KEYS if key.type == "integer"} == {
        "load.limit": (1, 32),
        "load.max_tokens": (200, 16000),
        "load.working_ttl_days": (1, 365),
        "mcp.resource_limit": (0, 200),
        "mcp.dialog_timeout": (1, 600),
        "lock.timeout": (1, 120),
    }


def test_every_default_is_an_allowed_value_and_every_key_says_what_it_is_for() -> None:
    for key in KEYS:
        assert validate(key.name, key.default, "") == key.default
        assert key.help.endswith(".")
        assert "\n" not in key.help + key.risk
        # Where a looser value can be told from a stricter one, the risk is said.
        assert bool(key.strictness) == (key.workspace_rule in ("stricter", "safety"))
        assert not key.strictness or (key.risk and sorted(key.strictness) == sorted(key.choices))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("load.limit", 0, "a whole number from 1 to 32 (memories)"),
        ("load.limit", 33, "a whole number from 1 to 32"),
        ("load.limit", "8", "a whole number"),
        ("load.limit", True, "a whole number"),
        ("load.limit", 8.0, "a whole number"),
        ("load.limit", None, "a whole number"),
        ("lock.timeout", 121, "from 1 to 120 (seconds)"),
        ("scope", "Both", "one of workspace, global, both"),
        ("scope", ["both"], "one of workspace, global, both"),
        ("safety.secret.jwt", "mask", "one of block, redact, allow"),
        ("roles", "backend", "a list of texts"),
        ("roles", ["backend", 3], "a list of texts"),
        ("roles", [" "], "a list of texts"),
        ("roles", ["a\nb"], "a list of texts"),
        ("global_path", 3, "the path of a folder"),
        ("global_path", "/a\x00b", "the path of a folder"),
        ("global_path", "/a\udc80b", "the path of a folder"),
    ],
)
def test_an_error_names_the_key_what_was_given_and_what_is_allowed(name: str, value: object, allowed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        validate(name, value, "team.json")
    message = caught.value.message
    assert message.startswith(f"{name} in team.json is ")
    assert allowed in message
    assert caught.value.exit_code == 3
    assert caught.value.details["key"] == name


def test_a_value_is_shown_short_and_without_what_a_terminal_obeys() -> None:
    with pytest.raises(ConfigError) as caught:
        validate("scope", "x" * 5000, "")
    assert len(caught.value.message) < 200
    with pytest.raises(ConfigError) as caught:
        validate("scope", "\x1b[2J\u202e", "")
    assert caught.value.message.startswith('scope is "\\u001b[2J\\u202e", but')


def test_a_list_becomes_a_tuple() -> None:
    assert validate("roles", ["backend", "ops"], "") == ("backend", "ops")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("load.limit", "6", 6),
        ("load.limit", " 6 ", 6),
        ("scope", " both\n", "both"),
        ("roles", "backend, ops,", ("backend", "ops")),
        ("roles", '["a, b", "c"]', ("a, b", "c")),
        ("roles", "[]", ()),
        ("roles", "", ()),
        ("ignore.patterns", "[ab].txt, *.log", ("[ab].txt", "*.log")),
        ("global_path", "~/memory ", "~/memory "),
        ("safety.personal.phone", "allow", "allow"),
    ],
)
def test_text_from_the_command_line_is_parsed_by_the_keys_type(name: str, text: str, value: object) -> None:
    assert parse_text(name, text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [("load.limit", x) for x in ("six", "6.0", "", "1_0", "٣", "-5", "9" * 5000, "+6")]
    + [("roles", '["a", 3]'), ("roles", '["a"')],
)
def test_text_that_is_no_value_is_refused(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=name):
        parse_text(name, text)


def test_an_unknown_key_is_refused_with_the_closest_names() -> None:
    with pytest.raises(UsageError) as caught:
        require("load.limits")
    assert '"load.limits"' in caught.value.message
    assert "Did you mean load.limit" in caught.value.hint
    with pytest.raises(UsageError) as caught:
        validate("max_tokens", 5, "")
    assert "load.max_tokens" in caught.value.hint
    with pytest.raises(UsageError, match="no configuration key"):
        parse_text("zzz", "5")


def test_a_group_is_no_key_and_its_keys_are_named() -> None:
    with pytest.raises(UsageError, match=r"load\.limit, load\.max_tokens"):
        require("load")
    assert is_group("safety.secret")
    assert not is_group("safety.other")
    assert not is_group("")


def test_every_kind_of_a_known_group_is_a_key() -> None:
    kind = find("safety.secret.aws_key")
    assert kind
    assert kind.default == "block"
    email = find("safety.personal.email")
    assert email
    assert email.default == "allow"
    for name in (
        "safety",
        "safety.other",
        "safety.secret.",
        "safety.secret.a.b",
        "safety.secret.A",
        "safety.secret.1x",
    ):
        assert find(name) is None


def test_the_variable_of_a_key_is_its_name_in_capitals() -> None:  # F21
    assert variable_of("load.max_tokens") == "ENGRAM_LOAD_MAX_TOKENS"
    assert variable_of("global_path") == "ENGRAM_GLOBAL_DIR"
    variables = [variable_of(key.name) for key in KEYS]
    assert len(set(variables)) == len(variables)
