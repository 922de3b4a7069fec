"""The index as one SQLite file, as every cold process reads it; ``writing`` makes it.

Plain tables hold the postings, not FTS5: the reasons and figures are in ``docs/decisions``. Nothing here is
load-bearing (F3): any ``SqliteError`` means that recall reads the files instead.
"""

from __future__ import annotations

# The C module alone: the package around it imports collections.abc and datetime adapters that nothing here needs.
try:
    import _sqlite3 as sqlite
except ImportError:  # a Python that was built without SQLite
    sqlite = None  # type: ignore[assignment]

from engram.index.layout import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

__all__ = ["CHUNK", "COLUMNS", "VERSION", "Database", "SqliteError", "available", "chunk_keys", "sqlite"]

# Goes up with every change of the tables, the word splitter, the stems or the codes: an index of another version is
# rebuilt, never read.
VERSION = 1
# The postings of a term stand in chunks of so many memories, so that one more memory rewrites little.
CHUNK = 4096
_CHUNK_BITS = 12

COLUMNS = tuple(field for field in Entry.__annotations__ if not field.startswith("_"))
# What SQLite raises; where there is none, nothing does.
SqliteError: type[Exception] = sqlite.Error if sqlite else NotImplementedError


def available() -> bool:
    """Tell whether this Python has SQLite."""
    return sqlite is not None


def chunk_keys(number: int) -> tuple[int, int]:
    """Return the first and the last key that the postings of a term may have."""
    first = number << _CHUNK_BITS
    return first, first | (1 << _CHUNK_BITS) - 1


class Database:
    """A read-only view of an index file. Close it, or use it in a ``with`` statement.

    Raises:
        SqliteError: the file is missing, damaged, locked, a folder, or of another version.
    """

    def __init__(self, path: str) -> None:
        # mode=ro never creates a file. A reader waits for a writer's commit at most this long (seconds).
        uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro"
        self._connection = sqlite.connect(uri, uri=True, timeout=0.25, isolation_level=None)
        ask = self._ask = self._connection.execute
        try:
            ask("begin")  # one state for all the questions
            self._check_version()
            state = dict(ask("select key, value from state"))
            self.count: int = state["count"]
            self.length: int = state["length"]
            self.dead = frozenset(n for (n,) in ask("select n from dead"))
        except BaseException:
            self._connection.close()
            raise

    def _check_version(self) -> None:
        version = self._ask("pragma user_version").fetchone()[0]
        if version != VERSION:
            raise sqlite.DatabaseError(f"index version {version}, this Engram reads {VERSION}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def lookup(self, terms: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return number and document frequency of each term that some memory has."""
        wanted = list(terms)
        found = {}
        for at in range(0, len(wanted), 500):
            some = wanted[at : at + 500]
            marks = ",".join("?" * len(some))
            rows = self._ask(f"select term, number, frequency from terms where term in ({marks})", some)  # noqa: S608
            found.update({term: (number, frequency) for term, number, frequency in rows if frequency > 0})
        return found

    def spelled(self, words: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return for each word that some memory has the term it is stored as, and its document frequency."""
        wanted = list(words)
        found = {word: (word, frequency) for word, (_, frequency) in self.lookup(wanted).items()}
        for at in range(0, len(wanted), 500):
            some = wanted[at : at + 500]
            marks = ",".join("?" * len(some))
            rows = self._ask(
                "select word, term, frequency from spellings join terms using (number)"  # noqa: S608
                f" where word in ({marks}) and frequency > 0",
                some,
            )
            found.update({word: (term, frequency) for word, term, frequency in rows})
        return found

    def named(self, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Return term and document frequency by the number of a term."""
        wanted = list(numbers)
        found = {}
        for at in range(0, len(wanted), 500):
            some = wanted[at : at + 500]
            marks = ",".join("?" * len(some))
            rows = self._ask(f"select number, term, frequency from terms where number in ({marks})", some)  # noqa: S608
            found.update({number: (term, frequency) for number, term, frequency in rows})
        return found

    def postings(self, number: int) -> tuple[list[int], list[int]]:
        """Return where a term stands: numbers of memories, ascending, and for each a code (see ``layout``)."""
        first, last = chunk_keys(number)
        rows = self._ask(
            "select docs, codes from postings where key between ? and ? order by key", (first, last)
        ).fetchall()
        docs: list[int] = []
        codes: list[int] = []
        for doc_bytes, code_bytes in rows:
            docs += memoryview(doc_bytes).cast("I").tolist()
            codes += memoryview(code_bytes).cast("H").tolist()
        return docs, codes

    def entries(self, docs: Iterable[int]) -> dict[int, Entry]:
        """Return what is known of memories, by number."""
        wanted = list(docs)
        found = {}
        for at in range(0, len(wanted), 500):
            some = wanted[at : at + 500]
            marks = ",".join("?" * len(some))
            for row in self._ask(f"select * from memories where n in ({marks})", some):  # noqa: S608
                found[row[0]] = Entry(*row)
        return found

    def sequences(self, docs: Iterable[int], most: int) -> dict[int, bytes]:
        """Return the first ``most`` term numbers of memories, packed in 32 bits each (see ``layout``)."""
        wanted = list(docs)
        found: dict[int, bytes] = {}
        for at in range(0, len(wanted), 500):
            some = wanted[at : at + 500]
            marks = ",".join("?" * len(some))
            found.update(self._ask(f"select n, substr(terms, 1, {4 * most}) from sequences where n in ({marks})", some))  # noqa: S608
        return found
