"""What a difference between two sentences means by itself: a contradiction, another subject, or nothing sure (F20)."""

from __future__ import annotations

from engram.proposals.languages.tables import word_set
from engram.proposals.values import PLACES, TIERS, UNITS, class_of
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from engram.proposals.frames import Frame, Place
    from engram.proposals.languages.tables import Language
    from engram.proposals.tokens import Token

    Meant = Literal["conflict", "different", "doubt"]

__all__ = ["CONJUNCTIONS", "WHERE", "Difference", "Meaning"]

CONJUNCTIONS = frozenset(("and", "or", "y", "o", "e", "u", "và", "hoặc", "、", "&", "和", "或"))
# Prepositions of place, which may stand for each other: "runs on Linux", "runs in Docker".
WHERE = frozenset(("in", "on", "at", "en", "a", "在", "到", "ở", "trên", "trong"))
# Nouns behind a name that are no things of their own: the locales folder, PNG format.
_CONTAINERS = (
    "folder", "directori", "format", "branch", "port", "carpeta", "directorio", "formato", "rama", "puerto", "目录",
    "文件夹", "格式", "分支", "端口", "thư mục",
)  # fmt: skip
# Nouns before a number that is no name of theirs: port 8080, but user 42.
_SETTINGS = frozenset(("version", "port", "level", "limit", "timeout", "versión", "puerto", "nivel", "límite", "dia",
                       "版本", "端口", "级别"))  # fmt: skip
# What happens once in a year, so that another month is another value: the sale ends in May. Most things happen in many.
_ONCE = frozenset(("start", "begin", "end", "finish", "expir", "happen", "occur", "empec", "comenc", "termin", "caduc",
                   "venc", "ocurr"))  # fmt: skip
# Parts in which a number that ends like "5th" is a day of a month: before the 5th.
_BY_DAY = frozenset(("on", "before", "by", "after", "until", "from"))
_ORDINAL_ENDS = ("st", "nd", "rd", "th")
_LAST_DAY = 31
_SPELLED_ONE = frozenset(("one", "un", "una"))
_GIVING = frozenset(("return", "devolv", "devuelv", "返回"))
_LONGEST_END = 4  # characters of a Chinese noun that stands at the end of what a sentence is about
# Heads of a time that somebody's clock shows, before it or behind it, and whose clock it may be.
_CLOCK_HEADS = frozenset(("time", "zone", "timezone", "hora", "时间", "時間", "时区", "時區"))
_CLOCK_OWNERS = word_set(
    """local server system host machine device browser client customer user users' viewer standard
    universal time zone eastern central mountain pacific servidor sistema máquina maquina navegador cliente usuario
    oficial peninsular horaria zona 本地 当地 當地 服务器 服務器 系统 系統 用户 用戶 客户端 浏览器 北京"""
)
# What is shown by a clock: UTC timestamps, local timestamps.
_DATED = frozenset(("timestamp", "date", "time", "clock", "fech", "fecha", "marca"))
# Classes whose words also stand before a noun to name one of several things.
_NAMING_CLASSES = frozenset(("colour", "language", "day", "month", "daytime"))


class Difference(Record):
    """Words that stand in the place of others; ``slot`` is ``subject``, ``verb``, ``object`` or a preposition."""

    slot: str
    place: Place
    known: tuple[Token, ...]
    new: tuple[Token, ...]
    old_core: tuple[Token, ...]
    new_core: tuple[Token, ...]
    start: int
    number: int = 0


