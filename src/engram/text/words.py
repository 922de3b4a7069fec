"""Text to words, in every script, without losing what programmers type.

``C++``, ``.NET``, ``src/main.py``, ``don't``, ``gen-itgc`` and ``getUserName`` stay whole, and their parts are words of
their own as well. Scripts that put no blanks between words become n-grams. The same function reads memories and
queries, so both sides always agree.

>>> words("getUserName in src/main.py")
['getusername', 'get', 'user', 'name', 'in', 'src/main.py', 'main.py', 'src', 'main', 'py']
>>> words("重跑gen-itgc后50条")
['重跑', 'genitgc', 'gen', 'itgc', '后', '50', '条']
"""

from __future__ import annotations

__all__ = ["fold", "is_unspaced", "split", "words"]

# One word longer than this is no word that anyone types (a hash, base64): it is cut, on both sides alike.
_LONGEST = 64
# A path with more segments than this gives its last ones only.
_MOST_SEGMENTS = 12
_CONNECTORS = frozenset("_-./\\'+#")
# Typographic marks are read as the plain ones; a soft hyphen is nothing, a zero-width space is one.
_PLAIN_MARKS = {ord(mark): "'" for mark in "’ʼ‘＇`´"} | {ord(mark): "-" for mark in "‐‑‒–"} | {0xAD: None, 0x200B: " "}
# After an apostrophe these carry no meaning of their own: user's, we're, I'll, I'd, I'm, we've.
_CLITICS = frozenset(("s", "re", "ll", "d", "m", "ve", "t"))

# Scripts without blanks between words, as (first, last, length of an n-gram). Thai and its neighbours are alphabets, so
# that two letters say too little there.
_UNSPACED = (
    (0x0E00, 0x0EFF, 3),  # Thai, Lao
    (0x0F00, 0x0FFF, 3),  # Tibetan
    (0x1000, 0x109F, 3),  # Myanmar
    (0x1100, 0x11FF, 2),  # Hangul Jamo
    (0x1780, 0x17FF, 3),  # Khmer
    (0x2E80, 0x2FDF, 2),  # CJK radicals
    (0x3005, 0x3007, 2),  # iteration mark, ideographic zero
    (0x3040, 0x30FF, 2),  # Hiragana, Katakana
    (0x3100, 0x312F, 2),  # Bopomofo
    (0x31F0, 0x31FF, 2),  # Katakana extensions
    (0x3400, 0x4DBF, 2),  # CJK extension A
    (0x4E00, 0x9FFF, 2),  # CJK
    (0xA960, 0xA97F, 2),  # Hangul Jamo extended
    (0xAC00, 0xD7FF, 2),  # Hangul
    (0xF900, 0xFAFF, 2),  # CJK compatibility
    (0x20000, 0x3FFFF, 2),  # CJK extensions B and later
)


def words(text: str) -> list[str]:
    """Return the words of a text in order, lower case; the parts of a compound follow the compound itself."""
    found: list[str] = []
    for chunk in text.split():
        found += split(chunk)
    return found


def split(chunk: str) -> list[str]:
    """Return the words of one piece of text without white space. Depends on nothing else, so callers may cache it."""
    if not chunk.isascii():
        from unicodedata import normalize

        text = normalize("NFKC", chunk.translate(_PLAIN_MARKS))
        found: list[str] = []
        for piece in text.split():
            _unicode_runs(piece, found)
        return found
    if chunk.isalpha() and (chunk.islower() or chunk.istitle()):
        return [chunk.lower()[:_LONGEST]]
    found = []
    _compounds(chunk.replace("`", " ") if "`" in chunk else chunk, found)
    return found


def fold(word: str) -> str:
    """Return a word without its diacritics: ``résumé`` is ``resume``, ``ví`` is ``vi``, ``đ`` is ``d``."""
    if word.isascii() or (word[0] >= "\u0800" and not "\u1e00" <= word[0] <= "\u1fff"):
        return word  # of scripts whose marks make another letter, か and が, though not of Vietnamese or Greek
    from unicodedata import combining, normalize

    plain = "".join(char for char in normalize("NFKD", word) if not combining(char))
    return normalize("NFC", plain.translate(_LETTERS_WITHOUT_MARKS))


# Letters whose stroke or ligature Unicode does not take apart.
_LETTERS_WITHOUT_MARKS = {
    ord(letter): plain
    for letter, plain in zip("đøłħŧıßæœðþ", ("d", "o", "l", "h", "t", "i", "ss", "ae", "oe", "d", "th"), strict=True)
}


def is_unspaced(char: str) -> bool:
    """Tell whether a character belongs to a script that puts no blanks between words."""
    return _gram(char) > 0


def _gram(char: str) -> int:
    """Return the length of an n-gram in the script of a character; 0 where words have blanks between them."""
    code = ord(char)
    if code < 0x0E00:
        return 0
    for first, last, length in _UNSPACED:
        if first <= code <= last:
            return length
    return 0


