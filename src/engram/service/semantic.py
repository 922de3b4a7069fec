"""Switching recall by meaning on and off: the table of embeddings, and the vectors of the memories that apply here."""

from __future__ import annotations

import os
import sys

from engram.config.files import embedding_table
from engram.errors import EngramError
from engram.index.database import SqliteError, available
from engram.index.embedding import Embedding
from engram.index.embedding_table import make_table, package_files
from engram.index.leftovers import sweep
from engram.index.vectors import Vectors
from engram.record import Record
from engram.service.caches import cache_of
from engram.store.files import store_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.service.session import Session
    from engram.store.root import MemoryRoot

__all__ = ["PACKAGE", "RootVectors", "SemanticState", "semantic_state", "switch_off", "switch_on"]

PACKAGE = "wordllama"


class RootVectors(Record):
    """How many of a root's memories have their vectors ready."""

    root: str
    scope: str
    ready: int
    memories: int


class SemanticState(Record):
    """Whether recall by meaning is on, and what it has.

    Attributes:
        on: True where the table is there and can be read.
        table: the table's path, whether it exists or not.
        size: the table's bytes.
        made_from: the package that the table was made from.
        package: the package that is installed now; empty where there is none.
        problem: why a table that is there cannot be used.
        roots: the memory that applies here.
    """

    on: bool
    table: str
    size: int = 0
    made_from: str = ""
    package: str = ""
    problem: str = ""
    roots: tuple[RootVectors, ...] = ()


def semantic_state(session: Session) -> SemanticState:
    """Return whether recall by meaning is on, and what it has."""
    path = embedding_table(session.environ)
    package = _package()
    state = SemanticState(False, path, package=package[1] if package else "")
    if not os.path.exists(path):
        return state
    if not available():
        return state.replace(problem="this Python has no SQLite")
    try:
        with Embedding(path) as table:
            made_from, fingerprint = table.made_from, table.fingerprint
    except SqliteError as error:
        return state.replace(problem=str(error))
    roots = tuple(_ready(session, root, fingerprint) for root in session.roots)
    return state.replace(on=True, size=os.path.getsize(path), made_from=made_from, roots=roots)


def switch_on(session: Session, progress: Callable[[str, int, int], None] | None = None) -> tuple[SemanticState, bool]:
    """Make the table, and the vectors of the memories that apply here; what is there already stays.

    Args:
        session: where one is.
        progress: called now and then with what is being made, how much of it is done, and how much there is.

    Returns:
        The state afterwards, and whether a table was made.

    Raises:
        EngramError: the package is not installed, or is of another kind than this Engram knows.
        StoreError: the table cannot be written.
    """
    if not available():
        raise EngramError("Recall by meaning needs SQLite, and this Python has none.")
    path = embedding_table(session.environ)
    package = _package()
    made = False
    if not _is_usable(path) or (package and _made_from(path) != package[1]):
        if package is None:
            raise _missing()
        weights, tokenizer = package_files(package[0])
        try:
            make_table(path, weights, tokenizer, package[1], _named(progress, "table"))
        except OSError as error:
            raise store_error(error, path) from error
        except SqliteError as error:
            raise EngramError(f"The table of embeddings could not be written ({error}).", path=path) from error
        made = True
    with Embedding(path) as table:
        table.read_all()
        for root in session.roots:
            _fill(session, root, table, progress)
    return semantic_state(session), made


def switch_off(session: Session) -> bool:
    """Remove the table, what a killed process left of one, and the vectors of the memories that apply here.

    Returns:
        False when there was no table.

    Raises:
        StoreError: the table cannot be removed.
    """
    path = embedding_table(session.environ)
    sweep(path)
    try:
        os.unlink(path)
        gone = True
    except FileNotFoundError:
        gone = False
    except OSError as error:
        raise store_error(error, path) from error
    for root in session.roots:
        Vectors(cache_of(session, root), "").remove()
    return gone


def _package() -> tuple[str, str] | None:
    """Return the installed package's folder, and its name with its version. It is not imported."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    try:
        return next(iter(spec.submodule_search_locations)), f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        return None


def _missing() -> EngramError:
    return EngramError(
        f"Recall by meaning needs the data of the package {PACKAGE}, and it is not installed for {sys.executable}.",
        hint='It comes with the extra. In a checkout of Engram, with the Python that runs it: pip install ".[semantic]"'
        "\nOnce the table is made, the package may go again.",
    )


def _is_usable(path: str) -> bool:
    try:
        Embedding(path).close()
        return True
    except SqliteError:
        return False


def _made_from(path: str) -> str:
    with Embedding(path) as table:
        return table.made_from


def _ready(session: Session, root: MemoryRoot, fingerprint: str) -> RootVectors:
    hashes = {stored.hash for stored in root.memories()[0]}
    ready = Vectors(cache_of(session, root), fingerprint).get(hashes)
    return RootVectors(root.path, root.scope, len(ready), len(hashes))


def _fill(
    session: Session, root: MemoryRoot, table: Embedding, progress: Callable[[str, int, int], None] | None
) -> None:
    memories = {stored.hash: stored.memory for stored in root.memories()[0]}
    vectors = Vectors(cache_of(session, root), table.fingerprint)
    ready = vectors.get(memories)
    missing = [(value, memory) for value, memory in memories.items() if value not in ready]
    show = _named(progress, "vectors")
    vectors.add(table, missing, (lambda done: show(done, len(missing))) if show else None)
    vectors.keep_only(memories)


def _named(progress: Callable[[str, int, int], None] | None, what: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, count: progress(what, done, count)
