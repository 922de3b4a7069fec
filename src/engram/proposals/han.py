"""Chinese sentences as tokens, clauses and frames: the same shapes as of the languages with blanks between words."""

from __future__ import annotations

import unicodedata

from engram.proposals.clauses import Clause
from engram.proposals.frames import Block, Frame
from engram.proposals.languages.chinese import (
    CHINESE,
    CHOICES,
    CONTENT,
    COPULAS,
    DENIALS,
    FLIPPING,
    INSTEAD,
    LONGEST,
    MAYS,
    MUSTS,
    REASONS,
    WORDS,
)
from engram.proposals.tokens import Token, looks_like_name
from engram.proposals.values import UNITS, class_of, number_of, spelled_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.proposals.frames import Place

__all__ = ["han_clause", "han_frame", "han_tokens"]

_ASCII_WORD = frozenset("._-/+#@:%$€&'")
_COMMAS = "，,"
# Said of what is not chosen: 用pnpm不用npm.
_NOT_USING = frozenset(("不要用", "不使用", "不用", "別用", "别用"))
_TIMES = frozenset(("前", "后", "时"))
_LONGEST_UNIT = 5
# Words that say when without a preposition before them, by their class, and the part that they begin.
_WHEN = {"day": "在", "frequency": "每"}


def han_tokens(text: str) -> list[Token]:
    """Return the tokens of a Chinese text."""
    text = unicodedata.normalize("NFKC", text)
    found: list[Token] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char < "\u2e80" and (char.isalnum() or char in "$€@#."):
            end = at + 1
            while end < len(text) and text[end] < "\u2e80" and (
                text[end].isalnum() or (text[end] in _ASCII_WORD and text[end + 1 : end + 2].isalnum())
                or (text[end] in "%+#" and text[end - 1].isalnum())
            ):  # fmt: skip
                end += 1
            at = _ascii(text, at, end, found)
        elif char in _COMMAS:
            found.append(Token(char, ",", ",", ",", mark=True))
            at += 1
        elif char in "：:=":
            found.append(Token(char, ":", ":", ":", mark=True))
            at += 1
        elif not (char.isalnum() or char == "、"):
            at += 1
        else:
            at = _han(text, at, found)
    return found


def _ascii(text: str, at: int, end: int, found: list[Token]) -> int:
    word = text[at:end]
    folded = word.casefold()
    number = number_of(folded)
    if number is None:
        found.append(Token(word, folded, folded, folded, name=looks_like_name(word, first=False)))
        return end
    return _number(text, at, end, number, found)


def _number(text: str, at: int, end: int, number: tuple[str, str], found: list[Token]) -> int:
    """Take a number with its unit; one that is the name of a thing (17号, 第3章) is a word."""
    value, unit = number
    rest = text[end:].lstrip(" ")
    skipped = len(text) - end - len(rest)
    month = found and found[-1].word.endswith("月")
    ordinal = at > 0 and text[at - 1] == "第"
    labelled = (rest.startswith("号") and not month and not rest.startswith("号端口")) or ordinal
    if labelled:
        if ordinal and found and found[-1].word == "第":
            found.pop()
        name = ("第" if ordinal else "") + text[at:end] + (rest[:1] if rest.startswith("号") else "")
        found.append(Token(name, name, name, name, name=True))
        return end + (skipped + 1 if rest.startswith("号") else 0)
    measure = next((rest[:size] for size in range(_LONGEST_UNIT, 0, -1) if rest[:size] in UNITS), "")
    if len(measure) == 1 and any(rest[:size] in CONTENT for size in (2, 3)):
        measure = ""  # 3片段: the character begins a word
    if measure and rest[: len(measure)].isascii():
        measure = ""  # an ASCII unit is a token of its own
    found.append(Token(text[at:end], text[at:end], f"#{value}", f"#{value}", value, unit or measure))
    if measure:
        found.append(Token(measure, measure, measure, measure))
    return end + skipped + len(measure)


def _han(text: str, at: int, found: list[Token]) -> int:
    for size in range(min(LONGEST, len(text) - at), 0, -1):
        word = text[at : at + size]
        folded = word.casefold()
        spelled = spelled_number(word)
        if spelled and any(text[at + size : at + size + length] in UNITS for length in range(_LONGEST_UNIT, 0, -1)):
            return _number(text, at, at + size, (spelled, ""), found)
        if folded in WORDS or (size > 1 and (class_of(folded) or folded in UNITS)):
            found.append(Token(word, folded, folded, folded))
            return at + size
    char = text[at]
    found.append(Token(char, char, char, char))
    return at + 1


