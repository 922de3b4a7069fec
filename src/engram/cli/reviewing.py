"""``verify --review``: each file that is not as approved, one question each."""

from __future__ import annotations

import sys

from engram.cli.asking import ask_at_terminal, at_terminal
from engram.cli.proposals import diff_lines
from engram.cli.screen import fold_own, screen_width
from engram.errors import IntegrityError, RefusedError
from engram.safety.fence import show_line
from engram.service.keeping import verify
from engram.service.reviewing import Left, Review, accept, pending, preview, reject, white_space_changes
from engram.service.saving import receipts_as_data
from engram.service.waiting import skipped_sentence
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal

    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session
    from engram.store.write import Receipt

    Answer = Literal["A", "R", "S", "Q"]

__all__ = ["Desk", "review_command"]

_QUESTION = "A accept, R reject, S skip, Q quit > "
_NO_ACCEPT = "R reject, S skip, Q quit > "  # a file that cannot be accepted


def review_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Show, ask, do, for each file (F13); exit code 4 when something is still skipped at the end.

    Raises:
        RefusedError: where there is no terminal, before anything is read.
    """
    if not at_terminal():
        raise RefusedError(
            "engram verify --review asks a human at a terminal, and there is none.",
            hint="Run it at a terminal. engram verify lists the files without asking.",
        )
    reviews, left = pending(session, scope=parsed.value("scope"))
    desk = Desk(session, output)
    desk.together([review for review in reviews if review.white_space and not review.obstacle])
    for review in reviews:
        if not review.white_space or review.obstacle:
            desk.one(review)
    for other in left:
        desk.leave(other)
    if not reviews and not left:
        output.line("Every file is as it was approved.")
    remaining = sum(len(report.problems) for report in verify(session, scope=parsed.value("scope")))
    if remaining:
        output.line(f"{skipped_sentence(remaining)} after this review; engram verify says why")
    data = {"reviewed": desk.results, "remaining": remaining}
    return output.done(data, code=IntegrityError.exit_code if remaining else 0)


class Desk:
    """Where one review takes place: what was decided so far in ``results``, and whether the human is still there."""

    def __init__(self, session: Session, output: Output) -> None:
        self.results: list[dict[str, object]] = []
        self._session = session
        self._output = output
        self.gone = False
        # A redirected standard output would hide from the human what the question is about.
        hidden = output.as_json or not sys.stdout.isatty()
        self._show: Callable[[str], None] = output.aside if hidden else output.text
        self._stream = sys.stderr if hidden else sys.stdout

    def together(self, reviews: Sequence[Review]) -> None:
        """Ask once about all files in which only white space changed."""
        if not reviews:
            return
        self._say(f"Only white space changed in {counted(len(reviews), 'file')}:")
        for review in reviews:
            self._say(f"  {_place(review)}: {white_space_changes(review)}")
            self._lines(preview(review))
        answer = self._ask()
        if answer == "A":
            for root in dict.fromkeys(review.root.path for review in reviews):
                self._accept([review for review in reviews if review.root.path == root])
            return
        for review in reviews:
            if answer == "R":
                self._reject(review)
            else:
                self._note(review, "skipped")

    def one(self, review: Review) -> None:
        """Show one file and do what the human says."""
        if self.gone:
            self._note(review, "skipped")
            return
        self._describe(review)
        answer = self._ask(may_accept=not review.obstacle)
        if answer == "A":
            self._accept([review])
        elif answer == "R":
            self._reject(review)
        else:
            self._note(review, "skipped")

    def leave(self, other: Left) -> None:
        """Name a file that no answer would settle."""
        self._say(show_line(f"Not for review: {other.root.scope}:{other.path}: {other.reason}"))
        self.results.append(
            {
                "scope": other.root.scope,
                "root": other.root.path,
                "path": other.path,
                "problem": other.problem,
                "outcome": "left",
                "reason": other.reason,
            }
        )

    def _describe(self, review: Review) -> None:
        known = review.approved is not None
        match review.problem:
            case "missing":
                said = f"the file is gone; {review.ledger} still names it"
                said += "." if known else ", and Git does not have those bytes."
            case "unlisted":
                said = f"it is not in {review.ledger}: nobody approved it. The whole file:"
            case _ if known:
                said = "it changed since it was approved:"
            case _:
                said = "it changed since it was approved, and Git does not have those bytes. The whole file:"
        self._say(f"{_place(review)}: {said}", "bold")
        self._lines(preview(review))
        if changed := white_space_changes(review):
            self._say(f"White space differs as well: {changed}.")
        for finding in review.findings:
            self._say(f"Found in line {finding.line}: {show_line(finding.message)}")
        if review.obstacle:
            self._say(f"It cannot be accepted: {show_line(review.obstacle)}. Mend the file, or reject or skip it.")
        if review.problem == "missing":
            self._say(f"A takes its line out of {review.ledger}" + (", R brings the file back." if known else "."))

    def _lines(self, lines: Sequence[str]) -> None:
        for line in diff_lines(lines, screen_width(self._stream), self._output):
            self._show(line)

    def _say(self, text: str, colour: str = "") -> None:
        """Show a line of Engram's own, which may quote a name."""
        for piece in fold_own(text, screen_width(self._stream)):
            self._show(self._output.paint(piece, colour) if colour else piece)

    def _ask(self, *, may_accept: bool = True) -> Answer:
        """Return the answer; at the end of input everything that remains is skipped."""
        while True:
            sys.stdout.flush()
            answer = ask_at_terminal(_QUESTION if may_accept else _NO_ACCEPT)
            word = "Q" if answer is None else answer.strip().upper()
            if answer is None:
                self._output.aside("")
            match word:
                case "A" if may_accept:
                    return "A"
                case "R" | "S":
                    return word
                case "Q":
                    self.gone = True
                    return "Q"
            self._output.aside(f"Please answer {'A, ' if may_accept else ''}R, S or Q.")

    def _accept(self, reviews: Sequence[Review]) -> None:
        try:
            receipts = accept(self._session, reviews)
        except RefusedError as error:
            self._refused(reviews, error)
            return
        for review, receipt in zip(reviews, receipts, strict=True):
            self._note(review, "accepted", receipts=[receipt], say=len(reviews) == 1)
        if len(reviews) > 1:
            self._say(f"{len(reviews)} files: accepted.")

    def _reject(self, review: Review) -> None:
        try:
            done = reject(self._session, review)
        except RefusedError as error:
            self._refused([review], error)
            return
        if done is None:
            reason = f"Git does not have the bytes that {review.ledger} names; nothing was changed"
            self._note(review, "left", reason=reason)
            return
        parts = ["the approved bytes are back"] if done.restored else []
        if done.archived:
            parts.append(f"the {'edit' if done.restored else 'file'} is in {show_line(done.archived)}")
        outcome = "rejected" if done.archived else "restored"
        self._note(review, outcome, reason=", ".join(parts), archived=done.archived, receipts=done.receipts)

    def _refused(self, reviews: Sequence[Review], error: RefusedError) -> None:
        self._say(show_line(f"{error.message} {error.hint}".rstrip()))
        for review in reviews:
            self._note(review, "refused", reason=error.message, say=False)

    def _note(
        self,
        review: Review,
        outcome: str,
        *,
        reason: str = "",
        archived: str = "",
        receipts: Sequence[Receipt] = (),
        say: bool = True,
    ) -> None:
        """Say what came of a file, and keep it for ``--json``; its text never goes there."""
        said = "removed from the ledger" if outcome == "accepted" and review.data is None else outcome
        if say and not self.gone:
            self._say(f"{_place(review)}: {said}" + (f"; {reason}." if reason else "."))
        self.results.append(
            {
                "scope": review.root.scope,
                "root": review.root.path,
                "path": review.path,
                "id": review.id,
                "type": review.kind,
                "problem": review.problem,
                "white_space": review.white_space,
                "findings": [
                    {"rule": finding.rule, "line": finding.line, "message": finding.message}
                    for finding in review.findings
                ],
                "outcome": outcome,
                "reason": reason,
                "archived": archived,
                "receipts": receipts_as_data(review.root, receipts),
            }
        )


def _place(review: Review) -> str:
    """Return the file as a person is told of it; a name can hold anything."""
    return show_line(f"{review.root.scope}:{review.path}")
