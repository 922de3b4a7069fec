"""Questions to a human: at a terminal, or for a save through a pipe."""

from __future__ import annotations

import os
import sys

from engram.cli.output import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Way = Literal["terminal", "pipe"]

__all__ = ["Answers", "ask_at_terminal", "at_terminal"]

_PIPE_S = 10.0
_CHUNK = 4096
_LONGEST = 64 * 1024  # bytes of one line of answer; a program that floods the pipe gives none


def at_terminal() -> bool:
    """Tell whether a human sits at a terminal: one that shows questions and takes answers."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def ask_at_terminal(question: str) -> str | None:
    """Ask one question and return the answer, None where no human sits at a terminal."""
    if not at_terminal():
        return None
    sys.stderr.write(question)
    sys.stderr.flush()
    answer = sys.stdin.readline()
    return answer or None


class Answers:
    """Lines of answer from standard input, each once.

    ``way`` tells how they come. A pipe has ten seconds in all: one that stays open and silent is no answer.
    ``ENGRAM_PIPE_TIMEOUT`` (seconds) can only shorten that.
    """

    def __init__(self) -> None:
        import time

        self.way: Way = "terminal" if is_terminal(sys.stdin) else "pipe"
        self._buffer = b""
        self._ended = sys.stdin is None
        self._timed_out = False
        self._clock = time.monotonic
        self._deadline = self._clock() + _pipe_seconds()

    def next_line(self, question: str) -> str | None:
        """Show the question and return the next line, None at the end of input or of the time."""
        sys.stderr.write(question)
        sys.stderr.flush()
        if self.way == "terminal":
            line = sys.stdin.readline()
            return line.rstrip("\r\n") if line else None
        while b"\n" not in self._buffer and not self._ended:
            self._read_more()
            if len(self._buffer) > _LONGEST:
                return None
        sys.stderr.write("\n")
        line_bytes, newline, self._buffer = self._buffer.partition(b"\n")
        # `printf A |` ends without a line end and is an answer; half a line of a pipe that then falls silent is none.
        if not newline and (self._timed_out or not line_bytes):
            return None
        # What is no UTF-8 stays recognisable as such, so that the check of the note refuses it.
        return line_bytes.decode("utf-8", "surrogateescape").rstrip("\r")

    def _read_more(self) -> None:
        import select

        left = self._deadline - self._clock()
        try:
            if left <= 0 or not select.select([0], [], [], left)[0]:
                self._ended = self._timed_out = True
                return
        except OSError:
            pass  # a kind of input that cannot be waited for (a file on Windows) never blocks
        try:
            chunk = os.read(0, _CHUNK)
        except OSError:
            chunk = b""
        self._buffer += chunk
        self._ended = not chunk


def _pipe_seconds() -> float:
    try:
        return max(0.0, min(_PIPE_S, float(os.environ.get("ENGRAM_PIPE_TIMEOUT", ""))))
    except ValueError:
        return _PIPE_S
