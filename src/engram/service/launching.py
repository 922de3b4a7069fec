"""How hosts start this installation's programs (C4): by name, pinned through ``uvx``, or by their absolute path."""

from __future__ import annotations

import os
import shutil
import sys

from engram.errors import EngramError
from engram.hosts.launch import PACKAGE, PROGRAM, SERVER, Launch, pinned
from engram.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["find_launch", "own_program"]


def find_launch(environ: Mapping[str, str]) -> Launch:
    """Return the words that start the server and ``engram`` from a host's file.

    Raises:
        EngramError: where Engram runs from a folder that has no program a host could start.
    """
    if _stands_on_path(SERVER, environ) and _stands_on_path(PROGRAM, environ):
        return Launch((SERVER,), (PROGRAM,), "bare", f"the {SERVER} on PATH is this installation's")
    requirement, local = _source()
    if not local:
        why = f"the {SERVER} on PATH is not this installation's, or goes with an activated environment"
        return Launch(pinned(requirement, SERVER), pinned(requirement, PROGRAM), "pinned", why)
    server, program = own_program(SERVER), own_program(PROGRAM)
    if not server or not program:
        raise EngramError(
            f"This Engram runs from a folder without a program {SERVER} that a host could start.",
            hint="Install it from that folder, then link again.",
        )
    return Launch((server,), (program,), "path", "Engram was installed from a folder of this machine")


def own_program(name: str) -> str:
    """Return the absolute path of a program of this installation, ``""`` where there is none."""
    import sysconfig

    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    user = sysconfig.get_preferred_scheme("user")
    if user in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", user))
    for folder in folders:
        if found := shutil.which(name, path=folder or os.devnull):
            return os.path.abspath(found)
    return ""


def _stands_on_path(name: str, environ: Mapping[str, str]) -> bool:
    """Tell whether a program on PATH is this installation's, in a folder that a host started elsewhere has too."""
    found = shutil.which(name, path=environ.get("PATH", os.defpath))
    own = own_program(name)
    if not found or not own or os.path.realpath(found) != os.path.realpath(own):
        return False
    folder = os.path.realpath(os.path.dirname(os.path.abspath(found)))
    activated = [environ.get(variable, "") for variable in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    return not any(env and _is_below(folder, os.path.realpath(env)) for env in activated)


def _source() -> tuple[str, bool]:
    """Return what ``uvx`` gets this installation from (PEP 610), and whether it is a folder of this machine."""
    from importlib.metadata import PackageNotFoundError, distribution

    release = f"{PACKAGE}=={__version__}"
    try:
        text = distribution(PACKAGE).read_text("direct_url.json")
    except PackageNotFoundError:
        return release, True
    if not text:
        return release, False
    import json

    origin = json.loads(text)
    url = str(origin.get("url", ""))
    vcs = origin.get("vcs_info")
    if vcs:
        commit = vcs.get("commit_id") or vcs.get("requested_revision") or ""
        folder = f"#subdirectory={origin['subdirectory']}" if origin.get("subdirectory") else ""
        return f"{vcs.get('vcs', 'git')}+{url}@{commit}{folder}", url.startswith("file:")
    return url, "dir_info" in origin or url.startswith("file:")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
