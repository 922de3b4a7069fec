"""Whatever arrives, the server lives, answers each request with an id once, and writes only what the schema allows.

One process takes all of it. What has to be answered is decided by reading the rule again (C24), not by the kernel.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Host

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


def recorded() -> list[dict[str, Any]]:
    """Return what real hosts sent, but for cancellations: whether they come in time is another test's matter."""
    found = []
    for name in sorted(os.listdir(CLIENTS)):
        with open(os.path.join(CLIENTS, name), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        messages = [json.loads(row["raw"]) for row in rows if row["dir"] == "c2s"]
        found += [message for message in messages if message.get("method") != "notifications/cancelled"]
    text = json.dumps(found).replace('"name": "ask"', '"name": "test_elicitation"')
    messages = json.loads(text)
    assert messages
    return list(messages)


texts = st.text(max_size=20) | st.sampled_from(["", "\u2028", "\x85", "用户", "2.0", MODERN, LEGACY])
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.just(10**4000)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4))
ids = st.uuids().map(str) | st.integers(10**6, 10**12) | scalars | st.lists(scalars, max_size=2)
methods = st.sampled_from(
    [
        "initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list", "resources/read",
        "resources/templates/list", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "echo",
        "resources/subscribe", "notifications/initialized", "show_arguments", "no/such",
    ]
)  # fmt: skip
tools = st.sampled_from(
    [
        "echo", "show_arguments", "who", "crash", "explained", "unencodable", "test_simple_text", "test_elicitation",
        "test_input_required_result_multi_round", "test_input_required_result_capabilities", "no_such_tool",
    ]
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
params = st.fixed_dictionaries(
    {},
    optional={
        "_meta": metas | values,
        "name": tools | st.just("test_prompt_with_arguments") | values,
        "arguments": st.dictionaries(
            st.sampled_from(["text", "query", "limit", "role", "message", "arg1", "arg2"]) | texts, values, max_size=4
        )
        | values,
        "uri": st.sampled_from(["test://static-text", "test://template/1/data", "test://none"]) | values,
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

# Most of what is made at random is refused at the door; these come in, and only one of their params is off.
good_metas: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.fixed_dictionaries(
    {VERSION_KEY: st.just(MODERN), CAPABILITIES_KEY: st.sampled_from([{}, {"elicitation": {}}, {"sampling": {}}])}
)
good_params: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "_meta": good_metas,
        "name": tools | st.sampled_from(["test_simple_prompt", "test_input_required_result_prompt"]),
        "uri": st.sampled_from(["test://static-text", "test://template/1/data"]),
        "arguments": st.sampled_from([{}, {"text": "x"}, {"message": "?"}, {"limit": 3}]),
        "ref": st.just({"type": "ref/prompt", "name": "x"}),
        "argument": st.just({"name": "x", "value": "p"}),
    }
)
good_requests: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"id": st.uuids().map(str), "method": methods, "params": good_params}
)


@st.composite
def nearly_good_requests(draw: st.DrawFn) -> dict[str, Any]:
    """Return a request that fits, or one in which a single parameter does not."""
    request = draw(good_requests)
    if draw(st.booleans()):
        request["params"][draw(st.sampled_from([*sorted(request["params"]), "cursor", "inputResponses"]))] = draw(
            values
        )
    return request


@st.composite
def changed_recordings(draw: st.DrawFn) -> bytes:
    """Return a message of a real host with some member replaced, taken away or added, or some bytes changed."""
    message: Any = json.loads(json.dumps(draw(st.sampled_from(recorded()))))
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


lines = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
    values.map(as_line),
    messages.map(as_line),
    requests.map(as_line),
    nearly_good_requests().map(as_line),
    nearly_good_requests().map(as_line),
    changed_recordings(),
).map(lambda line: line.replace(b"\n", b" "))


@pytest.fixture(scope="module")
def schemas() -> Schemas:
    return Schemas()


@pytest.fixture
def host(start: Callable[..., Host]) -> Host:
    server = start(stderr=subprocess.DEVNULL)  # crashes are part of it
    server.silent()
    return server


def kind(request_id: object) -> str:
    """Return an id as a key that tells 1 from "1"."""
    return json.dumps(request_id)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(batch=st.lists(lines, min_size=1, max_size=6))
def test_the_server_lives_answers_and_keeps_to_the_schema(host: Host, schemas: Schemas, batch: list[bytes]) -> None:
    # C16 to C25: one process for all examples
    asked: dict[str, list[dict[str, Any] | None]] = {}
    for line in batch:
        answered, request_id, request = wants_answer(line)
        if answered:
            asked.setdefault(kind(request_id), []).append(request)
    host.raw(b"".join(line + b"\n" for line in batch))

    given: dict[str, list[dict[str, Any]]] = {}
    while asked:
        try:
            message = host.next()
        except queue.Empty:
            pytest.fail(f"no answer to {asked}")
        if "method" in message:
            if "id" in message:
                host.send({"jsonrpc": "2.0", "id": message["id"], "result": {"action": "cancel"}})
            continue
        key = kind(message.get("id"))
        answers = given.setdefault(key, [])
        answers.append(message)
        if len(answers) == len(asked[key]):
            # Of several requests with one id an error may answer each, and a result one of them only.
            assert any(
                all(fits(schemas, request, answer) for request, answer in zip(order, answers, strict=True))
                for order in itertools.permutations(asked[key])
            ), f"{answers} do not answer {asked[key]}"
            del asked[key]
    settle(host)


def fits(schemas: Schemas, request: dict[str, Any] | None, answer: dict[str, Any]) -> bool:
    """Say whether an answer may be that to a request; two requests of one batch may have the same id."""
    if request is None:
        schemas.check(MODERN, "JSONRPCErrorResponse", answer)
        return answer["error"]["code"] in (-32700, -32600)
    try:
        schemas.check_answer(request, answer)
    except (AssertionError, jsonschema.ValidationError):
        return False
    return True


def settle(host: Host) -> None:
    """Make sure that nothing more is said but what belongs to no request: withdrawn questions, progress."""
    number = host.start_request("ping")
    while True:
        message = host.next()
        if message.get("id") == number and "method" not in message:
            return
        assert message["method"].startswith("notifications/"), f"{message} answers nothing"
