"""What a host would meet when it starts what was registered, and what others would when they pull it (C4)."""

from __future__ import annotations

import shutil

from engram.hosts.launch import shell_line
from engram.service.link_files import tracked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.hosts.launch import Launch
    from engram.service.link_report import LinkResult
    from engram.service.session import Session

__all__ = ["try_commands", "warn_about_paths"]


def try_commands(session: Session, launch: Launch, commands: Sequence[tuple[str, ...]], folder: str) -> None:
    """Start each command that was registered once, and say what is wrong with it.

    Args:
        session: where one is; it is told.
        launch: how hosts start this installation; what ``uvx`` runs is not started.
        commands: the words of each.
        folder: where to start them.
    """
    from engram.service.handshake import desktop_environment, shake_hands

    if launch.kind == "pinned" and commands:
        there = shutil.which("uvx", path=desktop_environment(session.environ)["PATH"])
        where = "" if there else "uvx is not on the PATH of programs started from the desktop; install uv. "
        message = f"{where}The first start of {shell_line(commands[0])} downloads the package."
        session.say("info" if there else "warning", "first_start", message)
        return
    for words in commands:
        answer = shake_hands(words, session.environ, folder)
        if answer.trouble:
            session.say("warning", "server_start", f"{answer.trouble}.", hint=f"{answer.remedy}.")


def warn_about_paths(session: Session, launch: Launch, results: Sequence[LinkResult]) -> None:
    """Say where a path of this machine stands in a file that Git tracks: it means nothing to others."""
    if launch.kind != "path":
        return
    done = ("added", "updated", "unchanged")
    files = [result.file for result in results if result.part in {"mcp", "hooks"} and result.action in done]
    for file in tracked(list(dict.fromkeys(files))):
        session.say(
            "warning",
            "path_in_git",
            f"{file} is tracked by Git, and now names {launch.server[0]}, a path of this machine only.",
            path=file,
            hint="Do not commit that change, or install a release and run engram link again.",
        )
