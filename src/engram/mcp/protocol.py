"""Names and numbers of the Model Context Protocol, and the errors that go to the wire as they are."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.mcp.registry import Handler

__all__ = [
    "CACHEABLE",
    "CAPABILITIES_KEY",
    "CLIENT_KEY",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "LATEST_LEGACY",
    "LEGACY",
    "METHOD_NOT_FOUND",
    "MISSING_CAPABILITY",
    "MODERN",
    "PARSE_ERROR",
    "RESOURCE_NOT_FOUND",
    "SERVER_KEY",
    "SUPPORTED",
    "UNSUPPORTED_VERSION",
    "VERSION_KEY",
    "Method",
    "ProtocolError",
    "missing_capability",
]

MODERN = ("2026-07-28",)
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
LATEST_LEGACY = LEGACY[0]
SUPPORTED = MODERN + LEGACY  # what discovery and a refusal name: a client that lacks the first may shake hands (C17)

# Keys of `_meta` in a modern message. The first one decides the era of a request (C16).
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # legacy only: the modern revision forbids it and says -32602
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

_MINUTES_5 = 300_000
# Method → (cacheScope, ttlMs), both required in the modern era (C21). Public is what is the same for every user; what
# shows memory is private and never fresh for longer than the answer: a pull may change it at any time.
CACHEABLE = {
    "server/discover": ("public", _MINUTES_5),
    "tools/list": ("public", _MINUTES_5),
    "prompts/list": ("public", _MINUTES_5),
    "resources/templates/list": ("public", _MINUTES_5),
    "resources/list": ("private", 0),
    "resources/read": ("private", 0),
}


class ProtocolError(Exception):
    """An error that answers a request as it is: code, message and data of JSON-RPC.

    For what the protocol itself refuses (C20, C22, C24, C52). A tool that fails raises ``ToolError`` instead (C29).
    """

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Method:
    """A method of the protocol: its handler, the eras that have it, and whether it is answered before the next line.

    Args:
        handler: takes the call and its ``params``; returns the result.
        legacy: served to requests of the handshake era.
        modern: served to requests that carry their revision.
        inline: it only reads what the server knows already, so that no thread is needed; and what it changes
            (``initialize``) has to be there before the next line is looked at.
    """

    __slots__ = ("handler", "inline", "legacy", "modern")

    def __init__(self, handler: Handler, *, legacy: bool = True, modern: bool = True, inline: bool = False) -> None:
        self.handler = handler
        self.legacy = legacy
        self.modern = modern
        self.inline = inline


def missing_capability(capabilities: dict[str, Any], method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a client would have to declare before a server may ask this of it; None when it did (C22).

    Args:
        capabilities: what the client declared.
        method: such as ``elicitation/create``: what a server may ask is named after the capability that it needs.
        params: of that request; ``mode`` tells a form from an address to visit.

    >>> missing_capability({"elicitation": {}}, "elicitation/create", {"message": "?"})
    >>> missing_capability({"elicitation": {"url": {}}}, "elicitation/create", {"message": "?"})
    {'elicitation': {}}
    """
    name = method.partition("/")[0]
    declared = capabilities.get(name)
    if not isinstance(declared, dict):
        return {name: {}}
    if name != "elicitation":
        return None
    if params.get("mode", "form") == "url":
        return None if "url" in declared else {name: {"url": {}}}
    # The first revisions had no modes: an empty object is a form, one that names only "url" is not.
    return None if "form" in declared or "url" not in declared else {name: {}}
