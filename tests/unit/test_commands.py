"""The table of commands: each command that a module of the table describes is found, by name and by alias."""

from __future__ import annotations

import glob
import importlib
import os

import engram.cli
from engram.cli.commands import all_commands, find_command


def test_every_command_that_a_table_describes_is_found_by_name_and_alias_and_stands_in_the_help_once() -> None:
    folder = os.path.dirname(engram.cli.__file__)
    tables = [os.path.basename(path)[:-3] for path in glob.glob(os.path.join(folder, "table_*.py"))]
    described = [command for name in tables for command in importlib.import_module(f"engram.cli.{name}").COMMANDS]

    for command in described:
        for name in (command.name, *command.aliases):
            assert find_command(name) is command
    assert sorted(command.name for command in all_commands()) == sorted(command.name for command in described)
    assert find_command("no-such-command") is None
