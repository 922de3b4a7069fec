"""Two sentences side by side: the same, more, a contradiction, another subject, or in doubt (F20).

The frames of both sentences are laid over each other. What differs lies in some part of them, and the part decides: in
what the sentence is about it makes two subjects; in what is said of that, a number, a version, an opposite or another
chosen thing makes a contradiction. Whatever the rules cannot place is in doubt.
"""

from __future__ import annotations

from engram.proposals.differences import CONJUNCTIONS, WHERE, Difference, Meaning
from engram.proposals.values import UNITS
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from engram.proposals.frames import Block, Frame, Place
    from engram.proposals.languages.tables import Language
    from engram.proposals.tokens import Token

    Kind = Literal["same", "more", "conflict", "different", "doubt", "far"]

__all__ = ["Finding", "compare"]

# Half of all words in common, or the two have nothing to do with each other.
_NEAR = 0.5


class Finding(Record):
    """How a new sentence stands to a known one.

    ``what`` names what differs in a contradiction: ``polarity``, ``number`` or ``choice``; ``old`` and ``new`` are the
    words that do. ``share`` is the share of words in common, 0 to 1.
    """

    kind: Kind
    what: str = ""
    old: str = ""
    new: str = ""
    share: float = 0.0


class _Comparison:
    """One known frame and one new one."""

    def __init__(self, known: Frame, new: Frame, language: Language) -> None:
        self.known = known
        self.new = new
        self.language = language
        self.meaning = Meaning(known, language)
        self.differences: list[Difference] = []
        self.added: list[tuple[str, Place, tuple[Token, ...]]] = []
        self.missing: list[tuple[str, Place, tuple[Token, ...]]] = []
        self.turned = False
        known_keys = {token.loose for token in known.significant}
        new_keys = {token.loose for token in new.significant}
        total = len(known_keys) + len(new_keys)
        self.share = 2 * len(known_keys & new_keys) / total if total else 0.0

    def finding(self) -> Finding:
        kind, what, old, new = self.decide()
        if kind == "doubt" and self.share < _NEAR:
            kind = "far"
        if kind == "doubt" and self.names_differ():
            kind = "different"
        return Finding(kind, what, old, new, self.share)

    def decide(self) -> tuple[Kind, str, str, str]:
        known, new = self.known, self.new
        if self.share == 0:
            return "far", "", "", ""
        opposite = known.negative != new.negative
        if self.says_the_same():
            if opposite:
                return "conflict", "polarity", *self.polarity_words()
            if known.may != new.may:
                return "doubt", "", "", ""
            return "same", "", "", ""
        self.lay_over()
        if self.turned and not self.differences and not self.added and not self.missing:
            return ("doubt", "", "", "") if opposite else ("conflict", "polarity", *self.turned_words())
        if not self.differences:
            return self.without_substitution(opposite=opposite)
        if opposite or self.turned:
            # "Never use npm" beside "Use pnpm": both may hold.
            decided = [self.meaning.of(one)[0] for one in self.differences]
            return ("different", "", "", "") if "doubt" not in decided else ("doubt", "", "", "")
        return self.with_substitution()

    # The same words in other places.

    def says_the_same(self) -> bool:
        known, new = self.known, self.new
        if _block_keys(known.blocks) != _block_keys(new.blocks):
            return False
        if known.verb == new.verb and _numbers(known.subject) != _numbers(new.subject):
            return False  # "stack eight holds crates" is no "the stack holds eight crates"
        first, second = _core(known), _core(new)
        if known.verb != new.verb and "" in {known.verb, new.verb}:
            # "Avoid default exports" leaves no verb, and "Use default exports" one that says nothing by itself.
            first, second = (
                core[1:] if frame.verb in self.language.choose else core
                for frame, core in ((known, first), (new, second))
            )
        return first == second or (len(first) <= 2 and sorted(first) == sorted(second) and known.parsed != new.parsed)

    def polarity_words(self) -> tuple[str, str]:
        return ("forbids it", "asks for it") if self.known.negative else ("asks for it", "forbids it")

    def turned_words(self) -> tuple[str, str]:
        known = {block.preposition for block in self.known.blocks}
        new = {block.preposition for block in self.new.blocks}
        if known == new:
            return self.known.verb, self.new.verb
        return " ".join(sorted(known - new)), " ".join(sorted(new - known))

    # Where they differ.

    def lay_over(self) -> None:
        known, new = self.known, self.new
        self.lay_slot("subject", "subject", known.subject, new.subject)
        if known.verb != new.verb:
            self.lay_verb()
        self.lay_slot("object", "after", known.object, new.object)
        rest = list(new.blocks)
        left: list[Block] = []
        number = 0
        for block in known.blocks:
            twin = next((other for other in rest if other.preposition == block.preposition), None)
            if twin is None:
                left.append(block)
                continue
            rest.remove(twin)
            after = block.place == "after" and twin.place == "after"
            number += after
            place: Place = "after" if after else "front"
            self.lay_slot(block.preposition, place, block.tokens, twin.tokens, number)
        for block in left:
            other = next((other for other in rest if self.are_opposite(block, other)), None)
            if other is None:
                self.missing.append((block.preposition, block.place, block.tokens))
            else:
                rest.remove(other)
                self.turned = not self.turned
        self.added += [(block.preposition, block.place, block.tokens) for block in rest]
        self.pair_lone_parts()

    def pair_lone_parts(self) -> None:
        """Lay over a part that each has alone, behind the verb: "runs on Linux", "runs in Docker".

        What is in Madrid may well be on the third floor.
        """
        if self.known.verb != "be" and len(self.missing) == len(self.added) == 1 and not self.differences:
            (old_slot, old_place, old), (new_slot, new_place, new) = self.missing[0], self.added[0]
            if old_place == new_place == "after" and {old_slot, new_slot} <= WHERE and old and new:
                self.missing, self.added = [], []
                self.differences.append(Difference(f"{old_slot}/{new_slot}", "after", old, new, old, new, 0, 1))

    def are_opposite(self, known: Block, new: Block) -> bool:
        same = [token.key for token in known.tokens] == [token.key for token in new.tokens]
        return same and frozenset((known.preposition, new.preposition)) in self.language.opposites

    def lay_verb(self) -> None:
        known, new = self.known, self.new
        if "" in {known.verb, new.verb} or known.passive != new.passive:
            self.differences.append(Difference("form", "after", (), (), (), (), 0))
        elif frozenset((known.verb, new.verb)) in self.language.contraries:
            self.turned = not self.turned
        else:
            self.differences.append(Difference("verb", "after", (), (), (), (), 0))

    def lay_slot(
        self, slot: str, place: Place, known: tuple[Token, ...], new: tuple[Token, ...], number: int = 0
    ) -> None:
        first, second = [token.key for token in known], [token.key for token in new]
        if first == second:
            return
        if _is_within(first, second):
            extra = _left_over(new, first)
            if not known or slot in {"subject", "object"} or extra:
                self.added.append((slot, place, extra))
            return
        if _is_within(second, first):
            self.missing.append((slot, place, _left_over(known, second)))
            return
        start = 0
        while start < min(len(first), len(second)) and first[start] == second[start]:
            start += 1
        end = 0
        while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
            end += 1
        self.differences.append(
            Difference(
                slot, place, known, new, known[start : len(known) - end], new[start : len(new) - end], start, number
            )
        )

    # What it means.

    def without_substitution(self, *, opposite: bool) -> tuple[Kind, str, str, str]:
        if opposite or self.turned or self.missing or not self.added:
            return "doubt", "", "", ""
        if self.new.negative or self.known.may != self.new.may:
            return "doubt", "", "", ""
        for slot, place, tokens in self.added:
            if place != "after" or slot in {"subject", "topic"} or not tokens:
                return "doubt", "", "", ""
            if any(token.number for token in tokens) or tokens[0].word in CONJUNCTIONS:
                return "doubt", "", "", ""
            if slot in {"without", "sin"}:
                return "doubt", "", "", ""
        keys = [token.key for token in self.known.significant]
        if [token.key for token in self.new.significant[: len(keys)]] != keys:
            # More words in the middle make the subject a narrower one.
            return "doubt", "", "", ""
        return "more", "", "", ""

    def with_substitution(self) -> tuple[Kind, str, str, str]:
        found = [self.meaning.of(one) for one in self.differences]
        kinds = [kind for kind, _ in found]
        if "different" in kinds:
            alone = len(found) == 1 and not self.added and not self.missing
            first = self.differences[0]
            return "different", found[0][1] if alone else "", _words(first.old_core, ()), _words(first.new_core, ())
        if any(one.slot in {"verb", "form"} for one in self.differences):
            alone = len(self.differences) == 1 and not self.added and not self.missing
            close = alone or self.share >= _NEAR
            return ("doubt" if close else "far"), "", "", ""
        if "doubt" in kinds:
            what = found[0][1] if len(found) == 1 and not self.added and not self.missing else ""
            return "doubt", what, _words(self.differences[0].old_core, ()), _words(self.differences[0].new_core, ())
        numbers = [what == "number" for _, what in found]
        in_subject = [one for one in self.differences if one.place != "after"]
        if len(found) > 1 and (in_subject or not any(numbers)):
            # A number in the subject and another value: two cases of one rule, not one that changed.
            return "different" if in_subject else "doubt", "", "", ""
        if self.added or self.missing or self.known.may != self.new.may:
            extra = [tokens for slot, _, tokens in (*self.added, *self.missing) if slot not in self.same_slots()]
            if extra or self.known.may != self.new.may:
                return "doubt", "", "", ""
        first = next(one for one, (_, what) in zip(self.differences, found, strict=True) if what == found[0][1])
        return "conflict", found[0][1], _words(first.old_core, first.known), _words(first.new_core, first.new)

    def same_slots(self) -> set[str]:
        return {one.slot for one in self.differences}

    def names_differ(self) -> bool:
        """Say whether each has a name or a number that the other lacks: then they are two, and not near."""
        known = {token.key for token in self.known.significant if token.name or token.number}
        new = {token.key for token in self.new.significant if token.name or token.number}
        all_known = {token.key for token in self.known.significant}
        all_new = {token.key for token in self.new.significant}
        return bool(known - all_new) and bool(new - all_known) and not any(
            one.slot == "object" or one.place == "after" for one in self.differences
        )  # fmt: skip


