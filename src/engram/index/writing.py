"""Making the index file: from nothing, or by what changed. Whichever process comes first does it."""

from __future__ import annotations

import os

from engram.index.database import CHUNK, COLUMNS, VERSION, chunk_keys, sqlite
from engram.index.layout import BREAK, FIELD_END
from engram.index.segment import Segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from sqlite3 import Connection

    from engram.model import Memory

__all__ = ["build", "update"]

_APPLICATION = 0x456E6772  # "Engr"
# How long an update waits for another one, in seconds: a cold process rather goes on without.
_PATIENCE = 0.5
# So many replaced memories are carried along before a rebuild is worth it, and a quarter of those that live.
_WORN = 1000

_SCHEMA = f"""
pragma application_id={_APPLICATION};
pragma user_version={VERSION};
create table state(key text primary key, value) without rowid;
create table terms(number integer primary key, term text not null, frequency integer not null);
create table spellings(word text primary key, number integer not null) without rowid;
create table postings(key integer primary key, docs blob not null, codes blob not null);
create table memories({", ".join(["n integer primary key", *COLUMNS[1:]])});
create table sequences(n integer primary key, terms blob not null);
create table dead(n integer primary key);
"""
_INDEXES = """
create index terms_by_name on terms(term, frequency);
create unique index memories_by_path on memories(path);
create index memories_by_id on memories(id);
"""


