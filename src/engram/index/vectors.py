"""The vectors of a root's memories, by the hash of their bytes: one disposable SQLite file in ``.cache/``.

A vector is a function of a memory's bytes and of the table that it was made with, so nothing here is ever stale:
another text has another hash, and vectors of another table are dropped as soon as one of this table comes in.
"""

from __future__ import annotations

import os

from engram.index.database import SqliteError, connect, sqlite
from engram.index.embedding import VECTOR_BYTES, memory_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from sqlite3 import Connection

    from engram.index.embedding import Embedding
    from engram.model import Memory

__all__ = ["Vectors"]

_FILE = "vectors.sqlite"
_VERSION = 1
_BATCH = 500

_SCHEMA = f"""
pragma user_version={_VERSION};
create table if not exists state(key text primary key, value) without rowid;
create table if not exists vectors(hash text primary key, vector blob not null) without rowid;
"""


class Vectors:
    """A root's vectors. No fault of the file is anybody's concern: what cannot be read or kept is simply not ready.

    Args:
        cache: the root's folder for derived files; it may not exist and may not be writable.
        fingerprint: of the table that the vectors are made with.
    """

    def __init__(self, cache: str, fingerprint: str) -> None:
        self.path = os.path.join(cache, _FILE)
        self._fingerprint = fingerprint

    def get(self, hashes: Iterable[str]) -> dict[str, bytes]:
        """Return the vectors that are ready, by the SHA-256 (hex) of a memory's bytes."""
        wanted = list(hashes)
        found: dict[str, bytes] = {}
        if not wanted or not os.path.exists(self.path):
            return found
        try:
            connection = self._open("ro")
            try:
                if not self._is_current(connection):
                    return found
                for at in range(0, len(wanted), _BATCH):
                    some = wanted[at : at + _BATCH]
                    marks = ",".join("?" * len(some))
                    found.update(connection.execute(f"select * from vectors where hash in ({marks})", some))  # noqa: S608
            finally:
                connection.close()
        except SqliteError:
            return {}
        return {key: vector for key, vector in found.items() if len(vector) == VECTOR_BYTES}

    def add(
        self,
        table: Embedding,
        memories: Iterable[tuple[str, Memory]],
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Make and keep the vectors of memories; return how many could be kept.

        Args:
            table: the open table.
            memories: SHA-256 (hex) of a memory's bytes, and the memory.
            progress: called with the number of vectors done so far.
        """
        done = 0
        for some in _portions((key, table.embed(memory_text(memory))) for key, memory in memories):
            if not self.put(some):
                break
            done += len(some)
            if progress is not None:
                progress(done)
        return done

    def put(self, vectors: Iterable[tuple[str, bytes]]) -> bool:
        """Keep vectors; False when they cannot be kept."""
        from engram.index.folder import make_cache

        rows = list(vectors)
        for _ in range(2):
            try:
                make_cache(os.path.dirname(self.path))
                if os.path.islink(self.path):
                    self.remove()
                self._write(rows)
                return True
            except SqliteError as error:
                # sqlite.org/rescode.html: corrupt, not a database. Anything else may be right the next time.
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in {11, 26}:
                    return False
                self.remove()
            except OSError:
                return False
        return False

    def keep_only(self, hashes: Iterable[str]) -> None:
        """Drop the vectors of all other memories."""
        try:
            connection = self._open("rw")
            try:
                connection.execute("begin immediate")
                known = [key for (key,) in connection.execute("select hash from vectors")]
                wanted = set(hashes)
                gone = [(key,) for key in known if key not in wanted]
                connection.executemany("delete from vectors where hash = ?", gone)
                connection.execute("commit")
            finally:
                connection.close()
        except SqliteError:
            pass

    def remove(self) -> bool:
        """Remove the file; False when there was none, or it cannot be removed."""
        gone = False
        for path in (self.path, f"{self.path}-journal"):
            try:
                os.unlink(path)
                gone = True
            except OSError:
                pass
        return gone

    def _open(self, mode: str) -> Connection:
        if os.path.islink(self.path):
            # A clone may bring one, to somebody's own database.
            raise sqlite.OperationalError("the file of vectors is a link")
        return connect(self.path, mode)

    def _is_current(self, connection: Connection) -> bool:
        if connection.execute("pragma user_version").fetchone()[0] != _VERSION:
            return False
        row = connection.execute("select value from state where key = 'table'").fetchone()
        return row is not None and row[0] == self._fingerprint

    def _write(self, rows: list[tuple[str, bytes]]) -> None:
        connection = self._open("rwc")
        try:
            # Derived data: after a power cut the file may be damaged, and is then made again.
            connection.execute("pragma synchronous=off")
            connection.execute("begin immediate")
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            if not self._is_current(connection):
                connection.execute("delete from vectors")
                connection.execute("insert or replace into state values('table', ?)", (self._fingerprint,))
            connection.executemany("insert or replace into vectors values(?,?)", rows)
            connection.execute("commit")
        finally:
            connection.close()


def _portions(rows: Iterable[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    some: list[tuple[str, bytes]] = []
    for row in rows:
        some.append(row)
        if len(some) == _BATCH:
            yield some
            some = []
    if some:
        yield some
