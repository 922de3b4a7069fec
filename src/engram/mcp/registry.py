"""What a server offers: tools, resources, prompts, and methods that only it has.

>>> registry = Registry("demo", "1.0", instructions="A demonstration.")
>>> def shout(call, arguments):
...     return ToolResult(arguments["text"].upper())
>>> registry.tool("shout", shout, description="Says it loudly.", properties={"text": {"type": "string"}},
...               required=["text"], annotations={"readOnlyHint": True})
>>> [tool.definition["name"] for tool in registry.tools.values()]
['shout']
"""

from __future__ import annotations

from engram.mcp.protocol import Method
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from engram.mcp.call import Call

    Handler = Callable[[Call, dict[str, Any]], dict[str, Any]]
    ToolHandler = Callable[[Call, dict[str, Any]], "ToolResult | InputRequired"]
    PromptHandler = Callable[[Call, dict[str, str]], "dict[str, Any] | InputRequired"]
    ResourceLister = Callable[[Call], list[dict[str, Any]]]
    ResourceReader = Callable[[Call, str], "list[dict[str, Any]] | InputRequired | None"]

__all__ = ["InputRequired", "Prompt", "Registry", "Tool", "ToolError", "ToolResult"]


class ToolError(Exception):
    """A tool could not do it. The message is for the model that called it (C29)."""


class ToolResult(Record):
    """What a tool answers.

    Args:
        text: for people and for hosts that show text only; complete in itself (C29a).
        structured: the same as data, in the shape of the tool's ``output_schema``.
        content: blocks of content instead of ``text``, as the protocol has them.
        meta: ``_meta`` of the result.
    """

    text: str = ""
    structured: dict[str, Any] | None = None
    content: Sequence[dict[str, Any]] | None = None
    meta: dict[str, Any] | None = None


class InputRequired(Record):
    """A modern call needs an answer first: the client asks its user and calls again (C50, C51).

    A legacy call is refused with -32602 when a handler returns this; there it uses ``Call.ask``.

    Args:
        requests: name → ``{"method": …, "params": …}``; the client has to have declared what each one needs.
        state: comes back with the retry, through the client's hands: seal it.
    """

    requests: Mapping[str, dict[str, Any]]
    state: str | None = None


class Tool(Record):
    """A tool: what ``tools/list`` says of it, and who answers."""

    definition: dict[str, Any]
    handler: ToolHandler
    keeps_empty: frozenset[str]
    also_takes: Mapping[str, dict[str, Any]]
    aliases: Mapping[str, str]


class Prompt(Record):
    """A prompt: what ``prompts/list`` says of it, and who answers."""

    definition: dict[str, Any]
    handler: PromptHandler


