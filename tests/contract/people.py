"""A host that shows Engram's dialog to a person, in both eras, and what the person answers."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from tests.contract.conftest import CAPABILITIES_KEY, MODERN, VERSION_KEY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.contract.conftest import Host, Message

CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
FORMS: Message = {"elicitation": {}}


class Dialog:
    """One dialog that waits: what it asks, and a way to answer it.

    Attributes:
        params: of ``elicitation/create``.
        state: ``requestState`` of a modern one.
    """

    def __init__(self, params: Message, answer: Callable[[Any], Message], state: str = "") -> None:
        self.params = params
        self.state = state
        self._answer = answer

    @property
    def message(self) -> str:
        """What the person reads above the form."""
        text: str = self.params["message"]
        return text

    @property
    def fields(self) -> Message:
        """The fields of the form."""
        fields: Message = self.params["requestedSchema"]["properties"]
        return fields

    @property
    def boxes(self) -> list[str]:
        """The names of the boxes."""
        return [name for name, field in self.fields.items() if field["type"] == "boolean"]

    def give(self, result: Any) -> Message:
        """Answer with a result of ``elicitation/create``, and return the result of the tool."""
        return self._answer(result)

    def accept(self, *ticked: str, **content: Any) -> Message:
        """Accept with these boxes ticked, all where none is named, and the other fields as they stand in the form."""
        values = {name: field["default"] for name, field in self.fields.items()}
        if ticked:
            values |= {name: name in ticked for name in self.boxes}
        return self.give({"action": "accept", "content": {**values, **content}})

    def untick(self) -> Message:
        """Accept with every box unticked."""
        return self.accept(**dict.fromkeys(self.boxes, False))

    def decline(self) -> Message:
        """Decline."""
        return self.give({"action": "decline"})

    def cancel(self) -> Message:
        """Close the dialog without an answer."""
        return self.give({"action": "cancel"})


class Legacy:
    """A client of the handshake era: the server asks it while its call waits."""

    name = "legacy"

    def __init__(self, host: Host, client: str = "tests", version: str = "2025-11-25", **capabilities: Message) -> None:
        self.host = host
        host.request(
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": capabilities or FORMS,
                "clientInfo": {"name": client, "version": "1"},
            },
        )
        host.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Message:
        """Call a tool and return its result; no dialog may come."""
        return self.host.call(tool, **arguments)

    def ask(self, tool: str, **arguments: Any) -> Dialog:
        """Call a tool that asks, and return the dialog."""
        number = self.host.start_request("tools/call", {"name": tool, "arguments": arguments})
        question = self.host.next()
        assert question.get("method") == "elicitation/create", question

        def answer(result: Any) -> Message:
            body = result if isinstance(result, dict) and "error" in result else {"result": result}
            self.host.send({"jsonrpc": "2.0", "id": question["id"], **body})
            return self.result(number)

        dialog = Dialog(question["params"], answer)
        dialog.number = number  # type: ignore[attr-defined]
        return dialog

    def result(self, number: int) -> Message:
        """Return the result of a call by its id."""
        result: Message = self.host.answer(number)["result"]
        return result


class Modern:
    """A client that carries its revision: it calls again with the answer."""

    name = "modern"

    def __init__(self, host: Host, client: str = "tests", **capabilities: Message) -> None:
        self.host = host
        self.meta = {
            VERSION_KEY: MODERN,
            CAPABILITIES_KEY: capabilities or FORMS,
            CLIENT_KEY: {"name": client, "version": "1"},
        }

    def raw(self, tool: str, arguments: Message, **more: Any) -> Message:
        """Call a tool and return the whole answer."""
        return self.host.request("tools/call", {"name": tool, "arguments": arguments, "_meta": self.meta, **more})

    def call(self, tool: str, **arguments: Any) -> Message:
        """Call a tool and return its result; no dialog may come."""
        result: Message = self.raw(tool, arguments)["result"]
        assert result["resultType"] == "complete", result
        return result

    def ask(self, tool: str, **arguments: Any) -> Dialog:
        """Call a tool that asks, and return the dialog."""
        result: Message = self.raw(tool, arguments)["result"]
        assert result["resultType"] == "input_required", result
        ((name, request),) = result["inputRequests"].items()
        assert request["method"] == "elicitation/create"
        state: str = result["requestState"]

        def answer(given: Any) -> Message:
            reply = self.raw(tool, arguments, inputResponses={name: given}, requestState=state)
            assert "result" in reply, reply
            found: Message = reply["result"]
            return found

        dialog = Dialog(request["params"], answer, state)
        dialog.key = name  # type: ignore[attr-defined]
        return dialog


def text_of(result: Message) -> str:
    """Return the text of a tool's result, whether it worked or not."""
    text: str = result["content"][0]["text"]
    return text


def data_of(result: Message) -> Message:
    """Return the ``data`` of a tool that has to have worked (C32)."""
    assert result["isError"] is False, result
    data: Message = result["structuredContent"]["data"]
    return data


def failure_of(result: Message) -> str:
    """Return what a tool that has to have failed says (C29a)."""
    assert result["isError"] is True, result
    assert "structuredContent" not in result
    return text_of(result)


def saved(result: Message) -> list[str]:
    """Return the ids that a result says were written."""
    return [row["id"] for row in data_of(result)["outcomes"] if row["saved"]]


def names_in(root: Path) -> list[str]:
    """Return the ids of the active memories of a root, sorted."""
    return sorted(path.stem for kind in ("rules", "skills", "knowledge") for path in (root / kind).glob("*.md"))


def inbox_of(root: Path) -> list[Message]:
    """Return what waits in a root's inbox."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / "inbox").glob("*.json"))]


def book_of(root: Path) -> Message:
    """Return the file of open approvals as data."""
    book: Message = json.loads((root / "pending-approvals.json").read_text(encoding="utf-8"))
    return book


def write_book(root: Path, book: Message) -> None:
    """Write the file of open approvals as somebody with an editor would."""
    text = json.dumps(book, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    (root / "pending-approvals.json").write_text(text, encoding="utf-8", newline="\n")


def everything_in(root: Path) -> dict[str, bytes]:
    """Return every durable file of a root, by path: what a human approves and what vouches for it."""
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in {".cache", ".journal", "inbox", "working"}]
        for name in names:
            path = os.path.join(folder, name)
            if name not in {".lock", "pending-approvals.json", ".gitignore"}:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read()
    return found


def lines(*texts: str, kind: str = "rule") -> str:
    """Return candidate lines (F19)."""
    return "\n".join(f"TYPE: {kind} | TEXT: {text}" for text in texts)


THREE = lines(
    "Bake the bread at dawn.", "Count the stars by hand.", "Paint every fence green.",
)  # fmt: skip
THREE_IDS = ["bake-the-bread-at-dawn", "count-the-stars-by-hand", "paint-every-fence-green"]
