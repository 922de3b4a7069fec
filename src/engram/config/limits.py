"""Time limits that nobody sets, and that a variable of the environment can only shorten: tests need not wait for them.

>>> shortened({"ENGRAM_HOOK_TIMEOUT": "0.5"}, "ENGRAM_HOOK_TIMEOUT", 2.0)
0.5
>>> shortened({"ENGRAM_HOOK_TIMEOUT": "60"}, "ENGRAM_HOOK_TIMEOUT", 2.0)
2.0
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["shortened"]


def shortened(environ: Mapping[str, str], variable: str, seconds: float) -> float:
    """Return a limit in seconds: what the variable says where that is a shorter time, ``seconds`` otherwise."""
    try:
        return max(0.0, min(seconds, float(environ.get(variable, ""))))
    except ValueError:
        return seconds
