"""A sentence as a frame: what it is about, what it says of that, and where, when and for what it holds (F20).

This is no grammar. It finds the places in which two sentences of the same build can differ; where it is wrong it is
wrong in both, and what it cannot place makes the verdict doubtful, which is an ADD.
"""

from __future__ import annotations

from engram.proposals.values import UNITS, class_of
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from engram.proposals.clauses import Clause
    from engram.proposals.languages.tables import Language
    from engram.proposals.tokens import Token

    Place = Literal["front", "subject", "after"]

__all__ = ["Block", "Frame", "frame_of"]

_DAY_BLOCK = {"en": "on", "es": "en", "vi": "vào"}
_PARTICIPLE_ENDS = {
    "en": ("d", "en", "t", "n", "ing"),
    "es": ("ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas", "ando", "iendo"),
}
# What is needed in a version is chosen in it: Node 20 is required.
_NEEDED = frozenset(("requir", "need", "recommend", "requer", "necesit", "exig", "recomend"))
_PLURALS = frozenset(("people", "data", "children", "men", "women", "criteria", "they"))


class Block(Record):
    """A part that a preposition begins, and where in the sentence it stands."""

    preposition: str
    tokens: tuple[Token, ...]
    place: Place


class Frame(Record):
    """A sentence taken into its parts.

    Attributes:
        language: code of the language.
        negative: it denies or forbids.
        may: it only permits.
        subject: what it is about; of an order without a subject, empty.
        verb: the main verb, loosely; ``be`` of a sentence that says what something is, ``""`` where none was found.
        object: what the verb applies to, or what the subject is.
        blocks: the other parts, in order.
        order: it is an order: a verb without a subject.
        passive: its verb is a participle after a form of "to be".
        turned: what was chosen stood as its subject, as in "pnpm is used for installs".
        significant: every word that counts, in order.
    """

    language: str
    negative: bool
    may: bool
    subject: tuple[Token, ...]
    verb: str
    object: tuple[Token, ...]
    blocks: tuple[Block, ...]
    order: bool
    passive: bool
    significant: tuple[Token, ...]
    turned: bool = False

    @property
    def parsed(self) -> bool:
        """Whether a verb was found."""
        return bool(self.verb) or self.passive


