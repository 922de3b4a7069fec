"""``engram purge``: what was saved by mistake is gone everywhere that Engram wrote it (F17).

That are the memory in every scope that holds the same text, its archived versions, copies that a migration left,
waiting candidates and open approvals of the same text, the lines of ledgers and changelog, and everything derived. What
Git still has is said, with the way to rewrite it; nobody's history is rewritten here.
"""

from __future__ import annotations

import os
import time

from engram.config.files import cache_home
from engram.errors import EngramError, FormatError, NotFoundError
from engram.markdown.archive import read_archived
from engram.markdown.memory import read_memory
from engram.portable import remove, replace
from engram.proposals.pending import FILE as PENDING
from engram.proposals.pending import parse_book
from engram.record import Record
from engram.service.git_history import InGit, what_git_has
from engram.service.inbox import FOLDER as INBOX
from engram.store.files import digest, inside, read_optional
from engram.store.root import NOTES, MemoryRoot, stem
from engram.store.write import Write
from engram.text.jsonc import JsoncError, parse
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engram.service.session import Session

__all__ = ["Purge", "Purged", "plan_purge", "purge"]

_WAY = "terminal"  # nobody else is asked, see the command
# A line of so many characters tells a memory from others, an ideograph counting for four; a shorter one may stand
# anywhere, so that only a text or line that says nothing else is a copy of it.
_TELLING = 16
_ENDS = " \t.;!。；！"
_MIGRATED = (".pre-v3.bak",)
_KEPT_IN_CACHE = frozenset({".gitignore"})
_USAGE = "usage"


class Purge(Record):
    """What would go: the id, the files of each root by path, and the lines by which other copies are known."""

    id: str
    files: tuple[tuple[MemoryRoot, str], ...]
    telling: tuple[str, ...]


class Purged(Record):
    """What was done.

    Attributes:
        gone: the files that are gone, absolute.
        cleaned: files that lost a part, and folders of derived data that were emptied.
        named: memories that still name the id, with their paths.
        left: files of Engram's that still hold some of the text.
        git: what Git still has.
    """

    gone: tuple[str, ...]
    cleaned: tuple[str, ...]
    named: tuple[str, ...]
    left: tuple[str, ...]
    git: tuple[InGit, ...]


def plan_purge(session: Session, text: str) -> Purge:
    """Return what purging an id would take out; nothing is changed.

    Args:
        session: where one is.
        text: an id, ``global/<id>``, or ``note/<id>`` for a working note.

    Raises:
        UsageError: when the text is no id.
        NotFoundError: where no tier has it.
    """
    roots = session.require_roots()
    if text.startswith("note/"):
        return _plan_note(roots, text.removeprefix("note/"))
    scope, memory_id = check_id(text)
    files: list[tuple[MemoryRoot, str]] = []
    contents: list[str] = []
    for root in roots:
        if scope not in {"", root.scope}:
            continue
        mine = list(_files_of(root, memory_id))
        theirs = [content for path in mine if (content := _content(root, path))]
        # Without a scope: where both hold the id, and another text under it, the other scope's is another memory.
        if files and not scope and not set(theirs) & set(contents):
            continue
        files += [(root, path) for path in mine]
        contents += theirs
    if not files:
        session.locate(text)  # names the closest ids
        raise NotFoundError(f"There is no memory {text}.")
    telling = _telling(files)
    files += _notes_alike(session, scope, telling)
    return Purge(memory_id, tuple(files), telling)


def purge(session: Session, plan: Purge) -> Purged:
    """Take out what was planned, and every copy of it that Engram made. The caller has asked a human.

    Raises:
        StoreError: when a folder cannot be written; what was done in another root before stays done.
    """
    gone: list[str] = []
    cleaned: list[str] = []
    # What Git has is asked first: the paths are known from the files.
    git = tuple(what_git_has(root.path, _paths_ever(root, plan), plan.id) for root in session.roots)
    for root in _places(session):
        places = [path for one, path in plan.files if one.path == root.path]
        copies = list(_copies(root, plan))
        if not places and not any(copies):
            continue
        with session.writer(root.path) as writer:
            writes = [Write(path, _hash(root, path), None) for path in places]
            for path, data in copies:
                if any(write.path == path for write in writes):
                    continue
                writes.append(Write(path, _hash(root, path), data))
            writer.purge(writes, _Cleaner(plan.id, places), _WAY)
        for write in writes:
            full = os.path.join(root.path, *write.path.split("/"))
            (gone if write.data is None else cleaned).append(full)
        _drop_empty_folders(root, places)
    for root in session.roots:
        cleaned += _empty_caches(session, root, plan.id)
    return Purged(
        tuple(gone),
        tuple(cleaned),
        tuple(_naming(session, plan.id)),
        tuple(_left(session, plan)),
        tuple(one for one in git if one is not None),
    )


