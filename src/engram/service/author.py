"""Who is writing (F6a)."""

from __future__ import annotations

import os

from engram.config.author import AUTHOR_FILE, Author, account_name, choose_author, read_authors
from engram.store.files import read_optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.session import Session

__all__ = ["author_file", "author_of"]


def author_file(session: Session) -> str:
    """Return where ``engram author set`` keeps its answer: in the user's folder, never in a repository."""
    return os.path.join(session.config_dir, AUTHOR_FILE)


def author_of(session: Session) -> Author:
    """Return who memories that are saved now are by; where nobody said it, that is said once (F6a).

    Raises:
        ConfigError: when the file with the authors is no JSON.
    """
    from engram.roots.git_process import git_identity

    path = author_file(session)
    data = read_optional(path)
    saved = {} if data is None else read_authors(data.decode("utf-8", "replace"), path)
    folder = session.workspace.project if session.workspace else session.start
    author = choose_author(
        environ=session.environ,
        saved=saved,
        root=session.workspace.root if session.workspace else "",
        git=lambda: git_identity(folder),
        account=lambda: account_name(session.environ),
    )
    if author.is_stopgap:
        session.say(
            "info",
            "author",
            f"Nobody said who you are, so the author is {author.name}.",
            hint='Say it once: engram author set "Your Name" you@example.com',
        )
    return author
