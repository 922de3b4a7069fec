"""Whatever arrives, the server lives, answers each request with an id once, and writes only what the schema allows.

It is tried on the fixture server, which has everything that the protocol knows, and on ``engram-mcp`` itself. One
process takes all of it. What has to be answered is decided by reading the rule again (C24), not by the kernel.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.contract.conftest import Host, Memories

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMAS = os.path.join(os.path.dirname(ROOT), "shared", "tools", "schema")
CLIENTS = os.path.join(ROOT, "tests", "cases", "clients")
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

pytestmark = pytest.mark.skipif(not os.path.isdir(SCHEMAS), reason="the official schemas stand in ../shared")


class Schemas:
    """The official JSON schemas: of both eras, what a result and an error may look like."""

    def __init__(self) -> None:
        self._definitions = {}
        for revision in (MODERN, LEGACY):
            with open(os.path.join(SCHEMAS, f"{revision}.json"), encoding="utf-8") as file:
                self._definitions[revision] = json.load(file)["$defs"]
        self._validators: dict[tuple[str, str], Any] = {}

    def check(self, revision: str, name: str, value: object) -> None:
        """Make sure that a value is what a definition of a revision says."""
        if (revision, name) not in self._validators:
            whole = {"$defs": self._definitions[revision], "$ref": f"#/$defs/{name}"}
            self._validators[revision, name] = jsonschema.Draft202012Validator(whole)
        self._validators[revision, name].validate(value)

    def result_of(self, revision: str, method: str) -> str | None:
        """Return the name of the definition of a method's result; None for a method that the revision does not have."""
        definitions = self._definitions[revision]
        for name, definition in definitions.items():
            if name.endswith("Request") and definition.get("properties", {}).get("method", {}).get("const") == method:
                result = name.removesuffix("Request") + "Result"
                return result if result in definitions else "EmptyResult"
        return None

    def check_own(self, message: dict[str, Any]) -> None:
        """Make sure that a notification or a request of the server is one that the protocol knows."""
        what = "Request" if "id" in message else "Notification"
        for name, definition in self._definitions[LEGACY].items():
            known = definition.get("properties", {}).get("method", {}).get("const")
            if known == message["method"] and name.endswith(what):
                self.check(LEGACY, name, message)
                return
        raise AssertionError(f"no revision has {message['method']}")

    def check_answer(self, request: dict[str, Any], answer: dict[str, Any]) -> None:
        """Make sure that an answer is one that its request may get; simple calls answer with text alone (C25)."""
        if "error" in answer:
            self.check(MODERN, "JSONRPCErrorResponse", answer)
            params = request.get("params")
            broken = isinstance(params, dict) and params.get("name") == "unencodable"
            assert broken or answer["error"]["code"] != -32603, "an internal error"
            return
        method, modern = request["method"], is_modern(request)
        assert set(answer) == {"jsonrpc", "id", "result"}
        if not modern and isinstance(answer["result"], str):
            assert method in FIXTURES.tools or method in ENGRAM.tools
            return
        if modern and answer["result"]["resultType"] == "input_required":
            self.check(MODERN, "InputRequiredResult", answer["result"])
            return
        name = self.result_of(MODERN if modern else LEGACY, method)
        assert name, f"{method} has no result"
        self.check(MODERN if modern else LEGACY, name, answer["result"])


def is_modern(request: dict[str, Any]) -> bool:
    """Say whether a request carries its revision (C16)."""
    params = request.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def refuse_constant(name: str) -> Any:
    """Refuse NaN and its like, which Python takes for JSON."""
    raise ValueError(name)


def wants_answer(line: bytes) -> tuple[bool, str | int | None, dict[str, Any] | None]:
    """Read C24: whether a line is answered, with which id, and the request if it is a good one."""
    if not line.strip(b" \t\r\n"):
        return False, None, None
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        return True, None, None
    if not isinstance(message, dict):
        return True, None, None
    method, request_id = message.get("method"), message.get("id")
    if isinstance(method, str) and "id" not in message:
        return False, None, None
    if "method" not in message and ("result" in message or "error" in message):
        return False, None, None
    known = isinstance(request_id, (str, int)) and not isinstance(request_id, bool)
    good = known and isinstance(method, str) and message.get("jsonrpc", "2.0") == "2.0"
    return True, request_id if known else None, message if good else None


