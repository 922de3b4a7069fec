"""The form of the approval dialog: a box a candidate, ids and verdicts, never memory text (C46)."""

from __future__ import annotations

from engram.mcp.dialogs import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["MOST_BOXES", "form"]

# A form with more boxes than this is not read.
MOST_BOXES = 20


def form(
    tool: str,
    arguments: dict[str, Any],
    home: str,
    candidates: Sequence[dict[str, Any]],
    *,
    kept: object,
    asked: str,
) -> Question | None:
    """Return the form of C46: ids and verdicts, never memory text; None where it would have too many boxes, or none.

    Args:
        tool: that asks.
        arguments: of the call.
        home: the memory root.
        candidates: ``number``, ``word``, ``id``, ``target``, ``scope``, and perhaps ``deferred`` with a reason,
            ``foreign`` of a target that nobody has accepted (F18) and ``needs``, sentences on what it depends on in
            vain; one for each scope.
        kept: what is needed again.
        asked: the question.
    """
    from engram.safety.fence import show_line

    fields: dict[str, dict[str, Any]] = {}
    waiting = []
    warned = []
    scopes: list[str] = []
    for one in candidates:
        name = f"candidate_{one['number']}"
        about = f"{one['word']} {one['target']}" if one["target"] else str(one["word"])
        if one.get("deferred"):
            waiting.append(f"{one['number']}. {one['id']} ({one['scope']}) would wait in the inbox: {one['deferred']}")
            continue
        if one.get("foreign"):
            warned.append(f"{one['number']}. {one['target']} ({one['scope']}) is foreign: nobody here accepted it.")
        warned += [f"{one['number']}. {one['id']} ({one['scope']}): {need}." for need in one.get("needs", ())]
        if one["scope"] not in scopes:
            scopes.append(one["scope"])
        if name in fields:
            fields[name]["title"] += show_line(f"; {one['scope']}: {about} ({one['id']})")
            continue
        fields[name] = {
            "type": "boolean",
            "title": show_line(f"{one['number']}. {about} ({one['id']})"),
            "default": True,
        }
    if not fields or len({one["number"] for one in candidates}) > MOST_BOXES:
        return None
    scopes = ["both", *scopes] if len(scopes) > 1 else scopes
    fields["scope"] = {"type": "string", "title": "Save to", "enum": scopes, "default": scopes[0]}
    lines = [f"{asked} Untick what should not be kept. To read the texts first: engram review", *warned, *waiting]
    return Question(tool, home, arguments, "\n".join(map(show_line, lines)), fields, kept)
