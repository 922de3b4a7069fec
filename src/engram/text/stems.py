"""Light stemming: ``tests`` is ``test``, ``configured`` is ``configur``.

English follows Porter's second algorithm (https://snowballstem.org/algorithms/english/stemmer.html, written anew here);
Spanish takes off plural, gender and the commonest verb ends, Russian the ends of nouns, adjectives and verbs. Of German
and French only plurals that change a vowel are undone. Other languages keep their words: a wrong stem costs more than a
missing one. Pure functions of one word; callers keep what they got.

>>> english("configurations"), english("running"), english("tests")
('configur', 'run', 'test')
>>> spanish("facturas"), spanish("validar")
('factur', 'valid')
>>> russian("серверов"), singulars("häuser"), singulars("journaux")
('сервер', ('haus',), ('journal',))
"""

from __future__ import annotations

__all__ = ["english", "russian", "singulars", "spanish"]

_VOWELS = frozenset("aeiouy")
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_BEFORE_LI = frozenset("cdeghkmnrt")
_SPECIAL = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
    "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
    "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes", "kubernetes": "kubernetes",
    "postgres": "postgres", "redis": "redis", "data": "data", "indices": "index", "indexes": "index",
    "matrices": "matrix", "vertices": "vertex", "children": "child",
}  # fmt: skip
_UNCHANGED_AFTER_1A = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed")
)  # fmt: skip
_STEP_2 = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive"),
    ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"), ("ation", "ate"), ("alism", "al"),
    ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"), ("fulli", "ful"), ("enci", "ence"), ("anci", "ance"),
    ("abli", "able"), ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"), ("ogi", "og"), ("li", ""),
)  # fmt: skip
_STEP_3 = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ative", ""),
    ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic",
)  # fmt: skip
_SPANISH_ENDS = (
    "amientos", "imientos", "amiento", "imiento", "aciones", "uciones", "adoras", "adores", "ancias", "aremos",
    "eremos", "iremos", "abamos", "aramos", "ciones", "acion", "ucion", "adora", "ancia", "mente", "iendo", "ieron",
    "antes", "ibles", "ables", "istas", "arian", "erian", "irian", "ados", "idos", "adas", "idas", "ador", "ando",
    "aron", "aban", "aba", "ante", "ible", "able", "ista", "aran", "eran", "iran", "aria", "eria", "iria", "amos",
    "emos", "imos", "cion", "ado", "ido", "ada", "ida", "ian", "ara", "era", "ira", "ar", "er", "ir", "ia", "io",
)  # fmt: skip

# The commonest ends that tell case, number, gender, person or tense, the longest first.
_RUSSIAN_ENDS = (
    "иями", "иях", "иям", "ями", "ами", "ией", "иею", "ого", "его", "ому", "ему", "ыми", "ими", "ешь", "ишь", "ете",
    "ите", "ять", "ать", "еть", "ить", "уть", "ала", "али", "ало", "ила", "или", "ило", "ела", "ели", "ело", "ует",
    "уют", "ает", "ают", "яет", "яют", "ая", "яя", "ое", "ее", "ые", "ие", "ый", "ий", "ой", "ей", "ую", "юю", "ых",
    "их", "ым", "им", "ом", "ем", "ам", "ям", "ах", "ях", "ов", "ев", "ия", "ию", "ии", "ет", "ит", "ут", "ют",
    "ат", "ят", "ал", "ил", "ел", "а", "я", "о", "е", "ы", "и", "у", "ю", "ь", "й",
)  # fmt: skip
_UMLAUTS = str.maketrans("äöü", "aou")


def english(word: str) -> str:
    """Return the stem of a lower-case word of plain ASCII letters; any other word comes back as it is."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    if word in _SPECIAL:
        return _SPECIAL[word]
    # A y that stands where a consonant would is marked as Y.
    if "y" in word:
        marked = list(word)
        for at, char in enumerate(marked):
            if char == "y" and (at == 0 or marked[at - 1] in _VOWELS):
                marked[at] = "Y"
        word = "".join(marked)
    r1, r2 = _regions(word)
    word = _step_1a(word)
    if word in _UNCHANGED_AFTER_1A:
        return word
    word = _step_1b(word, r1)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _step_2_and_3(word, r1, r2)
    word = _step_4(word, r2)
    if (word.endswith("e") and (len(word) > r2 or (len(word) > r1 and not _ends_in_short_syllable(word[:-1])))) or (
        word.endswith("ll") and len(word) > r2
    ):
        word = word[:-1]
    return word.lower()


def _regions(word: str) -> tuple[int, int]:
    """Return where Porter's regions R1 and R2 begin."""
    r1 = len(word)
    for prefix in ("gener", "commun", "arsen"):
        if word.startswith(prefix):
            r1 = len(prefix)
            break
    else:
        r1 = _after_vowel_consonant(word, 0)
    return r1, _after_vowel_consonant(word, r1)


