"""JSON as programs write it, read in C and without ``json``, which costs as much as the interpreter's start.

What is not plain (a comment within a line, an escape, a key that stands twice, anything odd or wrong) is left to
``engram.text.jsonc``, which takes ten times as long and knows the place of everything.

>>> read_plain('{"load": {"limit": 6}}')
({'load': {'limit': 6}},)
>>> read_plain('{"a": 1, "a": 2}') is None
True
"""

from __future__ import annotations

try:
    from _json import make_scanner
except ImportError:  # another implementation of Python
    make_scanner = None  # type: ignore[assignment,misc]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["read_plain"]

# Nested deeper than this nothing is plain: ``engram.text.jsonc`` has its say about it.
_BRACES = 100
_DIGITS = 15
# What only stands in texts that are not plain, or that the scanner would import ``json`` to complain about.
_NOT_PLAIN = ("\\", "//", "/*", ",}", ",]")
_BLANK = " \t\n"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _short(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError("a long number")
    return int(digits)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not plain")


class _Rules:
    """What the scanner asks for, under the names of ``json.JSONDecoder``."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_once)
    parse_float = staticmethod(_refuse)
    parse_int = staticmethod(_short)
    parse_constant = staticmethod(_refuse)


def read_plain(text: str) -> tuple[object] | None:
    """Return the value of a JSON text, alone in a tuple; None where ``engram.text.jsonc`` has to read it."""
    text = text.replace("\r\n", "\n")
    if "//" in text:
        # A comment on a line of its own, as in the file that `engram inject` writes; no string reaches over a line.
        text = "\n".join([line for line in text.split("\n") if not line.lstrip(" \t").startswith("//")])
    bare = "".join(text.split())
    if (
        make_scanner is None
        or any(mark in bare for mark in _NOT_PLAIN)
        or "\r" in text
        or text.count("{") + text.count("[") > _BRACES
    ):
        return None
    text = text.strip(_BLANK)
    try:
        value, end = make_scanner(_Rules)(text, 0)  # type: ignore[arg-type]
    # The scanner lets ``json`` make its complaints; where that is not loaded the interpreter says that it has none.
    except (StopIteration, ValueError, RecursionError, SystemError):
        return None
    return (value,) if end == len(text) else None
