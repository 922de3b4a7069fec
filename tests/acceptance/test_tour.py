"""The README's two commands exist, and its tour does what it says, command by command, with the real program."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Scratch

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BASH = shutil.which("bash")

pytestmark = pytest.mark.skipif(BASH is None, reason="the README's commands are written for bash")


class Step(NamedTuple):
    """One command of the tour, the output that the README shows for it, and what it really did."""

    command: str
    shown: list[str]
    code: int
    output: str
    memory: str


def readme() -> str:
    """Return the README's text."""
    with open(os.path.join(REPOSITORY, "README.md"), encoding="utf-8") as file:
        return file.read()


def tour() -> list[tuple[str, list[str]]]:
    """Return the commands of the README's console block, each with the output lines shown below it."""
    blocks = re.findall(r"^```console\n(.*?)^```$", readme(), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1, "the tour is the README's one console block"
    steps: list[tuple[str, list[str]]] = []
    for line in blocks[0].splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif line.strip():
            steps[-1][1].append(line)
    return steps


def walk(folder: Path, scratch: Scratch) -> list[Step]:
    """Run the tour in ``folder``, each command in the folder in which the one before it ended."""
    env = scratch.env | {"PATH": os.path.dirname(sys.executable) + os.pathsep + scratch.env["PATH"]}
    steps = []
    cwd = str(folder)
    where = folder / "where"
    for command, shown in tour():
        done = subprocess.run(
            [BASH or "bash", "-c", f"trap 'pwd >\"$WHERE\"' EXIT; set -o pipefail; {command}"],
            cwd=cwd,
            env=env | {"WHERE": str(where)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        cwd = where.read_text(encoding="utf-8").strip()
        memory = os.path.join(cwd, ".agents", ".engram")
        steps.append(Step(command, shown, done.returncode, done.stdout, memory))
        check_ledger(command, memory)
    return steps


def check_ledger(command: str, memory: str) -> None:
    """Fail unless the memory's ledger is one that ``sha256sum -c`` accepts, and names every memory."""
    ledger = os.path.join(memory, "SHA256SUMS")
    named = set()
    lines: list[str] = []
    if os.path.exists(ledger):  # before the first memory there is nothing to name
        with open(ledger, encoding="utf-8") as file:
            lines = file.readlines()
    for line in lines:
        digest, path = line.rstrip("\n").split("  ", 1)
        with open(os.path.join(memory, path), "rb") as target:
            assert hashlib.sha256(target.read()).hexdigest() == digest, f"after `{command}`: {path}"
        named.add(path)
    folders = ("rules", "skills", "knowledge", "archive")
    on_disk = {
        os.path.relpath(os.path.join(folder, name), memory).replace(os.sep, "/")
        for kind in folders
        for folder, _, names in os.walk(os.path.join(memory, kind))
        for name in names
        if name.endswith(".md")
    }
    assert named == on_disk, f"after `{command}`"
    sha256sum = shutil.which("sha256sum")
    if sha256sum and named:  # it calls an empty ledger an error
        done = subprocess.run(
            [sha256sum, "--check", "--quiet", "--strict", "SHA256SUMS"],
            cwd=memory, capture_output=True, encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"after `{command}`: {done.stdout}{done.stderr}"


def shows(shown: list[str], output: str) -> bool:
    """Say whether an output holds the shown lines in order; ``…`` is anything, dates and blank lines do not count."""
    pieces = [re.escape(piece.strip()) for line in shown for piece in dateless(line).split("…") if piece.strip()]
    return re.search(".*?".join(pieces), dateless(output), flags=re.DOTALL) is not None


def dateless(text: str) -> str:
    """Return a text with its dates taken out, as today's date is not the README's."""
    return re.sub(r"\d{4}-\d\d-\d\d", "DATE", text)


def loaded(step: Step) -> list[str]:
    """Return the ids of the memories that a load gave."""
    return re.findall(r'<engram-memory id="([^"]+)"', step.output)


def test_the_tour_runs_as_the_readme_shows_it_and_brings_the_right_memories(tmp_path: Path, scratch: Scratch) -> None:
    folder = tmp_path / "tour"
    folder.mkdir()

    steps = walk(folder, scratch)

    for step in steps:
        assert step.code == 0, f"`{step.command}` ended with {step.code}:\n{step.output}"
        assert shows(step.shown, step.output), f"`{step.command}` printed:\n{step.output}"
    assert steps[-1].command.startswith("engram load")
    assert [loaded(step) for step in steps if step.command.startswith("engram load")] == [
        ["use-pnpm-for-every-install"],
        [],
        ["prices-are-integers-in-cents"],
    ]
    assert os.path.exists(os.path.join(steps[-1].memory, "SHA256SUMS"))


def test_an_output_that_lacks_a_shown_line_is_seen() -> None:
    assert shows(["Saved …/a.md", "…", "done"], "Saved /x/a.md\nmore\ndone\n")
    assert not shows(["Saved …/a.md"], "Saved /x/b.md\n")
    assert not shows(["one", "two"], "two\none\n")


def test_the_two_commands_of_the_readme_are_there_and_can_be_run() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", readme(), flags=re.MULTILINE | re.DOTALL)
    commands = [line.split()[0] for line in blocks[0].splitlines()]

    assert commands == ["scripts/demo", "scripts/test"]
    for command in commands:
        path = os.path.join(REPOSITORY, command)
        assert os.access(path, os.X_OK), f"{command} cannot be run"
        syntax = subprocess.run([BASH or "bash", "-n", path], capture_output=True, encoding="utf-8", check=False)
        assert syntax.returncode == 0, syntax.stderr


def test_the_files_that_the_readme_links_to_exist() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", readme())

    assert targets
    assert [target for target in targets if not os.path.exists(os.path.join(REPOSITORY, target))] == []
