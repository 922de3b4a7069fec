"""Messages in, messages out: which era a request is of, what is refused, which calls run, who waits for an answer.

The kernel keeps no state for modern requests. For legacy ones it remembers what the last ``initialize`` settled.
"""

from __future__ import annotations

import _thread

from engram.mcp.call import Call, CancelledError, Waiter
from engram.mcp.methods import builtin_methods, handshake, simple_method
from engram.mcp.protocol import (
    CACHEABLE,
    CAPABILITIES_KEY,
    CLIENT_KEY,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LATEST_LEGACY,
    METHOD_NOT_FOUND,
    MODERN,
    PARSE_ERROR,
    SERVER_KEY,
    SUPPORTED,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Method,
    ProtocolError,
)
from engram.text.jsonlines import MalformedError, decode, encode, encode_exact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from engram.mcp.registry import Registry
    from engram.mcp.workers import Workers

__all__ = ["Kernel"]


class Kernel:
    """Serves one client.

    Args:
        registry: what is offered.
        write: takes one message as UTF-8 JSON without a line end; never waits.
        workers: run the calls that may take time.
        note: takes what to log of a failure: where, and the exception.
    """

    def __init__(
        self,
        registry: Registry,
        write: Callable[[bytes], None],
        workers: Workers,
        note: Callable[[str, BaseException], None],
    ) -> None:
        self.registry = registry
        self.workers = workers
        self.closed = False
        self._write = write
        self._note = note
        self._methods: dict[str, Method] = {
            "initialize": Method(self._initialize, modern=False, inline=True),
            **builtin_methods(registry, note),
            **registry.methods,
        }
        self._revision = LATEST_LEGACY
        self._capabilities: dict[str, Any] = {}
        self._client: dict[str, Any] = {}
        self._lock = _thread.allocate_lock()
        self._calls: set[Call] = set()
        self._by_id: dict[str | int, Call] = {}
        self._questions: dict[int, Waiter] = {}
        self._asked = 0

    def receive(self, line: bytes | None) -> None:
        """Take one line: answer it, start a call that will, or, for a notification or an answer, act on it.

        Args:
            line: None for one that was too long to be kept.
        """
        if line is None:
            self._fail(None, ProtocolError(PARSE_ERROR, "Parse error: a line of more than 64 MiB."))
            return
        try:
            message = decode(line)
        except MalformedError as error:
            self._fail(None, ProtocolError(PARSE_ERROR, f"Parse error: {error}"))
            return
        try:
            self._take(message)
        except ProtocolError as error:
            self._fail(message.get("id") if isinstance(message, dict) else None, error)

    def close(self) -> None:
        """Note that the client is gone: whoever waits for an answer of it stops waiting (C30)."""
        self.closed = True
        with self._lock:
            calls = list(self._calls)
        for call in calls:
            call.close()

    def idle(self) -> bool:
        """Say whether every request was answered."""
        return not self._calls

    def writing(self) -> bool:
        """Say whether a call is changing something just now."""
        with self._lock:
            return any(call.writing for call in self._calls)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message of our own making."""
        self._write(encode(self.registry.let_out(message)))

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def open_question(self) -> int:
        """Return an id for a request to the client that no other one had."""
        with self._lock:
            self._asked += 1
            return self._asked

    def await_answer(self, number: int, waiter: Waiter) -> None:
        """Give the client's answer to a question to a waiter."""
        with self._lock:
            self._questions[number] = waiter

    def close_question(self, number: int) -> None:
        """Forget a question; an answer that comes later is ignored."""
        with self._lock:
            self._questions.pop(number, None)

    # What a message is (C24)

    def _take(self, message: Any) -> None:
        if isinstance(message, list):
            raise ProtocolError(INVALID_REQUEST, "Batches are not part of this protocol: send one message a line.")
        if not isinstance(message, dict):
            raise ProtocolError(INVALID_REQUEST, "A message is a JSON object.")
        method = message.get("method")
        ours = message.get("jsonrpc", "2.0") == "2.0"
        if isinstance(method, str) and "id" not in message:
            if ours and method == "notifications/cancelled":
                self._cancel(message.get("params"))
            return
        if "method" not in message and ("result" in message or "error" in message):
            self._answered(message)
            return
        if not ours:
            raise ProtocolError(INVALID_REQUEST, 'jsonrpc has to be "2.0".')
        if not isinstance(method, str):
            raise ProtocolError(INVALID_REQUEST, "A request has a method, which is a string.")
        request_id = message["id"]
        if not _is_id(request_id):
            raise ProtocolError(INVALID_REQUEST, "The id of a request is a string or an integer.")
        self._request(request_id, method, message.get("params"))

    def _cancel(self, params: Any) -> None:
        request_id: Any = params.get("requestId") if isinstance(params, dict) else None
        call = self._by_id.get(request_id) if _is_id(request_id) else None
        if call is not None:
            call.cancel()

    def _answered(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        waiter = self._questions.get(number) if type(number) is int else None
        if waiter is not None:
            waiter.resolve(message)

    # Requests (C16 to C23)

    def _request(self, request_id: str | int, method: str, params: Any) -> None:
        if params is None:
            params = {}
        if not isinstance(params, dict):
            raise ProtocolError(INVALID_PARAMS, "params has to be an object.")
        meta = params.get("_meta")
        if meta is None:
            meta = {}
        if not isinstance(meta, dict):
            raise ProtocolError(INVALID_PARAMS, "params._meta has to be an object.")
        call = self._call(request_id, method, meta, modern=VERSION_KEY in meta)
        served = self._find(call)
        if call.modern:
            _read_retry(call, params)
        with self._lock:
            self._calls.add(call)
            self._by_id[request_id] = call
        if served.inline:
            self._run(call, served, params)
        else:
            self.workers.submit(lambda: self._run(call, served, params))

    def _call(self, request_id: str | int, method: str, meta: dict[str, Any], *, modern: bool) -> Call:
        if not modern:
            return Call(
                self,
                id=request_id,
                method=method,
                revision=self._revision,
                modern=False,
                capabilities=self._capabilities,
                client=self._client,
                meta=meta,
            )
        version = meta[VERSION_KEY]
        if not isinstance(version, str):
            raise ProtocolError(INVALID_PARAMS, f"_meta[{VERSION_KEY!r}] has to be a string.")
        if version not in MODERN:
            how = "begin with initialize for it" if version in SUPPORTED else "it is not known here"
            raise ProtocolError(
                UNSUPPORTED_VERSION,
                f"Requests of the revision {version[:40]!r} are not served: {how}.",
                {"supported": list(SUPPORTED), "requested": version},
            )
        capabilities = meta.get(CAPABILITIES_KEY)
        if not isinstance(capabilities, dict):
            raise ProtocolError(INVALID_PARAMS, f"_meta[{CAPABILITIES_KEY!r}] is required, and has to be an object.")
        client = meta.get(CLIENT_KEY)
        return Call(
            self,
            id=request_id,
            method=method,
            revision=version,
            modern=True,
            capabilities=capabilities,
            client=client if isinstance(client, dict) else {},
            meta=meta,
        )

    def _find(self, call: Call) -> Method:
        served = self._methods.get(call.method) or simple_method(self.registry, self._note, call.method)
        if served is not None and (served.modern if call.modern else served.legacy):
            return served
        if served is not None and not call.modern:
            raise ProtocolError(
                INVALID_PARAMS, f"{call.method} needs _meta with {VERSION_KEY!r} and {CAPABILITIES_KEY!r}."
            )
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {call.method[:100]}")

    def _initialize(self, _call: Call, params: dict[str, Any]) -> dict[str, Any]:
        result = handshake(self.registry, params)
        self._revision = result["protocolVersion"]
        capabilities, client = params.get("capabilities"), params.get("clientInfo")
        self._capabilities = capabilities if isinstance(capabilities, dict) else {}
        self._client = client if isinstance(client, dict) else {}
        return result

    # Answers

    def _run(self, call: Call, served: Method, params: dict[str, Any]) -> None:
        error: ProtocolError | None = None
        line = b""
        try:
            call.check()  # it may have been cancelled while it waited for its turn
            result = served.handler(call, params)
            line = _answer(call.id, b"result", self.registry.let_out(self._finished(call, result)))
        except CancelledError:
            pass
        except ProtocolError as refused:
            error = refused
        except Exception as failure:  # noqa: BLE001 (whatever a handler does, the server goes on)
            self._note(call.method, failure)
            error = ProtocolError(INTERNAL_ERROR, "Internal error; the server's log on stderr says how.")
        answered = call.finish()
        if answered and error is not None:
            self._fail(call.id, error)
        elif answered and line:
            self._write(line)
        with self._lock:
            self._calls.discard(call)
            if self._by_id.get(call.id) is call:
                del self._by_id[call.id]

    def _finished(self, call: Call, result: dict[str, Any]) -> dict[str, Any]:
        """Add what every modern result carries (C21)."""
        if not call.modern:
            return result
        kind = result.get("resultType", "complete")
        found = {"resultType": kind, **result}
        if kind == "complete" and call.method in CACHEABLE:
            scope, ttl = CACHEABLE[call.method]
            found = {**found, "ttlMs": ttl, "cacheScope": scope}
        found["_meta"] = {**result.get("_meta", {}), SERVER_KEY: self.registry.info}
        return found

    def _fail(self, request_id: Any, error: ProtocolError) -> None:
        body: dict[str, Any] = {"code": error.code, "message": error.message}
        if error.data is not None:
            body["data"] = error.data
        self._write(_answer(request_id if _is_id(request_id) else None, b"error", self.registry.let_out(body)))


def _is_id(value: object) -> bool:
    return type(value) is str or type(value) is int  # a boolean is an int to isinstance


def _answer(request_id: str | int | None, member: bytes, body: Any) -> bytes:
    """Return an answer as one line; without an id where the request had none that may be echoed (C24)."""
    head = b"" if request_id is None else b'"id":' + encode_exact(request_id) + b","
    return b'{"jsonrpc":"2.0",' + head + b'"' + member + b'":' + encode(body) + b"}"


def _read_retry(call: Call, params: dict[str, Any]) -> None:
    """Take the answers that a modern client brings with a retry.

    Raises:
        ProtocolError: -32602, they have not the shape of answers.
    """
    if "inputResponses" in params:
        responses = params["inputResponses"]
        if not isinstance(responses, dict) or not all(isinstance(answer, dict) for answer in responses.values()):
            raise ProtocolError(INVALID_PARAMS, "params.inputResponses has to be an object of objects.")
        call.responses = responses
    if "requestState" in params:
        if not isinstance(params["requestState"], str):
            raise ProtocolError(INVALID_PARAMS, "params.requestState has to be a string.")
        call.state = params["requestState"]
