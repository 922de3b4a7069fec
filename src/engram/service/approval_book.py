"""The file of open approvals on the disk, its secret, and what of it is remembered outside the workspace (C41)."""

from __future__ import annotations

import os
import time

from engram.errors import FormatError, LockedError, RefusedError, StoreError
from engram.portable import replace
from engram.proposals.pending import EXPIRED, FILE, WHY_EXPIRED, Book, hash_of, parse_book
from engram.store.files import digest, read_error, read_guarded, read_optional, store_error, write_durable
from engram.store.write import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.proposals.pending import Pending
    from engram.service.batches import Batch
    from engram.service.session import Session
    from engram.store.root import MemoryRoot
    from engram.store.write import RootWriter

__all__ = [
    "end_with",
    "found_in",
    "has_ended",
    "home_of",
    "known_as",
    "read_book",
    "remember_end",
    "replaced_book",
    "secret_of",
]

_KEY_FILE = "approval.key"
_SECRET_HEX = 64
# The file holds texts of many candidates, each as long as a memory may be.
_MOST_BYTES = 64 * 1024 * 1024
# Beside the key: which tokens ended, so that an older copy of the file in a workspace brings none of them back.
_ENDED_FOLDER = "approvals-ended"
_ENDED_S = 24 * 3600  # by then the token expired by far


def home_of(session: Session) -> MemoryRoot:
    """Return the root whose file keeps the approvals: the workspace's, else the global one (F1)."""
    return session.require_roots()[0]


def known_as(home: MemoryRoot, batch: Batch, kind: str) -> str:
    """Return what a proposal is known by: workspace and candidates, whatever the memory looks like (C48)."""
    parts = [repr(sorted(part.candidate.replace(line=1).as_dict().items())) for part in batch.parts]
    return hash_of("\0".join([kind, home.path, *parts]))


def found_in(session: Session, book: Book, token: str, home: MemoryRoot, writer: RootWriter | None = None) -> Pending:
    """Return the open approval of a token, which must not have ended: an older copy of the file does not know.

    A token that is refused for its age is so for good, whatever the clock shows later.

    Args:
        session: where one is.
        book: the approvals of ``home``.
        token: as it was given.
        home: the root that keeps the approvals.
        writer: the lock of ``home``, where the caller holds it.

    Raises:
        RefusedError: for a token that cannot be redeemed (C44).
    """
    try:
        pending = book.find(token, home.path, secret_of(session), time.time())
    except RefusedError:
        _stay_expired(session, book, hash_of(token), home, writer)
        raise
    again = "Propose the memory again, and show it to the human."
    if has_ended(session, pending):
        if writer is None:
            # Another process may have redeemed it since the book was read: then the file says so now.
            read_book(home.path)[0].find(token, home.path, secret_of(session), time.time())
        raise RefusedError(
            f"This approval has ended, and an older {FILE} was put back; nothing was written.", hint=again
        )
    if os.path.lexists(os.path.join(session.config_dir, _ENDED_FOLDER, f"{pending.hash}.{EXPIRED}")):
        raise RefusedError(WHY_EXPIRED, hint=again)
    return pending


def _stay_expired(session: Session, book: Book, wanted: str, home: MemoryRoot, writer: RootWriter | None) -> None:
    """Mark an approval that is refused for its age as expired for good; any other is left as it is."""
    now, secret = time.time(), secret_of(session)

    def seen(some: Book) -> list[Pending]:
        mine = [one for one in some.pending if one.hash == wanted and one.workspace == home.path]
        return [one for one in mine if one.is_whole(secret) and one.is_over(now) and EXPIRED not in one.extra]

    if not seen(book):
        return
    try:
        if writer is None:
            with session.writer(home.path) as own:
                _mark_expired(seen, home, secret, own, now)
        else:
            _mark_expired(seen, home, secret, writer, now)
    except (StoreError, LockedError):
        pass  # the refusal is what the caller has to hear; the mark below is another one
    _remember(session, f"{wanted}.{EXPIRED}")


def _mark_expired(
    seen: Callable[[Book], list[Pending]], home: MemoryRoot, secret: str, writer: RootWriter, now: float
) -> None:
    book, old = read_book(home.path)
    over = seen(book)
    if over:
        book.pending = [one.expired(secret) if one in over else one for one in book.pending]
        writer.put([replaced_book(book, old, now)], "let an approval expire")


def has_ended(session: Session, pending: Pending) -> bool:
    """Tell whether an approval ended, whatever the file of a workspace says."""
    return os.path.lexists(os.path.join(session.config_dir, _ENDED_FOLDER, pending.hash))


def end_with(writer: RootWriter, ended: Write, beside: bool) -> list[Write]:
    """Return the end of an approval, to be written beside the memories, all or nothing.

    Where none of them goes to the root that keeps it, ``beside`` is False: the other root has a lock and a journal of
    its own, so here the token is gone before anything is written.
    """
    if beside:
        return [ended]
    writer.put([ended], "redeem an approval")
    return []


def remember_end(session: Session, pending: Pending) -> None:
    """Keep in the user's own folder that a token ended, for as long as its expiry may be in doubt."""
    _remember(session, pending.hash)


def _remember(session: Session, name: str) -> None:
    folder = os.path.join(session.config_dir, _ENDED_FOLDER)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb"):
            pass
        for other in os.listdir(folder):
            path = os.path.join(folder, other)
            if os.stat(path).st_mtime < time.time() - _ENDED_S:
                os.unlink(path)
    except FileNotFoundError:
        pass  # another process took an old one away
    except OSError as error:
        session.say("warning", "not_remembered", f"{store_error(error, folder).message} What was saved is saved.")


def read_book(root: str) -> tuple[Book, bytes | None]:
    """Return the book and the bytes that it was read from; a file that is missing means that nothing is open (C41)."""
    try:
        data = read_guarded(root, FILE, _MOST_BYTES)
    except FileNotFoundError:
        return Book({"salt": os.urandom(16).hex()}), None
    except FormatError as error:
        raise FormatError(
            f"{FILE} cannot be read: {error.message}.", hint="Take it away and propose again.", path=FILE
        ) from error
    except OSError as error:
        raise read_error(error, os.path.join(root, FILE)) from error
    return parse_book(data.decode("utf-8", "replace")), data


def replaced_book(book: Book, old: bytes | None, now: float) -> Write:
    """Return the change that writes a book, over the bytes that it was read from."""
    return Write(FILE, "" if old is None else digest(old), book.text(now).encode("utf-8", "replace"))


def secret_of(session: Session, *, make: bool = True) -> str:
    """Return this machine's secret, which a clone cannot bring; it is made when it is first needed.

    Without ``make`` it is ``""`` where there is none: then nothing was ever proposed on this machine.

    Raises:
        StoreError: when the user's configuration folder cannot be written.
    """
    path = os.path.join(session.config_dir, _KEY_FILE)
    try:
        data = read_optional(path)
        if data is None and not make:
            return ""
        if data is None:
            _make_key(path)
            data = read_optional(path) or b""
    except OSError as error:
        raise store_error(error, path) from error
    if len(data) < _SECRET_HEX:
        raise StoreError(f"{path} is damaged.", hint="Remove it; what is open has to be proposed again.", path=path)
    return data.decode("ascii", "replace").strip()


def _make_key(path: str) -> None:
    """Make the key's file whole or not at all; of several processes the first one's counts for all."""
    temporary = f"{path}.{os.urandom(8).hex()}.tmp"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_durable(temporary, os.urandom(_SECRET_HEX // 2).hex().encode(), 0o600)
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:  # no hard links here
        replace(temporary, path)
        return
    os.unlink(temporary)
