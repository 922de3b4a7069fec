"""The commands that Engram writes into hosts' files: their forms (C4), and how to know one again (C12).

Three forms start the same program: by its name (``bare``), through ``uvx`` pinned to a version, URL or commit
(``pinned``), or by its absolute path (``path``).

>>> form_of(("uvx", "--from", "the-long-ride-engram==0.1.0", "engram-mcp", "--always-load"), SERVER)
Form(kind='pinned', pin='the-long-ride-engram==0.1.0', at=2, rest=('--always-load',))
>>> form_of(("node", "engram.js"), SERVER) is None
True
"""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

__all__ = [
    "ALWAYS_LOAD",
    "NO_ELICITATION",
    "PACKAGE",
    "PROGRAM",
    "SERVER",
    "Form",
    "Launch",
    "form_of",
    "hook_host",
    "hook_line",
    "new_pin",
    "pinned",
    "shell_line",
    "starts_server",
    "with_options",
]

PACKAGE = "the-long-ride-engram"
SERVER = "engram-mcp"
PROGRAM = "engram"
ALWAYS_LOAD = "--always-load"
NO_ELICITATION = "--no-elicitation"

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./@:%,")
_REMOTE = ("git+", "https://", "http://")


class Form(Record):
    """A command that Engram wrote: its kind, the word that pins it, where that stands, and the options behind."""

    kind: Literal["bare", "pinned", "path"]
    pin: str
    at: int
    rest: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether it has no option but those that ``engram link`` writes."""
        return {*self.rest} <= {ALWAYS_LOAD, NO_ELICITATION}


class Launch(Record):
    """How this installation's programs are started from a host's file (C4), and what has to be said about it.

    Attributes:
        server: the words that start ``engram-mcp``.
        hook: the words that start ``engram``; `hook HOST` follows.
        kind: as in ``Form``.
        why: the reason for the form, for people.
    """

    server: tuple[str, ...]
    hook: tuple[str, ...]
    kind: Literal["bare", "pinned", "path"]
    why: str


def pinned(requirement: str, program: str) -> tuple[str, ...]:
    """Return the words that run a program of a package straight from where it comes."""
    return ("uvx", "--from", requirement, program)


def form_of(words: Sequence[str], program: str) -> Form | None:
    """Return the form of a command of ours; None for any other command."""
    words = tuple(words)
    if words[:2] == ("uvx", "--from") and words[3:4] == (program,):
        pin = words[2]
        return Form("pinned", pin, 2, words[4:]) if pin.startswith((f"{PACKAGE}==", *_REMOTE)) else None
    if not words:
        return None
    first = words[0]
    if first == program:
        return Form("bare", "", 0, words[1:])
    absolute = first.startswith(("/", "\\\\")) or first[1:3] in (":\\", ":/")
    if absolute and first.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") == program:
        return Form("path", first, 0, words[1:])
    return None


def new_pin(old: Form, new: Form) -> str:
    """Return the pin that an existing command gets, ``""`` where it stays: only like is pinned afresh by like (C12)."""
    return new.pin if old.kind == new.kind and old.pin != new.pin else ""


def with_options(server: Sequence[str], old: Form) -> tuple[str, ...]:
    """Return a command of today with the options that a person gave to an older one."""
    return (*server, *(option for option in old.rest if option not in {ALWAYS_LOAD, *server}))


def starts_server(word: str) -> bool:
    """Tell whether a word names a program ``engram-mcp``, wherever it is."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") == SERVER


def shell_line(words: Sequence[str]) -> str:
    """Return words as one line for a shell, quoted where they have to be; a path of Windows keeps its backslashes."""

    def quoted(word: str) -> str:
        if word and not set(word) - _PLAIN:
            return word
        return f"'{word}'" if set(word) & set('$`"!') else f'"{word}"'

    return " ".join(map(quoted, words))


def hook_line(hook: Sequence[str], host: str) -> str:
    """Return the command line of a hook."""
    return shell_line((*hook, "hook", host))


def hook_host(line: object) -> str:
    """Return the host that a command line of ours is the hook of; ``""`` for any other command line."""
    if not isinstance(line, str):
        return ""
    words = [word for word in _words(line) if word not in ("&", "call")]
    for at in range(1, len(words) - 1):
        if words[at] == "hook" and form_of(words[:at], PROGRAM):
            return words[at + 1]
    return ""


def _words(line: str) -> list[str]:
    """Return the words of a command line; double and single quotes hold one together, a backslash is a letter."""
    words: list[str] = []
    word, quote, begun = "", "", False
    for char in line:
        if quote:
            if char == quote:
                quote = ""
            else:
                word += char
        elif char in "\"'":
            quote, begun = char, True
        elif char.isspace():
            if word or begun:
                words.append(word)
            word, begun = "", False
        else:
            word += char
    return [*words, word] if word or begun else words
