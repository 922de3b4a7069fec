"""Both eras of the protocol on the real ``engram-mcp``, and its wire: what hosts rely on before any tool is called.

The kernel's tests try the same rules one by one, on a server that has everything; here they hold for what is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engram.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Host, Memories, Message

MODERN = "2026-07-28"
LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
INFO = {"name": "engram", "version": __version__, "title": "Engram"}

# Method → params, and in the modern era who may keep the answer; None where nobody is told.
SERVED: dict[str, tuple[Message, str | None]] = {
    "tools/list": ({}, "public"),
    "tools/call": ({"name": "engram_load", "arguments": {"query": "clean the oven"}}, None),
    "resources/list": ({}, "private"),
    "resources/templates/list": ({}, "public"),
    "resources/read": ({"uri": "engram://memory/oven"}, "private"),
    "prompts/list": ({}, "public"),
    "prompts/get": ({"name": "propose"}, None),
}


@pytest.fixture
def host(serve: Callable[..., Host], memories: Memories) -> Host:
    """Return a server where there is something to recall."""
    memories.add("rule", "oven", "- Clean the oven.")
    return serve()


@pytest.mark.parametrize("asked", [*LEGACY, MODERN, "1999-01-01", "", None, 7], ids=repr)
def test_the_handshake_gives_a_known_revision_and_no_other(host: Host, asked: Any) -> None:  # C17
    result = host.handshake(asked)

    assert result["protocolVersion"] == (asked if asked in LEGACY else "2025-11-25")
    assert result["serverInfo"] == INFO
    assert set(result["capabilities"]) == {"tools", "resources", "prompts"}


@pytest.mark.parametrize("method", SERVED)
def test_each_method_is_served_to_both_eras_and_only_modern_results_say_so(host: Host, method: str) -> None:
    # C16, C18, C19, C21
    params, scope = SERVED[method]
    legacy = host.request(method, params)["result"]
    modern = host.modern(method, params)["result"]

    assert modern.pop("resultType") == "complete"
    assert modern.pop("_meta") == {SERVER_KEY: INFO}
    assert modern.pop("cacheScope", None) == scope
    assert ("ttlMs" in modern) == (scope is not None)
    assert modern.pop("ttlMs", 0) >= 0
    assert modern == legacy


def test_discovery_and_a_handshake_that_comes_with_it_are_both_answered(host: Host) -> None:  # C16, C19, C21, C26
    found = host.modern("server/discover")["result"]
    shaken = host.handshake()

    assert found["supportedVersions"] == [MODERN, *reversed(LEGACY)]
    assert (found["resultType"], found["cacheScope"]) == ("complete", "public")
    assert found["instructions"] == shaken["instructions"]
    assert found["_meta"] == {SERVER_KEY: INFO}


@pytest.mark.parametrize(
    ("method", "meta", "code", "data"),
    [
        ("tools/list", {VERSION_KEY: MODERN}, -32602, None),  # C20
        ("tools/list", {VERSION_KEY: MODERN, CAPABILITIES_KEY: []}, -32602, None),
        ("server/discover", {}, -32602, None),  # C22
        ("server/discover", {CAPABILITIES_KEY: {}}, -32602, None),
        ("tools/list", {VERSION_KEY: 3, CAPABILITIES_KEY: {}}, -32602, None),
        (
            "tools/list",
            {VERSION_KEY: "2099-01-01", CAPABILITIES_KEY: {}},
            -32022,
            {"supported": [MODERN, *reversed(LEGACY)], "requested": "2099-01-01"},
        ),
        ("ping", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, -32601, None),  # C23
        ("initialize", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, -32601, None),
        ("engram_status", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, -32601, None),
        ("logging/setLevel", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, -32601, None),
        ("logging/setLevel", {}, -32601, None),  # nothing that the server did not declare
        ("completion/complete", {}, -32601, None),
        ("resources/subscribe", {}, -32601, None),
    ],
    ids=str,
)
def test_what_an_era_does_not_have_is_refused_with_its_own_error(
    host: Host, method: str, meta: Message, code: int, data: Message | None
) -> None:  # C20, C22, C23
    error = host.request(method, {"_meta": meta})["error"]

    assert (error["code"], error.get("data")) == (code, data)
    assert error["message"]


def test_no_tool_needs_a_capability_and_nobody_is_asked_who_declared_none(host: Host) -> None:  # C22, C53
    proposed = host.modern("tools/call", {"name": "engram_save", "arguments": {"text": "Use tabs.", "type": "rule"}})
    host.handshake()
    again = host.call("engram_save", text="Use tabs in Makefiles.", type="rule")

    assert "approval_token" in proposed["result"]["structuredContent"]["data"]
    assert "approval_token" in again["structuredContent"]["data"]
    assert not any(b'"method"' in line for line in host.lines)
