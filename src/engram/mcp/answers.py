"""A service's answer as what a host shows: text for some, data for the others, each complete in itself (C29a, C32)."""

from __future__ import annotations

import os

from engram.mcp.registry import ToolResult
from engram.version import CONTRACT_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from engram.mcp.desk import Desk
    from engram.service.session import Session

__all__ = ["answer", "envelope_schema", "explain"]


def envelope_schema(*members: str) -> dict[str, Any]:
    """Return the ``outputSchema`` of a tool whose ``data`` always has these members (C32).

    It says no more: every byte of ``tools/list`` sits in every agent's context (C29d), and no host shows a model
    the schema of what comes back.
    """
    return {
        "type": "object",
        "properties": {
            "contract_version": {"type": "string"},
            "ok": {"type": "boolean"},
            "data": {"type": "object", "required": list(members)},
            "diagnostics": {"type": "array"},
        },
        "required": ["contract_version", "ok", "data", "diagnostics"],
    }


def answer(session: Session, data: Mapping[str, object], text: str, *, ok: bool = True) -> ToolResult:
    """Return a tool's result; what the session has to say stands in both forms.

    Args:
        session: that gave the answer.
        data: plain data; what it renders as text stands there once, as ``text``.
        text: everything that ``data`` says, for people and for hosts that show text only.
        ok: False where the tool worked and found something that is not in order.
    """
    notices = session.notices
    lines = [
        notice.message if notice.level == "skipped" else f"{notice.level}: {notice.message} {notice.hint}".rstrip()
        for notice in notices
    ]
    structured = {
        "contract_version": CONTRACT_VERSION,
        "ok": ok,
        "data": dict(data),
        "diagnostics": [notice.as_data() for notice in notices],
    }
    return ToolResult("\n\n".join(part for part in (text, "\n".join(lines)) if part), structured)


def explain(desk: Desk, error: Exception) -> str | None:
    """Return what a failure means to the model, None for one that nobody expects (C29).

    An error quotes what came in: it is inert, and secrets in it are masked (C3). Paths of the workspace are shown from
    its folder, others from the home folder; a file elsewhere that cannot be read is an internal failure.
    """
    from engram.errors import EngramError

    if isinstance(error, OSError) and isinstance(error.filename, str) and _is_below(error.filename, desk.start):
        from engram.store.files import read_error

        error = read_error(error, error.filename)
    if not isinstance(error, EngramError):
        return None
    from engram.safety.fence import show_inert
    from engram.safety.scan import mask_secrets

    place = f" (line {error.line})" if error.line and f"line {error.line}" not in error.message else ""
    text = "\n".join(part for part in (error.message + place, error.hint) if part)
    return show_inert(mask_secrets(shorten(text, (desk.start,), desk.environ.get("HOME", ""))))


def shorten(text: str, folders: Sequence[str], home: str) -> str:
    """Return a text with the paths below some folders as they are seen from there, and those below home with ``~``."""
    for folder in folders:
        if len(folder) > 1:
            text = text.replace(folder.rstrip(os.sep) + os.sep, "")
    if len(home) > 1:
        text = text.replace(home.rstrip(os.sep) + os.sep, f"~{os.sep}")
    return text


def _is_below(path: str, folder: str) -> bool:
    return bool(folder) and os.path.abspath(path).startswith(folder.rstrip(os.sep) + os.sep)
