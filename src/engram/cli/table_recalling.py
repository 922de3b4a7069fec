"""The commands that give memory for a task, and list and show it."""

from __future__ import annotations

from engram.cli.parser import Argument, Command, Option

__all__ = ["COMMANDS"]

_ID = Argument("ID", "the id of a memory, as engram list shows it")
_DRY_RUN = Option("dry-run", "only say what would be given, and its size")
_EXPLAIN = Option("explain", "say why each memory is there, and what was left out")
_WITHOUT = Option("without", "switch signals off, separated by commas; --explain names them", value="SIGNALS")

COMMANDS: tuple[Command, ...] = (
    Command(
        "load",
        "Give the memories that a task needs, ready for an agent.",
        "engram.cli.recalling",
        "load_command",
        arguments=(Argument("TASK", "the task, in any language, in quotes", required=False),),
        options=(
            Option("id", "one memory whole, by its id", value="ID"),
            Option("full", "whole memories, with origin, notes and variants"),
            Option("all", "also weak matches, four times as many, and as many tokens as may be asked for"),
            _DRY_RUN,
            Option("budget-tokens", "at most this many tokens (50 to 16000)", value="N", integer=True),
            Option("disclosure", "auto, bodies or cards", value="HOW"),
            _EXPLAIN,
            _WITHOUT,
        ),
        examples=(
            'engram load "add a price column to the orders table"',
            "engram load --id use-pnpm-for-every-install",
        ),
    ),
    Command(
        "search",
        "Search memory: ids, scores, and the matching words in their place.",
        "engram.cli.recalling",
        "search_command",
        arguments=(Argument("QUERY", "what to look for, in quotes"),),
        options=(
            Option("limit", "at most this many (1 to 50; 8 by default)", value="N", integer=True),
            Option("type", "only rule, skill or knowledge", value="KIND"),
            Option("scope", "only workspace or global", value="SCOPE"),
            Option("all", "also weak matches, and more than 2 KB of text"),
            _DRY_RUN,
            _EXPLAIN,
            _WITHOUT,
        ),
        examples=('engram search "lockfile"', "engram search deploy --type rule --limit 3"),
    ),
    Command(
        "route",
        "Say what kind of task it is and which memories it leads to, in load order.",
        "engram.cli.recalling",
        "route_command",
        arguments=(Argument("TASK", "the task, in any language, in quotes"),),
        options=(Option("all", "also weak matches, and four times as many"), _DRY_RUN, _EXPLAIN, _WITHOUT),
        examples=('engram route "cut a release" --explain',),
    ),
    Command(
        "graph",
        "Draw what depends on what.",
        "engram.cli.graphing",
        "graph_command",
        arguments=(Argument("ID", "only this memory and what it needs or is needed by", required=False),),
        options=(
            Option("format", "text, mermaid or dot", value="FORMAT"),
            Option("all", "also what stands alone, and what another memory superseded"),
            _DRY_RUN,
            _EXPLAIN,
        ),
        examples=("engram graph", "engram graph --format mermaid > memory.mmd"),
        details="Text shows layers: what needs nothing comes first.",
    ),
    Command(
        "benchmark",
        "Check that your tasks still bring the memories that they must.",
        "engram.cli.benchmarking",
        "benchmark_command",
        arguments=(Argument("CASES", "a JSON file with your cases"),),
        options=(Option("baseline", "compare with this earlier run; made when it is missing", value="FILE"),),
        examples=("engram benchmark cases.json", "engram benchmark cases.json --baseline baseline.json"),
        details='The file: {"version": 1, "cases": [{"task": "add a package", "must": ["use-pnpm"], "must_not": []}]}. '
        "Exit status 6: a case fails, or with a baseline, one fails that did not fail there.",
    ),
    Command(
        "list",
        "List the active memories, and the notes for the work at hand.",
        "engram.cli.reading",
        "list_command",
        options=(
            Option("type", "only rule, skill or knowledge", value="KIND"),
            Option("scope", "only workspace or global", value="SCOPE"),
            Option("all", "also memories that another one superseded"),
            Option("notes", "only the notes for the work at hand"),
        ),
        examples=("engram list", "engram list --type rule", "engram list --notes"),
        aliases=("ls",),
    ),
    Command(
        "show",
        "Show one memory file as it is.",
        "engram.cli.reading",
        "show_command",
        arguments=(_ID,),
        examples=("engram show use-pnpm-for-every-install",),
    ),
)
