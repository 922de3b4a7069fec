"""E1 and F16 on a system without ``fcntl``: the real ``engram`` locks with what Windows has, and loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the stand-in for Windows' locks is Linux's")

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Python runs this at its start: from then on the system has `msvcrt` and no `fcntl`.
SITE = f"""
import importlib.util, subprocess, sys  # where there is `msvcrt`, subprocess expects the rest of Windows too

spec = importlib.util.spec_from_file_location("msvcrt_of_posix", {os.path.join(TESTS, "msvcrt_of_posix.py")!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.modules["msvcrt"] = module.Msvcrt()
sys.modules["fcntl"] = None
"""

WRITER = """
import subprocess, sys
count, *rest = sys.argv[1:]
texts, command = rest[:int(count)], rest[int(count):]
for text in texts:
    done = subprocess.run([*command, "save", "knowledge", text], input=b"A\\n", capture_output=True)
    if done.returncode:
        sys.exit(done.stdout.decode() + done.stderr.decode())
"""
# None says anything of what another one is about: their verdicts have to stay as they were shown.
SAVES = (
    ("Invoices are numbered by the ledger.", "Backups go to Lisbon.", "The parser reads CRLF.", "Ada owns billing."),
    ("Icons are drawn as SVG.", "Staging sleeps at night.", "Metrics come from Prometheus.", "Tokens expire hourly."),
)


@pytest.fixture
def windows(engram: Runner, tmp_path: Path) -> dict[str, str]:
    """Return the variables with which ``engram`` finds Windows' locks in place of ``fcntl``."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SITE, encoding="utf-8")
    env = {"PYTHONPATH": str(site)}
    said = subprocess.run(
        [sys.executable, "-c", "import msvcrt\nimport fcntl"],
        env={**engram.scratch.env, **env},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    ).stderr
    assert "import of fcntl halted" in said, "without this the tests below would show nothing"
    return env


def test_two_writers_without_fcntl_lose_nothing(engram: Runner, root: Path, windows: dict[str, str]) -> None:  # E1
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(len(texts)), *texts, *engram.command],
            cwd=engram.cwd,
            env={**engram.scratch.env, **windows},
            stderr=subprocess.PIPE,
        )
        for texts in SAVES
    ]
    for writer in writers:
        _, said = writer.communicate(timeout=300)
        assert writer.returncode == 0, said.decode()
    assert len(os.listdir(root / "knowledge")) == sum(map(len, SAVES))
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) == sum(map(len, SAVES))
    assert engram.run("verify", env=windows).returncode == 0


def test_a_lock_that_is_held_without_fcntl_is_named_and_readers_do_not_wait(
    engram: Runner, root: Path, windows: dict[str, str]
) -> None:  # F16
    from tests.msvcrt_of_posix import Msvcrt

    from engram.portable import try_lock

    engram.ok("save", "rule", "Readers never wait.", input="A\n", env=windows)
    with (root / ".lock").open("r+b", buffering=0) as file:
        assert try_lock(file.fileno(), system=Msvcrt())
        file.seek(0)
        file.truncate(0)
        file.write(f"{os.getpid()} this-host\n".encode())
        env = {**windows, "ENGRAM_LOCK_TIMEOUT": "1"}
        done = engram.run("save", "rule", "Wait for me.", input="A\n", env=env)
        named = f"process {os.getpid()} on this-host"
        assert done.returncode == 1
        assert named in done.stderr
        assert named in engram.run("doctor", env=windows).stdout
        assert "Readers never wait" in engram.ok("load", "do readers wait?", env=windows)
    assert os.listdir(root / "rules") == ["readers-never-wait.md"]
    assert "this-host" not in engram.run("doctor", env=windows).stdout
    engram.ok("save", "rule", "Wait for me.", input="A\n", env=env)
