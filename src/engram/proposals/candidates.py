r"""The grammar in which memories are proposed (F19).

One candidate a line, or blocks with one field a line::

    TYPE: rule | TEXT: Use pnpm for every install. | TRIGGERS: install, lockfile

    TYPE: knowledge
    TEXT: Prices are integers in cents.
    UPDATE: prices-are-integers

A block begins with ``TYPE:`` or after an empty line. Keys are case-insensitive, lists use commas, ``\|`` is a bar, a
backslash before anything else stays. A bar that no known key and colon follow is part of the value; only what looks
like a key that we do not know (``| FOO: x``, in capitals) is refused, so that no misspelt field is taken for text.
Nothing is dropped silently: what cannot be read is an error that quotes the line.
"""

from __future__ import annotations

from engram.errors import UsageError
from engram.model import KINDS, MAX_BYTES
from engram.proposals.fields import KEYS, fields_of, numbered_lines
from engram.record import Record
from engram.text.slugs import check_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal

    from engram.model import Kind, SaveScope

__all__ = [
    "KEYS",
    "Candidate",
    "candidate_fields",
    "candidate_of_fields",
    "candidate_of_values",
    "format_candidate",
    "looks_like_candidates",
    "parse_candidates",
]

_LISTS = frozenset({"TRIGGERS", "DEPENDS_ON", "ROLE"})
_CHOICES: dict[str, tuple[str, ...]] = {
    "TYPE": (*KINDS, "workflow"),
    "CONFIDENCE": ("high", "medium", "low"),
    "SCOPE": ("workspace", "global", "both"),
}
_COMMAS = str.maketrans("，、", ",,")
_EXAMPLE = "TYPE: rule | TEXT: Use pnpm for every install. | TRIGGERS: install, lockfile"
_QUOTED = 120  # characters of a line that an error shows
# So many problems are listed and the others counted: a broken line may have one every seven characters, and each costs
# a search for secrets before it is quoted.
_LISTED = 100


class Candidate(Record):
    """One proposed memory, as it was written. Absent text is ``""``, an absent list is ``()``.

    ``type`` is ``""`` when none was given (F20: that is knowledge, and the preview says so). Ids in ``depends_on``,
    ``update`` and ``supersedes`` are checked (F12) and keep their scope prefix. ``line`` counts from 1.
    """

    type: Kind | Literal[""]
    text: str
    title: str = ""
    context: str = ""
    triggers: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    level: str = ""
    role: tuple[str, ...] = ()
    update: str = ""
    supersedes: str = ""
    confidence: Literal["", "high", "medium", "low"] = ""
    scope: SaveScope | Literal[""] = ""
    light: str = ""
    balanced: str = ""
    strict: str = ""
    line: int = 1


class _Problem(Record):
    line: int
    reason: str
    quoted: str


class _Block:
    """The fields of one candidate while its lines come in: key → (value, line)."""

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text
        self.fields: dict[str, tuple[str, int]] = {}
        self.lines = 0


