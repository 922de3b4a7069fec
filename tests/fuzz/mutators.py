"""Broken input, made from good input: the same random numbers give the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

# What readers of text stumble over, whatever the text is.
_TRAPS = [
    b"", b"\0", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xe2\x80\x8b", b"\xf3\xa0\x81\x81", b"\x0c", b"\x0b", b"\x1b[31m",
    b"\x7f", "用户".encode(), "é".encode(), "e\u0301".encode(), "\u0130".encode(), "\uff1a".encode(), b"0", b"-1",
    b"1e999", b"9" * 5000, b"null", b"true", b"NaN", b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b"|", b":", b",", b"#",
    b"//", b"/*", b"*/", b"<!--", b"-->", b"---", b"```", b"../", b"CON",
]  # fmt: skip
_MOST = 64 * 1024  # bytes: larger ones are a matter of the limits, which have tests of their own


class Mutator:
    """Makes input.

    Args:
        rng: where every choice comes from.
        seeds: good input.
        words: pieces that this input is made of.
        lines: whole lines that this input is made of.
    """

    def __init__(
        self, rng: random.Random, seeds: Sequence[bytes], words: Sequence[bytes], lines: Sequence[bytes] = ()
    ) -> None:
        self._rng = rng
        self._seeds = seeds
        self._words = [*words, *words, *_TRAPS]
        self._lines = lines or words
        self._changes: list[Callable[[bytes], bytes]] = [
            self._replace, self._replace, self._remove, self._insert, self._insert, self._flip, self._repeat,
            self._move_line, self._take_line, self._put_line, self._put_line, self._double_line, self._splice,
            self._cut, self._nest,
        ]  # fmt: skip

    def input(self) -> bytes:
        """Return an input: a good one that was changed a few times, or one of lines put together at random."""
        if self._rng.random() < 0.3:
            count = self._rng.randint(0, 12)
            data = b"\n".join(self._rng.choice(self._lines) for _ in range(count))
        else:
            data = self._rng.choice(self._seeds)
        for _ in range(self._rng.choice([0, 1, 1, 1, 2, 2, 3, 5, 9])):
            data = self._rng.choice(self._changes)(data)[:_MOST]
        return data

    def _span(self, data: bytes) -> tuple[int, int]:
        start = self._rng.randint(0, len(data))
        return start, min(len(data), start + int(self._rng.expovariate(0.2)))

    def _replace(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + self._rng.choice(self._words) + data[end:]

    def _insert(self, data: bytes) -> bytes:
        start, _ = self._span(data)
        return data[:start] + self._rng.choice(self._words) + data[start:]

    def _remove(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + data[end:]

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return data
        at = self._rng.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << self._rng.randrange(8)]) + data[at + 1 :]

    def _repeat(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + data[start:end] * self._rng.choice([2, 3, 50, 2000]) + data[end:]

    def _nest(self, data: bytes) -> bytes:
        start, end = self._span(data)
        left, right = self._rng.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"> ", b""), (b"- ", b""), (b"  ", b"")])
        times = self._rng.choice([1, 2, 40, 3000])
        return data[:start] + left * times + data[start:end] + right * times + data[end:]

    def _cut(self, data: bytes) -> bytes:
        return data[: self._rng.randint(0, len(data))]

    def _splice(self, data: bytes) -> bytes:
        start, _ = self._span(data)
        other = self._rng.choice(self._seeds)
        return data[:start] + other[self._rng.randint(0, len(other)) :]

    def _move_line(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        line = lines.pop(self._rng.randrange(len(lines)))
        lines.insert(self._rng.randint(0, len(lines)), line)
        return b"\n".join(lines)

    def _take_line(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        del lines[self._rng.randrange(len(lines))]
        return b"\n".join(lines)

    def _put_line(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        lines.insert(self._rng.randint(0, len(lines)), self._rng.choice(self._lines))
        return b"\n".join(lines)

    def _double_line(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        line = self._rng.choice(lines)
        lines.insert(self._rng.randint(0, len(lines)), line)
        return b"\n".join(lines)


def smaller(data: bytes, fails: Callable[[bytes], bool], tries: int = 2000) -> bytes:
    """Return a part of the input that still fails, found by leaving out lines, then bytes."""
    for joint in (b"\n", b""):
        size = max(1, len(data.split(b"\n") if joint else data) // 2)
        while size:
            at = 0
            while True:
                parts = data.split(b"\n") if joint else [data[n : n + 1] for n in range(len(data))]
                if at >= len(parts) or not tries:
                    break
                tries -= 1
                less = joint.join([*parts[:at], *parts[at + size :]])
                if fails(less):
                    data = less
                else:
                    at += size
            size //= 2
    return data