class Meaning:
    """Says what differences from one known sentence mean."""

    def __init__(self, known: Frame, language: Language) -> None:
        self.known = known
        self.language = language

    def of(self, one: Difference) -> tuple[Meant, str]:
        """Return what one difference means by itself: ``conflict`` with its kind, ``different`` or ``doubt``."""
        language = self.language
        if one.slot in {"verb", "form"}:
            return "doubt", ""
        old, new = one.old_core, one.new_core
        if _are_days_of_month(one) and not self.known.negative:
            return "conflict", "number"
        if any(token.word in TIERS for token in (*old, *new)) or _are_numbered(old, new):
            return "different", ""
        if _are_numbers(one):
            return self._place_of_numbers(one)
        if self._ends_in_a_tool(one):
            return "conflict", "choice"
        if one.slot == "subject" or one.place != "after":
            return ("different", "") if self.known.parsed or _has_name((*old, *new)) else ("doubt", "")
        if _are_rhythms(one, old, new):
            return ("doubt", "") if self.known.negative else ("conflict", "choice")
        if self._are_opposite_words(old, new):
            # What forbids slow mirrors still holds beside what forbids fast ones.
            return ("doubt", "") if self.known.negative else ("conflict", "polarity")
        if self.known.negative:
            return "different", ""
        if one.slot in language.scopes or (self.known.verb in language.choose and one.slot != "object"):
            same = _same_class(old, new) or _are_clocks(one)
            if one.slot not in language.scopes and same and one.slot not in {"to", "para", "a"}:
                return "conflict", "choice"
            return "different", ""
        if any(token.word in CONJUNCTIONS for token in (*old, *new)):
            return "doubt", ""
        return self._place_of_choice(one)

    def _ends_in_a_tool(self, one: Difference) -> bool:
        """Say whether a sentence whose verb nobody knows ends in the tool for it: "scaffold apps with vite"."""
        known = self.known
        if known.parsed or known.language not in {"en", "es"} or one.slot not in {"with", "through", "con"}:
            return False
        whole = len(one.old_core) == len(one.known) == len(one.new_core) == len(one.new) == 1
        last = bool(known.blocks) and known.blocks[-1].tokens == one.known and len(known.subject) > 1
        return whole and last and _same_class(one.old_core, one.new_core)

    def _place_of_numbers(self, one: Difference) -> tuple[Meant, str]:
        if _agree(one):
            return "conflict", "number"
        first = self._is_value(one.known, one)
        second = self._is_value(one.new, one)
        if first and second:
            return "conflict", "number"
        return "different", ""

    def _is_value(self, tokens: tuple[Token, ...], one: Difference) -> bool:
        """Say whether the number that differs counts or measures something, and is no thing's name or year."""
        at = next((at for at in range(one.start, len(tokens)) if tokens[at].number), -1)
        if at < 0:
            return True  # the unit differs
        token = tokens[at]
        if token.unit or (at + 1 < len(tokens) and tokens[at + 1].word in UNITS):
            return True
        year = len(token.number) == 4 and token.number[:2] in {"19", "20"}
        if self.known.verb == "be" and one.slot == "object" and _is_attribute(self._about(), self.language):
            return True
        if self.known.turned:
            return at > 0 and ("." in token.number or bool(class_of(tokens[at - 1].word)))
        if at == 0 and self.known.order and one.slot == "object":
            # "Keep 5 releases" and "Return 404" give values; "Build 7 failed" names a build.
            alone = len(tokens) == 1 and (self.known.verb in _GIVING or self.known.verb in self.language.choose)
            counted = at + 1 < len(tokens) and (tokens[at + 1].word.endswith("s") or token.word in _SPELLED_ONE)
            return alone or counted
        if at == 0:
            return not (year and one.place != "after")
        before = tokens[at - 1]
        if before.number or before.mark:
            return True
        if ":" in token.number:
            return True  # a time of day
        if one.place != "after":
            # "Provision Postgres 15": of a product that is known by its name the number at the end is a version.
            last = at + 1 == len(tokens) and not self.known.parsed and not self.known.blocks
            return last and at > 1 and bool(class_of(before.word)) and class_of(before.word) not in _NAMING_CLASSES
        if self.language.code == "zh" and one.slot == "object" and self.known.verb in self.language.settle:
            return before.name or _is_attribute(tokens[:at], self.language)
        version = before.name or "." in token.number or bool(class_of(before.word)) or token.word.startswith("v")
        if self.known.order and one.slot == "object":
            return version or before.key in _SETTINGS
        return version or _is_attribute(tokens[:at], self.language)

    def _are_opposite_words(self, old: Sequence[Token], new: Sequence[Token]) -> bool:
        if len(old) != 1 or len(new) != 1:
            return False
        opposites = self.language.opposites
        return frozenset((old[0].loose, new[0].loose)) in opposites or frozenset((old[0].key, new[0].key)) in opposites

    def _place_of_choice(self, one: Difference) -> tuple[Meant, str]:
        language, known = self.language, self.known
        old, new = one.old_core, one.new_core
        if _are_clocks(one):
            return "conflict", "choice"
        same_class = _same_class(old, new)
        shared = len(one.known) > len(old) or len(one.new) > len(new)
        both_classed = bool(old and new and class_of(old[0].word) and class_of(new[0].word))
        if same_class and not (shared and class_of(old[0].word) in _NAMING_CLASSES and known.verb != "be"):
            if class_of(old[0].word) == "month" and not self._happens_once(one):
                return "doubt", ""
            first = one.number <= 1 or class_of(old[0].word) not in _NAMING_CLASSES
            return ("conflict", "choice") if first else ("doubt", "")
        if both_classed and not same_class:
            return "doubt", ""
        if known.verb == "be":
            return self._place_of_complement(one)
        if known.verb in language.stays and one.slot in WHERE and one.number == 1 and _are_places(old, new):
            return "conflict", "choice"  # meet in Madrid, meet in Lisbon: at one place at a time
        if (
            shared
            and self._shares_head(one)
            and not (one.slot in WHERE and known.verb in language.settle and _named(one))
        ):
            return "different", "choice"
        if known.verb in language.choose and one.slot == "object":
            if known.turned and not all(core and (core[0].name or class_of(core[0].word)) for core in (old, new)):
                return "doubt", ""
            grounded = bool(known.subject or known.blocks or shared)
            return ("conflict", "choice") if grounded else ("doubt", "choice")
        if known.verb in language.settle:
            if one.slot == "object":
                return ("conflict", "choice") if known.subject and not known.passive else ("doubt", "")
            if one.number == 1 and (known.subject or known.object):
                return "conflict", "choice"
            if one.number == 1 and not one.slot.isascii():
                return "conflict", "choice"
            return "doubt", ""
        return "doubt", ""

    def _happens_once(self, one: Difference) -> bool:
        """Say whether what is said has one month only: the release is in May, not: Ana is on duty in May."""
        known = self.known
        if known.verb in _ONCE or one.slot == "object":
            return True
        return known.verb == "be" and not known.object and not any(token.name for token in known.subject)

    def _place_of_complement(self, one: Difference) -> tuple[Meant, str]:
        """Judge what follows "is": another value of an attribute, another name, another place."""
        known = self.known
        if one.slot != "object":
            # What is in Madrid may well be on the third floor there.
            mixed = one.slot in WHERE and bool(_has_name(one.old_core)) != bool(_has_name(one.new_core))
            first = one.number == 1 and not known.object and not mixed
            return ("conflict", "choice") if first else ("doubt", "")
        if _is_attribute(self._about(), self.language):
            return "conflict", "choice"
        if one.old_core and one.new_core and one.old_core[0].name and one.new_core[0].name:
            return "conflict", "choice"
        return "doubt", ""

    def _about(self) -> tuple[Token, ...]:
        """Return what the known sentence is about."""
        known = self.known
        return (*known.subject, *(token for block in known.blocks if block.place != "after" for token in block.tokens))

    def _shares_head(self, one: Difference) -> bool:
        """Say whether both name one of several things of a kind: the amber gateway, the cobalt gateway."""
        if self.language.code in {"es", "vi"}:
            return one.start > 0 and one.known[0].key not in _CONTAINERS
        if self.language.code == "zh" and self.known.verb == "use" and not self.known.blocks:
            return False  # 用Figma画原型: what stands behind the name is what it is used for
        ends = "".join([token.word for token in one.known[-2:]]) if self.language.code == "zh" else one.known[-1].key
        return one.known[-1].key == one.new[-1].key and not ends.endswith(_CONTAINERS)


