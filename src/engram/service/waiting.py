"""What waits for a human: open proposals, deferred candidates, ended notes, and what else needs a look (A4, I3)."""

from __future__ import annotations

import time

from engram.errors import FormatError
from engram.record import Record
from engram.service.approving import open_approvals
from engram.service.inbox import waiting_in
from engram.service.notebook import expired_notes
from engram.service.status import root_states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.session import Session

__all__ = ["WaitingItem", "everything_waiting"]


class WaitingItem(Record):
    """One thing that waits.

    Attributes:
        kind: ``proposal``, ``expired``, ``deferred``, ``note``, ``memory``.
        name: what it is called.
        message: what it is, in a sentence.
        text: the text that waits, where it is a candidate's.
        command: what to do about it.
    """

    kind: str
    name: str
    message: str
    text: str = ""
    command: str = ""


def everything_waiting(session: Session) -> list[WaitingItem]:
    """Return what waits, by kind: what may still be approved first.

    What cannot be read is among the session's notices afterwards.
    """
    items: list[WaitingItem] = []
    try:
        approvals = open_approvals(session)
    except FormatError as error:
        session.say("warning", "approvals", error.message, path=error.path, hint=error.hint)
        approvals = []
    for one in approvals:
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.created))
        what = f"{'a note' if one.kind == 'note' else f'{one.candidates} candidates'}, proposed {since}"
        command = (
            "It expired: have the agent propose it again."
            if one.expired
            else "Tell the agent which of them to keep; it holds the token."
        )
        items.append(WaitingItem("expired" if one.expired else "proposal", ", ".join(one.titles), what, "", command))
    for root in session.roots:
        waiting, bad = waiting_in(session, root)
        for line in bad:
            session.say("skipped", "inbox", line)
        for kept in waiting:
            look = f"Look at: engram show {kept.related[0]}" if kept.related else "Save it: engram save"
            message = f"{kept.scope} memory, since {kept.since}: {kept.reason}"
            items.append(WaitingItem("deferred", kept.name, message, kept.candidate.text, look))
    notes, _ = expired_notes(session)
    for entry in notes:
        message = f"a working note that ended on {entry.memory.valid_until}"
        items.append(
            WaitingItem("note", entry.key, message, entry.memory.content, f"Keep it: engram promote {entry.key}")
        )
    for state in root_states(session):
        if state.foreign:
            items.append(WaitingItem("memory", state.root, "foreign: nobody here accepted it yet", "", "engram trust"))
        if state.skipped:
            message = f"{state.skipped} files are not as they were approved"
            items.append(WaitingItem("memory", state.root, message, "", "engram verify --review"))
        if state.expired:
            items.append(
                WaitingItem("memory", state.root, f"{state.expired} memories are past their date", "", "engram list")
            )
    return items