class _Parser:
    """Takes one clause apart; see ``frame_of``."""

    def __init__(self, clause: Clause, language: Language) -> None:
        self.language = language
        denials = sum(token.word == "NOT" for token in clause.main)
        # Two denials cancel each other in English; "no despliegues nunca" denies once.
        self.negative = denials % 2 == 1 if language.code == "en" else denials > 0
        self.may = any(token.word == "MAY" for token in clause.main)
        self.urged = bool(clause.main) and (
            clause.main[0].word in {"NOT", "MUST", "always", "please", "siempre", "hãy", "luôn", "usually"}
        )
        self.words = [token for token in clause.main if token.word != "NOT"]
        self.blocks: list[Block] = []
        self.significant: list[Token] = []
        self.front = clause.front
        self.topic = clause.topic

    def content(self, token: Token) -> bool:
        """Say whether a token says something."""
        return bool(token.number) or not (
            token.word in self.language.fillers
            or token.word in self.language.articles
            or (token.mark and token.word not in {"LEAST", "MOST"})
        )

    def is_verb(self, token: Token) -> bool:
        language = self.language
        return (
            token.loose in language.choose
            or token.loose in language.settle
            or token.loose in language.verbs
            or token.loose in language.flips
            or token.loose in language.grants
        ) and not token.number

    def parse(self) -> Frame:
        if self.front:
            self.take(self.front, "front", "topic" if self.topic else "")
        start = self.skip_people()
        words = self.words
        pivot, order = self.pivot(start)
        subject = self.take(words[start:pivot], "subject")
        verb, passive, at = self.verb_at(pivot) if pivot < len(words) else ("", False, pivot)
        rest = self.take(words[at:], "after")
        chosen = verb in self.language.choose and (passive or not rest)
        turned = (chosen or (passive and verb in _NEEDED)) and bool(subject) and not order
        if turned:
            subject, rest = (), subject  # pnpm is used for installs
        elif verb == "be" and rest and not order and self.is_inverse(subject, rest):
            subject, rest = rest, subject  # Ana is the owner of billing
            turn: dict[Place, Place] = {"subject": "after", "after": "subject"}
            self.blocks = [block.replace(place=turn.get(block.place, block.place)) for block in self.blocks]
        return Frame(
            self.language.code, self.negative, self.may and not self.negative, subject, verb, rest, tuple(self.blocks),
            order, passive, tuple(self.significant), turned,
        )  # fmt: skip

    def skip_people(self) -> int:
        """Return where the sentence begins behind a subject such as ``we`` or ``the team``."""
        at = 0
        words = self.words
        while at < len(words) and (words[at].word in self.language.fillers or words[at].word in self.language.articles):
            at += 1
        if at + 1 < len(words) and words[at].word in self.language.people:
            after = words[at + 1]
            # "One should never push", but "one approval is required".
            counts = bool(words[at].number)
            if (after.mark and after.word not in {"BE", "LEAST", "MOST"}) or (not counts and self.is_verb(after)):
                return at + 1
            if after.word in self.language.fillers:
                return at + 1
        return 0

    def pivot(self, start: int) -> tuple[int, bool]:
        """Return where the verb stands, and whether the sentence is an order; the end where there is no verb."""
        words = self.words
        first = start
        while first < len(words) and words[first].word in self.language.fillers:
            first += 1
        mark = len(words)
        for at in range(start, len(words)):
            if words[at].word in {"BE", "MUST", "MAY"}:
                mark = at
                break
            if at > first and words[at].word in self.language.clauses:
                break
        if mark < len(words):
            return mark, not any(self.content(token) for token in words[start:mark])
        if first < len(words) and ((start and self.is_verb(words[first])) or self.begins_order(first)):
            return first, True
        finite = self.finite(first)
        if finite < len(words):
            return finite, False
        if first < len(words) and self.urged and words[first].word not in self.language.articles:
            return first, True
        if self.counts_out(first):
            return first, True
        return len(words), False

    def counts_out(self, first: int) -> bool:
        """Say whether an unknown Spanish word is followed by how many of a thing: "dobla dos toallas".

        There no verb that has a subject ends in "s". In English "sensor two drifts" is no order: in doubt none is.
        """
        words, language = self.words, self.language
        if language.code != "es" or first + 2 >= len(words):
            return False
        head, count, counted = words[first : first + 3]
        return (
            bool(count.number)
            and not any(char.isdigit() for char in count.word)
            and not (head.name or head.mark or head.number or head.word in language.prepositions)
            and counted.word.endswith("s")
            and not (counted.name or class_of(counted.word) or counted.word in language.prepositions)
        )

    def begins_order(self, first: int) -> bool:
        words, token = self.words, self.words[first]
        if not self.is_verb(token):
            return False
        if self.language.code == "en" and token.word.endswith("s") and not token.word.endswith("ss"):
            return False
        if self.language.code == "en" and token.word.endswith("ing") and token.key != token.word:
            return False  # merging requires an approval
        if self.urged or token.loose in self.language.choose or first + 1 >= len(words):
            return True
        # "Release notes live in docs/", "Test runs take five minutes": a noun before a noun before the verb.
        after = words[first + 1]
        if after.word in self.language.articles or after.word in self.language.prepositions or after.mark:
            return True
        finite = self.finite(first + 1)
        return finite >= len(words) or self.language.code != "en"

    def finite(self, first: int) -> int:
        """Return where the verb of a sentence with a subject stands: a form that can be one behind a noun."""
        words = self.words
        found = len(words)
        for at in range(first + 1, len(words)):
            token, before = words[at], words[at - 1]
            if token.word in self.language.clauses:
                break
            if found < len(words) and at > found + 1:
                break
            if not self.is_verb(token) or before.word in self.language.prepositions or before.word.endswith("'s"):
                continue  # in the user's time
            if token.word in self.language.articles or (before.number and token.word in UNITS):
                continue  # two approvals; una aprobación, which is no form of "unir"
            if before.word in self.language.articles and before.word != "lo":
                continue
            if self.has_form(token, before, words[at + 1] if at + 1 < len(words) else None):
                found = at
        return found

    def has_form(self, token: Token, before: Token, after: Token | None) -> bool:
        word = token.word
        if self.language.code == "vi":
            return True
        if self.language.code == "es":
            return before.word in {"se", "lo", "le"} or word.endswith(
                ("a", "e", "an", "en", "ó", "aron", "ieron", "án", "á")
            )
        opened = after is None or bool(
            after.number
            or after.mark
            or after.word in self.language.prepositions
            or after.word in self.language.articles
            or after.name
            or class_of(after.word)
        )
        if word.endswith("ed") and token.key != word:
            return after is not None and after.word in self.language.prepositions and not after.name
        if word.endswith("ing"):
            return False
        plural = before.word in _PLURALS or (before.word.endswith("s") and not before.word.endswith("ss"))
        if word.endswith("s") and not word.endswith("ss"):
            return not plural or before.word in _PLURALS or token.loose in self.language.choose
        return plural and (opened or token.loose in self.language.choose or token.loose in self.language.settle)

    def verb_at(self, pivot: int) -> tuple[str, bool, int]:
        """Return the verb, whether it is passive, and where what follows it begins."""
        words = self.words
        at = pivot
        passive = False
        verb = ""
        if words[at].mark:
            verb = "be" if words[at].word == "BE" else ""
            at += 1
            while at < len(words) and (
                words[at].word in {"BE", "MUST", "MAY"}
                or (words[at].word in self.language.fillers and words[at].word not in self.language.articles)
            ):
                if words[at].word == "BE":
                    verb = "be"
                at += 1
            if at >= len(words):
                return verb, False, at
            if verb == "be":
                ends = _PARTICIPLE_ENDS.get(self.language.code, ("",))
                plain = words[at].word.removesuffix("s") if self.language.code == "es" else words[at].word
                plainly = words[at].loose in self.language.grants or words[at].loose in self.language.flips
                if not plainly and not (self.is_verb(words[at]) and plain.endswith(ends)):
                    return verb, False, at
                passive = True
            elif not passive and (
                words[at].word in self.language.articles or words[at].word in self.language.prepositions
            ):
                return verb, False, at
        verb = words[at].loose
        self.significant.append(words[at])
        at += 1
        return self.denied(verb, passive, at)

    def denied(self, verb: str, passive: bool, at: int) -> tuple[str, bool, int]:
        """Take a denial that a verb is, such as ``avoid`` or ``disable``, into the polarity."""
        language = self.language
        if verb in language.grants:
            self.may = True
        elif verb in language.flips:
            self.negative = not self.negative
            verb = language.flips[verb]
            if verb:
                return verb, passive, at
        else:
            return verb, passive, at
        self.significant.pop()
        # What is avoided or allowed may be a verb again: avoid using floats; it is forbidden to push.
        words = self.words
        while at < len(words) and (words[at].word in language.fillers or words[at].word == "to"):
            at += 1
        if at < len(words) and self.is_verb(words[at]) and words[at].word.endswith(("ing", "ar", "er", "ir")):
            self.significant.append(words[at])
            return words[at].loose, False, at + 1
        if at < len(words) and passive and self.is_verb(words[at]):
            self.significant.append(words[at])
            return words[at].loose, False, at + 1
        return "", True, at

    def is_inverse(self, subject: Sequence[Token], rest: Sequence[Token]) -> bool:
        attributes = self.language.attributes
        head = rest[-1] if self.language.code == "en" else rest[0]
        return head.key in attributes and not any(token.key in attributes for token in subject) and bool(subject)

    def take(self, words: Sequence[Token], place: Place, opened: str = "") -> tuple[Token, ...]:
        """Return the words before the first preposition; the parts behind it go to ``blocks``."""
        language = self.language
        slot: list[Token] = []
        current = slot
        preposition = opened
        started = bool(opened)
        if started:
            current = []
        for at, token in enumerate(words):
            canonical = language.prepositions.get(token.word)
            if canonical == "every" and not (at + 1 < len(words) and _is_measure(words[at + 1])):
                continue  # every endpoint, but every two weeks
            if canonical is not None and not token.name and at + 1 < len(words):
                if started:
                    self.blocks.append(Block(preposition, tuple(current), place))
                current, preposition, started = [], canonical, True
                continue
            day = _DAY_BLOCK.get(language.code, "on")
            if place != "subject" and class_of(token.word) == "day" and preposition != day and not (
                started and not current
            ):  # fmt: skip
                if started:
                    self.blocks.append(Block(preposition, tuple(current), place))
                current, preposition, started = [], day, True
            if self.content(token):
                current.append(token)
                self.significant.append(token)
        if started:
            self.blocks.append(Block(preposition, tuple(current), place))
        return tuple(slot)


def _is_measure(token: Token) -> bool:
    return bool(token.number) or token.word in UNITS or class_of(token.word) == "day"


def frame_of(clause: Clause, language: Language) -> Frame:
    """Return the frame of a clause of a language with blanks between words."""
    return _Parser(clause, language).parse()
