"""One key of a configuration text is set or taken out, and the rest stays as its owner wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engram.config.edit import new_config_text, set_key, unset_key
from engram.config.files import scan_config
from engram.config.keys import KEYS
from engram.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

LEGACY = (
    '{"version": "0.0.28", "enabled": true, "scope": "workspace", "load": {"limit": 6},'
    ' /* kept by hand */ "roles": []}\n'
)


def test_a_value_changes_and_comments_and_unknown_keys_stay() -> None:  # F21
    assert set_key(LEGACY, "load.limit", 9) == LEGACY.replace("6", "9")
    assert set_key(LEGACY, "roles", ["ops"]) == LEGACY.replace("[]", '["ops"]')
    assert set_key(LEGACY, "load.max_tokens", 900) == LEGACY.replace('"limit": 6', '"limit": 6, "max_tokens": 900')
    assert set_key(LEGACY, "scope", "workspace") == LEGACY


def test_a_flat_key_stays_flat() -> None:
    assert set_key('{"load.limit": 6}', "load.limit", 7) == '{"load.limit": 7}'
    assert unset_key('{"load.limit": 6}', "load.limit") == "{}"
    assert set_key('{"hosts.codex": {"approval_mode": "approve"}}', "hosts.codex.approval_mode", "prompt") == (
        '{"hosts.codex": {"approval_mode": "prompt"}}'
    )


def test_a_group_of_findings_and_one_of_its_kinds_can_both_be_set() -> None:
    text = set_key("{}", "safety.personal", "block")
    text = set_key(text, "safety.personal.phone", "allow")
    assert text == '{\n  "safety": {\n    "personal": "block",\n    "personal.phone": "allow"\n  }\n}'

    text = set_key("{}", "safety.personal.phone", "allow")
    text = set_key(text, "safety.personal", "block")
    found = scan_config(text, "x").known
    assert {name: place.value for name, place in found.items()} == {
        "safety.personal.phone": "allow",
        "safety.personal": "block",
    }


TEXTS = ["{}", LEGACY.replace('"roles"', '"other"'), new_config_text(), '{\r\n\t"odd": [1] // x\r\n}']


@pytest.mark.parametrize(
    ("text", "name"),
    [(text, key.name) for text in TEXTS for key in KEYS if key.name not in scan_config(text, "x").known],
)
def test_setting_and_unsetting_any_absent_key_gives_the_same_bytes(text: str, name: str) -> None:
    key = next(key for key in KEYS if key.name == name)
    value = "/memory" if key.type == "path" else ["one"] if key.type == "list" else key.default
    changed = set_key(text, name, value)
    assert scan_config(changed, "x").known[name].value == value
    assert unset_key(changed, name) == text


def test_a_group_that_holds_a_comment_stays_when_its_last_key_goes() -> None:
    assert unset_key('{"load": { /* mine */ "limit": 6 }, "scope": "both"}', "load.limit") == (
        '{"load": { /* mine */ }, "scope": "both"}'
    )
    assert unset_key('{"load": { "limit": 6 }, "scope": "both"}', "load.limit") == '{"scope": "both"}'


def test_a_key_that_engram_does_not_know_can_be_taken_out_and_not_set() -> None:
    assert '"version"' not in unset_key(LEGACY, "version")
    with pytest.raises(UsageError, match='no configuration key "version"'):
        set_key(LEGACY, "version", "1")
    with pytest.raises(UsageError, match="no configuration key"):
        unset_key(LEGACY, "versions")
    with pytest.raises(UsageError, match="group of configuration keys"):
        unset_key(LEGACY, "load")


def test_taking_out_what_is_not_there_changes_nothing() -> None:
    assert unset_key(LEGACY, "lock.timeout") == LEGACY


def test_nothing_is_made_of_a_value_that_is_not_allowed_or_a_text_that_is_not_json() -> None:
    with pytest.raises(ConfigError, match=r"load\.limit is 99"):
        set_key(LEGACY, "load.limit", 99)
    changes: list[Callable[[], str]] = [
        lambda: set_key('{"load": ', "load.limit", 9, "a.json"),
        lambda: unset_key("{]", "load.limit", "a.json"),
    ]
    for change in changes:
        with pytest.raises(ConfigError, match=r"a\.json is not valid JSON: line 1, column \d+") as caught:
            change()
        assert caught.value.hint == "Correct the file by hand; Engram has not changed it."
    with pytest.raises(ConfigError, match="must hold its keys in braces"):
        set_key('{"load": 5}', "load.limit", 9)


def test_a_wrong_value_in_the_file_can_be_mended() -> None:
    assert set_key('{"load": {"limit": 99}}', "load.limit", 9) == '{"load": {"limit": 9}}'


def test_a_new_file_sets_nothing_and_shows_the_way() -> None:
    text = new_config_text()
    found = scan_config(text, "x")
    assert not found.known
    assert not found.unknown
    # The hints in its comments are right: without the slashes they are the defaults.
    hints = [line.strip()[3:] for line in text.splitlines() if line.strip().startswith('// "')]
    shown = scan_config("{" + "".join(hints) + "}", "x").known
    defaults = {key.name: key.default for key in KEYS}
    assert {name: place.value for name, place in shown.items()} == {name: defaults[name] for name in shown}
    assert set(shown) == {"scope", "load.limit", "load.max_tokens"}
