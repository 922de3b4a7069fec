"""The commands that look after what is there."""

from __future__ import annotations

from engram.cli.parser import Argument, Command, Option

__all__ = ["COMMANDS"]

_ID = Argument("ID", "the id of a memory, as engram list shows it")

COMMANDS: tuple[Command, ...] = (
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
)
