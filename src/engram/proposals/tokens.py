"""A sentence as tokens: words in the form in which they are compared, numbers by value, and marks of grammar (F20)."""

from __future__ import annotations

import unicodedata

from engram.proposals.languages.tables import MARKS, word_set
from engram.proposals.values import UNITS, number_of, spelled_number
from engram.record import Record
from engram.text.words import is_unspaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.proposals.languages.tables import Language

__all__ = ["Token", "has_han", "languages_of", "tokens_of"]

_PLAIN = {ord(mark): "'" for mark in "’ʼ‘`´"} | {ord(mark): "-" for mark in "‐‑‒"} | {0x200B: " ", 0xAD: None}
_OUTER = "()[]{}\"'«»“”„‹›*_,;:!?.…¡¿，。；：！？、（）「」『』《》<>"
_LONGEST_PHRASE = 4
# Letters that only Vietnamese has among the languages with tables.
_VIETNAMESE = frozenset("ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ")
# Words of grammar that show a language; none of them is a word of grammar in another one here.
_SPANISH = word_set(
    """el la los las un una de del al en por para con sin que es son se nunca siempre cada usa usar utiliza
    utilizar debe deben hay su sus y o como más entre esta este están está lo le antes después cuando desde hasta
    sobre todo todos toda todas porque nuestro nuestra evita evitar elimina ni jamás jamas haz haga hagas hagan hagáis
    haced hacer hacemos pon pongas ponga poned tengas tenga digas diga salgas salga vengas venga vayas vaya usas
    usad usamos utilices elige elijas elija prefiere prefieras prefiera preferimos escribe escribas mejor seas ya
    también tampoco dos tres cuatro cinco seis siete ocho nueve diez doce trece catorce quince dieciséis diecisiete
    dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien mil"""
)
_BEFORE_MONTH = frozenset(("last", "next", "early", "mid", "late", "every", "each"))
# An article, or a number where it counts something.
_ONE = frozenset(("un", "una"))
_SPANISH_ENDS = ("ción", "ar", "er", "ir", "ado", "ados", "ías", "ía")
_ENGLISH = word_set(
    """the a an of in on at for with without to from and or is are be must should never always use every each when
    before after by as not do don't that this we our it its has have all any only because if than per over into
    does two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"""
)


class Token(Record):
    """One word, number or mark.

    Attributes:
        text: as written, without punctuation around it.
        word: folded: NFC and lower case; a mark of the tables stands in capitals.
        key: the form in which it is compared; of a number ``#`` and its value.
        loose: the form in which a verb and its noun are one.
        number: the value of a number, ``""`` of anything else.
        unit: what stands inside a number, such as ``s`` in ``30s``.
        name: it is written as a name: with capitals, digits or signs where a word has none.
        mark: it is a mark of grammar.
    """

    text: str
    word: str
    key: str
    loose: str
    number: str = ""
    unit: str = ""
    name: bool = False
    mark: bool = False


def has_han(text: str) -> bool:
    """Say whether a text has Chinese characters, or others of a script without blanks."""
    return not text.isascii() and any(is_unspaced(char) for char in text)


def languages_of(text: str) -> tuple[str, ...]:
    """Return the codes of the languages that a text may be in, the likeliest first: ``zh``, ``vi``, ``es``, ``en``.

    A text shows its language by words of grammar and by letters. A short one may show none, or as much of one as of the
    other: then it may be English or Spanish, and a text beside it decides. ``()`` for a script without blanks other
    than Chinese.
    """
    if has_han(text):
        return () if any("\u3040" <= char <= "\u30ff" or "\uac00" <= char <= "\ud7af" for char in text) else ("zh",)
    folded = unicodedata.normalize("NFC", text).casefold()
    words = [word.strip(_OUTER) for word in folded.translate(_PLAIN).split()]
    if any(char in _VIETNAMESE for char in folded):
        return ("vi",)
    spanish = sum(word in _SPANISH for word in words) + any(char in "áéíóúñ¿¡" for char in folded)
    # "a" is a word of grammar in both, and shows neither.
    english = sum(word in _ENGLISH and word != "a" for word in words)
    if spanish > english:
        return ("es",)
    if english > spanish:
        return ("en",)
    likely = spanish or sum(word.endswith(_SPANISH_ENDS) for word in words) > 1
    return ("es", "en") if likely else ("en", "es")


