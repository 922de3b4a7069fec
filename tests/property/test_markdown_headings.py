"""Headings are those that CommonMark finds; markdown-it-py, which passes its test suite, is the judge (F5)."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import assume, example, given, reject, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engram.text.headings import find_headings

ORACLE = MarkdownIt("commonmark")


def oracle(text: str) -> list[tuple[int, int, int, str]]:
    """Return line, end, level and text of each heading outside of containers, as markdown-it-py finds them."""
    try:
        tokens = ORACLE.parse(text)
    except IndexError:  # it fails on an HTML block at the end of a list in a quote
        reject()
    found = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0:
            assert token.map is not None
            found.append((token.map[0], token.map[1], int(token.tag[1]), plain(inline.content)))
    return found


def plain(text: str) -> str:
    """Drop the blanks around each line and around the whole, of which the two keep different ones."""
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def ours(text: str) -> list[tuple[int, int, int, str]]:
    return [(h.line, h.end, h.level, plain(h.text)) for h in find_headings(text)]


def judged_well(text: str) -> bool:
    """Return whether the judge follows the specification here.

    It lets a line of four and more columns of indentation that looks like the beginning of a block end an open
    paragraph of a container, where the specification makes it a lazy continuation; commonmark.js agrees with us.
    """
    for line in text.split("\n"):
        wide = line.expandtabs(4)
        if wide.startswith("    ") and wide.lstrip()[:1] in set(">-+*0123456789#`~<=_"):
            return False
    return True


INDENTS = st.sampled_from(["", "", "", "", " ", "  ", "   ", "    ", "     ", "\t", " \t"])
MARKERS = st.sampled_from(
    ["", "", "", "- ", "-", "* ", "+   ", "-     ", "1. ", "2) ", "10.  ", "> ", ">", ">\t", "-\t", ">>"]
)
PIECES = st.sampled_from(
    [
        "", "", "", "text", "more text", "# one", "# one #  ", "## two ##", "### three #", "####### seven", "#", "## ",
        "#five", "# a \\#", "#\ttab\t#", "===", "---", "- - -", "***", "=", "-", "--", "= =", "```", "```py", "~~~",
        "````", "``` a`b", "~~~~ x", "`code`", "<div>", "</div>", "<!-- note", "-->", "<!-- a -->", "<script>",
        "</script>",
        "<pre> x", "</pre>", "<?php", "?>", "<!X", "<![CDATA[", "]]>", "<b>", "<a href='x'>", "</b> tail", "<b/>",
        "<x y=1 z='2' w>", "<notatag", "<https://example.test>", "text\\", "[a]", "é", "数字", "1986", "1) a", "_ _ _",
    ]
)  # fmt: skip
LINES = st.builds("{}{}{}{}".format, INDENTS, MARKERS, st.one_of(st.just(""), MARKERS), PIECES)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@example("- a\n\n\n  # in the item\n\n# out")
@example("-\n\n  # out of the item")
@example("> quote\nlazy\n===\n# out")
@example("> ```\n# out")
@example("- ```\n# out\n```\n# fenced")
@example("1. a\n   b\n===\n\n    code")
def test_headings_are_those_of_commonmark(text: str) -> None:
    assume(judged_well(text))
    assert ours(text) == oracle(text)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="#=-`~<>!?/ab \t\n\r[]:\\'\"1.)*+_\x0c\u2028é", max_size=80))
def test_headings_of_any_characters_are_those_of_commonmark(text: str) -> None:
    assume(judged_well(text))
    assert ours(text) == oracle(text)
