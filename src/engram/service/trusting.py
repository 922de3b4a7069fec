"""Accepting the memory that came with a project (F18)."""

from __future__ import annotations

from engram.store.files import today
from engram.store.root import MemoryRoot
from engram.store.trust import TrustRecord, find_moved, list_trusted, revoke_trust, trust_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.service.session import Session

__all__ = [
    "accept_pulled",
    "accept_workspace",
    "accepted_here",
    "forget_workspace",
    "moved_from",
    "trusted_by_environment",
    "trusted_projects",
]


def accept_workspace(session: Session) -> TrustRecord:
    """Trust this workspace from now on. The caller has asked a human.

    Raises:
        NotFoundError: where there is no workspace memory.
        StoreError: when the user's configuration folder cannot be written.
    """
    workspace = session.require_workspace()
    hashes = MemoryRoot(workspace.root, "workspace").active_hashes()
    record = trust_workspace(workspace, session.config_dir, today())
    if session.accepted is not None:
        session.accepted.replace(hashes)
    return record


def accept_pulled(session: Session, hashes: Sequence[str]) -> None:
    """Accept the bytes that a human was named, and keep what was accepted of what is still there.

    Raises:
        StoreError: when the user's configuration folder cannot be written.
    """
    accepted = session.accepted
    if accepted is not None:
        held = MemoryRoot(session.require_workspace().root, "workspace").active_hashes()
        accepted.replace([*hashes, *filter(accepted.has, held)])


def accepted_here(session: Session) -> bool:
    """Tell whether this workspace is trusted already.

    Raises:
        NotFoundError: where there is no workspace memory.
    """
    session.require_workspace()
    return session.recheck_trust()


def trusted_by_environment(session: Session) -> bool:
    """Tell whether ``ENGRAM_TRUST=1`` vouches for what is read, which holds for this process only (F18)."""
    return session.environ.get("ENGRAM_TRUST") == "1"


def forget_workspace(session: Session) -> bool:
    """Take this workspace off the list; False when it was not on it.

    Raises:
        NotFoundError: where there is no workspace memory.
    """
    if session.accepted is not None:
        session.accepted.forget()
    return revoke_trust(session.require_workspace(), session.config_dir)


def moved_from(session: Session) -> str:
    """Return the trusted project that this workspace seems to be under another path, ``""`` where there is none."""
    if session.workspace is None:
        return ""
    record = find_moved(session.workspace, session.config_dir)
    return record.project if record else ""


def trusted_projects(session: Session) -> list[TrustRecord]:
    """Return what this machine trusts."""
    return list_trusted(session.config_dir)
