"""What must not become memory, and how text is shown inert. Pure: no I/O, nothing outside ``model`` and ``errors``.

Use ``check`` at the door (before anything is shown for approval), ``scan`` and ``redact`` where a caller decides for
itself, and ``engram.safety.fence`` on the way out. Importing this package compiles no pattern and loads no ``re``.
"""

from __future__ import annotations

from engram.safety.finding import Checked, Finding
from engram.safety.scan import check, redact, refusal, scan

__all__ = ["Checked", "Finding", "check", "redact", "refusal", "scan"]
