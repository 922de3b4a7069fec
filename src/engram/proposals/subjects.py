"""Whether a text and a memory are about the same, and what differs then (F20)."""

from __future__ import annotations

import unicodedata

from engram.proposals.clauses import Clause, main_clause, statements_of
from engram.proposals.compare import Finding, compare
from engram.proposals.differences import CONJUNCTIONS
from engram.proposals.frames import Frame, frame_of
from engram.proposals.tokens import languages_of, tokens_of
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.proposals.clauses import Statement
    from engram.proposals.languages.tables import Language
    from engram.proposals.tokens import Token

__all__ = ["Reading", "Text", "read", "relate"]

# Nearer first: what is certain stands before what is in doubt.
_ORDER = ("conflict", "more", "same", "doubt", "different", "far")
_FAR = Finding("far")
_SEPARATE = {code: " " for code in range(128) if not chr(code).isalnum()}
_LONGEST = 1000  # characters of a sentence; nobody says one thing in more
_MOST_ASIDES = 12  # sentences behind the first one that are compared each with each
_LONGEST_THING = 8  # tokens of a thing that is set over another one
# How a sentence begins that says who alone may do something, or that all may.
_ALONE = ("only", "solo", "sólo", "solamente", "únicamente", "unicamente", "只有", "只准", "只许", "仅", "chỉ")
_ALL = (
    "everyone", "everybody", "anyone", "anybody", "any person", "any user", "every user", "all people", "all users",
    "todos", "todas", "cualquiera", "cualquier persona", "cualquier usuario", "todo el mundo", "所有人", "所有用户",
    "任何人", "任何用户", "每个人", "人人", "全员", "大家", "mọi người", "ai cũng",
)  # fmt: skip
_LEAST = 2  # words that a statement has at least, to be found behind the first one


class _Said(Record):
    """One statement, read: its main sentence as a frame, and what stands behind it as further ones."""

    frame: Frame
    tokens: tuple[Token, ...]
    asides: tuple[Frame, ...]
    rejected: tuple[str, ...]
    words: frozenset[str]
    aside_words: frozenset[str]
    who: str = ""


class Reading(Record):
    """A text, read for comparison. ``language`` is ``""`` where the rules know none."""

    language: str
    said: tuple[_Said, ...]


def read(text: str, language: str = "") -> Reading:
    """Read a text in the language that it shows, or in one of those that it may be in."""
    code = language or next(iter(languages_of(text)), "")
    return Reading(code, tuple([_said(statement, code) for statement in statements_of(text)]) if code else ())


