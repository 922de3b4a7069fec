"""Proposals that wait for a human, made as agents make them, and let age."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from engram.proposals.pending import hash_of, parse_book

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

FRIDAY = "TYPE: rule | TEXT: Never deploy on Friday."
CENTS = "TYPE: knowledge | TEXT: Prices are integers in cents."
UPLOADS = "TYPE: rule | TEXT: Uploads end after five minutes."


def mcp(engram: Runner, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call one tool in a server of its own, as a host without dialogs does, and return the result."""
    script = os.path.join(os.path.dirname(sys.executable), "engram-mcp")
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    with subprocess.Popen(
        [script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=engram.cwd,
        env=engram.scratch.env,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        # What is asked before the end of input has a second from there (C30); a busy machine may need longer.
        answer = next(found for line in server.stdout if (found := json.loads(line)).get("id") == 2)
        server.stdin.close()
        assert server.wait(60) == 0
    result: dict[str, Any] = answer["result"]
    return result


def propose(engram: Runner, *lines: str) -> str:
    """Propose candidates through MCP, and return the token."""
    data = mcp(engram, "engram_save_session", text="\n".join(lines))["structuredContent"]["data"]
    return str(data["approval_token"])


def commit(engram: Runner, token: str) -> str:
    """Commit everything of a token, and return what the tool says."""
    return str(mcp(engram, "engram_commit", approval_token=token, approve="all")["content"][0]["text"])


def defer(engram: Runner, *lines: str) -> None:
    """Put candidates into the inbox."""
    candidates = engram.scratch.home / "candidates.txt"
    candidates.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    engram.ok("save-session", "--file", str(candidates), "--inbox")


def age(engram: Runner, root: Path, seconds: int, copies: int = 1) -> None:
    """Let every open proposal have been made so many seconds earlier, as if nobody had come by since."""
    path = root / "pending-approvals.json"
    book = parse_book(path.read_text(encoding="utf-8"))
    secret = (engram.scratch.config / "approval.key").read_text(encoding="ascii").strip()
    book.pending = [
        one.replace(
            hash=hash_of(f"{one.hash}{number}") if number else one.hash,
            created=one.created - seconds,
            expires=one.expires - seconds,
        ).sealed(secret)
        for one in book.pending
        for number in range(copies)
    ]
    path.write_text(book.text(time.time()), encoding="utf-8", newline="\n")


def items(engram: Runner) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = engram.json("review")["data"]["items"]
    return found
