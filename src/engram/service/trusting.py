"""Accepting the memory that came with a project (F18)."""

from __future__ import annotations

from engram.errors import NotFoundError
from engram.store.trust import TrustRecord, list_trusted, revoke_trust, trust_workspace
from engram.store.write import today

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.roots.find import Workspace
    from engram.service.session import Session

__all__ = ["accept_workspace", "accepted_here", "forget_workspace", "trusted_projects"]


def accept_workspace(session: Session) -> TrustRecord:
    """Trust this workspace from now on. The caller has asked a human.

    Raises:
        NotFoundError: where there is no workspace memory.
        StoreError: when the user's configuration folder cannot be written.
    """
    return trust_workspace(_workspace(session), session.config_dir, today())


def accepted_here(session: Session) -> bool:
    """Tell whether this workspace is trusted already.

    Raises:
        NotFoundError: where there is no workspace memory.
    """
    _workspace(session)
    return session.trusted


def forget_workspace(session: Session) -> bool:
    """Take this workspace off the list; False when it was not on it.

    Raises:
        NotFoundError: where there is no workspace memory.
    """
    return revoke_trust(_workspace(session), session.config_dir)


def trusted_projects(session: Session) -> list[TrustRecord]:
    """Return what this machine trusts."""
    return list_trusted(session.config_dir)


def _workspace(session: Session) -> Workspace:
    if session.workspace is None:
        raise NotFoundError(f"There is no memory in {session.start} or above it.", hint="Make one: engram inject")
    return session.workspace
