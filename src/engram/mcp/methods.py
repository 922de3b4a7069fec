"""The methods that the protocol itself defines (C17 to C29), for whatever a registry offers."""

from __future__ import annotations

from engram.mcp.arguments import checked
from engram.mcp.protocol import (
    INVALID_PARAMS,
    LATEST_LEGACY,
    LEGACY,
    MODERN,
    RESOURCE_NOT_FOUND,
    SUPPORTED,
    Method,
    ProtocolError,
)
from engram.mcp.registry import InputRequired, ToolError, ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from engram.mcp.call import Call
    from engram.mcp.registry import Registry, Tool

__all__ = ["builtin_methods", "handshake", "simple_method"]

# What an internal failure of a tool tells the model: nothing of paths or code (C29); the details are on stderr.
_INTERNAL = "{name} failed inside the server; its log on stderr says how. Other calls still work."


def builtin_methods(registry: Registry, note: Callable[[str, BaseException], None]) -> dict[str, Method]:
    """Return the methods that serve a registry: only those for which it offers something.

    Args:
        registry: what the server offers.
        note: takes what to log of a failure: where, and the exception.
    """
    methods = {
        "server/discover": Method(lambda _call, _params: _discover(registry), legacy=False, inline=True),
        "ping": Method(lambda _call, _params: {}, modern=False, inline=True),
    }
    if registry.tools:
        definitions = [tool.definition for tool in registry.tools.values()]
        methods["tools/list"] = Method(
            lambda _call, params: _page("tools", definitions, "name", params, registry.page_size), inline=True
        )
        methods["tools/call"] = Method(lambda call, params: _call_tool(registry, note, call, params))
    if registry.prompts:
        prompts = [prompt.definition for prompt in registry.prompts.values()]
        methods["prompts/list"] = Method(
            lambda _call, params: _page("prompts", prompts, "name", params, registry.page_size), inline=True
        )
        methods["prompts/get"] = Method(lambda call, params: _get_prompt(registry, call, params))
    if registry.list_resources is not None:
        methods["resources/list"] = Method(lambda call, params: _list_resources(registry, call, params))
        methods["resources/read"] = Method(lambda call, params: _read_resource(registry, call, params))
        methods["resources/templates/list"] = Method(
            lambda _call, params: _page(
                "resourceTemplates", registry.templates, "uriTemplate", params, registry.page_size
            ),
            inline=True,
        )
    return methods


def handshake(registry: Registry, params: dict[str, Any]) -> dict[str, Any]:
    """Answer ``initialize``: the revision that the client asked for when we know it, never an echo of another (C17)."""
    wanted = params.get("protocolVersion")
    result: dict[str, Any] = {
        "protocolVersion": wanted if isinstance(wanted, str) and wanted in LEGACY else LATEST_LEGACY,
        "capabilities": registry.capabilities(modern=False),
        "serverInfo": registry.info,
    }
    if registry.instructions:
        result["instructions"] = registry.instructions
    return result


def _discover(registry: Registry) -> dict[str, Any]:
    result: dict[str, Any] = {
        "supportedVersions": list(SUPPORTED),
        "capabilities": registry.capabilities(modern=True),
    }
    if registry.instructions:
        result["instructions"] = registry.instructions
    return result


def _page(kind: str, entries: Sequence[dict[str, Any]], key: str, params: dict[str, Any], size: int) -> dict[str, Any]:
    """Return the page of a list that the client's cursor asks for.

    A cursor names the list and the last entry that was given, so that it holds in any process, and one from elsewhere,
    or for an entry that is gone, is told apart (C24).
    """
    start = 0
    if "cursor" in params:
        last = _named_by(params["cursor"], kind)
        known = [entry[key] for entry in entries]
        if last not in known:
            raise ProtocolError(INVALID_PARAMS, "This cursor is not of this list as it is now. Ask without a cursor.")
        start = known.index(last) + 1
    page = list(entries[start : start + size])
    result: dict[str, Any] = {kind: page}
    if start + size < len(entries):
        result["nextCursor"] = f"{kind}\n{page[-1][key]}".encode("utf-8", "surrogatepass").hex()
    return result


def _named_by(cursor: object, kind: str) -> str | None:
    try:
        of, _, last = bytes.fromhex(cursor if isinstance(cursor, str) else "").decode().partition("\n")
    except ValueError:
        return None
    return last if of == kind else None


def _text_param(params: dict[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"params.{name} has to be a string.")
    return value


def _object_param(params: dict[str, Any], name: str) -> dict[str, Any]:
    value = params.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_PARAMS, f"params.{name} has to be an object.")
    return value


