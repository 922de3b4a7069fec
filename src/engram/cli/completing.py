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
# What a word means for one command only.
_OWN_WORDS: dict[tuple[str, str], tuple[str, ...]] = {("scan", "FORMAT"): ("text", "json", "sarif")}
_HOSTS = tuple(name for host in HOSTS for name in (host.id, *host.aliases))
_HOST_WORDS = {"link": (*_HOSTS, "all", "list"), "unlink": (*_HOSTS, "all"), "hook": tuple(sorted(EVENTS))}
_ACTIONS = {
    "config": ("view", "get", "set", "unset", "explain", "schema"),
    "author": ("set", "show"),
    "semantic": ("on", "off", "status"),
    "review": ("show",),
}
_KEY_ACTIONS = ("get", "set", "unset", "explain")
# What can be set is known for these keys.
_CHOICES = {key.name: key.choices for key in KEYS if key.choices}
_FILES = frozenset({"PATH", "FILE", "FOLDER", "CASES"})
# Asked for when a word is completed. A clone may bring a memory whose name a shell would act on: it is not offered.
_IDS = r"""_engram_ids() {
  engram list 2>/dev/null | sed -n "s/^\\([^][ '\"\$&()*;<>?\\\`{|}~!#]*\\)  \\[.*/\\1/p"
}
"""
_FISH_IDS = r"""
function __engram_ids
  engram list 2>/dev/null | string replace -rf '^(\S+)  \[.*' '$1'
end
"""

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


def _meant(command: Command, word: str) -> tuple[str, ...]:
    """Return what can be put where help of a command shows a word."""
    return _OWN_WORDS.get((command.name, word)) or _WORDS.get(word, ())


def _words(command: Command) -> tuple[str, ...]:
    """Return what can stand as a command's own words: the first one, but where there can be many."""
    found = list(_ACTIONS.get(command.name, ()))
    for argument in command.arguments:
        found += _HOST_WORDS.get(command.name, ()) if argument.name == "HOST" else _meant(command, argument.name)
    return tuple(found)


def _later(command: Command) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return what can stand behind a command's own words, by those words."""
    if command.name != "config":
        return {}
    keys = tuple(key.name for key in KEYS)
    return {
        **{(action,): keys for action in _KEY_ACTIONS},
        **{("set", name): choices for name, choices in _CHOICES.items()},
    }


def _many(command: Command) -> bool:
    return any(argument.many for argument in command.arguments)


def _takes_ids(command: Command) -> bool:
    return any(argument.name == "ID" for argument in command.arguments)


def _takes_files(command: Command) -> bool:
    return any(argument.name in _FILES for argument in command.arguments)


def _values(command: Command) -> dict[str, str]:
    """Return the options that take the next word as their value, with the word that stands for it in help."""
    return {f"--{one.name}": one.value for one in _own_and_common(command) if one.value and not one.optional}


def _bash() -> str:
    cases = []
    for command in all_commands():
        lines = [f"    {'|'.join((command.name, *command.aliases))})", '      case "$before" in']
        for option, word in _values(command).items():
            if word in _FILES:
                does = "_engram_files"
            else:
                known = "$(_engram_ids)" if word in {"ID", "IDS"} else " ".join(_meant(command, word))
                does = f'COMPREPLY=($(compgen -W "{known}" -- "$word"))'
            lines.append(f"        {option}) {does}; return ;;")
        lines += ["      esac", f'      options="{" ".join(_options(command))}"', '      case "$given" in']
        place = "*" if _many(command) else '""'
        if words := _words(command):
            lines.append(f'        {place}) words="{" ".join(words)}" ;;')
        for given, later in _later(command).items():
            lines.append(f'        " {" ".join(given)}") words="{" ".join(later)}" ;;')
        lines.append("      esac")
        if _takes_ids(command):
            lines.append('      words="$words $(_engram_ids)"')
        lines.append('      [ "${word#-}" != "$word" ] || COMPREPLY=($(compgen -W "$words" -- "$word"))')
        if _takes_files(command):
            lines.append('      [ "${word#-}" != "$word" ] || _engram_files')
        cases.append("\n".join([*lines, "      ;;"]))
    body = "\n".join(cases)
    valued = "|".join(sorted({option for command in all_commands() for option in _values(command)}))
    free = "|".join(
        f'"{name} --{option.name}"'
        for command in all_commands()
        for name in (command.name, *command.aliases)
        for option in command.options
        if option.optional
    )
    return f"""\
# Completion of engram for bash: eval "$(engram completion bash)"
{_IDS}\
_engram_files() {{
  local name
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$word")
  compopt -o filenames 2>/dev/null
}}
_engram() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} joined=""
  # For zsh --option=value is one word.
  case "$word" in --*=*) joined=${{word%%=*}}=; before=${{word%%=*}}; word=${{word#*=}} ;; esac
  _engram_word
  [ -z "$joined" ] || COMPREPLY=("${{COMPREPLY[@]/#/$joined}}")
}}
_engram_word() {{
  local options="" words="" command="" given="" one at=1
  COMPREPLY=()
  # For bash --option=value is three words.
  if [ "$word" = "=" ]; then word=""; elif [ "$before" = "=" ]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  while [ "$at" -lt "$COMP_CWORD" ]; do
    one=${{COMP_WORDS[at]}}
    at=$((at + 1))
    case "$command $one" in
      {free}) ;;
      *" ="|" -"*) ;;
      *" -"*) case "$one" in {valued}) [ "${{COMP_WORDS[at]}}" = "=" ] || at=$((at + 1)) ;; esac ;;
      *) if [ -z "$command" ]; then command=$one; else given="$given $one"; fi ;;
    esac
    [ "$one" != "=" ] || at=$((at + 1))
  done
  case "$command" in
    "") COMPREPLY=($(compgen -W "{" ".join(_names())} --help --version" -- "$word")) ;;
{body}
  esac
  # Options are offered where one was begun, and where nothing else can stand.
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -W "$options" -- "$word"))
}}
complete -F _engram engram
"""


