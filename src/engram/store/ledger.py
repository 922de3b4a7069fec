"""The integrity ledger ``SHA256SUMS``, and the older ``memory.hashes.json`` (F2a, F13, F14)."""

from __future__ import annotations

from engram.store.files import LEDGER, LEGACY_LEDGER, read_owned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LEDGER", "LEGACY_LEDGER", "Ledger", "format_ledger", "format_legacy", "parse_ledger", "read_ledger"]

_HEX = frozenset("0123456789abcdef")
_DIGITS = 64


class Ledger:
    """The hashes that memory files must have; after a merge a path may have several (F2a).

    Attributes:
        exists: False where the root has no ``SHA256SUMS`` yet (``legacy`` then tells whether an older file gave the
            hashes).
        source: the bytes of ``SHA256SUMS``, ``b""`` where there is none.
    """

    def __init__(self, source: bytes | None, legacy: Mapping[str, str] | None = None) -> None:
        self.exists = source is not None
        self.legacy = legacy is not None
        self.source = source or b""
        self._hashes: dict[str, tuple[str, ...]] | None = None
        if not self.exists:
            self._hashes = {path: (value,) for path, value in (legacy or {}).items()}

    @property
    def hashes(self) -> dict[str, tuple[str, ...]]:
        """All paths with their hashes."""
        if self._hashes is None:
            self._hashes = parse_ledger(self.source)
        return self._hashes

    def lookup(self, path: str) -> tuple[str, ...]:
        """Return the hashes of one path, ``()`` when it has no line."""
        if self._hashes is None and "\\" not in path:
            # Ten thousand lines take 5 ms to split; one plain line is found in the bytes.
            needle = b"  " + path.encode("utf-8", "surrogateescape") + b"\n"
            at = self.source.find(needle)
            start = at - _DIGITS
            alone = at >= 0 and self.source.find(needle, at + 1) < 0
            if alone and start >= 0 and (start == 0 or self.source[start - 1 : start] == b"\n"):
                value = self.source[start:at].decode("ascii", "replace")
                if _HEX.issuperset(value):
                    return (value,)
        return self.hashes.get(path, ())


def read_ledger(root: str) -> Ledger:
    """Read the hashes of ``root``: ``SHA256SUMS``, and only where that is missing ``memory.hashes.json`` (F14).

    Raises:
        EngramError: when one of them is there and cannot be read.
    """
    # Without the hashes nothing may be shown, and a ledger that cannot be read is not a missing one.
    source = read_owned(root, LEDGER)
    if source is not None:
        return Ledger(source)
    return Ledger(None, read_legacy(root))


def read_legacy(root: str) -> dict[str, str] | None:
    """Return the hashes of ``memory.hashes.json``, None without it; what is no JSON object vouches for nothing."""
    data = read_owned(root, LEGACY_LEDGER)
    if data is None:
        return None
    from engram.text.jsonc import JsoncError, parse

    try:
        value = parse(data.decode("utf-8", "replace"))
    except JsoncError:
        return {}
    if not isinstance(value, dict):
        return {}
    return {path: text.lower() for path, text in value.items() if isinstance(text, str)}


def parse_ledger(source: bytes) -> dict[str, tuple[str, ...]]:
    """Return path → hashes. Conflict markers and lines that are no ledger lines count for nothing (F2a)."""
    found: dict[str, tuple[str, ...]] = {}
    for line in source.decode("utf-8", "surrogateescape").split("\n"):
        escaped = line.startswith("\\")
        text = line[1:] if escaped else line
        value, path = text[:_DIGITS], text[_DIGITS + 2 :].removesuffix("\r")
        if text[_DIGITS : _DIGITS + 2] not in {"  ", " *"} or not path or not _HEX.issuperset(value):
            continue
        if escaped:
            path = _unescape(path)
        known = found.get(path, ())
        if value not in known:
            found[path] = (*known, value)
    return found


def format_ledger(hashes: Mapping[str, tuple[str, ...]]) -> bytes:
    """Return the ledger's bytes: ``sha256sum -c`` format, sorted by path, escaped as coreutils escapes names."""
    lines: list[str] = []
    for path in sorted(hashes):
        name = path.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        mark = "" if name == path else "\\"
        lines.extend(f"{mark}{value}  {name}\n" for value in hashes[path])
    return "".join(lines).encode("utf-8", "surrogateescape")


def format_legacy(hashes: Mapping[str, str]) -> bytes:
    """Return ``memory.hashes.json`` as the public format has it: sorted keys, two blanks, a final line end."""
    from engram.text.jsonc import dumps

    return (dumps({path: hashes[path] for path in sorted(hashes)}, indent=2) + "\n").encode("utf-8", "surrogateescape")


def _unescape(name: str) -> str:
    out = []
    characters = iter(name)
    for character in characters:
        if character == "\\":
            follower = next(characters, "\\")
            out.append({"n": "\n", "r": "\r"}.get(follower, follower))
        else:
            out.append(character)
    return "".join(out)
