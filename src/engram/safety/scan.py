"""The door: find what must not become memory, and act on it as the configuration says (F21, decision 8)."""

from __future__ import annotations

from engram.errors import SafetyError
from engram.safety.finding import Checked, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engram.safety.hidden import Offsets
    from engram.safety.rule import Hit, Sheet

__all__ = ["check", "mask_secrets", "redact", "refusal", "scan"]

_LONG_ENOUGH = 20  # characters of a value of which a provider's mark may be shown
_SHOWN = 4  # characters of that mark (C3)
_JUDGED = 64  # characters of a value that can be such a mark
# A changed character counts for what begins or ends so many characters off, and that is judged by what stands around.
_NEAR = 1_024
_AROUND = 2_048


def scan(text: str, *, kind: str = "knowledge") -> list[Finding]:
    """Return what the rules object to in ``text``, in order of place.

    Args:
        text: what is to be saved or shown; any length, in time that grows linearly with it.
        kind: ``rule``, ``skill``, ``knowledge`` or ``note``. Rules and skills may instruct (see ``instructions``); any
            other kind is reference.

    Returns:
        Findings with exact positions. What sits in a secret is not reported again as personal data. Of one rule at most
        10,000 are told apart; the last of them reaches to the end of the text.
    """
    from engram.safety import hidden
    from engram.safety.rule import Sheet

    reference = kind not in ("rule", "skill")
    sheet = Sheet(text)
    hits = dict.fromkeys(
        (hit.start, hit.end, group, hit.kind, hit.label) for group, hit in _hits(sheet, reference=reference)
    )
    copy, offsets = hidden.bare(text)
    if offsets is not None:
        # A key with a zero-width character inside is a key; its place is the whole span in the text as it stands.
        for at, piece, within in _pieces(text, copy, offsets, hidden.bare):
            for group, hit in _hits(Sheet(piece, sheet), reference=reference):
                start, end = at + within[hit.start], at + within[hit.end - 1] + 1
                if piece is copy or _is_near(offsets.changed, start, end):
                    hits[start, end, group, hit.kind, hit.label] = None
    # So is one that a comment parts: a page shows it whole. Each place in the bare copy is one in the text.
    shown = text if offsets is None else copy
    copy, parted = hidden.joined(shown) if "-->" in shown else ("", None)
    if parted is not None:
        for at, piece, within in _pieces(shown, copy, parted, hidden.joined):
            for group, hit in _hits(Sheet(piece, sheet), reference=reference):
                start, end = at + within[hit.start], at + within[hit.end - 1] + 1
                if end - start > hit.end - hit.start:
                    if offsets is not None:
                        start, end = offsets[start], offsets[end - 1] + 1
                    hits[start, end, group, hit.kind, hit.label] = None
    for hit in (*_in_comments(text), *hidden.find(text)):
        hits[hit.start, hit.end, "hidden", hit.kind, hit.label] = None
    return list(_findings(text, sorted(hits, key=lambda hit: (hit[0], -hit[1], hit[2:]))))


def _hits(sheet: Sheet, *, reference: bool) -> Iterator[tuple[str, Hit]]:
    from engram.safety import instructions, personal, secrets

    for hit in secrets.find(sheet):
        yield "secret", hit
    for hit in personal.find(sheet):
        yield "personal", hit
    for hit in instructions.find(sheet, reference=reference):
        yield "instruction", hit


def _pieces(
    text: str, copy: str, offsets: Offsets, made: Callable[[str], tuple[str, Offsets | None]]
) -> Iterator[tuple[int, str, Offsets]]:
    """Yield what of a copy reads in another way than the text: offset in the text, piece of the copy, its offsets.

    Where one letter in a thousand lines is another one, only the lines around it are looked through again.

    Args:
        text: what the copy was made from.
        copy: all of it.
        offsets: of the copy in the text.
        made: what made it.
    """
    if (len(offsets.changed) + 4 * _AROUND) * 2 > len(text):
        yield 0, copy, offsets
        return
    spans: list[tuple[int, int]] = []
    for at in offsets.changed:
        if not spans or at > spans[-1][1] + 4 * _AROUND:  # no two pieces meet
            spans.append((at, at))
        else:
            spans[-1] = (spans[-1][0], at)
    # Of a private key the first line may stand further off.
    if sum(last - first + 4 * _AROUND for first, last in spans) * 2 > len(text) or "PRIVATE KEY" in copy:
        yield 0, copy, offsets
        return
    for first, last in spans:
        # Whole lines, where they are no longer than that.
        start = max(0, first - 2 * _AROUND, text.rfind("\n", 0, max(0, first - _AROUND)) + 1)
        end = text.find("\n", last + _AROUND, last + 2 * _AROUND)
        piece, within = made(text[start : end if end >= 0 else last + 2 * _AROUND])
        if within is not None:
            yield start, piece, within


def _is_near(changed: Sequence[int], start: int, end: int) -> bool:
    """Tell whether a hit may come from one of the changed characters: what is further off the text itself has shown."""
    from bisect import bisect_left

    at = bisect_left(changed, start - _NEAR)
    return at < len(changed) and changed[at] <= end + _NEAR


