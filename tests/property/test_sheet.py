"""A candidate that a person edits reads back the same, and a folded line gives nothing away at the left edge (C42)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.cli.screen import cut, fold_marked, fold_own
from engram.errors import UsageError
from engram.proposals.candidates import Candidate
from engram.proposals.sheet import candidate_of_sheet, sheet_of

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)
SHOWN = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=300)


def settled(text: str) -> str:
    """Return a text as a sheet keeps it: line ends as LF, no blanks around it, nothing on blank lines."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")
    return "\n".join([lines[0].rstrip(), *(line if line.strip() else "" for line in lines[1:])])


@given(text=TEXT.map(settled).filter(bool), title=TEXT.map(settled), words=st.lists(WORD, unique=True, max_size=4))
def test_a_candidate_survives_its_sheet(text: str, title: str, words: list[str]) -> None:
    candidate = Candidate(type="rule", text=text, title=title, triggers=tuple(words), scope="both", light=text)
    read = candidate_of_sheet("# A comment.\n" + sheet_of(candidate))
    assert settled(read.text) == settled(text)
    assert settled(read.title) == settled(title)
    assert (read.triggers, read.scope, read.type) == (tuple(words), "both", "rule")


@given(text=TEXT)
def test_any_text_is_a_sheet_or_an_error_with_its_line(text: str) -> None:
    line = 1
    try:
        candidate_of_sheet(text)
    except UsageError as error:
        line = error.line
    assert line >= 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("TEXT: a\nTEXT: b", "stands there twice"),
        ("  TEXT: a", "no field comes before it"),
        ("TYPE: rule\nfoo", "a field is one of"),
        ("TYPE: rule", "no TEXT"),
        ("TYPE: poem\nTEXT: a", "TYPE is one of"),
        ("TEXT: a\nUPDATE: ../x", "takes the id of a memory"),
    ],
)
def test_what_is_wrong_with_a_sheet_is_said(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        candidate_of_sheet(text)


@given(line=SHOWN, mark=st.sampled_from("+- |@"), width=st.integers(40, 120))
def test_every_piece_of_a_folded_line_begins_with_its_mark_and_nothing_is_lost(
    line: str, mark: str, width: int
) -> None:
    first, *rest = fold_marked(mark + line, width)
    assert all(piece.startswith(mark) for piece in (first, *rest))
    assert all(len(piece) < width for piece in (first, *rest))
    assert first[1:] + "".join(piece[3:] for piece in rest) == line
    assert fold_marked(mark + line, 0) == [mark + line]


@given(line=SHOWN, width=st.integers(40, 120))
def test_a_folded_line_of_our_own_goes_on_indented(line: str, width: int) -> None:
    first, *rest = fold_own(line, width)
    assert all(piece.startswith("  ") for piece in rest)
    assert all(len(piece) < width for piece in (first, *rest))
    assert "".join((first, *rest)).replace(" ", "") == line.replace(" ", "")


@given(text=SHOWN, width=st.integers(40, 120))
def test_a_cut_text_fits_and_says_that_it_is_cut(text: str, width: int) -> None:
    shown = cut(text, width)
    assert len(shown) < width
    assert shown == text or shown.endswith("…")
    assert cut(text, 0) == text