def _call_tool(
    registry: Registry, note: Callable[[str, BaseException], None], call: Call, params: dict[str, Any]
) -> dict[str, Any]:
    name = _text_param(params, "name")
    arguments = _object_param(params, "arguments")
    tool = registry.tools.get(name)
    if tool is None:
        from engram.safety.fence import show_inert
        from engram.safety.scan import mask_secrets

        known = ", ".join(registry.tools)
        quoted = show_inert(repr(mask_secrets(name[:1_000])[:100]))
        raise ProtocolError(INVALID_PARAMS, f"There is no tool {quoted}; known: {known}.")
    result = _run_tool(registry, note, tool, call, arguments)
    if isinstance(result, InputRequired):
        return _input_required(call, result)
    return result


def _run_tool(
    registry: Registry,
    note: Callable[[str, BaseException], None],
    tool: Tool,
    call: Call,
    given: dict[str, Any],
) -> dict[str, Any] | InputRequired:
    """Run a tool. What goes wrong inside it is a result for the model, not an error of the protocol (C29)."""
    arguments, problems = checked(tool, given)
    if problems:
        return _failed(" ".join(problems))
    try:
        result = tool.handler(call, arguments)
    except ToolError as error:
        return _failed(str(error))
    except ProtocolError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever a tool does, the server goes on)
        text = registry.explain(error)
        if text is None:
            note(tool.definition["name"], error)
            text = _INTERNAL.format(name=tool.definition["name"])
        return _failed(text)
    return result if isinstance(result, InputRequired) else _succeeded(result)


def _succeeded(result: ToolResult) -> dict[str, Any]:
    content = [{"type": "text", "text": result.text}] if result.content is None else list(result.content)
    found: dict[str, Any] = {"content": content}
    if result.structured is not None:
        found["structuredContent"] = result.structured
    found["isError"] = False
    if result.meta is not None:
        found["_meta"] = dict(result.meta)
    return found


def _failed(text: str) -> dict[str, Any]:
    # No structuredContent: every host then shows the text (C29a).
    return {"content": [{"type": "text", "text": text}], "isError": True}


def simple_method(registry: Registry, note: Callable[[str, BaseException], None], name: str) -> Method | None:
    """Return the method that calls a tool by its bare name and answers with plain text (C25); None if it is no tool."""
    tool = registry.tools.get(name)
    if tool is None:
        return None

    def run(call: Call, params: dict[str, Any]) -> Any:
        arguments = {key: value for key, value in params.items() if key != "_meta"}
        result = _run_tool(registry, note, tool, call, arguments)
        if isinstance(result, InputRequired):
            return _input_required(call, result)  # raises: only modern calls may answer so
        return "\n".join(block["text"] for block in result["content"] if block.get("type") == "text")

    return Method(run, modern=False)


def _input_required(call: Call, wanted: InputRequired) -> dict[str, Any]:
    """Return the result that asks a modern client for more; nothing it did not declare is asked (C22, C50).

    A legacy client is asked with ``Call.ask``; a handler that does not do so serves modern ones only.
    """
    if not call.modern:
        raise ProtocolError(INVALID_PARAMS, f"This needs a client of the revision {MODERN[0]}.")
    for request in wanted.requests.values():
        call.require(request["method"], request.get("params"))
    result: dict[str, Any] = {"resultType": "input_required"}
    if wanted.requests:
        result["inputRequests"] = dict(wanted.requests)
    if wanted.state is not None:
        result["requestState"] = wanted.state
    return result


def _get_prompt(registry: Registry, call: Call, params: dict[str, Any]) -> dict[str, Any]:
    name = _text_param(params, "name")
    arguments = _object_param(params, "arguments")
    prompt = registry.prompts.get(name)
    if prompt is None:
        known = ", ".join(registry.prompts)
        raise ProtocolError(INVALID_PARAMS, f"There is no prompt {name[:100]!r}; known: {known}.")
    for argument in prompt.definition.get("arguments", ()):
        if argument.get("required") and argument["name"] not in arguments:
            raise ProtocolError(INVALID_PARAMS, f"The prompt {name} needs the argument {argument['name']}.")
    for key, value in arguments.items():
        if not isinstance(value, str):
            raise ProtocolError(INVALID_PARAMS, f"The argument {key[:100]!r} of a prompt has to be a string.")
    result = prompt.handler(call, arguments)
    return _input_required(call, result) if isinstance(result, InputRequired) else result


def _list_resources(registry: Registry, call: Call, params: dict[str, Any]) -> dict[str, Any]:
    assert registry.list_resources is not None
    return _page("resources", registry.list_resources(call), "uri", params, registry.page_size)


def _read_resource(registry: Registry, call: Call, params: dict[str, Any]) -> dict[str, Any]:
    assert registry.read_resource is not None
    uri = _text_param(params, "uri")
    contents = registry.read_resource(call, uri)
    if isinstance(contents, InputRequired):
        return _input_required(call, contents)
    if contents is None:
        code = INVALID_PARAMS if call.modern else RESOURCE_NOT_FOUND
        raise ProtocolError(code, "There is no such resource.", {"uri": uri})
    return {"contents": contents}
