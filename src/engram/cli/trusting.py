"""``trust``."""

from __future__ import annotations

from engram.cli.asking import ask_at_terminal
from engram.errors import RefusedError
from engram.safety.fence import show_line
from engram.service.pulled import pulled_memories
from engram.service.status import root_states
from engram.service.trusting import (
    accept_pulled,
    accept_workspace,
    accepted_here,
    forget_workspace,
    trusted_by_environment,
    trusted_projects,
)
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session
    from engram.store.root import Stored

__all__ = ["trust_command"]


def trust_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Ask a human at a terminal whether this workspace's memory may instruct (F18)."""
    if parsed.given("list"):
        records = trusted_projects(session)
        for record in records:
            output.line(f"{record.project}  since {record.since}")
        if not records:
            output.line("This machine trusts no workspace yet.")
        return output.done({"trusted": [record.as_dict() for record in records]})
    if parsed.given("revoke"):
        gone = forget_workspace(session)
        output.line("This workspace is no longer trusted." if gone else "This workspace was not trusted.")
        return output.done({"revoked": gone})
    if accepted_here(session):
        if (found := pulled_memories(session)) is not None:
            return _accept_pulled(session, found, output)
        if trusted_by_environment(session):
            output.line(
                "This workspace is trusted by ENGRAM_TRUST=1, for this process only. To trust it for good, "
                "unset ENGRAM_TRUST and run engram trust at a terminal."
            )
            return output.done({"trusted": True, "changed": False, "by": "ENGRAM_TRUST"})
        output.line("This workspace is trusted already.")
        return output.done({"trusted": True, "changed": False})
    state = next(state for state in root_states(session) if state.scope == "workspace")
    question = (
        f"{show_line(state.root)} holds {counted(state.rules, 'rule')}, {counted(state.skills, 'skill')} and "
        f"{state.knowledge} knowledge that came with the project.\n"
        "Trusted, they are given to your agents as instructions. Read them first: engram list\n"
        "Trust this workspace? [y/N] "
    )
    _confirm(question, "Not trusted; the memory stays foreign: reference only.")
    record = accept_workspace(session)
    output.line(f"Trusted: {record.project}")
    return output.done({"trusted": True, "changed": True, "project": record.project})


def _accept_pulled(session: Session, found: list[Stored], output: Output) -> int:
    """Name what a pull brought, with its authors, and ask once; exactly what was named is accepted (F18)."""
    lines = [
        show_line(f"  {one.memory.type}: {one.memory.title} ({one.memory.id}, by {one.memory.author_name or 'nobody'})")
        for one in found
    ]
    if not found:
        output.line("What a pull brought cannot be read: engram verify")
        return output.done({"trusted": True, "changed": False})
    question = "\n".join(
        [
            f"{counted(len(found), 'memory', 'memories')} that a pull brought:",
            *lines,
            "Accepted, they are given to your agents as what they say they are. Read one first: engram show ID",
            "Accept them? [y/N] ",
        ]
    )
    _confirm(question, "Not accepted; what a pull brought stays as it is.")
    accept_pulled(session, [one.hash for one in found])
    output.line(f"Accepted: {', '.join(one.memory.id for one in found)}")
    return output.done({"trusted": True, "changed": True, "accepted": [one.memory.id for one in found]})


def _confirm(question: str, refusal: str) -> None:
    """Ask a human at a terminal; return where they said yes.

    Raises:
        RefusedError: for any other answer, with ``refusal`` as its message, and where there is no terminal.
    """
    answer = ask_at_terminal(question)
    if answer is None:
        raise RefusedError(
            "engram trust asks a human at a terminal, and there is none.",
            hint="For one process (CI, a container) set ENGRAM_TRUST=1 instead.",
        )
    if answer.strip().lower() not in {"y", "yes"}:
        raise RefusedError(refusal)
