"""``review``: what waits for a human, as a list."""

from __future__ import annotations

from engram.safety.fence import show_inert
from engram.service.waiting import everything_waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["review_command"]

_TITLES = {
    "proposal": "Proposals that wait for your answer",
    "expired": "Proposals whose half hour is over",
    "deferred": "Candidates that were not saved",
    "note": "Working notes that ended",
    "memory": "Memory that needs a look",
}


def review_command(session: Session, _parsed: Parsed, output: Output) -> int:
    """List what waits, by kind, each with what to do about it."""
    session.require_roots()
    items = everything_waiting(session)
    for kind, title in _TITLES.items():
        mine = [item for item in items if item.kind == kind]
        if not mine:
            continue
        output.text(f"{title}:")
        for item in mine:
            output.line(f"  {item.name}: {item.message}")
            for line in show_inert(item.text).split("\n") if item.text else ():
                output.line(f"    | {line}")
            output.line(f"    {item.command}")
    if not items:
        output.text("Nothing waits.")
    return output.done({"items": [{k: v for k, v in item.as_dict().items() if v} for item in items]})
