"""The command ``engram-mcp``: what it is told, and what it offers."""

from __future__ import annotations

import os

from engram.config.limits import shortened
from engram.mcp.answers import explain
from engram.mcp.desk import Desk
from engram.mcp.process import ORPHAN_SECONDS, serve
from engram.mcp.registry import Registry
from engram.mcp.resources import register_resources
from engram.mcp.streams import say
from engram.mcp.tools import register_tools
from engram.record import Record
from engram.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from engram.mcp.call import Call

__all__ = ["INSTRUCTIONS", "Options", "make_registry", "orphan_seconds", "read_options", "run"]

# At most 512 characters (C26): Codex reads no more, and Claude Code may show a model nothing else before it searches.
INSTRUCTIONS = (
    "Engram is this project's memory: rules, decisions and skills that a human approved. Call engram_load with the "
    "task in your own words before you plan or change anything, and again when the task changes; follow the rules it "
    "returns. engram_search looks something up. When you learn what later sessions need (a rule, a decision, a "
    "pitfall), propose it with engram_save. engram_commit needs a human: never call it before the human has approved "
    "the candidates that were shown."
)

_HELP = """\
usage: engram-mcp [options]

Serves Engram's memory to an MCP host over standard input and output; hosts start it, people hardly ever do.

  --workspace PATH   begin looking for the workspace memory there; default: CLAUDE_PROJECT_DIR, else the current folder
  --always-load      have Claude Code put engram_load into every prompt instead of behind its tool search
  --no-elicitation   never ask in the host's dialog: approval goes through the chat
  --version, --help
"""


class Options(Record):
    """What the command line says; ``unknown`` is what it says and nobody knows."""

    workspace: str = ""
    always_load: bool = False
    no_elicitation: bool = False
    only: str = ""
    unknown: tuple[str, ...] = ()


def read_options(words: Sequence[str]) -> Options:
    """Read the command line; nothing in it is an error (C14)."""
    workspace = only = ""
    flags = set()
    unknown = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word in {"--always-load", "--no-elicitation"}:
            flags.add(word)
        elif name == "--workspace" and (value or (not equals and rest)):
            workspace = value or rest.pop(0)
        elif word in {"--version", "--help", "-h"}:
            only = only or word
        else:
            unknown.append(word)
    return Options(workspace, "--always-load" in flags, "--no-elicitation" in flags, only, tuple(unknown))


def run(words: Sequence[str]) -> int:
    """Serve the host that started this process until it ends; return the exit code."""
    options = read_options(words)
    if options.only:
        print(f"engram-mcp {__version__}" if options.only == "--version" else _HELP.rstrip("\n"))  # noqa: T201
        return 0
    if options.unknown:
        shown = " ".join(ascii(word)[1:-1] for word in options.unknown)
        say(f"engram-mcp: ignored, because it is not known: {shown}\n")
    return serve(make_registry(options, os.environ), orphan_seconds=orphan_seconds(os.environ))


def orphan_seconds(environ: Mapping[str, str]) -> float:
    """Return how long a server stays whose host is gone and where nobody asks.

    ``ENGRAM_MCP_ORPHAN_TIMEOUT`` (seconds) can only shorten that.
    """
    return shortened(environ, "ENGRAM_MCP_ORPHAN_TIMEOUT", ORPHAN_SECONDS)


def make_registry(options: Options, environ: Mapping[str, str]) -> Registry:
    """Return everything that the server offers. Nothing is read from the disk for it (C29c)."""
    desk = Desk(options.workspace, environ, dialogs=not options.no_elicitation)
    registry = Registry(
        "engram",
        __version__,
        title="Engram",
        instructions=INSTRUCTIONS,
        explain=lambda error: explain(desk, error),
        let_out=desk.let_out,
    )
    register_tools(registry, desk, always_load=options.always_load)
    register_resources(registry, desk)
    registry.prompt(
        "propose",
        _propose,
        title="Propose memory",
        description="How to propose what this session learned as memory, for a human to approve.",
    )
    return registry


def _propose(_call: Call, _arguments: dict[str, str]) -> dict[str, Any]:
    from engram.proposals.protocol import proposal_protocol

    text = {"type": "text", "text": proposal_protocol()}
    return {"description": "How to propose memory", "messages": [{"role": "user", "content": text}]}
