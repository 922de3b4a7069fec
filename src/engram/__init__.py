"""Memory for AI coding agents that the human owns: the public Python API.

>>> import engram
>>> session = engram.open_memory("path/to/project")  # doctest: +SKIP
>>> engram.load(session, "add a price column").text  # doctest: +SKIP
>>> proposal = engram.propose(session, "Prices are integers in cents.", kind="rule")  # doctest: +SKIP
>>> print(proposal.planned[0].preview)  # show it to a human … # doctest: +SKIP
>>> engram.commit(session, proposal, way="review tool")  # … and only then # doctest: +SKIP

Everything is imported when it is first used: a hook imports this package on every prompt.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engram.errors import EngramError
    from engram.model import Memory
    from engram.proposals.candidates import Candidate
    from engram.proposals.verdicts import Verdict
    from engram.recall.pack import Pack
    from engram.service.saving import Outcome, Proposal
    from engram.service.session import Session
    from engram.version import __version__

__all__ = [
    "Candidate",
    "EngramError",
    "Memory",
    "Outcome",
    "Pack",
    "Proposal",
    "Session",
    "Verdict",
    "__version__",
    "commit",
    "load",
    "open_memory",
    "propose",
]

_HOMES = {
    "Candidate": "engram.proposals.candidates",
    "EngramError": "engram.errors",
    "Memory": "engram.model",
    "Outcome": "engram.service.saving",
    "Pack": "engram.recall.pack",
    "Proposal": "engram.service.saving",
    "Session": "engram.service.session",
    "Verdict": "engram.proposals.verdicts",
    "__version__": "engram.version",
}


def open_memory(folder: str = "", *, environ: Mapping[str, str] | None = None) -> Session:
    """Return the memory that applies in ``folder`` (the process's own by default): the workspace's and the global one.

    Keep it for the next call: its indexes stay open, and each call looks whether they are up to date.

    Args:
        folder: where looking for a workspace begins.
        environ: the environment to take settings from; the process's own by default.
    """
    from engram.service.session import Session
    from engram.service.shelf import Shelf

    return Session(folder, environ, Shelf())


def load(
    session: Session,
    task: str,
    *,
    budget: int | None = None,
    disclosure: str = "auto",
    full: bool = False,
    without: Iterable[str] = (),
) -> Pack:
    """Return the memories that a task needs, within the token budget (C34, C35).

    Args:
        session: from ``open_memory``.
        task: what is to be done, in any language.
        budget: tokens for the text, 50 to 16000; ``load.max_tokens`` by default.
        disclosure: ``auto``, ``bodies`` or ``cards``.
        full: whole memories instead of tiers.
        without: names of ranking signals to leave out, as ``engram load --without`` takes them.

    Raises:
        EngramError: where there is no memory, reading is off, or an argument is out of range.
    """
    from engram.service.recalling import load as load_pack

    return load_pack(session, task, budget=budget, disclosure=disclosure, full=full, without=without).pack


def propose(session: Session, text: str | Candidate, *, kind: str = "", scope: str = "") -> Proposal:
    """Work out what saving a text would write; nothing is written.

    Args:
        session: from ``open_memory``.
        text: what to remember, or a candidate with fields of its own.
        kind: ``rule``, ``skill`` or ``knowledge`` (the default), for a plain text.
        scope: ``workspace``, ``global`` or ``both``; the configured one by default.

    Raises:
        EngramError: when the text may not become memory, or there is no memory to save to.
    """
    from engram.service.saving import candidate_of
    from engram.service.saving import propose as plan

    candidate = candidate_of(text, kind) if isinstance(text, str) else text
    return plan(session, candidate, scope=scope)


def commit(session: Session, proposal: Proposal, *, way: str, note: str = "") -> list[Outcome]:
    """Write a proposal. Call it only after a human has seen the preview of every planned change and said yes.

    Args:
        session: from ``open_memory``.
        proposal: as it was shown.
        way: how the human approved it, for the changelog.
        note: a note of that human, kept in the memory.

    Raises:
        EngramError: when memory changed since the proposal was made, or it cannot be written.
    """
    from engram.service.saving import apply

    return apply(session, proposal, way=way, note=note)


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(__import__(_HOMES[name], fromlist=[name]), name)
    raise AttributeError(f"module 'engram' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
