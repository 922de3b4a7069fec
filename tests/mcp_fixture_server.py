"""A server for tests only: what the official conformance suite asks for, and probes for our own contract tests.

Run it as a program. It registers with the kernel as any server does; nothing of it is part of Engram.

    python tests/mcp_fixture_server.py [--orphan-seconds N] [--page-size N]
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from engram.mcp.call import AskError
from engram.mcp.process import serve
from engram.mcp.protocol import INVALID_PARAMS, ProtocolError
from engram.mcp.registry import InputRequired, Registry, ToolError, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.mcp.call import Call

INSTRUCTIONS = "Fixtures for tests. Call them by name."
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

Arguments = dict[str, Any]
SECRET = secrets.token_bytes(32)
subscribers: dict[Call, dict[str, Any]] = {}
session_log_level = ["debug"]


class KnownError(Exception):
    """A failure that the registry explains to the model."""


def form(message: str, properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """Return an elicitation with a form."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(prompt: str, tokens: int = 100) -> dict[str, Any]:
    """Return a sampling request."""
    messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens}}


ROOTS: dict[str, Any] = {"method": "roots/list", "params": {}}


def seal(text: str) -> str:
    """Return a state that only this process can have made."""
    return f"{text}.{hmac.new(SECRET, text.encode(), hashlib.sha256).hexdigest()}"


def unseal(state: str) -> str:
    """Return what was sealed.

    Raises:
        ProtocolError: somebody changed it.
    """
    text, _, _ = state.rpartition(".")
    if not hmac.compare_digest(seal(text).encode(), state.encode("utf-8", "replace")):
        raise ProtocolError(INVALID_PARAMS, "This requestState is not one of this server.")
    return text


# Content


def constant(*content: dict[str, Any]) -> Callable[[Call, Arguments], ToolResult]:
    """Return a tool that always answers the same blocks."""
    return lambda _call, _arguments: ToolResult(content=content)


