"""Approvals that outlive a process: a proposal gets a token, a human approves, it is redeemed once (C38 to C48)."""

from __future__ import annotations

import os
import time

from engram.errors import RefusedError, StoreError, UsageError
from engram.proposals.pending import FILE, LIFETIME_S, Book, Offered, Pending, Shown, hash_of, new_token, parse_book
from engram.proposals.verdicts import Verdict, normalise
from engram.record import Record
from engram.service.author import author_of
from engram.service.batches import Batch, Outcome, Part, apply_batch, deferral, effect_of
from engram.service.planning import Planned
from engram.store.files import digest, read_guarded, read_optional, store_error, write_durable
from engram.store.root import Stored
from engram.store.write import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engram.model import Scope
    from engram.proposals.candidates import Candidate
    from engram.service.session import Session
    from engram.store.root import MemoryRoot
    from engram.store.write import Receipt, RootWriter

__all__ = [
    "Offer",
    "OpenApproval",
    "decline",
    "decline_token",
    "declined_before",
    "home_of",
    "offer",
    "open_approvals",
    "peek",
    "prints_of",
    "read_book",
    "receipt_of",
    "redeem",
    "replaced_book",
    "selection",
    "spend",
    "take",
    "withdraw",
]

_KEY_FILE = "approval.key"
_SECRET_HEX = 64
_TOKEN_BYTES = 24  # 192 bits; C40 asks for 128


class Offer(Record):
    """An open approval as the one who proposed it gets it: the token is nowhere else."""

    token: str
    expires: int


class OpenApproval(Record):
    """One approval that waits for a human, or waited too long, and the root that keeps it."""

    root: MemoryRoot
    pending: Pending
    expired: bool


def selection(approve: object, count: int) -> list[int]:
    """Return the candidate numbers that ``approve`` selects (C27, C38).

    Args:
        approve: ``"all"``, ``"1,3"`` or a list of integers.
        count: how many candidates there are.

    Raises:
        UsageError: for anything else; the token stays usable.
    """
    wrong = f'approve is "all" or numbers from 1 to {count}, such as "1,3", each once.'
    if approve == "all":
        return list(range(1, count + 1))
    if isinstance(approve, str):
        parts = [part.strip() for part in approve.split(",")]
        if not all(part.isascii() and part.isdecimal() and len(part) < 6 for part in parts):
            raise UsageError(wrong)
        numbers = [int(part) for part in parts]
    elif isinstance(approve, list) and all(type(one) is int for one in approve):
        numbers = list(approve)
    else:
        raise UsageError(wrong)
    if not numbers or len(set(numbers)) != len(numbers) or not all(1 <= one <= count for one in numbers):
        raise UsageError(wrong)
    return numbers


def offer(session: Session, batch: Batch, *, kind: str = "proposal", extra: dict[str, str] | None = None) -> Offer:
    """Open an approval for a batch as it was shown; an open one of the same candidates gives way to it (C40, C48).

    Raises:
        StoreError: when it cannot be kept.
    """
    home = home_of(session)
    now = time.time()
    token = new_token(os.urandom(_TOKEN_BYTES), home.path)
    pending = Pending(
        hash=hash_of(token),
        kind=kind,
        workspace=home.path,
        proposal=_known_as(home, batch, kind),
        created=int(now),
        expires=int(now) + LIFETIME_S,
        day=batch.day,
        offered=tuple(
            Offered(
                part.candidate,
                tuple(
                    Shown(one.scope, one.verdict.word, one.verdict.id, one.id, effect_of(one)) for one in part.planned
                ),
            )
            for part in batch.parts
        ),
        extra=extra or {},
    ).sealed(token, _secret(session))
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        book.add(pending, now)
        writer.put([replaced_book(book, old, now)], "open an approval")
    return Offer(token, pending.expires)


