"""The screen of ``review``: one thing after the other, shown as it would be written, and one question each."""

from __future__ import annotations

import sys

from engram.cli.asking import ask_at_terminal
from engram.cli.editing import edit_memory, edit_until, say_error, say_own
from engram.cli.inbox import show_draft, show_entries, show_note
from engram.cli.proposals import diff_lines, say_outcome, show_file, show_lines, show_planned
from engram.cli.review_answers import LINKS, MORE, ReviewCommand, review_command_of
from engram.cli.reviewing import Desk
from engram.cli.screen import screen_width
from engram.errors import EngramError, UsageError
from engram.proposals.sheet import candidate_of_sheet, sheet_of
from engram.service.answering import (
    accept_deferred,
    accept_proposal,
    candidates_of,
    judged,
    linked,
    reject_deferred,
    reject_proposal,
    writable,
)
from engram.service.approving import OpenApproval
from engram.service.editing import original
from engram.service.inbox import Waiting
from engram.service.keeping import archive
from engram.service.note_review import accept_note, proposed_note, renewed_note
from engram.service.noting import write_note
from engram.service.promoting import propose_promotion, remove_note, take_away
from engram.service.queue import HEADINGS, Foreign
from engram.service.reading import Entry
from engram.service.renewing import confirm, confirmation, why_due
from engram.service.reviewing import Left, Review
from engram.service.saving import apply, receipt_text
from engram.service.trusting import accept_pulled, accept_workspace
from engram.store.files import today

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.cli.output import Output
    from engram.proposals.candidates import Candidate
    from engram.service.answering import Draft
    from engram.service.batches import Outcome
    from engram.service.queue import Item
    from engram.service.session import Session

__all__ = ["decide"]


def decide(session: Session, items: Sequence[Item], output: Output) -> None:
    """Go through everything that waits, from where the person begins; say at the end what became of it."""
    screen = _Screen(session, items, output)
    start = screen.begin()
    for at in range(start, len(items)):
        if screen.gone:
            break
        screen.one(at)
    screen.end()