def compare(known: Frame, new: Frame, language: Language) -> Finding:
    """Return how ``new`` stands to ``known``; both are of one language."""
    return _Comparison(known, new, language).finding()


def _core(frame: Frame) -> list[str]:
    verb = [] if frame.verb in {"", "be"} else [frame.verb]
    return [*verb, *[token.loose for token in frame.subject], *[token.loose for token in frame.object]]


def _numbers(tokens: Sequence[Token]) -> list[str]:
    return [token.key for token in tokens if token.number]


def _block_keys(blocks: Iterable[Block]) -> list[tuple[str, tuple[str, ...]]]:
    return sorted((block.preposition, tuple([token.key for token in block.tokens])) for block in blocks)


def _is_within(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(key in rest for key in part)


def _left_over(tokens: Sequence[Token], keys: Sequence[str]) -> tuple[Token, ...]:
    found = []
    at = 0
    for token in tokens:
        if at < len(keys) and token.key == keys[at]:
            at += 1
        else:
            found.append(token)
    return tuple(found)


def _words(core: Sequence[Token], whole: Sequence[Token]) -> str:
    """Return the words of a difference for a person, a number with the unit behind it."""
    shown = list(core)
    if len(core) == 1 and core[0].number and not core[0].unit:
        at = next((at for at, token in enumerate(whole) if token is core[0]), -1)
        if 0 <= at < len(whole) - 1 and whole[at + 1].word in UNITS:
            shown.append(whole[at + 1])
    joint = "" if any("\u3400" <= char <= "\u9fff" for token in shown for char in token.text) else " "
    return joint.join([token.text for token in shown])