# What is sent


class Offer(NamedTuple):
    """What a server offers, so that some of what is made at random comes in.

    ``calls`` holds tools beside arguments that fit, ``methods`` what the protocol defines and not every server has.
    ``saying`` and ``asking`` stand for the two tools of the recordings.
    """

    calls: tuple[tuple[str, dict[str, Any]], ...]
    methods: tuple[str, ...]
    prompts: tuple[str, ...]
    uris: tuple[str, ...]
    saying: tuple[str, str]
    asking: tuple[str, dict[str, Any]]

    @property
    def tools(self) -> list[str]:
        return sorted({name for name, _ in self.calls})


FIXTURES = Offer(
    calls=(
        ("echo", {"text": "x"}),
        ("show_arguments", {"limit": 3}),
        ("who", {}),
        ("crash", {}),
        ("explained", {}),
        ("unencodable", {}),
        ("test_simple_text", {}),
        ("test_elicitation", {"message": "?"}),
        ("test_input_required_result_multi_round", {}),
        ("test_input_required_result_capabilities", {}),
    ),
    methods=("completion/complete", "logging/setLevel", "resources/subscribe"),
    prompts=("test_simple_prompt", "test_prompt_with_arguments", "test_input_required_result_prompt"),
    uris=("test://static-text", "test://template/1/data", "test://none"),
    saying=("echo", "text"),
    asking=("test_elicitation", {}),
)
ENGRAM = Offer(
    calls=(
        ("engram_load", {"query": "install a library", "explain": True}),
        ("engram_load", {"query": "用户", "disclosure": "cards", "budget_tokens": 50}),
        ("engram_load", {"id": "use-pnpm"}),
        ("engram_route", {"task": "fix the install"}),
        ("engram_search", {"query": "install", "limit": 3, "type": "rule"}),
        ("engram_verify", {"scope": "all"}),
        ("engram_status", {}),
        ("engram_save", {"text": "Use tabs.", "type": "rule", "scope": "both"}),
        ("engram_save_session", {"text": "TYPE: rule | TEXT: Use tabs.", "showRuleVariants": True}),
        ("engram_commit", {"approval_token": "x", "approve": "all"}),
        ("engram_note", {"text": "The till is flaky.", "objective": "till"}),
        ("engram_set_role", {"roles": ["qa"]}),
        ("engram_set_role", {"role": ""}),
        ("engram_set_rule_variant", {"variant": "light"}),
    ),
    methods=(),
    prompts=("propose",),
    uris=("engram://index", "engram://memory/use-pnpm", "engram://memory/%E7%94%A8", "engram://memory/none"),
    saying=("engram_load", "query"),
    asking=("engram_save", {"text": "Use tabs in Makefiles."}),
)


def recorded(offer: Offer) -> list[dict[str, Any]]:
    """Return what real hosts sent, but for cancellations: whether they come in time is another test's matter."""
    found = []
    for name in sorted(os.listdir(CLIENTS)):
        with open(os.path.join(CLIENTS, name), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        messages = [json.loads(row["raw"]) for row in rows if row["dir"] == "c2s"]
        found += [message for message in messages if message.get("method") != "notifications/cancelled"]
    for message in found:
        params = message.get("params", {})
        if params.get("name") == "echo":
            params["name"], params["arguments"] = offer.saying[0], {offer.saying[1]: params["arguments"]["text"]}
        elif params.get("name") == "ask":
            params["name"], params["arguments"] = offer.asking
    assert found
    return found


texts = st.text(max_size=20) | st.sampled_from(["", "\u2028", "\x85", "用户", "2.0", MODERN, LEGACY])
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.just(10**4000)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4))
ids = st.uuids().map(str) | st.integers(10**6, 10**12) | scalars | st.lists(scalars, max_size=2)
METHODS = (
    "initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "prompts/list", "prompts/get", "notifications/initialized", "no/such",
)  # fmt: skip
capabilities = st.fixed_dictionaries(
    {}, optional={name: st.just({}) | values for name in ("elicitation", "sampling", "roots")}
)
metas = st.fixed_dictionaries(
    {},
    optional={
        VERSION_KEY: st.sampled_from([MODERN] * 3 + [LEGACY, "2099-01-01", 3]),
        CAPABILITIES_KEY: capabilities | values,
        "progressToken": ids,
    },
)
# Most of what is made at random is refused at the door; with these a request comes in.
good_metas: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.fixed_dictionaries(
    {VERSION_KEY: st.just(MODERN), CAPABILITIES_KEY: st.sampled_from([{}, {"elicitation": {}}, {"sampling": {}}])}
)