class _Screen:
    """One person going through a list: what was done so far, and whether they are still there."""

    def __init__(self, session: Session, items: Sequence[Item], output: Output) -> None:
        self.gone = False
        self._session = session
        self._items = items
        self._output = output
        self._desk = Desk(session, output)
        self._settled: dict[int, str] = {}
        self._asked: set[int] = set()

    def begin(self) -> int:
        """Return the index to begin with; behind the last one when the person quits."""
        count = len(self._items)
        self._output.text("")
        while True:
            answer = self._answer("Enter begins, a number begins there, Q quits > ")
            word = answer.strip().upper()
            if not word and not self.gone:
                return 0
            if word == "Q" or self.gone:
                self.gone = True
                return count
            if word.isascii() and word.isdecimal() and 0 < int(word[:9]) <= count:
                return int(word[:9]) - 1
            self._output.aside(f"Please answer with Enter, a number from 1 to {count}, or Q.")

    def end(self) -> None:
        """Say what became of everything."""
        done = list(self._settled.values())
        parts = [f"{done.count(word)} {word}" for word in dict.fromkeys(done)]
        left = len(self._items) - len(done)
        parts.append(f"{left} still wait{'s' if left == 1 else ''}" if left else "nothing waits any more")
        self._output.text(f"\n{', '.join(parts)}.")

    def one(self, at: int) -> None:
        """Show one thing and do what the person says."""
        item = self._items[at]
        if at in self._asked:
            return
        title = f"{at + 1} of {len(self._items)}  {HEADINGS[item.kind]}: {item.title}"
        self._output.text("")
        say_own(title, self._output, "bold")
        if item.kind != "mismatch":
            say_own(item.reason, self._output, "dim")
        try:
            match item.subject:
                case OpenApproval() if item.subject.pending.kind == "note":
                    self._proposed_note(at, item.subject)
                case OpenApproval() | Waiting():
                    self._candidates(at, item.subject)
                case Review():
                    self._file(at, item.subject)
                case Left():
                    self._desk.leave(item.subject)
                case Entry() if item.kind == "note":
                    self._ended_note(at, item.subject)
                case Entry() if item.kind == "pulled":
                    self._pulled(at, item.subject)
                case Entry():
                    self._due(at, item.subject)
                case Foreign():
                    self._foreign(at, item.subject)
        except EngramError as error:
            say_error(error, self._output)

    def _candidates(self, at: int, subject: OpenApproval | Waiting) -> None:
        candidates = list(candidates_of(subject))
        shown: Draft | None = None
        while True:
            draft = judged(self._session, candidates)
            if draft != shown:  # after a mistake only the question comes again
                show_draft(draft, self._output)
                shown = draft
            if isinstance(subject, Waiting) and subject.related and not writable(draft):
                say_own(f"Look at {', '.join(subject.related)}: engram show ID", self._output)
            command = self._command(draft)
            try:
                match command.key:
                    case "A" | "B":
                        outcomes = self._accept(subject, draft, command)
                        if any(outcome.done for outcome in outcomes):
                            self._settled[at] = "accepted"
                        elif isinstance(subject, Waiting):
                            continue  # it changed since it was shown: it is shown as it is now
                        return
                    case "R":
                        if isinstance(subject, Waiting):
                            reject_deferred(self._session, subject)
                        else:
                            reject_proposal(self._session, subject)
                        say_own("Rejected.", self._output)
                        self._settled[at] = "rejected"
                        return
                    case "E":
                        self._edit(candidates, command.numbers[0] - 1)
                    case "U" | "P" | "D":
                        self._link(candidates, command, subject)
                    case _:
                        return
            except EngramError as error:
                say_error(error, self._output)
                if command.key in {"A", "R"}:
                    return

    def _accept(self, subject: OpenApproval | Waiting, draft: Draft, command: ReviewCommand) -> list[Outcome]:
        if isinstance(subject, Waiting):
            outcomes = accept_deferred(self._session, subject, draft, command.rest)
        else:
            outcomes = accept_proposal(self._session, subject, draft, command.numbers, command.rest)
        for outcome in outcomes:
            say_outcome(self._session, outcome, self._output)
        return outcomes

    def _edit(self, candidates: list[Candidate], at: int) -> None:
        from engram.cli.editor import EditedCopy

        head = "# Save and close the editor: the candidate is shown again before anything is written.\n"
        text = head + sheet_of(candidates[at])
        with EditedCopy(self._session, "candidate.txt", text.encode()) as copy:
            edited = edit_until(copy, _candidate_of_bytes, self._output)
        if edited is None or edited.replace(line=candidates[at].line) == candidates[at]:
            say_own("Nothing was changed.", self._output)
        else:
            candidates[at] = edited

    def _link(self, candidates: list[Candidate], command: ReviewCommand, subject: OpenApproval | Waiting) -> None:
        ids = [word for word in command.rest.replace(",", " ").split() if word]
        if not ids and isinstance(subject, Waiting) and len(subject.related) == 1:
            ids = list(subject.related)
        if not ids or (command.key != "D" and len(ids) > 1):
            number = f" {command.numbers[0]}" if len(candidates) > 1 else ""
            raise UsageError(f"{command.key} takes the id of a memory: {command.key}{number} use-pnpm")
        at = command.numbers[0] - 1
        changed = linked(candidates[at], LINKS[command.key], ids)
        trial = [*candidates]
        trial[at] = changed
        if reason := judged(self._session, trial).unfit.get(at + 1):
            raise UsageError(reason)
        candidates[at] = changed

    def _command(self, draft: Draft) -> ReviewCommand:
        """Return an answer that fits what is shown."""
        can = writable(draft)
        many = len(draft.candidates) > 1
        accept = ("A accept all, A 1,3 some, " if many else "A accept, ") if can else ""
        question = f"{accept}R reject, {'E 1' if many else 'E'} edit, S skip, Q quit, ? more > "
        while True:
            answer = self._answer(question)
            if self.gone:
                return ReviewCommand("Q")
            try:
                command = review_command_of(answer, draft, can)
            except UsageError as error:
                say_own(error.message, self._output)
                continue
            if command.key != "?":
                self.gone = command.key == "Q"
                return command
            self._output.text(MORE)

    def _proposed_note(self, at: int, subject: OpenApproval) -> None:
        plan = proposed_note(self._session, subject)
        show_file(plan.preview, plan.redacted, self._output)
        match self._key(f"A keep this note until {plan.valid_until}, R reject, S skip, Q quit > ", "ARSQ"):
            case "A":
                receipt = accept_note(self._session, subject, plan)
                say_own(f"Noted: {receipt.file} (until {receipt.valid_until})", self._output)
                self._settled[at] = "accepted"
            case "R":
                reject_proposal(self._session, subject)
                say_own("Rejected.", self._output)
                self._settled[at] = "rejected"

    def _ended_note(self, at: int, note: Entry) -> None:
        show_note(note, self._output)
        match self._key("A make it a memory, K keep it for some more days, R take it away, S skip, Q quit > ", "AKRSQ"):
            case "A":
                self._promote(at, note)
            case "K":
                receipt = write_note(self._session, renewed_note(self._session, note), "terminal")
                say_own(f"Kept until {receipt.valid_until}.", self._output)
                self._settled[at] = "kept"
            case "R":
                gone = remove_note(self._session, note, "which had ended")
                say_own("Taken away." if gone else "It changed meanwhile, and stays.", self._output)
                if gone:
                    self._settled[at] = "taken away"

    def _promote(self, at: int, note: Entry) -> None:
        """Show the memory that a note would be, and ask once more: it is another text than the note's (C57)."""
        promotion = propose_promotion(self._session, f"note/{note.memory.scope}/{note.memory.id}")
        proposal = promotion.proposal
        show_planned(proposal.planned, proposal.redacted, self._output, typed=True)
        if any(planned.writes for planned in proposal.planned):
            if self._key("A accept, S skip, Q quit > ", "ASQ") != "A":
                return
            for outcome in apply(self._session, proposal, way="terminal"):
                say_outcome(self._session, outcome, self._output)
        take_away(self._session, promotion)
        self._settled[at] = "accepted"

    def _file(self, at: int, subject: Review) -> None:
        """A file that is not as approved: the questions of ``verify --review``, all changes of white space in one."""
        together = [at]
        if subject.white_space and not subject.obstacle:
            for number, item in enumerate(self._items):
                other = item.subject
                if number > at and isinstance(other, Review) and other.white_space and not other.obstacle:
                    together.append(number)
            self._desk.together([one for n in together if isinstance(one := self._items[n].subject, Review)])
        else:
            self._desk.one(subject)
        self.gone = self._desk.gone
        for number, result in zip(together, self._desk.results[-len(together) :], strict=True):
            if result["outcome"] in {"accepted", "rejected", "restored"}:
                self._settled[number] = "accepted" if result["outcome"] == "accepted" else "rejected"
            self._asked.add(number)

    def _due(self, at: int, entry: Entry) -> None:
        confirmed = confirmation(entry)
        show_lines(diff_lines(confirmed.preview.splitlines(), screen_width(), self._output), self._output)
        match self._key("A it still holds, R archive it, E edit, S skip, Q quit > ", "ARESQ"):
            case "A":
                receipts = confirm(self._session, confirmed)
                say_own(f"Confirmed: {receipt_text(entry.root, receipts[0])}", self._output)
                self._settled[at] = "accepted"
            case "R":
                reason = f"{why_due(entry.memory, today())}; not confirmed in a review"
                done = archive(self._session, _full_key(entry), reason=reason)
                say_own(f"Archived: {done.path}", self._output)
                self._settled[at] = "archived"
            case "E":
                if edit_memory(self._session, original(self._session, _full_key(entry)), self._output):
                    self._settled[at] = "edited"

    def _pulled(self, at: int, entry: Entry) -> None:
        """What a pull brought: accepted by its bytes, or archived (F18)."""
        show_note(entry, self._output)
        match self._key("A accept it, R archive it, S skip, Q quit > ", "ARSQ"):
            case "A":
                accept_pulled(self._session, [entry.hash])
                say_own("Accepted.", self._output)
                self._settled[at] = "accepted"
            case "R":
                done = archive(self._session, _full_key(entry), reason="brought by a pull; not accepted in a review")
                say_own(f"Archived: {done.path}", self._output)
                self._settled[at] = "archived"

    def _foreign(self, at: int, foreign: Foreign) -> None:
        show_entries(foreign, self._output)
        if self._key("A trust this workspace, S skip, Q quit > ", "ASQ") == "A":
            record = accept_workspace(self._session)
            say_own(f"Trusted: {record.project}", self._output)
            self._settled[at] = "accepted"

    def _key(self, question: str, keys: str) -> str:
        while True:
            word = self._answer(question).strip().upper()
            if self.gone:
                return "Q"
            if len(word) == 1 and word in keys:
                self.gone = word == "Q"
                return word
            self._output.aside(f"Please answer {', '.join(keys[:-1])} or {keys[-1]}.")

    def _answer(self, question: str) -> str:
        """Return what was typed; at the end of input the person is gone."""
        sys.stdout.flush()
        answer = ask_at_terminal(question)
        if answer is None:
            self._output.aside("")
            self.gone = True
            return ""
        return answer


def _candidate_of_bytes(data: bytes) -> Candidate:
    try:
        return candidate_of_sheet(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"Line {line} is no UTF-8 text.", line=line) from error


def _full_key(entry: Entry) -> str:
    return f"{entry.root.scope}/{entry.memory.id}"