def han_clause(tokens: Sequence[Token]) -> Clause:
    """Take a Chinese sentence apart: what it applies to, the sentence itself, and reasons and asides."""
    words = list(tokens)
    asides: list[tuple[Token, ...]] = []
    if words and words[0].word in REASONS:
        comma = next((at for at, token in enumerate(words) if token.word == ","), 0)
        if comma:
            asides.append(tuple(words[1:comma]))
            words = words[comma + 1 :]
            if words and words[0].word in REASONS:
                words = words[1:]
    segments: list[list[Token]] = [[]]
    for token in words:
        if token.word == ",":
            segments.append([])
        else:
            segments[-1].append(token)
    segments = [segment for segment in segments if segment] or [[]]
    front: tuple[Token, ...] = ()
    if len(segments) > 1 and segments[1][0].word not in REASONS and _is_front(segments[0]):
        front = tuple(segments.pop(0))
    main: list[Token] = []
    rejected: tuple[Token, ...] = ()
    for at, token in enumerate(segments[0]):
        after = segments[0][at + 1 : at + 2]
        if token.word in _NOT_USING and not any(word.word in CHOICES or word.word in COPULAS for word in main):
            # Nothing was chosen before it: 不要用npm forbids, and names nothing as not taken.
            main.append(Token("不要", "不要", "不要", "不要"))
            if token.word != "不用" or not any(map(_acts, after)):  # 不用审批: no need of it
                main.append(Token("用", "用", "用", "用"))
            continue
        if at and token.word in REASONS:
            asides.append(tuple(segments[0][at + 1 :]))
            break
        if at and token.word in INSTEAD and at + 1 < len(segments[0]):
            rejected = tuple(segments[0][at + 1 :])
            asides.append(rejected)
            break
        main.append(token)
    for segment in segments[1:]:
        if segment[0].word in INSTEAD or segment[0].word in DENIALS:
            rejected = rejected or tuple(segment[1:])
        asides.append(tuple(segment))
    return Clause(front, tuple(main), tuple(asides), rejected)


def _is_front(segment: Sequence[Token]) -> bool:
    first, last = segment[0].word, segment[-1].word
    prepositions = CHINESE.prepositions
    timed = all(token.number or token.word in UNITS or class_of(token.word) in {"day", "month"} for token in segment)
    return (
        timed
        or first in CHINESE.clauses
        or prepositions.get(last, "") in _TIMES
        or (first in prepositions and prepositions[first] not in {"LEAST", "MOST"} and not any(map(_acts, segment)))
    )


def _acts(token: Token) -> bool:
    return token.word in CHINESE.settle or token.word in CHINESE.verbs or token.word in CHOICES or token.word in COPULAS


