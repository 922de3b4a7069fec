"""Fixtures that run the real ``engram`` in a scratch home, a scratch configuration and a scratch Git repository."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
TIMEOUT = 120  # seconds; a hanging command fails its test instead of the whole run


def installed_engram() -> list[str]:
    """Return the command that starts the installed console script, which stands beside this interpreter."""
    script = shutil.which("engram", path=os.path.dirname(sys.executable))
    return [script] if script else [sys.executable, "-m", "engram"]


class Scratch(NamedTuple):
    """A home of its own: nothing that a test does reaches the files of the person who runs the tests."""

    home: Path
    config: Path
    env: dict[str, str]


class Runner:
    """Runs the real ``engram``, without a terminal and with standard input closed unless a test gives some."""

    def __init__(self, scratch: Scratch, cwd: Path) -> None:
        self.scratch = scratch
        self.cwd = cwd
        self.command = installed_engram()

    def run(
        self,
        *args: str,
        input: str | None = None,  # noqa: A002 (named as in subprocess.run)
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run ``engram`` with these arguments and return what it printed and its exit code.

        Args:
            args: the command line after ``engram``.
            input: text for standard input through a pipe; None closes it.
            cwd: where to run; the scratch workspace when not given.
            env: variables set on top of the scratch environment.
        """
        return subprocess.run(
            [*self.command, *args],
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            encoding="utf-8",
            cwd=cwd or self.cwd,
            env={**self.scratch.env, **(env or {})},
            timeout=TIMEOUT,
            check=False,
            start_new_session=True,  # no controlling terminal: /dev/tty cannot be opened either
        )

    def ok(
        self,
        *args: str,
        input: str | None = None,  # noqa: A002
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command that has to succeed, and return its standard output."""
        done = self.run(*args, input=input, cwd=cwd, env=env)
        assert done.returncode == 0, f"engram {args}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(
        self,
        *args: str,
        input: str | None = None,  # noqa: A002
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Run a command with ``--json``, and return the envelope that it printed, whatever its exit code."""
        done = self.run(*args, "--json", input=input, cwd=cwd, env=env)
        envelope: dict[str, Any] = json.loads(done.stdout)
        return envelope

    def save(self, *args: str, cwd: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None) -> str:
        """Save one memory with an accepting answer through a pipe, and return the standard output."""
        return self.ok("save", *args, input="A\n", cwd=cwd, env=env)


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """Make a home, a configuration folder and an environment that knows no other."""
    home = tmp_path / "home"
    config = home / ".engram"
    config.mkdir(parents=True)
    git_config = home / "gitconfig"
    git_config.write_text(
        "[user]\n\tname = Ada Tester\n\temail = ada@example.test\n[init]\n\tdefaultBranch = main\n",
        encoding="utf-8",
        newline="\n",
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ENGRAM_", "GIT_"))}
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        env.pop(name, None)
    env |= {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "LOCALAPPDATA": str(home / "AppData"),
        "ENGRAM_CONFIG_DIR": str(config),
        "GIT_CONFIG_GLOBAL": str(git_config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    return Scratch(home, config, env)


def make_repository(scratch: Scratch, folder: Path) -> Path:
    """Make a Git repository with one commit at ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README").write_text("A project.\n", encoding="utf-8", newline="\n")
    for args in (["init", "--quiet"], ["add", "README"], ["commit", "--quiet", "--message", "First commit"]):
        subprocess.run(["git", *args], cwd=folder, env=scratch.env, check=True, timeout=TIMEOUT)
    return folder


@pytest.fixture
def workspace(scratch: Scratch, tmp_path: Path) -> Path:
    """Return a real Git repository with one commit and no memory yet."""
    return make_repository(scratch, tmp_path / "project")


@pytest.fixture
def engram(scratch: Scratch, workspace: Path) -> Runner:
    """Return a runner of the real ``engram`` in the scratch workspace."""
    return Runner(scratch, workspace)


@pytest.fixture
def legacy_root(workspace: Path) -> Path:
    """Put the shared folder of schemas 1 to 3 into the workspace, byte for byte; return its memory root."""
    shutil.copytree(os.path.join(CASES, "legacy-root"), workspace, dirs_exist_ok=True)
    return workspace / ".agents" / ".engram"


# Words of the tiny package, each with the direction that it points into: words of one direction mean the same.
MEANINGS = {
    "car": 0, "automobile": 0, "vehicle": 0, "cheese": 1, "gouda": 1, "wheel": 2, "invoice": 3, "bill": 3,
    "replace": 4, "every": 5, "spring": 6, "with": 7, "the": 8,
}  # fmt: skip


def write_tiny_package(folder: Path, version: str = "0.4.0") -> Path:
    """Write a package that has the files of wordllama, with a few words instead of 32,000 pieces.

    Returns:
        The package's folder; ``folder`` goes onto the path for imports.
    """
    vocabulary: dict[str, int] = {}
    merges: list[str] = []
    vectors: list[list[float]] = []

    def piece(name: str, direction: int, length: float) -> None:
        vocabulary[name] = len(vocabulary)
        vectors.append([length if at == direction else 0.0 for at in range(256)])

    for name in ("<unk>", "<s>", "</s>"):
        piece(name, 0, 0.0)
    for byte in range(256):
        piece(f"<0x{byte:02X}>", 100 + byte % 100, 0.1)
    for at, letter in enumerate("▁abcdefghijklmnopqrstuvwxyz"):
        piece(letter, 200 + at, 0.1)
    for word, direction in MEANINGS.items():
        text = f"▁{word}"
        for end in range(2, len(text) + 1):
            if text[:end] not in vocabulary:
                merges.append(f"{text[: end - 1]} {text[end - 1]}")
                piece(text[:end], 50, 0.1)
        vectors[vocabulary[text]] = [2.5 if at == direction else 0.0 for at in range(256)]

    data = b"".join(struct.pack("<256e", *vector) for vector in vectors)
    tensor = {"dtype": "F16", "shape": [len(vectors), 256], "data_offsets": [0, len(data)]}
    header = json.dumps({"embedding.weight": tensor}).encode()
    package = folder / "wordllama"
    for name in ("weights", "tokenizers"):
        (package / name).mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('nobody needs this')\n", encoding="utf-8")
    weights = package / "weights" / "l2_supercat_256.safetensors"
    weights.write_bytes(struct.pack("<Q", len(header)) + header + data)
    model = {"type": "BPE", "byte_fallback": True, "vocab": vocabulary, "merges": merges}
    special = [{"content": name} for name in ("<unk>", "<s>", "</s>")]
    description = json.dumps({"added_tokens": special, "model": model})
    tokenizer = package / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokenizer.write_text(description, encoding="utf-8", newline="\n")
    info = folder / f"wordllama-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: wordllama\nVersion: {version}\n", encoding="utf-8")
    return package


@pytest.fixture
def tiny_package(tmp_path: Path) -> Path:
    """Return the folder of a package that has the files of wordllama, with a few words."""
    return write_tiny_package(tmp_path / "site")
