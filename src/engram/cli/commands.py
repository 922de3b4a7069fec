"""The table of commands."""

from __future__ import annotations

from engram.cli.parser import Argument, Command, Option

__all__ = ["COMMANDS", "find_command"]

_SCOPE = Option("scope", "workspace, global or both", value="SCOPE")
_ID = Argument("ID", "the id of a memory, as engram list shows it")

_EXPLAIN = Option("explain", "say why each memory is there, and what was left out")
_WITHOUT = Option("without", "switch signals of the ranking off, separated by commas", value="SIGNALS")

COMMANDS: tuple[Command, ...] = (
    Command(
        "inject",
        "Start a memory: in this project, or one for all projects.",
        "engram.cli.keeping",
        "inject_command",
        options=(Option("global-path", "make or adopt a global memory in this folder", value="FOLDER"),),
        examples=("engram inject", "engram inject --global-path ~/notes/engram"),
        aliases=("init",),
        details="Creates .agents/.engram at the top of the Git repository (outside Git: in this folder). "
        "Running it twice changes nothing.",
    ),
    Command(
        "save",
        "Propose one memory, see exactly what would be written, and decide.",
        "engram.cli.saving",
        "save_command",
        arguments=(
            Argument("KIND", "rule, skill or knowledge (default: knowledge)", required=False),
            Argument("TEXT", "what to remember, in quotes; or one candidate line: TYPE: rule | TEXT: …"),
        ),
        options=(
            _SCOPE,
            Option("role", "give it only to these roles, separated by commas", value="ROLES"),
            Option("title", "a title of your own; the first sentence otherwise", value="TITLE"),
            Option("triggers", "words that should bring it up, separated by commas", value="WORDS"),
            Option("depends-on", "ids that belong before it, separated by commas", value="IDS"),
            Option("update", "add the text to this memory", value="ID"),
            Option("supersedes", "replace this memory, which stays on record", value="ID"),
        ),
        examples=(
            'engram save rule "Use pnpm for every install; npm rewrites the lockfile."',
            'engram save knowledge "Prices are integers in cents." --triggers price,money',
            'echo A | engram save rule "Never push to main."',
        ),
        details="Answer A to accept, B and a note to accept with the note, C to cancel. An answer may come through a "
        "pipe within 10 seconds; no answer is a refusal (exit status 5).",
    ),
    Command(
        "save-session",
        "Propose what a session learned: see every candidate, and decide which are kept.",
        "engram.cli.sessions",
        "save_session_command",
        arguments=(
            Argument("LAST", "the word last", required=False),
            Argument("N", "how many sessions", required=False),
            Argument("SESSIONS", "the word sessions", required=False),
        ),
        options=(
            Option("file", "candidate lines: a file, or - for standard input", value="PATH"),
            Option("force", "write without asking; verdicts, safety checks and deferral stay", short="f"),
            Option("query-level", "how many past sessions the agent should read", value="N", integer=True),
            _SCOPE,
            Option("role", "give them only to these roles, separated by commas", value="ROLES"),
            Option("inbox", "write nothing: put the candidates into the inbox, for engram review"),
        ),
        examples=(
            "engram save-session",
            "engram save-session --file candidates.txt",
            "engram ss -f last 50 sessions",
        ),
        aliases=("ss",),
        details="Without candidates it prints how an agent proposes memory. At the question, A accepts all, A 1,3 "
        "those two, B 1,3 and a note the same with the note, C cancels. Candidates that are there already, or near to "
        "another memory, are not written but kept in the inbox for 30 days.",
    ),
    Command(
        "load",
        "Give the memories that a task needs, ready for an agent.",
        "engram.cli.recalling",
        "load_command",
        arguments=(Argument("TASK", "the task, in any language, in quotes", required=False),),
        options=(
            Option("id", "one memory whole, by its id", value="ID"),
            Option("full", "whole memories, with origin, notes and variants"),
            Option("dry-run", "only say what would be given, and its size"),
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
        options=(Option("all", "also weak matches, and more of them"), _EXPLAIN, _WITHOUT),
        examples=('engram route "cut a release" --explain',),
    ),
    Command(
        "graph",
        "Draw what depends on what.",
        "engram.cli.graphing",
        "graph_command",
        arguments=(Argument("ID", "only this memory and what it needs or is needed by", required=False),),
        options=(Option("format", "text, mermaid or dot", value="FORMAT"),),
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
        "A case that fails and did not fail in the baseline is a regression: exit status 6.",
    ),
    Command(
        "list",
        "List the active memories.",
        "engram.cli.reading",
        "list_command",
        options=(
            Option("type", "only rule, skill or knowledge", value="KIND"),
            Option("scope", "only workspace or global", value="SCOPE"),
        ),
        examples=("engram list", "engram list --type rule"),
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
    Command(
        "archive",
        "Take a memory out of use, with the reason; nothing is deleted.",
        "engram.cli.keeping",
        "archive_command",
        arguments=(_ID,),
        options=(Option("reason", "why it no longer holds", value="TEXT"),),
        examples=('engram archive build-runs-on-node-16 --reason "the build moved to Node 20"',),
    ),
    Command(
        "edit",
        "Change one memory in your editor, see the diff, and decide.",
        "engram.cli.editing",
        "edit_command",
        arguments=(_ID,),
        examples=("engram edit use-pnpm-for-every-install", "EDITOR=nano engram edit prices-are-integers-in-cents"),
        details="Opens a copy in $VISUAL or $EDITOR. What comes back is checked like a save, shown as a diff, and "
        "written after your A; its revision counts on. Where the editor fails nothing changes.",
    ),
    Command(
        "review",
        "Go through everything that waits for you.",
        "engram.cli.inbox",
        "inbox_command",
        arguments=(
            Argument("ACTION", "show, to see one thing", required=False),
            Argument("NAME", "what to show: its name in the list", required=False),
        ),
        options=(Option("list", "only list what waits"),),
        examples=("engram review", "engram review --list", "engram review show p-3fa2b1c0"),
        details="Proposals, deferred candidates, files that are not as approved, memories past their date, foreign "
        "memory. Not at a terminal it is the list. At one, each thing is shown as it would be written now, with one "
        "question: A accept, R reject, E edit, S skip, Q quit, ? for more.",
    ),
    Command(
        "verify",
        "Compare every memory file with the ledger of approved hashes.",
        "engram.cli.keeping",
        "verify_command",
        options=(
            Option("scope", "workspace, global or all", value="SCOPE"),
            Option("review", "see each file that does not match, and decide"),
        ),
        examples=("engram verify", "engram verify --review"),
        details="With --review, at a terminal: A accepts the file as it is now, R goes back to what was approved (the "
        "edit is kept in archive/), S leaves it as it is, Q leaves all that remain. A change of white space only is "
        "asked for once for all files.",
    ),
    Command(
        "trust",
        "Accept the memory that came with this project, so that it may instruct.",
        "engram.cli.trusting",
        "trust_command",
        options=(
            Option("list", "list what this machine trusts"),
            Option("revoke", "take this project off that list"),
        ),
        examples=("engram trust", "engram trust --list"),
    ),
    Command(
        "status",
        "Say what memory there is here and what needs attention.",
        "engram.cli.keeping",
        "status_command",
        options=(Option("deep", "hash every file and make the index anew"),),
        examples=("engram status", "engram status --json", "engram status --deep"),
    ),
    Command(
        "semantic",
        "Let recall compare meanings too, not only words.",
        "engram.cli.semantic",
        "semantic_command",
        arguments=(Argument("ACTION", "on, off or status", required=False),),
        examples=("engram semantic on", "engram semantic status"),
        details="It needs the extra package once, to make a table of 10 MB in your cache folder, and no network. "
        "--explain of load shows what it adds.",
    ),
    Command(
        "config",
        "See and change settings.",
        "engram.cli.configuring",
        "config_command",
        arguments=(
            Argument("ACTION", "view, get, set or unset", required=False),
            Argument("KEY", "a key, as engram config view shows it", required=False),
            Argument("VALUE", "the new value; lists are separated by commas", required=False),
        ),
        options=(Option("global", "change your own configuration instead of the workspace's"),),
        examples=("engram config view", "engram config get load.limit", "engram config set load.limit 6"),
    ),
    Command(
        "author",
        "Say who you are in the memories that you save.",
        "engram.cli.configuring",
        "author_command",
        arguments=(
            Argument("ACTION", "set or show", required=False),
            Argument("NAME", "your name", required=False),
            Argument("EMAIL", "your e-mail address", required=False),
        ),
        options=(Option("global", "for all projects instead of this one"),),
        examples=('engram author set "Ada Lovelace" ada@example.com', "engram author show"),
    ),
)


def find_command(name: str) -> Command | None:
    """Return the command of that name or alias."""
    return next((command for command in COMMANDS if name == command.name or name in command.aliases), None)
