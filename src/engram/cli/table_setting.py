"""The commands that tie Engram to hosts, and set it."""

from __future__ import annotations

from engram.cli.parser import Argument, Command, Option

__all__ = ["COMMANDS"]

_HOST = Argument("HOST", "a host, or all, or list; engram link list shows the hosts", many=True)
_LINK_SCOPE = (
    Option("global", "for all your projects"),
    Option("workspace", "for this project, or the one at PATH", value="PATH", optional=True),
)
_PLAN = Option("plan", "show the exact change of each file, and write nothing")

COMMANDS: tuple[Command, ...] = (
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
            Option("fix", "mend what cannot lose anything: stale entries that Engram wrote, the form of ledgers"),
        ),
        examples=("engram doctor", "engram doctor --strict --json"),
        details="Each finding has an id, a sentence, and what mends it. A registered command that engram link would "
        "write today is started once; any other is named and never run.",
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
        arguments=(
            Argument("HOST", "claude, codex, gemini, cursor, copilot, opencode, cline, windsurf or antigravity"),
        ),
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
