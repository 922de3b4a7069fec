"""A key that stands anywhere in a memory folder is shown on no face (decision 8, C3): each place, and each face.

``test_outgoing`` looks at the fields of one memory. Here the key is also in what is no text of a memory: the names of
files, ids, authors, what a memory refers to, what cannot be read, notes, inbox, archive, ledger, changelog.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.acceptance.test_outgoing import mcp, memory, put

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

NUMBER = 40


def key(number: int) -> str:
    """Return a key of its own for each place, so that a leak tells from where."""
    return f"ghp_{number:02d}aB3dE6gH9jK2mN5pQ8rSxY7zW4vU1tS0qP"


@pytest.fixture
def folder(engram: Runner, root: Path) -> Path:
    """Put a key of its own into every place of a memory folder that anything is read from."""
    engram.save("rule", "Deploy the orders service on Monday.")
    put(
        root,
        "rules/deploy-orders-carefully.md",
        f"---\nauthor_email: {key(0)}@example.test\nauthor_name: {key(1)}\nauthority: instruction\n"
        f"depends_on: [{key(2)}, deploy-the-orders-service-on-monday]\nderived_from: {key(3)}\n"
        f"evidence_refs: [{key(4)}]\n"
        f"id: deploy-orders-carefully\nlevel: {key(5)}\nparent: {key(6)}\nschema_version: 3\nscope: workspace\n"
        f"source: {key(7)}\nsource_files: [{key(8)}]\nsupersedes: {key(9)}\ntask_types: [{key(10)}]\n"
        "type: rule\n---\n\n"
        "# Deploy orders carefully\n\n## Content\n\nDeploy the orders service carefully.\n",
    )
    named = memory("knowledge", key(11), "The orders service is deployed from the main branch.")
    put(root, f"knowledge/{key(11)}.md", named)
    put(root, f"knowledge/{key(12)}/orders-are-queued.md", memory("knowledge", "orders-are-queued", "Orders queue."))
    put(root, "knowledge/another-name.md", memory("knowledge", key(13), "Orders service replicas are three."))
    old = memory("knowledge", "orders-were-slow", f"The orders service deploy was slow {key(14)}.")
    put(root, "knowledge/orders-were-slow.md", old.replace("type:", f"superseded_by: {key(15)}\ntype:"))
    past = memory("knowledge", "orders-freeze", f"The orders service deploy is frozen {key(16)}.")
    put(
        root,
        "knowledge/orders-freeze.md",
        past.replace("---\n\n", "valid_until: 2020-01-01\n---\n\n", 1),
    )
    edited = put(root, "knowledge/edited.md", memory("knowledge", "edited", "The orders deploy takes long."))
    edited.write_text(edited.read_text("utf-8") + f"\nMore {key(17)}\n", encoding="utf-8", newline="\n")
    for name, text in {
        "broken": f"---\nid: &{key(18)} broken\n{key(19)}: [\n---\n\nText {key(20)}\n",
        "conflict": f"# Conflict\n\n<<<<<<< {key(21)}\nOne {key(22)}\n=======\nTwo\n>>>>>>> other\n",
        f"unlisted-{key(23)}": memory("knowledge", "unlisted", f"Orders {key(24)}"),
    }.items():
        (root / "knowledge" / f"{name}.md").write_text(text, encoding="utf-8", newline="\n")
    engram.ok("note", "The orders deploy is being written.", "--objective", "orders deploy", input="A\n")
    note = next((root / "working").glob("*.md"))
    text = note.read_text("utf-8")
    note.write_text(text.replace("is being written", f"is {key(25)}"), encoding="utf-8", newline="\n")
    other = note.with_name(f"{key(26)}.md")
    other.write_text(text.replace("objective: orders deploy", f"objective: {key(27)}"), encoding="utf-8", newline="\n")
    inbox = root / "inbox"
    inbox.mkdir(exist_ok=True)
    (inbox / f"{key(28)}.json").write_text(json.dumps({"text": key(29)}), encoding="utf-8", newline="\n")
    (inbox / "deferred.md").write_text(f"TYPE: rule | TEXT: Orders {key(30)}\n", encoding="utf-8", newline="\n")
    archived = (
        f"<!-- Archived 2026-01-02 -->\n<!-- Original: knowledge/{key(31)}.md -->\n<!-- Reason: {key(32)} -->\n\n"
    )
    put(root, "archive/2026-01-02/knowledge/old-orders.md", archived + memory("knowledge", "old-orders", key(33)))
    with (root / "SHA256SUMS").open("a", encoding="utf-8", newline="\n") as ledger:
        ledger.write(f"{'0' * 64}  knowledge/{key(34)}.md\n")
    with (root / "changelog.md").open("a", encoding="utf-8", newline="\n") as changelog:
        changelog.write(f"- 2026-01-02T00:00:00.000Z saved knowledge/x.md {key(35)}\n")
    config = root / "engram.config.json"
    text = config.read_text("utf-8")
    config.write_text(text.replace("{", f'{{\n  "{key(36)}": "{key(37)}",', 1), encoding="utf-8", newline="\n")
    return root


COMMANDS = (
    (),
    ("list",), ("list", "--json"), ("list", "--all"), ("list", "--notes"), ("list", "--notes", "--json"),
    ("load", "deploy the orders service"), ("load", "--json", "--explain", "deploy the orders service"),
    ("load", "--full", "deploy the orders service"), ("load", "--disclosure", "cards", "deploy the orders service"),
    ("load", "--dry-run", "deploy the orders service"),
    ("load", "--id", "deploy-orders-carefully"), ("load", "--id", "deploy-orders-carefully", "--json"),
    ("load", "--id", "orders-were-slow"), ("load", "--id", "another-name"), ("load", "--id", "edited"),
    ("load", "--id", "broken"), ("load", "--id", "old-orders"), ("load", "--id", "ghp"),
    ("search", "deploy orders service", "--all", "--explain"), ("search", "orders", "--json"),
    ("route", "deploy the orders service", "--explain"), ("route", "deploy orders", "--json"),
    ("show", "deploy-orders-carefully"), ("show", "deploy-orders-carefully", "--json"), ("show", "old-orders"),
    ("show", "old-orders", "--json"), ("show", "orders-were-slow"), ("show", "conflict"), ("show", "edited"),
    ("show", "broken", "--json"),
    ("graph", "deploy-orders-carefully"), ("graph",), ("graph", "--format", "mermaid"), ("graph", "--format", "dot"),
    ("graph", "--json"),
    ("status",), ("status", "--json"), ("status", "--deep"), ("verify",), ("verify", "--json"), ("repair",),
    ("repair", "--json"), ("repair", "--fix"), ("scan",), ("scan", "--format", "json"), ("scan", "--format", "sarif"),
    ("review", "--list"), ("review", "--list", "--json"), ("doctor",), ("doctor", "--json"), ("config", "view"),
    ("config", "view", "--json"), ("trust", "--list"), ("upgrade", "--migrate-memories", "--plan"),
    ("save", "rule", "Deploy the orders service on Tuesday."),
    ("save", "rule", "Deploy orders service carefully and slowly.", "--json"),
    ("save", "knowledge", "It is small.", "--update", "edited"), ("promote", "ghp"), ("archive", "gh", "--reason", "x"),
    ("save", "knowledge", "Orders are fast.", "--supersedes", "orders-were-slow"),
)  # fmt: skip


def leaked(said: str) -> list[int]:
    """Return the numbers of the keys that a text shows."""
    return [number for number in range(NUMBER) if key(number)[4:] in said]


def test_no_command_shows_a_key_that_stands_anywhere(engram: Runner, folder: Path) -> None:  # C3
    leaks = []
    for args in COMMANDS:
        done = engram.run(*args, input="C\n")
        said = done.stdout + done.stderr
        leaks += [(args, number) for number in leaked(said)]
        assert "Traceback" not in said
    assert leaks == []


def test_no_answer_of_the_server_shows_a_key_that_stands_anywhere(engram: Runner, folder: Path) -> None:  # C3
    def tool(name: str, **arguments: object) -> dict[str, object]:
        return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}

    def read(uri: str) -> dict[str, object]:
        return {"method": "resources/read", "params": {"uri": uri}}

    hello: dict[str, object] = {
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}},
    }
    leaks: list[object] = []
    ids = (
        "deploy-orders-carefully",
        "edited",
        "broken",
        "conflict",
        "ghp",
        "old-orders",
        "orders-were-slow",
        "another-name",
    )
    calls: list[dict[str, object]] = [
        tool("engram_load", query="deploy the orders service"),
        tool("engram_load", query="deploy the orders service", full=True, explain=True),
        *(tool("engram_load", id=name) for name in ids),
        tool("engram_search", query="deploy orders service"),
        tool("engram_route", query="deploy orders service"),
        tool("engram_status"),
        tool("engram_verify"),
        tool("engram_save", text="Deploy the orders service at noon.", type="rule"),
        tool("engram_note", text="Orders deploy at noon.", objective="orders"),
        tool("engram_set_role", role="backend"),
        {"method": "resources/list", "params": {}},
        {"method": "prompts/list", "params": {}},
        {"method": "tools/list", "params": {}},
        read("engram://index"),
        *(read(f"engram://memory/{name}") for name in ids),
    ]
    for call in calls:
        said = mcp(engram, hello, call)
        leaks += [(call["params"], number) for number in leaked(said)]
        assert "Traceback" not in said
    assert leaks == []


def test_no_hook_shows_a_key_that_stands_anywhere(engram: Runner, folder: Path) -> None:  # C3
    (folder / ".cache" / "last-start").unlink(missing_ok=True)
    start = {"hook_event_name": "SessionStart", "session_id": "one", "source": "startup", "cwd": str(engram.cwd)}
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "two", "prompt": "deploy the orders service",
              "cwd": str(engram.cwd)}  # fmt: skip
    engram.ok("hook", "claude", input=json.dumps(start))
    put(
        folder,
        f"rules/{key(38)}.md",
        memory("rule", key(38), "New orders.").replace("type:", f"author_name: {key(39)}\ntype:"),
    )
    for event in (start, prompt, {**start, "session_id": "three"}):
        done = engram.run("hook", "claude", input=json.dumps(event), env={"ENGRAM_SESSION_OBJECTIVE": "orders deploy"})
        assert leaked(done.stdout + done.stderr) == []
