"""Approvals that outlive a process: a proposal gets a token, a human approves, it is redeemed once (C38 to C48)."""

from __future__ import annotations

import os
import time

from engram.config.author import Author
from engram.errors import FormatError, RefusedError, StoreError, UsageError
from engram.proposals.pending import FILE, LIFETIME_S, Book, Offered, Pending, Shown, hash_of, new_token, parse_book
from engram.proposals.verdicts import Verdict, normalise
from engram.record import Record
from engram.service.batches import Batch, Outcome, Part, apply_batch, deferral, effect_of
from engram.service.planning import Planned
from engram.store.files import digest, read_error, read_guarded, read_optional, store_error, write_durable
from engram.store.root import Stored
from engram.store.write import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
    "hand_out",
    "offer",
    "open_approvals",
    "peek",
    "receipt_of",
    "redeem",
    "selection",
    "take",
    "withdraw",
]

_KEY_FILE = "approval.key"
_SECRET_HEX = 64
_TOKEN_BYTES = 24  # 192 bits; C40 asks for 128
# The file holds texts of many candidates, each as long as a memory may be.
_MOST_BYTES = 64 * 1024 * 1024
# Beside the key: which tokens ended, so that an older copy of the file in a workspace brings none of them back.
_ENDED_FOLDER = "approvals-ended"
_ENDED_S = 24 * 3600  # by then the token expired by far


class Offer(Record):
    """An open approval as the one who proposed it gets it: the token is nowhere else."""

    token: str
    expires: int


class OpenApproval(Record):
    """One approval that waits for a human, or waited too long."""

    kind: str
    candidates: int
    titles: tuple[str, ...]
    created: int
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


def offer(
    session: Session, batch: Batch, *, kind: str = "proposal", extra: dict[str, str] | None = None, asked: bool = False
) -> Offer:
    """Open an approval for a batch as it was shown; an open one of the same candidates gives way to it (C40, C48).

    Args:
        session: where one is.
        batch: as it was shown.
        kind: ``proposal`` or ``note``.
        extra: what else the operation needs.
        asked: a dialog asks, so that nobody gets the token before ``hand_out``.

    Raises:
        StoreError: when it cannot be kept.
    """
    home = _home(session)
    now = time.time()
    token = new_token(os.urandom(_TOKEN_BYTES), home.path)
    secret = _secret(session)
    pending = Pending(
        hash=hash_of(token),
        kind=kind,
        workspace=home.path,
        proposal=_known_as(home, batch, kind),
        created=int(now),
        expires=int(now) + LIFETIME_S,
        day=batch.day,
        author_name=batch.author.name,
        author_email=batch.author.email,
        offered=tuple(
            Offered(part.candidate, tuple(_shown(part.candidate, planned) for planned in part.planned))
            for part in batch.parts
        ),
        extra={**(extra or {}), **({"asked": "dialog"} if asked else {})},
    ).sealed(secret)
    with session.writer(home.path) as writer:
        book, old = _read(home.path)
        book.drop_changed(secret, now)
        book.add(pending, now)
        writer.put([_replaced(book, old, now)], "open an approval")
    return Offer(token, pending.expires)


def hand_out(session: Session, token: str) -> None:
    """Note that the agent gets this token after all: its dialog brought no answer (C49).

    Raises:
        RefusedError: for a token that cannot be redeemed any more.
    """
    home = _home(session)
    now = time.time()
    secret = _secret(session)
    with session.writer(home.path) as writer:
        book, old = _read(home.path)
        pending = _found(session, book, token, home, secret)
        extra = {name: value for name, value in pending.extra.items() if name != "asked"}
        book.pending = [one for one in book.pending if one.hash != pending.hash]
        book.pending.append(pending.replace(extra=extra).sealed(secret))
        writer.put([_replaced(book, old, now)], "hand out an approval")


