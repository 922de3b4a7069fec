"""Find the workspace memory from a folder upwards (F1)."""

from __future__ import annotations

import errno
import os
import stat

from engram.errors import EngramError, UsageError
from engram.portable import command_line
from engram.record import Record
from engram.roots.git import GitPlace, find_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MEMORY_FOLDER", "Workspace", "find_workspace", "home_of", "new_workspace", "private_root"]

MEMORY_FOLDER = os.path.join(".agents", ".engram")
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL})


class Workspace(Record):
    """Where the workspace memory is.

    Attributes:
        project: the folder that holds ``.agents``.
        root: the memory root, ``<project>/.agents/.engram``, resolved.
        git: the Git working tree of ``project``, None outside Git.
        own: False where a linked worktree or a submodule uses the memory of its parent.
    """

    project: str
    root: str
    git: GitPlace | None
    own: bool = True


def home_of(environ: Mapping[str, str]) -> str:
    """Return the resolved home folder, ``""`` where the environment names none."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    return os.path.realpath(home) if home else ""


def find_workspace(start: str, environ: Mapping[str, str], config_dir: str) -> Workspace | None:
    """Return the memory that applies in the folder ``start``, or None (F1).

    Raises:
        UsageError: when the memory folder found is a link that leaves its project.
        EngramError: when an ``.agents`` folder on the way may not be looked into.
    """
    home = home_of(environ)
    folder = _leave_inner(os.path.realpath(start))
    if _is_in(folder, os.path.realpath(config_dir)):
        return None
    git = _git_of(folder, home)
    own = True
    while folder:
        project = _walk(folder, git.top if git else "", home)
        if project:
            return Workspace(project, _resolved_root(project), git if own else find_git(project), own=own)
        # A linked worktree or a submodule without a folder of its own uses its parent's.
        folder = git.parent if git else ""
        git = _git_of(folder, home) if folder else None
        own = False
    return None


def new_workspace(start: str, environ: Mapping[str, str], config_dir: str) -> Workspace:
    """Return where a new workspace memory goes: the Git top level, outside Git the folder itself.

    Raises:
        UsageError: in the home folder, the configuration folder, or another place that is no project.
    """
    home = home_of(environ)
    folder = _leave_inner(os.path.realpath(start))
    git = _git_of(folder, home)
    project = git.top if git else folder
    if project == home:
        raise UsageError(
            f"{project} is your home folder, which is no project.",
            hint="Change into a project first, or make a global memory: engram inject --global-path FOLDER",
        )
    if _is_in(project, os.path.realpath(config_dir)):
        raise UsageError(
            f"{project} belongs to Engram's configuration and is no project.", hint="Change into a project first."
        )
    if project == os.path.dirname(project):
        raise UsageError(f"{project} is the top of the file system, which is no project.")
    return Workspace(project, _resolved_root(project), git)


def private_root(workspace: Workspace) -> str:
    """Return the root whose ``inbox/`` and ``working/`` a workspace uses (F1).

    Of a linked worktree with a memory folder of its own it is that of its main worktree, where there is one: ``git
    worktree remove`` deletes ignored files without a word.
    """
    git = workspace.git
    if git is None or git.kind != "worktree" or not git.parent:
        return workspace.root
    same_place = os.path.join(git.parent, os.path.relpath(workspace.project, git.top))
    root = os.path.realpath(os.path.join(same_place, MEMORY_FOLDER))
    return root if os.path.isdir(root) and _is_in(root, git.parent) else workspace.root


def _walk(folder: str, top: str, home: str) -> str:
    while True:
        if folder != home and _holds_memory(folder):
            return folder
        parent = os.path.dirname(folder)
        if folder in {top, parent}:
            return ""
        if not top and (home in {folder, parent} or os.path.ismount(folder)):
            return ""
        folder = parent


def _holds_memory(folder: str) -> bool:
    path = os.path.join(folder, MEMORY_FOLDER)
    try:
        return is_folder(path)
    except PermissionError as error:
        agents = os.path.dirname(path)
        if os.path.isdir(agents):
            # Whoever went on upwards would find another memory, or say that there is none.
            raise EngramError(
                f"{agents}: you may not look into it.",
                hint=f"Give yourself the right: {command_line(['chmod', 'u+rx', agents])}",
                path=agents,
            ) from error
    except OSError as error:
        raise EngramError(
            f"{path} cannot be looked at: {error.strerror}.",
            hint="Look at the disk or the mount that it is on, then try again.",
            path=path,
        ) from error
    return False


def is_folder(path: str) -> bool:
    """Tell whether a folder is there; what cannot be looked at must not pass for missing, as with ``os.path.isdir``.

    Raises:
        OSError: for anything but that nothing of that name can be there.
    """
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except ValueError:
        return False
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return False
        raise


def _git_of(folder: str, home: str) -> GitPlace | None:
    git = find_git(folder)
    return None if git is None or git.top == home else git


def _leave_inner(folder: str) -> str:
    """Return the project when ``folder`` lies inside a memory root or inside ``.git``, else ``folder`` itself."""
    inner = os.sep + MEMORY_FOLDER
    at = (folder + os.sep).find(inner + os.sep)
    if at >= 0:
        folder = folder[:at] or os.sep
    at = (folder + os.sep).find(os.sep + ".git" + os.sep)
    return (folder[:at] or os.sep) if at >= 0 else folder


def _resolved_root(project: str) -> str:
    root = os.path.realpath(os.path.join(project, MEMORY_FOLDER))
    if not _is_in(root, project):
        # A clone could point this link at anything; a memory that is shared between projects is a global one.
        raise UsageError(
            f"{os.path.join(project, MEMORY_FOLDER)} is a link to {root}, outside of the project.",
            hint="Use that folder as global memory instead: engram config set global_path FOLDER --global",
            path=root,
        )
    return root


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