def _after_vowel_consonant(word: str, start: int) -> int:
    for at in range(start + 1, len(word)):
        if word[at] not in _VOWELS and word[at - 1] in _VOWELS:
            return at + 1
    return len(word)


def _has_vowel(part: str) -> bool:
    return not _VOWELS.isdisjoint(part)


def _ends_in_short_syllable(part: str) -> bool:
    if len(part) == 2:
        return part[0] in _VOWELS and part[1] not in _VOWELS
    return (
        len(part) > 2
        and part[-1] not in _VOWELS
        and part[-1] not in "wxY"
        and part[-2] in _VOWELS
        and part[-3] not in _VOWELS
    )


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _step_1b(word: str, r1: int) -> str:
    for end in ("eedly", "eed"):
        if word.endswith(end):
            return word[: -len(end)] + "ee" if len(word) - len(end) >= r1 else word
    for end in ("ingly", "edly", "ing", "ed"):
        if word.endswith(end):
            stem = word[: -len(end)]
            if not _has_vowel(stem):
                return word
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if stem[-2:] in _DOUBLES:
                return stem[:-1]
            if len(stem) <= r1 and _ends_in_short_syllable(stem):
                return stem + "e"
            return stem
    return word


def _step_2_and_3(word: str, r1: int, r2: int) -> str:
    for end, new in _STEP_2:
        if word.endswith(end):
            stem = word[: -len(end)]
            if len(stem) >= r1 and ((end != "ogi" or stem.endswith("l")) and (end != "li" or stem[-1:] in _BEFORE_LI)):
                word = stem + new
            break
    for end, new in _STEP_3:
        if word.endswith(end):
            stem = word[: -len(end)]
            if len(stem) >= r1 and (end != "ative" or len(stem) >= r2):
                word = stem + new
            break
    return word


def _step_4(word: str, r2: int) -> str:
    for end in _STEP_4:
        if word.endswith(end):
            stem = word[: -len(end)]
            if len(stem) >= r2 and (end != "ion" or stem.endswith(("s", "t"))):
                return stem
            return word
    return word


def spanish(word: str) -> str:
    """Return the stem of a lower-case Spanish word, accents taken off its vowels."""
    if len(word) < 4 or not word.isalpha():
        return word
    if not word.isascii():
        word = word.translate(_PLAIN_VOWELS)
    for end in _SPANISH_ENDS:
        if word.endswith(end) and len(word) - len(end) >= 4:
            return word[: -len(end)]
    if word.endswith("ces") and len(word) > 4:
        return word[:-3] + "z"  # luces, luz
    if word.endswith("s") and len(word) > 4:
        word = word[:-1]
    if word[-1] in "aeoi" and len(word) > 4:
        word = word[:-1]
    return word


_PLAIN_VOWELS = {ord(marked): plain for marked, plain in zip("áéíóúü", "aeiouu", strict=True)}


def russian(word: str) -> str:
    """Return a lower-case Cyrillic word without its end, of at least three letters; any other word as it is."""
    if not "\u0430" <= word[0] <= "\u0451":
        return word
    for end in _RUSSIAN_ENDS:
        if len(word) >= len(end) + 3 and word.endswith(end):
            return word[: -len(end)]
    return word


def singulars(word: str) -> tuple[str, ...]:
    """Return what a lower-case word is the plural of where its vowels change with it: German umlauts, French -aux."""
    if word.endswith("aux") and len(word) > 5:
        return (word[:-1],) if word.endswith("eaux") else (word[:-3] + "al",)
    if word.isascii() or not ("ä" in word or "ö" in word or "ü" in word):
        return ()
    # The end that comes with the plural or a case of it: Häuser, Häusern, Bäume, Wörter, Gärten.
    for end in ("ern", "er", "en", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return (word[: -len(end)].translate(_UMLAUTS),)
    return ()
