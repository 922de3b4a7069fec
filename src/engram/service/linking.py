"""Registering with hosts: ``link``, ``unlink``, what ``upgrade`` refreshes, and what stands where (C1 to C14a)."""

from __future__ import annotations

from engram.errors import NotFoundError, UsageError
from engram.hosts.launch import PROGRAM, SERVER, Launch
from engram.hosts.places import is_here
from engram.hosts.table import HOSTS, find_host
from engram.service.launching import find_launch
from engram.service.link_report import LinkOptions, LinkReport, PartState
from engram.service.link_run import LinkRun
from engram.store.links import links_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.hosts.part import Host
    from engram.service.session import Session

__all__ = ["chosen_hosts", "link", "refresh", "survey", "unlink"]


def chosen_hosts(names: Sequence[str], session: Session, *, everywhere: bool = False) -> tuple[list[Host], list[str]]:
    """Return the hosts that were named, and with ``all`` those that are here, and the ids of those that are not.

    Args:
        names: ids and aliases, or ``all``.
        session: where one is.
        everywhere: ``all`` means every host that Engram knows.

    Raises:
        NotFoundError: for a name that is no host, with the names that are.
    """
    found: list[Host] = []
    for name in names:
        if name == "all":
            continue
        host = find_host(name)
        if host is None:
            known = ", ".join(host.id for host in HOSTS)
            raise NotFoundError(
                f"Engram knows no host {name}.", hint=f"It knows {known}, and all for those found here."
            )
        if host not in found:
            found.append(host)
    if "all" in names:
        found = [
            host for host in HOSTS if host in found or everywhere or not host.programs or is_here(host, session.environ)
        ]
        return found, [host.id for host in HOSTS if host not in found]
    return found, []


def link(session: Session, names: Sequence[str], options: LinkOptions) -> LinkReport:
    """Register with hosts: server, instructions, skill, slash command, hooks (C1).

    Raises:
        NotFoundError: for a name that is no host.
        UsageError: for the workspace of a folder that is no project, or options that leave nothing to link.
        StoreError: when the user's configuration folder cannot be written; then nothing was changed.
    """
    hosts, not_found = chosen_hosts(names, session)
    launch = find_launch(session.environ)
    if options.plan:
        report = LinkRun(session, options, launch).link(hosts)
    else:
        with links_lock(session.config_dir):
            report = LinkRun(session, options, launch).link(hosts)
    if not report.results and not report.errors and not not_found:
        raise UsageError(
            "Nothing is left to link: what these hosts take is left out by --no-mcp, --no-hooks and --no-instructions.",
            hint="Leave one of the three away.",
        )
    return report.replace(not_found=tuple(not_found))


def unlink(session: Session, names: Sequence[str], options: LinkOptions) -> LinkReport:
    """Take out what ``link`` put into the hosts' files, and nothing else (C5); raises as ``link``."""
    hosts, _ = chosen_hosts(names, session, everywhere=True)
    launch = Launch((SERVER,), (PROGRAM,), "bare", "")
    if options.plan:
        return LinkRun(session, options, launch).unlink(hosts)
    with links_lock(session.config_dir):
        return LinkRun(session, options, launch).unlink(hosts)


def refresh(session: Session, *, plan: bool, forced: tuple[str, str] | None = None) -> LinkReport:
    """Write afresh what Engram wrote here and for all projects: pins, blocks, skills, hooks (C4, C12).

    What a person edited since is left, as a result with the action ``left``, for a review.

    Args:
        session: where one is.
        plan: only say what would be done.
        forced: file and place in it of the one thing that is written afresh though it was edited; nothing else is.

    Raises:
        StoreError: when the user's configuration folder cannot be written; then nothing was changed.
    """
    options = LinkOptions(plan=plan, force=forced is not None)
    launch = find_launch(session.environ)
    if plan:
        return LinkRun(session, options, launch).refresh(forced)
    with links_lock(session.config_dir):
        return LinkRun(session, options, launch).refresh(forced)


def survey(session: Session) -> list[PartState]:
    """Return what stands in every file that ``link`` would write to, here and for all projects; nothing is changed."""
    return list(LinkRun(session, LinkOptions(), find_launch(session.environ)).states())
