"""Where the user's own folders are: configuration (F4) and, for derived data of a read-only checkout, the cache (F3).

All functions take the environment, so that a test or another face can give its own; none of them touches the disk.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_home", "config_dir", "embedding_table", "expand", "home_dir"]


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