def _in_comments(text: str) -> Iterator[Hit]:
    """Yield each comment that holds an order: unseen, so that even a rule may not carry it."""
    from engram.safety import hidden, instructions
    from engram.safety.rule import Hit, Sheet

    spans = hidden.comments(text)
    if not spans:
        return
    from bisect import bisect_right

    # One pass over all of them: a file may hold a hundred thousand.
    bodies = []
    ends = [0]
    for start, end in spans:
        body = text[start:end]
        body = hidden.bare(body)[0] or body
        bodies.append(body)
        ends.append(ends[-1] + len(body) + 1)
    sheet = Sheet("\n".join(bodies))
    orders = (*instructions.find(sheet, reference=True), *instructions.addressed(sheet))
    for number in sorted({bisect_right(ends, hit.start) - 1 for hit in orders}):
        yield Hit("comment", "a comment or other text that no page shows, which gives an agent orders", *spans[number])


def _findings(text: str, hits: Sequence[tuple[int, int, str, str, str]]) -> Iterator[Finding]:
    """Turn sorted hits into findings, each place of one group once."""
    line, line_start, counted = 1, 0, 0
    last: dict[str, int] = {}
    size = len(text)
    for start, end, group, kind, label in hits:
        if end <= last.get(group, 0) or (group == "personal" and start < last.get("secret", 0)):
            continue
        # What reaches to the end stands for more of its own kind, and hides no other.
        last[group] = end if end < size else max(last.get(group, 0), start + 1)
        breaks = text.count("\n", counted, start)
        if breaks:
            line += breaks
            line_start = text.rindex("\n", 0, start) + 1
        counted = start
        mark = _mark(text[start : min(end, start + _JUDGED)]) if group == "secret" else ""
        shown = f" ({mark}…)" if mark else ""
        yield Finding(f"{group}/{kind}", group, kind, line, start - line_start + 1, start, end, label + shown)


def _mark(value: str) -> str:
    """Return the first four characters of a long value that begins with a provider's public mark, else nothing.

    They tell whose key it is, and everybody knows them; of a password or a short value each character is a part of it.
    """
    from engram.safety.secrets import MARKS

    if len(value) < _LONG_ENOUGH or not value.startswith(MARKS):
        return ""
    return max((mark for mark in MARKS if value.startswith(mark)), key=len)[:_SHOWN]


def redact(text: str, findings: Sequence[Finding]) -> str:
    """Return ``text`` with each finding's span as ``[redacted: <rule>]``; overlapping spans become one."""
    parts = []
    at = 0
    spans: list[tuple[int, int, str]] = []
    for finding in sorted(findings, key=lambda finding: (finding.start, -finding.end)):
        if spans and finding.start < spans[-1][1]:
            start, end, rule = spans[-1]
            spans[-1] = (start, max(end, finding.end), rule)
        else:
            spans.append((finding.start, finding.end, finding.rule))
    for start, end, rule in spans:
        parts += [text[at:start], f"[redacted: {rule}]"]
        at = end
    return "".join([*parts, text[at:]])


def mask_secrets(text: str) -> str:
    """Return a text for a message with its secrets replaced by what they are: messages quote what came in (C3)."""
    return redact(text, [finding for finding in scan(text) if finding.group == "secret"])


def check(text: str, *, kind: str, actions: Callable[[str, str], str]) -> Checked:
    """Scan ``text`` and do what the configuration says with each finding.

    Args:
        text: what is to be saved.
        kind: as in ``scan``.
        actions: gives ``block``, ``redact`` or ``allow`` for a group and a kind (``safety.<group>.<kind>``, F21).

    Returns:
        The text after redaction, all findings, and those that were blocked or redacted.

    Raises:
        ValueError: when ``actions`` answers anything else.
    """
    findings = tuple(scan(text, kind=kind))
    by: dict[str, list[Finding]] = {"block": [], "redact": [], "allow": []}
    for finding in findings:
        action = actions(finding.group, finding.kind)
        if action not in by:
            raise ValueError(f"safety.{finding.group}.{finding.kind}: {action!r} is none of block, redact, allow")
        by[action].append(finding)
    return Checked(redact(text, by["redact"]), findings, tuple(by["block"]), tuple(by["redact"]))


def refusal(blocked: Sequence[Finding], *, field: str = "", done: str = "saved") -> SafetyError:
    """Return the error for a text that was refused: each kind with its place, never the found text itself (C3).

    Args:
        blocked: at least one finding.
        field: the field that holds them, such as ``title``; the memory's own text by default.
        done: what was not done.
    """

    def place(finding: Finding) -> str:
        return f"the field {field}" if field else f"line {finding.line}"

    shown = "; ".join(f"{place(finding)} holds {finding.message}" for finding in blocked[:5])
    more = f"; and {len(blocked) - 5} more" if len(blocked) > 5 else ""
    places: list[object] = [
        {"field": field or "text", "rule": f.rule, "line": f.line, "column": f.column, "message": f.message}
        for f in blocked
    ]
    return SafetyError(
        f"nothing was {done}: {shown}{more}", hint=_hint({f.group for f in blocked}), details={"findings": places}
    )


def _hint(groups: set[str]) -> str:
    if "secret" in groups:
        return "Say where the secret is kept (an environment variable, a vault), not what it is."
    if "instruction" in groups:
        return (
            "Say what is so, not what an agent should do; an order for agents belongs in a rule, where a human sees it."
        )
    if "hidden" in groups:
        return "Take the hidden characters or comments out: what a person cannot see, a person cannot approve."
    return "Leave the personal data out, or set safety.personal to redact or allow."
