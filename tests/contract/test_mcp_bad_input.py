"""What no host should send or do, sent and done to the real ``engram-mcp``; the kernel's own cases are in its tests."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from engram.mcp.server import orphan_seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Scratch
    from tests.contract.conftest import Host, Memories

LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
PATIENCE = 60.0  # seconds
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and parents of POSIX")


@pytest.fixture
def host(serve: Callable[..., Host], memories: Memories) -> Host:
    """Return a server where there is something to recall."""
    memories.add("rule", "oven", "- Clean the oven.")
    return serve()


@pytest.mark.parametrize(
    ("line", "code", "echoed"),
    [
        (b"{", -32700, None),
        (b"oven", -32700, None),
        (b"NaN", -32700, None),
        (b"\xff\xfe{}", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"Content-Length: 120\r", -32700, None),
        (b"7", -32600, None),
        (b"null", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b'{"foo":1}', -32600, None),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"),
        (b'{"id":null,"method":"ping"}', -32600, None),
        (b'{"id":1.5,"method":"ping"}', -32600, None),
        (b'{"id":true,"method":"ping"}', -32600, None),
        (b'{"id":"b","method":3}', -32600, "b"),
        (b'{"id":8,"method":"ping","params":[1]}', -32602, 8),
        (b'{"id":8,"method":"tools/call","params":{"name":"engram_forget"}}', -32602, 8),
        (b'{"id":8,"method":"tools/call","params":{"name":["engram_load"]}}', -32602, 8),
        (b'{"id":8,"method":"tools/call","params":{"name":"engram_load","arguments":"oven"}}', -32602, 8),
        (b'{"id":8,"method":"engram_forget"}', -32601, 8),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_what_cannot_be_served_is_refused_and_the_next_request_is_answered(  # C24, C29
    host: Host, line: bytes, code: int, echoed: str | int | None
) -> None:
    host.raw(line + b"\n")

    answer = host.next()
    assert answer["error"]["code"] == code
    assert answer.get("id") == echoed
    assert ("id" in answer) == (echoed is not None)
    assert host.data("engram_load", query="clean the oven")["selected_keys"] == ["oven"]
    assert host.close() == (0, "")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" \t\r",
        b'{"jsonrpc":"2.0","method":"notifications/none"}',
        b'{"jsonrpc":"3","method":"tools/call","params":{"name":"engram_set_role","arguments":{"role":"qa"}}}',
        b'{"method":"notifications/cancelled","params":{"requestId":[{}]}}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":"x","error":7}',
    ],
    ids=repr,
)
def test_what_asks_for_nothing_is_not_answered_and_changes_nothing(host: Host, memories: Memories, line: bytes) -> None:
    # C24
    before = (memories.root / "engram.config.json").read_bytes()
    host.raw(line + b"\n")

    host.silent()
    assert (memories.root / "engram.config.json").read_bytes() == before


@pytest.mark.parametrize(
    "request_id", ["x" * 10_000, "用" * 10_000, "9" * 10_000, "-7", ""], ids=["ascii", "han", "number", "less", "empty"]
)
def test_an_id_of_any_size_comes_back(host: Host, request_id: str) -> None:  # C24
    sent = (request_id if request_id.lstrip("-").isdecimal() else json.dumps(request_id, ensure_ascii=False)).encode()
    host.raw(b'{"id":' + sent + b',"method":"tools/call","params":{"name":"engram_status"}}\n')

    assert host.close() == (0, "")
    (line,) = host.lines
    assert line.startswith(b'{"jsonrpc":"2.0","id":' + sent + b',"result":{"content":[')


def test_a_byte_order_mark_line_ends_of_windows_and_a_lone_surrogate_are_served(host: Host) -> None:  # C24
    host.raw(b'\xef\xbb\xbf{"id":1,"method":"ping"}\r\n\r\n')
    assert host.answer(1)["result"] == {}
    query = '{"id":2,"method":"engram_search","params":{"query":"oven \\ud800\\u2028"}}\r\n'
    host.raw(query.encode())

    assert "oven" in host.answer(2)["result"]
    assert not any(end in line for line in host.lines for end in ("\u2028".encode(), b"\xed\xa0", b"\\ud800"))


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("cursor", ["", "2", "ff", 3, None, ["x"], "746f6f6c730a656e6772616d"], ids=repr)
def test_a_cursor_from_elsewhere_is_refused_in_both_eras(host: Host, method: str, cursor: object) -> None:
    params = {"cursor": cursor}

    assert host.request(method, params)["error"]["code"] == -32602
    assert host.modern(method, params)["error"]["code"] == -32602


def test_ten_megabytes_for_every_argument_are_survived(host: Host) -> None:
    big = "用 " * 3_500_000
    tools = host.request("tools/list")["result"]["tools"]

    for tool in tools:
        for name in tool["inputSchema"].get("properties", {}):
            result = host.call(tool["name"], **{name: big})
            assert "failed inside the server" not in result["content"][0]["text"], (tool["name"], name)
            assert len(result["content"][0]["text"]) < 2_000, (tool["name"], name)
        assert len(host.failure(tool["name"], **{big: 1})) < 2_000
    assert host.close() == (0, "")


def test_a_workspace_that_is_deleted_under_its_server_is_named(serve: Callable[..., Host], tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    host = serve(cwd=folder)
    host.handshake()
    folder.rmdir()

    for tool in ("engram_load", "engram_route", "engram_search"):
        assert "There is no folder" in host.failure(tool, query="clean the oven")
    assert "There is no folder" in host.failure("engram_save", text="Clean the oven.", type="rule")
    assert "error" in host.request("resources/read", {"uri": "engram://index"})
    assert host.close() == (0, "")


@posix
def test_a_host_that_closes_its_end_of_the_output_ends_the_server(
    scratch: Scratch, workspace: Path, server_command: list[str]
) -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        server_command, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE, env=scratch.env, cwd=workspace
    ) as server:
        os.close(writing)
        os.close(reading)
        assert server.stdin
        assert server.stderr
        server.stdin.write(b'{"id":1,"method":"tools/call","params":{"name":"engram_status"}}\n')
        server.stdin.flush()

        assert server.wait(PATIENCE) == 0
        assert server.stderr.read() == b""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3", 3.0), ("0", 0.0), ("-1", 0.0), ("600", 35.0), ("inf", 35.0), ("nan", 35.0), ("x", 35.0)],
)
def test_the_time_without_a_host_can_only_be_shortened(value: str, seconds: float) -> None:  # F3
    assert orphan_seconds({"ENGRAM_MCP_ORPHAN_TIMEOUT": value}) == seconds
    assert orphan_seconds({}) == 35.0
