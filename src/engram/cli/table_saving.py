"""The commands that start a memory and bring something into it."""

from __future__ import annotations

from engram.cli.parser import Argument, Command, Option

__all__ = ["COMMANDS"]

_SCOPE = Option("scope", "workspace, global or both", value="SCOPE")

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
            'engram note "El servidor de pruebas se llama pruebas-7 hasta el viernes."',
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
)
