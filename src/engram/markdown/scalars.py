r"""YAML scalars: decoding quoted and block text, and quoting only where plain YAML would read something else (F5, F9).

Both YAML 1.1 and 1.2 count, because other readers of the same file may follow either: ``no``, ``12:30`` and ``1e3`` are
texts only in one of them.

>>> quote_scalar("Governance: x")
'"Governance: x"'
>>> quote_scalar("task_type:release", in_list=True)
'task_type:release'
>>> unquote('"a\\tb"')
'a\tb'
"""

from __future__ import annotations

__all__ = ["block_scalar", "is_date", "quote_scalar", "quoted_end", "unquote"]

_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_FLOW = frozenset(",[]{}?")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}
_WRITTEN = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_WORDS = frozenset(
    form
    for word in ("y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", "+.inf", "-.inf", ".nan")
    for form in (word, word.upper(), word.capitalize(), word[:-3] + word[-3:].capitalize())
) | {"~", "=", "<<"}
_WORD_STARTS = frozenset("yYnNoOtTfF~=<.+-0123456789")
_DIGITS = frozenset("0123456789")
_BASES = {"0b": frozenset("01_"), "0o": frozenset("01234567_"), "0x": frozenset("0123456789abcdef_")}


def quote_scalar(value: str, *, in_list: bool = False) -> str:
    """Return ``value`` as a YAML scalar on one line, double-quoted only where it has to be (F5).

    Args:
        value: any text.
        in_list: inside an inline list, where commas, brackets and question marks mean something.
    """
    if _is_plain(value) and not (in_list and not _FLOW.isdisjoint(value)):
        return value
    return '"' + "".join([_escaped(char) for char in value]) + '"'


def _is_plain(value: str) -> bool:
    """Return whether YAML reads the bare text as the same text."""
    if not value or value[0] == " " or value[-1] in " :":
        return False
    if value[0] in _INDICATORS and (value[0] not in "-?:" or value[1:2] in {"", " "}):
        return False
    if value[0] in "?:":  # allowed only in block context; never worth the difference
        return False
    if ": " in value or " #" in value:
        return False
    if not (value.isascii() and value.isprintable()) and any(_must_escape(char) for char in value):
        return False
    return not (value[0] in _WORD_STARTS and _means_something(value))


def _must_escape(char: str) -> bool:
    code = ord(char)
    if code < 0x7F:
        return code < 0x20
    return code < 0xA0 or char in "\u2028\u2029\ufeff\ufffe\uffff" or 0xD800 <= code < 0xE000


def _escaped(char: str) -> str:
    if char in _WRITTEN:
        return _WRITTEN[char]
    if not _must_escape(char):
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _means_something(value: str) -> bool:
    """Return whether a plain scalar is a boolean, null, number, time or merge key in YAML 1.1 or 1.2."""
    if value in _WORDS:
        return True
    body = value[1:] if value[0] in "+-" else value
    if not body.isascii() or body[:1] not in _DIGITS | {"."}:
        return False
    base = _BASES.get(body[:2].lower())
    if base is not None and len(body) > 2 and base.issuperset(body[2:].lower()):
        return True
    if _is_number(body.replace("_", "")):
        return True
    parts = body.replace("_", "").split(":")
    if len(parts) > 1 and all(_DIGITS.issuperset(part) and part for part in parts[:-1]) and _is_number(parts[-1]):
        return True  # base sixty: 12:30
    return _is_time(value)


def _is_number(text: str) -> bool:
    if text[:1] not in _DIGITS | {"."}:
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_time(value: str) -> bool:
    parts = value.split("-", 2)
    if len(parts) < 3 or len(parts[0]) != 4 or not 1 <= len(parts[1]) <= 2 or not _DIGITS.issuperset(value[:4]):
        return False
    day = parts[2][:2] if parts[2][1:2] in _DIGITS else parts[2][:1]
    rest = parts[2][len(day) :]
    if not day or not _DIGITS.issuperset(parts[1] + day):
        return False
    return (not rest and len(value) == 10) or (rest[:1] in {"T", "t", " ", "\t"} and rest.count(":") >= 2)


def is_date(value: str) -> bool:
    """Return whether a text is an ISO day (``2026-05-11``) that exists."""
    from datetime import date

    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def quoted_end(text: str, at: int) -> int:
    """Return where the quoted scalar that begins at ``at`` ends (after its closing quote), -1 where it never does."""
    quote = text[at]
    end = at + 1
    while end < len(text):
        char = text[end]
        if char == "\\" and quote == '"':
            end += 2
        elif char == quote:
            if quote == "'" and text.startswith("'", end + 1):
                end += 2
            else:
                return end + 1
        else:
            end += 1
    return -1