def random_params(offer: Offer) -> st.SearchStrategy[dict[str, Any]]:
    """Return params of which each is right or anything."""
    names = st.sampled_from(["text", "query", "limit", "role", "message", "arg1", "arg2"]) | texts
    return st.fixed_dictionaries(
        {},
        optional={
            "_meta": metas | values,
            "name": st.sampled_from([*offer.tools, *offer.prompts, "no_such_tool"]) | values,
            "arguments": st.dictionaries(names, values, max_size=4) | values,
            "uri": st.sampled_from(offer.uris) | values,
            "cursor": values,
            "protocolVersion": st.sampled_from([LEGACY, "2024-11-05", MODERN]) | values,
            "capabilities": capabilities | values,
            "level": st.just("debug") | values,
            "ref": values,
            "argument": values,
            "inputResponses": st.dictionaries(texts, values, max_size=2) | values,
            "requestState": values,
        },
    )


@st.composite
def nearly_good_requests(draw: st.DrawFn, offer: Offer) -> dict[str, Any]:
    """Return a request that fits, or one in which a single parameter does not."""
    method = draw(st.sampled_from(["tools/call"] * 6 + ["(tool)"] * 3 + [*METHODS, *offer.methods]))
    tool, arguments = draw(st.sampled_from(offer.calls))
    params: dict[str, Any] = {
        "_meta": draw(good_metas),
        "name": draw(st.sampled_from(offer.prompts)) if method == "prompts/get" else tool,
        "uri": draw(st.sampled_from(offer.uris)),
        "arguments": {} if method == "prompts/get" else dict(arguments),
        "ref": {"type": "ref/prompt", "name": "x"},
        "argument": {"name": "x", "value": "p"},
    }
    if method == "(tool)":
        method, params = tool, {**arguments, "_meta": params["_meta"]}
    elif method == "tools/call" and draw(st.booleans()):
        params["arguments"][draw(st.sampled_from([*arguments, "query", "scope"]))] = draw(values)
    if draw(st.booleans()):
        params[draw(st.sampled_from([*sorted(params), "cursor", "inputResponses"]))] = draw(values)
    return {"id": draw(st.uuids().map(str)), "method": method, "params": params}


@st.composite
def changed_recordings(draw: st.DrawFn, offer: Offer) -> bytes:
    """Return a message of a real host with some member replaced, taken away or added, or some bytes changed."""
    message: Any = json.loads(json.dumps(draw(st.sampled_from(recorded(offer)))))
    if "id" in message:
        message["id"] = draw(ids)
    where: Any = message
    while True:
        key = draw(st.sampled_from(sorted(where)) if isinstance(where, dict) and where else st.nothing() | texts)
        inner = where.get(key)
        if not (isinstance(inner, dict) and inner and draw(st.booleans())):
            break
        where = inner
    if draw(st.booleans()):
        where[key] = draw(values)
    else:
        where.pop(key, None)
    line = json.dumps(message).encode()
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(line)))
        line = line[:at] + draw(st.binary(max_size=3)) + line[at + draw(st.integers(0, 3)) :]
    return line


def as_line(value: Any) -> bytes:
    """Return a value as a host would send it, escaped or not."""
    return json.dumps(value, ensure_ascii=len(str(value)) % 2 == 0).encode("utf-8", "backslashreplace")


def batches(offer: Offer) -> st.SearchStrategy[list[bytes]]:
    """Return lines of every kind that a server may meet."""
    params = random_params(offer)
    methods = st.sampled_from([*METHODS, *offer.methods, *offer.tools])
    messages = st.fixed_dictionaries(
        {},
        optional={
            "jsonrpc": st.just("2.0") | st.just("2.0") | values,
            "id": ids,
            "method": methods | values,
            "params": params | values,
            "result": values,
            "error": values,
        },
    )
    requests = st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids, "method": methods, "params": params})
    lines = st.one_of(
        st.binary(max_size=60),
        st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
        values.map(as_line),
        messages.map(as_line),
        requests.map(as_line),
        nearly_good_requests(offer).map(as_line),
        nearly_good_requests(offer).map(as_line),
        changed_recordings(offer),
    ).map(lambda line: line.replace(b"\n", b" "))
    return st.lists(lines, min_size=1, max_size=6)


