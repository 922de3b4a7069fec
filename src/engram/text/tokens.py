"""How many tokens a text costs a language model, estimated without its tokenizer (F21 ``load.max_tokens``).

Tokenizers differ between vendors and versions, so this is an estimate that leans to the high side: a budget that it
keeps is kept by the common ones. Against ``o200k_base`` (``benchmarks/tokens.py``) the median of texts as long as a
memory is 1.11 times the real count in English, 1.09 in Spanish, 1.17 in Chinese, 1.22 in code. Single texts may lie
below it, most often in Spanish (13 of 100, the worst at .85: many names, or words of Latin of 16 letters); of 1,200
packs of six texts none did, the lowest at 1.01. It is not additive (a piece at a border counts once): call it on the
final text.

>>> estimate_tokens("Use pnpm for every install.")
7
>>> estimate_tokens("用户身份")
4
"""

from __future__ import annotations

__all__ = ["estimate_tokens"]

_LETTERS = 6  # letters of a Latin word in one token; longer words are split
_DIGITS = 3  # digits in one token
_SYMBOLS = 2  # punctuation marks in one token
_BYTES = 3  # bytes of UTF-8 in one token, in scripts with few words in the vocabularies

_MOST_KNOWN = 50_000
_LONGEST_KNOWN = 128

_WORD, _DIGIT, _SYMBOL, _OTHER = range(4)
_PER_TOKEN = (_LETTERS, _DIGITS, _SYMBOLS, _BYTES)


class _Known(dict[str, int]):
    """What was counted before, by word: texts share most of theirs, and a server counts the same ones all day."""

    def __missing__(self, word: str) -> int:
        count = _word(word)
        if len(self) < _MOST_KNOWN and len(word) <= _LONGEST_KNOWN:
            self[word] = count
        return count


_count_of = _Known().__getitem__


def estimate_tokens(text: str) -> int:
    """Return the estimated number of tokens of ``text``; 0 only for an empty text, the same in every process."""
    if not text:
        return 0
    # A line end is a token of its own or part of the next one; deeper indentation is one token a line.
    total = text.count("\n") + text.count("\n  ") + text.count("\t") + sum(map(_count_of, text.split()))
    return max(total, 1)


def _word(word: str) -> int:
    if word.isascii():
        if word.isalpha() and word[1:].islower():
            return (len(word) + _LETTERS - 1) // _LETTERS
        if word[:-1].isalpha() and word[1:].islower():  # a word with one mark behind it
            return (len(word) + _LETTERS - 2) // _LETTERS + 1
    return _pieces(word)


def _pieces(word: str) -> int:
    """Count a word of mixed characters: runs of one kind, and CJK characters by themselves."""
    total = 0
    kind = -1
    length = 0
    upper = True
    for char in word:
        weight = 1
        if char <= "\x7f":
            if char.isalpha():
                new = _WORD
            elif char.isdigit():
                new = _DIGIT
            else:
                new = _SYMBOL
        elif char < "\u0250":  # Latin with accents: rarer in the vocabularies than plain letters
            new, weight = _WORD, 2
        elif _is_cjk(char):
            total += 1
            new, weight = kind, 0
        else:
            new, weight = _OTHER, 2 if char < "\u0800" else 3 if char < "\U00010000" else 6
        # camelCase is two pieces
        if new != kind or (new == _WORD and char.isupper() and not upper):
            if length:
                total += (length + _PER_TOKEN[kind] - 1) // _PER_TOKEN[kind]
            kind, length = new, 0
        length += weight
        upper = char.isupper()
    if length:
        total += (length + _PER_TOKEN[kind] - 1) // _PER_TOKEN[kind]
    return total


def _is_cjk(char: str) -> bool:
    return (
        "\u2e80" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7ff"
        or "\uf900" <= char <= "\ufaff"
        or ("\uff00" <= char <= "\uffef" or "\U00020000" <= char <= "\U0003ffff")
    )
