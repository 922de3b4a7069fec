"""What a host is made of: parts, each in one file, that can be linked and taken out; no disk in here."""

from __future__ import annotations

from engram.hosts.launch import NO_ELICITATION
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from engram.hosts.launch import Form

    Action = Literal["added", "updated", "unchanged", "removed", "absent", "left"]
    State = Literal["linked", "stale", "edited", "foreign", "absent"]

__all__ = ["PARTS", "Edit", "Host", "Part", "PartError", "Show", "Skip", "Wish"]

# In the order in which they are done and shown.
PARTS = ("plugin", "mcp", "instructions", "skill", "command", "hooks")


class PartError(ValueError):
    """A file's text cannot be read as what it should be, or cannot take the change; line and column may be 0."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class Wish(Record):
    """What is to be put into a file.

    Attributes:
        host: the id of the host that it is for.
        server: the words that start the server, with its options.
        hook: the words that start ``engram``.
        force: replace what Engram did not write, or what was edited since (C12).
        refresh: write afresh what Engram wrote and nobody edited (``engram upgrade``).
        approval_mode: Codex's for ``engram_commit`` (C7).
    """

    host: str
    server: tuple[str, ...]
    hook: tuple[str, ...]
    force: bool = False
    refresh: bool = False
    approval_mode: str = "approve"

    def like(self, old: Form | None) -> Wish:
        """Return the wish with what a person chose when the entry was linked: it stays, but with force."""
        if old is None or self.force or NO_ELICITATION not in old.rest or NO_ELICITATION in self.server:
            return self
        return self.replace(server=(*self.server, NO_ELICITATION), approval_mode="prompt")

    @property
    def afresh(self) -> str:
        """What a person can do about something that was left."""
        return "engram upgrade --review shows it" if self.refresh else "--force writes it afresh"


class Edit(Record):
    """A text after a change, and what was done.

    Attributes:
        action: ``left`` is what was not touched though it was asked for; ``reason`` says why.
        made: containers of a JSON text that were made on the way.
        delete: the file held nothing else and is ours as a whole.
        notes: what else a person has to know.
    """

    text: str
    action: Action
    reason: str = ""
    made: tuple[tuple[str, ...], ...] = ()
    delete: bool = False
    notes: tuple[str, ...] = ()


class Part(Record):
    """One thing that stands in one file.

    Attributes:
        part: ``mcp``, ``instructions``, ``skill``, ``command`` or ``hooks``.
        file: where, with places in braces (module ``places``).
        order: files that the host reads as well, the first of which that exists is taken; ``file`` if none does.
        borrow: a file of another host that this one reads too: where Engram's stands there, it serves both.
        refuses: what makes the host skip the whole file: ``comments``, ``commas`` (a trailing one), ``bom``.
        always_load: Claude Code reads the entry (C11).
        where: what it is called in messages, such as a key.
    """

    part: str = ""
    file: str = ""
    order: tuple[str, ...] = ()
    borrow: str = ""
    refuses: frozenset[str] = frozenset()
    always_load: bool = False

    @property
    def where(self) -> str:
        """What the part is inside of its file, for messages; ``""`` for the file itself."""
        return ""

    def link(self, text: str, wish: Wish) -> Edit:
        """Return the text with the part in it; ``""`` for a file that is not there.

        Raises:
            PartError: for a text that cannot be parsed or extended.
        """
        raise NotImplementedError

    def unlink(self, text: str, wish: Wish, made: tuple[tuple[str, ...], ...], known: tuple[str, ...]) -> Edit:
        """Return the text without the part.

        Args:
            text: the file's text.
            wish: whose part it is.
            made: the containers that were made for it.
            known: texts that Engram wrote into the file.

        Raises:
            PartError: for a text that cannot be parsed.
        """
        raise NotImplementedError

    def state(self, text: str, wish: Wish) -> State:
        """Tell what stands there: what ``link`` would write, an older one, an edited one, somebody else's, or nothing.

        Raises:
            PartError: for a text that cannot be parsed.
        """
        raise NotImplementedError

    def made(self) -> tuple[tuple[str, ...], ...]:
        """Return every container that may have to be made for the part."""
        return ()

    def command(self, text: str) -> tuple[str, ...]:
        """Return the words of the command that stands in a text that can be parsed, ``()`` where there is none."""
        del text
        return ()

    def notes(self, text: str) -> tuple[str, ...]:
        """Return what the host would not like about the file, and other entries that start the same program."""
        del text
        return ()


class Skip(Part):
    """A part that the host does not support, or that is left to the person; ``reason`` says why."""

    reason: str = ""


class Show(Part):
    """A part that is printed for the person to do: no file of ours, or one that is not ours to edit.

    Attributes:
        line: what links it; ``$server`` stands for the server command, ``$command`` and ``$args`` for its words, as
            JSON.
        again: what replaces an older one, where the host's own file tells what it has; ``""`` where nothing does.
        unline: what takes it out again.
        reason: why it is only printed.
    """

    line: str = ""
    again: str = ""
    unline: str = ""
    reason: str = ""


class Host(Record):
    """One host: everything that Engram knows about where it keeps what.

    Attributes:
        id: as in ``engram link ID`` and ``engram hook ID``.
        title: its name for people.
        programs: commands that prove it is here.
        folders: folders that prove it is here.
        workspace: the parts for one project.
        everywhere: the parts for all projects of the user (``--global``).
        in_workspace: ``engram link`` without a flag means the workspace (C2).
        aliases: other names of it.
        advice: for each scope, what a person still has to do in the host itself, behind the parts that need it.
        own_folder: a folder that is ours as a whole, for all projects; ``""`` for none.
        unasked: how a client names itself that runs ``engram_commit`` unasked as C7 registers it; ``""``: none (C43a).
    """

    id: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]
    workspace: tuple[Part, ...]
    everywhere: tuple[Part, ...]
    in_workspace: bool = True
    aliases: tuple[str, ...] = ()
    advice: Mapping[str, tuple[tuple[str, ...], str]] = {}
    own_folder: str = ""
    unasked: str = ""

    def parts(self, scope: str) -> tuple[Part, ...]:
        """Return the parts of ``workspace`` or ``global``."""
        return self.everywhere if scope == "global" else self.workspace
