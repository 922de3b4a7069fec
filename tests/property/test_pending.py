"""Open approvals and sealed states, with whatever somebody may make of them (C40, C41, C44, C48, C51, C52)."""

from __future__ import annotations

import json
import queue
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import FormatError, RefusedError, UsageError
from engram.mcp.dialogs import Answer, Dialogs, Question
from engram.mcp.kernel import Kernel
from engram.mcp.protocol import CAPABILITIES_KEY, MODERN, VERSION_KEY
from engram.mcp.registry import InputRequired, Registry, ToolResult
from engram.mcp.workers import Workers
from engram.proposals.candidates import Candidate
from engram.proposals.pending import LIFETIME_S, Book, Offered, Pending, Shown, hash_of, new_token, parse_book
from engram.service.approving import selection

if TYPE_CHECKING:
    from engram.mcp.call import Call

SECRET = "5" * 64
ROOT = "/home/ada/project/.agents/.engram"
NOW = 1_800_000_000
SALT = "5a17"
MUTATIONS = 10_000
DAY = 24 * 3600

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
candidates = st.builds(
    Candidate,
    type=st.sampled_from(["rule", "skill", "knowledge", ""]),
    text=words,
    title=words,
    triggers=st.lists(words, max_size=3).map(tuple),
)
shown = st.builds(
    Shown,
    scope=st.sampled_from(["workspace", "global"]),
    verdict=st.sampled_from(["ADD", "UPDATE", "SUPERSEDE", "NOOP"]),
    target=words,
    id=words,
    effect=words.map(hash_of),
    deferred=words,
)
offers = st.lists(st.builds(Offered, candidate=candidates, shown=st.lists(shown, max_size=2).map(tuple)), max_size=4)


def pending_of(token: str, offered: list[Offered], *, root: str = ROOT, proposal: str = "", now: int = NOW) -> Pending:
    """Return a sealed approval, as one is opened at ``now``."""
    return Pending(
        hash=hash_of(token),
        kind="proposal",
        workspace=root,
        proposal=proposal or hash_of(repr(offered)),
        created=now,
        expires=now + LIFETIME_S,
        day="2026-12-02",
        author_name="Ada Tester",
        author_email="ada@example.test",
        offered=tuple(offered),
        extra={},
    ).sealed(SECRET)


def book_of(*some: Pending) -> Book:
    """Return a book with these open approvals."""
    book = Book({"salt": SALT})
    for one in some:
        book.add(one, NOW)
    return book


TOKEN = new_token(b"\x01" * 24, ROOT)


@given(offers)
def test_a_book_says_the_same_when_it_is_read_again(offered: list[Offered]) -> None:  # C41
    pending = pending_of(TOKEN, offered)
    book = parse_book(book_of(pending).text(NOW))

    assert book.pending == [pending]
    assert book.find(TOKEN, ROOT, SECRET, NOW) == pending
    assert book.text(NOW) == book_of(pending).text(NOW)


@given(offers, st.integers(0, 1 << 30), st.text(st.characters(codec="utf-8"), max_size=3))
def test_a_changed_file_approves_nothing_but_what_was_shown(offered: list[Offered], place: int, put: str) -> None:
    # C41: whatever is put in whichever place
    pending = pending_of(TOKEN, offered)
    text = book_of(pending).text(NOW)
    at = place % len(text)
    changed = text[:at] + put + text[at + 1 :]
    try:
        found = parse_book(changed).find(TOKEN, ROOT, SECRET, NOW)
    except (FormatError, RefusedError):
        return
    assert found == pending


changes = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words, lambda inner: st.lists(inner, max_size=2)
)


@given(offers, st.sampled_from(sorted(Pending.__annotations__)), changes)
def test_a_changed_field_approves_nothing(offered: list[Offered], field: str, value: object) -> None:
    book = json.loads(book_of(pending_of(TOKEN, offered)).text(NOW))
    before = book["pending"][0][field]
    book["pending"][0][field] = value
    if value == before:
        return
    with pytest.raises((FormatError, RefusedError)):
        parse_book(json.dumps(book)).find(TOKEN, ROOT, SECRET, NOW)


@given(st.text(max_size=80))
def test_only_its_token_opens_an_approval(text: str) -> None:
    book = book_of(pending_of(TOKEN, []))
    if text == TOKEN:
        return
    with pytest.raises(RefusedError):
        book.find(text, ROOT, SECRET, NOW)


@given(st.integers(-(1 << 39), 1 << 39))
def test_a_token_is_good_for_half_an_hour_and_at_no_other_time(later: int) -> None:  # C40: a clock that jumps
    book = book_of(pending_of(TOKEN, []))
    if -60 <= later < LIFETIME_S:
        assert book.find(TOKEN, ROOT, SECRET, NOW + later)
        return
    with pytest.raises(RefusedError, match="expired"):
        book.find(TOKEN, ROOT, SECRET, NOW + later)


@given(st.sampled_from([("/other", SECRET), (ROOT + "/x", SECRET), (ROOT, "6" * 64), (ROOT, "")]))
def test_another_workspace_or_another_machine_approves_nothing(place: tuple[str, str]) -> None:
    book = book_of(pending_of(TOKEN, []))
    with pytest.raises(RefusedError):
        book.find(TOKEN, place[0], place[1], NOW)


