"""Where the user's own files are, and one configuration file, read: its keys, the unknown ones, and what is wrong.

Configuration is in a folder of its own (F4), and so is, in the user's cache, what is derived of a read-only checkout
(F3). The functions for places take the environment, so that a test or another face can give its own, and touch no disk.

``{"load": {"limit": 6}}`` is the usual shape; ``{"load.limit": 6}`` means the same. Both at once is an error.
"""

from __future__ import annotations

import os
import stat
import sys

from engram.config.keys import find, is_group, shown, validate
from engram.errors import ConfigError
from engram.model import MAX_BYTES
from engram.portable import BINARY, NONBLOCK, away_line, extended, unreadable
from engram.record import Record
from engram.text.plain_json import read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.text.jsonc import JsoncError

__all__ = [
    "CONFIG_NAME",
    "ConfigFile",
    "Place",
    "cache_home",
    "config_dir",
    "embedding_table",
    "expand",
    "home_dir",
    "read_config",
    "scan_config",
    "syntax_error",
]

CONFIG_NAME = "engram.config.json"


def home_dir(environ: Mapping[str, str], *, platform: str = sys.platform) -> str:
    """Return the home folder: ``HOME`` (``USERPROFILE`` on Windows), else what the account says; "" if nothing does."""
    if home := environ.get("USERPROFILE" if platform == "win32" else "HOME"):
        return home
    if platform == "win32":
        drive, path = environ.get("HOMEDRIVE", ""), environ.get("HOMEPATH", "")
        return drive + path if path else ""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a container's user without an account
        return ""


def expand(path: str, environ: Mapping[str, str], *, platform: str = sys.platform) -> str:
    """Return a path with a leading ``~`` replaced by the home folder; ``~name`` is left as it is."""
    if path == "~" or path.startswith(("~/", "~\\") if platform == "win32" else "~/"):
        home = home_dir(environ, platform=platform)
        if home:
            return home.rstrip("/\\" if platform == "win32" else "/") + path[1:] if path != "~" else home
    return path


def config_dir(environ: Mapping[str, str], *, platform: str = sys.platform) -> str:
    """Return the user's configuration folder: ``ENGRAM_CONFIG_DIR``, default ``~/.engram`` (F4). It may not exist."""
    given = environ.get("ENGRAM_CONFIG_DIR") or "~/.engram"
    return os.path.abspath(expand(given, environ, platform=platform))


def cache_home(environ: Mapping[str, str], *, platform: str = sys.platform) -> str:
    """Return Engram's folder among the user's caches, by the custom of the platform. It may not exist.

    ``XDG_CACHE_HOME`` counts where it is absolute, as its specification says.
    """
    home = home_dir(environ, platform=platform)
    if platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        given = environ.get("XDG_CACHE_HOME", "")
        base = given if os.path.isabs(given) else os.path.join(home, ".cache")
    return os.path.join(base, "engram")


def embedding_table(environ: Mapping[str, str], *, platform: str = sys.platform) -> str:
    """Return the file that recall by meaning looks words up in, one for all memory of a user; it may not exist."""
    return os.path.join(cache_home(environ, platform=platform), "embeddings.sqlite")


class Place(Record):
    """A value in a file: the keys that lead to it, as they are spelled there, and the value as read."""

    path: tuple[str, ...]
    value: object


class ConfigFile(Record):
    """The keys of one file: the known ones by name, and the unknown ones, which are kept and ignored (F21)."""

    file: str
    text: str
    known: dict[str, Place]
    unknown: dict[str, Place]

    def value(self, name: str) -> object:
        """Return the value of a key that stands in the file.

        Raises:
            ConfigError: names the file, the line, the key, what was given and what is allowed.
        """
        place = self.known[name]
        try:
            return validate(name, place.value, self.file)
        except ConfigError as error:
            error.path, error.line = self.file, self.line(place)
            raise

    def line(self, place: Place) -> int:
        """Return the 1-based line of a value: counted when it is asked for, a clone's file may hold many keys."""
        from engram.text.jsonc import position, read_tree

        node, at = read_tree(self.text), 0
        for key in place.path:
            member = next(member for member in node.members or () if member.key == key)
            node, at = member.value, member.start
        return position(self.text, at)[0]


