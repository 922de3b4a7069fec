"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 file`` or ``2 files``; ``plural`` is for a noun that takes more than an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"
