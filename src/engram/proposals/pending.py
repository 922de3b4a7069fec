"""Open approvals: what was shown to a human and may still be approved, once, for half an hour (C40, C41, C44, C48).

``pending-approvals.json`` holds the candidates as readable JSON and of a token only its SHA-256. Each entry is sealed
with a secret that never leaves this machine: whoever edits a candidate, or brings a whole file with a clone, cannot
make the seal. What is not whole is shown nowhere. Nothing here reads a clock or a random source; the caller gives both.
"""

from __future__ import annotations

from engram.errors import FormatError, RefusedError
from engram.proposals.candidates import candidate_fields, candidate_of_fields
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from engram.model import Scope, VerdictWord
    from engram.proposals.candidates import Candidate

__all__ = [
    "ASKED", "EXPIRED", "FILE", "LIFETIME_S", "WHY_EXPIRED", "Book", "Offered", "Pending", "Shown", "count_open",
    "hash_of",
    "new_token", "parse_book",
]  # fmt: skip

FILE = "pending-approvals.json"
LIFETIME_S = 30 * 60
ASKED = "asked"
EXPIRED = "expired"
WHY_EXPIRED = "This approval expired: it was good for 30 minutes; nothing was written."
# How long it is remembered that a token was used or an approval declined.
REMEMBERED_S = 30 * 24 * 3600
# A clock that was set back by more than this since the proposal was made tells nothing about its age.
_CLOCK_SLACK_S = 60
_VERSION = 1
_WHY = {
    "used": "This approval was used already; nothing was written again.",
    "declined": "approval was declined in the approval dialog",
    "invalid": "This approval was revoked: the dialog brought an answer that its form cannot give.",
    "revoked": "This approval was revoked: the same was proposed again, or nobody can give it any more.",
    "changed": f"The candidates in {FILE} were changed after they were shown; nothing was written.",
}
_HEX = frozenset("0123456789abcdef")
_HASH_LENGTH = 64
_LAST_MOMENT = 1 << 40  # seconds; a calendar ends long before that


class Shown(Record):
    """What was shown of one candidate in one scope.

    Attributes:
        scope: ``workspace`` or ``global``.
        verdict: the word of C42.
        target: the memory that it touches, ``""`` for none.
        id: the id of the memory that it makes or changes.
        effect: the SHA-256 of everything that approving it would write.
        deferred: why it would wait in the inbox instead of being written (C39), ``""`` where it would be written.
    """

    scope: Scope
    verdict: VerdictWord
    target: str
    id: str
    effect: str
    deferred: str = ""


class Offered(Record):
    """One candidate of an open approval, and what was shown of it in each scope."""

    candidate: Candidate
    shown: tuple[Shown, ...]


class Pending(Record):
    """One open approval.

    Attributes:
        hash: the SHA-256 of its token.
        kind: ``proposal`` or ``note``.
        workspace: the memory root that it is bound to.
        proposal: what it is known by, whatever its token (C48).
        created, expires: seconds since the epoch.
        day, author_name, author_email: what the previews were made with.
        offered: the candidates in the order of their numbers, which count from 1.
        extra: what else the operation needs, such as a note's objective; ``asked`` of one whose token nobody got,
            because a dialog asks: when its time is over it leaves nothing behind (C49); ``expired`` of one whose token
            was refused for its age.
        seal: over all of this (C41).
    """

    hash: str
    kind: str
    workspace: str
    proposal: str
    created: int
    expires: int
    day: str
    author_name: str
    author_email: str
    offered: tuple[Offered, ...]
    extra: dict[str, str]
    seal: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data, in the shape of the file."""
        data = self.as_dict()
        data["offered"] = [
            {"candidate": candidate_fields(one.candidate), "shown": [shown.as_dict() for shown in one.shown]}
            for one in self.offered
        ]
        return data

    def sealed(self, secret: str) -> Pending:
        """Return it with its seal, which this machine's secret makes."""
        return self.replace(seal=self._mac(secret))

    def is_whole(self, secret: str) -> bool:
        """Tell whether nobody changed it since it was sealed on this machine."""
        from hmac import compare_digest

        return bool(secret) and compare_digest(self.seal, self._mac(secret))

    @property
    def asked(self) -> bool:
        """Whether a dialog of a host asks for it, so that nobody has its token."""
        return ASKED in self.extra

    def is_over(self, now: float) -> bool:
        """Tell whether its half hour is over, by a clock that may have been set (C40)."""
        return EXPIRED in self.extra or _is_over(self.created, self.expires, now)

    def expired(self, secret: str) -> Pending:
        """Return it marked as one that was seen expired: a clock that goes back does not bring it to life."""
        return self.replace(extra={**self.extra, EXPIRED: "yes"}).sealed(secret)

    def _mac(self, secret: str) -> str:
        from hmac import new

        data = self.as_data()
        del data["seal"]
        return new(secret.encode(), _json(data).encode("utf-8", "surrogatepass"), "sha256").hexdigest()


