"""A plain lexical ranking: how much of the task's wording a memory shares, rare words counting more."""

from __future__ import annotations

import math
import unicodedata

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engram.model import Memory

__all__ = ["Hit", "rank", "words"]

# Where a word stands says how much it tells about a memory.
_WEIGHTS = (("title", 3.0), ("triggers", 3.0), ("tags", 2.0), ("content", 1.0))
# A memory that shares less than this part of the task's information is no answer to it.
_FLOOR = 0.12


class Hit(Record):
    """A memory's place in the list that was ranked, and its score."""

    number: int
    score: float


def words(text: str) -> Iterator[str]:
    """Yield folded words; scripts without spaces give overlapping pairs of characters."""
    folded = unicodedata.normalize("NFC", text).casefold()
    start = -1
    for at, character in enumerate(folded + " "):
        wide = character >= "\u0e00" and not character.isspace() and _is_unspaced(character)
        if (character.isalnum() or character == "_") and not wide:
            start = at if start < 0 else start
            continue
        if start >= 0:
            yield folded[start:at]
            start = -1
        if wide:
            follower = folded[at + 1 : at + 2]
            if follower and _is_unspaced(follower):
                yield character + follower


def rank(query: str, memories: Sequence[Memory]) -> list[Hit]:
    """Return the memories that answer ``query``, best first; ties by id, so that every process agrees."""
    wanted = dict.fromkeys(words(query))
    if not wanted:
        return []
    fields = [_fields(memory) for memory in memories]
    seen: dict[str, int] = {}
    for found in fields:
        for word in wanted.keys() & found.keys():
            seen[word] = seen.get(word, 0) + 1
    weight = {word: math.log(1 + len(memories) / (1 + seen.get(word, 0))) for word in wanted}
    total = sum(weight.values())
    hits = []
    for number, found in enumerate(fields):
        score = sum(weight[word] * found[word] for word in wanted.keys() & found.keys())
        if score >= _FLOOR * total:
            hits.append(Hit(number, score))
    hits.sort(key=lambda hit: (-hit.score, memories[hit.number].id))
    return hits


def _fields(memory: Memory) -> dict[str, float]:
    best: dict[str, float] = {}
    for name, weight in _WEIGHTS:
        value = getattr(memory, name)
        for word in words(value if isinstance(value, str) else " ".join(value)):
            best[word] = max(best.get(word, 0.0), weight)
    return best


def _is_unspaced(character: str) -> bool:
    """Tell whether a character belongs to a script that is written without spaces."""
    return (
        "\u0e00" <= character <= "\u0eff"
        or "\u3040" <= character <= "\u30ff"
        or "\u3400" <= character <= "\u9fff"
        or "\U00020000" <= character <= "\U0003ffff"
    ) and character.isalnum()
