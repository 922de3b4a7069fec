"""Making the index file: from nothing, or by what changed. Whichever process comes first does it."""

from __future__ import annotations

from engram.index.database import CHUNK, COLUMNS, DAMAGE, VERSION, chunk_keys, damaged, sqlite
from engram.index.layout import BREAK, FIELD_END, SPELLING
from engram.index.placing import put_in_place
from engram.index.segment import Segment
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from sqlite3 import Connection

    from engram.model import Memory

__all__ = ["Beside", "StaleError", "build", "update"]

_APPLICATION = 0x456E6772  # "Engr"
# How long an update waits for another one, in seconds: a cold process rather goes on without. It is tried several
# times, and a hook that then still has to read the files answers within two seconds.
_PATIENCE = 0.25
# So many replaced memories are carried along before a rebuild is worth it, and a quarter of those that live.
_WORN = 1000

_SCHEMA = f"""
pragma application_id={_APPLICATION};
pragma user_version={VERSION};
create table state(key text primary key, value) without rowid;
create table terms(number integer primary key, term text not null, frequency integer not null);
create table spellings(id integer primary key, word text not null, number integer not null, frequency integer not null);
create table postings(key integer primary key, docs blob not null, codes blob not null);
create table memories({", ".join(["n integer primary key", *COLUMNS[1:]])});
create table sequences(n integer primary key, terms blob not null);
create table dead(n integer primary key);
create table problems(path blob primary key, kind text not null, reason blob not null, line integer not null)
  without rowid;
"""
_INDEXES = """
create index terms_by_name on terms(term, frequency);
create index spellings_by_word on spellings(word, number, frequency);
create unique index memories_by_path on memories(path);
create index memories_by_id on memories(folded);
"""


class Beside(Record):
    """What is kept beside the memories: texts by key, and the files that are no part of the index."""

    state: tuple[tuple[str, str], ...] = ()
    problems: tuple[tuple[bytes, str, bytes, int], ...] = ()


class StaleError(Exception):
    """Another process has brought the index up to date since the caller looked."""


def build(path: str, memories: Iterable[tuple[str, str, Memory]], beside: Callable[[], Beside] = Beside) -> int:
    """Write a new index from nothing and put it in place at once; return the number of memories.

    Args:
        path: where the index goes. A reader of the old file keeps it until it closes.
        memories: path within the root, SHA-256 in hex, memory.
        beside: asked when all memories were taken.

    Raises:
        OSError: the folder cannot be written.
        SqliteError: SQLite cannot write there.
    """
    segment = Segment()

    def fill(connection: Connection) -> None:
        for item in memories:
            segment.add(*item)
            if len(segment.blobs) >= 2000:
                _write_sequences(connection, segment)
        _write_sequences(connection, segment)
        _write_rest(connection, segment)
        _write_beside(connection, beside())

    put_in_place(path, _SCHEMA, fill, _INDEXES)
    return segment.count


def _write_sequences(connection: Connection, segment: Segment) -> None:
    first = segment.first + len(segment.rows) - len(segment.blobs)
    connection.executemany("insert into sequences values(?,?)", enumerate(segment.blobs, first))
    segment.blobs.clear()


def _write_rows(connection: Connection, segment: Segment) -> None:
    marks = ",".join("?" * len(COLUMNS))
    connection.executemany(f"insert into memories values({marks})", segment.rows)


def _write_rest(connection: Connection, segment: Segment) -> None:
    _write_rows(connection, segment)
    chunks = segment.chunks
    connection.executemany(
        "insert into terms values(?,?,?)",
        ((number, term, len(chunks[number][0])) for term, number in segment.numbers.items()),
    )
    connection.executemany(
        "insert into spellings values(?,?,?,?)",
        ((key, word, number, segment.spelled_in[key]) for (word, number), key in segment.spellings.items()),
    )
    connection.executemany("insert into postings values(?,?,?)", _rows(segment))
    connection.executemany("insert into state values(?,?)", [("count", segment.count), ("length", segment.length)])


def _rows(segment: Segment) -> Iterator[tuple[int, bytes, bytes]]:
    for number in sorted(segment.chunks):
        docs, codes = segment.chunks[number]
        first, _ = chunk_keys(number)
        for at in range(0, len(docs), CHUNK):
            yield first + at // CHUNK, docs[at : at + CHUNK].tobytes(), codes[at : at + CHUNK].tobytes()


