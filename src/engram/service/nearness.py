"""Which memories a candidate may be about: a cheap look at all files, so that only a few are read and judged (F20)."""

from __future__ import annotations

from engram.errors import FormatError
from engram.model import standing
from engram.portable import fold
from engram.proposals.clauses import head_text
from engram.proposals.verdicts import words_of
from engram.store.files import read_guarded
from engram.store.root import MemoryRoot, Stored, stem
from engram.text.slugs import fold_id
from engram.text.stop import stop_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["near_memories"]

# So many memories are read and judged; at 1,000 memories reading all would be most of a save's time.
_READ = 16
# Among so many the nearest are looked for by every word of their first line.
_LOOKED_AT = 64
# A verb and its forms begin alike: deploy, deploys, deployed; desplegar, despliega.
_BEGINNING = 4
_SEPARATE = {code: " " for code in range(128) if not chr(code).isalnum()}
_PLAIN_VOWELS = {ord(marked): plain for marked, plain in zip("áéíóúüñ", "aeiouun", strict=True)}


def near_memories(root: MemoryRoot, text: str, named: Collection[str]) -> list[Stored]:
    """Return the active memories that a text may repeat, contradict or extend, and those that are named.

    A duplicate holds every word of the text. Of the others those count that share beginnings of words with the text's
    first sentence, and most of all in their own first line.

    Args:
        root: where they are.
        text: the candidate's text.
        named: ids of memories that are read in any case, folded as in F11.
    """
    every = words_of(text)
    first = words_of(head_text(text))
    said = {word for word in first - stop_words(first) if len(word) > 1 or not word.isascii()} or first
    beginnings = {word.translate(_PLAIN_VOWELS)[:_BEGINNING] for word in said}
    least = -(-len(beginnings) // 3)
    chosen: list[str] = []
    near: list[tuple[int, int, str, str]] = []
    owners: dict[str, str] = {}
    shared: set[str] = set()
    for path in root.active_paths():
        if owners.setdefault(folded := fold_id(stem(path)), path) != path:
            shared.add(folded)
        try:
            data = read_guarded(root.path, path)
        except (OSError, FormatError):
            continue
        body = _folded(data.partition(b"\n---")[2])
        if folded in named or every <= _words(body):
            chosen.append(path)
            continue
        plain = body if body.isascii() else body.translate(_PLAIN_VOWELS)
        common = sum(beginning in plain for beginning in beginnings)
        if common >= least:
            line = _first_line(plain)
            near.append((-common - 2 * sum(beginning in line for beginning in beginnings), len(line), path, line))
    near.sort()
    closest = sorted(near[:_LOOKED_AT], key=lambda one: (one[0], -_likeness(first, one[3]), one[2]))
    found = []
    for path in [*chosen, *(path for _, _, path, _ in closest[:_READ])]:
        if (folded := fold_id(stem(path))) in shared and root.find(folded) != path:
            continue  # another file of this id is served: what this one says is nobody's memory
        stored = root.read(path)
        if isinstance(stored, Stored) and standing(stored.memory) != "superseded":
            found.append(stored)
    return found


def _folded(data: bytes) -> str:
    if data.isascii():
        return data.decode("ascii").lower()
    return fold(data.decode("utf-8", "replace"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.translate(_SEPARATE).split()) if text.isascii() else words_of(text)


def _first_line(body: str) -> str:
    """Return the first line of the content, or of whatever stands below the title."""
    _, section, content = body.partition("\n## content")
    if not section:
        content = body.partition("\n# ")[2] or body
    return next((line for line in content.split("\n")[1:] if line.strip()), "")


def _likeness(words: frozenset[str], line: str) -> float:
    own = _words(line)
    return len(words & own) / (len(words) + len(own) or 1)
