r"""What each host sends to its hooks, and what it takes for an answer. Facts, in one table.

>>> event = read_event("claude", b'{"hook_event_name": "UserPromptSubmit", "prompt": "hi"}', {})
>>> event.kind, reply(event, "text")
('prompt', b'{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"text"}}\n')
"""

from __future__ import annotations

from engram.record import Record
from engram.text.jsonlines import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    Kind = Literal["", "start", "prompt"]

__all__ = ["EVENTS", "Event", "read_event", "reply"]

# Host → its names for the events that have a use, in lower case. A host with other names for everything has none here.
EVENTS: dict[str, dict[str, Kind]] = {
    "claude": {"sessionstart": "start", "userpromptsubmit": "prompt"},
    "codex": {"sessionstart": "start", "userpromptsubmit": "prompt"},
    "gemini": {"sessionstart": "start", "beforeagent": "prompt"},
    "cursor": {"sessionstart": "start", "beforesubmitprompt": "prompt"},
    "copilot": {},
    "opencode": {"start": "start", "prompt": "prompt"},
    "cline": {"taskstart": "start", "taskresume": "start", "userpromptsubmit": "prompt"},
    "windsurf": {},
    "antigravity": {},
}
# The host's variable for the project, first of all (C59c).
_PROJECT = {
    "claude": "CLAUDE_PROJECT_DIR",
    "gemini": "GEMINI_PROJECT_DIR",
    "cursor": "CURSOR_PROJECT_DIR",
    "copilot": "CLAUDE_PROJECT_DIR",
}
_HOOK_CONTEXT, _HOOK_CONTEXT_END = "<hook_context>", "</hook_context>"


class Event(Record):
    """One event.

    Attributes:
        host: that sent it.
        name: as the host calls it.
        kind: what it means here; empty for one without use.
        session: the host's name for the session; may be empty.
        folder: where looking for a workspace begins; empty for the process's own.
        source: why a session started: ``startup``, ``resume``, ``clear``, ``compact``, …
        prompt: the text of the prompt.
        id: the host's name for this one event, where it gives one.
    """

    host: str
    name: str
    kind: Kind
    session: str = ""
    folder: str = ""
    source: str = ""
    prompt: str = ""
    id: str = ""


def read_event(host: str, data: bytes, environ: Mapping[str, str]) -> Event:
    """Return the event that a host's payload tells of; what is no JSON object tells of none.

    Args:
        host: one of ``EVENTS``.
        data: the payload.
        environ: the environment of the hook.
    """
    try:
        payload = decode(data.removeprefix(b"\xef\xbb\xbf")) if data.strip() else {}
    except ValueError:
        payload = {}
    if not isinstance(payload, dict):
        payload = {}
    name = _text(payload, "hook_event_name", "hookEventName", "hookName", "event")
    kind = EVENTS[host].get(name.lower(), "")
    inner = payload.get("userPromptSubmit")
    prompt = _text(payload, "prompt") or (_text(inner, "prompt") if isinstance(inner, dict) else "")
    if host == "copilot":
        # Its payload names no event: what has a prompt is one, and what says where a session comes from is its start.
        kind = "prompt" if "prompt" in payload else "start" if "source" in payload else ""
    if host == "gemini":
        prompt = _without_context(prompt)
    roots = payload.get("workspace_roots") or payload.get("workspaceRoots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    source = "resume" if name.lower() == "taskresume" else _text(payload, "source")
    return Event(
        host=host,
        name=name,
        kind=kind,
        session=_text(payload, "session_id", "sessionId", "conversation_id", "taskId"),
        folder=environ.get(_PROJECT.get(host, ""), "") or _text(payload, "cwd") or first,
        source=source,
        prompt=prompt,
        id=_text(payload, "turn_id", "prompt_id", "generation_id"),
    )


def reply(event: Event, text: str) -> bytes:
    """Return what the host takes for an answer: with text for the agent, or the emptiest that its schema allows."""
    value: dict[str, Any] | None
    match event.host:
        case "claude" | "codex" | "gemini":
            inner = {"hookEventName": event.name, "additionalContext": text}
            # Gemini takes nothing but JSON; the others take silence for consent.
            value = {"hookSpecificOutput": inner} if text else {} if event.host == "gemini" else None
        case "cursor":
            value = {"continue": True} if event.kind == "prompt" else {}
            value |= {"additional_context": text} if text else {}
        case "copilot" | "opencode":
            value = {"additionalContext": text} if text else {}
        case "cline":
            value = {"cancel": False} | ({"contextModification": text} if text else {})
        case _:
            value = None
    return b"" if value is None else encode(value) + b"\n"


def _text(payload: Mapping[str, Any], *names: str) -> str:
    """Return the first of some members that is a text."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _without_context(prompt: str) -> str:
    """Return a prompt without what a session's start put before it, which is memory and no question (hosts: Gemini)."""
    at = 0
    while prompt.startswith(_HOOK_CONTEXT, at):
        end = prompt.find(_HOOK_CONTEXT_END, at)
        if end < 0:
            break
        at = end + len(_HOOK_CONTEXT_END)
        while prompt.startswith("\n", at):
            at += 1
    return prompt[at:]