def _write_beside(connection: Connection, beside: Beside) -> None:
    connection.executemany("insert or replace into state values(?,?)", beside.state)
    connection.execute("delete from problems")
    connection.executemany("insert into problems values(?,?,?,?)", beside.problems)


def update(
    path: str,
    gone: Iterable[str],
    new: Iterable[tuple[str, str, Memory]],
    beside: Beside | None = None,
    expected: tuple[str, str] | None = None,
) -> bool:
    """Take memories out of an index and put others in, in one transaction.

    A reader sees all of it or nothing, and never waits longer than the commit. A process that dies leaves the old
    state, which the next writer restores.

    Args:
        path: the index.
        gone: paths within the root that are no more, or that ``new`` has again.
        new: path within the root, SHA-256 in hex, memory.
        beside: what replaces the problems and some texts; None leaves them.
        expected: a key and the text that it must still have.

    Returns:
        True where so much was replaced that a rebuild would make the index smaller and faster.

    Raises:
        StaleError: another process changed the index meanwhile.
        SqliteError: the index cannot be written, another process is at it, or it is damaged.
    """
    items = list(new)  # what fails while they are read is no fault of the index
    connection = sqlite.connect(path, isolation_level=None, timeout=_PATIENCE)
    try:
        ask = connection.execute
        ask("begin immediate")
        if ask("pragma user_version").fetchone()[0] != VERSION:
            raise sqlite.DatabaseError("the index is of another version")
        if expected and (expected[1],) != ask("select value from state where key = ?", expected[:1]).fetchone():
            raise StaleError
        state: dict[str, int] = dict(ask("select key, value from state where key in ('count', 'length')"))
        for name in gone:
            _take_out(connection, name, state)
        used = (ask("select max(n) from memories").fetchone(), ask("select max(n) from dead").fetchone())
        last = max(number or 0 for (number,) in used)
        terms = _Terms(connection)
        segment = Segment(last + 1, terms.number, terms.spelling)
        for item in items:
            segment.add(*item)
        _put_in(connection, segment, terms)
        state["count"] += segment.count
        state["length"] += segment.length
        connection.executemany(
            "update state set value = ? where key = ?", [(value, key) for key, value in state.items()]
        )
        if beside is not None:
            _write_beside(connection, beside)
        worn = ask("select count(*) from dead").fetchone()[0] > _WORN + state["count"] // 4
        ask("commit")
    except DAMAGE as error:
        raise damaged(error) from error
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
        self._spellings: dict[tuple[str, int], int] = {}
        self._next_spelling = 1 + (self._ask("select max(id) from spellings").fetchone()[0] or SPELLING - 1)
        self.new_spellings: list[tuple[int, str, int]] = []

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

    def spelling(self, word: str, number: int) -> int:
        """Return the number of a word that is stored under the term of a number."""
        key = self._spellings.get((word, number))
        if key is None:
            row = self._ask("select id from spellings where word = ? and number = ?", (word, number)).fetchone()
            if row is None:
                row = (self._next_spelling,)
                self._next_spelling += 1
                self.new_spellings.append((row[0], word, number))
            key = self._spellings[word, number] = int(row[0])
        return key


def _take_out(connection: Connection, name: str, state: dict[str, int]) -> None:
    ask = connection.execute
    row = ask("select n, length, terms from memories join sequences using (n) where path = ?", (name,)).fetchone()
    if row is None:
        return
    n, length, blob = row
    present = set(memoryview(blob).cast("I")) - {FIELD_END, BREAK}
    connection.executemany(
        "update terms set frequency = frequency - 1 where number = ?", [(term,) for term in present if term < SPELLING]
    )
    connection.executemany(
        "update spellings set frequency = frequency - 1 where id = ?", [(key,) for key in present if key >= SPELLING]
    )
    ask("delete from memories where n = ?", (n,))
    ask("delete from sequences where n = ?", (n,))
    ask("insert into dead values(?)", (n,))
    state["count"] -= 1
    state["length"] -= length


def _put_in(connection: Connection, segment: Segment, terms: _Terms) -> None:
    connection.executemany("insert into terms values(?,?,0)", terms.new)
    connection.executemany("insert into spellings values(?,?,?,0)", terms.new_spellings)
    connection.executemany(
        "update spellings set frequency = frequency + ? where id = ?",
        [(often, key) for key, often in segment.spelled_in.items()],
    )
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
