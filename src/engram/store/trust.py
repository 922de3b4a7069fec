"""Which workspaces a human of this machine has accepted (F18): kept in their configuration folder, never in Git."""

from __future__ import annotations

import os

from engram.errors import ConfigError, StoreError
from engram.portable import away_line, unreadable
from engram.record import Record
from engram.roots.git import is_shallow
from engram.store.files import atomic_write, read_optional, store_error
from engram.text.plain_json import read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.roots.find import Workspace
    from engram.store.lock import RootLock

__all__ = [
    "TrustRecord",
    "find_moved",
    "is_trusted",
    "list_trusted",
    "recheck_trust",
    "revoke_trust",
    "trust_key",
    "trust_workspace",
    "was_trusted",
]

_FILE = "trust.json"
_LOCK_S = 10


class TrustRecord(Record):
    """One accepted workspace.

    Attributes:
        path: the common Git folder, so that linked worktrees share it; outside Git the memory root.
        device, inode: of that folder when trust was given; while they hold, reading asks nothing more.
        commits: the root commits known then; empty where none existed.
        origin: in a shallow clone, whose boundary is no identity, the remote's address.
        since: the day, ``YYYY-MM-DD``.
        project: the project folder as the human saw it.
    """

    path: str
    device: int
    inode: int
    commits: tuple[str, ...]
    origin: str
    since: str
    project: str


def is_trusted(workspace: Workspace, environ: Mapping[str, str], config_dir: str) -> bool:
    """Tell whether the workspace's memory may instruct. Costs one small file and two stats in the usual case (F18).

    Raises:
        ConfigError: when the list of accepted workspaces cannot be read.
    """
    if environ.get("ENGRAM_TRUST") == "1":
        return True
    record = _record_of(workspace, config_dir)
    return record is not None and (
        _identity(record.path) == (record.device, record.inode) or _same_history(record, workspace)
    )


def recheck_trust(workspace: Workspace, environ: Mapping[str, str], config_dir: str) -> bool:
    """Tell the same from the history itself: some file systems give an inode out again at once (F18).

    What is found is kept, so that reading need not ask Git again, or from now on does.
    """
    if environ.get("ENGRAM_TRUST") == "1":
        return True
    record = _record_of(workspace, config_dir)
    if record is None:
        return False
    holds = _same_history(record, workspace)
    device, inode = _identity(record.path) if holds else (0, 0)
    if (device, inode) != (record.device, record.inode):
        try:
            with _locked(config_dir):
                others = [other for other in list_trusted(config_dir) if other.path != record.path]
                _save(config_dir, [*others, record.replace(device=device, inode=inode)])
        except StoreError:
            pass  # a configuration folder that cannot be written: the answer is right all the same
    return holds


def was_trusted(workspace: Workspace, config_dir: str) -> bool:
    """Tell whether a human of this machine accepted what was at this place once, be it the same project or not."""
    return _record_of(workspace, config_dir) is not None


def trust_workspace(workspace: Workspace, config_dir: str, day: str) -> TrustRecord:
    """Accept a workspace, with the root commits known now; writes the user's configuration folder.

    Raises:
        StoreError: when that folder cannot be written.
    """
    from engram.roots.git_process import origin_address, root_commits

    key = trust_key(workspace)
    device, inode = _identity(key)
    shallow = bool(workspace.git and is_shallow(workspace.git))
    record = TrustRecord(
        path=key,
        device=device,
        inode=inode,
        commits=root_commits(workspace.project) if workspace.git and not shallow else (),
        origin=origin_address(workspace.project) if shallow else "",
        since=day,
        project=workspace.project,
    )
    with _locked(config_dir):
        _save(config_dir, [r for r in list_trusted(config_dir) if r.path != key] + [record])
    return record


def revoke_trust(workspace: Workspace, config_dir: str) -> bool:
    """Take a workspace off the list; False when it was not on it."""
    with _locked(config_dir):
        records = list_trusted(config_dir)
        left = [record for record in records if record.path not in {trust_key(workspace), workspace.root}]
        if len(left) == len(records):
            return False
        _save(config_dir, left)
    return True


def find_moved(workspace: Workspace, config_dir: str) -> TrustRecord | None:
    """Return what was accepted with the same history at a path that is gone: this workspace, moved, most likely.

    It is no trust: whoever can make a clone can make one with that history.
    """
    from engram.roots.git_process import root_commits

    gone = [record for record in list_trusted(config_dir) if record.commits and not os.path.lexists(record.path)]
    if not gone or not workspace.git:
        return None
    commits = root_commits(workspace.project)
    return next((record for record in gone if not set(record.commits).isdisjoint(commits)), None)


def list_trusted(config_dir: str) -> list[TrustRecord]:
    """Return what was accepted on this machine, by path.

    Raises:
        ConfigError: when the file is damaged: nothing is guessed about trust.
    """
    path = os.path.join(config_dir, _FILE)
    try:
        data = read_optional(path)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror or error}.",
            hint="It says which projects you trust; nothing is guessed about that. " + unreadable(error, path)[1],
            path=path,
        ) from error
    if data is None:
        return []
    try:
        text = data.decode("utf-8")
        plain = read_plain(text)
        return _records(plain[0] if plain else _read_closely(text))
    except (ValueError, TypeError, KeyError) as error:  # no UTF-8 and no JSON are both a ValueError
        raise ConfigError(
            f"{path} cannot be read: {error}.",
            hint=f"Mend it, or move it away and run engram trust again: {away_line(path)}",
            path=path,
        ) from error


def _read_closely(text: str) -> object:
    from engram.text.jsonc import parse

    return parse(text)


def _records(rows: object) -> list[TrustRecord]:
    if not isinstance(rows, list):
        raise TypeError("it holds no list")
    return [TrustRecord(**{**row, "commits": tuple(row["commits"])}) for row in rows]


def trust_key(workspace: Workspace) -> str:
    """Return what trust is bound to: the common Git folder, without Git (or inside another root's) the root's path."""
    git = workspace.git
    if git is None or not _is_inside(workspace.root, git.top):
        return workspace.root
    return git.common_dir


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _identity(path: str) -> tuple[int, int]:
    try:
        info = os.stat(path)
    except OSError:
        return 0, 0
    return info.st_dev, info.st_ino


def _record_of(workspace: Workspace, config_dir: str) -> TrustRecord | None:
    records = {record.path: record for record in list_trusted(config_dir)}
    # Accepted before `git init`, a workspace is bound to its root's path, and still the same folder of the same person.
    return records.get(trust_key(workspace)) or records.get(workspace.root)


def _same_history(record: TrustRecord, workspace: Workspace) -> bool:
    """A folder made anew at the same path: only its history can tell whether it is the same project."""
    from engram.roots.git_process import origin_address, root_commits

    if record.origin:
        return origin_address(workspace.project) == record.origin
    return not record.commits or not set(record.commits).isdisjoint(root_commits(workspace.project))


def _locked(config_dir: str) -> RootLock:
    from engram.store.lock import RootLock

    try:
        os.makedirs(config_dir, exist_ok=True)
    except OSError as error:
        raise store_error(error, config_dir) from error
    return RootLock(config_dir, _LOCK_S)


def _save(config_dir: str, records: list[TrustRecord]) -> None:
    from engram.text.jsonc import dumps

    rows = [{**record.as_dict(), "commits": list(record.commits)} for record in sorted(records, key=lambda r: r.path)]
    atomic_write(os.path.join(config_dir, _FILE), (dumps(rows, indent=2) + "\n").encode(), mode=0o600)