def _are_numbers(one: Difference) -> bool:
    """Say whether nothing but numbers, and the units that go with them, differs."""
    old, new = one.old_core, one.new_core
    if not old or not new:
        return False
    numbers = any(token.number for token in old) and any(token.number for token in new)
    plain = all(token.number or token.word in UNITS or token.mark for token in (*old, *new))
    if numbers:
        return plain or (bool(old[0].number and new[0].number) and min(len(old), len(new)) == 1)
    units = all(token.word in UNITS for token in (*old, *new))
    return units and one.start > 0 and bool(one.known[one.start - 1].number)


def _agree(one: Difference) -> bool:
    """Say whether the thing behind a number is one in one sentence and several in the other: one badge, two badges."""
    at = one.start
    if not len(one.old_core) == len(one.new_core) == 1 or at + 1 >= min(len(one.known), len(one.new)):
        return len(one.old_core) == len(one.new_core) == 2 and _is_one_more(one.old_core, one.new_core)
    return _is_one_more(one.known[at : at + 2], one.new[at : at + 2])


def _is_one_more(old: Sequence[Token], new: Sequence[Token]) -> bool:
    if old[1].key != new[1].key or not (old[0].number and new[0].number) or "1" not in {old[0].number, new[0].number}:
        return False
    one, more = (old[1].word, new[1].word) if old[0].number == "1" else (new[1].word, old[1].word)
    return one != more and more.endswith("s") and not one.endswith("s")


