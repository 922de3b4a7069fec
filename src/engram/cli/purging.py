"""``purge``: taking a memory out for ever, by a human at a terminal."""

from __future__ import annotations

from engram.cli.asking import ask_at_terminal, at_terminal
from engram.errors import RefusedError
from engram.safety.fence import show_line
from engram.service.purging import plan_purge, purge
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.git_history import InGit
    from engram.service.session import Session

__all__ = ["purge_command"]


def purge_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Show what would go, have the human type the id, take it out, and say where Git still has it (F17).

    Raises:
        RefusedError: where there is no terminal, before anything is read, or when the human does not type the id.
    """
    if not at_terminal():
        raise RefusedError(
            "engram purge asks a human at a terminal, and there is none.",
            hint="Run it at a terminal. engram archive takes a memory out of use and keeps it.",
        )
    plan = plan_purge(session, parsed.word("ID"))
    output.aside("These files would be gone for ever, with every copy that Engram made of them:")
    for root, path in plan.files:
        output.aside(show_line(f"  {root.path}/{path}"))
    answer = ask_at_terminal(f"Type {show_line(plan.id)} to purge it: ")
    if answer is None or answer.strip() != plan.id:
        raise RefusedError("Nothing was purged.")
    done = purge(session, plan)
    for path in done.gone:
        output.line(f"Gone: {path}")
    for path in done.cleaned:
        output.line(f"Cleaned: {path}")
    if done.named:
        output.line(
            f"{counted(len(done.named), 'memory')} still name it: {', '.join(done.named)}".replace(
                "memorys", "memories"
            )
        )
    for path in done.left:
        output.line(f"Some of its text still stands in {path}")
    for one in done.git:
        _say_git(one, output)
    if not done.git:
        output.line("Git does not have it.")
    data = {
        "id": plan.id,
        "gone": list(done.gone),
        "cleaned": list(done.cleaned),
        "named": list(done.named),
        "left": list(done.left),
        "git": [one.as_dict() for one in done.git],
    }
    return output.done(data)


def _say_git(one: InGit, output: Output) -> None:
    where = f"{counted(one.commits, 'commit')} of {one.top}" if one.commits else f"the index of {one.top}"
    output.line(f"Git still has it, in {where}:")
    for path in one.paths:
        output.line(f"  {path}")
    for line in one.how:
        output.line(line)
