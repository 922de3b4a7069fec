"""How a table of rules is run: the words of a text first, then a literal, and only where that stands an expression.

A row costs nothing on a text in which no word begins as its literals do, and ``re`` is imported when the first literal
is found. Time grows linearly with the text, and with a small constant: every repetition in an expression is bounded or
cannot give back what it took, a match begins where a word does, a row with a gap between two words is anchored at the
second one and looks back, and of each row only the first ``LIMIT`` matches are told apart.
"""

from __future__ import annotations

from _operator import itemgetter  # the C module alone

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["ALNUM", "LIMIT", "Hit", "Rule", "Sheet", "Table", "compiled"]

# Boundaries are ASCII: in ``密钥AKIA…`` the key begins a word for its author, while ``\b`` sees letters on both sides.
ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
# So many matches of one row are found one by one in a text; the last of them reaches to the text's end.
LIMIT = 10_000
# So many characters of a value are judged: more would not change what it looks like.
_JUDGED = 512
# So many first characters of a word tell whether a literal can begin there.
_HEADS = (6, 3, 2)
_CUTS = tuple(itemgetter(slice(size)) for size in _HEADS)
_WORDS = bytes(code if chr(code) in ALNUM else 32 for code in range(256))
# So many characters has the longest start of a row with a gap, with its ending.
_START = 24
# The only character whose small form is two (Unicode's SpecialCasing.txt).
_DOTTED = "\u0130"
# Of a text of more bytes the different words are looked through before the text.
_LONG = 16_384


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
        rest: a regular expression. The group that matched, where it has some, is the span that counts.
        needs: without ``starts``: one of these stands in every text in which ``rest`` is then searched. With
            ``gap``: what ``rest`` begins with.
        gap: with it a match is one of ``starts`` as a word, at most so many characters without any of ``stops``, and
            ``rest``, which begins with one of ``needs``.
        between: with ``gap``: one of these stands in the gap.
        endings: with ``gap``: what may follow a start within its word.
        stops: see ``gap``.
        before: characters that may not stand directly before a start.
        fold: ignore case.
        digits: so many digits stand in every text that is looked at.
        longest: so many characters at least has the word that a match begins with, or, with no starts, one anywhere.
        value: so many characters at least has a word shortly behind a start.
        tail: characters over which a match is extended, for tokens that have a least length but no greatest.
        accept: says whether a match is real, given the found value; ``None`` takes all. Several: one for each group.
    """

    kind: str
    label: str
    starts: tuple[str, ...]
    rest: str
    needs: tuple[str, ...] = ()
    gap: int = 0
    between: tuple[str, ...] = ()
    endings: tuple[str, ...] = ("",)
    stops: str = ".\n"
    before: str = ALNUM
    fold: bool = False
    digits: int = 0
    longest: int = 0
    value: int = 0
    tail: str = ""
    accept: Callable[[str], bool] | tuple[Callable[[str], bool], ...] | None = None


_COMPILED: dict[tuple[str, bool], re.Pattern[str]] = {}


def compiled(pattern: str, *, fold: bool = False) -> re.Pattern[str]:
    """Return the compiled form of ``pattern``, made once a process."""
    key = (pattern, fold)
    if key not in _COMPILED:
        import re

        _COMPILED[key] = re.compile(pattern, re.IGNORECASE if fold else 0)
    return _COMPILED[key]


class Sheet:
    """A text laid out for all tables: itself, in lower case, and how its words begin.

    Args:
        text: what is looked through.
        whole: the sheet of the text that this is a piece of; what a rule needs to stand somewhere may stand there.
    """

    __slots__ = (
        "_blobs", "_data", "_heads", "_near", "_places", "_words", "digits", "longest", "lower", "text", "whole",
    )  # fmt: skip

    def __init__(self, text: str, whole: Sheet | None = None) -> None:
        self.text = text
        self.whole = whole
        self.lower = _folded(text)
        self.digits = sum(map(text.count, "0123456789"))
        self.longest = max(map(len, text.split()), default=0)
        self._blobs: dict[bool, bytes] = {}
        self._data: dict[bool, bytes] = {}
        self._heads: dict[bool, set[bytes]] = {}
        self._words: dict[bool, set[bytes]] = {}
        self._near: dict[tuple[str, ...], bool] = {}
        self._places: dict[tuple[tuple[str, ...], bool], list[int]] = {}

    def hay(self, *, fold: bool) -> str:
        """Return the text, or with ``fold`` the text in lower case."""
        return self.lower if fold else self.text

    def data(self, *, fold: bool) -> bytes:
        """Return the same in UTF-8: one character of another plane makes a text four times as long to look through."""
        if fold not in self._data:
            self._data[fold] = self.hay(fold=fold).encode("utf-8", "replace")
        return self._data[fold]

    def heads(self, *, fold: bool) -> set[bytes]:
        """Return the first characters of all runs of ASCII letters and digits, as many as ``_HEADS`` says."""
        if fold not in self._heads:
            heads = self.words(fold=fold)
            self._heads[fold] = all_heads = set[bytes]()
            for cut in _CUTS:  # the longest first: a shorter head is one of theirs
                heads = set(map(cut, heads))
                all_heads |= heads
        return self._heads[fold]

    def words(self, *, fold: bool) -> set[bytes]:
        """Return all runs of ASCII letters and digits."""
        if fold not in self._words:
            self._words[fold] = set(self.data(fold=fold).translate(_WORDS).split())
        return self._words[fold]

    def holds(self, literal: str, *, fold: bool) -> bool:
        """Tell whether a literal stands anywhere. In a long text its words say so first: few of them are different."""
        blob = self._blob(fold=fold)
        if blob:
            plain = literal.encode("ascii", "replace").translate(_WORDS)
            if b" " not in plain:
                return plain in blob
            if not all(run in blob for run in plain.split()):
                return False
        return literal.encode() in self.data(fold=fold)

    def _blob(self, *, fold: bool) -> bytes:
        """Return the words of the text, each once; nothing where to look through them is no less work."""
        if fold not in self._blobs:
            size = len(self.data(fold=fold))
            blob = b" ".join(self.words(fold=fold)) if size > _LONG else b""
            self._blobs[fold] = blob if len(blob) * 4 < size else b""
        return self._blobs[fold]

    def has(self, literals: tuple[str, ...], *, fold: bool) -> bool:
        """Tell whether one of the literals stands anywhere; the same question is answered once."""
        if literals not in self._near:
            data = self.data(fold=fold)
            if len(data) > _LONG:
                here = any(self.holds(literal, fold=fold) for literal in literals)
            else:
                here = any(literal.encode() in data for literal in literals)
            self._near[literals] = here or (self.whole is not None and self.whole.has(literals, fold=fold))
        return self._near[literals]

    def places(self, literals: tuple[str, ...], *, fold: bool) -> list[int]:
        """Return where the literals stand, in order; several rows look for the same ones."""
        if (literals, fold) not in self._places:
            here = literals
            if len(self.data(fold=fold)) > _LONG:
                here = tuple([literal for literal in literals if self.holds(literal, fold=fold)])
            hay = self.hay(fold=fold)
            self._places[literals, fold] = sorted([at for literal in here for at in _places(literal, hay)])
        return self._places[literals, fold]


def _folded(text: str) -> str:
    """Return ``text`` in lower case with every character at its old offset (``İ`` alone would become two)."""
    lower = text.lower()
    return lower if len(lower) == len(text) else _DOTTED.join([part.lower() for part in text.split(_DOTTED)])


class _Literals:
    """The literals that rows of one kind of case begin with, each with the numbers of its rows."""

    def __init__(self) -> None:
        # Each with its bytes, and with the word that stands in every text with the literal, where that goes on behind
        # it; else nothing.
        self.keyed: dict[bytes, list[tuple[str, bytes, list[int], bytes]]] = {}
        # They begin with no word: with a sign or a stroke, or inside a word. Many of them share that sign or their end
        # (`_key`), and of those many how they begin, which is asked for once.
        self.loose: dict[bytes, dict[bytes, list[tuple[str, bytes, list[int], bytes]]]] = {}
        # In another script, by the byte that its first letter begins with in UTF-8.
        self.foreign: dict[bytes, list[tuple[str, bytes, list[int], bytes]]] = {}
        self._known: dict[tuple[str, bool], list[int]] = {}

    def add(self, literal: str, number: int, *, at_a_word: bool) -> None:
        """Add a literal of the row with this number; ``at_a_word`` says whether a match has to begin a word."""
        run = 0
        while run < len(literal) and literal[run] in ALNUM:
            run += 1
        head = next((size for size in _HEADS if run >= size), 0)
        keyed = at_a_word and head > 0
        numbers = self._known.setdefault((literal, keyed), [])
        if not numbers:
            encoded = literal.encode()
            if not literal.isascii():
                lead = next(encoded[at : at + 1] for at in range(len(encoded)) if encoded[at] > 0x7F)
                self.foreign.setdefault(lead, []).append((literal, encoded, numbers, b""))
            elif keyed:
                word = encoded[:run] if run < len(literal) else b""
                self.keyed.setdefault(encoded[:head], []).append((literal, encoded, numbers, word))
            else:
                gate = encoded[-3:] if literal[0] in ALNUM else encoded[:1]
                self.loose.setdefault(gate, {}).setdefault(encoded[:3], []).append((literal, encoded, numbers, b""))
        numbers.append(number)


class Table:
    """Rows that are run together, found by how the words of a text begin."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules
        self._literals: tuple[tuple[bool, _Literals], ...] = ()
        self._whole = [number for number, rule in enumerate(rules) if not rule.starts]

    def hits(self, sheet: Sheet) -> Iterator[Hit]:
        """Yield the matches of all rows, row by row."""
        if not self._literals:
            self._literals = self._sorted()
        found: dict[int, list[str]] = {}
        for fold, literals in self._literals:
            keyed, data, words = literals.keyed, sheet.data(fold=fold), sheet.words(fold=fold)
            rows = []
            if not sheet.text.isascii():
                for lead, foreign in literals.foreign.items():
                    if lead in data:
                        rows += foreign
            for gate, begun in literals.loose.items():
                if gate in data:
                    for start, loose in begun.items():
                        if len(loose) == 1 or start in data:
                            rows += loose
            for head in keyed.keys() & sheet.heads(fold=fold):
                rows += [row for row in keyed[head] if not row[3] or row[3] in words]
            is_long = len(data) > _LONG
            for literal, encoded, numbers, _ in rows:
                if sheet.holds(literal, fold=fold) if is_long else encoded in data:
                    for number in numbers:
                        found.setdefault(number, []).append(literal)
        for number in sorted([*found, *self._whole]):
            rule = self.rules[number]
            if rule.digits > sheet.digits or rule.longest > sheet.longest:
                continue
            if not rule.needs or rule.gap or sheet.has(rule.needs, fold=rule.fold):
                yield from _hits(rule, found.get(number, ()), sheet)

    def _sorted(self) -> tuple[tuple[bool, _Literals], ...]:
        found = {False: _Literals(), True: _Literals()}
        for number, rule in enumerate(self.rules):
            for literal in rule.starts:
                found[rule.fold].add(literal, number, at_a_word=rule.before.startswith(ALNUM))
        return tuple(
            (fold, literals) for fold, literals in found.items() if any(rule.fold is fold for rule in self.rules)
        )


