"""The schema and the page of the configuration are those of the table (F21)."""

from __future__ import annotations

import json
import os

import jsonschema
import pytest

from engram.config.keys import KEYS
from engram.config.schema import config_page, config_schema

REFERENCE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "reference"
)


def test_the_page_in_the_repository_is_that_of_the_table() -> None:
    with open(os.path.join(REFERENCE, "configuration.md"), encoding="utf-8") as file:
        assert file.read() == config_page()
    assert all(f"## `{key.name}`" in config_page() for key in KEYS)


def test_the_schema_in_the_repository_is_that_of_the_table() -> None:
    with open(os.path.join(REFERENCE, "engram.config.schema.json"), encoding="utf-8") as file:
        assert json.load(file) == config_schema()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"load": {"limit": 6}, "load.max_tokens": 800},
        {"safety": {"secret": "block", "personal": {"email": "allow"}}, "roles": ["backend"]},
        {"hosts": {"codex": {"approval_mode": "prompt"}}, "of_another": 1},
        {"hosts": {"codex.approval_mode": "prompt"}, "safety": {"personal": "allow", "personal.phone": "block"}},
        {"safety.personal.phone": "redact", "safety.of_another": 1},
    ],
)
def test_the_schema_takes_what_engram_takes(settings: dict[str, object]) -> None:
    jsonschema.validate(settings, config_schema())


@pytest.mark.parametrize(
    "settings",
    [
        {"load": {"limit": 0}},
        {"load.limit": "6"},
        {"read": "sometimes"},
        {"safety": {"secret": "no"}},
        {"safety": {"personal.phone": "no"}},
        {"safety.personal.phone": "no"},
        {"hosts": {"codex.approval_mode": "no"}},
        {"roles": "x"},
        {"roles": [" "]},
    ],
)
def test_the_schema_refuses_what_engram_refuses(settings: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(settings, config_schema())