def unquote(text: str) -> str:
    """Return the value of a quoted scalar, which may span lines (ended by LF); ``text`` includes both quotes.

    Raises:
        ValueError: for an escape that YAML does not know; its text is the reason.
    """
    inner = text[1:-1]
    if text[0] == "'":
        return _folded(inner).replace("''", "'")
    if "\\" not in inner:
        return _folded(inner)
    # Line folding works on the source, escapes on what remains: an escaped blank at a line's end is kept.
    inner = _folded(inner, escapes=True)
    out: list[str] = []
    at = 0
    while True:
        backslash = inner.find("\\", at)
        if backslash < 0:
            out.append(inner[at:])
            return "".join(out)
        out.append(inner[at:backslash])
        char = inner[backslash + 1]
        at = backslash + 2
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
            continue
        size = _HEX_ESCAPES.get(char)
        digits = inner[at : at + size] if size else ""
        try:
            out.append(chr(int(digits, 16)))
        except (ValueError, OverflowError):
            raise ValueError(f"\\{char}{digits} is no escape of YAML") from None
        if len(digits) != size or "_" in digits or "\ud800" <= out[-1] <= "\udfff":
            raise ValueError(f"\\{char}{digits} is no escape of YAML")
        at += len(digits)


def _folded(text: str, *, escapes: bool = False) -> str:
    """Fold the lines of a flow scalar: one line end is a blank, each further one stays."""
    if "\n" not in text:
        return text
    first, *lines = text.split("\n")
    parts = [first]
    breaks = 0
    joins = False  # the line end was escaped, so that nothing stands for it
    for number, line in enumerate(lines, start=1):
        if not breaks:
            joins = escapes and _ends_escaped(parts[-1])
            parts[-1] = parts[-1][:-1] if joins else _without_trailing(parts[-1], escapes=escapes)
        breaks += 1
        stripped = line.lstrip(" \t")
        if not stripped.rstrip(" \t") and number < len(lines):
            continue
        parts.append("\n" * (breaks - 1) if breaks > 1 else "" if joins else " ")
        parts.append(stripped)
        breaks = 0
    return "".join(parts)


def _ends_escaped(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _without_trailing(text: str, *, escapes: bool) -> str:
    kept = text.rstrip(" \t")
    return text[: len(kept) + 1] if escapes and len(kept) < len(text) and _ends_escaped(kept) else kept


def block_scalar(header: str, lines: list[str]) -> str:
    """Return the value of a block scalar.

    Args:
        header: ``|`` or ``>`` with its indicators (``|-``, ``>2+``), without a comment.
        lines: the lines below, all of which belong to it, without line ends.

    Raises:
        ValueError: for a header that YAML does not know, or a first line that is indented less than it says.
    """
    chomp, indent = "", 0
    for char in header[1:]:
        if char in "+-" and not chomp:
            chomp = char
        elif char in "123456789" and not indent:
            indent = int(char)
        else:
            raise ValueError(f"{header!r} does not begin a block of text")
    if not indent:
        first = next((line for line in lines if line.strip(" ")), "")
        indent = len(first) - len(first.lstrip(" "))
    texts = [line[indent:] for line in lines]
    if any(line.strip(" ") and line[:indent].strip(" ") for line in lines):
        raise ValueError("a line of the block of text is indented less than the others")
    end = len(texts)
    while end and not texts[end - 1]:
        end -= 1
    body = "\n".join(texts[:end]) if header[0] == "|" else _folded_block(texts[:end])
    if chomp == "-":
        return body
    trailing = len(texts) - end
    if chomp == "+":
        return body + "\n" * (trailing + (1 if end else 0))
    return body + "\n" if end else ""


def _folded_block(lines: list[str]) -> str:
    """Fold the lines of a ``>`` block: lines that are indented more, and blank lines, keep their ends."""
    out = ""
    breaks = 0
    before = ""
    for number, line in enumerate(lines):
        if not line:
            breaks += 1
            continue
        if number == breaks:  # nothing but blank lines before
            out += "\n" * breaks
        elif before[0] in " \t" or line[0] in " \t":
            out += "\n" * (breaks + 1)
        else:
            out += "\n" * breaks if breaks else " "
        out += line
        before = line
        breaks = 0
    return out