class Text:
    """A text that is compared with others; it is read once in each language that it may be in, and when it matters.

    Reading it loads the tables of the language: what is compared with no text of that language does without.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._languages = languages_of(text)
        self._read: dict[str, Reading] = {}

    def beside(self, known: Text) -> Finding:
        """Return how this text, the new one, stands to a known one; texts of two languages are far."""
        code = next((code for code in known._languages if code in self._languages), "")
        return relate(known._in(code), self._in(code)) if code else _FAR

    def _in(self, code: str) -> Reading:
        if code not in self._read:
            self._read[code] = read(self.text, code)
        return self._read[code]


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
    if finding.kind != "conflict" and (_is_turned_round(known, head, language) or _opens_to_all(known, head)):
        return finding.replace(kind="conflict", what="polarity")
    if finding.kind != "conflict" and (others := _names_others(known, head)):
        return finding.replace(kind="conflict", what="choice", old=others[0], new=others[1])
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
            if again.kind == "conflict" or (again.kind == "doubt" and again.what == "number"):
                return again.replace(share=finding.share)
    words = frozenset().union(*[said.words for said in new.said])
    if not words - known.words:
        return finding.replace(kind="same")
    if finding.kind == "same":
        asides = head.aside_words.union(*[said.words for said in new.said[1:]])
        if not (asides - known.words or known.words <= words):
            return finding  # the same in other words
    return finding.replace(kind="more")


def _is_turned_round(known: _Said, new: _Said, language: Language) -> bool:
    """Say whether two things changed places in what sets one over the other: prefer A to B, and B to A."""
    first, second = ([token.key for token in said.tokens] for said in (known, new))
    if first == second or sorted(first) != sorted(second):
        return False
    if not any(token.loose in language.prefers or token.word in language.prefers for token in known.tokens):
        return False
    if known.frame.negative and not any(token.word.startswith(("宁", "寧")) for token in known.tokens):
        return False
    while first[0] == second[0]:
        del first[0], second[0]
    while first[-1] == second[-1]:
        del first[-1], second[-1]
    for size in range(1, min(len(first), _LONGEST_THING + 1)):
        if second[-size:] != first[:size]:
            continue
        for other in range(1, min(len(first) - size, _LONGEST_THING + 1)):
            between = first[size : len(first) - other]
            if second == [*first[len(first) - other :], *between, *first[:size]]:
                return not all(key in CONJUNCTIONS or key == "," for key in between)
    return False


def _opens_to_all(known: _Said, new: _Said) -> bool:
    """Say whether one gives to all what the other gives to some alone: only admins may deploy, everyone may deploy."""
    return {known.who, new.who} == {"some", "all"} and _give_the_same(known.frame, new.frame)


def _names_others(known: _Said, new: _Said) -> tuple[str, str] | None:
    """Return to whom alone each gives the same, where it is another one: only admins may deploy, only editors may."""
    if not known.who == new.who == "some" or not _give_the_same(known.frame, new.frame):
        return None
    first, second = list(known.tokens), list(new.tokens)
    for end in (0, -1):
        while first and second and first[end].key == second[end].key:
            del first[end], second[end]
    if not first or not second:
        return None  # the admins, the admins on duty
    joint = "" if known.frame.language == "zh" else " "
    return joint.join([token.text for token in first]), joint.join([token.text for token in second])


def _give_the_same(first: Frame, second: Frame) -> bool:
    """Say whether two sentences differ in nothing but whom they are about."""
    return (
        not (first.negative or second.negative)
        and bool(first.verb)
        and (first.may, first.verb, first.passive) == (second.may, second.verb, second.passive)
        and _keys(first.object) == _keys(second.object)
        and [(block.preposition, _keys(block.tokens)) for block in first.blocks]
        == [(block.preposition, _keys(block.tokens)) for block in second.blocks]
    )


def _keys(tokens: Sequence[Token]) -> list[str]:
    return [token.key for token in tokens]


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
    if [token.key for token in first] == [token.key for token in second]:
        old = [token.text for token in known.significant if token.number]
        now = [token.text for token in new.significant if token.number]
        if old and now and [t.key for t in known.significant] != [t.key for t in new.significant]:
            # A number by itself may be a value or a name: retries (3), ADR (12).
            return Finding("conflict" if first else "doubt", "number", " ".join(old), " ".join(now))
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
    head: list[Token] = []
    asides: list[Frame] = []
    aside_words: set[str] = set()
    for number, text in enumerate((statement.head, *statement.rest)):
        if number > _MOST_ASIDES:
            aside_words |= _words([text])
            continue
        tokens, clause, frame = _parse(text, code)
        frames.append(frame)
        if number:
            aside_words |= _words([text])
        else:
            rejected, head = clause.rejected, tokens
        for part in clause.asides:
            asides.append(_frame(Clause((), part), code))
            if not number:
                aside_words |= _words([token.text for token in part])
    return _Said(
        frames[0],
        tuple(_counting(head, code)),
        (*asides, *frames[1:])[:_MOST_ASIDES],
        tuple([token.key for token in rejected]),
        frozenset(_words((statement.head, *statement.rest))),
        frozenset(aside_words),
        _who(statement.head),
    )


def _who(text: str) -> str:
    """Return whether a sentence begins with ``some`` alone, or with ``all``; ``""`` where it does with neither."""
    folded = unicodedata.normalize("NFC", text).casefold().lstrip("\"'“¡_* ")
    for who, words in (("some", _ALONE), ("all", _ALL)):
        for word in words:
            rest = folded[len(word) : len(word) + 1]
            if folded.startswith(word) and (word >= "\u2e80" or not rest.isalnum()):
                return who
    return ""


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


def _counting(tokens: Sequence[Token], code: str) -> list[Token]:
    """Return the tokens without those that change nothing in what is said."""
    language = _language(code)
    silent = (language.fillers | language.articles) - {"que"}  # mejor A que B
    return [token for token in tokens if token.number or token.word not in silent]


def _parse(text: str, code: str) -> tuple[list[Token], Clause, Frame]:
    text = text[:_LONGEST]
    if code == "zh":
        from engram.proposals.han import han_clause, han_tokens

        tokens = han_tokens(text)
        clause = han_clause(tokens)
    else:
        language = _language(code)
        tokens = tokens_of(text, language)
        clause = main_clause(tokens, language)
    return tokens, clause, _frame(clause, code)


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
