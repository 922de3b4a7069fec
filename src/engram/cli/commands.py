"""The table of commands: which there are, in the order of the help, and where each is described."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.parser import Command

__all__ = ["all_commands", "find_command"]

# By name and alias, the module of the table that describes it: a command loads what it needs, not thirty others.
_TABLES = {
    "inject": "saving",
    "init": "saving",
    "save": "saving",
    "save-session": "saving",
    "ss": "saving",
    "note": "saving",
    "promote": "saving",
    "load": "recalling",
    "search": "recalling",
    "route": "recalling",
    "graph": "recalling",
    "benchmark": "recalling",
    "list": "recalling",
    "ls": "recalling",
    "show": "recalling",
    "archive": "keeping",
    "edit": "keeping",
    "link": "setting",
    "unlink": "setting",
    "upgrade": "setting",
    "doctor": "setting",
    "verify": "keeping",
    "review": "keeping",
    "purge": "keeping",
    "repair": "keeping",
    "scan": "keeping",
    "trust": "keeping",
    "status": "keeping",
    "semantic": "setting",
    "config": "setting",
    "hook": "setting",
    "set-read": "setting",
    "completion": "setting",
    "author": "setting",
}


def find_command(name: str) -> Command | None:
    """Return the command of that name or alias."""
    if name not in _TABLES:
        return None
    return next(command for command in _table(_TABLES[name]) if name == command.name or name in command.aliases)


def all_commands() -> tuple[Command, ...]:
    """Return all commands in the order of the help."""
    known = {command.name: command for table in set(_TABLES.values()) for command in _table(table)}
    return tuple(known[name] for name in _TABLES if name in known)


def _table(name: str) -> tuple[Command, ...]:
    module = __import__(f"engram.cli.table_{name}", fromlist=["COMMANDS"])
    found: tuple[Command, ...] = module.COMMANDS
    return found