def _hits(rule: Rule, literals: Sequence[str], sheet: Sheet) -> Iterator[Hit]:
    text = sheet.text
    if rule.gap:
        matches = _over_a_gap(rule, literals, sheet)
    elif rule.starts:
        matches = _after_starts(rule, literals, sheet)
    else:
        matches = _searched(rule, text)
    taken = count = 0
    accept = rule.accept
    judged: dict[tuple[str, int], bool] = {}  # what a text repeats is judged once
    for begin, match in matches:
        group = match.lastindex
        start, end = match.span(group) if group else (begin, match.end())
        if start < taken:
            continue
        if rule.tail:
            end = _end_of_run(rule.tail, text, end)
        taken = end
        if accept is not None:
            value = text[start : min(end, start + _JUDGED)], (group or 1) - 1
            if value not in judged:
                judged[value] = (accept[value[1]] if isinstance(accept, tuple) else accept)(value[0])
            if not judged[value]:
                continue
        count += 1
        if count == LIMIT:
            yield Hit(rule.kind, f"{rule.label}, and more to the end of the text", start, len(text))
            return
        yield Hit(rule.kind, rule.label, start, end)


def _end_of_run(characters: str, text: str, at: int) -> int:
    import re

    run = compiled(f"[{re.escape(characters)}]*+").match(text, at)
    return run.end() if run else at