def _same_class(old: Sequence[Token], new: Sequence[Token]) -> bool:
    if not old or not new or len(old) > 2 or len(new) > 2:
        return False
    first, second = class_of(old[0].word), class_of(new[0].word)
    return bool(first) and first == second


def _are_days_of_month(one: Difference) -> bool:
    """Say whether both are days of a month by their number, in a part that says when: before the 5th."""
    tokens = (*one.known, *one.new)
    return (
        one.slot in _BY_DAY
        and one.place == "after"
        and len(one.known) == len(one.new) == 1
        and all(token.word.endswith(_ORDINAL_ENDS) and token.word[:-2].isdecimal() for token in tokens)
        and all(1 <= int(token.word[:-2]) <= _LAST_DAY for token in tokens)
    )


def _are_rhythms(one: Difference, old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Say whether both say how often, and nothing else: every month, every week; 每月, 每周."""
    if not len(old) == len(new) == 1:
        return False
    if one.slot == "every" and len(one.known) == len(one.new) == 1:
        return all(token.word in UNITS for token in (*old, *new))
    return class_of(old[0].word) == class_of(new[0].word) == "frequency"


def _are_clocks(one: Difference) -> bool:
    """Say whether both give a time by somebody's clock: UTC, local time, the user's time zone, Europe/Madrid."""
    if _is_clock(one.known) and _is_clock(one.new):
        return True
    cores = one.old_core, one.new_core
    named = all(len(core) == 1 and (_is_clock(core) or core[0].word in _CLOCK_OWNERS) for core in cores)
    return named and any(map(_is_clock, cores)) and any(token.key in _DATED for token in one.known)


def _is_clock(tokens: Sequence[Token]) -> bool:
    if len(tokens) == 1 and class_of(tokens[0].word) == "clock":
        return True
    heads = [token for token in tokens if token.word in _CLOCK_HEADS]
    owners = [token for token in tokens if token.word not in _CLOCK_HEADS]
    known = all(
        token.name or token.word.removesuffix("'s") in _CLOCK_OWNERS or class_of(token.word) == "clock"
        for token in owners
    )
    return bool(heads) and bool(owners) and known


def _are_places(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Say whether both are parts of a house, or both names of places: the kitchen may be in Madrid."""
    tokens = (*old, *new)
    named = all(token.name and token.word.isalpha() and not class_of(token.word) for token in tokens)
    return bool(old and new) and (named or all(token.word in PLACES for token in tokens))


def _are_numbered(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Say whether two names differ in their number only, such as lib-3 and lib-5, 第3 and 第5: two of a kind."""
    if not (len(old) == len(new) == 1 and old[0].name and new[0].name) or class_of(old[0].word):
        return False
    bare = ["".join([char for char in token.word if not char.isdigit()]) for token in (old[0], new[0])]
    return bare[0] == bare[1] and any(char.isalnum() for char in bare[0]) and old[0].word.strip("v.0123456789") != ""


def _named(one: Difference) -> bool:
    """Say whether two names differ and nothing else: the Amsterdam data centre, the Paris data centre."""
    return len(one.old_core) == len(one.new_core) == 1 and one.old_core[0].name and one.new_core[0].name


def _has_name(tokens: Iterable[Token]) -> bool:
    return any(token.name or token.number for token in tokens)


def _is_attribute(tokens: Sequence[Token], language: Language) -> bool:
    if language.code == "zh":
        text = "".join([token.word for token in tokens])
        return any(text[-size:] in language.attributes for size in range(1, _LONGEST_END + 1))
    return any(token.key in language.attributes for token in tokens)
