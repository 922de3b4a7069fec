"""What real hosts sent, sent again: every request is answered, and the official schema finds nothing to say.

The recordings and the two programs that play and judge them are those of the folder ``shared``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(os.path.dirname(ROOT), "shared", "tools")
CLIENTS = os.path.join(ROOT, "tests", "cases", "clients")
# The recorded server had two tools of its own; these do the same here.
MAPPED = ["--map", "ask=test_elicitation", "--args", 'test_elicitation={"message": "keep or drop?"}']

pytestmark = pytest.mark.skipif(not os.path.isdir(TOOLS), reason="replay.py and validate_wire.py stand in ../shared")


@pytest.mark.parametrize("name", sorted(os.listdir(CLIENTS)))
def test_a_recorded_host_is_served_as_the_official_schema_says(
    fixture_command: list[str], tmp_path: Path, name: str
) -> None:
    transcript = str(tmp_path / "transcript.jsonl")
    replay = [sys.executable, os.path.join(TOOLS, "replay.py"), os.path.join(CLIENTS, name), "--out", transcript]
    played = run([*replay, *MAPPED, "--", *fixture_command])
    judged = run([sys.executable, os.path.join(TOOLS, "validate_wire.py"), "--server-only", transcript])

    assert played.returncode == 0, played.stderr
    assert "unanswered [], server exit 0" in played.stderr
    assert judged.returncode == 0, judged.stdout + judged.stderr


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program of the shared folder, which opens files without naming the encoding."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONWARNDEFAULTENCODING"}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env, timeout=60, check=False)
