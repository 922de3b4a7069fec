"""Command lines from one table: parsing, help, and the messages for what is off.

``argparse`` alone costs four fifths of starting Python (``docs/decisions/0003-command-table.md``), and a command runs
on every prompt. What is here is what the table needs: options with and without values, positional words, ``--``.
"""

from __future__ import annotations

from engram.errors import UsageError
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Argument", "Command", "Option", "Parsed", "help_text", "parse"]

_WIDTH = 78


class Option(Record):
    """``--name``: a switch, or with ``value`` (the word that help shows for it) one that takes a value.

    An ``optional`` value is given as ``--name=VALUE`` only; without one the option is a switch.
    """

    name: str
    help: str
    value: str = ""
    short: str = ""
    integer: bool = False
    optional: bool = False


class Argument(Record):
    """A positional word. Optional ones stand before the required ones or after them.

    With ``many`` it stands for all words from here on; it is then the only one.
    """

    name: str
    help: str
    required: bool = True
    many: bool = False


class Command(Record):
    """One command: how it is called, what it does, and the module and function that do it."""

    name: str
    summary: str
    module: str
    function: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    details: str = ""


COMMON = (
    Option("json", "print the result as JSON, for programs"),
    Option("workspace", "look for memory from this folder upwards", value="PATH"),
    Option("help", "show this help", short="h"),
)


class Parsed:
    """The words of one call: positional words by name, options by name."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self.many: list[str] = []
        self.values: dict[str, str] = {}
        self.switches: set[str] = set()

    def word(self, name: str) -> str:
        """Return a positional word, ``""`` when it was left out."""
        return self.words.get(name, "")

    def value(self, name: str) -> str:
        """Return an option's value, ``""`` when it was not given."""
        return self.values.get(name, "")

    def given(self, name: str) -> bool:
        """Tell whether a switch or an option was given."""
        return name in self.switches or name in self.values

    def integer(self, name: str) -> int | None:
        """Return an option's whole number, None when it was not given."""
        return int(self.values[name]) if name in self.values else None


def parse(command: Command, words: Sequence[str]) -> Parsed:
    """Read the words after the command's name.

    Raises:
        UsageError: for an unknown option, a missing or superfluous word, a value that is no number.
    """
    options: dict[str, Option] = {}
    for option in _all_options(command):
        options[f"--{option.name}"] = option
        if option.short:
            options[f"-{option.short}"] = option
    parsed = Parsed()
    positional: list[str] = []
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            positional += queue
            break
        name, equals, value = word.partition("=")
        # No option's name holds a blank: `- dash` is a text. Its value may: `--title=- dash`. A number may be negative.
        if not word.startswith("-") or word == "-" or word[1].isdigit() or any(char.isspace() for char in name):
            positional.append(word)
            continue
        found = options.get(name)
        if found is None:
            raise _unknown_option(command, name, options)
        if not found.value:
            if equals:
                raise UsageError(f"{name} takes no value.", hint=_see(command))
            parsed.switches.add(found.name)
            continue
        if not equals and found.optional:
            parsed.switches.add(found.name)
            continue
        if not equals:
            if not queue:
                raise UsageError(f"{name} needs a value: {name} {found.value}", hint=_see(command))
            value = queue.pop(0)
        if found.name in parsed.values:
            raise UsageError(f"{name} was given twice.", hint=_see(command))
        if found.integer and not _is_integer(value):
            raise UsageError(f"{name} takes a whole number, not {value}.", hint=_see(command))
        parsed.values[found.name] = value
    if not parsed.given("help"):
        _place(command, positional, parsed)
    return parsed


def _all_options(command: Command) -> tuple[Option, ...]:
    """Return a command's options, with the common ones that it does not have in a way of its own."""
    own = {option.name for option in command.options}
    return (*command.options, *(option for option in COMMON if option.name not in own))


def help_text(command: Command) -> str:
    """Return what ``engram COMMAND --help`` prints."""
    usage = " ".join(
        ["engram", command.name]
        + [_shown(argument) for argument in command.arguments]
        + (["[options]"] if command.options else [])
    )
    lines = [f"usage: {usage}", "", *_wrap(command.summary, "")]
    if command.aliases:
        lines.append(f"Also: {', '.join(f'engram {alias}' for alias in command.aliases)}")
    if command.details:
        lines.append("")
        for paragraph in command.details.split("\n"):
            lines += _wrap(paragraph, "")
    rows = [(argument.name, argument.help) for argument in command.arguments]
    if rows:
        lines += ["", "arguments:", *_table(rows)]
    lines += ["", "options:", *_table([(_spelling(option), option.help) for option in _all_options(command)])]
    if command.examples:
        lines += ["", "examples:", *(f"  {example}" for example in command.examples)]
    return "\n".join(lines) + "\n"


def _place(command: Command, positional: list[str], parsed: Parsed) -> None:
    arguments = command.arguments
    if arguments and arguments[-1].many and positional:
        parsed.many = positional
        return
    if len(positional) > len(arguments):
        extra = positional[len(arguments)]
        hint = "Put a text of several words in quotes." if arguments else _see(command)
        raise UsageError(f"engram {command.name} does not know what to do with {extra!r}.", hint=hint)
    # Optional words come first in a few commands (`save [KIND] TEXT`): the required ones are served from the end.
    spare = len(positional) - sum(argument.required for argument in arguments)
    for argument in arguments:
        if argument.required or spare > 0:
            if not positional:
                raise UsageError(f"engram {command.name} needs {argument.name}: {argument.help}", hint=_see(command))
            parsed.words[argument.name] = positional.pop(0)
            spare -= not argument.required


def _unknown_option(command: Command, name: str, options: dict[str, Option]) -> UsageError:
    near = [known for known in options if known.startswith(name) or name.startswith(known)]
    if not near:
        from difflib import get_close_matches

        near = get_close_matches(name, options, n=2)
    guess = f"Did you mean {' or '.join(near)}? " if near else ""
    return UsageError(f"engram {command.name} has no option {name}.", hint=f"{guess}{_see(command)}")


def _see(command: Command) -> str:
    return f"engram {command.name} --help shows how it is used."


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdigit()


def _spelling(option: Option) -> str:
    short = f"-{option.short}, " if option.short else ""
    value = f"[={option.value}]" if option.optional else f" {option.value}" if option.value else ""
    return f"{short}--{option.name}{value}"


def _shown(argument: Argument) -> str:
    name = f"{argument.name}…" if argument.many else argument.name
    return name if argument.required else f"[{name}]"


def _table(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(left) for left, _ in rows) + 4
    lines = []
    for left, right in rows:
        first, *others = _wrap(right, " " * width)
        lines += [f"  {left:<{width - 2}}{first.lstrip()}", *others]
    return lines


def _wrap(text: str, indent: str) -> list[str]:
    lines, line = [], indent
    for word in text.split(" "):
        if line.strip() and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = indent
        line += f" {word}" if line.strip() else word
    return [*lines, line]
