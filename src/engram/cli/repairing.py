"""``repair``: what is damaged, why, and what mends it."""

from __future__ import annotations

from engram.errors import IntegrityError
from engram.service.repairing import Damage, examine_memory, mend_memory
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["repair_command"]


def repair_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Name the damage; with ``--fix`` mend what cannot lose anything first. Exit code 4 while damage remains."""
    mended = mend_memory(session) if parsed.given("fix") else []
    for one in mended:
        output.line(f"Mended {one.path}: {one.reason}.")
    found = examine_memory(session)
    roots = dict.fromkeys(one.root for one in found)
    for root in roots:
        output.line(f"{root}:")
        for one in found:
            if one.root == root:
                place = f" (line {one.line})" if one.line else ""
                output.line(f"  {one.kind}: {one.path}: {one.reason}{place}")
                output.line(f"      {one.mend}")
    fixable = sum(one.fixable for one in found)
    if not found:
        output.line("Nothing is damaged.")
    else:
        hint = f"; engram repair --fix mends {fixable} of them" if fixable else ""
        output.line(f"{counted(len(found), 'finding')}{hint}.")
    data = {"mended": [_as_data(one) for one in mended], "damage": [_as_data(one) for one in found]}
    return output.done(data, code=IntegrityError.exit_code if found else 0)


def _as_data(one: Damage) -> dict[str, object]:
    return one.as_dict()
