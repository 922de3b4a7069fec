"""Who a memory's author is (F6a): the first complete one of the environment, ``engram author set``, Git, the account.

``author.json`` in the user's configuration folder, never in a repository::

    {"all": {"name": "Ada", "email": "ada@example.org"}, "roots": {"/home/ada/shop/.agents/.engram": {…}}}
"""

from __future__ import annotations

from engram.config.files import syntax_error
from engram.config.keys import shown
from engram.errors import ConfigError, UsageError
from engram.record import Record
from engram.text.jsonc import JsoncError, parse
from engram.text.jsonc_edit import set_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    Origin = Literal["environment", "root", "all", "git", "account"]

__all__ = ["AUTHOR_FILE", "Author", "account_name", "choose_author", "read_authors", "set_author"]

AUTHOR_FILE = "author.json"


class Author(Record):
    """A name, an e-mail and where they are from; ``account`` is the stopgap, with an empty e-mail."""

    name: str
    email: str
    origin: Origin

    @property
    def is_stopgap(self) -> bool:
        """Whether nobody said who the author is: to be said once, with ``engram author set`` (F6a)."""
        return self.origin == "account"


def choose_author(
    *,
    environ: Mapping[str, str],
    saved: Mapping[str, Author],
    root: str,
    git: Callable[[], tuple[str, str]],
    account: Callable[[], str],
) -> Author:
    """Return the first complete author: one with a name and an e-mail. There is always one (F6a).

    Args:
        environ: the environment, for ``ENGRAM_AUTHOR_NAME`` and ``ENGRAM_AUTHOR_EMAIL``.
        saved: what ``read_authors`` returned.
        root: the memory root's path, as it was given to ``set_author``.
        git: returns Git's name and e-mail, either may be empty; asked only when it is needed.
        account: returns the account's name; asked only when nothing else is complete.
    """
    name, email = _clean(environ.get("ENGRAM_AUTHOR_NAME", "")), _clean(environ.get("ENGRAM_AUTHOR_EMAIL", ""))
    if name and email:
        return Author(name, email, "environment")
    if author := saved.get(root) or saved.get(""):
        return author
    name, email = map(_clean, git())
    if name and email:
        return Author(name, email, "git")
    return Author(_clean(account()) or "unknown", "", "account")


def read_authors(text: str, file: str = AUTHOR_FILE) -> dict[str, Author]:
    """Return the authors that ``engram author set`` kept, by root; ``""`` is the one for all roots.

    Incomplete entries are left out: the next source counts.

    Raises:
        ConfigError: for a text that is not JSON, with line and column, or that is no object.
    """
    data = _parse(text, file)
    roots = data.get("roots")
    authors = {root: _author(entry, "root") for root, entry in roots.items()} if isinstance(roots, dict) else {}
    authors[""] = _author(data.get("all"), "all")
    return {root: author for root, author in authors.items() if author}


def set_author(text: str, *, name: str, email: str, root: str, file: str = AUTHOR_FILE) -> str:
    """Return ``author.json`` with an author set for one root, or for all where ``root`` is empty.

    Args:
        text: the file as it is; empty where there is none yet.
        name: one line.
        email: one line without blanks.
        root: the memory root's path, or "".
        file: the file's name for messages.

    Raises:
        UsageError: for an empty or impossible name or e-mail, or a path that UTF-8 cannot hold.
        ConfigError: for a text that is not JSON, with line and column.
    """
    for what, value in (("name", name), ("e-mail", email)):
        if not value.strip() or value != _clean(value):
            raise UsageError(f"the author's {what} must be one line of text, not {shown(value)}")
    if any(char in email for char in " <>"):
        raise UsageError(f"the author's e-mail must be an address alone, not {shown(email)}")
    text = text or "{}\n"
    _parse(text, file)
    path = ("roots", root) if root else ("all",)
    try:
        return set_value(text, path, {"name": name, "email": email})
    except JsoncError as error:
        raise syntax_error(file, error) from error
    except ValueError as error:
        raise UsageError(f"{file} cannot hold the path {root!a}: its bytes are not UTF-8") from error


def account_name(environ: Mapping[str, str]) -> str:
    """Return the name of the account: its full name where the system has one, else its login; "" if nothing tells."""
    try:
        import os
        import pwd

        entry = pwd.getpwuid(os.getuid())
    except (ImportError, KeyError):  # Windows; a container's user without an account
        return next((environ[key] for key in ("USER", "LOGNAME", "USERNAME") if environ.get(key)), "")
    return entry.pw_gecos.split(",")[0].replace("&", entry.pw_name.capitalize()) or entry.pw_name


def _parse(text: str, file: str) -> dict[str, object]:
    try:
        data = parse(text)
    except JsoncError as error:
        raise syntax_error(file, error) from error
    if not isinstance(data, dict):
        raise ConfigError(f"{file} must hold an object in braces", hint="Correct the file by hand.", path=file, line=1)
    return data


def _author(entry: object, origin: Origin) -> Author | None:
    if not isinstance(entry, dict):
        return None
    name, email = entry.get("name"), entry.get("email")
    if not isinstance(name, str) or not isinstance(email, str) or not _clean(name) or not _clean(email):
        return None
    return Author(_clean(name), _clean(email), origin)


def _clean(text: str) -> str:
    """Return a text on one line, without what a file in UTF-8 or a terminal cannot take."""
    kept = "".join(" " if char < " " or char == "\x7f" else char for char in text if not "\ud800" <= char <= "\udfff")
    return " ".join(kept.split())