def candidate_fields(candidate: Candidate) -> dict[str, str | list[str]]:
    """Return a candidate as plain data, without what is empty and its line."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in candidate.as_dict().items()
        if value and name != "line"
    }


def candidate_of_fields(fields: Mapping[str, object]) -> Candidate:
    """Return the candidate of such data.

    Raises:
        TypeError, ValueError: where a field is unknown, or is none of a candidate's.
    """
    values: dict[str, Any] = {"type": "", "text": ""}
    for name, value in fields.items():
        listed = name.upper() in _LISTS
        if not isinstance(value, list if listed else str) or name.upper() not in KEYS:
            raise ValueError(f"{name} is no field of a candidate, or holds something else")
        values[name] = tuple(str(item) for item in value) if isinstance(value, list) else value
    return Candidate(**values)


def candidate_of_values(values: Mapping[str, tuple[str, int]]) -> Candidate:
    """Return the candidate of fields that were read by other means: by key, the value and its line.

    Raises:
        UsageError: as ``parse_candidates``.
    """
    first = min((line for _, line in values.values()), default=1)
    block = _Block(first, next((f"{key}: {value}" for key, (value, line) in values.items() if line == first), ""))
    block.fields = dict(values)
    problems: list[_Problem] = []
    candidate = _build(block, problems)
    if candidate is None:
        raise _error(sorted(problems, key=lambda problem: problem.line))
    return candidate


def parse_candidates(text: str) -> list[Candidate]:
    """Return the candidates in ``text``, in order (F19). Blank text gives none.

    A bullet or number before a line and a code fence around the whole are tolerated.

    Raises:
        UsageError: when any line cannot be read, names an unknown field or one twice, or holds a value that its field
            does not take; when a candidate has no TEXT, or one of more than 256 KiB. ``details["problems"]`` lists the
            first hundred as ``{line, reason, text}``, and ``details["more"]`` counts the others; secrets in a quoted
            line are masked.
    """
    problems: list[_Problem] = []
    candidates = [candidate for block in _blocks(text, problems) if (candidate := _build(block, problems)) is not None]
    if problems:
        raise _error(sorted(problems, key=lambda problem: problem.line))
    return candidates


def looks_like_candidates(text: str) -> bool:
    """Say whether ``text`` is meant as candidates, not as plain text for one memory.

    It is when its first line begins with a key, and some line has a TEXT field or names a type; or when any line has
    both TYPE and TEXT. ``Role: only admins deploy`` is plain text.
    """
    first = True
    begins = named = False
    for _, line in numbered_lines(text):
        if not line:
            continue
        fields = dict(fields_of(line) or ())
        begins = begins or (first and bool(fields) and next(iter(fields)) in KEYS)
        named = named or "TEXT" in fields or fields.get("TYPE", "").strip().lower() in _CHOICES["TYPE"]
        if "TYPE" in fields and "TEXT" in fields:
            return True
        first = False
    return begins and named


def format_candidate(candidate: Candidate) -> str:
    """Return ``candidate`` as one line that ``parse_candidates`` reads back the same, but for its line number.

    Raises:
        UsageError: for a value that the grammar cannot carry: a line break, blanks at its ends, a comma inside a list.
    """
    parts = []
    for key in KEYS:
        value: str | tuple[str, ...] = getattr(candidate, key.lower())
        if not value:
            continue
        items = value if isinstance(value, tuple) else (value,)
        for item in items:
            if "\n" in item or "\r" in item or item != item.strip() or not item:
                raise UsageError(f"{key} cannot be written in one line: it holds a line break or ends in a blank")
            if isinstance(value, tuple) and "," in item.translate(_COMMAS):
                raise UsageError(f"{key} cannot be written as a list: {item!r} holds a comma")
        joined = ", ".join(items)
        if isinstance(value, tuple) and _bracketed(joined):
            joined = f"[{joined}]"
        parts.append(f"{key}: " + joined.replace("|", "\\|"))
    return " | ".join(parts)


def _blocks(text: str, problems: list[_Problem]) -> Iterator[_Block]:
    """Group the lines into candidates; what is no line of fields goes to ``problems``."""
    block: _Block | None = None
    for number, line in numbered_lines(text):
        if not line:
            if block:
                yield block
            block = None
            continue
        fields = fields_of(line)
        if fields is None:
            problems.append(_Problem(number, "no field is named: a line begins with TYPE:, TEXT: or another key", line))
            continue
        keys = [key for key, _ in fields]
        # "One a line" without a type: a second line with a TEXT is a second candidate, not a doubled field.
        whole = block is not None and block.lines == 1 and "TEXT" in block.fields and "TEXT" in keys
        if block is not None and (keys[0] == "TYPE" or whole):
            yield block
            block = None
        if block is None:
            block = _Block(number, line)
        _collect(block, fields, number, line, problems)
    if block:
        yield block


def _collect(block: _Block, fields: list[tuple[str, str]], number: int, line: str, problems: list[_Problem]) -> None:
    block.lines += 1
    for key, value in fields:
        if key not in KEYS:
            from difflib import get_close_matches

            near = get_close_matches(key.upper().replace("-", "_"), KEYS, 1)
            meant = f" (do you mean {near[0]}?)" if near else ""
            reason = f"unknown field {key}{meant}; a bar that belongs to the text is written \\|"
            problems.append(_Problem(number, reason, line))
        elif key in block.fields:
            reason = f"{key} is given twice; an empty line, or a line that begins with TYPE:, begins the next candidate"
            problems.append(_Problem(number, reason, line))
        else:
            block.fields[key] = (value, number)


def _build(block: _Block, problems: list[_Problem]) -> Candidate | None:
    """Check a block's values and return its candidate, or ``None`` with the reasons in ``problems``."""
    before = len(problems)

    def wrong(key: str, reason: str) -> None:
        line = block.fields[key][1] if key in block.fields else block.line
        problems.append(_Problem(line, reason, block.text if line == block.line else f"{key}: {block.fields[key][0]}"))

    values: dict[str, object] = {}
    for key, (value, _) in block.fields.items():
        unusable = _unusable(value)
        if unusable:
            wrong(key, f"{key} holds {unusable}")
        if key in _LISTS:
            values[key.lower()] = _list(value)
        elif key in _CHOICES:
            values[key.lower()] = "skill" if value.lower() == "workflow" else value.lower()
            if value and value.lower() not in _CHOICES[key]:
                wrong(key, f"{key} is one of {', '.join(_CHOICES[key])}")
        else:
            values[key.lower()] = value
    if not values.get("text"):
        wrong("TEXT", "this candidate has no TEXT")
    for key in ("UPDATE", "SUPERSEDES"):
        _check_ids(key, (block.fields.get(key, ("", 0))[0],), wrong)
    _check_ids("DEPENDS_ON", _list(block.fields.get("DEPENDS_ON", ("", 0))[0]), wrong)
    if values.get("update") and values.get("supersedes"):
        wrong("SUPERSEDES", "UPDATE and SUPERSEDES exclude each other: one changes a memory, the other replaces it")
    if len(problems) > before:
        return None
    return Candidate(**{"type": "", **values, "line": block.line})  # type: ignore[arg-type]


