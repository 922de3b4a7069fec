"""``completion``: scripts that complete commands, options and words, made from the table of commands."""

from __future__ import annotations

from engram.cli.commands import all_commands
from engram.cli.parser import COMMON
from engram.config.keys import KEYS
from engram.errors import UsageError
from engram.hooks.events import EVENTS
from engram.hosts.table import HOSTS
from engram.recall.rank import SIGNALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Command, Option, Parsed
    from engram.service.session import Session

__all__ = ["completion_command", "completion_script"]

_SHELLS = ("bash", "zsh", "fish", "powershell")
# The words that stand for a place in help: what can be put there.
_WORDS: dict[str, tuple[str, ...]] = {
    "SCOPE": ("workspace", "global", "both"),
    "KIND": ("rule", "skill", "knowledge"),
    "HOW": ("auto", "bodies", "cards"),
    "FORMAT": ("text", "mermaid", "dot"),
    "SHELL": _SHELLS,
    "SIGNALS": tuple(SIGNALS),
    "MODE": ("auto", "startup", "always", "manual", "off"),
}
_HOSTS = tuple(name for host in HOSTS for name in (host.id, *host.aliases))
_HOST_WORDS = {"link": (*_HOSTS, "all", "list"), "unlink": (*_HOSTS, "all"), "hook": tuple(sorted(EVENTS))}
_ACTIONS = {
    "config": ("view", "get", "set", "unset", "explain", "schema"),
    "author": ("set", "show"),
    "semantic": ("on", "off", "status"),
}
# Words of a command after which another list is offered.
_AFTER = {"config": (("get", "set", "unset", "explain"), tuple(key.name for key in KEYS))}
_FILES = frozenset({"PATH", "FILE", "FOLDER", "CASES"})
# Asked for when a word is completed: the ids that there are.
_IDS = "engram list 2>/dev/null | cut -d ' ' -f 1"


_ZSH = """\
# Completion of engram for zsh: source <(engram completion zsh)
(( $+functions[compdef] )) || { autoload -U compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
"""


def completion_command(_session: Session, parsed: Parsed, output: Output) -> int:
    """Print the script for a shell."""
    script = completion_script(parsed.word("SHELL"))
    output.text(script.rstrip("\n"))
    return output.done({"shell": parsed.word("SHELL"), "script": script})


def completion_script(shell: str) -> str:
    """Return the script that a shell reads.

    Raises:
        UsageError: for a shell that there is none for.
    """
    match shell:
        case "bash":
            return _bash()
        case "zsh":
            return _ZSH + _bash()
        case "fish":
            return _fish()
        case "powershell":
            return _powershell()
        case _:
            raise UsageError(f"There is no completion for {shell}.", hint=f"There is one for {', '.join(_SHELLS)}.")


def _names() -> list[str]:
    return [name for command in all_commands() for name in (command.name, *command.aliases)]


def _own_and_common(command: Command) -> list[Option]:
    """Return a command's options, and those of every command that it does not have in a form of its own."""
    own = {option.name for option in command.options}
    return [*command.options, *(option for option in COMMON if option.name not in own)]


def _options(command: Command) -> list[str]:
    options = _own_and_common(command)
    return [f"--{option.name}" for option in options] + [f"-{option.short}" for option in options if option.short]


def _words(command: Command) -> list[str]:
    """Return what can stand as a command's own words."""
    found = list(_ACTIONS.get(command.name, ()))
    for argument in command.arguments:
        found += _HOST_WORDS.get(command.name, ()) if argument.name == "HOST" else _WORDS.get(argument.name, ())
    return found


def _takes_ids(command: Command) -> bool:
    return any(argument.name == "ID" for argument in command.arguments)


def _values(command: Command) -> dict[str, str]:
    """Return the options that take the next word as their value, with the word that stands for it in help."""
    return {f"--{one.name}": one.value for one in _own_and_common(command) if one.value and not one.optional}


