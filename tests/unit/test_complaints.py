"""Each kind of complaint has one file of acceptance tests, and each of its lines a test there that names it."""

from __future__ import annotations

import os
import re

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPLAINTS = os.path.join(os.path.dirname(ROOT), "shared", "cases", "complaints.md")
FILES = {
    "A": "test_approval.py",
    "B": "test_claimed_success.py",
    "C": "test_poison.py",
    "E": "test_locks.py",
    "F": "test_start.py",
    "G": "test_tokens.py",
    "H": "test_finding.py",
    "I": "test_stale.py",
    "J": "test_identity.py",
    "K": "test_files.py",
}
LATER = {"D1", "D2", "J2"}


@pytest.mark.skipif(not os.path.exists(COMPLAINTS), reason="the kinds of complaint stand in ../shared")
def test_every_line_of_the_complaints_has_a_test_in_the_file_of_its_kind() -> None:
    with open(COMPLAINTS, encoding="utf-8") as file:
        lines = set(re.findall(r"^- ([A-K]\d)\b", file.read(), re.MULTILINE))
    held = set()
    for kind, name in FILES.items():
        with open(os.path.join(ROOT, "tests", "acceptance", name), encoding="utf-8") as file:
            text = file.read()
        assert text.startswith(f'"""{kind}: '), f"{name} does not say its kind"
        tests = re.findall(rf"^def test_[^#]*?->\s*None:\s*#([^\n]*\b{kind}\d\b[^\n]*)", text, re.MULTILINE)
        held |= {line for note in tests for line in re.findall(rf"\b{kind}\d\b", note)}
    assert held == lines - LATER
