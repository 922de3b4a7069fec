r"""A candidate as a text that a person edits: one field a line, the further lines of a text indented.

The grammar of F19 has no form for a text of several lines; here it has one.

>>> from engram.proposals.candidates import Candidate
>>> print(sheet_of(Candidate(type="rule", text="Use pnpm.\nnpm rewrites the lockfile.")), end="")
TYPE: rule
TEXT: Use pnpm.
  npm rewrites the lockfile.
>>> candidate_of_sheet("TYPE: rule\nTEXT: Use pnpm.\n  npm rewrites the lockfile.\n").text
'Use pnpm.\nnpm rewrites the lockfile.'
"""

from __future__ import annotations

from engram.errors import UsageError
from engram.proposals.candidates import KEYS, candidate_of_values
from engram.text.lines import unix_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.proposals.candidates import Candidate

__all__ = ["candidate_of_sheet", "sheet_of"]

_INDENT = "  "


def sheet_of(candidate: Candidate) -> str:
    """Return a candidate's fields, those that are empty left out; ``candidate_of_sheet`` reads it back the same.

    Blanks at the ends of a value, and empty lines there, are no part of it.
    """
    lines = []
    for key in KEYS:
        value = getattr(candidate, key.lower())
        if value:
            text = ", ".join(value) if isinstance(value, tuple) else unix_lines(value).strip()
            first, *rest = text.split("\n")
            lines.append(f"{key}: {first}".rstrip())
            lines += [f"{_INDENT}{line}" if line.strip() else "" for line in rest]
    return "".join(f"{line}\n" for line in lines)


def candidate_of_sheet(text: str) -> Candidate:
    """Return the candidate of a sheet. Lines that begin with ``#`` say something to the person and are left out.

    Raises:
        UsageError: for a line that is neither a field nor indented, a field that is unknown or there twice, and what
            ``parse_candidates`` refuses; with the line.
    """
    fields: dict[str, tuple[list[str], int]] = {}
    key = ""
    for number, line in enumerate(unix_lines(text.removeprefix("\ufeff")).split("\n"), 1):
        if line.startswith("#"):
            continue
        if not line.strip() or line[0] in " \t":
            if key:
                fields[key][0].append(line.removeprefix("\t") if line.startswith("\t") else line.removeprefix(_INDENT))
            elif line.strip():
                raise _wrong(number, "it is indented, and no field comes before it")
            continue
        name, colon, value = line.partition(":")
        key = name.strip().upper()
        if not colon or key not in KEYS:
            raise _wrong(number, f"a field is one of {', '.join(KEYS)}; further lines of a text are indented")
        if key in fields:
            raise _wrong(number, f"{key} stands there twice")
        fields[key] = ([value.strip()], number)
    joined = {key: ("\n".join(lines).strip(), line) for key, (lines, line) in fields.items()}
    return candidate_of_values({key: pair for key, pair in joined.items() if pair[0]})


def _wrong(line: int, reason: str) -> UsageError:
    return UsageError(f"Line {line} cannot be read: {reason}.", line=line)
