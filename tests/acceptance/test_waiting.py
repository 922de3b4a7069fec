"""`engram review` lists what waits for a human (A4, C39, C58, F13, F18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Runner

NEAR = "TYPE: rule | TEXT: Use pnpm for every install."


def test_what_was_deferred_is_shown_with_its_reason(engram: Runner) -> None:  # C39
    engram.ok("inject")
    engram.ok("save", "rule", "Use pnpm for every install.", input="A\n")
    assert "Nothing waits." in engram.ok("review")
    engram.ok("save-session", "--file", "-", "--force", input=NEAR)
    text = engram.ok("review")
    assert "Candidates that were not saved:" in text
    assert "says the same" in text
    assert "    | Use pnpm for every install." in text
    assert "engram show use-pnpm-for-every-install" in text
    assert engram.json("review")["data"]["items"][0]["kind"] == "deferred"


def test_memory_that_needs_a_look_is_named_with_the_command(engram: Runner) -> None:  # F13, F18
    engram.ok("inject")
    engram.ok("save", "rule", "Use pnpm for every install.", input="A\n")
    engram.ok("trust", "--revoke")
    assert "engram trust" in engram.ok("review")


def test_without_memory_it_says_how_to_start(engram: Runner) -> None:
    done = engram.run("review")
    assert done.returncode == 7
    assert "engram inject" in done.stderr


def test_status_and_the_bare_command_name_what_waits(engram: Runner) -> None:  # A4
    engram.ok("inject")
    engram.ok("save", "rule", "Use pnpm for every install.", input="A\n")
    assert "inbox" not in engram.ok("status")
    engram.ok("save-session", "--file", "-", "--force", input=NEAR)
    assert "1 deferred candidate in the inbox: engram review" in engram.ok("status")
    assert "1 deferred candidate in the inbox: engram review" in engram.ok()
