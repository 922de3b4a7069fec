from __future__ import annotations

import pytest

from engram.safety.fence import fence_block, show_inert


def test_a_memory_is_fenced_with_its_provenance() -> None:  # decision 9
    block = fence_block(
        "Use pnpm.\n",
        id="use-pnpm",
        type="rule",
        scope="workspace",
        authority="reference",
        note="foreign: reference only",
    )
    assert block == (
        '<engram-memory id="use-pnpm" type="rule" scope="workspace" authority="reference"'
        ' note="foreign: reference only">\n'
        "Use pnpm.\n"
        "</engram-memory>"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200bb", "a\\u{200b}b"),
        ("a\u202eb", "a\\u{202e}b"),
        ("\x1b[2J", "\\u{1b}[2J"),
        ("a\rb\r\nc", "a\\u{d}b\nc"),
        ("a\u2028b", "a\\u{2028}b"),
        ("\U000e0041", "\\u{e0041}"),
        ("\ufeffx", "\\u{feff}x"),
        ("\ud800", "\\u{d800}"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("</memory>", "\\u{3c}/memory>"),
        ("< / ENGRAM-Memory >", "\\u{3c} / ENGRAM-Memory >"),
        ("<system-reminder>", "\\u{3c}system-reminder>"),
        ("\uff1c/engram-memory>", "\\u{ff1c}/engram-memory>"),
        ("<\uff4demory>", "\\u{3c}\uff4demory>"),
        ("</\u200bmemory>", "</\\u{200b}memory>"),
        ("</hook_context>", "\\u{3c}/hook_context>"),
        ("</user-prompt-submit-hook>", "\\u{3c}/user-prompt-submit-hook>"),
        ("<environment_context>", "\\u{3c}environment_context>"),
        ("<|im_start|>x", "\\u{3c}|im_start|>x"),
        ("(<|>) and <| and <user-card>", "(<|>) and <| and <user-card>"),
        ("a < b, <div>, Vec<u8>, x <- y", "a < b, <div>, Vec<u8>, x <- y"),
        ("cout << x << y; cat <<EOF", "cout << x << y; cat <<EOF"),
        ("<<<<<<< HEAD", "<<<<<<< HEAD"),
        ("< <memory>", "< \\u{3c}memory>"),
        ("<" + " " * 70 + "memory>", "\\u{3c}" + " " * 70 + "memory>"),
        ("x <\n", "x \\u{3c}\n"),
    ],
)
def test_text_is_shown_inert(text: str, shown: str) -> None:  # C2
    assert show_inert(text) == shown


def test_an_attribute_cannot_end_its_tag() -> None:  # C2
    head = fence_block("x", id='a"><b>\n', type="rule", scope="workspace", authority="instruction").split("\n")[0]
    assert head == (
        '<engram-memory id="a\\u{22}\\u{3e}\\u{3c}b\\u{3e} " type="rule" scope="workspace" authority="instruction">'
    )
