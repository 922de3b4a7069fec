"""Questions to a human: at a terminal, or for a save through a pipe."""

from __future__ import annotations

import os
import sys

from engram.cli.output import is_terminal
from engram.cli.screen import fold_own, screen_width
from engram.config.limits import shortened
from engram.errors import RefusedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, TypeVar

    from engram.cli.output import Output
    from engram.service.session import Session

    Way = Literal["terminal", "pipe"]
    T = TypeVar("T")

__all__ = ["Answers", "ask_at_terminal", "ask_decision", "ask_yes", "at_terminal", "numbers_in"]

_PIPE_S = 10.0
# Nobody reads the questions that a program answers with something else, so there is an end to them.
_UNCLEAR_IN_A_PIPE = 5
_YES = frozenset({"A", "Y", "YES"})
_NO = frozenset({"N", "NO"})
_CHUNK = 4096
_LONGEST = 64 * 1024  # bytes of one line of answer; a program that floods the pipe gives none


def at_terminal() -> bool:
    """Tell whether a human sits at a terminal: one that shows questions and takes answers."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def ask_at_terminal(question: str) -> str | None:
    """Ask one question and return the answer, None where no human sits at a terminal."""
    if not at_terminal():
        return None
    _show(question)
    answer = sys.stdin.readline()
    return answer or None


def _show(question: str) -> None:
    """Show a question, broken at words where the terminal is narrower, with the place for the answer behind it."""
    width = screen_width(sys.stderr)
    lines = [piece for line in question.rstrip(" ").split("\n") for piece in fold_own(line, width)]
    sys.stderr.write("\n".join(lines) + " ")
    sys.stderr.flush()


def ask_decision(
    session: Session,
    output: Output,
    question: str,
    select: Callable[[str], list[int]] | None = None,
    answers_are: str = "A, B <note> or C",
) -> tuple[Way, list[int], str]:
    """Ask ``A``, ``B <note>`` or ``C`` until one is answered.

    Args:
        session: for what the configuration takes for an answer (C59a).
        output: for what an unclear answer gets.
        question: as it is shown.
        select: where ``A 1,3`` and ``B 1,3 <note>`` select some of several; reads the numbers, or raises UsageError.
        answers_are: what is said to an answer that is none.

    Returns:
        How it was answered, the numbers (none for all), and the human's note.

    Raises:
        RefusedError: for C, the end of input, or a way that the configuration does not accept.
    """
    way, (numbers, note) = _ask(
        session, output, question, lambda word, rest: _decision(word, rest, select), answers_are
    )
    return way, numbers, note


def ask_yes(session: Session, output: Output, question: str) -> Way:
    """Ask ``A`` (or yes) or ``C`` (or no) until one is answered, and return how it was answered.

    Raises:
        RefusedError: for C, the end of input, or a way that the configuration does not accept.
    """

    def read(word: str, rest: str) -> bool | None:
        if word in _NO and not rest:
            raise _cancelled()
        return (word in _YES and not rest) or None

    return _ask(session, output, question, read, "A or C")[0]


def _ask(
    session: Session, output: Output, question: str, read: Callable[[str, str], T | None], answers_are: str
) -> tuple[Way, T]:
    """Ask until ``read`` makes something of the first word, in capitals, and the rest of a line."""
    answers = Answers()
    if session.settings.string("approval.terminal") == "tty" and answers.way != "terminal":
        raise RefusedError(
            "Nothing was saved: here an answer counts only at a terminal (approval.terminal: tty).",
            hint="Run the command at a terminal.",
        )
    unclear = 0
    while answers.way == "terminal" or unclear < _UNCLEAR_IN_A_PIPE:
        line = answers.next_line(question)
        if line is None and answers.way == "terminal":
            raise RefusedError("Nothing was saved: the input ended without an answer.", hint=f"Answer {answers_are}.")
        if line is None:
            said = "what came through the pipe is no answer" if unclear else "there was no answer"
            raise RefusedError(f"Nothing was saved: {said}.", hint=f"Answer {answers_are}; a pipe has 10 seconds.")
        word, _, rest = (part.strip() for part in line.strip().partition(" "))
        if word.upper() == "C" and not rest:
            raise _cancelled()
        decision = read(word.upper(), rest)
        if decision is not None:
            return answers.way, decision
        for piece in fold_own(f"Please answer {answers_are}.", screen_width(sys.stderr)):
            output.aside(piece)
        unclear += 1
    raise RefusedError(
        f"Nothing was saved: none of {_UNCLEAR_IN_A_PIPE} lines from the pipe is an answer.",
        hint=f"The pipe has to answer {answers_are}.",
    )


def _cancelled() -> RefusedError:
    return RefusedError("Nothing was saved: cancelled.")


def _decision(word: str, rest: str, select: Callable[[str], list[int]] | None) -> tuple[list[int], str] | None:
    """Return the numbers and the note of an answer, None where it is none."""
    if word == "A" and not rest:
        return [], ""
    if word not in {"A", "B"} or not rest:
        return None
    if select is None:
        return ([], rest) if word == "B" else None
    numbers, note = numbers_in(rest, blanks=word == "A")
    try:
        chosen = select(numbers) if numbers else []
    except UsageError:
        return None
    if word == "A":
        return (chosen, "") if chosen and not note else None
    return (chosen, note) if note else None


def numbers_in(rest: str, *, blanks: bool) -> tuple[str, str]:
    """Return the numbers at the beginning of an answer as ``1,3``, and what follows.

    ``A 1, 3`` is a person's way to write ``A 1,3``, and so is ``A 1 3`` (``blanks``); in ``B 1 2 tries are enough`` the
    second number belongs to the note.
    """
    numbers: list[str] = []
    comma = True
    while rest and (rest[0] in "0123456789," or not rest[0].strip()):
        if rest[0] in "0123456789":
            if not (comma or blanks):
                break
            end = next((at for at, char in enumerate(rest) if char not in "0123456789"), len(rest))
            if rest[end : end + 1].strip(", \t"):
                break  # `3rd` and `2.5` are words of the note
            numbers.append(rest[:end])
            rest, comma = rest[end:], False
        else:
            comma = comma or rest[0] == ","
            rest = rest[1:]
    return ",".join(numbers), rest.strip()


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
        self._deadline = self._clock() + shortened(os.environ, "ENGRAM_PIPE_TIMEOUT", _PIPE_S)

    def next_line(self, question: str) -> str | None:
        """Show the question and return the next line, None at the end of input or of the time."""
        _show(question)
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