def _fish() -> str:
    lines = [
        "# Completion of engram for fish: engram completion fish | source",
        _FISH_IDS.strip(),
        "complete -c engram -f",
        "complete -c engram -n __fish_use_subcommand -s h -l help -d 'show help'",
        "complete -c engram -n __fish_use_subcommand -l version -d 'show the version'",
    ]
    for command in all_commands():
        lines += [
            f"complete -c engram -n __fish_use_subcommand -a {name} -d {_quoted(command.summary)}"
            for name in (command.name, *command.aliases)
        ]
        seen = f"__fish_seen_subcommand_from {' '.join((command.name, *command.aliases))}"
        later = _later(command)
        if words := _words(command):
            first = "" if _many(command) else f"; and not __fish_seen_subcommand_from {' '.join(words)}"
            lines.append(f"complete -c engram -n '{seen}{first}' -a '{' '.join(words)}'")
        for given, then in later.items():
            behind = "".join(f"; and __fish_seen_subcommand_from {word}" for word in given)
            behind += f"; and not __fish_seen_subcommand_from {' '.join(then)}"
            lines.append(f"complete -c engram -n '{seen}{behind}' -a '{' '.join(then)}'")
        if _takes_ids(command):
            lines.append(f"complete -c engram -n '{seen}' -a '(__engram_ids)'")
        if _takes_files(command):
            lines.append(f"complete -c engram -n '{seen}' -F")
        for option in _own_and_common(command):
            short = f" -s {option.short}" if option.short else ""
            value = ""
            if option.value in _FILES and not option.optional:
                value = " -r -F"
            elif option.value and not option.optional:
                known = "(__engram_ids)" if option.value in {"ID", "IDS"} else " ".join(_meant(command, option.value))
                value = f" -x -a '{known}'"
            lines.append(f"complete -c engram -n '{seen}' -l {option.name}{short}{value} -d {_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def _powershell() -> str:
    rows = []
    for command in all_commands():
        table = {
            (): (*_options(command), *_words(command)),
            **{given: (*then, *_options(command)) for given, then in _later(command).items()},
        }
        for name in (command.name, *command.aliases):
            for given, words in table.items():
                known = ", ".join(map(_quoted, words))
                rows.append(f"    {_quoted(' '.join((name, *given)))} = @({known})")
    names = ", ".join(_quoted(name) for name in _names())
    body = "\n".join(rows)
    return f"""\
# Completion of engram for PowerShell: engram completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName engram -ScriptBlock {{
  param($word, $ast, $position)
  $commands = @({names})
  $words = @{{
{body}
  }}
  $given = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object {{ $_.ToString() }})
  if ($word -and $given.Count) {{ $given = @($given | Select-Object -SkipLast 1) }}
  $place = @($given | Where-Object {{ $_ -notlike '-*' }})
  $found = if ($place.Count -eq 0) {{ $commands }} else {{
    $key = $place -join ' '
    if ($words.ContainsKey($key)) {{ $words[$key] }} else {{ $words[$place[0]] }}
  }}
  $found | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }}
}}
"""


def _quoted(text: str) -> str:
    """Return a text in single quotes, as fish and PowerShell both read it where it holds none."""
    return "'" + text.replace("'", "’") + "'"
