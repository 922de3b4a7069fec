"""What Engram leaves alone: ``.engramignore`` and ``ignore.patterns``, lines with the meaning that Git gives them.

A path that is left alone is not read, listed, indexed or scanned, and no message names it. Where there is no line at
all, which is the usual case, this costs a few stats; ``pathspec`` reads the lines, and is imported where there is one
(docs/decisions/0014).
"""

from __future__ import annotations

import os

from engram.errors import ConfigError
from engram.model import MAX_BYTES
from engram.portable import unreadable
from engram.store.files import IGNORE_FILE, read_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pathspec import GitIgnoreSpec

__all__ = ["Ignore"]

# A pattern becomes an expression in which each of several stars of one name may take any part of it: with so many the
# time for a long name still is milliseconds. A clone can bring both.
_MOST_STARS = 3
_LONGEST = 1000
# The group of pathspec's expressions that takes the slash behind a folder.
_FOLDER = "ps_d"
# Git's names for sets of characters, which pathspec takes for the letters of the name; none holds a slash.
_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "xdigit": "0-9a-fA-F",
    "blank": " \t",
    "space": " \t\r\v\f",
    "punct": ":-@[-`{-~!-.",
    "graph": "0-~!-.",
    "print": "0-~ -.",
    "cntrl": "\x01-\x1f\x7f",
}


class Ignore:
    """The lines that apply below one folder.

    A line in a folder's file counts for what is below that folder; a deeper file may take back what a higher one says,
    but nothing in a folder that is left alone whole. ``patterns`` only add.

    Args:
        top: the highest folder whose file counts, absolute and resolved.
        patterns: lines of the configuration (``ignore.patterns``).
        also: folders below ``top`` from which anchored ``patterns`` may start too.
    """

    def __init__(self, top: str, patterns: Sequence[str] = (), also: Sequence[str] = ()) -> None:
        self.top = top
        self._starts = ("", *(folder[len(top) + 1 :].replace(os.sep, "/") for folder in also if folder != top))
        self._own = _spec(patterns, "ignore.patterns")
        self._files: dict[str, GitIgnoreSpec | None] = {}
        self._folders: dict[str, bool] = {"": False}

    def ignores(self, path: str, *, folder: bool = False) -> bool:
        """Tell whether a file, or with ``folder`` a folder, is left alone.

        Args:
            path: relative to ``top``, with ``/``; what is not below ``top`` is never left alone.
            folder: whether it is a folder.

        Raises:
            ConfigError: when a file with patterns cannot be read: what it keeps private is not known then.
        """
        if path.startswith("../"):
            return False
        if folder:
            known = self._folders.get(path)
            if known is None:
                known = self._folders[path] = self.ignores(_above(path), folder=True) or self._says(f"{path}/")
            return known
        return self.ignores(_above(path), folder=True) or self._says(path)

    def _says(self, path: str) -> bool:
        """Return what the lines say of one path, its folders aside."""
        if self._own is not None:
            for start in self._starts:
                inner = path if not start else path[len(start) + 1 :] if path.startswith(f"{start}/") else ""
                if inner and _said(self._own, inner):
                    return True
        level = _above(path.rstrip("/"))
        while True:
            spec = self._in(level)
            if spec is not None:
                said = _said(spec, path[len(level) + 1 :] if level else path)
                if said is not None:
                    return said
            if not level:
                return False
            level = _above(level)

    def _in(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._files:
            file = os.path.join(self.top, *folder.split("/"), IGNORE_FILE)
            try:
                data = read_optional(file)
            except OSError as error:
                reason, hint = unreadable(error, file)
                raise _unreadable(file, reason, hint) from error
            if data is None:
                self._files[folder] = None
            else:
                if len(data) > MAX_BYTES:
                    raise _unreadable(file, f"it has more than {MAX_BYTES // 1024} KiB")
                try:
                    text = data.decode("utf-8-sig")
                except UnicodeDecodeError as error:
                    raise _unreadable(file, f"it is no UTF-8 (byte {error.start})") from error
                self._files[folder] = _spec(text.splitlines(), file)
        return self._files[folder]


def _said(spec: GitIgnoreSpec, path: str) -> bool | None:
    """Return what the last line says that matches a path itself, None where none does.

    To pathspec `!public/` matches all that is below the folder; to Git the folder alone: `drafts/` still counts in it.
    And `drafts/**` matches what is in the folder, not the folder, so that a later line may take some of it back.
    """
    name = path.rstrip("/")
    for pattern in reversed(spec.patterns):
        found = pattern.match_file(path) if pattern.include is not None else None
        if found is None:
            continue
        match = found.match
        if match.groupdict().get(_FOLDER):
            # `*/` alone is the first slash anywhere; any other begins where the path does and takes the last it can.
            itself = match.end(_FOLDER) == len(path) or (match.start() > 0 and name != path)
        else:
            itself = name == path or pattern.match_file(name) is not None
        if itself:
            return pattern.include
    return None


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _unreadable(file: str, reason: str, hint: str = "Mend that file, or take it away.") -> ConfigError:
    return ConfigError(
        f"{file} cannot be read ({reason}), so it is not known what is private here, and nothing is read.",
        hint=hint,
        path=file,
    )


def _spec(lines: Sequence[str], place: str) -> GitIgnoreSpec | None:
    """Return the lines ready to be asked, None where no line says anything."""
    kept = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        names = line.rstrip().split("/")
        if len(line) > _LONGEST or any(_stars(name) > _MOST_STARS for name in names):
            raise ConfigError(
                f"Line {number} of {place} is no pattern that Engram takes: a name in it may have {_MOST_STARS} stars.",
                hint="Write it as several lines.",
                path=place,
                line=number,
            )
        kept.append("/".join(name if set(name) == {"*"} else _spelt(_single(name)) for name in line.split("/")))
    if not kept:
        return None
    try:
        from pathspec import GitIgnoreSpec
    except ImportError as error:
        raise ConfigError(
            f"{place} has patterns, and the package pathspec that reads them is not installed.",
            hint="It comes with Engram: pip install pathspec",
            path=place,
        ) from error
    import re  # pathspec has both already
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # `[[]` is a bracket to Git, and to an expression today
            return GitIgnoreSpec.from_lines(kept)
    except (ValueError, re.error) as error:  # `[z-a]` becomes an expression that is none
        raise ConfigError(f"{place} has a line that is no pattern: {error}", path=place) from error


def _spelt(name: str) -> str:
    """Return a name with Git's names for characters (``[[:digit:]]``) as the characters themselves."""
    at = name.find("[:")
    while at >= 0:
        end = name.find(":]", at)
        characters = _CLASSES.get(name[at + 2 : end]) if end >= 0 else None
        if characters and name.rfind("[", 0, at) > name.rfind("]", 0, at):
            name = name[:at] + characters + name[end + 2 :]
            at += len(characters) - 1
        at = name.find("[:", at + 1)
    return name


def _stars(name: str) -> int:
    return _single(name).count("*")


def _single(name: str) -> str:
    """Return a name with runs of stars as one, which is what they mean within a name."""
    while "**" in name:
        name = name.replace("**", "*")
    return name
