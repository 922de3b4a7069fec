"""``engram semantic``: recall by meaning costs nothing while it is off, and is never in the way.

The package is a tiny one with the files of wordllama; one test uses the real one where it is installed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.memories import fill

if TYPE_CHECKING:
    from tests.conftest import Runner

HAS_PACKAGE = importlib.util.find_spec("wordllama") is not None
TASK = "replace the car wheel every spring"
OTHERS = 40


@pytest.fixture
def root(engram: Runner) -> Path:
    """Return a memory in which two rules have the same words of the task."""
    engram.ok("inject")
    fill(str(engram.cwd / ".agents" / ".engram"), OTHERS)
    engram.save("rule", "Replace a cheese wheel every spring.", "--title", "Alpha")
    engram.save("rule", "Replace a vehicle wheel every spring.", "--title", "Beta")
    return engram.cwd / ".agents" / ".engram"


@pytest.fixture
def with_package(tiny_package: Path) -> dict[str, str]:
    """Return what makes the tiny package the installed one."""
    others = os.environ.get("PYTHONPATH", "")
    return {"PYTHONPATH": f"{tiny_package.parent}{os.pathsep}{others}" if others else str(tiny_package.parent)}


def order(engram: Runner, *more: str) -> list[str]:
    text = engram.ok("load", TASK, *more)
    return sorted(("alpha", "beta"), key=text.index)


def ready(engram: Runner) -> tuple[int, int]:
    (state,) = engram.json("semantic", "status")["data"]["roots"]
    return state["ready"], state["memories"]


@pytest.mark.skipif(HAS_PACKAGE, reason="the package is installed here")
def test_without_the_package_it_says_what_to_install(engram: Runner) -> None:
    done = engram.run("semantic", "on")
    assert done.returncode == 1
    assert 'pip install ".[semantic]"' in done.stderr
    assert 'pip install ".[semantic]"' in engram.ok("semantic")
    assert engram.json("semantic", "on")["error"]["message"]
    assert engram.ok("semantic", "off") == "Recall by meaning is off already.\n"


def test_switched_on_it_ranks_by_meaning_too_and_off_by_words_again(
    engram: Runner, root: Path, with_package: dict[str, str]
) -> None:
    by_words = engram.ok("load", TASK)
    assert order(engram) == ["alpha", "beta"]
    assert not engram.json("semantic")["data"]["on"]

    done = engram.run("semantic", "on", env=with_package)
    assert done.returncode == 0, done.stderr
    assert "Making the table" in done.stderr  # progress is no result
    assert f"{OTHERS + 2} of {OTHERS + 2} memories are ready" in done.stdout
    assert order(engram) == ["beta", "alpha"]
    assert "semantic:" in engram.ok("load", TASK, "--explain")
    assert order(engram, "--without", "semantic") == ["alpha", "beta"]
    assert engram.json("semantic", "on", env=with_package)["data"]["changed"] is False

    assert engram.ok("semantic", "off") == "Recall by meaning is off.\n"
    assert engram.ok("load", TASK) == by_words
    assert not list((root / ".cache").glob("vectors*"))


def test_the_table_stays_when_the_package_goes(engram: Runner, root: Path, with_package: dict[str, str]) -> None:
    engram.ok("semantic", "on", env=with_package)
    envelope = engram.json("semantic", "status")
    assert envelope["data"]["on"] is True
    assert envelope["data"]["made_from"] == "wordllama 0.4.0"
    assert f"{OTHERS + 2} of {OTHERS + 2}" in engram.ok("semantic", "on")
    assert order(engram) == ["beta", "alpha"]


def test_a_new_memory_gets_its_vector_when_the_index_takes_it_in(
    engram: Runner, root: Path, with_package: dict[str, str]
) -> None:
    engram.ok("semantic", "on", env=with_package)
    engram.save("rule", "Replace a gouda wheel every spring.", "--title", "Gamma")
    engram.ok("load", TASK)
    count = OTHERS + 3
    assert ready(engram) == (count, count)
    (root / ".cache" / "vectors.sqlite").unlink()
    assert ready(engram) == (0, count)
    engram.ok("load", TASK)  # candidates without a vector get one
    assert ready(engram)[0] >= 3
    (root / ".cache" / "vectors.sqlite").unlink()
    engram.ok("status", "--deep")  # a rebuild makes all of them
    assert ready(engram) == (count, count)


def test_a_damaged_table_is_said_and_recall_goes_on_by_words(
    engram: Runner, root: Path, with_package: dict[str, str]
) -> None:
    table = engram.json("semantic", "on", env=with_package)["data"]["table"]
    with open(table, "r+b") as file:
        file.write(b"damaged!" * 100)
    done = engram.run("load", TASK)
    assert done.returncode == 0
    assert "alpha" in done.stdout
    assert "engram semantic on" in done.stderr
    assert "cannot be used" in engram.ok("semantic")
    engram.ok("semantic", "on", env=with_package)
    assert order(engram) == ["beta", "alpha"]


def test_doctor_names_a_damaged_table_and_what_mends_it(engram: Runner, with_package: dict[str, str]) -> None:
    engram.ok("inject")
    table = Path(engram.json("semantic", "on", env=with_package)["data"]["table"])

    def said() -> list[tuple[str, str]]:
        found = engram.json("doctor", env=with_package)["data"]["findings"]
        return [(one["id"], one["command"]) for one in found if one["id"] == "memory.semantic"]

    assert said() == []
    table.write_bytes(b"junk" * 100)
    assert said() == [("memory.semantic", "engram semantic on")]
    engram.ok("semantic", "on", env=with_package)
    assert said() == []


def test_off_leaves_nothing_of_a_table_whose_making_was_killed(engram: Runner, with_package: dict[str, str]) -> None:
    engram.ok("inject")
    table = Path(engram.json("semantic", "on", env=with_package)["data"]["table"])
    engram.ok("semantic", "off")
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    left = table.with_name(f"{table.name}.{gone.pid}.1.new")
    working = table.with_name(f"{table.name}.{os.getpid()}.1.new")
    for path in (left, working):
        path.write_bytes(b"half a table")
    assert engram.ok("semantic", "off") == "Recall by meaning is off already.\n"
    assert [path.name for path in table.parent.iterdir()] == [working.name]


def test_a_word_that_is_no_action_is_refused(engram: Runner) -> None:
    done = engram.run("semantic", "maybe")
    assert done.returncode == 2
    assert "on, off or status" in done.stderr


@pytest.mark.skipif(not HAS_PACKAGE, reason='the extra is not installed: pip install ".[semantic]"')
@pytest.mark.slow
def test_the_real_package_gives_a_table(engram: Runner, root: Path) -> None:
    engram.ok("semantic", "on")
    assert ready(engram) == (OTHERS + 2, OTHERS + 2)
    assert order(engram) == ["beta", "alpha"]
