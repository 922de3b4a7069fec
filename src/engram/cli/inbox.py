"""``review``: what waits for a human, as a list, one of it, or one question after the other."""

from __future__ import annotations

import sys

from engram.cli.asking import at_terminal
from engram.cli.editing import say_own
from engram.cli.output import is_terminal
from engram.cli.proposals import diff_lines, is_beside, planned_as_data, planned_lines, show_file, show_lines
from engram.cli.screen import cut, fold_own, screen_width
from engram.errors import UsageError
from engram.markdown.passages import content_text
from engram.safety.fence import show_inert, show_line
from engram.service.answering import candidates_of, judged
from engram.service.approving import OpenApproval
from engram.service.inbox import Waiting
from engram.service.looks import remember_look, unasked_sentence, unasked_writes
from engram.service.note_review import proposed_note
from engram.service.queue import HEADINGS, Foreign, find_item, queue
from engram.service.reading import Entry
from engram.service.renewing import confirmation
from engram.service.reviewing import Review, preview
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.answering import Draft
    from engram.service.looks import Unasked
    from engram.service.queue import Item
    from engram.service.session import Session

__all__ = ["inbox_command", "show_draft", "show_entries", "show_note"]

# So many memories of a foreign root are named.
_NAMED = 20


def inbox_command(session: Session, parsed: Parsed, output: Output) -> int:
    """List what waits; at a terminal, ask about it (A4)."""
    action, name = parsed.word("ACTION"), parsed.word("NAME")
    if (action and action != "show") or bool(action) != bool(name) or (action and parsed.given("list")):
        raise UsageError("engram review does not understand that.", hint="engram review, or engram review show NAME")
    items, unreadable = queue(session)
    if action:
        return _show_one(session, find_item(items, name), output)
    unasked = {root.path: unasked_writes(session, root) for root in session.roots}
    human = at_terminal() and is_terminal(sys.stdout) and not output.as_json
    _list(session, items, unreadable, unasked, output)
    if human:
        remember_look(session, unasked)
    if human and items and not parsed.given("list"):
        from engram.cli.deciding import decide

        decide(session, items, output)
    elif items:
        output.text("\nDecide at a terminal: engram review. See one: engram review show NAME")
    data = {
        "items": [{"number": number, **item.as_data()} for number, item in enumerate(items, 1)],
        "unreadable": unreadable,
        "unasked": [{"root": root, **one.as_dict()} for root, writes in unasked.items() for one in writes],
    }
    return output.done(data)


def _list(
    session: Session,
    items: Sequence[Item],
    unreadable: Sequence[str],
    unasked: Mapping[str, Sequence[Unasked]],
    output: Output,
) -> None:
    width = screen_width()
    if items:
        heading = f"{counted(len(items), 'thing')} wait{'s' if len(items) == 1 else ''} for you"
        output.text(output.paint(heading, "bold"))
    else:
        output.text("Nothing waits for a review.")
    kind = ""
    for number, item in enumerate(items, 1):
        if item.kind != kind:
            kind = item.kind
            output.text("\n" + output.paint(HEADINGS[kind], "cyan"))
        output.text(cut(f"{number:>3}  {item.title}", width))
        known = [] if item.name == item.title else [item.name]
        known += ["global"] if item.scope == "global" else []
        known += [f"since {item.since[:10]}"] if item.since and item.kind == "deferred" else []
        about = f"{', '.join(known)}: {item.reason}" if known else item.reason
        colour = "yellow" if item.state in {"expired", "old"} else "dim"
        for piece in fold_own(f"     {about}", width, " " * 5):
            output.text(output.paint(piece, colour))
    for line in unreadable:
        output.text("\n".join(fold_own(line, width)))
    for root in session.roots:
        if sentence := unasked_sentence(unasked[root.path]):
            said = f"{root.scope} memory: {sentence}" if len(session.roots) > 1 else sentence
            output.text("\n" + "\n".join(fold_own(show_line(said), width)))


def _show_one(session: Session, item: Item, output: Output) -> int:
    """Show one item whole; the text of a file that is not as approved only to a human at a terminal (F13)."""
    output.text(output.paint(f"{HEADINGS[item.kind]}: {item.name}", "bold"))
    say_own(item.reason, output)
    data: dict[str, object] = {"item": item.as_data()}
    subject = item.subject
    match subject:
        case OpenApproval() if subject.pending.kind == "note":
            plan = proposed_note(session, subject)
            show_file(plan.preview, plan.redacted, output)
            data["preview"] = plan.preview
        case OpenApproval() | Waiting():
            draft = judged(session, candidates_of(subject))
            show_draft(draft, output)
            data["candidates"] = [
                {"number": part.number, **planned_as_data(planned), "preview": planned.preview}
                for part in draft.batch.parts
                for planned in part.planned
            ]
            data["unfit"] = [{"number": number, "reason": reason} for number, reason in draft.unfit.items()]
        case Review() if at_terminal() and is_terminal(sys.stdout):
            show_lines(diff_lines(preview(subject), screen_width(), output), output)
        case Entry() if item.kind in {"note", "pulled"}:
            show_note(subject, output)
        case Entry():
            shown = confirmation(subject).preview
            show_lines(diff_lines(shown.splitlines(), screen_width(), output), output)
            data["preview"] = shown
        case Foreign():
            show_entries(subject, output)
        case _:
            output.text("Its text is shown at a terminal: engram verify --review")
    return output.done(data)


def show_draft(draft: Draft, output: Output) -> None:
    """Show what candidates would write now, with numbers where there are several, and what cannot be applied."""
    many = len(draft.candidates) > 1
    parts = {part.number: part for part in draft.batch.parts}
    for number in range(1, len(draft.candidates) + 1):
        if many:
            say_own(f"Candidate {number} of {len(draft.candidates)}:", output, "bold")
        if number in parts:
            show_lines(planned_lines(parts[number].planned, output), output)
        else:
            say_own(f"It cannot be applied: {draft.unfit[number]}", output, "yellow")
    for message in draft.batch.redacted:
        say_own(f"Redacted: {message}", output)


def show_entries(foreign: Foreign, output: Output) -> None:
    """Name what came with a project, the instructions first."""
    for entry in foreign.entries[:_NAMED]:
        say_own(f"  {entry.memory.type}: {entry.memory.title} ({entry.key})", output)
    if len(foreign.entries) > _NAMED:
        say_own(f"  and {len(foreign.entries) - _NAMED} more: engram list", output)
    say_own("Trusted, they are given to your agents as instructions. Read one: engram show ID", output)


def show_note(note: Entry, output: Output) -> None:
    """Show what a working note, or a memory that a pull brought, says, each line behind a mark."""
    text = content_text(note.memory.content)
    width = screen_width(sys.stderr if is_beside(output) else sys.stdout)
    show_lines(diff_lines([f"| {line}" for line in show_inert(text).split("\n")], width, output), output)
