"""``save-session``: many candidates, one question."""

from __future__ import annotations

import os
import sys

from engram.cli.asking import ask_decision
from engram.cli.output import is_terminal
from engram.cli.proposals import outcome_as_data, say_outcome, show_parts
from engram.cli.saving import QUESTION
from engram.errors import NotFoundError, RefusedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.batches import Batch, Outcome
    from engram.service.session import Session

__all__ = ["save_session_command"]

_QUESTION = "A accept all, A 1,3 some, B 1,3 <note> some with a note, C cancel > "


def save_session_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Propose, show, ask, write; or print how to propose (C39, C59, C59a)."""
    from engram.service.sessions import force_batch, propose_session, put_in_inbox

    level = _level(parsed)
    force, inbox = parsed.given("force"), parsed.given("inbox")
    if force and inbox:
        raise UsageError("--force writes and --inbox does not.", hint="Leave one of them out.")
    if not parsed.given("file"):
        return _protocol(session, level, output)
    text = _text(parsed.value("file"))
    if not text.strip():
        raise UsageError("There is no candidate.", hint="One looks like this: TYPE: rule | TEXT: Use pnpm.")
    role = tuple(part.strip() for part in parsed.value("role").split(",") if part.strip())
    batch = propose_session(session, text, scope=parsed.value("scope"), role=role, level=level)
    show_parts(batch, output, forced=force)
    if force:
        if session.settings.string("approval.terminal") == "tty" and not is_terminal(sys.stdin):
            raise RefusedError(
                "Nothing was saved: here --force counts only at a terminal (approval.terminal: tty).",
                hint="Run the command at a terminal.",
            )
        return _done(session, force_batch(session, batch), output)
    if inbox:
        return _done(session, put_in_inbox(session, batch), output)
    if not any(planned.writes for part in batch.parts for planned in part.planned):
        output.text("Nothing to save.")
        return output.done({"saved": False, "outcomes": []})
    return _done(session, _asked(session, batch, parsed.value("file"), output), output)


def _asked(session: Session, batch: Batch, source: str, output: Output) -> list[Outcome]:
    from engram.service.approving import selection
    from engram.service.batches import apply_batch, checked_note

    if source == "-" and not is_terminal(sys.stdin):
        raise RefusedError(
            "Nothing was saved: the candidates came through standard input, so no answer can.",
            hint="Put them into a file (--file PATH) and answer at the question, or use --inbox.",
        )
    count = len(batch.parts)
    if count > 1:
        answers = f"A, A 1,3 (numbers from 1 to {count}, each once), B <note>, B 1,3 <note> or C"
        way, numbers, note = ask_decision(session, output, _QUESTION, lambda text: selection(text, count), answers)
    else:
        way, numbers, note = ask_decision(session, output, QUESTION, lambda text: selection(text, count))
    chosen = numbers or [part.number for part in batch.parts]
    return apply_batch(session, batch, chosen, way=way, note=checked_note(session, note, "knowledge"))


def _level(parsed: Parsed) -> int:
    """Return how many sessions are meant: ``--query-level 50``, or ``last 50 sessions``, ``last session`` (C59)."""
    from engram.service.sessions import MOST_SESSIONS

    words = [parsed.word(name).casefold() for name in ("LAST", "N", "SESSIONS") if parsed.word(name)]
    level = parsed.integer("query-level") or 0
    if words:
        number = words[1] if len(words) == 3 else "1"
        said = words[0] == "last" and words[-1] in {"session", "sessions"} and len(words) > 1
        if not said or not (number.isascii() and number.isdecimal()) or level:
            raise UsageError(f"{' '.join(words)} is not understood.", hint="engram save-session last 50 sessions")
        level = int(number[:9])
    if ((words or parsed.given("query-level")) and level < 1) or level > MOST_SESSIONS:
        raise UsageError(f"A query level goes from 1 to {MOST_SESSIONS}.")
    return level


def _protocol(session: Session, level: int, output: Output) -> int:
    from engram.proposals.protocol import proposal_protocol

    session.require_roots()
    text = proposal_protocol(level)
    output.text(text.rstrip("\n"))
    return output.done({"protocol": text, "query_level": level})


def _text(path: str) -> str:
    from engram.service.sessions import MOST_TEXT
    from engram.store.files import read_error

    try:
        if path == "-":
            data = b"" if sys.stdin is None else sys.stdin.buffer.read(MOST_TEXT + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MOST_TEXT + 1)
    except FileNotFoundError as error:
        raise NotFoundError(
            f"There is no file {path or '(the name is empty)'} in {os.getcwd()}.",
            hint="Write the candidates into a file and name that; standard input is --file -",
            path=path,
        ) from error
    except OSError as error:
        if os.path.isdir(path):  # Windows calls that a refusal of access
            raise UsageError(f"{path} is a folder.", hint="Name the file in it that holds the candidates.") from error
        raise read_error(error, path) from error
    if len(data) > MOST_TEXT:
        raise UsageError(f"The candidates have more than {MOST_TEXT // 1024} KiB.", hint="Propose them in portions.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path} is not UTF-8 (line {line}).", path=path, line=line) from error


def _done(session: Session, outcomes: list[Outcome], output: Output) -> int:
    for outcome in outcomes:
        say_outcome(session, outcome, output)
    data = {
        "saved": any(outcome.done for outcome in outcomes),
        "outcomes": [outcome_as_data(session, outcome) for outcome in outcomes],
    }
    return output.done(data, code=max((outcome.code for outcome in outcomes), default=0))
