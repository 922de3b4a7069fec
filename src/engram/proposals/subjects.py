"""Whether a text and a memory are about the same, and what differs then (F20)."""

from __future__ import annotations

import unicodedata

from engram.proposals.clauses import Clause, main_clause, statements_of
from engram.proposals.compare import Finding, compare
from engram.proposals.frames import Frame, frame_of
from engram.proposals.tokens import language_of, tokens_of
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engram.proposals.clauses import Statement
    from engram.proposals.languages.tables import Language
    from engram.proposals.tokens import Token

__all__ = ["Reading", "read", "relate"]

# Nearer first: what is certain stands before what is in doubt.
_ORDER = ("conflict", "more", "same", "doubt", "different", "far")
_FAR = Finding("far")
_SEPARATE = {code: " " for code in range(128) if not chr(code).isalnum()}
_LONGEST = 1000  # characters of a sentence; nobody says one thing in more
_MOST_ASIDES = 12  # sentences behind the first one that are compared each with each
_LEAST = 2  # words that a statement has at least, to be found behind the first one


class _Said(Record):
    """One statement, read: its main sentence as a frame, and what stands behind it as further ones."""

    frame: Frame
    asides: tuple[Frame, ...]
    rejected: tuple[str, ...]
    words: frozenset[str]
    aside_words: frozenset[str]


class Reading(Record):
    """A text, read for comparison. ``language`` is ``""`` where the rules know none."""

    language: str
    said: tuple[_Said, ...]


def read(text: str, languages: Collection[str] = ()) -> Reading:
    """Read a text.

    Args:
        text: of a candidate or a memory.
        languages: codes of those in which it can matter, all by default. Of a text in another one nothing is read: it
            is far from every text in these, and reading it would load its tables.
    """
    code = language_of(text)
    if not code or (languages and code not in languages):
        return Reading("", ())
    return Reading(code, tuple([_said(statement, code) for statement in statements_of(text)]))


def relate(known: Reading, new: Reading) -> Finding:
    """Return how a new text stands to a known one.

    ``more`` is a new text that repeats a statement and adds words; ``same`` one that adds none. A contradiction of
    anything but the first statement is in doubt: what else the memory says would go with it.
    """
    if not known.said or not new.said or known.language != new.language:
        return _FAR
    language = _language(new.language)
    found = []
    for number, said in enumerate(known.said):
        finding = _relate_one(said, new, language)
        if number and finding.kind == "conflict":
            finding = finding.replace(kind="doubt", what="line")
        if number and finding.kind in {"same", "more"} and len(said.frame.significant) < _LEAST:
            finding = finding.replace(kind="far")  # "Example:" in the middle of a text
        found.append(finding)
    best = min(found, key=lambda finding: (_ORDER.index(finding.kind), -finding.share))
    if best.kind in {"more", "same"} and _contradicts_elsewhere(known, new, language):
        return best.replace(kind="doubt", what="line")
    if best.kind in {"more", "same", "conflict"} and len(known.said) > 1 and len(new.said) > 1:
        # Two procedures may share a step; only a text that repeats the others too is about the same.
        others = known.said[1:] if best.kind == "conflict" else known.said
        if not _repeats(others, new, language):
            return best.replace(kind="doubt", what="")
    return best


def _relate_one(known: _Said, new: Reading, language: Language) -> Finding:
    head = new.said[0]
    finding = compare(known.frame, head.frame, language)
    if finding.kind in {"doubt", "different"} and finding.what == "choice" and _rejects(known, head):
        finding = finding.replace(kind="conflict")
    if finding.kind in {"conflict", "more", "same"} and (_scopes_differ(known, head, language) or _thin(known, head)):
        return finding.replace(kind="doubt", what="")
    if finding.kind not in {"same", "more"}:
        return finding
    new_asides = [*head.asides, *[frame for said in new.said[1:] for frame in (said.frame, *said.asides)]]
    for aside in new_asides[: 2 * _MOST_ASIDES]:
        for other in known.asides:
            again = _compare_asides(other, aside, language)
            if again.kind == "conflict":
                return again.replace(share=finding.share)
    words = frozenset().union(*[said.words for said in new.said])
    if not words - known.words:
        return finding.replace(kind="same")
    if finding.kind == "same":
        asides = head.aside_words.union(*[said.words for said in new.said[1:]])
        if not (asides - known.words or known.words <= words):
            return finding  # the same in other words
    return finding.replace(kind="more")


def _thin(known: _Said, new: _Said) -> bool:
    """Say whether one word is all that both have in common, with much behind it."""
    return min(len(said.frame.significant) for said in (known, new)) < 2 and bool(known.asides and new.asides)