@pytest.fixture(scope="module")
def schemas() -> Schemas:
    return Schemas()


@pytest.fixture
def fixture_server(start: Callable[..., Host]) -> Host:
    server = start(stderr=subprocess.DEVNULL)  # crashes are part of it
    server.silent()
    return server


@pytest.fixture
def engram_server(serve: Callable[..., Host], memories: Memories) -> Iterator[Host]:
    memories.add("rule", "use-pnpm", "- Use pnpm for every install of a library.", title="Use pnpm for every install")
    memories.add("knowledge", "用", "- 用户身份存储在 SQLite。", title="用户身份")
    server = serve()
    server.silent()
    yield server
    assert server.close() == (0, "")  # and nothing failed inside


def kind(request_id: object) -> str:
    """Return an id as a key that tells 1 from "1"."""
    return json.dumps(request_id)


often = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@often
@given(batch=batches(FIXTURES))
def test_the_kernel_lives_answers_and_keeps_to_the_schema(
    fixture_server: Host, schemas: Schemas, batch: list[bytes]
) -> None:  # C16 to C25
    serves(fixture_server, schemas, batch)


@often
@given(batch=batches(ENGRAM))
def test_engram_lives_answers_and_keeps_to_the_schema(
    engram_server: Host, schemas: Schemas, batch: list[bytes]
) -> None:  # C16 to C25, C29
    serves(engram_server, schemas, batch)


def serves(host: Host, schemas: Schemas, batch: list[bytes]) -> None:
    """Send some lines, and make sure that each is answered as it has to be, and nothing else is said."""
    asked: dict[str, list[dict[str, Any] | None]] = {}
    for line in batch:
        answered, request_id, request = wants_answer(line)
        if answered:
            asked.setdefault(kind(request_id), []).append(request)
    host.raw(b"".join(line + b"\n" for line in batch))

    answers: dict[str, list[dict[str, Any]]] = {}
    for _ in range(sum(map(len, asked.values()))):
        message = answer_of(host, schemas, f"some of {asked} got no answer but {answers}")
        answers.setdefault(kind(message.get("id")), []).append(message)
    assert {name: len(found) for name, found in answers.items()} == {name: len(asked[name]) for name in asked}
    for name, requests in asked.items():
        # Two requests of one batch may have the same id, and be answered in any order.
        fitting = (
            all(fits(schemas, request, answer) for request, answer in zip(requests, order, strict=True))
            for order in itertools.permutations(answers[name])
        )
        assert any(fitting), f"{answers[name]} do not answer {requests}"
    settle(host, schemas)


def answer_of(host: Host, schemas: Schemas, otherwise: str) -> dict[str, Any]:
    """Return the next answer; what the server says or asks in between is checked, and what it asks is cancelled."""
    while True:
        try:
            message = host.next()
        except queue.Empty:
            pytest.fail(otherwise)
        if "method" not in message:
            return message
        schemas.check_own(message)
        if "id" in message:
            host.send({"jsonrpc": "2.0", "id": message["id"], "result": {"action": "cancel"}})


def fits(schemas: Schemas, request: dict[str, Any] | None, answer: dict[str, Any]) -> bool:
    """Say whether an answer may be that to a request; None is what was no good one."""
    try:
        if request is None:
            schemas.check(MODERN, "JSONRPCErrorResponse", answer)
            return answer["error"]["code"] in (-32700, -32600)
        schemas.check_answer(request, answer)
    except (AssertionError, LookupError, TypeError, jsonschema.ValidationError):
        return False  # also where it is the answer to another request of the same id
    return True


def settle(host: Host, schemas: Schemas) -> None:
    """Make sure that nothing more is said but what belongs to no request: withdrawn questions, progress."""
    number = host.start_request("ping")
    while True:
        message = host.next()
        if message.get("id") == number and "method" not in message:
            return
        assert message["method"].startswith("notifications/"), f"{message} answers nothing"
        schemas.check_own(message)
