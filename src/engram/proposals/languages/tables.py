"""What a table of one language holds.

Words stand as the tokenizer folds them: lower case, NFC. Marks in capitals stand for what several words say together:
``NOT`` a negation, ``BECAUSE`` the beginning of a reason, ``INSTEAD`` the beginning of what was not chosen, ``MUST``
and ``MAY`` the place where a verb follows, ``BE`` a form of "to be", and ``LEAST``, ``MOST`` limits.
"""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["MARKS", "Language", "keyed", "pairs", "word_set"]

MARKS = frozenset({"NOT", "BECAUSE", "INSTEAD", "MUST", "MAY", "BE", "LEAST", "MOST"})


class Language(Record):
    """The words of one language.

    Attributes:
        code: its ISO code.
        phrases: several words, or one, with what is read in their place; ``""`` for nothing.
        fillers: words that change nothing in what is said.
        articles: fillers before a noun; what follows is no verb.
        people: subjects that mean whoever reads the memory.
        prepositions: words that begin a part of the sentence, with the name of that part.
        scopes: parts that say to what, when or for whom a sentence applies.
        choose: verbs whose object is one chosen thing.
        settle: verbs that give a thing one place, form or person.
        verbs: other verbs.
        flips: verbs that deny, with the verb that they deny; ``""`` where nothing but the denial is left.
        grants: words that say no more than that something may be.
        opposites: pairs of words, one of which rules the other out.
        attributes: nouns of which a thing has one only.
        clauses: words after which a verb is not that of the sentence.
        key: the form in which two words are compared.
        loose: the form in which two words are compared that may be verb and noun.
    """

    code: str
    phrases: Mapping[str, str]
    fillers: frozenset[str]
    articles: frozenset[str]
    people: frozenset[str]
    prepositions: Mapping[str, str]
    scopes: frozenset[str]
    choose: frozenset[str]
    settle: frozenset[str]
    verbs: frozenset[str]
    flips: Mapping[str, str]
    grants: frozenset[str]
    opposites: frozenset[frozenset[str]]
    attributes: frozenset[str]
    clauses: frozenset[str]
    key: Callable[[str], str]
    loose: Callable[[str], str]


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def keyed(text: str, key: Callable[[str], str]) -> frozenset[str]:
    """Return the keys of the words of a text."""
    return frozenset([key(word) for word in text.split()])


def pairs(text: str, key: Callable[[str], str]) -> frozenset[frozenset[str]]:
    """Return the pairs of a text such as ``before/after open/closed``; capitals are marks and stay as they are."""
    found = set()
    for pair in text.split():
        words = pair.split("/")
        # Prepositions are compared as they stand, other words by their key.
        found |= {frozenset(words), frozenset([word if word.isupper() else key(word) for word in words])}
    return frozenset(found)
