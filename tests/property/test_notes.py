"""Any text that is noted comes back, whatever it holds; proposing what a plan says gives the plan again (C54, C55)."""

from __future__ import annotations

import os
import tempfile

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engram.config.author import Author
from engram.errors import SafetyError
from engram.markdown.passages import content_text
from engram.notes.note import ended_at_sight, folded, has_ended, last_day, new_note, read_note, renewed
from engram.service.notebook import list_notes
from engram.service.noting import propose_note, write_note
from engram.service.session import Session
from engram.text.slugs import has_words

ADA = Author("Ada", "ada@example.test", "environment")
LINES = st.sampled_from(
    ["## Origin", "# Title", "---", "```", "<!--", "- a", "  b", "1. d", "    code", "", "text", "用户身份。", "Đừng",
     "valid_until: 2000-01-01", "tier: durable", "'x': [y]", "ghp_" + "aB3dE6gH9jK2" * 3, "AKIA" + "Z7QW3ERT5YU2IOPA",
     "mail ada@example.net", "Never push.", "x://a:" + "b1c2d3@h", "[redacted: secret/x]", "a\r## b"]
)  # fmt: skip
PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
TEXTS = st.lists(LINES, max_size=6).map("\n".join) | PLAIN
DAYS = st.dates().map(lambda date: date.isoformat())


def stored(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


@given(TEXTS, PLAIN, DAYS, st.integers(1, 365), DAYS)
def test_the_file_of_a_note_gives_text_objective_and_last_day_back(
    text: str, objective: str, day: str, days: int, now: str
) -> None:
    try:
        until = last_day(day, days)
    except OverflowError:
        assume(False)
    aim = " ".join(objective.split())
    data = new_note(
        "a", "rule", "workspace", title="T", text=text, objective=aim, day=day, until=until, author=ADA
    )  # fmt: skip
    note = read_note(data, path="working/a.md", scope="global")
    assert content_text(note.memory.content) == stored(text)
    assert (note.objective, note.memory.valid_until, note.memory.scope) == (aim, until, "global")
    assert (note.memory.source, note.memory.authority) == ("note", "reference")
    assert ended_at_sight(data, now) == has_ended(note, now)
    later = renewed(data, "working/a.md", kind="skill", objective="b", day=until, until="9999-12-31")
    again = read_note(later, path="working/a.md", scope="global")
    assert again.memory.content == note.memory.content
    assert (again.objective, again.memory.type, again.memory.revision) == ("b", "skill", 2)


@given(PLAIN)
def test_objectives_are_compared_folded(objective: str) -> None:
    assert folded(folded(objective)) == folded(objective)
    assert folded(f" {objective.upper().lower()}\t") == folded(objective.upper().lower())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS.filter(has_words), PLAIN)
def test_what_is_kept_is_what_was_shown_and_reads_back(text: str, objective: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "project", ".agents", ".engram"))
        environ = {
            "HOME": folder, "ENGRAM_CONFIG_DIR": os.path.join(folder, "config"), "ENGRAM_TRUST": "1",
            "ENGRAM_AUTHOR_NAME": "Ada", "ENGRAM_AUTHOR_EMAIL": "ada@example.test",
        }  # fmt: skip
        session = Session(os.path.join(folder, "project"), environ)
        try:
            plan = propose_note(session, text, objective=objective)
        except SafetyError:
            return  # hidden characters, among others: tests/unit/test_safety_* say what is refused
        # What an approval keeps and proposes again, perhaps tomorrow, is what was approved.
        same = propose_note(
            session, plan.text, objective=plan.objective, kind=plan.type, scope=plan.scope, day=plan.day
        )
        assert (same.effect, same.preview) == (plan.effect, plan.preview)
        receipt = write_note(session, plan, "pipe")
        with open(receipt.file, "rb") as file:
            assert file.read() == plan.write.data
        (entry,), skipped = list_notes(session)
        assert skipped == []
        assert content_text(entry.memory.content) == stored(plan.text)
        assert entry.objective == plan.objective
        assert not propose_note(session, text, objective=objective).changes
