"""The client of the official Python SDK, in both eras, lists and calls everything that ``engram-mcp`` offers.

It checks each answer against its own models of the revision in force and against each tool's ``outputSchema``, so what
it takes is what a host that is built on it takes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import anyio
import pytest
from mcp.types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult, ErrorData

from engram.mcp.server import INSTRUCTIONS
from engram.version import __version__
from mcp import Client, MCPError, StdioServerParameters, stdio_client

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from mcp.client.client import ConnectMode
    from mcp.client.session import ClientRequestContext, ElicitationFnT
    from tests.conftest import Scratch
    from tests.contract.conftest import Memories

    Body: TypeAlias = Callable[[Client], Awaitable[None]]
    Use: TypeAlias = Callable[..., None]

PATIENCE = 60.0  # seconds
MODES: dict[ConnectMode, str] = {"legacy": "2025-11-25", "auto": "2026-07-28"}
# Arguments with which each tool does what it is for.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "engram_load": {"query": "install a library", "explain": True},
    "engram_route": {"task": "fix the install"},
    "engram_search": {"query": "install", "limit": 3, "type": "rule"},
    "engram_verify": {"scope": "all"},
    "engram_status": {},
    "engram_save": {"text": "Use tabs in Makefiles.", "type": "rule"},
    "engram_save_session": {"text": "TYPE: rule | TEXT: Tag a release only after all tests. | TRIGGERS: release"},
    "engram_note": {"text": "The flaky test is test_upload.", "objective": "find the flaky test"},
    "engram_set_role": {"roles": ["backend"]},
    "engram_set_rule_variant": {"variant": "strict"},
}


@pytest.fixture(params=MODES)
def use(
    request: pytest.FixtureRequest, scratch: Scratch, memories: Memories, workspace: Path, server_command: list[str]
) -> Iterator[Use]:
    """Return a function that runs something with a connected client, in each way that the SDK can connect."""
    memories.add("rule", "use-pnpm", "- Use pnpm for every install.", title="Use pnpm for every install")
    memories.add("knowledge", "用户-身份", "- 用户身份存储在 SQLite。", title="用户身份")
    command, *words = server_command
    server = StdioServerParameters(command=command, args=words, env=scratch.env, cwd=workspace)

    async def connected(body: Body, human: ElicitationFnT | None) -> None:
        with anyio.fail_after(PATIENCE):
            async with Client(stdio_client(server, log), mode=request.param, elicitation_callback=human) as client:
                assert client.protocol_version == MODES[request.param]
                await body(client)

    def run(body: Body, human: ElicitationFnT | None = None) -> None:
        try:
            anyio.run(connected, body, human)
        except BaseExceptionGroup as group:  # a failed assertion, in as many groups as the SDK has tasks around it
            first: BaseException = group
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            raise first from None

    with open(os.devnull, "w", encoding="utf-8") as log:
        yield run


def test_it_connects_and_knows_who_serves(use: Use) -> None:  # C17, C19, C26
    async def body(client: Client) -> None:
        assert client.server_info
        assert (client.server_info.name, client.server_info.version) == ("engram", __version__)
        assert client.instructions == INSTRUCTIONS
        declared = client.server_capabilities.model_dump(exclude_none=True)
        assert set(declared) == {"tools", "resources", "prompts"}

    use(body)


def test_it_lists_and_calls_every_tool(use: Use) -> None:  # C18, C19, C32
    async def body(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        token = ""
        for name in listed:
            arguments = {"approval_token": token, "approve": "all"} if name == "engram_commit" else ARGUMENTS[name]
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result)
            token = result.structured_content["data"].get("approval_token", token)
            assert result.content[0].type == "text"
            assert result.content[0].text
            assert result.structured_content["ok"] is True
            assert result.structured_content["data"]["text"]

    use(body)


def test_its_human_is_asked_in_the_dialog_of_each_era(use: Use, memories: Memories) -> None:  # C45 to C47, C50
    asked: list[str] = []

    async def human(_context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        assert isinstance(params, ElicitRequestFormParams)
        fields = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={name: field["default"] for name, field in fields.items()})

    async def body(client: Client) -> None:
        result = await client.call_tool("engram_save", ARGUMENTS["engram_save"])
        assert not result.is_error, result
        assert "approval_token" not in result.structured_content["data"]

    use(body, human)
    assert len(asked) == 1
    assert "Use tabs in Makefiles." in (memories.root / "rules" / "use-tabs-in-makefiles.md").read_text("utf-8")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_what_its_human_does_not_accept_is_not_saved(
    use: Use, memories: Memories, action: Literal["decline", "cancel"]
) -> None:  # C48, C49
    async def human(_context: ClientRequestContext, _params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action=action)

    async def body(client: Client) -> None:
        result = await client.call_tool("engram_save", ARGUMENTS["engram_save"])
        assert not result.is_error, result
        data = result.structured_content["data"]
        assert ("approval_token" in data) == (action == "cancel")
        assert data["text"].lower().startswith("nothing was saved")

    use(body, human)
    assert not (memories.root / "rules" / "use-tabs-in-makefiles.md").exists()


@pytest.mark.parametrize(
    ("content", "token"),
    [
        ({"candidate_1": False, "scope": "workspace"}, False),
        ({"candidate_1": "perhaps", "scope": "workspace"}, False),
        ({"candidate_1": True, "scope": "global"}, False),
        ({"candidate_1": True, "candidate_9": True, "scope": "workspace"}, False),
        ({}, True),
        (None, True),
    ],
    ids=["unticked", "invalid", "widened", "not asked", "empty", "none"],
)
def test_an_answer_that_ticks_nothing_it_was_asked_writes_nothing(
    use: Use, memories: Memories, content: dict[str, Any] | None, *, token: bool
) -> None:  # C46 to C48
    async def human(_context: ClientRequestContext, _params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content=content)

    async def body(client: Client) -> None:
        data = (await client.call_tool("engram_save", ARGUMENTS["engram_save"])).structured_content["data"]
        assert data["text"].lower().startswith("nothing was saved")
        assert ("approval_token" in data) == token

    use(body, human)
    assert not (memories.root / "rules" / "use-tabs-in-makefiles.md").exists()


def test_a_dialog_that_its_client_cannot_show_writes_nothing(use: Use, memories: Memories) -> None:  # C49
    async def human(_context: ClientRequestContext, _params: ElicitRequestParams) -> ErrorData:
        return ErrorData(code=-32603, message="no screen")

    async def body(client: Client) -> None:
        if client.protocol_version == MODES["legacy"]:
            result = await client.call_tool("engram_save", ARGUMENTS["engram_save"])
            assert "approval_token" in result.structured_content["data"]
        else:  # a modern client gives up by itself, and never retries
            with pytest.raises(MCPError, match="no screen"):
                await client.call_tool("engram_save", ARGUMENTS["engram_save"])

    use(body, human)
    assert not (memories.root / "rules" / "use-tabs-in-makefiles.md").exists()


def test_a_tool_that_fails_is_a_result_and_an_unknown_one_an_error(use: Use) -> None:  # C29
    async def body(client: Client) -> None:
        failed = await client.call_tool("engram_load", {"id": "use-npm"})
        assert failed.is_error
        assert failed.structured_content is None
        assert failed.content[0].type == "text"
        assert "use-pnpm" in failed.content[0].text
        with pytest.raises(MCPError, match="no tool") as caught:
            await client.call_tool("engram_forget", {})
        assert caught.value.code == -32602

    use(body)


def test_it_lists_and_reads_every_resource(use: Use) -> None:  # C60, C61
    async def body(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert {resource.name for resource in listed} == {"index", "use-pnpm", "用户-身份"}
        for resource in listed:
            (content,) = (await client.read_resource(resource.uri)).contents
            assert content.uri == resource.uri
            assert content.mime_type == resource.mime_type == "text/markdown"
            assert content.model_dump()["text"]
        (template,) = (await client.list_resource_templates()).resource_templates
        (content,) = (await client.read_resource(template.uri_template.replace("{id}", "use-pnpm"))).contents
        assert "Use pnpm for every install." in content.model_dump()["text"]
        with pytest.raises(MCPError, match="no such resource"):
            await client.read_resource("engram://memory/none")

    use(body)


def test_it_lists_and_gets_the_prompt(use: Use) -> None:  # C62
    async def body(client: Client) -> None:
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "propose"
        (message,) = (await client.get_prompt(prompt.name)).messages
        assert message.content.type == "text"
        assert "engram_commit" in message.content.text

    use(body)
