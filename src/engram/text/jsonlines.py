"""One JSON value a line, both ways (C15, C24).

Reading and writing go straight to ``_json``, the C module behind ``json``: importing ``json`` brings ``re`` and costs
half a start of the interpreter, before the first host was answered. Where that module is missing or differs, and for
the wording of an error, ``json`` itself is asked.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["MalformedError", "decode", "encode", "encode_exact"]

_SPACE = " \t\r\n"  # what JSON calls white space; a host on Windows may end its lines with CRLF
# What some readers take for a line end, and JSON lets stand raw.
_LINE_ENDS = (("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\x85", "\\u0085"))


class MalformedError(ValueError):
    """A line is no JSON in UTF-8."""


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class _Options:
    """What the scanner in C reads its settings from, as ``json.JSONDecoder`` would have them."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_constant)


def _from_c() -> tuple[Callable[[str, int], tuple[Any, int]] | None, Callable[[Any, int], Any] | None]:
    """Return the scanner and the encoder of ``_json``, or two times None where it is not as we know it."""
    try:
        import _json

        options: Any = _Options

        scan = _json.make_scanner(options)
        write = _json.make_encoder(None, _refuse, _json.encode_basestring, None, ":", ",", False, False, False)
        if scan('["\\n"]', 0) == (["\n"], 6) and "".join(write({"a": [1]}, 0)) == '{"a":[1]}':
            return scan, write
    except Exception:  # noqa: BLE001 (a private module may change in any way; then `json` does the work)
        return None, None
    return None, None


def _refuse(value: object) -> Any:
    raise TypeError(f"{type(value).__name__} has no form in JSON")


_scan, _write = _from_c()


def decode(line: bytes) -> Any:
    """Return the value that a line holds.

    Raises:
        MalformedError: it is not UTF-8, not JSON, or nested too deeply to be read.
    """
    try:
        text = line.decode("utf-8").strip(_SPACE)
    except UnicodeDecodeError as error:
        raise MalformedError(f"not UTF-8: byte {error.start + 1} of the line") from None
    if _scan is not None:
        try:
            value, end = _scan(text, 0)
            if end == len(text):
                return value
        except Exception:  # noqa: BLE001, S110 (without `json` the scanner cannot say what is wrong; the next lines do)
            pass
    import json

    try:
        return json.loads(text, parse_constant=_constant)
    except RecursionError:
        raise MalformedError("nested too deeply") from None
    except ValueError as error:
        raise MalformedError(f"not JSON: {error}") from None


def encode(value: object) -> bytes:
    """Return a value as compact JSON in UTF-8, without a line end; a lone surrogate becomes U+FFFD.

    Some hosts drop a line that holds a lone surrogate, even an escaped one, so none is sent in what we write ourselves.

    Raises:
        TypeError, ValueError: it holds what JSON has no form for.
        RecursionError: it is nested too deeply.
    """
    text = _text(value)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def encode_exact(value: str | int) -> bytes:
    """Return an id as it came, lone surrogates included: they are sent escaped, as they arrived."""
    return _text(value).encode("utf-8", "backslashreplace")


def _text(value: object) -> str:
    if _write is not None:
        text = "".join(_write(value, 0))
    else:
        import json

        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for raw, escaped in _LINE_ENDS:
        if raw in text:
            text = text.replace(raw, escaped)
    return text