def _after_starts(rule: Rule, literals: Sequence[str], sheet: Sheet) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the matches behind each start, in the order of their places."""
    if len(literals) == 1:
        return _after(rule, literals[0], sheet)
    from heapq import merge

    # The place alone is compared: two literals that begin at one place are one of a rule's starts and a longer one.
    return merge(*(_after(rule, literal, sheet) for literal in literals), key=lambda pair: pair[0])


def _after(rule: Rule, literal: str, sheet: Sheet) -> Iterator[tuple[int, re.Match[str]]]:
    text, find = sheet.text, sheet.hay(fold=rule.fold).find
    match_rest: Callable[..., re.Match[str] | None] | None = None
    before, size = rule.before, len(literal)
    at = find(literal)
    while at >= 0:
        end = at + size
        if at == 0 or text[at - 1] not in before:
            # Nothing is compiled for a text in which no word is as long as the shortest match.
            if match_rest is None and _may_match(rule, text, at, end):
                match_rest = compiled(rule.rest, fold=rule.fold).match
            if match_rest is not None and (match := match_rest(text, end)):
                yield at, match
                end = max(end, match.end())
        at = find(literal, end)


def _may_match(rule: Rule, text: str, at: int, end: int) -> bool:
    if rule.longest and len(text[at : at + rule.longest].split(None, 1)[0]) < rule.longest:
        return False
    return not rule.value or any(len(word) >= rule.value for word in text[end : end + 240].split())


def _over_a_gap(rule: Rule, literals: Sequence[str], sheet: Sheet) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the matches of ``rest`` before which one of the starts stands, with the start's place."""
    from bisect import bisect_left

    hay = sheet.hay(fold=rule.fold)
    match_rest: Callable[..., re.Match[str] | None] | None = None
    places = sheet.places(rule.needs, fold=rule.fold)
    if not places:
        return
    starts = sheet.places(tuple(literals), fold=rule.fold)
    reach = rule.gap + _START
    taken = 0
    for place in places:
        if place < taken:
            continue
        before = bisect_left(starts, place)
        if not before or starts[before - 1] < place - reach:
            continue  # the two words are never near here
        if match_rest is None:
            if _start_before(rule, literals, hay, place) < 0:
                continue
            match_rest = compiled(rule.rest, fold=rule.fold).match
        if match := match_rest(sheet.text, place):
            begin = _start_before(rule, literals, hay, place)
            if begin >= 0:
                yield begin, match
                taken = match.end()


def _places(literal: str, hay: str) -> Iterator[int]:
    at = hay.find(literal)
    while at >= 0:
        yield at
        at = hay.find(literal, at + 1)


def _start_before(rule: Rule, literals: Sequence[str], hay: str, place: int) -> int:
    """Return where the last start in the gap before ``place`` begins, -1 where there is none."""
    low = max(0, place - rule.gap - _START)
    window = hay[low:place]
    cut = max(map(window.rfind, rule.stops), default=-1) + 1
    if rule.between and not any(word in window for word in rule.between):
        return -1
    found = -1
    for literal in literals:
        at = window.rfind(literal, cut)
        while at > found:
            after = at + len(literal)
            end = after
            while end < len(window) and window[end].isalnum():
                end += 1
            # The gap begins behind the start's word.
            if (
                (at + low == 0 or hay[at + low - 1] not in rule.before)
                and (window[after:end] in rule.endings or not literal.isascii())
                and len(window) - end <= rule.gap
            ):
                found = at
                break
            at = window.rfind(literal, cut, at + len(literal) - 1)
    return found + low if found >= 0 else -1


def _searched(rule: Rule, text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for match in compiled(rule.rest, fold=rule.fold).finditer(text):
        yield match.start(), match