def redeem(session: Session, token: str, approve: object, *, way: str, scope: str = "") -> list[Outcome]:
    """Write what a human approved of an open approval; its token is good for this once (C38 to C44).

    Args:
        session: where one is.
        token: as ``offer`` gave it.
        approve: as ``selection`` takes it.
        way: how it was approved, for the changelog: ``token`` or ``dialog``. A dialog has no box for what would be
            deferred (C46), so that goes to the inbox, whatever became of its reason.
        scope: narrows a proposal for both scopes to one of them; a scope that was not shown is refused (C46).

    Returns:
        What became of each selected candidate in each scope, each judged against the memory as it is now (A1).

    Raises:
        RefusedError: for a token that cannot be redeemed; nothing was written.
        UsageError: for a selection that selects nothing; nothing was written, the token stays usable.
        StoreError: nothing was written.
    """
    home = _home(session)
    now = time.time()
    secret = _secret(session)
    with session.writer(home.path) as writer:
        book, old = _read(home.path)
        pending = _found(session, book, token, home, secret)
        if pending.kind != "proposal":
            raise RefusedError("This token approves a note, not memories.", hint="Give it to the tool that made it.")
        numbers = selection(approve, len(pending.offered))
        batch, approved = _again(pending, scope)
        book.end([pending], "used", now)
        book.drop_changed(secret, now)
        ended = _replaced(book, old, now)
        scopes = {planned.scope for part in batch.parts if part.number in numbers for planned in part.planned}
        if home.scope in scopes:
            beside = [ended]
        else:
            # The other root has a lock and a journal of its own: here the token is gone before anything is written.
            beside = []
            writer.put([ended], "redeem an approval")
        outcomes = apply_batch(
            session,
            batch,
            numbers,
            way=way,
            approved=approved,
            waiting=_without_box(pending) if way == "dialog" else {},
            writer=writer,
            beside=beside,
        )
        _remember_end(session, pending)
    left = [
        Outcome(
            _planned(offered, offered.shown[0]),
            done=False,
            reason=f"it was proposed for {offered.shown[0].scope} memory, and {scope} was chosen",
            number=number,
        )
        for number, offered in enumerate(pending.offered, 1)
        if number in numbers and not batch.parts[number - 1].planned
    ]
    return sorted([*outcomes, *left], key=lambda outcome: outcome.number)


def peek(session: Session, token: str) -> Pending:
    """Return the open approval of a token without redeeming it.

    Raises:
        RefusedError: for a token that cannot be redeemed (C44).
    """
    home = _home(session)
    book, _ = _read(home.path)
    return _found(session, book, token, home, _secret(session))


def withdraw(session: Session, token: str) -> None:
    """End an open approval that nobody can give any more; nobody declined it."""
    _end(session, token, "revoked")


def decline_token(session: Session, token: str, *, why: str = "declined") -> None:
    """Revoke an approval that a human declined at the last moment, by its token (C43a)."""
    _end(session, token, why)


def _end(session: Session, token: str, why: str) -> None:
    home = _home(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = _read(home.path)
        mine = [one for one in book.pending if one.hash == hash_of(token)]
        if why == "revoked":
            book.end(mine, why, now)
        else:
            book.end_all({one.proposal for one in mine}, why, now)
        if why == "declined":
            candidates = [offered.candidate for one in mine for offered in one.offered]
            book.decline([book.fingerprint(one, normalise(one.text)) for one in candidates], now)
        writer.put([_replaced(book, old, now)], "end an approval")
        for one in mine:
            _remember_end(session, one)


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
    home = _home(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = _read(home.path)
        pending = _found(session, book, token, home, _secret(session))
        if pending.kind != kind:
            raise RefusedError(f"This token approves a {pending.kind}, not a {kind}.")
        book.end([pending], "used", now)
        use(writer, pending, _replaced(book, old, now))
        _remember_end(session, pending)


def decline(session: Session, batch: Batch, *, kind: str = "proposal", why: str = "declined") -> None:
    """Revoke every open approval of the same candidates, and remember for 30 days that they were declined (C48).

    Args:
        session: where one is.
        batch: as it was shown.
        kind: as ``offer`` got it.
        why: ``invalid`` for an answer that nobody can give; then nobody said no, and nothing is remembered.
    """
    home = _home(session)
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = _read(home.path)
        known_as = _known_as(home, batch, kind)
        mine = [one for one in book.pending if one.proposal == known_as]
        book.end_all({known_as}, why, now)
        if why == "declined":
            book.decline(_prints(book, batch), now)
        writer.put([_replaced(book, old, now)], "decline a proposal")
        for one in mine:
            _remember_end(session, one)


def declined_before(session: Session, batch: Batch) -> str:
    """Return the day on which one of these texts was declined, once: the next call for them gives ``""`` (C48)."""
    home = _home(session)
    if read_optional(os.path.join(home.path, FILE)) is None:
        return ""
    now = time.time()
    with session.writer(home.path) as writer:
        book, old = _read(home.path)
        at = book.declined_since(_prints(book, batch), now)
        if not at:
            return ""
        writer.put([_replaced(book, old, now)], "say that it was declined")
    return time.strftime("%Y-%m-%d", time.localtime(at))


def open_approvals(session: Session) -> list[OpenApproval]:
    """Return what waits for a human's approval, the expired too (A4); nothing that was not proposed on this machine.

    Raises:
        FormatError: when the file cannot be read.
    """
    if not session.roots:
        return []
    now = time.time()
    home = _home(session).path
    book, old = _read(home)
    secret = "" if old is None else _secret(session, make=False)
    return [
        OpenApproval(
            kind=one.kind,
            candidates=len(one.offered),
            titles=tuple(offered.shown[0].id for offered in one.offered if offered.shown),
            created=one.created,
            expired=one.is_over(now),
        )
        for one in book.pending
        if one.is_whole(secret) and one.workspace == home and not ("asked" in one.extra and one.is_over(now))
    ]


def _found(session: Session, book: Book, token: str, home: MemoryRoot, secret: str) -> Pending:
    """Return the open approval of a token, which must not have ended: an older copy of the file does not know."""
    pending = book.find(token, home.path, secret, time.time())
    if os.path.lexists(os.path.join(session.config_dir, _ENDED_FOLDER, pending.hash)):
        raise RefusedError(
            f"This approval has ended, and an older {FILE} was put back; nothing was written.",
            hint="Propose the memory again, and show it to the human.",
        )
    return pending


def _remember_end(session: Session, pending: Pending) -> None:
    """Keep in the user's own folder that a token ended, for as long as its expiry may be in doubt."""
    folder = os.path.join(session.config_dir, _ENDED_FOLDER)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, pending.hash), "wb"):
            pass
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.stat(path).st_mtime < time.time() - _ENDED_S:
                os.unlink(path)
    except FileNotFoundError:
        pass  # another process took an old one away
    except OSError as error:
        session.say("warning", "not_remembered", f"{store_error(error, folder).message} What was saved is saved.")


