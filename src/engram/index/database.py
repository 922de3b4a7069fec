"""The index as one SQLite file, as every cold process reads it; ``writing`` makes it.

Plain tables hold the postings, not FTS5: the reasons and figures are in ``docs/decisions``. Nothing here is
load-bearing (F3): any ``SqliteError`` means that recall reads the files instead.
"""

from __future__ import annotations

import os
from sys import byteorder

# The C module alone: the package around it imports collections.abc and datetime adapters that nothing here needs.
try:
    import _sqlite3 as sqlite
except ImportError:  # a Python that was built without SQLite
    sqlite = None  # type: ignore[assignment]

from engram.index.layout import LOOKED_AT, Entry, Kept, commonest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from sqlite3 import Connection, Cursor
    from typing import Any, Self

__all__ = [
    "CHUNK", "COLUMNS", "DAMAGE", "VERSION", "Database", "SqliteError", "SqliteFile", "available", "chunk_keys",
    "connect", "damaged", "sqlite",
]  # fmt: skip

# Goes up with every change of the tables, the word splitter, the stems or the codes: an index of another version is
# rebuilt, never read.
_FORMAT = 5
# The numbers in the postings are those of the machine: a file from one of another byte order is of another version.
VERSION = _FORMAT << 1 | (byteorder == "big")
# The postings of a term stand in chunks of so many memories, so that one more memory rewrites little.
CHUNK = 4096
_CHUNK_BITS = 12

COLUMNS = tuple(field for field in Entry.__annotations__ if not field.startswith("_"))
# What SQLite raises; where there is none, nothing does.
SqliteError: type[Exception] = sqlite.Error if sqlite else NotImplementedError


# sqlite.org/rescode.html#readonly; the extended codes have it in their last byte.
_READ_ONLY = 8
# How long a reader waits for a writer's commit at most, in seconds.
_PATIENCE = 0.25
# Values in one question; SQLite's own limit is higher everywhere.
_AT_A_TIME = 500
# A process that lives long begins anew to keep what it knows of memories when there are more than so many.
_KEPT = 2000
# These code points are no characters: the one before is followed by the one behind.
_SURROGATES = 0xD800, 0xE000
# What reading raises where SQLite itself did not see that its file is damaged.
DAMAGE = (ArithmeticError, LookupError, TypeError, ValueError)


def damaged(error: Exception) -> Exception:
    """Return the ``SqliteError`` to raise in place of one of ``DAMAGE``."""
    return SqliteError(f"the index is damaged ({type(error).__name__}: {error})")


def _identity(path: str) -> tuple[int, int]:
    """Return what tells a file from another one of its name, zeros where there is none."""
    try:
        info = os.stat(path)
    except OSError:
        return 0, 0
    return info.st_dev, info.st_ino


def available() -> bool:
    """Tell whether this Python has SQLite."""
    return sqlite is not None


def _as_stored(
    terms: Iterable[tuple[str, int]], spellings: Iterable[tuple[str, str, int]]
) -> dict[str, tuple[str, int]]:
    """Return term and document frequency by word, of terms as they are and of words that are stored as another one."""
    found = {term: (term, frequency) for term, frequency in terms}
    stored: dict[str, list[tuple[str, int]]] = {}
    for word, term, frequency in spellings:
        stored.setdefault(word, []).append((term, frequency))
    found.update((word, commonest(words)) for word, words in stored.items())
    return found


def chunk_keys(number: int) -> tuple[int, int]:
    """Return the first and the last key that the postings of a term may have."""
    first = number << _CHUNK_BITS
    return first, first | (1 << _CHUNK_BITS) - 1


def connect(path: str, mode: str, *, any_thread: bool = False) -> Connection:
    """Open an SQLite file; a reader waits a quarter of a second for a writer's commit.

    Args:
        path: the file.
        mode: ``ro``, ``rw``, or ``rwc``, the only one that creates a file (sqlite.org/uri.html).
        any_thread: it may be handed from thread to thread; two must never use it at once.

    Raises:
        SqliteError: there is no such file, or it cannot be opened.
    """
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + f"?mode={mode}"
    connection: Connection = sqlite.connect(
        uri, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=not any_thread
    )
    return connection


