"""One line of the candidate grammar (F19): which fields it holds; whether their values are right comes later."""

from __future__ import annotations

from itertools import pairwise

from engram.text.lines import split_lines

__all__ = ["KEYS", "fields_of", "numbered_lines"]

KEYS = (
    "TYPE", "TEXT", "TITLE", "CONTEXT", "TRIGGERS", "DEPENDS_ON", "LEVEL", "ROLE", "UPDATE", "SUPERSEDES",
    "CONFIDENCE", "SCOPE", "LIGHT", "BALANCED", "STRICT",
)  # fmt: skip

_COLONS = (":", "：")
_BULLETS = frozenset("-*+•")


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """Return the numbered lines, stripped, without bullets; a code fence around all of them becomes two empty lines."""
    lines = [_without_bullet(line.strip()) for line in split_lines(text.removeprefix("\ufeff"))]
    filled = [index for index, line in enumerate(lines) if line]
    if len(filled) > 1 and _is_fence(lines[filled[0]], lines[filled[-1]]):
        lines[filled[0]] = lines[filled[-1]] = ""
    return list(enumerate(lines, 1))


def _is_fence(opening: str, closing: str) -> bool:
    """Say whether two lines are a code fence's; behind the opening one a language may stand, one word and no more."""
    mark = closing[:1]
    language = opening.lstrip(mark or " ").strip()
    return (
        mark in ("`", "~")
        and opening.startswith(mark * 3)
        and closing.startswith(mark * 3)
        and not closing.strip(mark)
        and (not language or (language.isascii() and language.isalnum()))
    )


def _without_bullet(line: str) -> str:
    if line[:1] in _BULLETS and line[1:2].isspace():
        return line[2:].lstrip()
    digits = 0
    while digits < 4 and line[digits : digits + 1].isdecimal():
        digits += 1
    if digits and line[digits : digits + 2] in (". ", ") "):
        return line[digits + 2 :].lstrip()
    return line


def fields_of(line: str) -> list[tuple[str, str]] | None:
    """Split a line at the bars that begin a field; ``None`` when it does not begin with one.

    A key comes back in capitals, known or not; a value with its bars restored.
    """
    pieces = line.split("|")
    first = _key(pieces[0], anything=True)
    if first is None:
        return None
    fields: list[tuple[str, list[str]]] = [(first[0], [first[1]])]
    for before, piece in pairwise(pieces):
        values = fields[-1][1]
        if before.endswith("\\"):
            values[-1] = values[-1][:-1]
        elif (field := _key(piece, anything=False)) is not None:
            fields.append((field[0], [field[1]]))
            continue
        values += ["|", piece]
    return [(key, "".join(values).strip()) for key, values in fields]


def _key(piece: str, *, anything: bool) -> tuple[str, str] | None:
    """Return the key that ``piece`` begins with, and what follows its colon.

    A key that is not known counts where it cannot be text: at the beginning of a line (``anything``), and after a bar
    when it is in capitals, two at least, and no ``//`` follows, as in an address.
    """
    colons = [at for colon in _COLONS if (at := piece.find(colon)) >= 0]
    if not colons:
        return None
    head, rest = piece[: min(colons)].strip(), piece[min(colons) + 1 :]
    if not head.isascii() or len(head) > 40:
        return None
    if head.upper() in KEYS:
        return head.upper(), rest
    plain = head.replace("_", "").replace("-", "")
    if not plain.isalnum() or not plain[0].isalpha() or len(head) < 2 or rest.startswith("//"):
        return None
    return (head, rest) if anything or head.isupper() else None
