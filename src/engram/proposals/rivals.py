"""Candidates of one proposal side by side: two that contradict or repeat each other are not both new (C39, F20).

A verdict comes from the memory alone (F20), so two candidates that no memory has yet are both an ADD. What they are to
each other is said beside the verdict, and the later one waits where the earlier one is written.
"""

from __future__ import annotations

from engram.proposals.verdicts import normalise
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.proposals.candidates import Candidate
    from engram.proposals.subjects import Text

__all__ = ["Earlier", "Rival"]


_SAYS = {
    "conflict": "contradicts",
    "more": "says more than",
    "same": "says the same as",
    "doubt": "may be about the same as",
}


class Rival(Record):
    """An earlier candidate that a later one cannot stand beside unseen.

    Attributes:
        number: of the earlier one.
        id: of the memory that it makes or changes.
        says: what the later one does to it: ``contradicts`` and the like, to stand behind "it".
        clash: both change one memory, so that only one of them can be written as it was shown.
    """

    number: int
    id: str
    says: str
    clash: bool = False

    @property
    def sentence(self) -> str:
        """What the later candidate is to the earlier one, for a person."""
        return f"it {self.says} candidate {self.number} ({self.id})"


class Earlier:
    """The candidates of one proposal, so far, that would write something in one scope."""

    def __init__(self) -> None:
        # Number, id, text, and the text as it is compared word for word.
        self._known: list[tuple[int, str, str, str]] = []
        self._texts: dict[str, Text] = {}

    def add(self, number: int, memory_id: str, candidate: Candidate) -> None:
        """Take in a candidate that would write the memory ``memory_id``; the next ones are compared with it."""
        self._known.append((number, memory_id, candidate.text, normalise(candidate.text)))

    def rivals(self, candidate: Candidate) -> tuple[Rival, ...]:
        """Return the earlier candidates that this one contradicts, repeats, extends, or may be about, in order."""
        wanted = normalise(candidate.text)
        found = []
        for number, memory_id, text, plain in self._known:
            if plain == wanted:
                found.append(Rival(number, memory_id, _SAYS["same"]))
                continue
            finding = self._text(candidate.text).beside(self._text(text))
            says = "contradicts one line of" if finding.what == "line" else _SAYS.get(finding.kind, "")
            if says:
                found.append(Rival(number, memory_id, says))
        return tuple(found)

    def _text(self, text: str) -> Text:
        # Most proposals hold one candidate, and one alone needs no table of words.
        from engram.proposals.subjects import Text

        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = Text(text)
        return known
