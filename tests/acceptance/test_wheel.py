"""The built wheel, alone in a fresh environment, is the whole product: no development tool is needed to use it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from engram.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conftest import Scratch

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

pytestmark = pytest.mark.slow


def run(
    *command: str, env: Mapping[str, str], cwd: str | os.PathLike[str], answer: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a program with this text on standard input, and return what it did."""
    return subprocess.run(
        command, input=answer, capture_output=True, encoding="utf-8", env=env, cwd=cwd, timeout=300, check=False
    )


def bare_environment() -> dict[str, str]:
    """Return the environment without what the development environment adds to each Python process."""
    foreign = ("PYTHON", "COVERAGE_", "COV_CORE_", "VIRTUAL_ENV", "ENGRAM_")
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the wheel as a packager does, without network, and return its path."""
    folder = str(tmp_path_factory.mktemp("dist"))
    done = run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, REPOSITORY,
        env=bare_environment(), cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (name,) = os.listdir(folder)
    return os.path.join(folder, name)


@pytest.fixture(scope="module")
def bin_folder(wheel: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Install the wheel, and nothing else, into a new virtual environment; return its folder of programs."""
    folder = str(tmp_path_factory.mktemp("user") / "venv")
    env = bare_environment()
    made = run(sys.executable, "-m", "venv", folder, env=env, cwd=os.path.dirname(folder))
    assert made.returncode == 0, made.stdout + made.stderr
    programs = os.path.join(folder, "Scripts" if os.name == "nt" else "bin")
    python = os.path.join(programs, "python")
    done = run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel, env=env, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return programs


def test_the_wheel_holds_the_package_its_types_and_its_licence(wheel: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(f"the_long_ride_engram-{__version__}.dist-info/METADATA").decode("utf-8")

    assert "engram/py.typed" in names
    assert f"the_long_ride_engram-{__version__}.dist-info/licenses/LICENSE" in names
    assert {name.partition("/")[0] for name in names} == {"engram", f"the_long_ride_engram-{__version__}.dist-info"}
    header = metadata.partition("\n\n")[0].splitlines()
    assert "Name: the-long-ride-engram" in header
    assert "License-Expression: Apache-2.0" in header
    assert "Requires-Python: >=3.11" in header
    needed = [line for line in header if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert needed == ["Requires-Dist: pathspec<2,>=1"]  # docs/decisions/0014


def test_the_environment_holds_no_development_dependency(bin_folder: str) -> None:
    code = "import importlib.metadata as m; print(*sorted({d.metadata['Name'].lower() for d in m.distributions()}))"
    done = run(os.path.join(bin_folder, "python"), "-c", code, env=bare_environment(), cwd=bin_folder)

    assert set(done.stdout.split()) <= {"the-long-ride-engram", "pip", "setuptools"}


def test_the_first_loop_runs_from_the_wheel(bin_folder: str, scratch: Scratch, workspace: Path) -> None:
    env = {name: value for name, value in scratch.env.items() if not name.startswith(("PYTHON", "COVERAGE_"))}
    engram = os.path.join(bin_folder, "engram")

    version = run(engram, "--version", env=env, cwd=workspace)
    assert version.returncode == 0, version.stderr
    assert __version__ in version.stdout

    injected = run(engram, "inject", env=env, cwd=workspace)
    assert injected.returncode == 0, injected.stdout + injected.stderr

    text = "Deploy the billing service only from the release branch."
    saved = run(engram, "save", "rule", text, env=env, cwd=workspace, answer="A\n")
    assert saved.returncode == 0, saved.stdout + saved.stderr

    loaded = run(engram, "load", "deploy the billing service", env=env, cwd=workspace)
    assert loaded.returncode == 0, loaded.stderr
    assert text in loaded.stdout
    for done in (version, injected, saved, loaded):
        assert "Warning" not in done.stderr
        assert "Traceback" not in done.stderr