def redeem(session: Session, token: str, approve: object, *, way: str, scope: str = "") -> list[Outcome]:
    """Write what a human approved of an open approval; its token is good for this once (C38 to C44).

    Args:
        session: where one is.
        token: as ``offer`` gave it.
        approve: as ``selection`` takes it.
        way: how it was approved, for the changelog: ``token`` or ``dialog``.
        scope: narrows a proposal for both scopes to one of them; a scope that was not shown is refused (C46).

    Returns:
        What became of each selected candidate in each scope, each judged against the memory as it is now (A1).

    Raises:
        RefusedError: for a token that cannot be redeemed; nothing was written.
        UsageError: for a selection that selects nothing; nothing was written, the token stays usable.
        StoreError: nothing was written, the token stays usable.
    """
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        pending = book.find(token, home.path, _secret(session), now)
        if pending.kind != "proposal":
            raise RefusedError("This token approves a note, not memories.", hint="Give it to the tool that made it.")
        numbers = selection(approve, len(pending.offered))
        batch, approved = _again(session, pending, scope)
        book.end([pending], "used", now)
        ended = replaced_book(book, old, now)
        return spend(session, batch, numbers, writer=writer, ended=ended, way=way, approved=approved)


def spend(
    session: Session,
    batch: Batch,
    numbers: Sequence[int],
    *,
    writer: RootWriter,
    ended: Write,
    way: str,
    note: str = "",
    approved: Mapping[tuple[int, Scope], str] | None = None,
    defer: Callable[[Candidate, Planned], str] = deferral,
) -> list[Outcome]:
    """Write approved candidates, and with them the end of their approval: neither happens without the other.

    ``writer`` is the lock of the root that keeps the approval, ``ended`` the change to its file which ends it; the rest
    is as for ``apply_batch``.
    """
    scopes = {planned.scope for part in batch.parts if part.number in numbers for planned in part.planned}
    if any(session.root(scope).path == writer.root for scope in scopes):
        beside = [ended]
    else:
        # The other root has a lock and a journal of its own: here the token is gone before anything is written.
        beside = []
        writer.put([ended], "redeem an approval")
    return apply_batch(
        session,
        batch,
        numbers,
        way=way,
        note=note,
        approved=approved,
        defer=defer,
        writer=writer,
        beside=beside,
    )


def peek(session: Session, token: str) -> Pending:
    """Return the open approval of a token without redeeming it.

    Raises:
        RefusedError: for a token that cannot be redeemed (C44).
    """
    home = home_of(session)
    book, _ = read_book(home.path)
    return book.find(token, home.path, _secret(session), time.time())


def withdraw(session: Session, token: str) -> None:
    """End an open approval that nobody can give any more; nobody declined it."""
    _end(session, token, "revoked")


def decline_token(session: Session, token: str) -> None:
    """Revoke an approval that a human declined at the last moment, by its token (C43a)."""
    _end(session, token, "declined")


def _end(session: Session, token: str, why: str) -> None:
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        mine = [one for one in book.pending if one.hash == hash_of(token)]
        same = {one.proposal for one in mine} if why == "declined" else set()
        book.end([one for one in book.pending if one in mine or one.proposal in same], why, now)
        if why == "declined":
            candidates = [offered.candidate for one in mine for offered in one.offered]
            book.decline([book.fingerprint(one, normalise(one.text)) for one in candidates], now)
        writer.put([replaced_book(book, old, now)], "end an approval")


def receipt_of(session: Session, scope: Scope, receipt: Receipt) -> dict[str, object]:
    """Return what is on disk after a write as plain data: file, revision, hash."""
    root = session.root(scope)
    stored = root.read(receipt.path)
    return {
        "file": receipt.path,
        "revision": stored.memory.revision if isinstance(stored, Stored) else 0,
        "sha256": receipt.hash,
    }


def take(session: Session, token: str, kind: str, use: Callable[[RootWriter, Pending, Write], None]) -> None:
    """Redeem an approval of another kind: ``use`` writes, with the entry's end in the same transaction.

    Raises:
        RefusedError: for a token that cannot be redeemed, or is of another kind.
    """
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        pending = book.find(token, home.path, _secret(session), now)
        if pending.kind != kind:
            raise RefusedError(f"This token approves a {pending.kind}, not a {kind}.")
        book.end([pending], "used", now)
        use(writer, pending, replaced_book(book, old, now))


