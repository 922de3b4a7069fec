"""How one row of a table is run: a literal first, and only where that stands a compiled expression.

A row costs a few string searches on a text that holds nothing of its kind, and ``re`` is imported when the first
literal is found. Every expression is bounded: each repetition has a limit, or begins where a run of the repeated
characters begins, so that time grows linearly with the text.
"""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

__all__ = ["ALNUM", "Hit", "Rule", "compiled", "folded", "hits"]

# Boundaries are ASCII: in ``密钥AKIA…`` the key begins a word for its author, while ``\b`` sees letters on both sides.
ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class Hit(Record):
    """A match: the rule's kind, what a person calls it, and the span that has to go."""

    kind: str
    label: str
    start: int
    end: int


class Rule(Record):
    """One row of a table.

    Args:
        kind: the second half of the rule's id, as in ``aws-access-key``.
        label: what a person calls it, with its article: ``an AWS access key``.
        starts: the literals that a match begins with; ``rest`` is matched directly behind them. In lower case when
            ``fold``. Empty for the few kinds that begin with no literal.
        rest: a regular expression. Its group 1, where it has one, is the span that counts.
        needs: without ``starts``: one of these stands in every text in which ``rest`` is then searched.
        before: characters that may not stand directly before a start.
        fold: ignore case.
        tail: characters over which a match is extended, for tokens that have a least length but no greatest.
        accept: says whether a match is real, given the found value; ``None`` takes all.
    """

    kind: str
    label: str
    starts: tuple[str, ...]
    rest: str
    needs: tuple[str, ...] = ()
    before: str = ALNUM
    fold: bool = False
    tail: str = ""
    accept: Callable[[str], bool] | None = None


_COMPILED: dict[tuple[str, bool], re.Pattern[str]] = {}


def compiled(pattern: str, *, fold: bool = False) -> re.Pattern[str]:
    """Return the compiled form of ``pattern``, made once a process."""
    key = (pattern, fold)
    if key not in _COMPILED:
        import re

        _COMPILED[key] = re.compile(pattern, re.IGNORECASE if fold else 0)
    return _COMPILED[key]


def folded(text: str) -> str:
    """Return ``text`` in lower case with every character at its old offset (``İ`` alone would become two)."""
    lower = text.lower()
    return (
        lower if len(lower) == len(text) else "".join(low if len(low := char.lower()) == 1 else char for char in text)
    )


def hits(rules: tuple[Rule, ...], text: str, lower: str) -> Iterator[Hit]:
    """Yield the matches of ``rules`` in ``text``, rule by rule; ``lower`` is ``folded(text)``."""
    for rule in rules:
        hay = lower if rule.fold else text
        matches = _after_starts(rule, text, hay) if rule.starts else _searched(rule, text, hay)
        taken = 0
        for begin, match in matches:
            start, end = match.span(1) if match.re.groups else (begin, match.end())
            if start < taken:
                continue
            while rule.tail and end < len(text) and text[end] in rule.tail:
                end += 1
            taken = end
            if rule.accept is None or rule.accept(text[start:end]):
                yield Hit(rule.kind, rule.label, start, end)


def _after_starts(rule: Rule, text: str, hay: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the matches behind each start, in the order of their places."""
    found: list[tuple[int, re.Match[str]]] = []
    for literal in rule.starts:
        at = hay.find(literal)
        if at < 0:
            continue
        rest = compiled(rule.rest, fold=rule.fold)
        while at >= 0:
            end = at + len(literal)
            if at == 0 or text[at - 1] not in rule.before:
                match = rest.match(text, end)
                if match:
                    found.append((at, match))
                    end = max(end, match.end())
            at = hay.find(literal, end)
    return iter(sorted(found, key=lambda pair: pair[0]))


def _searched(rule: Rule, text: str, hay: str) -> Iterator[tuple[int, re.Match[str]]]:
    if any(literal in hay for literal in rule.needs):
        for match in compiled(rule.rest, fold=rule.fold).finditer(text):
            yield match.start(), match
