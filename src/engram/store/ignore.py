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
                if inner and self._own.check_file(inner).include:
                    return True
        level = _above(path.rstrip("/"))
        while True:
            spec = self._in(level)
            if spec is not None:
                said = spec.check_file(path[len(level) + 1 :] if level else path).include
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
        kept.append("/".join(name if set(name) == {"*"} else _single(name) for name in line.split("/")))
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
    try:
        return GitIgnoreSpec.from_lines(kept)
    except ValueError as error:
        raise ConfigError(f"{place} has a line that is no pattern: {error}", path=place) from error


def _stars(name: str) -> int:
    return _single(name).count("*")


def _single(name: str) -> str:
    """Return a name with runs of stars as one, which is what they mean within a name."""
    while "**" in name:
        name = name.replace("**", "*")
    return name
