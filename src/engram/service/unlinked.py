"""What was linked here and is no longer there, as ``engram doctor`` and ``engram status`` say it (C9)."""

from __future__ import annotations

from engram.errors import EngramError
from engram.store.links import read_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.link_report import PartState
    from engram.service.session import Session

__all__ = ["PART_NAMES", "are", "gone_command", "gone_entries", "gone_sentence", "were"]

PART_NAMES = {
    "plugin": "plugin",
    "mcp": "MCP entry",
    "instructions": "instructions",
    "skill": "skill",
    "command": "slash command",
    "hooks": "hooks",
}
_MANY = frozenset({"instructions", "hooks"})
_STARTED = frozenset({"mcp", "hooks"})  # what a host starts: without it nothing reaches the agent


def gone_entries(session: Session) -> list[PartState]:
    """Return the entries and hooks that ``links.json`` records and that are no longer there; nothing is changed.

    What cannot be looked at is left to ``engram doctor``.
    """
    try:
        if not read_links(session.config_dir):
            return []  # nothing was linked on this machine: no host's file has to be read
        from engram.service.linking import survey

        states = survey(session)
    except EngramError:
        return []
    return [state for state in states if state.recorded and state.state == "absent" and state.part in _STARTED]


def gone_sentence(state: PartState) -> str:
    """Return what is said of a part that was linked and is gone."""
    what = f"The {PART_NAMES[state.part]} of {state.host}"
    return f"{what} {were(state.part)} linked, and {are(state.part)} no longer there"


def gone_command(state: PartState) -> str:
    """Return the command that links a part again."""
    return f"engram link {state.host} --{state.scope}"


def are(part: str) -> str:
    """Return ``is`` or ``are``, as the name of a part wants it."""
    return "are" if part in _MANY else "is"


def were(part: str) -> str:
    """Return ``was`` or ``were``, as ``are`` does."""
    return "were" if part in _MANY else "was"
