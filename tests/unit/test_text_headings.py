"""Headings by hand: what makes a section of a memory, and what only looks like one (F5)."""

from __future__ import annotations

import pytest

from engram.text.headings import Heading, find_headings
from engram.text.lines import lines_with_ends, split_lines


def texts(markdown: str) -> list[str]:
    return [heading.text for heading in find_headings(markdown)]


@pytest.mark.parametrize(
    "markdown",
    [
        "```\n## Origin\n```",
        "~~~~\n## Origin\n~~~\n## Origin\n",
        "```\n## Origin\n``` not closed\n## Origin",
        "    ## Origin",
        "\t## Origin",
        "- item\n\n  ## Origin",
        "1.  item\n\n    ## Origin\n\n    Origin\n    ---",
        "> ## Origin",
        "<!--\n## Origin\n\n## Origin\n",
        "<div>\n## Origin\n</div>",
        "<script>\n\n## Origin\n\n</script>",
        "<?php\n\n## Origin\n\n?>",
        "<custom-tag a='1' b>\n## Origin",
        "#Origin",
        "####### Origin",
        "\\## Origin",
        "[a]: /b\n---",
        "> quote\n===",
        "- - item\n    ## Origin",
    ],
)
def test_what_only_looks_like_a_heading_is_none(markdown: str) -> None:
    assert texts(markdown) == []


@pytest.mark.parametrize(
    "markdown",
    [
        "## Origin",
        "   ##\tOrigin\t##",
        "## Origin ####  ",
        "text\n## Origin",
        "- item\n## Origin",
        "- ```\n## Origin",
        "> ```\n## Origin",
        "> <!--\n## Origin",
        "-\n\n  ## Origin",
        "<div>\n\n## Origin",
        "<!-- a --> b\n## Origin",
        "Origin\n------",
        "  Origin  \n   =\t",
        "[a]: /b\nOrigin\n---",
        "[a]:\n /b\n 'c'\nOrigin\n---",
        "``` a`b\n## Origin",
        "a\n\n\n    ## code\n\n## Origin",
        "a\r\n## Origin\r\nb",
        "a\r## Origin\rb",
        "- a\n\n b\n## Origin",
    ],
)
def test_a_heading_is_found(markdown: str) -> None:
    assert texts(markdown) == ["Origin"]


def test_a_heading_knows_its_lines() -> None:
    assert find_headings("a\nb\n===\n\n# c\n") == [Heading(0, 3, 1, "a\nb"), Heading(4, 5, 1, "c")]


def test_a_closing_run_counts_only_after_a_blank() -> None:  # F5
    assert texts("# C#\n# C #\n# C \\#\n# #\n# ## #") == ["C#", "C", "C \\#", "", "##"]


def test_code_below_a_list_item_with_deep_indentation_is_part_of_it() -> None:
    assert texts("10. a\n\n    ```\n    # x\n    ```\n\n    # y\n\n# z") == ["z"]


def test_blank_lines_do_not_end_a_list_item() -> None:
    assert texts("- a\n\n\n\n  # in\n\n# out") == ["out"]


def test_other_line_separators_are_part_of_their_line() -> None:
    assert texts("a\u2028## x\x0c## y\x85## z") == []


def test_absurd_nesting_takes_no_absurd_time() -> None:
    assert texts("> " + "- " * 60_000 + "\n>" * 60_000 + "\n\n# end") == ["end"]


def test_lines_split_and_join() -> None:
    text = "a\r\nb\rc\n\n\u2028\x85d"
    assert "".join(lines_with_ends(text)) == text
    assert split_lines(text) == ["a", "b", "c", "", "\u2028\x85d"]
    assert lines_with_ends("") == []
