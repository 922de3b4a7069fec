"""Where hosts keep their files here: what the places in braces of the tables stand for."""

from __future__ import annotations

import os
import sys

from engram.config.files import expand, home_dir
from engram.portable import WINDOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.hosts.part import Host

__all__ = ["desktop_path", "is_here", "place", "places"]


def places(environ: Mapping[str, str], project: str) -> dict[str, str]:
    """Return each place by its name.

    Args:
        environ: the environment; several hosts let a variable move their folder.
        project: the project's folder; ``""`` where only the user's own files are asked for.
    """
    home = home_dir(environ)

    def moved(variable: str, usual: str) -> str:
        given = environ.get(variable, "")
        return os.path.abspath(expand(given, environ)) if given else os.path.join(home, usual)

    given = environ.get("XDG_CONFIG_HOME", "")
    config = given if os.path.isabs(given) else os.path.join(home, ".config")
    # Where VS Code keeps what holds for all projects: code.visualstudio.com/docs/configure/settings.
    code = config
    if sys.platform == "darwin":
        code = os.path.join(home, "Library", "Application Support")
    elif WINDOWS:
        code = environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    gemini = os.path.join(moved("GEMINI_CLI_HOME", ""), ".gemini")
    return {
        "project": project,
        "home": home,
        "claude": moved("CLAUDE_CONFIG_DIR", ".claude"),
        "codex": moved("CODEX_HOME", ".codex"),
        "gemini": gemini,
        "gemini_folders": moved("GEMINI_CLI_TRUSTED_FOLDERS_PATH", os.path.join(gemini, "trustedFolders.json")),
        "opencode": os.path.join(config, "opencode"),
        "vscode_user": os.path.join(code, "Code", "User"),
        "cline_settings": moved(
            "CLINE_MCP_SETTINGS_PATH", os.path.join(".cline", "data", "settings", "cline_mcp_settings.json")
        ),
    }


def place(template: str, where: Mapping[str, str]) -> str:
    """Return the path that a template means."""
    name, _, rest = template.removeprefix("{").partition("}")
    return os.path.join(where[name], *rest.strip("/").split("/")) if rest else where[name]


def is_here(host: Host, environ: Mapping[str, str]) -> bool:
    """Tell whether a host is on this machine: one of its commands on PATH, or one of its folders."""
    import shutil

    where = places(environ, "")
    search = environ.get("PATH", os.defpath)
    return any(shutil.which(program, path=search) for program in host.programs) or any(
        os.path.isdir(place(folder, where)) for folder in host.folders
    )


def desktop_path(environ: Mapping[str, str], *, platform: str = sys.platform) -> str:
    """Return the PATH that a program has which was started from the desktop and not from a shell (C4)."""
    if platform == "win32":  # there both are the registry's, but for what activating an environment put before it
        inner = environ.get("VIRTUAL_ENV") or environ.get("CONDA_PREFIX") or ""
        folders = environ.get("PATH", "").split(";")
        return ";".join(folder for folder in folders if not inner or not folder.lower().startswith(inner.lower()))
    if platform == "darwin":
        return "/usr/bin:/bin:/usr/sbin:/sbin"
    system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    # Sessions of the common distributions put this one first, where it is.
    return f"{os.path.join(home_dir(environ), '.local', 'bin')}:{system}"
