"""What a person or a program sees: text, or one JSON envelope; errors once, without a traceback."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.errors import EngramError
    from engram.service.session import Session

__all__ = ["CONTRACT_VERSION", "Output", "prepare_streams"]

CONTRACT_VERSION = "1"
_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def prepare_streams() -> None:
    """Make both streams UTF-8 whatever the locale says; what cannot be encoded is shown escaped.

    A stream that the caller closed (``>&-``) goes nowhere: Python has ``None`` for it, which nobody can write to.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (it lives as long as we do)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class Output:
    """Where a command's result goes.

    Args:
        as_json: True for the envelope ``{contract_version, ok, data | error, diagnostics}`` on standard output.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.session: Session | None = None

    def text(self, text: str) -> None:
        """Print text for a person on standard output; nothing in JSON mode."""
        if not self.as_json:
            print(text)

    def page(self, text: str) -> int:
        """Print a page of help and return 0; in JSON mode it is the envelope's ``data.text``."""
        self.text(text.rstrip("\n"))
        if self.as_json:
            self.done({"text": text.rstrip("\n")})
        return 0

    def aside(self, text: str) -> None:
        """Print something beside the result, on standard error."""
        print(text, file=sys.stderr)

    def done(self, data: object, *, code: int = 0) -> int:
        """End a command: notices go to standard error, in JSON mode everything into one envelope.

        Returns:
            ``code``.
        """
        if self.as_json:
            self._envelope({"contract_version": CONTRACT_VERSION, "ok": code == 0, "data": data})
        else:
            self._notices()
        return code

    def fail(self, error: EngramError) -> int:
        """Say what went wrong and return the exit code that it gives.

        An error quotes what was typed, and a key may have been typed in the wrong place: secrets are masked (C3).
        """
        if self.as_json:
            shown = _without_secrets(error.as_dict())
            self._envelope({"contract_version": CONTRACT_VERSION, "ok": False, "error": shown})
            return error.exit_code
        self._notices()
        place = f" (line {error.line})" if error.line and f"line {error.line}" not in error.message else ""
        self.aside(f"{self.paint('error:', 'red', sys.stderr)} {_without_secrets(error.message)}{place}")
        if error.hint:
            self.aside(f"{_without_secrets(error.hint)}")
        return error.exit_code

    def paint(self, text: str, colour: str, stream: object = None) -> str:
        """Colour text, on a terminal only, and never where NO_COLOR is set (no-color.org)."""
        out = sys.stdout if stream is None else stream
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not _is_terminal(out):
            return text
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"

    def _notices(self) -> None:
        for notice in self.session.notices if self.session else ():
            mark = self.paint(f"{notice.level}:", "yellow", sys.stderr)
            self.aside(f"{mark} {notice.message}" + (f" {notice.hint}" if notice.hint else ""))

    def _envelope(self, envelope: dict[str, object]) -> None:
        import json

        envelope["diagnostics"] = [notice.as_data() for notice in self.session.notices] if self.session else []
        print(json.dumps(envelope, ensure_ascii=False, indent=2))


def _without_secrets(value: object) -> object:
    """Return plain data with every secret in its texts replaced by what it is."""
    if isinstance(value, dict):
        return {name: _without_secrets(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_secrets(part) for part in value]
    if not isinstance(value, str):
        return value
    from engram.safety import redact, scan

    return redact(value, [finding for finding in scan(value) if finding.group == "secret"])


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())
