"""What tells a secret from a word, a name, a measure or a stand-in. Plain questions about one value; no patterns."""

from __future__ import annotations

from itertools import pairwise

__all__ = ["entropy", "has_digits", "is_composed", "is_mixed", "is_random", "is_real", "turns"]

_HEX = frozenset("0123456789abcdefABCDEF")

# What people write where a key belongs: filling, and words (in lower case).
_FILLING = ("xxxx", "XXXX", "****", "....", "00000000")
_STAND_INS = ("your-", "your_", "placeholder", "changeme", "change-me", "redacted")


def is_real(value: str) -> bool:
    """Tell a value from the stand-ins of documentation, such as ``ghp_xxxxxxxx``."""
    folded = value.lower()
    return not any(run in value for run in _FILLING) and not any(word in folded for word in _STAND_INS)


def is_mixed(value: str) -> bool:
    """Accept what has capitals and small letters: an identifier with a provider's prefix has not."""
    return is_real(value) and value.lower() != value and value.upper() != value


def has_digits(value: str) -> bool:
    """Accept what holds at least six digits, as every Slack token does."""
    return is_real(value) and sum(char.isdigit() for char in value) >= 6


def is_random(value: str) -> bool:
    """Accept what changes between letters, capitals and digits as often as random text does, and long hexadecimal."""
    if not is_real(value) or entropy(value) < 3.0 or is_composed(value):
        return False
    changes = turns(value)
    return (
        changes * 5 >= len(value)
        or (len(value) >= 32 and _HEX.issuperset(value.rpartition("-")[2]))
        or (changes * 8 >= len(value) >= 16 and _is_unspeakable(value))
    )


def _is_unspeakable(value: str) -> bool:
    """Accept letters of one case with digits, among them five or more without a vowel: nobody's word has them."""
    if not value.isalnum() or not value.isascii() or value not in {value.lower(), value.upper()}:
        return False
    longest = run = 0
    for char in value.lower():
        run = run + 1 if char.isalpha() and char not in "aeiouy" else 0
        longest = max(longest, run)
    return longest >= 5 and sum(char.isdigit() for char in value) >= 2


def is_composed(value: str) -> bool:
    """Tell an identifier put together of words (``accessTokenFromHeader``) from random letters of both cases.

    Three fifths of it are words: three small letters or more, a vowel among each five, and the capital before them.
    In random text of 62 characters that is one character of eight. No name has numbers in four places.
    """
    if value.lower() == value or value.upper() == value or _numbers(value) > 3:
        return False
    covered = run = since_vowel = longest = 0
    for at, char in enumerate(value + " "):
        if "a" <= char <= "z":
            run += 1
            since_vowel = 0 if char in "aeiouy" else since_vowel + 1
            longest = max(longest, since_vowel)
            continue
        if run >= 3 and longest < min(run, 5):
            first = at - run
            covered += run + (first > 0 and value[first - 1].isupper())
        run = since_vowel = longest = 0
    return covered * 5 >= len(value) * 3


def _numbers(value: str) -> int:
    return len("".join(char if char.isdigit() else " " for char in value).split())


def turns(value: str) -> int:
    """Count the places where a small letter, capital or digit stands beside one of another class."""
    classes = ["a" if c.islower() else "A" if c.isupper() else "0" if c.isdigit() else "" for c in value]
    return sum(1 for left, right in pairwise(classes) if left and right and left != right)


def entropy(value: str) -> float:
    """Return Shannon's entropy of ``value`` in bits a character."""
    from math import log2

    size = len(value)
    return -sum((n := value.count(char)) / size * log2(n / size) for char in set(value))