class Book:
    """The file: what is open, what ended, and what was declined lately; ``text`` gives it back."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.pending: list[Pending] = [_pending(row) for row in _rows(data, "pending")]
        self.ended: list[dict[str, Any]] = [
            {"hash": _hash(row["hash"]), "why": _text(row["why"]), "at": _time(row["at"]), "of": _text(row["of"])}
            for row in _rows(data, "ended")
        ]
        self.declined: list[dict[str, Any]] = [
            {"print": _hash(row["print"]), "at": _time(row["at"]), "said": row["said"] is True}
            for row in _rows(data, "declined")
        ]
        self.salt = _text(data["salt"])

    def text(self, now: float) -> str:
        """Return the file's text, without what nobody needs to remember any more."""
        since = now - REMEMBERED_S
        kept = [one for one in self.pending if one.expires > (now if one.asked else since)]
        return (
            _json(
                {
                    "about": "Open approvals of Engram. Not meant to be edited: a changed candidate is refused.",
                    "version": _VERSION,
                    "salt": self.salt,
                    "pending": [one.as_data() for one in kept],
                    "ended": [row for row in self.ended if row["at"] > since],
                    "declined": [row for row in self.declined if row["at"] > since],
                },
                indent=2,
            )
            + "\n"
        )

    def add(self, pending: Pending, now: float) -> None:
        """Open an approval; an open one of the same proposal gives way to it (C48)."""
        self.end([one for one in self.pending if one.proposal == pending.proposal], "revoked", now)
        self.pending.append(pending)

    def end(self, some: list[Pending], why: str, now: float) -> None:
        """End approvals: ``used``, ``declined``, ``invalid``, ``revoked`` or ``changed``."""
        hashes = {one.hash for one in some}
        self.pending = [one for one in self.pending if one.hash not in hashes]
        self.ended += [{"hash": one.hash, "why": why, "at": int(now), "of": one.proposal} for one in some]

    def end_all(self, proposals: set[str], why: str, now: float) -> None:
        """End every approval of some proposals; a token that had given way to a newer one says why, too (C48)."""
        self.end([one for one in self.pending if one.proposal in proposals], why, now)
        for row in self.ended:
            if row["of"] in proposals and row["why"] == "revoked":
                row["why"] = why

    def drop_changed(self, secret: str, now: float) -> None:
        """End what somebody changed, or brought from elsewhere."""
        self.end([one for one in self.pending if not one.is_whole(secret)], "changed", now)

    def find(self, token: str, workspace: str, secret: str, now: float) -> Pending:
        """Return the open approval of a token. All of the file is compared, whatever matches (C44).

        Raises:
            RefusedError: for a token that is unknown, used, revoked, expired, of another workspace, or whose candidates
                were changed.
        """
        from hmac import compare_digest

        wanted = hash_of(token)
        found = ended = None
        for one in self.pending:
            if compare_digest(one.hash, wanted):
                found = one
        for row in self.ended:
            if compare_digest(row["hash"], wanted):
                ended = row
        again = "Propose the memory again, and show it to the human."
        if ended is not None:
            raise RefusedError(_WHY.get(ended["why"], _WHY["used"]), hint=again)
        if found is None:
            elsewhere = _mark_in(token) and _mark_in(token) != _mark_of(workspace)
            raise RefusedError(
                "This approval token is of another workspace; nothing was written."
                if elsewhere
                else "This approval token is unknown; nothing was written.",
                hint=again,
            )
        if not found.is_whole(secret):
            raise RefusedError(_WHY["changed"], hint=again)
        if found.workspace != workspace:
            raise RefusedError("This approval is of another workspace; nothing was written.", hint=again)
        if found.is_over(now):
            raise RefusedError(WHY_EXPIRED, hint=again)
        return found

    def decline(self, prints: list[str], now: float) -> None:
        """Remember for 30 days what a human declined or rejected, by salted fingerprints (C48)."""
        self.declined = [row for row in self.declined if row["print"] not in prints]
        self.declined += [{"print": one, "at": int(now), "said": False} for one in prints]

    def declined_since(self, prints: list[str], now: float) -> int:
        """Return when one of some texts was declined, once for each: 0 where that was said before, or never (C48)."""
        at = 0
        for row in self.declined:
            if row["print"] in prints and not row["said"] and now - row["at"] < REMEMBERED_S:
                row["said"] = True
                at = max(at, row["at"])
        return at

    def fingerprint(self, candidate: Candidate, normalised: str) -> str:
        """Return what a declined text is remembered by; the text cannot be read off it."""
        return hash_of(f"{self.salt}:{candidate.update}:{candidate.supersedes}:{normalised}")


