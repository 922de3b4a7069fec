"""The settings that count here, and where each came from (F21).

Layers, the later over the earlier: defaults, the user's own file, the global memory's file, the workspace's file, the
environment. A workspace file may come with a clone, so what it may do is limited by its key's ``workspace_rule``; what
did not count is kept in ``Settings.not_counted`` for ``engram config view``.

What is done with a finding is looked up by name first and by layer second: ``safety.<group>.<kind>`` wherever it is
set, else ``safety.<group>`` wherever it is set, else the table's defaults. So a person's exception for one kind holds
when a nearer file changes the group, and a group that somebody sets holds for all its kinds without an exception.
"""

from __future__ import annotations

import os

from engram.config.files import expand, read_config
from engram.config.keys import KEYS, Key, find, parse_text, require, variable_of
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Action = Literal["block", "redact", "allow"]
    Layer = Literal["default", "user", "global", "workspace", "environment"]

__all__ = ["Entry", "NotCounted", "Settings", "UnknownKey", "find_global_path", "load_settings"]

# Variables that are no key: where there are only these, no key's variable need be looked for.
_OTHERS = ("ENGRAM_AUTHOR_EMAIL", "ENGRAM_AUTHOR_NAME", "ENGRAM_CONFIG_DIR", "ENGRAM_SESSION_OBJECTIVE")
_ACTIONS: dict[object, Action] = {"block": "block", "redact": "redact", "allow": "allow"}


class Entry(Record):
    """A key's effective value; ``where`` is the file or the environment variable, empty for a default."""

    name: str
    value: object
    layer: Layer = "default"
    where: str = ""


class NotCounted(Record):
    """A value that stands in a file and does not count, with the reason, for ``engram config view``."""

    key: str
    value: object
    file: str
    reason: str


class UnknownKey(Record):
    """A key that Engram does not know, in a file or a variable: kept and ignored (F21)."""

    key: str
    file: str


class Settings:
    """The effective values; without arguments, the defaults."""

    __slots__ = ("_set", "not_counted", "unknown")

    def __init__(
        self,
        entries: Mapping[str, Entry] | None = None,
        not_counted: tuple[NotCounted, ...] = (),
        unknown: tuple[UnknownKey, ...] = (),
    ) -> None:
        self._set = dict(entries or {})
        self.not_counted = not_counted
        self.unknown = unknown

    def entry(self, name: str) -> Entry:
        """Return a key's effective value with its origin.

        Raises:
            UsageError: for an unknown key, with the closest names.
        """
        if found := self._set.get(name):
            return found
        key = require(name)
        group, _, _ = name.rpartition(".")
        if key.workspace_rule == "safety" and (found := self._set.get(group)):
            return found.replace(name=name)
        return Entry(name, key.default)

    def entries(self) -> tuple[Entry, ...]:
        """Return every key of the table, then every kind of finding that is set beside them, by name."""
        names = [key.name for key in KEYS]
        return tuple(self.entry(name) for name in (*names, *sorted(self._set.keys() - set(names))))

    def get(self, name: str) -> object:
        """Return a key's effective value; raises as ``entry``."""
        return self.entry(name).value

    def integer(self, name: str) -> int:
        """Return the value of a key of type integer, in the key's unit; raises as ``entry``."""
        value = self.get(name)
        assert isinstance(value, int)
        return value

    def string(self, name: str) -> str:
        """Return the value of a key of type enum or path, a path absolute or empty for none; raises as ``entry``."""
        value = self.get(name)
        assert isinstance(value, str)
        return value

    def strings(self, name: str) -> tuple[str, ...]:
        """Return the value of a key of type list; raises as ``entry``."""
        value = self.get(name)
        assert isinstance(value, tuple)
        return value

    def action(self, group: str, kind: str) -> Action:
        """Return what is done with a finding of a group and kind; a hyphen in the kind counts as ``_``.

        Raises:
            UsageError: for a group that does not exist, or a kind that no key can name.
        """
        return _ACTIONS[self.get(f"safety.{group}.{kind.replace('-', '_')}")]


