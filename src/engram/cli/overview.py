"""``engram`` alone: what it is, how things stand here, what to do next."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.cli.output import Output

__all__ = ["overview"]


def overview(output: Output, words: Sequence[str]) -> int:
    """Print the overview, or with ``--help`` the list of commands.

    Raises:
        UsageError: for an option that does not exist.
    """
    from engram.cli.commands import all_commands, find_command
    from engram.cli.parser import help_text
    from engram.errors import UsageError

    names = [word for word in words if not word.startswith("-")]
    unknown = [word for word in words if word.startswith("-") and word not in {"--json", "--help", "-h"}]
    if unknown:
        raise UsageError(f"engram has no option {unknown[0]}.", hint="engram --help lists the commands.")
    if names[1:]:
        command = find_command(names[1])
        if command is None:
            raise UsageError(f"There is no command {names[1]}.", hint="engram --help lists the commands.")
        return output.page(help_text(command))
    if names or "--help" in words or "-h" in words:
        lines = ["usage: engram COMMAND [options]", "", "Memory for AI coding agents that you own.", "", "commands:"]
        commands = all_commands()
        width = max(len(command.name) for command in commands)
        lines += [f"  {command.name:<{width}} {command.summary}" for command in commands]
        lines += ["", "engram COMMAND --help explains one and shows an example."]
        lines.append(
            "Exit status: 0 ok, 1 error, 2 usage, 3 configuration, 4 integrity, 5 refused, 6 benchmark worse, "
            "7 not found, 130 interrupted."
        )
        return output.page("\n".join(lines))
    return _state(output)


def _state(output: Output) -> int:
    from engram.service.session import Session
    from engram.service.status import counts_line, review_lines, root_states, skipped_sentence
    from engram.version import __version__

    output.session = session = Session()
    session.progress = output.reading
    states = root_states(session)
    output.text(f"{output.paint('Engram', 'bold')} {__version__} - memory for AI coding agents that you own")
    output.text("")
    for state in states:
        output.line(counts_line(state))
        for line in review_lines(state):
            output.line(f"  {line}")
    workspace = next((state for state in states if state.scope == "workspace"), None)
    if workspace is None:
        output.line("There is no memory in this project yet.")
        following = "engram inject"
    elif workspace.foreign:
        output.line("It is foreign, since nobody on this machine has accepted it: reference only.")
        following = "engram trust"
    elif workspace.skipped:
        output.line(f"{skipped_sentence(workspace.skipped)}.")
        following = "engram verify"
    elif any(review_lines(state) for state in states):
        following = "engram review"
    elif not workspace.rules + workspace.skills + workspace.knowledge:
        following = 'engram save rule "a rule that this project lives by"'
    else:
        following = 'engram load "what you are about to do"'
    output.text(f"\nNext: {output.paint(following, 'cyan')}   (engram --help lists all commands)")
    return output.done({"version": __version__, "roots": [state.as_dict() for state in states], "next": following})
