"""``config`` and ``author``."""

from __future__ import annotations

from engram.errors import UsageError
from engram.safety.fence import show_line
from engram.service.author import author_of
from engram.service.configuring import change_setting, remember_author

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["author_command", "config_command", "set_read_command"]


def config_command(session: Session, parsed: Parsed, output: Output) -> int:
    """``config view|get|set|unset|explain|schema``."""
    action, key = parsed.word("ACTION") or "view", parsed.word("KEY")
    has_value = "VALUE" in parsed.words
    match action:
        case "view" if not key:
            return _view(session, output)
        case "get" if key and not has_value:
            entry = session.settings.entry(key)
            output.line(_shown(entry.value))
            return output.done({"key": key, "value": entry.value, "layer": entry.layer, "where": entry.where})
        case "explain" if key and not has_value:
            return _explain(session, key, output)
        case "schema" if not key:
            from engram.config.schema import config_schema
            from engram.text.jsonc import dumps

            schema = config_schema()
            output.text(dumps(schema, indent=2))
            return output.done(schema)
        case "set" if key and has_value:
            file, changed, value = change_setting(session, key, parsed.word("VALUE"), everywhere=parsed.given("global"))
            shown = _shown(value)
            output.line(f"{key} = {shown} in {file}" if changed else f"{key} is {shown} already in {file}")
            return output.done({"key": key, "file": file, "changed": changed})
        case "unset" if key and not has_value:
            file, changed, _ = change_setting(session, key, None, everywhere=parsed.given("global"))
            output.line(f"{key} is no longer set in {file}" if changed else f"{key} is not set in {file}")
            return output.done({"key": key, "file": file, "changed": changed})
        case _:
            raise UsageError(
                "engram config does not understand that.",
                hint="engram config view, get KEY, set KEY VALUE, unset KEY or explain KEY; a list in one word: a,b",
            )


def _explain(session: Session, name: str, output: Output) -> int:
    """Say what a key means, what it may be, what it is, and where that comes from."""
    from engram.config.keys import require
    from engram.config.schema import key_lines

    key = require(name)
    entry = session.settings.entry(name)
    lines = [*key_lines(key), f"Now: {_shown(entry.value)}, from {entry.where or entry.layer}."]
    for line in lines:
        output.line(line)
    for item in session.settings.not_counted:
        if item.key == name:
            output.line(f"Not counted: {_shown(item.value)} in {item.file}: {item.reason}")
    return output.done({"key": name, "value": entry.value, "layer": entry.layer, "where": entry.where, "text": lines})


def set_read_command(session: Session, parsed: Parsed, output: Output) -> int:
    """``set-read MODE`` is ``config set read MODE`` (F21)."""
    mode = parsed.word("MODE")
    file, changed, _ = change_setting(session, "read", mode, everywhere=parsed.given("global"))
    output.line(f"read = {mode} in {file}" if changed else f"read is {mode} already in {file}")
    return output.done({"key": "read", "value": mode, "file": file, "changed": changed})


def author_command(session: Session, parsed: Parsed, output: Output) -> int:
    """``author set|show``."""
    action, name, email = parsed.word("ACTION") or "show", parsed.word("NAME"), parsed.word("EMAIL")
    if action == "set" and name and email:
        author = remember_author(session, name, email, everywhere=parsed.given("global"))
        output.line(f"{author.name} <{author.email}> ({author.origin})")
    elif action == "show" and not name:
        author = author_of(session)
        output.line(f"{author.name} <{author.email}> ({author.origin})")
    else:
        raise UsageError(
            "engram author does not understand that.", hint='engram author set "Your Name" you@example.com'
        )
    return output.done({"name": author.name, "email": author.email, "origin": author.origin})


def _view(session: Session, output: Output) -> int:
    settings = session.settings
    rows = settings.entries()
    width = max(len(entry.name) for entry in rows)
    for entry in rows:
        origin = output.paint(show_line(f"  ({entry.where or entry.layer})"), "dim") if entry.layer != "default" else ""
        output.text(f"{show_line(f'{entry.name:<{width}}  {_shown(entry.value)}')}{origin}")
    for item in settings.not_counted:
        output.line(f"Not counted: {item.key} = {_shown(item.value)} in {item.file}: {item.reason}")
    for unknown in settings.unknown:
        output.line(f"Unknown, kept: {unknown.key} in {unknown.file}")
    return output.done(
        {
            "settings": [entry.as_dict() for entry in rows],
            "not_counted": [item.as_dict() for item in settings.not_counted],
            "unknown": [item.as_dict() for item in settings.unknown],
        }
    )


def _shown(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return ", ".join(str(part) for part in value) or "(none)"
    return str(value) if value != "" else "(none)"