def load_settings(
    *,
    workspace_file: str | None,
    global_file: str | None,
    user_file: str | None,
    environ: Mapping[str, str],
    workspace_trusted: bool,
) -> Settings:
    """Return the settings that count, from the files that exist and the environment.

    Args:
        workspace_file: ``engram.config.json`` of the workspace's root.
        global_file: that of the global root, see ``find_global_path``.
        user_file: that of the user's configuration folder.
        environ: the environment; a variable that is empty counts as not set.
        workspace_trusted: whether a human of this machine accepted the workspace's root (F18).

    Raises:
        ConfigError: for a file that is not JSON, with line and column, or a value that is not allowed.
    """
    entries: dict[str, Entry] = {}
    not_counted: list[NotCounted] = []
    unknown: list[UnknownKey] = []
    files: list[tuple[Layer, str]] = []
    if user_file:
        files.append(("user", user_file))
    if global_file and global_file != user_file:
        files.append(("global", global_file))
    if workspace_file:
        files.append(("workspace", workspace_file))
    for layer, file in files:
        config = read_config(file)
        if config is None:
            continue
        below = Settings(entries)
        unknown += [UnknownKey(name, file) for name in config.unknown]
        for name, place in config.known.items():
            key = require(name)
            if key.workspace_rule == "never" and layer != "user":
                reason = "only your own configuration file or the environment can set it"
                not_counted.append(NotCounted(name, place.value, file, reason))
                continue
            value = config.value(name)
            if layer == "workspace" and (reason := _why_not(key, value, below, trusted=workspace_trusted)):
                not_counted.append(NotCounted(name, value, file, reason))
                continue
            if key.type == "path":
                value = _folder(value, os.path.dirname(file), environ)
            if key.workspace_rule == "adds":
                value = _added(below, name, value)
            if key.workspace_rule != "stricter" or value != below.get(name):
                entries[name] = Entry(name, value, layer, file)
    unknown += _from_environment(entries, environ)
    return Settings(entries, tuple(not_counted), tuple(unknown))


def find_global_path(*, user_file: str | None, environ: Mapping[str, str]) -> str:
    """Return the folder of the global memory, absolute, or "" for none: it is known before its own file is read.

    Raises:
        ConfigError: as ``load_settings``.
    """
    wanted = ("ENGRAM_GLOBAL_DIR", "HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH")
    only = {name: environ[name] for name in wanted if name in environ}
    settings = load_settings(
        workspace_file=None, global_file=None, user_file=user_file, environ=only, workspace_trusted=False
    )
    return settings.string("global_path")


def _why_not(key: Key, value: object, below: Settings, *, trusted: bool) -> str:
    """Return why a workspace file's value does not count over the settings below it, "" where it does (F21)."""
    if not key.strictness:
        return ""
    held = below.get(key.name)
    if key.strictness.index(str(value)) >= key.strictness.index(str(held)):
        return ""
    if key.workspace_rule == "stricter":
        return f"a workspace file can only make it stricter than {held}"
    if key.name.split(".")[1] == "secret":
        return f"a workspace file can never make it looser than {held} for secrets"
    return "" if trusted else f"a workspace that is not trusted cannot make it looser than {held}: engram trust"


def _added(below: Settings, name: str, value: object) -> tuple[str, ...]:
    """Return a list with what other files say before it: a nearer one takes nothing back."""
    assert isinstance(value, tuple)
    return tuple(dict.fromkeys((*below.strings(name), *value)))


def _folder(value: object, base: str, environ: Mapping[str, str]) -> str:
    """Return a folder's absolute path; one that is relative starts at ``base``, an empty one stays empty."""
    return os.path.abspath(os.path.join(base, expand(str(value), environ))) if value else ""


def _from_environment(entries: dict[str, Entry], environ: Mapping[str, str]) -> list[UnknownKey]:
    """Put the environment's values over the others; return the variables that look like a key and are none."""
    if not any(variable.startswith("ENGRAM_") and variable not in _OTHERS for variable in environ):
        return []
    names = {variable_of(key.name): key.name for key in KEYS}
    unknown = []
    for variable in environ:
        if variable.startswith("ENGRAM_SAFETY_") and variable not in names:
            group, _, kind = variable.removeprefix("ENGRAM_SAFETY_").lower().partition("_")
            name = f"safety.{group}.{kind}"
            if find(name):
                names[variable] = name
            else:
                unknown.append(UnknownKey(variable, "the environment"))
    for variable, name in names.items():
        if text := environ.get(variable):
            value = parse_text(name, text, f"the environment variable {variable}")
            if name == "global_path":
                value = _folder(value, "", environ)
            if require(name).workspace_rule == "adds":
                value = _added(Settings(entries), name, value)
            entries[name] = Entry(name, value, "environment", variable)
    return unknown