def _places(session: Session) -> Iterator[MemoryRoot]:
    """Yield the roots, and behind one of a linked worktree that of its main worktree, which has its notes (F1)."""
    for root in session.roots:
        yield root
        if root.private != root.path:
            yield MemoryRoot(root.private, root.scope, foreign=root.foreign)


def _notes_alike(session: Session, scope: str, telling: Sequence[str]) -> Iterator[tuple[MemoryRoot, str]]:
    """Yield the working notes that say nothing but what is purged."""
    for root in _places(session):
        folder = os.path.join(root.path, NOTES)
        if scope not in {"", root.scope} or root.private != root.path or not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            place = (root, f"{NOTES}/{name}")
            lines = _telling([place]) if name.endswith(".md") else ()
            if lines and {line.strip(_ENDS) for line in lines} <= {line.strip(_ENDS) for line in telling}:
                yield place


def _plan_note(roots: Sequence[MemoryRoot], name: str) -> Purge:
    scope, memory_id = check_id(name)
    files = []
    for root in roots:
        place = MemoryRoot(root.private, root.scope, foreign=root.foreign)
        path = f"{NOTES}/{memory_id}.md"
        if scope in {"", root.scope} and os.path.lexists(os.path.join(place.path, *path.split("/"))):
            files.append((root if place.path == root.path else place, path))
    if not files:
        raise NotFoundError(f"There is no working note {memory_id}.", hint="engram list shows what there is.")
    return Purge(memory_id, tuple(files), _telling(files))


def _files_of(root: MemoryRoot, memory_id: str) -> Iterator[str]:
    """Yield the files of an id: active, archived, rejected, and what a migration left beside them."""
    folded = fold_id(memory_id)
    found = [path for path in root.active_paths() if fold_id(stem(path)) == folded]
    found += root.find_archived(memory_id)
    for path in root.archived_paths():
        base, mark, _ = stem(path).rpartition("-rejected")
        if mark and fold_id(base) == folded:
            found.append(path)
    for path in dict.fromkeys(found):
        yield path
        for ending in _MIGRATED:
            if os.path.lexists(os.path.join(root.path, *f"{path}{ending}".split("/"))):
                yield f"{path}{ending}"


def _bytes(root: MemoryRoot, path: str) -> bytes:
    try:
        return read_optional(inside(root.path, path)) or b""
    except (OSError, EngramError):
        return b""


def _hash(root: MemoryRoot, path: str) -> str:
    data = read_optional(inside(root.path, path))
    return "" if data is None else digest(data)


def _content(root: MemoryRoot, path: str) -> str:
    data = _bytes(root, path)
    try:
        if path.startswith("archive/"):
            _, data = read_archived(data)
        return read_memory(data, path=f"knowledge/{stem(path)}.md", scope=root.scope).content
    except FormatError:
        return data.decode("utf-8", "replace")


def _telling(files: Sequence[tuple[MemoryRoot, str]]) -> tuple[str, ...]:
    """Return the lines by which a copy of the text is known, wherever it stands."""
    lines: dict[str, None] = {}
    for root, path in files:
        text = _content(root, path)
        lines |= dict.fromkeys(line.strip().removeprefix("- ").strip() for line in text.split("\n"))
    return tuple(line for line in lines if line.strip(_ENDS))


def _copies(root: MemoryRoot, plan: Purge) -> Iterator[tuple[str, bytes | None]]:
    """Yield the private files of a root that hold the text too, with what is to be left of them."""
    if root.private == root.path:
        folder = os.path.join(root.path, INBOX)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = f"{INBOX}/{name}"
            if _holds(_bytes(root, path), plan.telling):
                yield path, None
    data = _bytes(root, PENDING)
    if data and _holds(data, plan.telling):
        try:
            book = parse_book(data.decode("utf-8"))
            now = time.time()
            some = [one for one in book.pending if _in_value(one.as_data(), plan.telling)]
            book.end(some, "revoked", now)
            yield PENDING, book.text(now).encode("utf-8")
        except (EngramError, UnicodeDecodeError):
            yield PENDING, None


def _holds(data: bytes, telling: Sequence[str]) -> bool:
    text = data.decode("utf-8", "replace")
    if _tells_of(text, telling) or any(_is_one(line, telling) for line in text.split("\n")):
        return True
    try:
        return _in_value(parse(text), telling)
    except JsoncError:
        return False


def _tells_of(text: str, telling: Sequence[str]) -> bool:
    return any(line in text for line in telling if sum(1 if char < "\u1100" else 4 for char in line) >= _TELLING)


def _is_one(text: str, telling: Sequence[str]) -> bool:
    said = text.strip().removeprefix("- ").strip(_ENDS)
    return any(said == line.strip(_ENDS) for line in telling)


