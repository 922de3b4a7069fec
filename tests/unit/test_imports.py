"""Imports go downwards only, and a command imports little: both are promises of docs/decisions/0002-cold-start.md."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.conftest import Runner

import engram

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Scratch

assert engram.__file__
PACKAGE = os.path.dirname(os.path.abspath(engram.__file__))

# From the faces down to the ground. A room imports from rooms below its own level.
LEVELS: tuple[frozenset[str], ...] = (
    frozenset({"", "__main__", "cli", "mcp", "hooks"}),  # "" is engram/__init__.py, the public Python API
    frozenset({"service"}),
    frozenset({"recall", "proposals", "notes", "evidence", "hosts"}),
    frozenset({"index", "store"}),
    frozenset({"markdown", "safety", "roots", "config"}),
    frozenset({"text", "model", "record", "errors", "version", "portable", "startup"}),
)
# Rooms that may import another one of their own level.
SIBLINGS: dict[str, frozenset[str]] = {
    "__main__": frozenset({"cli"}),
    "cli": frozenset({"mcp", "hooks"}),  # `engram mcp` starts another face; lazily, which the next test holds
    "index": frozenset({"store"}),
    "model": frozenset({"record"}),
    "text": frozenset({"model", "record", "errors", "portable"}),
}


def level(room: str) -> int:
    """Return how far below the faces a room stands."""
    for number, rooms in enumerate(LEVELS):
        if room in rooms:
            return number
    pytest.fail(f"src/engram/{room} stands on no level: give it one in {__file__}")


def imported_modules(source: str, module: str, *, package: bool) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything that a module's source imports, at the top or later."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            base = parts[: len(parts) - node.level + (1 if package else 0)] if node.level else []
            origin = ".".join([*base, node.module] if node.module else base)
            for alias in node.names:
                yield node.lineno, f"{origin}.{alias.name}"


def violations(source: str, module: str, *, package: bool = False) -> list[str]:
    """Return the imports in a module's source that do not go downwards, as sentences."""
    room = module.partition(".")[2].partition(".")[0]
    found = []
    for line, name in imported_modules(source, module, package=package):
        parts = name.split(".")
        if parts[0] != "engram":
            continue
        target = parts[1] if len(parts) > 1 and is_room(parts[1]) else ""
        if target == room or target in SIBLINGS.get(room, ()):
            continue
        if level(target) <= level(room):
            found.append(f"{module}, line {line}: {room or 'engram'} imports {name}")
    return found


def is_room(name: str) -> bool:
    """Say whether a name under ``engram`` is a module of it or stands in the plan, and not a name of its API."""
    return any(name in rooms for rooms in LEVELS) or os.path.exists(os.path.join(PACKAGE, name))


def modules() -> Iterator[tuple[str, str, bool]]:
    """Yield each module of Engram: dotted name, path, and whether it is a package's ``__init__``."""
    for folder, _, names in os.walk(PACKAGE):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                parts = os.path.relpath(path, os.path.dirname(PACKAGE))[:-3].split(os.sep)
                package = parts[-1] == "__init__"
                yield ".".join(parts[:-1] if package else parts), path, package


def test_imports_go_downwards_only() -> None:
    found = []
    for module, path, package in modules():
        with open(path, encoding="utf-8") as file:
            found += violations(file.read(), module, package=package)
    assert found == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engram.store.lock", "from engram.service import Engram"),
        ("engram.store.lock", "def f():\n    import engram.recall.rank"),
        ("engram.recall.rank", "from engram import proposals"),
        ("engram.config.table", "from engram.roots.find import project"),
        ("engram.config.table", "from ..roots import find"),
        ("engram.text.words", "from engram import cli"),
        ("engram.service.save", "from engram import recall_for"),
        ("engram.mcp.server", "from engram.cli import main"),
        ("engram.store.lock", "from engram.index import db"),
    ],
)
def test_an_import_that_does_not_go_downwards_is_seen(module: str, source: str) -> None:
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("engram.store.lock", "from engram.config import table\nfrom engram.errors import LockedError"),
        ("engram.index.db", "from engram.store import ledger"),
        ("engram.store.lock", "from engram.store.paths import root\nimport os"),
        ("engram.store.lock", "from .paths import root"),
        ("engram.cli", "from engram.mcp import server"),
    ],
)
def test_an_import_that_goes_downwards_is_let_through(module: str, source: str) -> None:
    assert violations(source, module, package=module.count(".") == 1) == []


# What costs two tenths of the interpreter's start or more, each measured (docs/decisions/0002-cold-start.md).
HEAVY = frozenset(
    {
        "argparse", "asyncio", "dataclasses", "difflib", "enum", "functools", "hashlib", "importlib.metadata",
        "inspect", "json", "logging", "pathlib", "re", "shutil", "subprocess", "tempfile", "typing",
    }
)  # fmt: skip

