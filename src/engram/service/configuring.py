"""Seeing and changing settings, and who the author is (F6a, F21)."""

from __future__ import annotations

import os

from engram.config.author import Author, read_authors, set_author
from engram.config.edit import set_key, unset_key
from engram.config.files import CONFIG_NAME, expand
from engram.config.keys import find, parse_text, validate
from engram.errors import ConfigError, UsageError
from engram.service.author import author_file
from engram.store.files import atomic_write, digest, inside, read_optional
from engram.store.write import Write
from engram.text.jsonc import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.service.session import Session

__all__ = ["change_setting", "remember_author", "set_roles", "set_rule_variant"]

_MOST_ROLES = 2000  # characters of all roles together


def change_setting(session: Session, name: str, text: str | None, *, everywhere: bool) -> tuple[str, bool, object]:
    """Set a key, or with None take it out; comments and everything else in the file stay.

    Args:
        session: where one is.
        name: a key of the table.
        text: the value as typed.
        everywhere: change the user's own configuration instead of the workspace's.

    Returns:
        The file, whether it changed, and the value that stands there now, None for none.

    Raises:
        ConfigError: for a value that is not allowed, or a file that is no JSON: it is not overwritten.
        UsageError: for an unknown key, or setting one that never counts in a workspace.
        NotFoundError: where there is no workspace.
    """
    key = find(name)
    if key is not None and key.workspace_rule == "never" and not everywhere and text is not None:
        raise UsageError(
            f"{name} never counts in a workspace, whose files may come with a clone.", hint="Add --global."
        )
    value = None if text is None else validate(name, parse_text(name, text), "the command line")
    if value and key is not None and key.type == "path" and not os.path.isabs(expand(str(value), session.environ)):
        value = os.path.abspath(str(value))  # from where it was typed; in the file it would begin at the file's folder
    if everywhere:
        data = read_optional(session.user_file)
        new = _edited(session.user_file, data, name, value)
        if new != data:
            atomic_write(session.user_file, new)
        _say_if_not_counted(session, name, value)
        return session.user_file, new != data, value
    root = session.require_workspace().root
    path = inside(root, CONFIG_NAME)
    with session.writer(root) as writer:
        data = read_optional(path)
        new = _edited(path, data, name, value)
        if new != data:
            what = f"unset {name}" if text is None else f"set {name}"
            writer.apply([Write(CONFIG_NAME, "" if data is None else digest(data), new)], what, "command")
    _say_if_not_counted(session, name, value)
    return path, new != data, value


def set_roles(session: Session, roles: Iterable[str]) -> tuple[str, ...]:
    """Set the roles of this workspace, none to clear them; return those that count now.

    Raises:
        ConfigError: for a role that cannot stand in a file, or too many of them.
        NotFoundError: where there is no workspace.
    """
    wanted = [role.strip() for role in roles if role.strip()]
    session.settings.strings("roles")  # nothing is written beside settings that cannot be read
    if sum(map(len, wanted)) > _MOST_ROLES:
        raise ConfigError(
            f"The roles have {sum(map(len, wanted)):,} characters, and {_MOST_ROLES:,} is the most.",
            hint="A role is a short name, such as backend.",
        )
    change_setting(session, "roles", dumps(wanted) if wanted else None, everywhere=False)
    if not wanted and session.settings.strings("roles"):
        change_setting(session, "roles", "[]", everywhere=False)  # over those of the user's own file
    _say_if_overruled(session, "roles", tuple(wanted))
    return session.settings.strings("roles")


def set_rule_variant(session: Session, variant: str) -> None:
    """Set which variant of its rules this workspace uses.

    Raises:
        ConfigError: for a variant that there is not.
        NotFoundError: where there is no workspace.
    """
    session.settings.string("rule_variant")  # nothing is written beside settings that cannot be read
    change_setting(session, "rule_variant", variant, everywhere=False)
    _say_if_overruled(session, "rule_variant", variant)


def _say_if_overruled(session: Session, name: str, wanted: object) -> None:
    entry = session.settings.entry(name)
    if entry.value != wanted and entry.layer != "default":
        session.say("warning", "overruled", f"{entry.where} sets {name} too, and that counts.", path=entry.where)


def _say_if_not_counted(session: Session, name: str, value: object) -> None:
    """A value that was set and does not count would be a claim of success (F21)."""
    session.forget_settings()
    try:
        found = session.settings.not_counted
    except ConfigError as error:
        # It is written all the same, as it has to be where it mends one of several.
        said = f"{name} is written, and counts once this is mended: {error.message}"
        session.say("warning", "not_counted", said, path=error.path)
        return
    for item in found:
        if item.key == name:
            session.say(
                "warning", "not_counted", f"{name} does not count in {item.file}: {item.reason}", path=item.file
            )
            return
    key = find(name)
    if value is not None and key is not None and key.type != "path" and key.workspace_rule != "adds":
        _say_if_overruled(session, name, value)


def remember_author(session: Session, name: str, email: str, *, everywhere: bool) -> Author:
    """Keep who is writing, for this root or for all, in the user's configuration folder (F6a).

    Raises:
        UsageError: for an empty name or an address that is none.
    """
    path = author_file(session)
    data = read_optional(path)
    workspace = session.workspace
    root = "" if everywhere or workspace is None else workspace.root
    text = set_author("" if data is None else data.decode("utf-8"), name=name, email=email, root=root, file=path)
    atomic_write(path, text.encode("utf-8"), mode=0o600)
    return read_authors(text, path)[root]


def _edited(path: str, data: bytes | None, name: str, value: object) -> bytes:
    if data is None:
        text = "{}\n"
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path} is not UTF-8 (byte {error.start}).", path=path) from error
    edited = unset_key(text, name, path) if value is None else set_key(text, name, value, path)
    return edited.encode("utf-8")