def text_block(text: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": text}


def image_block() -> dict[str, Any]:
    """Return a block with a picture."""
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def resource_block(uri: str, mime: str, text: str) -> dict[str, Any]:
    """Return a block with a resource."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}}


# Notifications


def log(call: Call, text: str, level: str = "info") -> None:
    """Send a log message where the client asked for it: with the request (modern) or for the session (legacy)."""
    wanted = call.meta.get(LOG_LEVEL_KEY) if call.modern else session_log_level[0]
    if wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted):
        call.notify("notifications/message", {"level": level, "logger": "fixtures", "data": text})


def logging_tool(call: Call, _arguments: Arguments) -> ToolResult:
    """Log three times."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        log(call, text)
        call.rest(0.05)
    return ToolResult("logged")


def progress_tool(call: Call, _arguments: Arguments) -> ToolResult:
    """Report progress three times."""
    for done in (0, 50, 100):
        call.progress(done, 100, f"{done} of 100")
        call.rest(0.05)
    return ToolResult("done")


def set_level(_call: Call, params: dict[str, Any]) -> dict[str, Any]:
    """Serve ``logging/setLevel``."""
    if params.get("level") not in LEVELS:
        raise ProtocolError(INVALID_PARAMS, "level has to be one of " + ", ".join(LEVELS))
    session_log_level[0] = params["level"]
    return {}


def listen(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    """Serve ``subscriptions/listen`` until the client or the server ends it."""
    wanted = params.get("notifications")
    if not isinstance(wanted, dict):
        raise ProtocolError(INVALID_PARAMS, "notifications has to be an object.")
    granted = {key: True for key in ("toolsListChanged", "promptsListChanged") if wanted.get(key) is True}
    tag = {SUBSCRIPTION_KEY: call.id}
    call.notify("notifications/subscriptions/acknowledged", {"_meta": tag, "notifications": granted})
    subscribers[call] = granted
    try:
        call.rest()
    finally:
        del subscribers[call]
    return {"_meta": tag}


def changed(kind: str) -> Callable[[Call, Arguments], ToolResult]:
    """Return a tool that tells the subscribers of a list that it changed."""

    def run(_call: Call, _arguments: Arguments) -> ToolResult:
        for subscriber, granted in list(subscribers.items()):
            if granted.get(f"{kind}ListChanged"):
                params = {"_meta": {SUBSCRIPTION_KEY: subscriber.id}}
                subscriber.notify(f"notifications/{kind}/list_changed", params)
        return ToolResult("told")

    return run


# Questions to the client


def question(
    build: Callable[[Arguments], dict[str, Any]], render: Callable[[dict[str, Any]], str]
) -> Callable[[Call, Arguments], ToolResult | InputRequired]:
    """Return a tool that asks one thing in whichever way the client's era has."""

    def run(call: Call, arguments: Arguments) -> ToolResult | InputRequired:
        request = build(arguments)
        call.require(request["method"], request["params"])
        if not call.modern:
            try:
                answer = call.ask(request["method"], request["params"], timeout=arguments.get("timeout", 60.0))
            except AskError as error:
                raise ToolError(f"nothing was saved: {error.reason}") from error
            return ToolResult(render(answer))
        if call.responses and "answer" in call.responses:
            return ToolResult(render(call.responses["answer"]))
        return InputRequired({"answer": request})

    return run


def render_form(answer: dict[str, Any]) -> str:
    """Say how a form was answered."""
    return f"Elicitation completed: action={answer.get('action')}, content={json.dumps(answer.get('content'))}"


def render_sample(answer: dict[str, Any]) -> str:
    """Say what a model wrote."""
    return f"LLM response: {answer.get('content', {}).get('text')}"


USER = {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"},
}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
CHOICES = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}
NAME = form("What is your name?", {"name": {"type": "string"}}, ["name"])
CONFIRM = form("Please confirm", {"ok": {"type": "boolean"}}, ["ok"])
STEPS = (
    form("Step 1: What is your name?", {"name": {"type": "string"}}, ["name"]),
    form("Step 2: What is your favorite color?", {"color": {"type": "string"}}, ["color"]),
)
THREE = {"user_name": NAME, "greeting": sample("Generate a greeting", 50), "client_roots": ROOTS}


def once(requests: dict[str, dict[str, Any]], *, sealed: bool = False) -> Callable[[Call, Arguments], Any]:
    """Return a modern tool that asks everything at once and then says what it was told."""

    def run(call: Call, _arguments: Arguments) -> ToolResult | InputRequired:
        given = call.responses or {}
        if call.state is not None:
            unseal(call.state)
        if set(requests) <= set(given) and (call.state is not None or not sealed):
            return ToolResult("state-ok " + json.dumps({name: given[name] for name in requests}))
        return InputRequired(requests, seal(secrets.token_hex(8)) if sealed else None)

    return run


def rounds(call: Call, _arguments: Arguments) -> ToolResult | InputRequired:
    """Ask one step after the other."""
    step = int(unseal(call.state)) if call.state is not None else 0
    if step and f"step{step}" in (call.responses or {}):
        step += 1
    step = step or 1
    if step > len(STEPS):
        return ToolResult("all steps done")
    return InputRequired({f"step{step}": STEPS[step - 1]}, seal(str(step)))


def declared_only(call: Call, _arguments: Arguments) -> ToolResult | InputRequired:
    """Ask only what the client can answer."""
    possible = {name: request for name, request in THREE.items() if call.lacks(request["method"]) is None}
    if not possible or set(possible) <= set(call.responses or {}):
        return ToolResult("nothing to ask")
    return InputRequired(possible)


def needs_sampling(call: Call, _arguments: Arguments) -> ToolResult:
    """Refuse whoever did not declare sampling."""
    call.require("sampling/createMessage")
    return ToolResult("ok")


# Probes for our own tests


def slow(call: Call, arguments: Arguments) -> ToolResult:
    """Wait; or, with ``busy``, keep a worker for as long."""
    if arguments.get("busy"):
        end = time.monotonic() + arguments["seconds"]
        while time.monotonic() < end:
            time.sleep(0.01)
            call.check()
    else:
        call.rest(arguments["seconds"])
    return ToolResult("slept")


def write_file(call: Call, arguments: Arguments) -> ToolResult:
    """Write a file in the way that a cancellation or a signal must not cut: slowly."""
    call.rest(arguments.get("before", 0.0))
    call.begin_write()
    if arguments.get("announce"):
        call.progress(1, 2)
    time.sleep(arguments.get("during", 0.0))
    with open(arguments["path"], "w", encoding="utf-8") as file:
        file.write("written")
    return ToolResult("written")


def print_everywhere(_call: Call, _arguments: Arguments) -> ToolResult:
    """Print as a careless library or subprocess does."""
    print("printed")  # noqa: T201
    sys.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\n')
    sys.stdout.flush()
    os.write(1, b"through the descriptor\n")
    subprocess.run([sys.executable, "-c", "import sys; print('child', sys.stdin.read())"], check=True, timeout=60)
    return ToolResult("printed")


def flood(_call: Call, _arguments: Arguments) -> ToolResult:
    """Write more to stderr than any pipe holds."""
    for _ in range(64):
        print("x" * 65536, file=sys.stderr)  # noqa: T201
    return ToolResult("flooded")


def crash(_call: Call, _arguments: Arguments) -> ToolResult:
    """Fail inside, with a path in the message."""
    raise OSError(13, "Permission denied", os.path.abspath(__file__))


def explained(_call: Call, _arguments: Arguments) -> ToolResult:
    """Fail in a way that the registry explains."""
    raise KnownError("the memory folder is read-only")


def unencodable(_call: Call, _arguments: Arguments) -> ToolResult:
    """Return what JSON has no form for."""
    return ToolResult(structured={"set": {1}, "nan": float("nan")})


def who(call: Call, _arguments: Arguments) -> ToolResult:
    """Tell how the kernel sees the request."""
    seen = {
        "revision": call.revision,
        "modern": call.modern,
        "client": call.client.get("name", ""),
        "form": call.lacks("elicitation/create") is None,
    }
    return ToolResult(json.dumps(seen), seen)


def echo(_call: Call, arguments: Arguments) -> ToolResult:
    """Say the same."""
    return ToolResult(arguments["text"], {"text": arguments["text"]})


def show_arguments(_call: Call, arguments: Arguments) -> ToolResult:
    """Say which arguments arrived."""
    return ToolResult(json.dumps(arguments, sort_keys=True))


def add_tools(registry: Registry) -> None:
    """Register the tools of the conformance suite."""

    def tool(name: str, handler: Callable[[Call, Arguments], Any], **options: Any) -> None:
        registry.tool(name, handler, description=f"The fixture {name}.", **options)

    message = {"message": {"type": "string"}}
    tool("test_simple_text", constant(text_block("This is a simple text response for testing.")))
    tool("test_image_content", constant(image_block()))
    tool("test_audio_content", constant({"type": "audio", "data": WAV, "mimeType": "audio/wav"}))
    embedded = resource_block("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    tool("test_embedded_resource", constant(embedded))
    mixed = resource_block("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    tool("test_multiple_content_types", constant(text_block("Multiple content types test:"), image_block(), mixed))
    tool("test_tool_with_logging", logging_tool)
    tool("test_logging_tool", logging_tool)
    tool("test_tool_with_progress", progress_tool)

    def fail(_call: Call, _arguments: Arguments) -> ToolResult:
        raise ToolError("This tool intentionally returns an error for testing")

    tool("test_error_handling", fail)
    tool(
        "test_sampling",
        question(lambda given: sample(given["prompt"]), render_sample),
        properties={"prompt": {"type": "string"}},
        required=["prompt"],
    )
    tool(
        "test_elicitation",
        question(lambda given: form(given["message"], USER, ["username", "email"]), render_form),
        properties={**message, "timeout": {"type": "number"}},
        required=["message"],
    )
    defaults = form("Please review", DEFAULTS)
    tool("test_elicitation_sep1034_defaults", question(lambda _given: defaults, render_form))
    choices = form("Please choose", CHOICES)
    tool("test_elicitation_sep1330_enums", question(lambda _given: choices, render_form))
    confirm = question(lambda _given: CONFIRM, render_form)
    tool("test_streaming_elicitation", confirm)
    tool("test_missing_capability", needs_sampling)
    tool("test_trigger_tool_change", changed("tools"))
    tool("test_trigger_prompt_change", changed("prompts"))
    prefix = "test_input_required_result_"
    capital = {"capital_question": sample("What is the capital of France?")}
    tool(prefix + "elicitation", once({"user_name": NAME}))
    tool(prefix + "sampling", once(capital))
    tool(prefix + "list_roots", once({"client_roots": ROOTS}))
    tool(prefix + "request_state", once({"confirm": CONFIRM}, sealed=True))
    tool(prefix + "multiple_inputs", once(THREE, sealed=True))
    tool(prefix + "multi_round", rounds)
    tool(prefix + "tampered_state", once({"confirm": CONFIRM}, sealed=True))
    tool(prefix + "capabilities", declared_only)


def add_probes(registry: Registry) -> None:
    """Register the tools of our own tests."""

    def tool(name: str, handler: Callable[[Call, Arguments], Any], **options: Any) -> None:
        registry.tool(name, handler, description=f"The probe {name}.", **options)

    number = {"type": "number"}
    text = {"text": {"type": "string"}}
    text_schema = {"type": "object", "properties": text, "required": ["text"]}
    tool("echo", echo, properties=text, required=["text"], output_schema=text_schema)
    tool("slow", slow, properties={"seconds": number, "busy": {"type": "boolean"}}, required=["seconds"])
    tool(
        "write_file",
        write_file,
        properties={
            "path": {"type": "string"},
            "before": number,
            "during": number,
            "announce": {"type": "boolean"},
        },
        required=["path"],
    )
    tool("print_everywhere", print_everywhere)
    tool("flood", flood)
    tool("crash", crash)
    tool("explained", explained)
    tool("unencodable", unencodable)
    tool("who", who)
    tool(
        "show_arguments",
        show_arguments,
        properties={
            "query": {"type": "string", "maxLength": 20},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "kind": {"type": "string", "enum": ["rule", "skill"]},
            "full": {"type": "boolean"},
            "approve": {"type": "string"},
            "role": {"type": "string"},
            "roles": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        },
        keeps_empty=["role"],
        also_takes={"approve": {"type": "array", "items": {"type": "integer"}}},
        aliases={"task": "query"},
    )


def list_resources(_call: Call) -> list[dict[str, Any]]:
    """List what can be read."""
    plain = {"mimeType": "text/plain", "description": "A fixture."}
    return [
        {"uri": "test://static-text", "name": "text", **plain},
        {"uri": "test://static-binary", "name": "binary", "mimeType": "image/png", "description": "A picture."},
        {"uri": "test://watched-resource", "name": "watched", **plain},
    ]


def read_resource(_call: Call, uri: str) -> list[dict[str, Any]] | None:
    """Read one of them, or what the template makes."""
    if uri == "test://static-binary":
        return [{"uri": uri, "mimeType": "image/png", "blob": PNG}]
    if uri in ("test://static-text", "test://watched-resource"):
        return [{"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."}]
    if uri.startswith("test://template/") and uri.endswith("/data"):
        name = uri.removeprefix("test://template/").removesuffix("/data")
        data = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
        return [{"uri": uri, "mimeType": "application/json", "text": json.dumps(data)}]
    return None


def messages(*content: dict[str, Any]) -> dict[str, Any]:
    """Return a prompt's result."""
    return {"messages": [{"role": "user", "content": block} for block in content]}


def add_prompts(registry: Registry) -> None:
    """Register the prompts of the conformance suite."""

    def prompt(name: str, handler: Callable[[Call, dict[str, str]], Any], *arguments: str) -> None:
        declared = [{"name": argument, "description": "An argument.", "required": True} for argument in arguments]
        registry.prompt(name, handler, description=f"The fixture {name}.", arguments=declared)

    def with_input(call: Call, _arguments: dict[str, str]) -> dict[str, Any] | InputRequired:
        given = (call.responses or {}).get("user_context")
        if given is None:
            context = form("What context should the prompt use?", {"context": {"type": "string"}}, ["context"])
            return InputRequired({"user_context": context})
        return messages(text_block(json.dumps(given)))

    prompt("test_simple_prompt", lambda _call, _given: messages(text_block("This is a simple prompt for testing.")))
    prompt(
        "test_prompt_with_arguments",
        lambda _call, given: messages(
            text_block(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")
        ),
        "arg1",
        "arg2",
    )
    prompt(
        "test_prompt_with_embedded_resource",
        lambda _call, given: messages(
            resource_block(given["resourceUri"], "text/plain", "Embedded resource content for testing."),
            text_block("Please process the embedded resource above."),
        ),
        "resourceUri",
    )
    prompt(
        "test_prompt_with_image",
        lambda _call, _given: messages(image_block(), text_block("Please analyze the image above.")),
    )
    prompt("test_input_required_result_prompt", with_input)


def complete(_call: Call, params: dict[str, Any]) -> dict[str, Any]:
    """Serve ``completion/complete``."""
    argument = params.get("argument")
    if not isinstance(argument, dict) or not isinstance(params.get("ref"), dict):
        raise ProtocolError(INVALID_PARAMS, "ref and argument have to be objects.")
    values = [word for word in ("paris", "park", "party") if word.startswith(str(argument.get("value", "")))]
    return {"completion": {"values": values, "total": len(values), "hasMore": False}}


def build(page_size: int) -> Registry:
    """Return everything that the fixture server offers."""
    registry = Registry(
        "fixtures",
        "1.0.0",
        instructions=INSTRUCTIONS,
        page_size=page_size,
        explain=lambda error: str(error) if isinstance(error, KnownError) else None,
    )
    add_tools(registry)
    add_probes(registry)
    templates = [{"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}]
    registry.resources(list_resources, read_resource, templates)
    add_prompts(registry)
    registry.method("completion/complete", complete)
    registry.method("logging/setLevel", set_level, modern=False)
    registry.method("resources/subscribe", lambda _call, _params: {}, modern=False)
    registry.method("resources/unsubscribe", lambda _call, _params: {}, modern=False)
    registry.method("subscriptions/listen", listen, legacy=False)
    registry.capability("completions")
    registry.capability("logging")
    registry.capability("resources", {"subscribe": True}, modern=False)
    registry.capability("tools", {"listChanged": True})
    registry.capability("prompts", {"listChanged": True})
    return registry


def main(words: list[str]) -> int:
    """Serve until the host ends it."""
    options = dict(zip(words[::2], words[1::2], strict=True))
    return serve(
        build(int(options.get("--page-size", "250"))), orphan_seconds=float(options.get("--orphan-seconds", "35"))
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