# Commands that run on every prompt, or that people wait for, and what each one may import all the same.
COLD_COMMANDS: list[tuple[tuple[str, ...], frozenset[str]]] = [
    (("--version",), frozenset()),
    # CPython's SQLite module imports functools by itself.
    (("load", "install a package"), frozenset({"functools"})),
    (("load", "--id", "use-pnpm-for-every-install"), frozenset()),
    (("show", "use-pnpm-for-every-install"), frozenset()),
    (("list",), frozenset()),
    (("status",), frozenset({"functools"})),
    (("verify",), frozenset()),
]


# The rules of the safety room: of a memory that is known to hold nothing none of them is asked.
RULE_MODULES = frozenset(f"engram.safety.{name}" for name in ("rule", "secrets", "orders", "personal", "provider"))


def modules_imported_by(scratch: Scratch, cwd: Path, *args: str, answer: str = "") -> set[str]:
    """Run a command of Engram in a bare interpreter, and return the names of all modules that it imported.

    ``-S`` leaves site packages out: what the development environment hooks into every start (coverage, editable
    installs) is not Engram's. The interpreter itself tells what it imported, however the command ends.
    """
    code = (
        f"import sys; sys.path.insert(0, {os.path.dirname(PACKAGE)!r}); sys.argv = ['engram', *sys.argv[1:]]; "
        "from engram.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", "-c", code, *args],
        cwd=cwd,
        env=scratch.env,
        input=answer,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


@pytest.mark.parametrize(
    ("args", "allowed"), COLD_COMMANDS, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_a_cold_command_imports_nothing_heavy(
    args: tuple[str, ...], allowed: frozenset[str], scratch: Scratch, workspace: Path, legacy_root: Path
) -> None:
    # What is derived is there, as a rule: the index, and what the rules found in memories.
    modules_imported_by(scratch, workspace, *args)
    imported = modules_imported_by(scratch, workspace, *args)

    assert "engram.cli" in imported
    assert not {name for name in imported if name.startswith("engram.safety.") and name.count(".") == 2} & RULE_MODULES
    assert sorted(imported & (HEAVY - allowed)) == []


def test_who_has_no_notes_imports_nothing_of_notes(scratch: Scratch, workspace: Path, legacy_root: Path) -> None:
    (legacy_root / "working").mkdir()  # left behind by the last note that ended
    for args in (("load", "install a package"), ("show", "use-pnpm-for-every-install"), ("list",), ("status",)):
        imported = modules_imported_by(scratch, workspace, *args)
        assert sorted(name for name in imported if "note" in name) == []


LANGUAGES = {
    "english": "Deploy the gateway on Fridays with Ansible.",
    "spanish": "Despliega la pasarela los viernes con Ansible.",
    "chinese": "每周五用 Ansible 部署网关。",
    "vietnamese": "Triển khai cổng vào thứ sáu bằng Ansible.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_save_loads_the_words_of_no_language_but_its_own(language: str, scratch: Scratch, workspace: Path) -> None:
    runner = Runner(scratch, workspace)
    runner.ok("inject")
    for text in LANGUAGES.values():
        runner.save("rule", text.replace("Ansible", "Ansible and Helm"))
    text = LANGUAGES[language].replace("Ansible", "Puppet and Helm")

    imported = modules_imported_by(scratch, workspace, "save", "rule", text, answer="A\n")

    room = "engram.proposals.languages."
    tables = {name.removeprefix(room) for name in imported if name.startswith(room)} - {"tables"}
    assert tables == {language}


def a_copy_of_engram(folder: Path) -> list[str]:
    """Copy the package below a folder; return the words that run its console program."""
    shutil.copytree(PACKAGE, folder / "engram", ignore=shutil.ignore_patterns("__pycache__"))
    start = f"import sys; sys.path.insert(0, {str(folder)!r}); from engram.cli import program; program()"
    return [sys.executable, "-I", "-S", "-c", start]


def test_the_console_program_reads_what_is_compiled_only_while_it_is_as_new_as_its_source(
    scratch: Scratch, workspace: Path, tmp_path: Path
) -> None:
    command = a_copy_of_engram(tmp_path / "copy")
    source = tmp_path / "copy" / "engram" / "version.py"

    def version() -> str:
        done = subprocess.run(
            [*command, "--version"], cwd=workspace, env=scratch.env, capture_output=True, encoding="utf-8", check=False
        )
        assert done.stderr == ""
        return done.stdout

    first = version()
    [compiled] = source.parent.glob("__pycache__/version.*.pyc")
    before = compiled.read_bytes()
    assert version() == first
    assert compiled.read_bytes() == before  # it was good, so nothing was compiled anew

    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(engram.__version__, f"{engram.__version__}.77"), encoding="utf-8")
    assert version() == first.replace(engram.__version__, f"{engram.__version__}.77")

    # As long as before, and with a time of its own.
    source.write_text(text.replace(engram.__version__, f"{engram.__version__}.78"), encoding="utf-8")
    os.utime(source, (1_000_000_000, 1_000_000_000))
    assert version() == first.replace(engram.__version__, f"{engram.__version__}.78")

    for damage in (b"", b"\0" * 4, compiled.read_bytes()[:16][::-1] + b"no code"):
        compiled.write_bytes(damage)
        assert version() == first.replace(engram.__version__, f"{engram.__version__}.78")
