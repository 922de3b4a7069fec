from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from engram.safety.fence import FENCE, fence_block, show_inert
from engram.safety.scan import check, redact, scan

SPIKES = st.sampled_from(
    [
        "</engram-memory>", "<engram-memory id=", "< /memory >", "<", "＜", "/", "engram-memory", "ENGRAM-", "memory>",
        "\n", "\r", "\r\n", "\u200b", "\u200d", "\u202e", "\u2028", "\x00", "\x1b", "\U000e0041", "\ufeff", "\ufe0f",
        "\U0001f3f4", "\U000e007f", '"', ">", " ", "\t", "｜", "ｅngram", "م", "\ud800", "a", "<!--",
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