def _scopes_differ(known: _Said, new: _Said, language: Language) -> bool:
    """Say whether parts behind a comma name two cases: "before the till sees it", "before the app sees it"."""
    cases = [
        {
            frame.blocks[0].preposition: [token.key for token in frame.significant]
            for frame in said.asides
            if _is_case(frame)
        }
        for said in (known, new)
    ]
    return any(
        preposition in language.scopes and keys != cases[1].get(preposition, keys)
        for preposition, keys in cases[0].items()
    )


def _is_case(frame: Frame) -> bool:
    return bool(frame.blocks) and not frame.subject and frame.blocks[0].place != "after"


def _repeats(known: Sequence[_Said], new: Reading, language: Language) -> bool:
    """Say whether a new text repeats every one of some statements."""
    return all(
        any(compare(said.frame, other.frame, language).kind in {"same", "more"} for other in new.said) for said in known
    )


def _contradicts_elsewhere(known: Reading, new: Reading, language: Language) -> bool:
    """Say whether what the new text adds contradicts another statement of the known one."""
    tails = [*new.said[0].asides, *[said.frame for said in new.said[1:]]]
    return any(compare(said.frame, tail, language).kind == "conflict" for said in known.said for tail in tails)


def _compare_asides(known: Frame, new: Frame, language: Language) -> Finding:
    """Compare what stands behind two sentences; there any number in the same words is a value."""
    first = [token for token in known.significant if not token.number]
    second = [token for token in new.significant if not token.number]
    if first and [token.key for token in first] == [token.key for token in second]:
        old = [token.text for token in known.significant if token.number]
        now = [token.text for token in new.significant if token.number]
        if old and now and [t.key for t in known.significant] != [t.key for t in new.significant]:
            return Finding("conflict", "number", " ".join(old), " ".join(now))
    return compare(known, new, language)


def _rejects(known: _Said, new: _Said) -> bool:
    """Say whether one was chosen where the other was named as not chosen."""
    chosen = tuple([token.key for token in known.frame.object])
    chosen_now = tuple([token.key for token in new.frame.object])
    return (bool(chosen_now) and known.rejected[: len(chosen_now)] == chosen_now) or (
        bool(chosen) and new.rejected[: len(chosen)] == chosen
    )


def _said(statement: Statement, code: str) -> _Said:
    frames: list[Frame] = []
    rejected: tuple[Token, ...] = ()
    asides: list[Frame] = []
    aside_words: set[str] = set()
    for number, text in enumerate((statement.head, *statement.rest)):
        if number > _MOST_ASIDES:
            aside_words |= _words([text])
            continue
        clause, frame = _parse(text, code)
        frames.append(frame)
        if number:
            aside_words |= _words([text])
        else:
            rejected = clause.rejected
        for tokens in clause.asides:
            asides.append(_frame(Clause((), tokens), code))
            if not number:
                aside_words |= _words([token.text for token in tokens])
    return _Said(
        frames[0],
        (*asides, *frames[1:])[:_MOST_ASIDES],
        tuple([token.key for token in rejected]),
        frozenset(_words((statement.head, *statement.rest))),
        frozenset(aside_words),
    )


def _words(texts: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        if text.isascii():
            found.update(text.lower().translate(_SEPARATE).split())
            continue
        run = ""
        for char in unicodedata.normalize("NFC", text).casefold() + " ":
            if char >= "\u2e80" and char.isalnum():
                found.add(char)
            elif char.isalnum():
                run += char
                continue
            if run:
                found.add(run)
            run = ""
    return found


def _parse(text: str, code: str) -> tuple[Clause, Frame]:
    text = text[:_LONGEST]
    if code == "zh":
        from engram.proposals.han import han_clause, han_tokens

        clause = han_clause(han_tokens(text))
    else:
        language = _language(code)
        clause = main_clause(tokens_of(text, language), language)
    return clause, _frame(clause, code)


def _frame(clause: Clause, code: str) -> Frame:
    if code == "zh":
        from engram.proposals.han import han_frame

        return han_frame(clause)
    return frame_of(clause, _language(code))


def _language(code: str) -> Language:
    if code == "es":
        from engram.proposals.languages.spanish import SPANISH

        return SPANISH
    if code == "zh":
        from engram.proposals.languages.chinese import CHINESE

        return CHINESE
    if code == "vi":
        from engram.proposals.languages.vietnamese import VIETNAMESE

        return VIETNAMESE
    from engram.proposals.languages.english import ENGLISH

    return ENGLISH
