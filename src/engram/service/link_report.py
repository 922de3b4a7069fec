"""What ``link`` and ``unlink`` are asked for, and what they answer."""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.errors import EngramError
    from engram.service.link_files import FileChange

__all__ = ["LinkOptions", "LinkReport", "LinkResult", "PartState"]

_GROUPS = ("mcp", "hooks", "instructions")
_INSTRUCTIONS = frozenset({"instructions", "skill", "command"})


class LinkOptions(Record):
    """How to link.

    Attributes:
        scopes: ``workspace``, ``global`` or both; none for each host's own (C2).
        plan: only say what would be done.
        force: replace what Engram did not write or what was edited (C12).
        no_elicitation: register the server with the chat approval only (C13).
        without: parts that are left out: ``mcp``, ``hooks``, ``instructions``.
    """

    scopes: tuple[str, ...] = ()
    plan: bool = False
    force: bool = False
    no_elicitation: bool = False
    without: frozenset[str] = frozenset()

    def wants(self, part: str) -> bool:
        """Tell whether a part is to be linked."""
        if part == "plugin":  # it holds the others, and is nothing without them
            return len(self.without) < len(_GROUPS)
        group = "instructions" if part in _INSTRUCTIONS else part
        return group not in self.without


class LinkResult(Record):
    """What became of one part of one host.

    Attributes:
        action: ``added``, ``updated``, ``unchanged``, ``removed``, ``absent`` (there was nothing), ``kept`` (another
            host uses it), ``left`` (not ours, or edited), ``skipped`` (the host has no such thing), ``printed``
            (for the person to do), ``failed``.
        where: the place in the file.
        line: what is printed for the person to run or write.
    """

    host: str
    scope: str
    part: str
    action: str
    file: str = ""
    where: str = ""
    reason: str = ""
    line: str = ""
    notes: tuple[str, ...] = ()


class LinkReport(Record):
    """What one run did, or with a plan would do."""

    results: tuple[LinkResult, ...]
    changes: tuple[FileChange, ...]
    errors: tuple[EngramError, ...] = ()
    not_found: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()


class PartState(Record):
    """What stands in one file of a host now.

    Attributes:
        state: ``linked`` (as ``link`` would write it today), ``stale``, ``edited``, ``foreign``, ``absent``,
            ``broken`` (the file cannot be read or parsed; ``reason`` says why, ``hint`` what to do).
        command: the words that the entry starts; ``()`` for parts without one.
        recorded: ``links.json`` says that the part was linked for this host.
        notes: what the host would not like about the file, and other entries that start the server.
    """

    host: str
    scope: str
    part: str
    file: str
    where: str
    state: str
    command: tuple[str, ...] = ()
    recorded: bool = False
    reason: str = ""
    notes: tuple[str, ...] = ()
    hint: str = ""
