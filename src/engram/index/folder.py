"""The folder for what is derived of a root."""

from __future__ import annotations

import os

__all__ = ["make_cache"]


def make_cache(cache: str) -> None:
    """Make a folder for derived files that no Git repository takes in."""
    os.makedirs(cache, exist_ok=True)
    ignore = os.path.join(cache, ".gitignore")
    if not os.path.lexists(ignore):
        # A folder that another program made may lack the line in its own .gitignore (F3).
        with open(ignore, "w", encoding="utf-8", newline="\n") as file:
            file.write("*\n")
