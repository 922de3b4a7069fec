"""``engram_set_role``, ``engram_set_rule_variant``: two settings of this workspace that an agent may change."""

from __future__ import annotations

from engram.mcp.answers import answer, envelope_schema
from engram.mcp.registry import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.mcp.call import Call
    from engram.mcp.desk import Desk
    from engram.mcp.registry import Registry, ToolResult

__all__ = ["register"]

_SETS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}


def register(registry: Registry, desk: Desk) -> None:
    """Offer the tools of this group."""
    registry.tool(
        "engram_set_role",
        lambda call, arguments: _set_role(desk, call, arguments),
        description="When the human asks: set the roles whose memories are recalled here; empty clears them.",
        properties={"role": {"type": "string", "description": "comma-separated"}, "roles": _STRINGS},
        keeps_empty=["role"],
        output_schema=envelope_schema("text", "roles"),
        annotations=_SETS,
    )
    registry.tool(
        "engram_set_rule_variant",
        lambda call, arguments: _set_rule_variant(desk, call, arguments),
        description="When the human asks: set which variant of rules is recalled here; status only says which.",
        properties={"variant": {"type": "string", "enum": ["light", "balanced", "strict", "status"]}},
        required=["variant"],
        output_schema=envelope_schema("text", "variant"),
        annotations=_SETS,
    )


def _set_role(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult:
    from engram.safety.fence import show_line
    from engram.service.configuring import set_roles

    if ("role" in arguments) == ("roles" in arguments):
        raise ToolError("Give role (comma-separated) or roles (a list); an empty one clears them.")
    wanted: list[str] = arguments["roles"] if "roles" in arguments else arguments["role"].split(",")
    session = desk.session(call)
    call.begin_write()
    roles = [show_line(role) for role in set_roles(session, wanted)]
    shown = ", ".join(roles)
    text = f"Roles: {shown}. Memories for other roles are left out." if roles else "No role: memories of every role."
    return answer(session, {"text": text, "roles": roles}, text)


def _set_rule_variant(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult:
    from engram.service.configuring import set_rule_variant

    session = desk.session(call)
    if arguments["variant"] != "status":
        call.begin_write()
        set_rule_variant(session, arguments["variant"])
    variant = session.settings.string("rule_variant")
    text = f"Rule variant: {variant}."
    return answer(session, {"text": text, "variant": variant}, text)
