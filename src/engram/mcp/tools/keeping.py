"""``engram_verify``, ``engram_status``: whether memory is in order, and what there is."""

from __future__ import annotations

from engram.mcp.answers import answer, envelope_schema
from engram.mcp.tools.recalling import READS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.mcp.call import Call
    from engram.mcp.desk import Desk
    from engram.mcp.registry import Registry, ToolResult

__all__ = ["register"]


def register(registry: Registry, desk: Desk) -> None:
    """Offer the tools of this group."""
    registry.tool(
        "engram_verify",
        lambda call, arguments: _verify(desk, call, arguments),
        description="Check every memory file against its approved hash; names what was changed by hand.",
        properties={"scope": {"type": "string", "enum": ["workspace", "global", "all"]}},
        output_schema=envelope_schema("text", "roots"),
        annotations=READS,
    )
    registry.tool(
        "engram_status",
        lambda call, _arguments: _status(desk, call),
        description="How many memories there are, where, and what needs a human's attention.",
        output_schema=envelope_schema("text", "roots"),
        annotations=READS,
    )


def _verify(desk: Desk, call: Call, arguments: dict[str, Any]) -> ToolResult:
    from engram.safety.fence import show_line
    from engram.service.keeping import SHOWN_PROBLEMS, verified_lines, verify

    session = desk.session(call)
    reports = verify(session, scope=arguments.get("scope", ""))
    lines = [show_line(line) for report in reports for line in verified_lines(report)]
    ok = not any(report.problems for report in reports)
    data = {
        "text": "Every file is as it was approved." if ok else "A human reviews them: engram verify --review",
        "roots": [
            {
                "scope": report.scope,
                "root": report.root,
                "checked": report.checked,
                "problems": [
                    {"path": show_line(skip.path), "kind": skip.kind, "reason": show_line(skip.reason)}
                    for skip in report.problems[:SHOWN_PROBLEMS]
                ],
                "problem_count": len(report.problems),
                "unrecorded_count": len(report.unrecorded),
                "renamed": [
                    {"path": show_line(path), "named": show_line(named)}
                    for path, named in report.renamed[:SHOWN_PROBLEMS]
                ],
            }
            for report in reports
        ],
    }
    return answer(session, data, "\n".join(lines), ok=ok)


# Status asks the index, which does not notice a file that was changed in its place (F13).
_NOTHING = "Nothing is known that needs attention; engram_verify reads every file to be sure."


def _status(desk: Desk, call: Call) -> ToolResult:
    from engram.safety.fence import show_line
    from engram.service.status import counts_line, status

    session = desk.session(call)
    found = status(session)
    lines = []
    for state, sentences in zip(found.roots, found.attention, strict=True):
        lines += [counts_line(state), *(f"  {sentence}" for sentence in sentences)]
    attention = [
        f"{state.scope} memory: {sentence}"
        for state, sentences in zip(found.roots, found.attention, strict=True)
        for sentence in sentences
    ]
    if not found.roots:
        lines = attention = ["There is no memory here yet. A human starts one: engram inject"]
    if found.read != "auto":
        lines.append(f"read: {found.read}")
    data = {
        "text": "\n".join(map(show_line, attention)) or _NOTHING,
        "roots": [
            {name: value for name, value in state.as_dict().items() if name != "renamed"} for state in found.roots
        ],
        "read": found.read,
    }
    return answer(session, data, "\n".join(map(show_line, lines)))
