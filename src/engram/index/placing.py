"""New SQLite files: written beside the old one, and put in its place when they are whole."""

from __future__ import annotations

import os

from engram.index.database import SqliteError, connect, sqlite
from engram.index.leftovers import sweep, temporary_of
from engram.portable import REPLACES_OPEN_FILES, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

__all__ = ["put_in_place"]

# How long a new file waits for an update of the old one, and for whoever has it open, in milliseconds: a hook answers
# within 2 s, lock or not.
_PATIENCE = 100


def put_in_place(path: str, schema: str, fill: Callable[[Connection], None], finish: str = "") -> None:
    """Write a new SQLite file from nothing and put it in place at once; readers of the old one keep it till they close.

    Args:
        path: where it goes.
        schema: the statements that make it.
        fill: puts everything in, within one transaction.
        finish: statements for afterwards, such as those that make indexes.

    Raises:
        OSError: the folder cannot be written.
        SqliteError: SQLite cannot write there.
    """
    sweep(path)
    temporary = temporary_of(path)
    if os.path.exists(temporary):
        os.unlink(temporary)
    try:
        connection = sqlite.connect(temporary, isolation_level=None)
        try:
            # Nobody else knows this file yet: it needs no journal, and one fsync before it gets its name.
            connection.executescript("pragma journal_mode=off; pragma synchronous=off; pragma locking_mode=exclusive;")
            connection.executescript(schema)
            connection.execute("begin")
            fill(connection)
            connection.execute("commit")
            connection.executescript(finish)
        finally:
            connection.close()
        handle = os.open(temporary, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        old = _keep_updates_out(path)
        try:
            # What a writer that died left beside the old file would be played back into the new one.
            try:
                os.unlink(f"{path}-journal")
            except FileNotFoundError:
                pass
            try:
                os.rmdir(path)  # an empty folder has nothing to lose; any other is somebody's, and is named
            except OSError:
                pass
            replace(temporary, path, patience=_PATIENCE / 1000)
        finally:
            if old is not None:
                old.close()
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _keep_updates_out(path: str) -> Connection | None:
    """Return a hold on the old file, so that no update is half done while it is replaced; None where there is none.

    An update whose file and journal vanish under it ends with a disk I/O error; one that comes later learns that the
    file was moved, and looks again. Windows replaces no file that is open, so there nothing can vanish.
    """
    if not REPLACES_OPEN_FILES:
        return None
    connection = None
    try:
        connection = connect(path, "rw")
        connection.execute(f"pragma busy_timeout={_PATIENCE}")
        connection.execute("begin immediate")
    except SqliteError:  # none, a damaged one, or an update that takes its time: that one loses
        if connection is not None:
            connection.close()
        return None
    return connection
