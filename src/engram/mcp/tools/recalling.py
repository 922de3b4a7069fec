"""``engram_load``, ``engram_route``, ``engram_search``: what recall finds (C33 to C37)."""

from __future__ import annotations

from engram.mcp.answers import answer, envelope_schema
from engram.mcp.registry import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.mcp.call import Call
    from engram.mcp.desk import Desk
    from engram.mcp.registry import Registry, ToolResult
    from engram.service.searching import Listed

__all__ = ["READS", "register"]

READS = {"readOnlyHint": True, "openWorldHint": False}
_STRING = {"type": "string"}


def register(registry: Registry, desk: Desk, *, always_load: bool = False) -> None:
    """Offer the tools of this group."""
    registry.tool(
        "engram_load",
        lambda call, arguments: _load(desk, call, arguments),
        description="Recall the project's rules, decisions and skills for a task. Call it before you plan or change "
        "anything, and again when the task changes. Returns whole memories, then one-line cards.",
        properties={
            "query": {"type": "string", "description": "the task in your words, any language"},
            "id": {"type": "string", "description": "instead: one memory whole"},
            "budget_tokens": {"type": "integer", "minimum": 50, "maximum": 16000},
            "disclosure": {"type": "string", "enum": ["auto", "bodies", "cards"]},
            "full": {"type": "boolean", "description": "with origins, notes, variants; no cards"},
            "explain": {"type": "boolean", "description": "say why"},
        },
        output_schema=envelope_schema("text", "selected_keys", "body_keys", "card_ids", "omitted_ids", "tokens"),
        annotations=READS,
        meta={"anthropic/alwaysLoad": True} if always_load else None,
    )
    registry.tool(
        "engram_route",
        lambda call, arguments: _route(desk, call, arguments),
        description="Classify a task and list the memories it would load, in load order, without their text.",
        properties={"query": _STRING},
        required=["query"],
        aliases={"task": "query"},
        output_schema=envelope_schema("text", "entries"),
        annotations=READS,
    )
    registry.tool(
        "engram_search",
        lambda call, arguments: _search(desk, call, arguments),
        description="Search memory, best match first, with snippets. For a task engram_load is better.",
        properties={
            "query": _STRING,
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "type": {"type": "string", "enum": ["rule", "skill", "knowledge"]},
            "scope": {"type": "string", "enum": ["workspace", "global"]},
        },
        required=["query"],
        output_schema=envelope_schema("text", "entries"),
        annotations=READS,
    )


def _load(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult:
    if ("query" in arguments) == ("id" in arguments):
        raise ToolError("Give query (the task) or id (one memory)." if not arguments else "Give query or id, not both.")
    session = desk.session(call)
    text = ""
    more: dict[str, object] = {}
    if "id" in arguments:
        from engram.service.reading import load_id

        pack, _ = load_id(session, arguments["id"])
    else:
        from engram.service.recalling import load

        loaded = load(
            session,
            arguments["query"],
            budget=arguments.get("budget_tokens"),
            disclosure=arguments.get("disclosure", "auto"),
            full=arguments.get("full", False),
        )
        pack = loaded.pack
        for line in loaded.skipped:
            session.say("skipped", "skipped", line)
        if arguments.get("explain"):
            from engram.service.explaining import explained, explained_data

            text = "\n".join(["", "", *explained(loaded.recall)])
            more["explain"] = explained_data(loaded.recall)
    data = {
        "text": pack.text,
        "selected_keys": list(pack.selected_keys),
        "body_keys": list(pack.body_keys),
        "card_ids": list(pack.card_ids),
        "omitted_ids": list(pack.omitted_ids),
        "tokens": pack.tokens,
        **more,
    }
    return answer(session, data, pack.text + text)


def _route(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult:
    from engram.service.searching import route

    session = desk.session(call)
    routed = route(session, arguments["query"])
    for line in routed.recall.skipped:
        session.say("skipped", "skipped", line)
    data = {
        "text": routed.nothing or "In load order. engram_load with the same query gives them.",
        "intent": {name: list(found) for name, found in routed.intent.as_dict().items() if found},
        "entries": [_entry(entry) for entry in routed.entries],
    }
    return answer(session, data, routed.text)


def _search(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult:
    from engram.service.searching import search

    session = desk.session(call)
    found = search(
        session,
        arguments["query"],
        limit=arguments.get("limit", 8),
        kind=arguments.get("type", ""),
        scope=arguments.get("scope", ""),
        most_bytes=0,
    )
    for line in found.recall.skipped:
        session.say("skipped", "skipped", line)
    data = {
        "text": found.nothing or "Best match first. engram_load with an id gives one whole.",
        "entries": [_entry(entry) for entry in found.entries],
    }
    return answer(session, data, found.text)


def _entry(entry: Listed) -> dict[str, object]:
    """Return a line of a list as data, without what is empty; ``key`` only where the id alone does not name it."""
    found = {name: value for name, value in entry.as_dict().items() if value != "" and name != "key"}
    found["score"] = round(entry.score, 2)
    return {**found, "key": entry.key} if entry.key != entry.id else found
