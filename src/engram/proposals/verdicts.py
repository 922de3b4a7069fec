"""What a candidate means for the memory that is there: ADD, UPDATE, SUPERSEDE or NOOP (F20, C42).

A verdict comes from the candidate and the active memories of one scope, and from nothing else: the same input gives the
same verdict in every process. What needs no understanding stands here; whether two texts are about the same is for
``subjects`` to say.
"""

from __future__ import annotations

import unicodedata

from engram.errors import NotFoundError
from engram.portable import fold
from engram.record import Record
from engram.text.lines import split_lines, without_marks
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engram.model import Memory, VerdictWord
    from engram.proposals.candidates import Candidate
    from engram.proposals.compare import Finding

__all__ = ["Verdict", "judge", "normalise", "words_of"]

_END_PUNCTUATION = ".。．｡…!！?？;；,，、:："
_BULLETS = "-*"
_RELATED = 3  # at most so many near memories are shown
_NEW = "no memory says this yet"
_ASCII_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}


class Verdict(Record):
    """The answer for one candidate in one scope.

    ``id`` is the memory that it touches, ``""`` for ADD. ``reason`` is a sentence for a person. ``related`` are ids of
    near memories, nearest first; only an ADD has them. ``others`` are ids of other memories that state the old value;
    only a SUPERSEDE has them.
    """

    word: VerdictWord
    id: str = ""
    reason: str = ""
    related: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the line that C42 prescribes, such as ``Verdict: NOOP duplicate of <id>``."""
        touched = {"ADD": "", "NOOP": f" duplicate of {self.id}"}.get(self.word, f" {self.id}")
        return f"Verdict: {self.word}{touched}"


def normalise(text: str) -> str:
    """Return the form in which two texts are compared for NOOP (F20).

    NFC, case folded, each run of white space one blank, without bullets at the beginnings of lines (outside code
    fences, where they are text) and without punctuation at the end. A text of nothing but punctuation stays.
    """
    lines = []
    fenced = False
    for line in split_lines(text):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        # A text that is one bullet stands in a file as a bullet within a bullet, and says the same.
        lines.append(bare if fenced else without_marks(bare, _BULLETS))
    joined = " ".join(fold("\n".join(lines)).split())
    return joined.rstrip(_END_PUNCTUATION + " ") or joined or " ".join(fold(text).split())


def judge(candidate: Candidate, memories: Sequence[Memory]) -> Verdict:
    """Return the verdict on ``candidate`` against the active memories of one scope.

    Args:
        candidate: as ``parse_candidates`` gives it.
        memories: the active memories of the target scope, all of them, in any order.

    Raises:
        NotFoundError: when UPDATE or SUPERSEDES names no memory among ``memories``; it names the closest ids.
        UsageError: when that name is no id (F12).
    """
    ordered = sorted(memories, key=lambda memory: fold_id(memory.id))
    for ask in (_noop, _explicit):
        verdict = ask(candidate, ordered)
        if verdict is not None:
            return _with_others(candidate, verdict, ordered) if verdict.word == "SUPERSEDE" else verdict
    # The tables of words cost something, and most saves in an empty memory or of a duplicate never need them.
    return _by_subject(candidate, ordered) if ordered else Verdict("ADD", reason=_NEW)


def _by_subject(candidate: Candidate, memories: Sequence[Memory]) -> Verdict:
    from engram.proposals.subjects import Text

    new = Text(candidate.text)
    found = [(memory, new.beside(Text(memory.content))) for memory in memories]
    found.sort(key=lambda pair: -pair[1].share)
    kind = candidate.type or "knowledge"
    against = [(memory, finding) for memory, finding in found if finding.kind == "conflict"]
    for memory, finding in against:
        if memory.type == kind:
            others = tuple([other.id for other, _ in against if other.id != memory.id])
            return Verdict("SUPERSEDE", memory.id, _why_superseded(memory.id, finding), others=others)
    for memory, finding in found:
        # A text without a type may add to a memory of any type; it cannot replace one.
        if finding.kind == "more" and candidate.type in {"", memory.type}:
            return Verdict("UPDATE", memory.id, f"same subject as {memory.id}, nothing differs in value, it adds words")
    near = [*against, *[(memory, finding) for memory, finding in found if finding.kind in {"doubt", "more", "same"}]]
    related = tuple([memory.id for memory, _ in near[:_RELATED]])
    return Verdict("ADD", reason=_why_added(near, kind), related=related)


def _with_others(candidate: Candidate, verdict: Verdict, memories: Sequence[Memory]) -> Verdict:
    """Add to a SUPERSEDE that the candidate names the other memories that state the old value (C42)."""
    from engram.proposals.subjects import Text

    replaced = next(memory for memory in memories if memory.id == verdict.id)
    new, old = Text(candidate.text), Text(replaced.content)
    others = []
    for memory in memories:
        known = Text(memory.content)
        same = normalise(memory.content) == normalise(replaced.content) or old.beside(known).kind in {"same", "more"}
        if memory is not replaced and (same or new.beside(known).kind == "conflict"):
            others.append(memory.id)
    return verdict.replace(others=tuple(others))


def _why_superseded(memory_id: str, finding: Finding) -> str:
    match finding.what:
        case "polarity":
            return f"same subject as {memory_id}, which says the opposite"
        case what:
            return f"same subject as {memory_id}, another {what}: {finding.old} there, {finding.new} here"


def _why_added(near: Sequence[tuple[Memory, Finding]], kind: str) -> str:
    if not near:
        return _NEW
    memory, finding = near[0]
    if finding.kind == "conflict":
        return f"it contradicts a memory that is no {kind} but {memory.type}"
    if finding.what == "line":
        return "it contradicts one line of a memory that says more than that"
    if finding.kind in {"more", "same"} and memory.type != kind:
        return f"a memory says it already, as {memory.type}"
    if finding.kind == "same":
        return "a memory says the same in other words"
    return "a memory is near to it, and may be about the same"


def _noop(candidate: Candidate, memories: Sequence[Memory]) -> Verdict | None:
    wanted = normalise(candidate.text)
    for memory in memories:
        if wanted in _statements(memory):
            kind = candidate.type or "knowledge"
            other = "" if memory.type == kind else f", as {memory.type}"
            return Verdict("NOOP", memory.id, f"{memory.id} says the same already{other}")
    return None


def _statements(memory: Memory) -> Iterator[str]:
    """Yield what ``memory`` says: its whole content, and each bullet of a content that is nothing but bullets.

    A bullet under a sentence or a heading is about that, so it says nothing by itself.
    """
    yield normalise(memory.content)
    lines = [line for line in split_lines(memory.content) if line.strip()]
    if len(lines) > 1 and all(line.startswith(("- ", "* ")) for line in lines):
        yield from map(normalise, lines)


def _explicit(candidate: Candidate, memories: Sequence[Memory]) -> Verdict | None:
    if candidate.update:
        target = _target("UPDATE", candidate.update, memories)
        return Verdict("UPDATE", target.id, f"the candidate names {target.id} as the memory that it changes")
    if candidate.supersedes:
        target = _target("SUPERSEDES", candidate.supersedes, memories)
        return Verdict("SUPERSEDE", target.id, f"the candidate names {target.id} as the memory that it replaces")
    return None


def _target(key: str, name: str, memories: Sequence[Memory]) -> Memory:
    scope, id_ = check_id(name)
    folded = fold_id(id_)
    for memory in memories:
        if fold_id(memory.id) == folded and scope in ("", memory.scope):
            return memory
    from difflib import get_close_matches

    ids = {fold_id(memory.id): memory.id for memory in memories}
    closest = [ids[near] for near in get_close_matches(folded, list(ids), 3, 0.5)]
    raise NotFoundError(
        f"{key} names {name}, which is no active memory of this scope",
        hint=f"the closest ids: {', '.join(closest)}" if closest else "`engram list` shows the ids that there are",
        details={"closest": list[object](closest)},
    )


def words_of(text: str) -> frozenset[str]:
    """Return the words of ``text``: runs of letters and digits, and in Chinese, Japanese and Korean pairs of them."""
    folded = normalise(text)
    if folded.isascii():  # most memories: a thousand of them are compared while a person waits
        return frozenset(folded.translate(_ASCII_BLANKS).split())
    words: set[str] = set()
    run = ""
    for char in folded + " ":
        if char.isalnum() or (run and unicodedata.category(char)[0] == "M"):
            if run and _pairs(char) != _pairs(run[-1]):
                words.update(_cut(run))
                run = ""
            run += char
        elif run:
            words.update(_cut(run))
            run = ""
    return frozenset(words)


def _pairs(char: str) -> bool:
    """Say whether a script without blanks uses ``char``: kana, Han and Hangul blocks."""
    return (
        "\u3040" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7af"
        or char >= "\U00020000"
    )


def _cut(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] if _pairs(run[0]) and len(run) > 1 else [run]