def _unicode_runs(piece: str, found: list[str]) -> None:
    """Cut a piece where scripts with and without blanks meet, and take the words of each run."""
    from unicodedata import category

    start, size, end = 0, 0, len(piece)
    for at in range(end + 1):
        gram = -1
        if at < end:
            char = piece[at]
            gram = _gram(char)
            if gram and not (char.isalnum() or category(char)[0] == "M" or char in "ー々〆"):
                gram = -1  # punctuation of such a script
        if gram == size:
            continue
        run = piece[start:at]
        if size > 0:
            found += [run[i : i + size] for i in range(len(run) - size + 1)] if len(run) > size else [run]
        elif size == 0 and run:
            _compounds(run, found)
        start, size = at, gram


def _compounds(run: str, found: list[str]) -> None:
    """Take the words of a run of a script with blanks: letters, digits and what may stand inside a name."""
    start = -1
    for at, char in enumerate(run):
        if char.isalnum() or char in _CONNECTORS or (char > "\x7f" and _is_mark(char)):
            if start < 0:
                start = at
        elif start >= 0:
            _path(run[start:at], found)
            start = -1
    if start >= 0:
        _path(run[start:], found)


def _is_mark(char: str) -> bool:
    from unicodedata import category

    return category(char)[0] == "M"


def _path(compound: str, found: list[str]) -> None:
    """Take a compound apart at its slashes; a path of several names is kept whole too."""
    if "/" not in compound and "\\" not in compound:
        _name(compound, found)
        return
    names = [name for name in compound.replace("\\", "/").split("/") if name.strip("_-.'+#")]
    if len(names) > 1:
        found.append("/".join(names).lower().strip("-.'")[-_LONGEST:])
    names = names[-_MOST_SEGMENTS:]
    if len(names) > 1 and "." in names[-1].strip("."):
        # src/main.py: the file's own name stands before the folders, next to the whole.
        whole = len(found)
        _name(names.pop(), found)
        last = found[whole:]
        del found[whole + 1 :]
        for name in names:
            _name(name, found)
        found += last[1:]
        return
    for name in names:
        _name(name, found)


def _name(name: str, found: list[str]) -> None:
    """Take one name apart: dots, hyphens, underscores, camelCase, a closing ``++`` or ``#``, apostrophes."""
    name = name.strip("-'_").rstrip("._-'").lstrip("+#'-_")
    if not name:
        return
    if name.startswith("."):
        name = "." + name.lstrip(".")
        if len(name) == 1:
            return
        if "." not in name[1:]:
            found.append(name.lower()[:_LONGEST])
            name = name[1:]
    dotted = [part for part in name.split(".") if part]
    if len(dotted) > 1:
        found.append(".".join(dotted).lower()[:_LONGEST])
        if all(part.isdigit() for part in dotted):
            return  # a version or a number: 3.11 says more than 3 and 11
    for part in dotted:
        _part(part, found)


def _part(part: str, found: list[str]) -> None:
    base = part.rstrip("+#")
    if base != part:
        if base and len(base) <= 2 and len(part) - len(base) <= 2:
            found.append(part.lower())  # C++, C#, F#
        part = base
    if "+" in part or "#" in part:
        for piece in part.replace("#", "+").split("+"):
            if piece:
                _part(piece, found)
        return
    if "'" in part:
        pieces = [piece for piece in part.split("'") if piece]
        if len(pieces) == 2 and pieces[1].lower() in _CLITICS:
            if pieces[1].lower() == "t":
                found.append("'".join(pieces).lower()[:_LONGEST])  # don't, can't: whole only
                return
            pieces.pop()
        elif len(pieces) > 1:
            found.append("".join(pieces).lower()[:_LONGEST])
            pieces = [piece for piece in pieces if len(piece) > 1]
        for piece in pieces:
            _part(piece, found)
        return
    if part.isalpha() and (part.islower() or part.istitle() or part.isupper()):
        found.append(part.casefold()[:_LONGEST])
        return
    pieces = []
    for piece in part.replace("-", "_").split("_"):
        if piece:
            _camel(piece, pieces)
    if len(pieces) > 1:
        found.append("".join(pieces)[:_LONGEST])
        pieces = [piece for piece in pieces if len(piece) > 1 or piece.isdigit()]
    found += [piece[:_LONGEST] for piece in pieces]


def _camel(name: str, pieces: list[str]) -> None:
    """Split ``getHTMLParser2`` into get, html, parser2."""
    start = 0
    for at in range(1, len(name)):
        if name[at].isupper() and (
            name[at - 1].islower() or (at + 1 < len(name) and name[at + 1].islower() and name[at - 1].isalpha())
        ):
            pieces.append(name[start:at].casefold())
            start = at
    pieces.append(name[start:].casefold())
