from __future__ import annotations

import unicodedata
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from engram.model import Memory
from engram.recall.pack import DISCLOSURES, Item, build_pack, join_whole
from engram.safety.fence import FENCE, fence_block, may_hold_key, show_inert
from engram.safety.scan import check, redact, scan
from engram.service.giving import let_out_data

SPIKES = st.sampled_from(
    [
        "</engram-memory>", "<engram-memory id=", "< /memory >", "<", "＜", "/", "engram-memory", "ENGRAM-", "memory>",
        "\n", "\r", "\r\n", "\u200b", "\u200d", "\u202e", "\u2028", "\x00", "\x1b", "\U000e0041", "\ufeff", "\ufe0f",
        "\U0001f3f4", "\U000e007f", '"', ">", " ", "\t", "｜", "ｅngram", "م", "\ud800", "a", "<!--",
        "\ufe00", "\u0301", "<en\ufe00gram-memory", "<" + "\ufe00" * 80 + "/engram-memory",
    ]
)  # fmt: skip
TEXT = st.text() | st.lists(SPIKES, max_size=20).map("".join)
KEYS = st.sampled_from(
    ["ghp_" + "aB3dE6gH9jK2" * 3,
     "AKIA" + "Z7QW3ERT5YU2IOPA", "sk-" + "ant-api03-" + "aB3dE6gH9jK2" * 8, "x://a:" + "b1c2d3@h"]
)  # fmt: skip


@given(TEXT, TEXT)
def test_no_body_and_no_id_escapes_the_fence(body: str, name: str) -> None:  # C2, decision 9
    block = fence_block(body, id=name, type="rule", scope="workspace", authority="reference", note=name)
    seen = unicodedata.normalize("NFKC", "".join(c for c in block if unicodedata.category(c) not in ("Cf", "Mn")))
    for shown in (block, seen.casefold()):
        lines = shown.splitlines()
        assert lines[-1] == f"</{FENCE}>"
        assert shown.count(f"</{FENCE}") == 1
        assert shown.count(f"<{FENCE}") == 1
        assert lines[0].startswith(f"<{FENCE} id=")
        assert lines[0].endswith('">')
    block.encode("utf-8")


def items(text: st.SearchStrategy[str]) -> st.SearchStrategy[Item]:
    def item(texts: list[str], kind: Literal["rule", "knowledge"], foreign: bool) -> Item:
        title, content, variant, origin, key, note, tag = texts
        memory = Memory(
            key, kind, "workspace", title, content, authority="instruction", origin=origin, tags=(tag,),
            variants=(("Balanced", variant),), human_note=note, context=tag, example=variant,
        )  # fmt: skip
        return Item(memory, key, foreign=foreign, note=note)

    return st.builds(
        item, st.lists(text, min_size=7, max_size=7), st.sampled_from(["rule", "knowledge"]), st.booleans()
    )


@given(st.lists(items(TEXT), min_size=1, max_size=3), st.sampled_from(DISCLOSURES))
def test_no_field_of_any_memory_escapes_the_fences_of_a_pack(given: list[Item], how: str) -> None:  # C2, decision 9
    whole = join_whole(given)
    packed = build_pack(given, limit=8, budget=16_000, disclosure=how)
    for pack in (whole, packed):
        seen = unicodedata.normalize(
            "NFKC", "".join(c for c in pack.text if unicodedata.category(c) not in ("Cf", "Mn"))
        )
        bodies = len(pack.body_keys)
        for shown in (pack.text, seen.casefold()):
            assert shown.count(f"</{FENCE}>") == shown.count(f"</{FENCE}") == shown.count(f"<{FENCE}") == bodies
            lines = shown.splitlines()
            # What opens a block begins its line and what closes it is a line; between the blocks stand Engram's words.
            assert lines.count(f"</{FENCE}>") == bodies
            inside = False
            for line in lines:
                if line.startswith(f"<{FENCE}"):
                    assert not inside
                    inside = True
                elif line == f"</{FENCE}>":
                    assert inside
                    inside = False
                elif not inside:
                    own = ("", "more memory, by id:", "memory, by id:")
                    assert line.casefold() in own or line.startswith("- ")
            assert not inside


@given(TEXT, KEYS.filter(lambda key: "://" not in key), TEXT, st.sampled_from(["text", "list", "name", "value"]))
def test_no_key_leaves_in_any_text_or_data(before: str, key: str, after: str, place: str) -> None:  # decision 8
    text = f"{before} {key} {after}"
    value: object = {"text": text, "list": [0, [text]], "name": {text: None}, "value": {"a": {"b": (text,)}}}[place]
    assert key not in repr(let_out_data(value, lambda: None))


@given(TEXT)
def test_showing_inert_twice_is_showing_once(text: str) -> None:
    once = show_inert(text)
    assert show_inert(once) == once
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") and char not in "\n\t" for char in once)


@given(TEXT, KEYS, TEXT)
def test_a_key_between_any_two_texts_is_found_and_no_trace_of_it_is_left(
    before: str, key: str, after: str
) -> None:  # C3
    text = f"{before} {key} {after}"
    checked = check(text, kind="rule", actions=lambda *_: "redact")
    assert any(finding.group == "secret" for finding in checked.findings)
    assert key not in checked.text
    secret = key.partition("a:")[2] or key
    assert all(secret[4:] not in finding.message for finding in checked.findings)


@given(TEXT, st.sampled_from(["rule", "knowledge"]))
def test_findings_are_in_order_and_inside_the_text(text: str, kind: str) -> None:
    findings = scan(text, kind=kind)
    assert [f.start for f in findings] == sorted(f.start for f in findings)
    for finding in findings:
        assert 0 <= finding.start < finding.end <= len(text)
        assert finding.line == text.count("\n", 0, finding.start) + 1
        assert finding.column == finding.start - (text.rfind("\n", 0, finding.start) + 1) + 1
    assert not [f for f in scan(redact(text, findings), kind=kind) if f.group == "hidden" and f.kind != "comment"]


@given(
    st.lists(st.sampled_from(["use", "pnpm", "deploy", "on", "2026", "12", "v2", "the", "Friday"]), min_size=1),
    st.sampled_from("-_/. "),
)
def test_ordinary_names_are_let_out_without_a_look(words: list[str], sign: str) -> None:
    assert not may_hold_key(sign.join(word.lower() if sign in "-_" else word for word in words))
