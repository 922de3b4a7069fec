"""What a checkout's ``.git`` says, read from files: no ``git`` process on the hot path (F1)."""

from __future__ import annotations

import os

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    PlaceKind = Literal["main", "worktree", "submodule", "separate"]

__all__ = ["GitPlace", "find_git", "is_shallow"]

# A `.git` file, `commondir` and `gitdir` hold one path each; anything larger is not Git's.
_POINTER_LIMIT = 64 * 1024


class GitPlace(Record):
    """A Git working tree.

    Attributes:
        top: the working tree's top folder.
        common_dir: the repository's common folder, which linked worktrees share.
        kind: ``separate`` is a tree whose ``.git`` file names a repository that does not name it back.
        parent: the top of the main worktree or of the superproject, ``""`` where there is none.
    """

    top: str
    common_dir: str
    kind: PlaceKind
    parent: str = ""


def find_git(start: str) -> GitPlace | None:
    """Return the working tree that ``start`` (an absolute, resolved folder) lies in, or None outside Git."""
    folder = start
    while True:
        dot_git = os.path.join(folder, ".git")
        if os.path.isfile(os.path.join(dot_git, "HEAD")):
            # Only its last part may be a link: `start` is resolved.
            return GitPlace(folder, os.path.realpath(dot_git) if os.path.islink(dot_git) else dot_git, "main")
        if os.path.isfile(dot_git):
            place = _linked(folder, dot_git)
            if place is not None:
                return place
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def is_shallow(place: GitPlace) -> bool:
    """Tell whether the history ends at a boundary, which is no identity (F18)."""
    return os.path.isfile(os.path.join(place.common_dir, "shallow"))


def _linked(top: str, dot_git: str) -> GitPlace | None:
    pointer = _read_pointer(dot_git)
    if not pointer.startswith("gitdir:"):
        return None
    git_dir = os.path.realpath(os.path.join(top, pointer.removeprefix("gitdir:").strip()))
    if not os.path.isfile(os.path.join(git_dir, "HEAD")):
        return None
    common = _read_pointer(os.path.join(git_dir, "commondir"))
    # Git checks nothing out at `.git`, but an unpacked archive may bring such a file: only a repository that names this
    # tree back lends it its memory and its trust.
    if common:
        back = _read_pointer(os.path.join(git_dir, "gitdir"))
        if back and os.path.realpath(os.path.join(git_dir, back)) == os.path.realpath(dot_git):
            common_dir = os.path.realpath(os.path.join(git_dir, common))
            return GitPlace(top, common_dir, "worktree", _main_tree(common_dir))
    elif os.path.realpath(os.path.join(git_dir, _config_worktree(git_dir) or ".")) == top:
        outer = find_git(os.path.dirname(top)) if os.path.dirname(top) != top else None
        parent = outer.top if outer and _is_below(git_dir, outer.common_dir) else ""
        return GitPlace(top, git_dir, "submodule" if parent else "main", parent)
    return GitPlace(top, os.path.realpath(top), "separate")


def _main_tree(common_dir: str) -> str:
    """Return the main worktree's top of a common folder, ``""`` for a bare repository."""
    if os.path.basename(common_dir) == ".git":
        return os.path.dirname(common_dir)
    tree = _config_worktree(common_dir)
    return os.path.realpath(os.path.join(common_dir, tree)) if tree else ""


def _config_worktree(git_dir: str) -> str:
    """Return ``core.worktree`` of a repository's own configuration, as written, or ``""``."""
    for line in _read_pointer(os.path.join(git_dir, "config")).splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip().lower() == "worktree":
            return value.strip().strip('"')
    return ""


def _read_pointer(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(_POINTER_LIMIT).strip()
    except OSError:
        return ""


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)
