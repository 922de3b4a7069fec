"""What ``engram link`` created in which file, and the files as they were before: in the user's configuration folder.

``links.json`` lets ``engram unlink`` leave no trace (C5). Without it the entries of Engram are found by what they are,
and only empty containers stay behind.
"""

from __future__ import annotations

import os

from engram.errors import ConfigError
from engram.record import Record
from engram.store.files import atomic_write, digest, read_optional, store_error
from engram.store.lock import RootLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.store.host_files import HostFile

__all__ = [
    "LINKS",
    "LinkRecord",
    "backup_path",
    "drop_backup",
    "drop_leftovers",
    "keep_backup",
    "kept_backup",
    "links_lock",
    "read_links",
    "save_links",
]

LINKS = "links.json"
_BACKUPS = "backups"
_VERSION = 1
_LOCK_S = 10


class LinkRecord(Record):
    """What Engram did in one file of a host.

    Attributes:
        hosts: for each part that stands in the file (``mcp``, ``hooks``, …) the hosts that it was linked for.
        created: the file itself is ours.
        folders: the folders that were made for it, outermost first.
        made: the objects and arrays of a JSON file that were made for what we put in, as paths of keys.
        was: the text of a file that was there and held nothing but blanks; None for any other.
        texts: the managed blocks as they were written here, the last one at the end.
        project: the project's folder, ``""`` for a file of all projects.
        untouched: what stands in it was found there, and Engram has not written to it yet.
    """

    hosts: dict[str, tuple[str, ...]]
    created: bool = False
    folders: tuple[str, ...] = ()
    made: tuple[tuple[str, ...], ...] = ()
    was: str | None = None
    texts: tuple[str, ...] = ()
    project: str = ""
    untouched: bool = False

    def users(self, part: str) -> tuple[str, ...]:
        """Return the hosts that a part was linked for."""
        return self.hosts.get(part, ())

    def with_user(self, part: str, host: str) -> LinkRecord:
        """Return the record with one more host for a part."""
        if host in self.users(part):
            return self
        return self.replace(hosts={**self.hosts, part: (*self.users(part), host)})

    def without_user(self, part: str, host: str) -> LinkRecord:
        """Return the record without a host for a part."""
        left = {**self.hosts, part: tuple(user for user in self.users(part) if user != host)}
        return self.replace(hosts={name: users for name, users in left.items() if users})


def links_lock(config_dir: str) -> RootLock:
    """Return the lock that two runs of ``link`` and ``unlink`` share.

    Raises:
        StoreError: when the configuration folder cannot be made.
    """
    try:
        os.makedirs(config_dir, exist_ok=True)
    except OSError as error:
        raise store_error(error, config_dir) from error
    return RootLock(config_dir, _LOCK_S)


def read_links(config_dir: str) -> dict[str, LinkRecord]:
    """Return the records by the path of their file.

    Raises:
        ConfigError: when the file is damaged.
    """
    from engram.text.jsonc import JsoncError, parse

    path = os.path.join(config_dir, LINKS)
    data = read_optional(path)
    if data is None:
        return {}
    try:
        return _records(parse(data.decode("utf-8")))
    except (JsoncError, UnicodeDecodeError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError(
            f"{path} cannot be read: {error}.",
            hint="Mend it, or remove it: engram unlink then still finds its entries, and leaves empty containers.",
            path=path,
        ) from error


def save_links(config_dir: str, records: Mapping[str, LinkRecord]) -> None:
    """Write the records, those without a host left out; raises StoreError as ``atomic_write``."""
    from engram.text.jsonc import dumps

    files = {path: _row(record) for path, record in sorted(records.items()) if record.hosts}
    text = dumps({"version": _VERSION, "files": files}, indent=2) + "\n"
    atomic_write(os.path.join(config_dir, LINKS), text.encode(), mode=0o600)


def backup_path(config_dir: str, path: str) -> str:
    """Return where the file at ``path``, as it was before Engram changed it, is kept."""
    return os.path.join(config_dir, _BACKUPS, f"{digest(path.encode())[:12]}-{os.path.basename(path)}")


def keep_backup(config_dir: str, file: HostFile) -> str:
    """Keep a file as it is now, readable for its owner only (host files hold keys); return where.

    Raises:
        StoreError: when it cannot be written.
    """
    assert file.data is not None
    place = backup_path(config_dir, file.path)
    folder = os.path.dirname(place)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.path.lexists(place):
            os.unlink(place)
    except OSError as error:
        raise store_error(error, place) from error
    atomic_write(place, file.data, mode=0o600)
    return place


def drop_backup(config_dir: str, path: str, data: bytes | None) -> None:
    """Take a backup away where the file is again what it was: nothing is left to go back to."""
    place = backup_path(config_dir, path)
    if data is not None and read_optional(place) == data:
        os.unlink(place)


def kept_backup(config_dir: str, path: str, data: bytes | None) -> str:
    """Return where a file is kept as it was, ``""`` where nothing is kept or what is kept are these very bytes."""
    place = backup_path(config_dir, path)
    kept = read_optional(place)
    return place if kept is not None and kept != data else ""


def drop_leftovers(config_dir: str) -> None:
    """Take away the half-made files that killed runs left here: they may hold keys. Needs ``links_lock``."""
    for folder, begin in ((os.path.join(config_dir, _BACKUPS), ""), (config_dir, f"{LINKS}.")):
        try:
            for name in os.listdir(folder):
                if name.startswith(begin) and name.endswith(".tmp"):
                    os.unlink(os.path.join(folder, name))
        except OSError:
            continue  # there is no such folder, or it is not ours to change


def _row(record: LinkRecord) -> dict[str, object]:
    row: dict[str, object] = {"hosts": {part: list(users) for part, users in record.hosts.items()}}
    for name in ("created", "folders", "made", "texts", "project", "untouched"):
        if value := getattr(record, name):
            row[name] = value
    if record.was is not None:
        row["was"] = record.was
    return row


def _records(value: object) -> dict[str, LinkRecord]:
    if not isinstance(value, dict) or value.get("version") != _VERSION:
        raise TypeError(f"it is no version {_VERSION} of it")
    return {path: _record(row) for path, row in value["files"].items()}


def _record(row: dict[str, object]) -> LinkRecord:
    def texts(name: str) -> tuple[str, ...]:
        return _texts(row.get(name, []))

    hosts, made, was = row["hosts"], row.get("made", []), row.get("was")
    if not isinstance(hosts, dict) or not isinstance(made, list) or not isinstance(was, str | None):
        raise TypeError("a record in it is no record")
    return LinkRecord(
        hosts={part: _texts(users) for part, users in hosts.items()},
        created=row.get("created") is True,
        folders=texts("folders"),
        made=tuple(map(_texts, made)),
        was=was,
        texts=texts("texts"),
        project=str(row.get("project", "")),
        untouched=row.get("untouched") is True,
    )


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("a list in it holds something else than text")
    return tuple(value)
