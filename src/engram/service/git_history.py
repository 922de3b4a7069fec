"""What Git still has of files that are to be forgotten, and how its history is rewritten."""

from __future__ import annotations

import os
from shlex import quote

from engram.record import Record
from engram.roots.git import find_git
from engram.roots.git_process import run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["InGit", "what_git_has"]


class InGit(Record):
    """What Git still has.

    Attributes:
        top: the working tree.
        paths: the files, relative to it.
        commits: how many commits touch them, over all branches, stashes and the reflog.
        tracked: whether they are in the index now: the deletion is not committed yet.
        remotes: remote branches that hold them, as far as this clone knows.
        how: what to do, a line each.
    """

    top: str
    paths: tuple[str, ...]
    commits: int
    tracked: bool
    remotes: tuple[str, ...]
    how: tuple[str, ...]


def what_git_has(root: str, paths: Sequence[str], memory_id: str) -> InGit | None:
    """Return what Git has of some files, None outside Git and where it never had them.

    Args:
        root: the memory root, resolved.
        paths: the files, relative to it; they need not be there any more.
        memory_id: the name by which older ledgers and changelogs know them.
    """
    place = find_git(root) if paths else None
    if place is None:
        return None
    inner = os.path.relpath(root, place.top).replace(os.sep, "/")
    names = [f"{inner}/{path}" for path in paths]

    # Plumbing commands: what `git log` prints depends on configuration, which may name programs.
    def commits_of(*names: str) -> list[str]:
        listed = run_git(place.top, "--literal-pathspecs", "rev-list", "--all", "--reflog", "--", *names)
        return (listed or b"").decode("ascii", "replace").split()

    def is_tracked(*names: str) -> bool:
        return bool(run_git(place.top, "--literal-pathspecs", "ls-files", "-z", "--", *names))

    names = [name for name in names if is_tracked(name) or commits_of(name)]
    if not names:
        return None
    commits, tracked = commits_of(*names), is_tracked(*names)
    remotes: tuple[str, ...] = ()
    if commits:
        form, contains = "--format=%(refname:short)", f"--contains={commits[-1]}"
        refs = run_git(place.top, "for-each-ref", form, contains, "refs/remotes")
        remotes = tuple((refs or b"").decode("utf-8", "replace").split())
    how = _how(names, memory_id, inner, committed=bool(commits), remotes=remotes)
    return InGit(place.top, tuple(names), len(commits), tracked, remotes, how)


def _how(
    paths: Sequence[str], memory_id: str, inner: str, *, committed: bool, remotes: Sequence[str]
) -> tuple[str, ...]:
    lines = [f"Commit that it is gone: git add --all {quote(inner)} && git commit"]
    if not committed:
        return (*lines, "It was staged and never committed; Git forgets it with: git gc --prune=now")
    named = " ".join(f"--path {quote(path)}" for path in paths)
    lines.append(f"Take it out of the history, in a fresh clone: git filter-repo --invert-paths {named}")
    lines.append(
        f"Older versions of {inner}/SHA256SUMS and {inner}/changelog.md have its name; to take that out, put the line "
        f"{memory_id}==>purged into a file and add: --replace-text FILE"
    )
    if remotes:
        lines.append(
            f"It was pushed ({', '.join(remotes)}): push the new history with --force. Forges drop the old on request."
        )
    lines.append("Every other clone keeps it until it is cloned anew. If it was a secret, make a new one now.")
    return tuple(lines)
