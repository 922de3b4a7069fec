"""``edit``: the editor, the diff, one question."""

from __future__ import annotations

from engram.cli.asking import ask_at_terminal, at_terminal
from engram.cli.editor import EditedCopy
from engram.cli.proposals import diff_lines, is_beside, show_lines
from engram.cli.screen import fold_own, screen_width
from engram.errors import EngramError, FormatError, RefusedError, SafetyError, StoreError, UsageError
from engram.safety.fence import show_line
from engram.service.editing import original, revised, write_revision
from engram.service.saving import receipt_text, receipts_as_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.editing import Original, Revision
    from engram.service.session import Session
    from engram.store.write import Receipt

    T = TypeVar("T")

__all__ = ["edit_command", "edit_memory", "edit_until", "say_error", "say_own"]


def edit_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Open a memory in the person's editor, show what changed, ask, write.

    Raises:
        RefusedError: where there is no terminal, before the editor opens.
    """
    if not at_terminal():
        raise RefusedError(
            "engram edit asks a human at a terminal, and there is none.",
            hint="Run it at a terminal, or change a memory with engram save --update ID.",
        )
    found = original(session, parsed.word("ID"))
    receipts = edit_memory(session, found, output)
    entry = found.entry
    data = {
        "id": entry.memory.id,
        "scope": entry.root.scope,
        "changed": bool(receipts),
        "receipts": receipts_as_data(entry.root, receipts),
    }
    return output.done(data)


def edit_memory(session: Session, found: Original, output: Output) -> list[Receipt]:
    """Let a person edit one memory; return what was written, nothing where they changed nothing or cancelled.

    Raises:
        EngramError: when the editor fails; nothing was changed.
        StoreError: when the memory changed meanwhile or cannot be written; the copy stays, and the hint says where.
    """
    entry = found.entry
    with EditedCopy(session, f"{entry.memory.id}.md", found.data) as copy:
        while True:
            revision = edit_until(copy, lambda data: revised(session, found, data), output)
            if revision is None:
                say_own("Nothing was changed.", output)
                return []
            _show(revision, output)
            match _ask("A accept, E edit again, C cancel > ", "AEC", output):
                case "A":
                    break
                case "C":
                    say_own("Nothing was changed.", output)
                    return []
        try:
            receipts = write_revision(session, revision)
        except StoreError as error:
            error.hint = f"{error.hint} Your text is in {copy.keep()}".lstrip()
            raise
    for receipt in receipts:
        output.line(f"Saved {receipt_text(entry.root, receipt)}")
    return receipts


def edit_until(copy: EditedCopy, read: Callable[[bytes], T | None], output: Output) -> T | None:
    """Open the editor until what comes back can be read, or the person gives up: None then, and for no change.

    Raises:
        EngramError: when the editor fails.
    """
    while True:
        try:
            return read(copy.edit())
        except (FormatError, SafetyError, UsageError) as error:
            say_error(error, output)
        if _ask("E edit again, C cancel > ", "EC", output) == "C":
            return None


def say_error(error: EngramError, output: Output) -> None:
    """Say what is wrong and where, without ending the command."""
    from engram.safety.scan import mask_secrets

    message = mask_secrets(error.message)
    place = f" (line {error.line})" if error.line and f"line {error.line}" not in message.lower() else ""
    say_own(f"{message}{place}", output)
    if error.hint:
        say_own(mask_secrets(error.hint), output)


def say_own(text: str, output: Output, colour: str = "") -> None:
    """Show a line of Engram's own beside a question, inert and within the width of the terminal."""
    import sys

    width = screen_width(sys.stderr if is_beside(output) else sys.stdout)
    pieces = fold_own(show_line(text), width)
    show_lines([output.paint(piece, colour) for piece in pieces] if colour else pieces, output)


def _show(revision: Revision, output: Output) -> None:
    import sys

    width = screen_width(sys.stderr if is_beside(output) else sys.stdout)
    show_lines(diff_lines(revision.preview.splitlines(), width, output), output)
    for message in revision.redacted:
        say_own(f"Redacted: {message}", output)


def _ask(question: str, keys: str, output: Output) -> str:
    """Return one of the keys; the end of input cancels."""
    while True:
        answer = ask_at_terminal(question)
        if answer is None:
            output.aside("")
            return "C"
        word = answer.strip().upper()
        if len(word) == 1 and word in keys:
            return word
        output.aside(f"Please answer {', '.join(keys[:-1])} or {keys[-1]}.")