class _Parser:
    """Takes one Chinese clause apart; see ``han_frame``."""

    def __init__(self) -> None:
        self.subject: list[Token] = []
        self.verb = ""
        self.verb_token: Token | None = None
        self.object: list[Token] = []
        self.blocks: list[Block] = []
        self.significant: list[Token] = []
        self.negative = False
        self.may = False
        self.preposition = ""
        self.block: list[Token] | None = None
        self.front = False
        self.early: list[int] = []
        self.moved: list[Token] = []

    def read(self, tokens: Sequence[Token], *, front: bool) -> None:
        self.front = front
        for at, token in enumerate(tokens):
            self.take(token, last=at + 1 == len(tokens))
        self.close()
        if front and (self.subject or self.object or self.verb):
            self.sweep("front")

    def take(self, token: Token, *, last: bool) -> None:
        word = token.word
        canonical = CHINESE.prepositions.get(word)
        if token.number or token.name or self.is_inside(word):
            self.put(token)
        elif word in DENIALS or word in MAYS or word in MUSTS:
            self.modal()
            self.negative ^= word in DENIALS
            self.may |= word in MAYS
        elif word in CHINESE.fillers:
            pass
        elif (word in COPULAS or word == ":") and not self.front:
            self.copula()
        elif word in CHOICES and not self.front:
            self.choice()
        elif canonical in {"LEAST", "MOST"}:
            self.put(Token(word, canonical, canonical, canonical, mark=True))
        elif canonical in _TIMES:
            self.time(canonical)
        elif canonical == "里":
            self.close()
        elif canonical is not None and not last:
            self.close()
            self.preposition, self.block = canonical, []
        elif word in CHINESE.settle or word in CHINESE.verbs or word in CHINESE.flips:
            self.act(token)
        elif class_of(word) in _WHEN and self.block is None and not self.front:
            self.preposition, self.block = _WHEN[class_of(word)], []
            self.put(token)
        else:
            self.put(token)

    def is_inside(self, word: str) -> bool:
        """Say whether one character stands inside a name that a preposition began: 维也纳, 布拉格."""
        if len(word) > 1 or not self.block or self.preposition == "to":
            return False
        before = self.block[-1]
        return not (before.number or before.name or class_of(before.word) or len(before.word) > 1) and (
            word in CHINESE.fillers or word in CHINESE.verbs or word in CHINESE.settle
        )

    def put(self, token: Token) -> None:
        self.significant.append(token)
        if self.block is not None:
            self.block.append(token)
        elif self.verb:
            self.object.append(token)
        else:
            self.subject.append(token)

    def close(self) -> None:
        if self.block is not None:
            if not self.front and not self.subject and not self.verb:
                self.early.append(len(self.blocks))
            self.blocks.append(Block(self.preposition, tuple(self.block), "front" if self.front else "after"))
        self.block = None
        self.preposition = ""

    def act(self, token: Token) -> None:
        flipped = CHINESE.flips.get(token.word, "")
        if not self.verb and not self.front:
            self.close()
            if flipped:
                self.negative ^= token.word in FLIPPING
            self.verb, self.verb_token = flipped or token.word, token
            self.significant.append(token.replace(key=self.verb, loose=self.verb))
        elif self.verb == "use" and self.object and (self.block is None or self.preposition != "to"):
            self.close()
            self.preposition, self.block = "to", []
            self.put(token)
        elif self.verb and self.block is not None and not self.object and self.verb_token is None:
            self.close()
            self.put(token)
        else:
            self.put(token)

    def copula(self) -> None:
        if self.verb in {"be", "use"}:
            return
        self.close()
        if self.verb and self.verb_token:
            self.subject += [self.verb_token, *self.object]  # 部署时间是周五
            self.object = []
        self.blocks = [block if block.place == "front" else block.replace(place="subject") for block in self.blocks]
        self.verb, self.verb_token = "be", None

    def modal(self) -> None:
        """Take a word such as 可以: a verb and its noun before it are what the sentence is about, as in 值班工程师."""
        if self.front or self.block is not None or not (self.verb_token and self.object):
            return
        self.moved = [self.verb_token, *self.object]
        self.subject += self.moved
        self.object, self.verb, self.verb_token = [], "", None

    def choice(self) -> None:
        self.close()
        if self.verb == "use":
            return
        if self.verb == "be":
            if not self.object:
                self.verb = "use"
            return
        if self.verb and self.verb_token:
            self.blocks.append(Block("to", (self.verb_token, *self.object), "after"))
            self.object = []
        elif self.moved and not self.verb:
            del self.subject[-len(self.moved) :]  # 安装依赖不要使用npm is as 安装依赖使用npm
            self.blocks.append(Block("to", tuple(self.moved), "after"))
        self.verb, self.verb_token = "use", None

    def time(self, canonical: str) -> None:
        """Take 前, 后 and 时, which stand behind what they belong to."""
        if self.block is not None:
            self.preposition = canonical
            self.close()
            return
        if self.verb and self.object and self.object[-1].word in UNITS:
            tokens = tuple(self.object[-2:])
            del self.object[-2:]
            self.blocks.append(Block(canonical, tokens, "after"))
        elif not self.verb and self.subject and self.subject[-1].word in UNITS:
            tokens = tuple(self.subject[-2:])
            del self.subject[-2:]
            self.blocks.append(Block(canonical, tokens, "after"))
        else:
            self.sweep("front", canonical)

    def sweep(self, place: Place, preposition: str = "") -> None:
        """Make one part of everything so far: 合并前 is when, not what."""
        tokens = [*self.subject, *([self.verb_token] if self.verb_token else []), *self.object]
        self.subject, self.object, self.verb, self.verb_token = [], [], "", None
        self.blocks.append(Block(preposition, tuple(tokens), place))


def han_frame(clause: Clause) -> Frame:
    """Return the frame of a Chinese clause."""
    parser = _Parser()
    if clause.front:
        parser.read(clause.front, front=True)
        parser.negative = parser.may = False
    parser.read(clause.main, front=False)
    blocks = list(parser.blocks)
    if not parser.verb and parser.subject and any(block.place == "after" for block in blocks):
        parser.verb = "be"  # 总部在上海
    for at in parser.early if parser.subject else ():
        blocks[at] = blocks[at].replace(place="front")  # 在周五部署 is when; 生产环境中日志保留30天 is where it holds
    return Frame(
        "zh", parser.negative, parser.may and not parser.negative, tuple(parser.subject), parser.verb,
        tuple(parser.object), tuple(blocks), not parser.subject, False, tuple(parser.significant),
    )  # fmt: skip
