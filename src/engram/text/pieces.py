"""Text to the pieces of a subword vocabulary (byte-pair encoding), as the vocabulary's own tokenizer splits it.

The vocabulary is one in which words begin with ``▁`` and no piece goes on beyond a word, so that each word is split by
itself. White space counts as one blank, and markers such as ``<s>`` are text like any other: what a memory holds must
not become a command to anything.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["LONGEST_PIECE", "byte_pieces", "chunks", "merge", "substrings"]

WORD_START = "▁"
# No piece of the vocabulary is longer, in characters.
LONGEST_PIECE = 16
# A run of characters that could join is cut at this length: base64 says nothing, and merging takes quadratic time.
_LONGEST_CHUNK = 128
_NEVER = 1 << 62


def chunks(word: str, joints: Collection[str]) -> list[str]:
    """Cut a word (without white space) into runs that are split independently of each other.

    Args:
        word: the word, without its ``▁``.
        joints: every pair of characters that stands inside some piece; no piece reaches over any other pair.
    """
    text = WORD_START + word.replace(WORD_START, "")
    found = []
    start = 0
    for at in range(1, len(text)):
        if text[at - 1 : at + 1] not in joints or at - start == _LONGEST_CHUNK:
            found.append(text[start:at])
            start = at
    found.append(text[start:])
    return found


def substrings(chunk: str) -> set[str]:
    """Return everything in a chunk that could be a piece."""
    size = len(chunk)
    return {chunk[start:end] for start in range(size) for end in range(start + 1, min(size, start + LONGEST_PIECE) + 1)}


def merge(chunk: str, order: Mapping[str, int]) -> list[str]:
    """Split a chunk into pieces: of the neighbours that can be joined those go first whose piece comes first.

    Args:
        chunk: one of ``chunks``.
        order: the place of each piece in the vocabulary's order of merges. Characters that are missing stay single.
    """
    parts = list(chunk)
    ranks = [order.get(left + right, _NEVER) for left, right in pairwise(parts)]
    while ranks and (best := min(ranks)) < _NEVER:
        at = ranks.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at:
            ranks[at - 1] = order.get(parts[at - 1] + parts[at], _NEVER)
        if at < len(ranks):
            ranks[at] = order.get(parts[at] + parts[at + 1], _NEVER)
    return parts


def byte_pieces(char: str) -> list[str]:
    """Return the pieces for a character that the vocabulary does not have: one for each byte of its UTF-8."""
    return [f"<0x{byte:02X}>" for byte in char.encode("utf-8")]
