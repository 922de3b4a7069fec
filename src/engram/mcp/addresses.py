"""Ids in the addresses of resources: percent-encoded, decoded once (C60, RFC 3986).

``urllib.parse`` does the same and brings ``re`` and more with it, into a process that hosts start for every session.

>>> quote("global/café")
'global%2Fcaf%C3%A9'
>>> unquote("global%2Fcaf%C3%A9"), unquote("a%252Fb"), unquote("%ff")
('global/café', 'a%2Fb', None)
"""

from __future__ import annotations

__all__ = ["quote", "unquote"]

# RFC 3986, 2.3: unreserved characters.
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HEX = frozenset("0123456789abcdefABCDEF")


def quote(text: str) -> str:
    """Return a text as one segment of an address; a name that is no UTF-8 keeps its bytes."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))


def unquote(segment: str) -> str | None:
    """Return the text of a segment, None where it holds a per cent sign without two digits, or no UTF-8."""
    first, *rest = segment.split("%")
    try:
        parts = [first.encode("utf-8")]
        for piece in rest:
            if not _HEX.issuperset(piece[:2]) or len(piece) < 2:
                return None
            parts += [bytes((int(piece[:2], 16),)), piece[2:].encode("utf-8")]
        return b"".join(parts).decode("utf-8")
    except UnicodeError:
        return None
