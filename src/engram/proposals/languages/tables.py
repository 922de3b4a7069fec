"""What a table of one language holds.

Words stand as the tokenizer folds them: lower case, NFC. Marks in capitals stand for what several words say together:
``NOT`` a negation, ``BECAUSE`` the beginning of a reason, ``INSTEAD`` the beginning of what was not chosen, ``MUST``
and ``MAY`` the place where a verb follows, ``BE`` a form of "to be", and ``LEAST``, ``MOST`` limits.
"""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

__all__ = ["MARKS", "Language", "keyed", "pairs", "remembered", "word_set"]

MARKS = frozenset({"NOT", "BECAUSE", "INSTEAD", "MUST", "MAY", "BE", "LEAST", "MOST"})

_MOST_WORDS = 20_000


class Language(Record):
    """The words of one language.

    Attributes:
        code: its ISO code.
        phrases: several words, or one, with what is read in their place; ``""`` for nothing.
        ends: those of the phrases that mean this only where a sentence ends, or a part of one.
        fillers: words that change nothing in what is said.
        articles: fillers before a noun; what follows is no verb.
        people: subjects that mean whoever reads the memory.
        prepositions: words that begin a part of the sentence, with the name of that part.
        scopes: parts that say to what, when or for whom a sentence applies.
        choose: verbs whose object is one chosen thing.
        settle: verbs that give a thing one place, form or person.
        stays: verbs of being somewhere: whoever does it does it at one place.
        verbs: other verbs.
        flips: verbs that deny, with the verb that they deny; ``""`` where nothing but the denial is left.
        grants: words that say no more than that something may be.
        opposites: pairs of words, one of which rules the other out.
        attributes: nouns of which a thing has one only.
        prefers: words and marks of a sentence that sets one thing over another: who turns such a sentence round
            contradicts it.
        clauses: words after which a verb is not that of the sentence.
        key: the form in which two words are compared.
        loose: the form in which two words are compared that may be verb and noun.
    """

    code: str
    phrases: Mapping[str, str]
    ends: frozenset[str]
    fillers: frozenset[str]
    articles: frozenset[str]
    people: frozenset[str]
    prepositions: Mapping[str, str]
    scopes: frozenset[str]
    choose: Container[str]
    settle: Container[str]
    stays: Container[str]
    verbs: Container[str]
    flips: Mapping[str, str]
    grants: Container[str]
    opposites: Container[frozenset[str]]
    contraries: Container[frozenset[str]]
    attributes: Container[str]
    prefers: frozenset[str]
    clauses: frozenset[str]
    key: Callable[[str], str]
    loose: Callable[[str], str]


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def remembered(key: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that gives what ``key`` gives, without working the same word out twice."""
    known: dict[str, str] = {}

    def look_up(word: str) -> str:
        found = known.get(word)
        if found is None:
            if len(known) >= _MOST_WORDS:  # a server reads texts for days
                known.clear()
            found = known[word] = key(word)
        return found

    return look_up


def keyed(text: str, key: Callable[[str], str]) -> Container[str]:
    """Return the keys of the words of a text, made when the first word with the same letter is looked up.

    Making the keys of all tables would take longer than the interpreter's start, and one save needs few of them.
    """
    return _Keys(text, key)


def pairs(text: str, key: Callable[[str], str]) -> Container[frozenset[str]]:
    """Return the pairs of a text such as ``before/after open/closed``; capitals are marks and stay as they are."""
    return _Pairs(text, key)


class _Keys:
    def __init__(self, text: str, key: Callable[[str], str]) -> None:
        self._key = key
        self._words: dict[str, list[str]] = {}
        for word in text.split():
            self._words.setdefault(word[0], []).append(word)
        self._keys: dict[str, frozenset[str]] = {}

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str) or not key:
            return False
        known = self._keys.get(key[0])
        if known is None:
            words = self._words.get(key[0], ())
            known = self._keys[key[0]] = frozenset([self._key(word) for word in words])
        return key in known


class _Pairs:
    def __init__(self, text: str, key: Callable[[str], str]) -> None:
        self._text = text
        self._key = key
        self._found: frozenset[frozenset[str]] | None = None

    def __contains__(self, pair: object) -> bool:
        if self._found is None:
            found = set()
            for text in self._text.split():
                words = text.split("/")
                # Prepositions are compared as they stand, other words by their key.
                found |= {
                    frozenset(words),
                    frozenset([word if word.isupper() else self._key(word) for word in words]),
                }
            self._found = frozenset(found)
        return pair in self._found
