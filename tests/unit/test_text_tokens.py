"""The token estimate: high enough for every language, the same everywhere."""

from __future__ import annotations

import pytest

from engram.text.tokens import estimate_tokens


# Ranges and no measured counts: a token is some four letters of English, fewer of other languages, and about one
# character of Chinese or Japanese.
@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("The quick brown fox jumps over the lazy dog.", 10, 13),
        ("La configuración del servidor está en otro archivo.", 11, 18),
        ("价格以分为单位存储，不要使用浮点数。", 14, 20),
        ("Привет, как дела?", 6, 14),
        ("    if (x >= 10 && y[i] != null) { return foo_bar(x); }", 18, 32),
        ("2026-05-11T09:12:44.120Z", 12, 20),
        ("getUserIdentityFromToken", 5, 8),
        ("\n\n\n", 1, 3),
        (" ", 1, 1),
    ],
)
def test_the_estimate_is_near(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


def test_more_text_never_costs_less() -> None:
    text = "Use pnpm 9.1, señor; 用户 says: don't `npm install`!\n\tok 🎉"
    counts = [estimate_tokens(text[:end]) for end in range(len(text) + 1)]
    assert counts == sorted(counts)