def tokens_of(text: str, language: Language) -> list[Token]:
    """Return the tokens of a text in a language with blanks between words; ``,`` and ``:`` are marks of their own."""
    pieces: list[tuple[str, str]] = []
    for chunk in unicodedata.normalize("NFC", text).translate(_PLAIN).split():
        bare = chunk.strip(_OUTER) if chunk not in {"=", "->"} else "="
        if bare:
            # .NET begins with its dot, and C: does not end in a colon.
            pieces.append((bare, bare.casefold()))
        if chunk.rstrip("\"')]»”*_`").endswith((",", "，")):
            pieces.append((",", ","))
        elif chunk.rstrip("\"')]»”*_`").endswith((":", "：")):
            pieces.append((":", ":"))
    return _with_phrases(pieces, language)


def _with_phrases(pieces: Sequence[tuple[str, str]], language: Language) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(pieces):
        for length in range(min(_LONGEST_PHRASE, len(pieces) - at), 0, -1):
            phrase = " ".join(word for _, word in pieces[at : at + length])
            meant = language.phrases.get(phrase)
            if meant is None and language.code == "es" and phrase.endswith((" del", " al")):
                meant = language.phrases.get(phrase[:-1])  # antes de, antes del
            if phrase == "may" and _names_month(pieces, at, language):
                meant = None
            if meant is not None and phrase in language.ends and not _ends(pieces[at + length :], language):
                meant = None  # the alarm is on, but the archive is on the third floor
            if meant is not None:
                found += [_token(word, word, language, first=False) for word in meant.split()]
                at += length
                break
        else:
            text, word = pieces[at]
            if language.code == "es" and word in _ONE and at + 1 < len(pieces) and pieces[at + 1][1] in UNITS:
                found.append(Token(text, word, "#1", "#1", "1"))
            else:
                found.append(_token(text, word, language, first=not found))
            at += 1
    return found


def _names_month(pieces: Sequence[tuple[str, str]], at: int, language: Language) -> bool:
    """Say whether the word "may" is the month: in May, 3 May, May 3, or with a capital that no sentence asks for."""
    before = pieces[at - 1][1] if at else ""
    after = pieces[at + 1][1] if at + 1 < len(pieces) else ""
    return (
        before in language.prepositions
        or before in _BEFORE_MONTH
        or number_of(before) is not None
        or number_of(after) is not None
        or bool(at and pieces[at][0] == "May")
    )


def _ends(rest: Sequence[tuple[str, str]], language: Language) -> bool:
    """Say whether a sentence, or what it says, ends before these pieces."""
    if not rest or rest[0][1] in {",", ":", "and", "or"} or rest[0][1] in language.prepositions:
        return True
    phrases = (" ".join(word for _, word in rest[:length]) for length in range(1, _LONGEST_PHRASE + 1))
    return any(language.phrases.get(phrase) in {"", "BECAUSE"} for phrase in phrases)


def _token(text: str, word: str, language: Language, *, first: bool) -> Token:
    if word in MARKS or word in {",", ":"}:
        return Token(text, word, word, word, mark=True)
    if len(text) == 1 and text.isupper() and not first and text != "I":
        return Token(text, text, text, text, name=True)  # truck A, which is no article
    number = number_of(word)
    if number is not None:
        value, unit = number
        return Token(text, word, f"#{value}", f"#{value}", value, unit)
    if spelled := spelled_number(word, language.code):
        return Token(text, word, f"#{spelled}", f"#{spelled}", spelled)
    name = looks_like_name(text, first=first)
    key = word if name and not (text.istitle() and text.isalpha()) else language.key(word)
    return Token(text, word, key, language.loose(word), name=name)


def looks_like_name(text: str, *, first: bool) -> bool:
    """Say whether a word is written as a name: capitals that no sentence asks for, a digit, or a sign inside it."""
    if any(char.isdigit() or char in "_/\\@#.+" for char in text):
        return True
    rest = text[1:]
    return any(char.isupper() for char in rest) or (text[:1].isupper() and not first)


def is_unit(token: Token) -> bool:
    """Say whether a token is a unit that a number counts."""
    return token.word in UNITS
