"""Cold commands: a fresh process for each, from a wheel that is installed as a user installs it."""

from __future__ import annotations

import glob
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.measure import RUNS, Result, compare
from benchmarks.memories import fill

if TYPE_CHECKING:
    from collections.abc import Mapping

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEMORIES = 1_000
PEAK = 40  # MB


def install(folder: str) -> str:
    """Build the wheel, install it alone in a new virtual environment under ``folder``, return its folder of programs.

    Raises:
        subprocess.CalledProcessError: when building or installing fails; the tool's own output says why.
    """
    dist, venv = os.path.join(folder, "dist"), os.path.join(folder, "venv")
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *quiet, "--no-deps", "--wheel-dir", dist, CHECKOUT], check=True
    )
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    programs = os.path.join(venv, "bin")
    (wheel,) = glob.glob(os.path.join(dist, "*.whl"))
    subprocess.run([os.path.join(programs, "python"), "-m", "pip", "install", *quiet, wheel], check=True)
    return programs


def environment(folder: str) -> dict[str, str]:
    """Return the environment of a user who has a home under ``folder`` and nothing set but a name."""
    home = os.path.join(folder, "home")
    os.makedirs(home, exist_ok=True)
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": home,
        "ENGRAM_AUTHOR_NAME": "Bench",
        "ENGRAM_AUTHOR_EMAIL": "bench@example.test",
    }


def workspace(folder: str, engram: str, env: Mapping[str, str], count: int) -> tuple[str, list[str]]:
    """Make a trusted memory with ``count`` memories in a new repository; return the repository and the ids in order.

    ``ENGRAM_MAKE_MEMORIES`` may name another generator: a script that is called with N and the memory root.
    """
    project = os.path.join(folder, f"project-{count}")
    subprocess.run(["git", "init", "--quiet", project], check=True, env=env)
    subprocess.run([engram, "inject"], check=True, env=env, cwd=project, stdout=subprocess.DEVNULL)
    root = os.path.join(project, ".agents", ".engram")
    script = os.environ.get("ENGRAM_MAKE_MEMORIES")
    if not script:
        return project, fill(root, count)
    subprocess.run([sys.executable, script, str(count), root], check=True, stdout=subprocess.DEVNULL)
    names = sorted(name for kind in ("rules", "skills", "knowledge") for name in os.listdir(os.path.join(root, kind)))
    return project, [name.removesuffix(".md") for name in names if name.endswith(".md")]


def measure(folder: str, programs: str, runs: int = RUNS) -> list[Result]:
    """Measure ``--version``, ``show`` and an approved ``save`` against ``P``; return one result for each."""
    env = environment(folder)
    engram = os.path.join(programs, "engram")
    bare = [os.path.join(programs, "python"), "-c", "pass"]
    project, ids = workspace(folder, engram, env, MEMORIES)
    return [
        compare(
            "engram --version",
            lambda _turn: [engram, "--version"],
            bare,
            env=env,
            cwd=project,
            limit=2.5,
            memory_limit=PEAK,
            runs=runs,
        ),
        compare(
            f"engram show ID, {MEMORIES:,} memories",
            lambda turn: [engram, "show", ids[(turn * 37) % len(ids)]],
            bare,
            env=env,
            cwd=project,
            limit=4,
            memory_limit=PEAK,
            runs=runs,
        ),
        compare(
            f"engram save, approved, {MEMORIES:,} memories",
            lambda turn: [engram, "save", "rule", f"Depot {turn + 101} opens its gate only for vans of its own town."],
            bare,
            env=env,
            cwd=project,
            answer="A\n",
            limit=10,
            memory_limit=PEAK,
            runs=runs,
        ),
    ]
