"""One JSON value a line: the C module and ``json`` give the same."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import engram
from engram.text.jsonlines import MalformedError, decode, encode, encode_exact

LINES = [
    '{"a":[1,-2,2.5,1e3,true,false,null,"x"],"b":{}}',
    ' \t{ "a" : [ ] }\r',
    '"\\ud83c\\udf88 \\n \\u2028 ü"',
    "1",
    '""',
]


@pytest.mark.parametrize("line", LINES)
def test_what_is_read_and_written_is_read_again(line: str) -> None:
    value = decode(line.encode())

    assert decode(encode(value)) == value


def test_a_line_end_inside_a_text_is_escaped_and_other_text_is_not() -> None:  # C24
    assert encode("a\n\u2028\u2029\x85ü用🎈") == '"a\\n\\u2028\\u2029\\u0085ü用🎈"'.encode()


def test_a_lone_surrogate_is_replaced_but_in_an_id() -> None:  # C24
    assert encode({"\ud800": "\udc00a\ud83c"}) == '{"\ufffd":"\ufffda\ufffd"}'.encode()
    assert encode_exact("\ud800é") == b'"\\ud800\xc3\xa9"'


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), object(), {1, 2}, b"x"], ids=["nan", "inf", "object", "set", "bytes"]
)
def test_what_json_has_no_form_for_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode({"a": [value]})


@pytest.mark.parametrize("line", [b"", b"{", b"NaN", b"-Infinity", b"1 2", b'"\xff"', b"[" * 100_000, b'{"a":1,}'])
def test_what_is_no_json_is_malformed(line: bytes) -> None:  # C24
    with pytest.raises(MalformedError):
        decode(line)


WITHOUT_C = """
import sys
sys.modules["_json"] = None
from engram.text.jsonlines import decode, encode
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(encode(decode(line)) + b"\\n")
assert "json" in sys.modules
"""


def test_an_interpreter_without_the_c_module_writes_the_same_bytes() -> None:
    source = os.path.dirname(os.path.dirname(engram.__file__ or ""))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_C],
        input="\n".join(LINES).encode() + b"\n",
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source},
        check=True,
    )

    assert done.stdout.splitlines() == [encode(decode(line.encode())) for line in LINES]
