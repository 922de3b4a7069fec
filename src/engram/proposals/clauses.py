"""What a text states: its statements, and the main clause of each apart from reasons, asides and rejected choices."""

from __future__ import annotations

from engram.proposals.languages.tables import MARKS
from engram.record import Record
from engram.text.lines import split_lines, without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engram.proposals.languages.tables import Language
    from engram.proposals.tokens import Token

__all__ = ["Clause", "Statement", "head_text", "main_clause", "statements_of"]

_ENDS = (". ", "! ", "? ", "; ", "。", "！", "？", "；", " — ", " – ", " - ", " -- ", "——", " (", "（", " → ")
_BEGINNINGS = frozenset([mark[0] for mark in _ENDS])
_ABBREVIATIONS = ("e.g", "i.e", "vs", "approx", "p.ej", "etc", "cf", "no", "aprox")
_CONJUNCTIONS = frozenset(("and", "or", "y", "o", "e", "u", "và", "hoặc", "&"))
_MARKS = "-*+>"  # bullets and quotations
_MOST = 40  # statements of one text; what stands further down is no longer what it is about
_LONGEST_LINE = 8000  # characters of a line that are taken apart; what goes on is one piece
_SHORT = 3  # words of one member of a list
_SHORT_VALUE = 4  # words after a colon that are a value


class Statement(Record):
    """One bullet, or one paragraph: its first sentence, and what stands behind that."""

    head: str
    rest: tuple[str, ...] = ()


class Clause(Record):
    """A sentence taken apart, as tokens.

    Attributes:
        front: what stands before the sentence and says to what it applies.
        main: the sentence itself.
        asides: reasons, exceptions and other parts behind it.
        rejected: what it names as not chosen.
        topic: whether ``front`` is a topic before a colon.
    """

    front: tuple[Token, ...]
    main: tuple[Token, ...]
    asides: tuple[tuple[Token, ...], ...] = ()
    rejected: tuple[Token, ...] = ()
    topic: bool = False


def statements_of(text: str) -> list[Statement]:
    """Return the statements of a text: one for each bullet and each line of prose; code is left out."""
    found: list[Statement] = []
    fenced = False
    for line in split_lines(text):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        bare = without_marks(bare, _MARKS)
        if fenced or not bare or (bare.startswith("#") and bare.lstrip("#").startswith(" ")):
            continue  # a heading says nothing by itself
        parts = [*_sentences(bare[:_LONGEST_LINE]), bare[_LONGEST_LINE:]]
        sentences = [part for part in parts if any(char.isalnum() for char in part)]
        if sentences:
            found.append(Statement(sentences[0], tuple(sentences[1:])))
        if len(found) == _MOST:
            break
    return found


def head_text(text: str) -> str:
    """Return the first sentence of a text, by which memories near to it are looked for."""
    statements = statements_of(text)
    return statements[0].head if statements else text


def _sentences(line: str) -> Iterator[str]:
    start = at = 0
    while at < len(line):
        if line[at] not in _BEGINNINGS:
            at += 1
            continue
        end = next((mark for mark in _ENDS if line.startswith(mark, at)), "")
        if end and at and not (end == ". " and line[start:at].rpartition(" ")[2].casefold() in _ABBREVIATIONS):
            yield line[start:at].strip(" )）")
            start = at + len(end)
            at = start
        else:
            at += 1
    yield line[start:].strip().rstrip("）)") if "(" not in line[start:] else line[start:].strip()


