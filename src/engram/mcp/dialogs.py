"""One question to a human in the host's own dialog, in both eras (C45 to C52).

A legacy client is asked while its call waits. A modern one gets ``InputRequired`` and calls again with the answer and
a sealed state. What the state stands for stays in this process: the client carries a number that nobody can make up,
bound to the tool, the workspace and the arguments, good for half an hour and for one answer.
"""

from __future__ import annotations

import _thread
import os
import time

from engram.mcp.call import AskError
from engram.mcp.protocol import INVALID_PARAMS, ProtocolError
from engram.mcp.registry import InputRequired
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from engram.mcp.call import Call

    Action = Literal["accept", "decline", "cancel", "silent", "invalid", "empty"]

__all__ = ["Answer", "Dialogs", "Question"]

_NAME = "approval"
_LIFETIME_S = 30 * 60
_CLOCK_SLACK_S = 60
# More open questions than this are forgotten, the oldest first: nobody answers them any more.
_MOST_OPEN = 500
_FALLBACK = "The question is open no longer; call the tool again without requestState."


class Question(Record):
    """What is asked.

    Attributes:
        tool: that asks.
        workspace: the memory root that the answer is about.
        arguments: of the call.
        message: what the human reads.
        fields: name → JSON schema of each field of the form: booleans, and texts with an ``enum``.
        kept: what the asker needs again when the answer is there.
    """

    tool: str
    workspace: str
    arguments: Mapping[str, Any]
    message: str
    fields: Mapping[str, dict[str, Any]]
    kept: Any

    @property
    def params(self) -> dict[str, Any]:
        """The ``params`` of ``elicitation/create``."""
        return {
            "message": self.message,
            "requestedSchema": {"type": "object", "properties": dict(self.fields), "required": list(self.fields)},
        }


class Answer(Record):
    """What the human said.

    ``silent`` is no answer in time, or an error in its place. ``empty`` is an ``accept`` without any field of the form
    (C48). ``invalid`` is what no dialog of this form can give.
    """

    action: Action
    content: dict[str, Any]
    question: Question


class _Open(Record):
    question: Question
    binding: str
    since: float

    def is_over(self, now: float) -> bool:
        """Tell whether its half hour is over, by a clock that may have been set back."""
        return not self.since - _CLOCK_SLACK_S <= now < self.since + _LIFETIME_S


class Dialogs:
    """The questions of one server.

    Args:
        on: False under ``--no-elicitation`` (C13).
    """

    def __init__(self, *, on: bool) -> None:
        self._on = on
        self._key = os.urandom(32)
        self._open: dict[str, _Open] = {}
        self._lock = _thread.allocate_lock()

    def possible(self, call: Call) -> bool:
        """Tell whether the client shows forms (C22, C53)."""
        return self._on and call.lacks("elicitation/create") is None

    def ask(self, call: Call, question: Question, *, timeout: float) -> Answer | InputRequired:
        """Ask a client that can be asked.

        Args:
            call: that waits for the answer.
            question: for the human.
            timeout: in seconds, for legacy clients (C49).

        Raises:
            CancelledError: the client withdrew the call.
        """
        if call.modern:
            state = self._seal(question)
            return InputRequired({_NAME: {"method": "elicitation/create", "params": question.params}}, state)
        try:
            return _read(call.ask("elicitation/create", question.params, timeout=timeout), question)
        except AskError:
            return Answer("silent", {}, question)

    def answered(self, call: Call, tool: str, workspace: str, arguments: Mapping[str, Any]) -> Answer | None:
        """Return the answer that a retry brings; None for a call that brings none and has to ask (C52).

        Raises:
            ProtocolError: -32602, for a state that is forged, expired, used, or of another question.
        """
        if call.state is None:
            return None
        number = self._number(call.state)
        with self._lock:
            known = self._open.pop(number, None) if number else None
        if known is None or known.is_over(time.time()) or known.binding != _binding(tool, workspace, arguments):
            raise ProtocolError(INVALID_PARAMS, f"This requestState is not valid. {_FALLBACK}")
        given = (call.responses or {}).get(_NAME)
        if given is None:
            return None
        return _read(given, known.question)

    def _seal(self, question: Question) -> str:
        number = os.urandom(16).hex()
        now = time.time()
        with self._lock:
            self._open = {key: one for key, one in self._open.items() if not one.is_over(now)}
            while len(self._open) >= _MOST_OPEN:
                del self._open[next(iter(self._open))]
            binding = _binding(question.tool, question.workspace, question.arguments)
            self._open[number] = _Open(question, binding, now)
        return f"{number}.{self._mac(number)}"

    def _number(self, state: str) -> str:
        """Return the number that a state carries, ``""`` where the seal is not ours."""
        from hmac import compare_digest

        number, _, mac = state.partition(".")
        whole = compare_digest(mac.encode("utf-8", "replace"), self._mac(number).encode())
        return number if whole else ""

    def _mac(self, number: str) -> str:
        from hmac import new

        return new(self._key, number.encode("utf-8", "replace"), "sha256").hexdigest()


def _binding(tool: str, workspace: str, arguments: Mapping[str, Any]) -> str:
    from json import dumps

    return dumps([tool, workspace, dict(arguments)], sort_keys=True)


def _read(result: object, question: Question) -> Answer:
    """Check what a client says that its human answered."""
    action = result.get("action") if isinstance(result, dict) else None
    if action == "decline":
        return Answer("decline", {}, question)
    if action == "cancel":
        return Answer("cancel", {}, question)
    if action != "accept" or not isinstance(result, dict):
        return Answer("invalid", {}, question)
    content = result.get("content")
    if content is None or content == {}:
        return Answer("empty", {}, question)
    if not isinstance(content, dict):
        return Answer("invalid", {}, question)
    if not content.keys() & question.fields.keys():
        return Answer("empty", {}, question)
    # Every field of the form is required, and it has no other.
    fits = content.keys() == question.fields.keys() and all(
        _fits(value, question.fields[name]) for name, value in content.items()
    )
    return Answer("accept" if fits else "invalid", content if fits else {}, question)


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    if schema["type"] == "boolean":
        return isinstance(value, bool)
    return value in schema["enum"]