def _in_value(value: object, telling: Sequence[str]) -> bool:
    """Tell whether a text in plain data holds one of some lines, or the text of a candidate is one."""
    if isinstance(value, str):
        return _tells_of(value, telling)
    if isinstance(value, dict):
        text = value.get("text")
        if isinstance(text, str) and _is_one(text, telling):
            return True
        return any(_in_value(part, telling) for part in value.values())
    return isinstance(value, list | tuple) and any(_in_value(part, telling) for part in value)


class _Cleaner:
    """Takes out of a changelog the lines about some files, and the id out of the others."""

    def __init__(self, memory_id: str, paths: Sequence[str]) -> None:
        self._id = memory_id
        self._paths = tuple(paths)

    def __call__(self, text: str) -> str:
        lines = [line for line in text.split("\n") if not any(path in line for path in self._paths)]
        return "\n".join(_unnamed(line, self._id) for line in lines)


def _unnamed(line: str, memory_id: str) -> str:
    parts = []
    at = 0
    start = line.find(memory_id)
    while start >= 0:
        end = start + len(memory_id)
        alone = not _in_a_name(line[start - 1 : start]) and not _in_a_name(line[end : end + 1])
        parts += [line[at:start], "[purged]" if alone else memory_id]
        at = end
        start = line.find(memory_id, end)
    return "".join([*parts, line[at:]])


def _in_a_name(char: str) -> bool:
    return char.isalnum() or char == "-"


def _drop_empty_folders(root: MemoryRoot, paths: Sequence[str]) -> None:
    for path in paths:
        folder = path.rpartition("/")[0]
        while "/" in folder:
            try:
                os.rmdir(os.path.join(root.path, *folder.split("/")))
            except OSError:
                break  # something else is in it
            folder = folder.rpartition("/")[0]


def _empty_caches(session: Session, root: MemoryRoot, memory_id: str) -> Iterator[str]:
    """Empty the folders of derived data, here and in the user's cache; only how often others were used is kept (F3)."""
    of_user = os.path.join(cache_home(session.environ), "roots", digest(os.fsencode(root.path))[:16])
    for cache in (os.path.join(root.path, ".cache"), of_user):
        if os.path.islink(cache) or not os.path.isdir(cache):
            continue
        for folder, folders, names in os.walk(cache, topdown=False):
            for name in names:
                path = os.path.join(folder, name)
                if folder == cache and name in _KEPT_IN_CACHE:
                    continue
                if folder == cache and name == _USAGE and not os.path.islink(path):
                    _forget_usage(path, memory_id)
                else:
                    remove(path)
            for name in folders:
                path = os.path.join(folder, name)
                if os.path.islink(path):
                    remove(path)
                else:
                    os.rmdir(path)
        yield cache


def _forget_usage(path: str, memory_id: str) -> None:
    data = read_optional(path) or b""
    wanted = os.fsencode(memory_id)
    kept = [line for line in data.split(b"\n") if line.partition(b"\t")[0] != wanted]
    temporary = f"{path}.{os.getpid()}.new"
    with open(temporary, "wb") as file:
        file.write(b"\n".join(kept))
    replace(temporary, path)


def _naming(session: Session, memory_id: str) -> Iterator[str]:
    """Yield the memories that name an id which is gone."""
    folded = fold_id(memory_id)
    for root in session.roots:
        for stored in root.memories()[0]:
            memory = stored.memory
            names = (*memory.depends_on, *memory.supersedes, memory.superseded_by, memory.parent)
            if any(fold_id(name.rpartition("/")[2]) == folded for name in names if name):
                yield f"{root.scope}:{stored.path}"


def _left(session: Session, plan: Purge) -> Iterator[str]:
    """Yield what below a root still holds the text: somebody's own file, or another memory that says the same."""
    for root in session.roots:
        for folder, folders, names in os.walk(root.path):
            folders[:] = sorted(name for name in folders if name != ".git")
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root.path).replace(os.sep, "/")
                if not root.ignores(path) and _holds(_bytes(root, path), plan.telling):
                    yield os.path.join(folder, name)
        private = MemoryRoot(root.private, root.scope)
        for folder in (NOTES, INBOX) if root.private != root.path else ():
            full = os.path.join(root.private, folder)
            for name in sorted(os.listdir(full)) if os.path.isdir(full) else ():
                if _holds(_bytes(private, f"{folder}/{name}"), plan.telling):
                    yield os.path.join(full, name)


def _paths_ever(root: MemoryRoot, plan: Purge) -> list[str]:
    """Return the paths of a root's files, and of an archived one where it stood before."""
    paths = [path for one, path in plan.files if one is root]
    for path in list(paths):
        if path.startswith("archive/"):
            try:
                header, _ = read_archived(_bytes(root, path))
            except FormatError:
                continue
            original = header.get("original", "").partition(":")[2]
            if "/" in original and ".." not in original:
                paths.append(original)
    return list(dict.fromkeys(paths))