def build(path: str, memories: Iterable[tuple[str, str, Memory]]) -> int:
    """Write a new index from nothing and put it in place at once; return the number of memories.

    Args:
        path: where the index goes. A reader of the old file keeps it until it closes.
        memories: path within the root, SHA-256 in hex, memory.

    Raises:
        OSError: the folder cannot be written.
        SqliteError: SQLite cannot write there.
    """
    temporary = f"{path}.{os.getpid()}.new"
    if os.path.exists(temporary):
        os.unlink(temporary)
    try:
        connection = sqlite.connect(temporary, isolation_level=None)
        try:
            # Nobody else knows this file yet: it needs no journal, and one fsync before it gets its name.
            connection.executescript("pragma journal_mode=off; pragma synchronous=off; pragma locking_mode=exclusive;")
            connection.executescript(_SCHEMA)
            connection.execute("begin")
            segment = Segment()
            for item in memories:
                segment.add(*item)
                if len(segment.blobs) >= 2000:
                    _write_sequences(connection, segment)
            _write_sequences(connection, segment)
            _write_rest(connection, segment)
            connection.execute("commit")
            connection.executescript(_INDEXES)
        finally:
            connection.close()
        handle = os.open(temporary, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    return segment.count


def _write_sequences(connection: Connection, segment: Segment) -> None:
    first = segment.first + len(segment.rows) - len(segment.blobs)
    connection.executemany("insert into sequences values(?,?)", enumerate(segment.blobs, first))
    segment.blobs.clear()


def _write_rows(connection: Connection, segment: Segment) -> None:
    marks = ",".join("?" * len(COLUMNS))
    rows = (tuple(row.as_dict().values()) for row in segment.rows)
    connection.executemany(f"insert into memories values({marks})", rows)


def _write_rest(connection: Connection, segment: Segment) -> None:
    _write_rows(connection, segment)
    chunks = segment.chunks
    connection.executemany(
        "insert into terms values(?,?,?)",
        ((number, term, len(chunks[number][0])) for term, number in segment.numbers.items()),
    )
    connection.executemany("insert into spellings values(?,?)", sorted(segment.spellings.items()))
    connection.executemany("insert into postings values(?,?,?)", _rows(segment))
    connection.executemany("insert into state values(?,?)", [("count", segment.count), ("length", segment.length)])


def _rows(segment: Segment) -> Iterator[tuple[int, bytes, bytes]]:
    for number in sorted(segment.chunks):
        docs, codes = segment.chunks[number]
        first, _ = chunk_keys(number)
        for at in range(0, len(docs), CHUNK):
            yield first + at // CHUNK, docs[at : at + CHUNK].tobytes(), codes[at : at + CHUNK].tobytes()


def update(path: str, gone: Iterable[str], new: Iterable[tuple[str, str, Memory]]) -> bool:
    """Take memories out of an index and put others in, in one transaction.

    A reader sees all of it or nothing, and never waits longer than the commit. A process that dies leaves the old
    state, which the next writer restores.

    Args:
        path: the index.
        gone: paths within the root that are no more, or that ``new`` has again.
        new: path within the root, SHA-256 in hex, memory.

    Returns:
        True where so much was replaced that a rebuild would make the index smaller and faster.

    Raises:
        SqliteError: the index cannot be written, another process is at it, or it is damaged.
    """
    connection = sqlite.connect(path, isolation_level=None, timeout=_PATIENCE)
    try:
        ask = connection.execute
        ask("begin immediate")
        if ask("pragma user_version").fetchone()[0] != VERSION:
            raise sqlite.DatabaseError("the index is of another version")
        state = dict(ask("select key, value from state"))
        for name in gone:
            _take_out(connection, name, state)
        last = ask("select max(n) from (select n from memories union all select n from dead)").fetchone()[0] or 0
        terms = _Terms(connection)
        segment = Segment(last + 1, terms.number)
        for item in new:
            segment.add(*item)
        _put_in(connection, segment, terms)
        state["count"] += segment.count
        state["length"] += segment.length
        connection.executemany(
            "update state set value = ? where key = ?", [(value, key) for key, value in state.items()]
        )
        worn = ask("select count(*) from dead").fetchone()[0] > _WORN + state["count"] // 4
        ask("commit")
    finally:
        connection.close()
    return bool(worn)


class _Terms:
    """Numbers of terms, old ones from the index, new ones from the next free number."""

    def __init__(self, connection: Connection) -> None:
        self._ask = connection.execute
        self._known: dict[str, int] = {}
        self._next = 1 + (self._ask("select max(number) from terms").fetchone()[0] or 0)
        self.new: list[tuple[int, str]] = []

    def number(self, term: str) -> int:
        """Return the number of a term."""
        number = self._known.get(term)
        if number is None:
            row = self._ask("select number from terms where term = ?", (term,)).fetchone()
            if row is None:
                row = (self._next,)
                self._next += 1
                self.new.append((row[0], term))
            number = self._known[term] = int(row[0])
        return number


def _take_out(connection: Connection, name: str, state: dict[str, int]) -> None:
    ask = connection.execute
    row = ask("select n, length, terms from memories join sequences using (n) where path = ?", (name,)).fetchone()
    if row is None:
        return
    n, length, blob = row
    present = set(memoryview(blob).cast("I")) - {FIELD_END, BREAK}
    connection.executemany("update terms set frequency = frequency - 1 where number = ?", [(term,) for term in present])
    ask("delete from memories where n = ?", (n,))
    ask("delete from sequences where n = ?", (n,))
    ask("insert into dead values(?)", (n,))
    state["count"] -= 1
    state["length"] -= length


def _put_in(connection: Connection, segment: Segment, terms: _Terms) -> None:
    connection.executemany("insert into terms values(?,?,0)", terms.new)
    connection.executemany("insert or ignore into spellings values(?,?)", sorted(segment.spellings.items()))
    for number, (docs, codes) in sorted(segment.chunks.items()):
        connection.execute("update terms set frequency = frequency + ? where number = ?", (len(docs), number))
        doc_bytes, code_bytes = docs.tobytes(), codes.tobytes()
        first, end = chunk_keys(number)
        row = connection.execute(
            "select key, docs, codes from postings where key between ? and ? order by key desc limit 1", (first, end)
        ).fetchone()
        key = first
        if row:
            key = row[0]
            if len(row[1]) // 4 + len(docs) <= CHUNK:
                doc_bytes, code_bytes = row[1] + doc_bytes, row[2] + code_bytes
            else:
                key += 1
        connection.execute("insert or replace into postings values(?,?,?)", (key, doc_bytes, code_bytes))
    _write_rows(connection, segment)
    _write_sequences(connection, segment)