class Registry:
    """What a server offers. Fill it, then ``serve`` it; it does not change afterwards.

    Args:
        name: of the server.
        version: of the server.
        title: of the server, for people.
        instructions: when a host should use it; the same in both eras (C26).
        page_size: how many entries a list method gives at a time; the rest follows with a cursor.
        explain: turns an exception of a tool's handler that is an expected failure into the sentence for the model;
            None for one that it does not know, which is answered as an internal error (C29).
        let_out: everything that the server says of its own passes it: results, errors, questions, notifications.
    """

    def __init__(
        self,
        name: str,
        version: str,
        *,
        title: str = "",
        instructions: str = "",
        page_size: int = 250,
        explain: Callable[[Exception], str | None] = lambda _error: None,
        let_out: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self.info: dict[str, Any] = {"name": name, "version": version}
        if title:
            self.info["title"] = title
        self.instructions = instructions
        self.page_size = page_size
        self.explain = explain
        self.let_out = let_out
        self.tools: dict[str, Tool] = {}
        self.prompts: dict[str, Prompt] = {}
        self.methods: dict[str, Method] = {}
        self.templates: list[dict[str, Any]] = []
        self.list_resources: ResourceLister | None = None
        self.read_resource: ResourceReader | None = None
        self.legacy_capabilities: dict[str, dict[str, Any]] = {}
        self.modern_capabilities: dict[str, dict[str, Any]] = {}

    def tool(
        self,
        name: str,
        handler: ToolHandler,
        *,
        description: str,
        title: str = "",
        properties: Mapping[str, dict[str, Any]] | None = None,
        required: Sequence[str] = (),
        output_schema: dict[str, Any] | None = None,
        annotations: dict[str, bool] | None = None,
        meta: dict[str, Any] | None = None,
        keeps_empty: Sequence[str] = (),
        also_takes: Mapping[str, dict[str, Any]] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        """Offer a tool; ``tools/list`` keeps the order of these calls (C27).

        Args:
            name: at most 128 letters, digits, ``_``, ``-`` and ``.``.
            handler: gets the call and the arguments, which fit ``properties``. It raises ``ToolError``, or what the
                registry's ``explain`` knows, for a failure that the model should read; ``ProtocolError`` for what the
                protocol itself refuses.
            description: for the model that calls it.
            title: for people.
            properties: argument → its JSON schema: ``type`` (one), ``enum``, ``minimum``, ``maximum``, ``minLength``,
                ``maxLength``, ``items``, ``minItems``, ``maxItems``.
            required: arguments that must be given, and not be empty.
            output_schema: of ``ToolResult.structured``.
            annotations: hints that hosts act on (C27).
            meta: ``_meta`` of the definition.
            keeps_empty: optional arguments whose empty string means something; that of any other one is absent (C27).
            also_takes: argument → a second schema that is taken without being declared, because hosts refuse unions.
            aliases: undeclared second name → argument.
        """
        schema: dict[str, Any] = {"type": "object"}
        if properties:
            schema["properties"] = dict(properties)
        if required:
            schema["required"] = list(required)
        schema["additionalProperties"] = False
        definition: dict[str, Any] = {"name": name}
        if title:
            definition["title"] = title
        definition |= {"description": description, "inputSchema": schema}
        if output_schema is not None:
            definition["outputSchema"] = output_schema
        if annotations is not None:
            definition["annotations"] = annotations
        if meta is not None:
            definition["_meta"] = meta
        self.tools[name] = Tool(
            definition, handler, frozenset(keeps_empty), dict(also_takes or {}), dict(aliases or {})
        )

    def resources(
        self, list_resources: ResourceLister, read_resource: ResourceReader, templates: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Offer resources.

        Args:
            list_resources: returns ``{"uri", "name", …}`` of each one that a list shows; an URI stands once.
            read_resource: returns the ``contents`` at an URI, or None when there is nothing.
            templates: ``{"uriTemplate", "name", …}``.
        """
        self.list_resources = list_resources
        self.read_resource = read_resource
        self.templates = list(templates)

    def prompt(
        self,
        name: str,
        handler: PromptHandler,
        *,
        description: str,
        title: str = "",
        arguments: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Offer a prompt.

        Args:
            name: of the prompt.
            handler: gets the call and the arguments; returns ``{"messages": […]}``.
            description: for people.
            title: for people.
            arguments: ``{"name", "description"?, "required"?}`` each.
        """
        definition: dict[str, Any] = {"name": name}
        if title:
            definition["title"] = title
        definition["description"] = description
        if arguments:
            definition["arguments"] = list(arguments)
        self.prompts[name] = Prompt(definition, handler)

    def method(self, name: str, handler: Handler, *, legacy: bool = True, modern: bool = True) -> None:
        """Serve a method that the kernel does not know; ``handler`` gets the call and ``params``, returns a result."""
        self.methods[name] = Method(handler, legacy=legacy, modern=modern)

    def capability(
        self, name: str, value: dict[str, Any] | None = None, *, legacy: bool = True, modern: bool = True
    ) -> None:
        """Declare a capability besides those that follow from what is offered, or add to one of those."""
        if legacy:
            self.legacy_capabilities.setdefault(name, {}).update(value or {})
        if modern:
            self.modern_capabilities.setdefault(name, {}).update(value or {})

    def capabilities(self, *, modern: bool) -> dict[str, dict[str, Any]]:
        """Return what this server declares in one of the eras."""
        found: dict[str, dict[str, Any]] = {}
        if self.tools:
            found["tools"] = {}
        if self.read_resource is not None:
            found["resources"] = {}
        if self.prompts:
            found["prompts"] = {}
        for name, value in (self.modern_capabilities if modern else self.legacy_capabilities).items():
            found[name] = {**found.get(name, {}), **value}
        return found