def main_clause(tokens: Sequence[Token], language: Language) -> Clause:
    """Take a sentence of a language with blanks apart."""
    asides: list[tuple[Token, ...]] = []
    words = list(tokens)
    while words and words[-1].word in {",", ":"}:
        words.pop()
    if words and words[0].word == "BECAUSE":
        # Because npm rewrites the lockfile, use pnpm.
        comma = next((at for at, token in enumerate(words) if token.word == ","), 0)
        if comma:
            asides.append(tuple(words[1:comma]))
            words = words[comma + 1 :]
    rejected: tuple[Token, ...] = ()
    for at, token in enumerate(words):
        if at and token.word == "BECAUSE":
            asides.append(tuple(words[at + 1 :]))
            words = words[:at]
            break
    for at, token in enumerate(words):
        contrast = token.word == "INSTEAD" or (
            token.word == "over" and any(word.loose in language.choose for word in words[:3])
        )
        if at and contrast:
            rejected = tuple(words[at + 1 :])
            asides.append(rejected)
            words = words[:at]
            break
    front: tuple[Token, ...] = ()
    topic = False
    colon = next((at for at, token in enumerate(words) if token.word == ":"), 0)
    if colon:
        left, right = words[:colon], words[colon + 1 :]
        if _begins_scope(left, language):
            front, words = tuple(left), right
        elif _is_verb(right, language) and not (_has_mark(left) or (len(left) > 1 and _is_verb(left, language))):
            front, words, topic = tuple(left), right, True
        elif _has_mark(left) or len(right) > _SHORT_VALUE:
            asides.append(tuple(right))
            words = left
        else:
            words = [*left, left[-1].replace(text="=", word="BE", key="BE", loose="BE", mark=True, name=False), *right]
    segments = _segments(words)
    if (
        len(segments) > 1
        and not front
        and _begins_scope(segments[0], language)
        and not _has_verb(segments[0], language)
    ):
        front = tuple(segments.pop(0))
    if len(segments) > 1 and not front and len(segments[0]) <= _SHORT and not _says_something(segments[0], language):
        front = tuple(segments.pop(0))  # In short, …; Desde 2020, …
    main = segments[0]
    for number, segment in enumerate(segments[1:], 1):
        if segment[0].word == "NOT" and not asides and len(segment) <= _SHORT + 2:
            rejected = rejected or tuple(segment[1:])
            asides.append(tuple(segment[1:]))
        elif _is_list(segments, number):
            main = [*main, *segment]
        else:
            asides.append(tuple(segment))
    return Clause(front, tuple(main), tuple(asides), rejected, topic)


def _segments(words: Sequence[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for token in words:
        if token.word == ",":
            found.append([])
        elif token.word != ":":
            found[-1].append(token)
    return [segment for segment in found if segment] or [[]]


def _is_list(segments: Sequence[Sequence[Token]], number: int) -> bool:
    """Say whether a segment goes on a list: short members, and a conjunction in the last or the next ones."""
    if len(segments[number]) > _SHORT and not any(token.word in _CONJUNCTIONS for token in segments[number][:_SHORT]):
        return False
    later = segments[number:]
    for segment in later:
        if segment[0].word in _CONJUNCTIONS or any(token.word in _CONJUNCTIONS for token in segment[1:_SHORT]):
            return True
        if len(segment) > _SHORT:
            return False
    return False


def _begins_scope(words: Sequence[Token], language: Language) -> bool:
    return bool(words) and (words[0].word in language.prepositions or words[0].word in language.clauses)


def _has_mark(words: Sequence[Token]) -> bool:
    return any(token.word in MARKS for token in words)


def _is_verb(words: Sequence[Token], language: Language) -> bool:
    for token in words:
        if token.word in language.fillers or token.word == "NOT":
            continue
        return token.loose in language.choose or token.loose in language.settle or token.loose in language.verbs
    return False


def _says_something(words: Sequence[Token], language: Language) -> bool:
    """Say whether a few words before a comma are a sentence: they hold a verb, or a mark of grammar."""
    return any(
        token.mark or token.loose in language.choose or token.loose in language.settle or token.loose in language.verbs
        or token.loose in language.flips
        for token in words
    )  # fmt: skip


def _has_verb(words: Sequence[Token], language: Language) -> bool:
    """Say whether a front part is a sentence by itself; one that begins with ``when`` or ``if`` never is."""
    return words[0].word not in language.clauses and any(token.word == "BE" for token in words)