@given(st.sampled_from(["used", "declined", "invalid", "revoked", "changed"]))
def test_what_ended_stays_ended_and_says_how(why: str) -> None:  # C44, C48
    pending = pending_of(TOKEN, [])
    book = book_of(pending)
    book.end([pending], why, NOW)
    said = set()
    for copy in (book, parse_book(book.text(NOW)), parse_book(book.text(NOW + 29 * DAY))):
        copy.add(pending, NOW)  # somebody put it in again
        with pytest.raises(RefusedError) as raised:
            copy.find(TOKEN, ROOT, SECRET, NOW)
        said.add(raised.value.message)
    assert len(said) == 1


def test_a_newer_token_of_the_same_proposal_revokes_the_older_and_a_decline_ends_both() -> None:  # C48
    tokens = [new_token(bytes([number]) * 24, ROOT) for number in range(3)]
    first, second, other = (
        pending_of(token, [], proposal=hash_of(of)) for token, of in zip(tokens, "aab", strict=True)
    )
    book = book_of(first, second, other)
    with pytest.raises(RefusedError, match="revoked"):
        book.find(tokens[0], ROOT, SECRET, NOW)
    assert book.find(tokens[1], ROOT, SECRET, NOW) == second
    book.end_all({second.proposal}, "declined", NOW)

    for token in tokens[:2]:
        with pytest.raises(RefusedError, match="approval was declined in the approval dialog"):
            book.find(token, ROOT, SECRET, NOW)
    assert book.find(tokens[2], ROOT, SECRET, NOW) == other


@given(words, st.integers(0, 40 * DAY))
def test_a_decline_is_said_once_within_thirty_days(text: str, later: int) -> None:  # C48
    book = Book({"salt": SALT})
    text = f"Never: {text}"  # digits alone may stand in the book's own numbers
    mark = book.fingerprint(Candidate(type="rule", text=text), text)
    book.decline([mark], NOW)
    book = parse_book(book.text(NOW))

    assert book.declined_since([mark], NOW + later) == (NOW if later < 30 * DAY else 0)
    assert book.declined_since([mark], NOW + later) == 0
    assert text not in book.text(NOW)


@given(
    st.one_of(
        st.text(st.sampled_from("0123456789, al-+ \n१٣"), max_size=8),
        st.lists(st.integers(-2, 7) | st.booleans() | st.floats(0, 5), max_size=4),
        changes,
    ),
    st.integers(1, 5),
)
def test_a_selection_selects_some_of_what_there_is_each_once_or_nothing(approve: object, count: int) -> None:  # C27
    try:
        numbers = selection(approve, count)
    except UsageError:
        return
    assert numbers
    assert len(set(numbers)) == len(numbers)
    assert all(type(number) is int and 1 <= number <= count for number in numbers)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_file_breaks_the_reader(data: bytes) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        parse_book(data.decode("utf-8", "replace"))


class Asking:
    """A server of one tool that asks, in this process: a real kernel and real dialogs."""

    def __init__(self) -> None:
        self.dialogs = Dialogs(on=True)
        self.answers: list[Answer] = []
        self.lines: queue.Queue[bytes] = queue.Queue()
        registry = Registry("asking", "1")
        registry.tool("ask", self._ask, description="Ask.", properties={"text": {"type": "string"}})
        self.kernel = Kernel(registry, self.lines.put, Workers(1), lambda _where, error: pytest.fail(repr(error)))

    def _ask(self, call: Call, arguments: dict[str, Any]) -> ToolResult | InputRequired:
        answer = self.dialogs.answered(call, "ask", ROOT, arguments)
        if answer is not None:
            self.answers.append(answer)
            return ToolResult("answered")
        box = {"type": "boolean", "title": "1", "default": True}
        asked = self.dialogs.ask(call, Question("ask", ROOT, arguments, "?", {"candidate_1": box}, None), timeout=1)
        assert isinstance(asked, InputRequired)
        return asked

    def call(self, **more: Any) -> dict[str, Any]:
        """Call the tool as a modern client and return the whole answer."""
        meta = {VERSION_KEY: MODERN[0], CAPABILITIES_KEY: {"elicitation": {}}}
        params = {"name": "ask", "arguments": {"text": "x"}, "_meta": meta, **more}
        self.kernel.receive(json.dumps({"id": 1, "method": "tools/call", "params": params}).encode())
        found: dict[str, Any] = json.loads(self.lines.get(timeout=60))
        return found


def test_no_mutation_of_a_sealed_state_is_accepted() -> None:  # C52
    dice = random.Random(2026)
    asking = Asking()
    states = [asking.call()["result"]["requestState"] for _ in range(20)]
    yes = {"approval": {"action": "accept", "content": {"candidate_1": True}}}
    known = set(states)
    refused = 0
    while refused < MUTATIONS:
        state = list(dice.choice(states))
        for _ in range(dice.choice((1, 1, 1, 2, 4, 40))):
            at = dice.randrange(len(state))
            match dice.randrange(5):
                case 0:
                    state[at] = dice.choice("0123456789abcdefABCDEF.é\x00 ")
                case 1:
                    state.insert(at, dice.choice("0123456789abcdef."))
                case 2 if len(state) > 1:
                    del state[at]
                case 3:
                    other = dice.choice(states)
                    state = state[:at] + list(other[at:])
                case _:
                    state[at] = state[at].swapcase()
        text = "".join(state)
        if text in known:
            continue
        answer = asking.call(requestState=text, inputResponses=yes)
        assert answer["error"]["code"] == -32602, text
        refused += 1

    assert asking.answers == []
    for state in states:
        assert asking.call(requestState=state, inputResponses=yes)["result"]["resultType"] == "complete"
        assert asking.call(requestState=state, inputResponses=yes)["error"]["code"] == -32602
    assert len(asking.answers) == len(states)
