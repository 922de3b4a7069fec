"""Memory as resources: ``engram://index`` and ``engram://memory/{id}`` (C60, C61)."""

from __future__ import annotations

from engram.mcp.addresses import quote, unquote
from engram.mcp.answers import explain
from engram.mcp.protocol import INTERNAL_ERROR, ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from engram.mcp.call import Call
    from engram.mcp.desk import Desk
    from engram.mcp.registry import Registry

    T = TypeVar("T")

__all__ = ["register_resources"]

_INDEX = "engram://index"
_MEMORY = "engram://memory/"
_MARKDOWN = "text/markdown"


def register_resources(registry: Registry, desk: Desk) -> None:
    """Offer the index, the memories that are used most, and a template for every other one."""
    registry.resources(
        lambda call: _translated(desk, lambda: _list(desk, call)),
        lambda call, uri: _translated(desk, lambda: _read(desk, call, uri)),
        [
            {
                "uriTemplate": _MEMORY + "{id}",
                "name": "memory",
                "title": "A memory",
                "description": "One memory whole, by its id.",
                "mimeType": _MARKDOWN,
            }
        ],
    )


def _list(desk: Desk, call: Call) -> list[dict[str, Any]]:
    from engram.errors import NotFoundError, RefusedError
    from engram.safety.fence import show_line
    from engram.service.cards import most_used, name_in_address

    found: list[dict[str, Any]] = [
        {
            "uri": _INDEX,
            "name": "index",
            "title": "All memory",
            "description": "One line for each memory that applies here.",
            "mimeType": _MARKDOWN,
        }
    ]
    session = desk.session(call)
    try:
        named = most_used(session, session.settings.integer("mcp.resource_limit"))
    except (NotFoundError, RefusedError):
        return found  # hosts ask for the list at every start: an empty memory is no failure
    for memory in named:
        kind = f"{memory.type}, {memory.scope}" + (", foreign: reference only" if memory.foreign else "")
        title = show_line(memory.title)
        found.append(
            {
                "uri": _MEMORY + quote(name_in_address(session, memory.key)),
                "name": show_line(memory.key),
                "title": title,
                "description": f"[{kind}] {title}",
                "mimeType": _MARKDOWN,
            }
        )
    return found


def _read(desk: Desk, call: Call, uri: str) -> list[dict[str, Any]] | None:
    from engram.errors import NotFoundError, UsageError

    scheme, separator, rest = uri.partition("://")
    host, slash, path = rest.partition("/")
    address = f"{scheme.lower()}{separator}{host.lower()}{slash}"
    if address == _INDEX and not path:
        text = _index(desk, call)
    elif address == _MEMORY and path:
        memory_id = unquote(path)
        if memory_id is None:
            return None
        from engram.service.cards import key_called
        from engram.service.reading import load_id

        session = desk.session(call)
        session.require_roots()
        try:
            text = load_id(session, key_called(session, memory_id) or memory_id)[0].text
        except (NotFoundError, UsageError):
            return None  # there is no such resource; the kernel says so as each era wants it
    else:
        return None
    return [{"uri": uri, "mimeType": _MARKDOWN, "text": text}]


def _index(desk: Desk, call: Call) -> str:
    from engram.service.cards import list_cards

    cards = list_cards(desk.session(call))
    lines = [*cards.lines]
    if cards.more:
        lines.append(f"and {cards.more} more: engram_search finds them")
    lines += cards.skipped
    return "\n".join(lines) or "There is no memory yet."


def _translated(desk: Desk, do: Callable[[], T]) -> T:
    """Return what ``do`` returns; a failure that is expected becomes the protocol's error with its sentence (C29)."""
    try:
        return do()
    except ProtocolError:
        raise
    except Exception as error:
        text = explain(desk, error)
        if text is None:
            raise
        raise ProtocolError(INTERNAL_ERROR, text) from error