def _bash() -> str:
    cases = []
    for command in all_commands():
        values = _values(command)
        lines = [f"    {'|'.join((command.name, *command.aliases))})"]
        after = _AFTER.get(command.name)
        if values or after:
            lines.append('      case "$before" in')
            if after:
                known = " ".join(after[1])
                lines.append(f'        {"|".join(after[0])}) COMPREPLY=($(compgen -W "{known}" -- "$word")); return ;;')
            for option, word in values.items():
                if word in _FILES:
                    lines.append(f'        {option}) COMPREPLY=($(compgen -f -- "$word")); return ;;')
                elif word in {"ID", "IDS"}:
                    lines.append(f'        {option}) COMPREPLY=($(compgen -W "$({_IDS})" -- "$word")); return ;;')
                else:
                    known = " ".join(_WORDS.get(word, ()))
                    lines.append(f'        {option}) COMPREPLY=($(compgen -W "{known}" -- "$word")); return ;;')
            lines.append("      esac")
        words = " ".join(_words(command))
        ids = f" $({_IDS})" if _takes_ids(command) else ""
        files = " -f" if any(argument.name in _FILES for argument in command.arguments) else ""
        lines.append(f'      options="{" ".join(_options(command))}"')
        lines.append(
            f'      [ "${{word#-}}" != "$word" ] || COMPREPLY=($(compgen{files} -W "{words}{ids}" -- "$word")) ;;'
        )
        cases.append("\n".join(lines))
    body = "\n".join(cases)
    return f"""\
# Completion of engram for bash: eval "$(engram completion bash)"
_engram() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(_names())} --help --version" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{body}
  esac
  # Options are offered where one was begun, and where nothing else can stand.
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -W "$options" -- "$word"))
}}
complete -F _engram engram
"""


def _fish() -> str:
    lines = ["# Completion of engram for fish: engram completion fish | source", "complete -c engram -f"]
    for command in all_commands():
        lines += [
            f"complete -c engram -n __fish_use_subcommand -a {name} -d {_quoted(command.summary)}"
            for name in (command.name, *command.aliases)
        ]
        names = " ".join((command.name, *command.aliases))
        seen = f"'__fish_seen_subcommand_from {names}'"
        if after := _AFTER.get(command.name):
            behind = f"'{seen[1:-1]}; and __fish_seen_subcommand_from {' '.join(after[0])}'"
            lines.append(f"complete -c engram -n {behind} -a '{' '.join(after[1])}'")
        if words := _words(command):
            lines.append(f"complete -c engram -n {seen} -a '{' '.join(words)}'")
        if _takes_ids(command):
            lines.append(f'complete -c engram -n {seen} -a "({_IDS})"')
        if any(argument.name in _FILES for argument in command.arguments):
            lines.append(f"complete -c engram -n {seen} -F")
        for option in _own_and_common(command):
            short = f" -s {option.short}" if option.short else ""
            value = ""
            if option.value and not option.optional:
                known = " ".join(_WORDS.get(option.value, ()))
                value = " -r -F" if option.value in _FILES else f" -x -a '{known}'"
            lines.append(f"complete -c engram -n {seen} -l {option.name}{short}{value} -d {_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def _powershell() -> str:
    rows = []
    for command in all_commands():
        words = ", ".join(
            _quoted(word) for word in [*_options(command), *_words(command), *_AFTER.get(command.name, ((), ()))[1]]
        )
        rows += [f"    {_quoted(name)} = @({words})" for name in (command.name, *command.aliases)]
    names = ", ".join(_quoted(name) for name in _names())
    table = "\n".join(rows)
    return f"""\
# Completion of engram for PowerShell: engram completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName engram -ScriptBlock {{
  param($word, $ast, $position)
  $commands = @({names})
  $words = @{{
{table}
  }}
  $given = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object {{ $_.ToString() }})
  $found = if ($given.Count -eq 0 -or ($given.Count -eq 1 -and $word)) {{ $commands }} else {{ $words[$given[0]] }}
  $found | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }}
}}
"""


def _quoted(text: str) -> str:
    """Return a text in single quotes, as fish and PowerShell both read it where it holds none."""
    return "'" + text.replace("'", "’") + "'"
