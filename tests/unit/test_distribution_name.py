"""`engram`, `engram-mcp` and `engram-memory` on PyPI are other people's: nothing here may send anybody there."""

from __future__ import annotations

import itertools
import os
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED_FOLDERS = {".git", ".venv", ".cache", "build", "dist", "node_modules", "__pycache__"}

NOT_OURS = {"engram", "engram-mcp", "engram-memory"}
INSTALLS = re.compile(
    r"\b(?:(?:pip3?|pipx|uv|poetry|pdm|conda)(?: tool| pip)? (?:install|add|inject|upgrade)"
    r"|(?P<runs>uvx|pipx run|uv tool run))\b(?P<quote>\"?)"
)


def advice(text: str) -> list[str]:
    """Return each place in a text that installs a distribution under a name that is not ours, or runs one by name.

    A command reaches to the end of its line, of its code span, or to the next command on that line; in a host's JSON
    configuration, where ``"uvx"`` stands in quotes, its arguments may follow on other lines.
    """
    found = []
    for hit in INSTALLS.finditer(text):
        end = r"\}" if hit["quote"] else r"[\n`|;#]|&&"
        command = re.split(end, text[hit.end() : hit.end() + 300], maxsplit=1)[0]
        words = re.findall(r"-{0,2}[\w./\\-]+", re.sub(r"\[\w+\]|[=<>~!@]=?[\d.*]+", " ", command))
        if hit["runs"] and not {"--from", "--spec"} & set(words):
            # What follows the first name is the program's own command line.
            words = [word for word in words if not word.startswith("-") and word != "args"][:1]
        elif hit["runs"]:
            words = [word for option, word in itertools.pairwise(words) if option in {"--from", "--spec"}]
        found += [f"{hit.group()} {word}" for word in words if word in NOT_OURS]
    return found


def text_files() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of the project."""
    for folder, folders, names in os.walk(REPOSITORY):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.endswith("_cache")]
        for name in names:
            path = os.path.join(folder, name)
            if path == os.path.abspath(__file__) or os.path.islink(path):
                continue
            with open(path, "rb") as file:
                raw = file.read(2_000_000)
            if b"\0" not in raw:
                yield os.path.relpath(path, REPOSITORY), raw.decode("utf-8", "replace")


def test_no_file_tells_anybody_to_install_or_run_a_distribution_that_is_not_ours() -> None:
    found = [f"{path}: {place}" for path, text in text_files() for place in advice(text)]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "pip install engram",
        "python -m pip install --upgrade engram-mcp",
        "pip install 'x' engram==0.1",
        "uvx engram load",
        "uvx engram-mcp",
        "pipx run engram",
        "pipx install engram-memory",
        "uv tool install engram",
        "uv add engram[semantic]",
        "uv tool run engram-mcp",
        "uvx --from engram engram-mcp",
        '{"command": "uvx", "args": ["engram-mcp"]}',
        '{\n  "command": "uvx",\n  "args": [\n    "engram-mcp"\n  ]\n}',
    ],
)
def test_advice_to_install_somebody_elses_distribution_is_seen(text: str) -> None:
    assert advice(text)


@pytest.mark.parametrize(
    "text",
    [
        "pip install .",
        "pip install the-long-ride-engram",
        "uvx --from . engram load",
        "pip install ./engram",
        "pipx install . && engram load",
        "pip install . # then engram",
        "never run one by name through `uvx` or `pipx run`: engram is somebody else's there",
        "uv tool install . && engram load",
    ],
)
def test_advice_to_install_this_one_is_let_through(text: str) -> None:
    assert not advice(text)
