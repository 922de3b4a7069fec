"""What `.ci/run` picks and runs, with stand-ins for the long scripts that it calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
INSTRUCTION = '<engram-memory id="x" type="rule" scope="workspace" authority="instruction">'


def run_ci(folder: Path, *, path: str, demo: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of `.ci/run` whose `scripts/test` names its interpreter and whose `scripts/demo` prints ``demo``."""
    project = folder / "project"
    for name in (".ci/run", "scripts/lib.sh"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, project / name)
    (folder / "shared").mkdir()
    (folder / "shared" / "README.md").write_text("", encoding="utf-8")
    stand_ins = (
        ("test", 'echo "tests run on $PYTHON"'),
        ("conformance", "exit 77"),
        ("hosts", "exit 77"),
        ("demo", f"echo '{demo}'"),
    )
    for name, line in stand_ins:
        script = project / "scripts" / name
        script.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8", newline="\n")
        script.chmod(0o755)
    return subprocess.run(
        ["bash", ".ci/run"],
        cwd=project,
        env={"PATH": path, "HOME": str(folder)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


@pytest.fixture
def path_with_real(tmp_path: Path) -> str:
    """Return a PATH on which `python3` is the interpreter that this one's environment was made from."""
    folder = tmp_path / "real"
    folder.mkdir()
    base = getattr(sys, "_base_executable", sys.executable)
    (folder / "python3").write_text(f'#!/bin/sh\nexec "{base}" "$@"\n', encoding="utf-8", newline="\n")
    (folder / "python3").chmod(0o755)
    return os.pathsep.join([str(folder), os.defpath])


@pytest.mark.skipif(os.name == "nt", reason="the script is for bash")
def test_ci_does_not_test_on_an_active_virtual_environment(tmp_path: Path, path_with_real: str) -> None:
    venv = tmp_path / "active"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=120)
    done = run_ci(tmp_path, path=f"{venv / 'bin'}{os.pathsep}{path_with_real}", demo=INSTRUCTION)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests run on " in done.stdout
    assert str(venv) not in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="the script is for bash")
def test_ci_fails_when_the_demo_shows_no_instruction(tmp_path: Path, path_with_real: str) -> None:
    done = run_ci(tmp_path, path=path_with_real, demo="No memory matches this task.")
    assert done.returncode == 1
    assert "scripts/demo printed no memory as an instruction" in done.stderr
