"""The table of commands."""

from __future__ import annotations

from engram.cli.parser import Argument, Command, Option

__all__ = ["COMMANDS", "find_command"]

_SCOPE = Option("scope", "workspace, global or both", value="SCOPE")
_ID = Argument("ID", "the id of a memory, as engram list shows it")

_DRY_RUN = Option("dry-run", "only say what would be given, and its size")
_EXPLAIN = Option("explain", "say why each memory is there, and what was left out")
_WITHOUT = Option("without", "switch signals off, separated by commas; --explain names them", value="SIGNALS")

_HOST = Argument("HOST", "a host, or all, or list; engram link list shows the hosts", many=True)
_LINK_SCOPE = (
    Option("global", "for all your projects"),
    Option("workspace", "for this project, or the one at PATH", value="PATH", optional=True),
)
_PLAN = Option("plan", "show the exact change of each file, and write nothing")

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
        "note",
        "Keep a note for the work at hand: it shows as one line, and ends after some days.",
        "engram.cli.noting",
        "note_command",
        arguments=(Argument("TEXT", "what the next session has to know, in quotes"),),
        options=(
            Option("objective", "the piece of work that it is for", value="TEXT"),
            Option("type", "what it would be as a memory: rule, skill or knowledge (default)", value="KIND"),
            Option("scope", "workspace or global", value="SCOPE"),
        ),
        examples=(
            'engram note "Totals are still floats; the orders table is next." --objective "prices as cents"',
            'engram note "El servidor de pruebas está en 10.0.0.7 hasta el viernes."',
        ),
        details="Answer A to keep it, C to cancel; as with engram save, an answer may come through a pipe. It is a "
        "file in working/, which Git does not see, until load.working_ttl_days are over. engram list names it, engram "
        "show gives it whole. Noting the same again renews it. A session start shows it only where "
        "ENGRAM_SESSION_OBJECTIVE is its objective.",
    ),
    Command(
        "promote",
        "Make a note durable: propose it as a memory, see the file, and decide.",
        "engram.cli.noting",
        "promote_command",
        arguments=(Argument("ID", "the id of a note, as engram list shows it"),),
        options=(Option("type", "rule, skill or knowledge; what the note says by default", value="KIND"), _SCOPE),
        examples=("engram promote totals-are-still-floats", "engram promote totals-are-still-floats --type rule"),
        details="The question is that of engram save. When the memory is written, the note goes.",
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
        "A case that fails and did not fail in the baseline is a regression: exit status 6.",
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
        "link",
        "Register Engram with your agents' programs.",
        "engram.cli.linking",
        "link_command",
        arguments=(_HOST,),
        options=(
            *_LINK_SCOPE,
            _PLAN,
            Option("force", "replace entries that Engram did not write, and what was edited by hand"),
            Option("no-elicitation", "ask in the chat only, for hosts that decline dialogs by themselves"),
            Option("no-mcp", "leave out the MCP registration"),
            Option("no-hooks", "leave out the hooks"),
            Option("no-instructions", "leave out instructions, skill and slash command"),
        ),
        examples=("engram link claude", "engram link codex --global", "engram link all --plan"),
        details="Writes the MCP registration, a short block of instructions, a skill, a slash command and hooks, each "
        "where the host reads it. Everything else in those files stays as it is; each file is kept once, as it was, in "
        "your configuration folder. engram unlink takes it all out again.",
    ),
    Command(
        "unlink",
        "Take Engram out of your agents' programs again.",
        "engram.cli.linking",
        "unlink_command",
        arguments=(Argument("HOST", "a host, or all", many=True),),
        options=(*_LINK_SCOPE, _PLAN),
        examples=("engram unlink claude", "engram unlink all --global"),
        details="Takes out what engram link wrote, and nothing else, also where you or another program changed the "
        "file in between.",
    ),
    Command(
        "upgrade",
        "Bring what Engram wrote to today's form: hosts' entries, ledgers, older memories.",
        "engram.cli.upgrading",
        "upgrade_command",
        options=(
            _PLAN,
            Option("review", "see what would be written over your own edits, and decide"),
            Option("migrate-memories", "rewrite memories of schemas 1 and 2 as schema 3; each keeps a .pre-v3.bak"),
        ),
        examples=("engram upgrade --plan", "engram upgrade --migrate-memories"),
        details="Pins the server's version in hosts' files afresh, refreshes blocks and skills that nobody edited, and "
        "takes memory.hashes.json away once SHA256SUMS is there. A second run finds nothing to do.",
    ),
    Command(
        "doctor",
        "Find what is wrong or half done: installation, hosts, memory, Git.",
        "engram.cli.doctoring",
        "doctor_command",
        options=(
            Option("strict", "exit with 1 for warnings too"),
            Option("fix", "mend what cannot lose anything: stale entries that Engram wrote"),
        ),
        examples=("engram doctor", "engram doctor --strict --json"),
        details="Each finding has an id, a sentence, and what mends it. A registered command that engram link would "
        "write today is started once; any other is named and never run.",
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
        details="Proposals, deferred candidates, files that are not as approved, ended notes, memories past their "
        "date, foreign memory. Not at a terminal it is the list. At one, each thing is shown as it would be written "
        "now, with one question: A accept, R reject, E edit, S skip, Q quit, ? for more.",
    ),
    Command(
        "purge",
        "Take out for ever what was saved by mistake, everywhere that Engram wrote it.",
        "engram.cli.purging",
        "purge_command",
        arguments=(_ID,),
        examples=("engram purge wifi-password-of-the-office",),
        details="At a terminal only: it shows the files and has you type the id. It says where Git still has the text, "
        "and how to rewrite that. To take a memory out of use and keep it: engram archive.",
    ),
    Command(
        "repair",
        "Find every kind of damage in the memory, and say what mends it.",
        "engram.cli.repairing",
        "repair_command",
        options=(
            Option("fix", "mend what cannot lose anything: what a merge left in ledger and changelog, the index"),
        ),
        examples=("engram repair", "engram repair --fix"),
        details="Nobody's text is changed: what needs a decision is named with the command for it. Exit status 4 while "
        "damage remains.",
    ),
    Command(
        "scan",
        "Look in any text files for secrets, personal data, hidden text and orders to agents.",
        "engram.cli.scanning",
        "scan_command",
        arguments=(Argument("PATH", "a file or a folder; the current folder by default", required=False, many=True),),
        options=(Option("format", "text, json or sarif", value="FORMAT"),),
        examples=("engram scan", "engram scan docs README.md", "engram scan --format sarif > engram.sarif"),
        details="Nothing that was found is printed, only where and what. What .engramignore and ignore.patterns "
        "name is left alone, and what the configuration allows (safety.*) is no finding. Exit status 5 with findings.",
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
        options=(Option("deep", "hash every file, to find also what was changed in place, and make the index anew"),),
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
            Argument("ACTION", "view, get, set, unset, explain or schema", required=False),
            Argument("KEY", "a key, as engram config view shows it", required=False),
            Argument("VALUE", "the new value; lists are separated by commas", required=False),
        ),
        options=(Option("global", "change your own configuration instead of the workspace's"),),
        examples=(
            "engram config view",
            "engram config get load.limit",
            "engram config set load.limit 6",
            "engram config explain read",
        ),
    ),
    Command(
        "hook",
        "Answer an event of a host: its JSON comes in, memory for its agent goes out.",
        "engram.hooks",
        "run_hook",
        arguments=(Argument("HOST", "claude, codex, gemini, cursor, copilot, opencode, cline or windsurf"),),
        examples=("engram hook claude",),
        details="engram link registers it. It reads standard input, takes 2 seconds at most, and always exits with 0.",
    ),
    Command(
        "set-read",
        "Say when hooks give memory to an agent.",
        "engram.cli.configuring",
        "set_read_command",
        arguments=(Argument("MODE", "auto, startup, always, manual or off"),),
        options=(Option("global", "change your own configuration instead of the workspace's"),),
        examples=("engram set-read startup", "engram set-read off --global"),
        details="auto: at the start of a session, and with each prompt what it has not seen. startup: at the start "
        "only. always: with each prompt everything that fits. manual: only when asked. off: reading is off.",
    ),
    Command(
        "completion",
        "Print the script that completes engram's words in your shell.",
        "engram.cli.completing",
        "completion_command",
        arguments=(Argument("SHELL", "bash, zsh, fish or powershell"),),
        examples=('eval "$(engram completion bash)"', "engram completion fish | source"),
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
