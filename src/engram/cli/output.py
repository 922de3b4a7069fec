"""What a person or a program sees: text, or one JSON envelope; errors once, without a traceback."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.errors import EngramError
    from engram.service.session import Session

__all__ = ["Output", "OutputError", "is_terminal", "prepare_streams"]

# A rebuild of fewer files is over before anybody could read about it.
_SAID_FROM = 5000
_COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class OutputError(OSError):
    """Standard output cannot be written: a full disk, not a fault of any file that is read."""


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
        self._half_line = False
        self._fenced = False

    def text(self, text: str) -> None:
        """Print text for a person on standard output; nothing in JSON mode."""
        if not self.as_json:
            self._end_line()
            _print(self._out(text))

    def line(self, text: str) -> None:
        """Print one line, nothing in JSON mode: whatever it quotes (a path, an id, a value), it stays one and inert."""
        if not self.as_json:
            from engram.safety.fence import show_line

            self._end_line()
            _print(self._out(show_line(text)))

    def page(self, text: str) -> int:
        """Print a page of help and return 0; in JSON mode it is the envelope's ``data.text``."""
        self.text(text.rstrip("\n"))
        if self.as_json:
            self.done({"text": text.rstrip("\n")})
        return 0

    def aside(self, text: str) -> None:
        """Print something beside the result, on standard error."""
        self._end_line()
        print(self._out(text), file=sys.stderr)

    def over(self, text: str) -> None:
        """Show how far something is: a line on standard error, written over by the next one; a terminal's only."""
        sys.stderr.write(f"\r{text}")
        sys.stderr.flush()
        self._half_line = True

    def reading(self, count: int) -> None:
        """Show how far a rebuild of the index is: a line that is written over at a terminal, elsewhere one sentence."""
        if is_terminal(sys.stderr):
            self.over(f"Reading memory: {count:,} files …")
        elif count == _SAID_FROM:
            self.aside("Reading all memory once to index it …")

    def done(self, data: object, *, code: int = 0, fenced: bool = False) -> int:
        """End a command: notices go to standard error, in JSON mode everything into one envelope.

        Args:
            data: the result.
            code: the exit code.
            fenced: whether ``data.text`` is memory in Engram's own fence, which stands as it is.

        Returns:
            ``code``.
        """
        self._fenced = fenced
        if self.as_json:
            self._envelope({"ok": code == 0, "data": data})
        else:
            self._notices()
        return code

    def fail(self, error: EngramError) -> int:
        """Say what went wrong and return the exit code that it gives.

        An error quotes what was typed, and a key may have been typed in the wrong place: secrets are masked (C3).
        """
        from engram.safety.scan import mask_secrets

        message, hint = (_quoted(mask_secrets(text)) for text in (error.message, error.hint))
        if self.as_json:
            shown = {**error.as_dict(), "message": message, **({"hint": hint} if hint else {})}
            self._envelope({"ok": False, "error": _plain(shown)})
            return error.exit_code
        self._notices()
        place = f" (line {error.line})" if error.line and f"line {error.line}" not in error.message else ""
        self.aside(f"{self.paint('error:', 'red', sys.stderr)} {message}{place}")
        if hint:
            self.aside(hint)
        return error.exit_code

    def paint(self, text: str, colour: str, stream: object = None) -> str:
        """Colour text, on a terminal only, and never where NO_COLOR is set (no-color.org)."""
        out = sys.stdout if stream is None else stream
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not is_terminal(out):
            return text
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"

    def _out(self, text: str) -> str:
        """Return a text as it leaves: no face shows a key, wherever it comes from (decision 8)."""
        from engram.safety.fence import may_hold_key

        if not may_hold_key(text):
            return text
        from engram.service.giving import let_out

        return let_out(text, lambda: self.session)

    def _end_line(self) -> None:
        """End the line that is written over, so that what comes next has its own."""
        if self._half_line:
            self._half_line = False
            sys.stderr.write("\n")
            sys.stderr.flush()

    def _notices(self) -> None:
        for notice in self.session.notices if self.session else ():
            mark = self.paint(f"{notice.level}:", "yellow", sys.stderr)
            self.aside(f"{mark} {notice.message}" + (f" {notice.hint}" if notice.hint else ""))

    def _envelope(self, envelope: dict[str, object]) -> None:
        import json

        from engram.safety.hidden import kind_of
        from engram.service.giving import let_out_data
        from engram.version import CONTRACT_VERSION

        envelope = {"contract_version": CONTRACT_VERSION, **envelope}
        envelope["diagnostics"] = [notice.as_data() for notice in self.session.notices] if self.session else []
        data, bracket = _marked(let_out_data(envelope, lambda: self.session), fenced=self._fenced)
        text = json.dumps(data, ensure_ascii=False, indent=2)
        # The same value in other letters: what a terminal would act on or not show is written as JSON's \u escapes.
        for char in set(text):
            if kind_of(char):
                text = text.replace(char, json.dumps(char)[1:-1] if char > "\x7f" else f"\\u{ord(char):04x}")
        self._end_line()
        _print(text.replace(bracket, "\\u003c") if bracket else text)


def _print(text: str) -> None:
    try:
        print(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.errno, error.strerror) from error


def _quoted(text: str) -> str:
    """Return an error's text inert; a line that it quotes, or that a file's name brings in, cannot begin like ours."""
    from engram.safety.fence import show_inert

    return show_inert(text).replace("\n", "\n  ")


def _marked(envelope: dict[str, object], *, fenced: bool) -> tuple[object, str]:
    """Return plain data with each bracket that could pass for a fence's as another character, and that character.

    An agent reads the JSON of a command as it is printed: no fence stands in it that is not Engram's. Its writer puts
    the bracket back in other letters, so that the value stays exact. Nothing is marked, mostly: then it is empty.
    """
    from engram.safety.fence import break_tags

    used: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, dict):
            for name, part in value.items():
                collect(name)
                collect(part)
        elif isinstance(value, (list, tuple)):
            for part in value:
                collect(part)
        elif isinstance(value, str) and "<" in value:
            used.update(value)

    collect(envelope)
    if not used:
        return envelope, ""
    # A character that stands for none.
    mark = next(char for char in map(chr, range(0xFDD0, 0xFDF0)) if char not in used)

    def marked(value: object, at: tuple[object, ...] = ()) -> object:
        if isinstance(value, dict):
            return {marked(name): marked(part, (*at, name)) for name, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [marked(part, (*at, "")) for part in value]
        if isinstance(value, str) and "<" in value and not (fenced and at == ("data", "text")):
            return break_tags(value, mark)
        return value

    return marked(envelope), mark


def _plain(value: object) -> object:
    """Return plain data with every secret in its texts replaced by what it is."""
    from engram.safety.scan import mask_secrets

    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return mask_secrets(value) if isinstance(value, str) else value


def is_terminal(stream: object) -> bool:
    """Tell whether a stream shows to, or comes from, a human at a terminal; a closed one does not."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())
