"""Questions that only a ``git`` process can answer. Never on the hot path."""

from __future__ import annotations

import os

__all__ = ["git_identity", "is_ignored", "origin_address", "root_commits", "run_git", "tracked_below"]

_TIMEOUT_S = 10


def run_git(folder: str, *arguments: str) -> bytes | None:
    """Return what ``git ARGUMENTS`` prints in ``folder``, or None when it fails or there is no Git."""
    import subprocess

    # Inside a Git hook these variables point at another repository than the folder's.
    inherited = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")
    environ = {name: value for name, value in os.environ.items() if name not in inherited}
    # A partial clone fetches what it lacks when it is asked for it, and Engram opens no connection, nor lets Git.
    environ |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, arguments as a list
            ["git", "-C", folder, *arguments],  # noqa: S607 - the user's own git, from PATH
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            env=environ,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def root_commits(folder: str) -> tuple[str, ...]:
    """Return the commits without parents that HEAD reaches, sorted; none before the first commit."""
    out = run_git(folder, "rev-list", "--max-parents=0", "HEAD")
    return tuple(sorted(out.decode("ascii", "replace").split())) if out else ()


def origin_address(folder: str) -> str:
    """Return the address of the remote ``origin``, ``""`` where there is none."""
    out = run_git(folder, "config", "--get", "remote.origin.url")
    return out.decode("utf-8", "replace").strip() if out else ""


def git_identity(folder: str) -> tuple[str, str]:
    """Return the name and e-mail of a commit made in ``folder``; both are ``""`` where Git would have to guess."""
    out = run_git(folder, "-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT")
    name, bracket, rest = (out or b"").decode("utf-8", "replace").partition(" <")
    return (name, rest.partition(">")[0]) if bracket else ("", "")


def is_ignored(folder: str, path: str) -> bool:
    """Tell whether Git ignores a path, which need not exist."""
    return run_git(folder, "check-ignore", "--quiet", "--no-index", "--", path) is not None


def ignoring_rule(folder: str, path: str) -> tuple[str, int, str] | None:
    """Return the file, the line and the text of the rule by which Git ignores a path; None where it does not."""
    import re

    # With --verbose it also tells of a rule that takes a path in again, and ends as it does for one that ignores.
    out = run_git(folder, "-c", "core.quotePath=false", "check-ignore", "--verbose", "--no-index", "--", path)
    found = re.match(r"(.*?):([0-9]+):(.*)\t", os.fsdecode(out or b""))
    if not found or not is_ignored(folder, path):
        return None
    return os.path.normpath(os.path.join(folder, found[1])), int(found[2]), found[3]


def tracked_below(folder: str, root: str, names: tuple[str, ...]) -> list[str]:
    """Return what Git tracks of some names below ``root``, as paths from ``folder``."""
    paths = [os.path.join(root, name) for name in names]
    out = run_git(folder, "ls-files", "-z", "--", *paths)
    return [os.fsdecode(name) for name in (out or b"").split(b"\0") if name]