def _unusable(value: str) -> str:
    """Return what keeps ``value`` out of a memory file (F9), or ``""``."""
    if "\0" in value:
        return "a NUL character, which no memory file may hold"
    if any("\ud800" <= char <= "\udfff" for char in value):
        return "half of a character pair, which is no valid Unicode"
    size = len(value.encode())
    if size > MAX_BYTES:
        return f"{size} bytes; a memory has at most {MAX_BYTES} ({MAX_BYTES // 1024} KiB)"
    return ""


def _check_ids(key: str, ids: tuple[str, ...], wrong: Callable[[str, str], None]) -> None:
    for id_ in ids:
        if id_:
            try:
                check_id(id_)
            except UsageError as error:
                wrong(key, f"{key} takes the id of a memory: {error.message}")


def _list(value: str) -> tuple[str, ...]:
    """Split at commas, Chinese ones too; one pair of square brackets around the whole is taken off, doubles once."""
    if _bracketed(value):
        value = value[1:-1]
    return tuple(dict.fromkeys(item.strip() for item in value.translate(_COMMAS).split(",") if item.strip()))


def _bracketed(value: str) -> bool:
    return value.startswith("[") and value.endswith("]") and len(value) > 1


def _error(problems: list[_Problem]) -> UsageError:
    """Build the error that quotes each line, made harmless: it is printed, and an agent may read it."""
    listed: list[object] = []
    shown = []
    for problem in problems[:_LISTED]:
        quoted, reason = _quote(problem.quoted), _harmless(problem.reason)
        listed.append({"line": problem.line, "reason": reason, "text": quoted})
        shown.append(f"line {problem.line}: {reason}: {quoted}")
    more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
    details: dict[str, object] = {"problems": listed}
    if len(problems) > _LISTED:
        details["more"] = len(problems) - _LISTED
    return UsageError(
        "; ".join(shown[:5]) + more,
        hint=f"a candidate looks like this: {_EXAMPLE}",
        line=problems[0].line,
        details=details,
    )


def _quote(line: str) -> str:
    # Before the cut: half a key is no longer recognised. What is far behind it is not shown anyway.
    clean = _harmless(line[: _QUOTED * 20])
    return f'"{clean[:_QUOTED]}…"' if len(clean) > _QUOTED else f'"{clean}"'


def _harmless(text: str) -> str:
    """Return the text without secrets and without what could be read as more than text; a reason may hold some too."""
    from engram.safety.fence import show_inert
    from engram.safety.scan import redact, scan

    return show_inert(redact(text, [finding for finding in scan(text) if finding.group == "secret"]))