class SqliteFile:
    """An SQLite file that is open for questions. Close it, or use it in a ``with`` statement."""

    _connection: Connection
    _ask: Callable[..., Cursor]

    def _check_version(self, what: str, version: int) -> None:
        found = self._ask("pragma user_version").fetchone()[0]
        if found != version:
            raise sqlite.DatabaseError(f"{what} version {found}, this Engram reads {version}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class Database(SqliteFile):
    """A read-only view of an index file.

    Raises:
        SqliteError: the file is missing, damaged, locked, a folder, or of another version.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        # Before it is opened: one that takes its place in between is seen as another one, and opened anew.
        self._file = _identity(path)
        try:
            self._open(path, "ro")
        except SqliteError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != _READ_ONLY:
                raise
            # A writer died and left a journal: SQLite undoes its part with the first read that may write.
            self._open(path, "rw")

    def _open(self, path: str, mode: str) -> None:
        # A server hands it from one call's thread to the next one's.
        self._connection = connect(path, mode, any_thread=True)
        ask = self._ask = self._connection.execute
        try:
            ask("begin")  # one state for all the questions
            self._check_version("index", VERSION)
            self.state: dict[str, Any] = dict(ask("select key, value from state"))
            self.count: int = self.state["count"]
            self.length: int = self.state["length"]
            self.dead = frozenset(n for (n,) in ask("select n from dead"))
            # A view never changes: what takes a look at every row is counted once.
            self._kinds: dict[str, int] = {}
            self._expired: dict[str, int] = {}
            self._hashes: dict[str, str] | None = None
            self.kept: Kept | None = None
        except BaseException as error:
            self._connection.close()
            if isinstance(error, DAMAGE):
                raise damaged(error) from error
            raise

    def rest(self) -> None:
        """Let go of the lock and keep the file open, so that no writer waits. Ask nothing until ``wake``."""
        self._seen = self._data_version()
        self._ask("commit")
        if self.kept is None or len(self.kept.entries) > _KEPT:
            self.kept = Kept()

    def wake(self) -> bool:
        """Go on after ``rest``; False where the file changed meanwhile: then close this view and open another one.

        A rebuild puts another file in its place, and of the old one nobody hears any more.
        """
        try:
            self._ask("begin")
            return self._data_version() == self._seen and _identity(self._path) == self._file
        except SqliteError:
            return False

    def _data_version(self) -> int:
        return int(self._ask("pragma data_version").fetchone()[0])

    def _among(self, question: str, values: Iterable[object]) -> Iterator[Any]:
        """Yield the rows of ``question``, in which ``{}`` stands for the values; SQLite takes so many at a time."""
        wanted = list(values)
        for at in range(0, len(wanted), _AT_A_TIME):
            some = wanted[at : at + _AT_A_TIME]
            yield from self._ask(question.format(",".join("?" * len(some))), some)

    def lookup(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return number and document frequency of each term that some memory has."""
        rows = self._among("select term, number, frequency from terms where term in ({})", terms)
        return {term: (number, frequency) for term, number, frequency in rows if frequency > 0}

    def spelled(self, words: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return for each word that some memory has the term it is stored as, and its document frequency."""
        wanted = list(words)
        return _as_stored(
            self._among("select term, frequency from terms where term in ({}) and frequency > 0", wanted),
            self._among(
                "select word, term, terms.frequency from spellings join terms using (number)"
                " where word in ({}) and spellings.frequency > 0",
                wanted,
            ),
        )

    def beginning(self, start: str, shortest: int, longest: int) -> dict[str, tuple[str, int]]:
        """Return the same for the words that begin with ``start`` and have so many letters."""
        last = ord(start[-1]) + 1
        end = start[:-1] + chr(last if last != _SURROGATES[0] else _SURROGATES[1])
        within = (start, end, shortest, longest)
        return _as_stored(
            self._ask(
                "select term, frequency from terms"
                " where term >= ? and term < ? and length(term) between ? and ? and frequency > 0",
                within,
            ),
            self._ask(
                "select word, term, terms.frequency from spellings join terms using (number)"
                " where word >= ? and word < ? and length(word) between ? and ? and spellings.frequency > 0",
                within,
            ),
        )

    def named(self, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Return term and document frequency by the number of a term."""
        question = "select number, term, frequency from terms where number in ({})"
        if self.kept is None:
            return {number: (term, frequency) for number, term, frequency in self._among(question, numbers)}
        wanted, kept = list(numbers), self.kept.terms
        for number, term, frequency in self._among(question, [number for number in wanted if number not in kept]):
            kept[number] = term, frequency
        return {number: kept[number] for number in wanted if number in kept}

    def postings(self, number: int) -> tuple[list[int], list[int]]:
        """Return where a term stands: numbers of memories, ascending, and for each a code (see ``layout``)."""
        kept = self.kept
        if kept and number in kept.postings:
            return kept.postings[number]
        first, last = chunk_keys(number)
        rows = self._ask(
            "select docs, codes from postings where key between ? and ? order by key", (first, last)
        ).fetchall()
        docs: list[int] = []
        codes: list[int] = []
        for doc_bytes, code_bytes in rows:
            docs += memoryview(doc_bytes).cast("I").tolist()
            codes += memoryview(code_bytes).cast("H").tolist()
        if kept and len(docs) <= kept.room:
            kept.room -= len(docs)
            kept.postings[number] = docs, codes
        return docs, codes

    def entries(self, docs: Iterable[int]) -> dict[int, Entry]:
        """Return what is known of memories, by number."""
        question = "select * from memories where n in ({})"
        if self.kept is None:
            return {row[0]: Entry(row) for row in self._among(question, docs)}
        wanted, kept = list(docs), self.kept.entries
        for row in self._among(question, [n for n in wanted if n not in kept]):
            kept[row[0]] = Entry(row)
        return {n: kept[n] for n in wanted if n in kept}

    def all_rows(self) -> list[Entry]:
        """Return what is known of every memory, in no order."""
        return [Entry(row) for row in self._ask("select * from memories")]

    def with_ids(self, folded: Iterable[str]) -> list[Entry]:
        """Return the memories with these ids, folded as in F11."""
        question = "select * from memories where folded in ({})"
        if self.kept is None:
            return [Entry(row) for row in self._among(question, folded)]
        wanted, kept = dict.fromkeys(folded), self.kept.named
        new: dict[str, list[Entry]] = {name: [] for name in wanted if name not in kept}
        for row in self._among(question, new):
            entry = Entry(row)
            new[entry.folded].append(entry)
        kept.update(new)
        return [entry for name in wanted for entry in kept[name]]

    def kinds(self) -> dict[str, int]:
        """Return how many memories there are of each kind; ``superseded`` ones are a kind of their own (I1)."""
        if not self._kinds:
            question = (
                "select case when standing = 'superseded' then standing else type end as kind, count(*)"
                " from memories group by kind"
            )
            self._kinds = dict(self._ask(question))
        return dict(self._kinds)

    def expired(self, day: str) -> int:
        """Return how many memories' ``valid_until`` was over before ``day`` and wait for a review (I3)."""
        question = "select count(*) from memories where valid_until <> '' and valid_until < ? and standing = ''"
        if day not in self._expired:
            self._expired = {day: int(self._ask(question, (day,)).fetchone()[0])}
        return self._expired[day]

    def problems(self) -> list[tuple[bytes, str, bytes, int]]:
        """Return the files that are no part of the index, as path, kind, reason and line."""
        return list(self._ask("select path, kind, reason, line from problems order by path"))

    def hashes(self) -> Mapping[str, str]:
        """Return path and SHA-256 of all memories."""
        if self._hashes is None:
            self._hashes = dict(self._ask("select path, sha256 from memories"))
        return self._hashes

    def paths_in(self, folder: str) -> set[str]:
        """Return the paths of the memories that are directly in a folder."""
        # "0" is the character after "/".
        rows = self._ask("select path from memories where path >= ? and path < ?", (f"{folder}/", f"{folder}0"))
        deep = folder.count("/") + 1
        return {path for (path,) in rows if path.count("/") == deep}

    def sequences(self, docs: Iterable[int]) -> dict[int, bytes]:
        """Return the first ``LOOKED_AT`` term numbers of memories, packed in 32 bits each (see ``layout``)."""
        question = f"select n, substr(terms, 1, {4 * LOOKED_AT}) from sequences where n in ({{}})"  # noqa: S608 (a number)
        if self.kept is None:
            return dict(self._among(question, docs))
        wanted, kept = list(docs), self.kept.sequences
        kept.update(self._among(question, [n for n in wanted if n not in kept]))
        return {n: kept[n] for n in wanted if n in kept}