def parse_book(text: str) -> Book:
    """Return the book of a file's text.

    Raises:
        FormatError: for what is no such file; nothing in it can be approved then.
    """
    from json import loads

    try:
        data = loads(text)
        if data["version"] == _VERSION:
            return Book(data)
        reason = f"its version is {data['version']!r}"
    except KeyError as error:
        reason = f"{error} is missing"
    except ValueError as error:
        reason = str(error) if text.strip() else "it is empty"
    except (TypeError, AttributeError, RecursionError):
        reason = "it does not have the shape that Engram writes"
    raise FormatError(
        f"{FILE} cannot be read: {reason}.",
        hint=f"Take {FILE} away and propose again; no memory is in it.",
        path=FILE,
    )


def count_open(data: bytes, workspace: str, now: float) -> tuple[int, int, int]:
    """Return how many approvals of a file's bytes are open, expired, or asked in a dialog, by their dates alone.

    What a dialog asks waits for its answer there, and leaves nothing behind when its time is over (C49): it is open and
    expired in no count.

    Raises:
        ValueError: for what is no such file.
    """
    from json import loads

    try:
        book = loads(data)
        rows = [row for row in _rows(book, "pending") if row["workspace"] == workspace]
        over = [
            (
                EXPIRED in row["extra"] or _is_over(_time(row["created"]), _time(row["expires"]), now),
                ASKED in row["extra"],
            )
            for row in rows
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    plain = [ended for ended, asked in over if not asked]
    return plain.count(False), plain.count(True), sum(asked and not ended for ended, asked in over)


def _is_over(created: int, expires: int, now: float) -> bool:
    return not created - _CLOCK_SLACK_S <= now < expires


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text in lower-case hex."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def new_token(random: bytes, workspace: str) -> str:
    """Return a token of random bytes, which says which workspace it is of without naming it."""
    return f"{_mark_of(workspace)}-{random.hex()}"


def _mark_in(token: str) -> str:
    """Return the part of a token that says which workspace it is of."""
    mark, dash, rest = token.partition("-")
    return mark if dash and rest else ""


def _mark_of(workspace: str) -> str:
    return hash_of(workspace)[:8]


def _rows(data: Mapping[str, Any], name: str) -> list[Any]:
    rows = data.get(name, [])
    if not isinstance(rows, list):
        raise ValueError(f"{name} is no list")  # noqa: TRY004 (what a person reads, beside the faults of JSON)
    return rows


def _pending(row: Mapping[str, Any]) -> Pending:
    _check_names(row, Pending)
    offered = tuple(
        Offered(candidate_of_fields(one["candidate"]), tuple(_shown(shown) for shown in one["shown"]))
        for one in row["offered"]
    )
    extra = {str(key): _text(value) for key, value in row["extra"].items()}
    checked: dict[str, Callable[[object], object]] = {"hash": _hash, "seal": _hash, "created": _time, "expires": _time}
    rest: dict[str, Any] = {
        name: checked.get(name, _text)(row[name]) for name in row if name not in {"offered", "extra"}
    }
    return Pending(**rest, offered=offered, extra=extra)


def _shown(row: Mapping[str, Any]) -> Shown:
    _check_names(row, Shown)
    values: dict[str, Any] = {name: _text(value) for name, value in row.items()}
    return Shown(**values)


def _check_names(row: Mapping[str, Any], kind: type[Record]) -> None:
    if set(row) != set(kind.__annotations__):
        raise ValueError(f"the fields of an entry are not {', '.join(kind.__annotations__)}")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.60} is no text")  # noqa: TRY004
    return value


def _hash(value: object) -> str:
    text = _text(value)
    if len(text) != _HASH_LENGTH or not _HEX.issuperset(text):
        raise ValueError(f"{text!r:.60} is no hash")
    return text


def _time(value: object) -> int:
    if type(value) is not int or abs(value) > _LAST_MOMENT:
        raise ValueError(f"{value!r:.60} is no moment")
    return value


def _json(data: object, indent: int | None = None) -> str:
    from json import dumps

    return dumps(data, ensure_ascii=False, indent=indent, sort_keys=True)