def _shown(candidate: Candidate, planned: Planned) -> Shown:
    verdict = planned.verdict
    return Shown(planned.scope, verdict.word, verdict.id, planned.id, effect_of(planned), deferral(candidate, planned))


def _planned(offered: Offered, shown: Shown) -> Planned:
    """Return what was shown, as a plan without bytes: it is judged again before anything is written."""
    kind = offered.candidate.type or "knowledge"
    return Planned(shown.scope, Verdict(shown.verdict, shown.target), shown.id, kind, shown.id, (), "", "")


def _without_box(pending: Pending) -> dict[tuple[int, Scope], str]:
    """Return the reasons of what a dialog could not be asked about, by number and scope (C46)."""
    return {
        (number, shown.scope): shown.deferred
        for number, offered in enumerate(pending.offered, 1)
        for shown in offered.shown
        if shown.deferred
    }


def _again(pending: Pending, scope: str) -> tuple[Batch, dict[tuple[int, Scope], str]]:
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
        planned = [_planned(offered, one) for one in offered.shown if (number, one.scope) in shown]
        parts.append(Part(number, offered.candidate, tuple(planned)))
    # The bytes that were shown name the author of then, whoever commits.
    author = Author(pending.author_name, pending.author_email, "account")
    return Batch(tuple(parts), author, (), pending.day), shown


def _home(session: Session) -> MemoryRoot:
    """Return the root whose file keeps the approvals: the workspace's, else the global one (F1)."""
    return session.require_roots()[0]


def _known_as(home: MemoryRoot, batch: Batch, kind: str) -> str:
    """Return what a proposal is known by: workspace and candidates, whatever the memory looks like (C48)."""
    parts = [repr(sorted(part.candidate.replace(line=1).as_dict().items())) for part in batch.parts]
    return hash_of("\0".join([kind, home.path, *parts]))


def _prints(book: Book, batch: Batch) -> list[str]:
    return [book.fingerprint(part.candidate, normalise(part.candidate.text)) for part in batch.parts]


def _read(root: str) -> tuple[Book, bytes | None]:
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


def _replaced(book: Book, old: bytes | None, now: float) -> Write:
    return Write(FILE, "" if old is None else digest(old), book.text(now).encode("utf-8", "replace"))


def _secret(session: Session, *, make: bool = True) -> str:
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
        os.replace(temporary, path)
        return
    os.unlink(temporary)