def decline(session: Session, batch: Batch, *, kind: str = "proposal") -> None:
    """Revoke every open approval of the same candidates, and remember for 30 days that they were declined (C48)."""
    home = home_of(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        known_as = _known_as(home, batch, kind)
        book.end([one for one in book.pending if one.proposal == known_as], "declined", now)
        book.decline(prints_of(book, batch), now)
        writer.put([replaced_book(book, old, now)], "decline a proposal")


def declined_before(session: Session, batch: Batch) -> str:
    """Return the day on which one of these texts was declined, once: the next call for them gives ``""`` (C48)."""
    home = home_of(session)
    if read_optional(os.path.join(home.path, FILE)) is None:
        return ""
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = read_book(home.path)
        at = book.declined_since(prints_of(book, batch), now)
        if not at:
            return ""
        writer.put([replaced_book(book, old, now)], "say that it was declined")
    return time.strftime("%Y-%m-%d", time.localtime(at))


def open_approvals(root: MemoryRoot) -> list[OpenApproval]:
    """Return what waits in a root for a human's approval, the expired too (A4).

    Raises:
        FormatError: when the file cannot be read.
    """
    now = time.time()
    return [OpenApproval(root, one, one.is_over(now)) for one in read_book(root.path)[0].pending]


def _again(session: Session, pending: Pending, scope: str) -> tuple[Batch, dict[tuple[int, Scope], str]]:
    """Return the batch to be judged again while it is written, and what was shown of it by number and scope.

    Raises:
        UsageError: for a scope that was not shown.
    """
    shown = {
        (number, one.scope): one.effect
        for number, offered in enumerate(pending.offered, 1)
        for one in offered.shown
        if scope in {"", "both", one.scope}
    }
    if scope and not shown:
        raise UsageError(f"This was not proposed for {scope} memory.", hint="A scope can be narrowed, never widened.")
    parts = []
    for number, offered in enumerate(pending.offered, 1):
        kind = offered.candidate.type or "knowledge"
        planned = [
            Planned(one.scope, Verdict(one.verdict, one.target), one.id, kind, one.id, (), "", "")
            for one in offered.shown
            if (number, one.scope) in shown
        ]
        parts.append(Part(number, offered.candidate, tuple(planned)))
    return Batch(tuple(parts), author_of(session), (), pending.day), shown


def home_of(session: Session) -> MemoryRoot:
    """Return the root whose file keeps new approvals: the workspace's, else the global one (F1)."""
    return session.require_roots()[0]


def _known_as(home: MemoryRoot, batch: Batch, kind: str) -> str:
    """Return what a proposal is known by: workspace and candidates, whatever the memory looks like (C48)."""
    parts = [repr(sorted(part.candidate.replace(line=1).as_dict().items())) for part in batch.parts]
    return hash_of("\0".join([kind, home.path, *parts]))


def prints_of(book: Book, batch: Batch) -> list[str]:
    """Return what the texts of a batch are remembered by when they are declined."""
    return [book.fingerprint(part.candidate, normalise(part.candidate.text)) for part in batch.parts]


def read_book(root: str) -> tuple[Book, bytes | None]:
    """Return the book and the bytes that it was read from; a file that is missing means that nothing is open (C41)."""
    try:
        data = read_guarded(root, FILE)
    except FileNotFoundError:
        return Book({"salt": os.urandom(16).hex()}), None
    return parse_book(data.decode("utf-8", "replace")), data


def replaced_book(book: Book, old: bytes | None, now: float) -> Write:
    """Return the change that writes a book, over the bytes that it was read from."""
    return Write(FILE, "" if old is None else digest(old), book.text(now).encode("utf-8", "replace"))


def _secret(session: Session) -> str:
    """Return this machine's secret, which a clone cannot bring; it is made when it is first needed.

    Raises:
        StoreError: when the user's configuration folder cannot be written.
    """
    path = os.path.join(session.config_dir, _KEY_FILE)
    data = read_optional(path)
    if data is None:
        temporary = f"{path}.{os.getpid()}.tmp"
        try:
            os.makedirs(session.config_dir, exist_ok=True)
            write_durable(temporary, os.urandom(32).hex().encode(), 0o600)
            try:
                os.link(temporary, path)  # of two processes the first one's counts for both
            except FileExistsError:
                pass
            finally:
                os.unlink(temporary)
        except OSError as error:
            raise store_error(error, path) from error
        data = read_optional(path) or b""
    if len(data) < _SECRET_HEX:
        raise StoreError(f"{path} is damaged.", hint="Remove it; what is open has to be proposed again.", path=path)
    return data.decode("ascii", "replace").strip()