def read_config(file: str) -> ConfigFile | None:
    """Return the keys of a configuration file, unchecked; None where there is no file.

    Raises:
        ConfigError: for a file that cannot be read or is not JSON with comments, with line and column.
    """
    data = _read(file)
    if data is None:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        from engram.text.jsonc import JsoncError, position

        line, column = position(data[: error.start].decode("utf-8"), error.start)
        raise syntax_error(file, JsoncError("the bytes here are not UTF-8", line, column)) from error
    return scan_config(text, file)


def scan_config(text: str, file: str) -> ConfigFile:
    """Return the keys of a configuration text, unchecked; ``file`` is named in messages.

    Raises:
        ConfigError: for a text that is not JSON with comments, a key that is spelled in two ways, or a group of keys
            that is no object.
    """
    plain = read_plain(text)
    value = plain[0] if plain else None
    if not isinstance(value, dict):
        value = _read_closely(text, file)
    found = ConfigFile(file, text, {}, {})
    _collect(value, (), found)
    return found


def _read_closely(text: str, file: str) -> dict[str, object]:
    from engram.text.jsonc import JsoncError, position, read_tree

    try:
        tree = read_tree(text)
    except JsoncError as error:
        raise syntax_error(file, error) from error
    if not isinstance(tree.value, dict):
        line, column = position(text, tree.start)
        raise syntax_error(file, JsoncError("the settings must stand in braces: { }", line, column))
    return tree.value


def syntax_error(file: str, error: JsoncError) -> ConfigError:
    """Return the error for a file that is not JSON, named with line and column; nothing was written."""
    return ConfigError(
        f"{file} is not valid JSON: line {error.line}, column {error.column}: {error.reason}",
        hint="Correct the file by hand; Engram has not changed it.",
        path=file,
        line=error.line,
        details={"column": error.column, "reason": error.reason},
    )


def _collect(values: dict[str, object], path: tuple[str, ...], found: ConfigFile) -> None:
    for key, value in values.items():
        here = (*path, key)
        name = ".".join(here)
        group = is_group(name)
        if group and isinstance(value, dict):
            _collect(value, here, found)
            continue
        place = Place(here, value)
        known = find(name) is not None
        if group and not known:
            raise ConfigError(
                f'"{name}" in {found.file} is {shown(place.value)}, but must hold its keys in braces',
                hint=f'For example: "{name}": {{}}',
                path=found.file,
                line=found.line(place),
            )
        names = found.known if known else found.unknown
        if known and name in names:
            raise ConfigError(
                f"{name} stands twice in {found.file}, in lines {found.line(names[name])} and {found.line(place)}",
                hint="Keep one of them.",
                path=found.file,
                line=found.line(place),
            )
        names[name] = place


def _read(file: str) -> bytes | None:
    """Return a file's bytes; a clone may bring a pipe, a device or a huge file under this name, so the kind counts."""
    try:
        handle = os.open(extended(file), os.O_RDONLY | NONBLOCK | BINARY)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unread(error, file) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            hint = f"Put a JSON file there once it is moved away, or nothing: {away_line(file)}"
            raise ConfigError(f"{file} is not a regular file", hint=hint, path=file)
        chunks = []
        size = 0
        while chunk := os.read(handle, MAX_BYTES + 1):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_BYTES:
                raise ConfigError(f"{file} is larger than {MAX_BYTES // 1024} KiB, which no settings need", path=file)
    except OSError as error:
        raise _unread(error, file) from error
    finally:
        os.close(handle)
    return b"".join(chunks)


def _unread(error: OSError, file: str) -> ConfigError:
    return ConfigError(f"{file} cannot be read: {error.strerror}", hint=unreadable(error, file)[1], path=file)
