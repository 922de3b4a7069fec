"""One function makes what is given of a memory, and a changed rule is asked again."""

from __future__ import annotations

import ast
import hashlib
import os
from typing import TYPE_CHECKING

import engram
from engram.model import Memory
from engram.safety import RULES
from engram.service.giving import Learner, give, let_out, let_out_data
from engram.service.session import Entry, Session
from engram.service.shelf import Shelf
from engram.store.root import MemoryRoot

if TYPE_CHECKING:
    from pathlib import Path

assert engram.__file__
PACKAGE = os.path.dirname(os.path.abspath(engram.__file__))
KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS" * 2
# Notes are looked at in a way of their own, each time: no ledger vouches for them.
MAKERS = {os.path.join("service", "giving.py"), os.path.join("service", "notebook.py")}


def sources() -> list[tuple[str, ast.Module]]:
    found = []
    for folder, _, names in os.walk(PACKAGE):
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found.append((os.path.relpath(path, PACKAGE), ast.parse(file.read())))
    return found


def test_only_one_function_makes_what_a_face_is_given_of_a_memory() -> None:  # decisions 8 and 9
    makers = set()
    for path, tree in sources():
        entry_here = any(
            isinstance(node, ast.ImportFrom) and node.module == "engram.service.session"
            and any(alias.name == "Entry" for alias in node.names)
            for node in ast.walk(tree)
        )  # fmt: skip
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        if entry_here and "Entry" in called:
            makers.add(path)
    assert makers == MAKERS


def test_no_face_reads_a_memory_file_by_itself() -> None:
    for path, tree in sources():
        if path.split(os.sep)[0] in {"cli", "mcp", "hooks"}:
            names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
            # What a human wrote in their editor is read from a folder of that call, and is no memory yet.
            allowed = {"read_guarded"} if path == os.path.join("cli", "editor.py") else set()
            assert not names & {"read_guarded", "read_memory", "MemoryRoot"} - allowed, path


def test_the_number_of_the_rules_goes_up_with_every_change_of_them() -> None:
    rooms = (
        "hidden",
        "instructions",
        "literal_orders",
        "order_rows",
        "judging",
        "orders",
        "personal",
        "provider",
        "reference_orders",
        "rule",
        "scan",
        "secrets",
        "services",
    )
    data = b""
    for name in rooms:
        with open(os.path.join(PACKAGE, "safety", f"{name}.py"), "rb") as file:
            data += file.read().replace(b"\r\n", b"\n")
    seen = (RULES, hashlib.sha256(data).hexdigest()[:16])
    assert seen == (8, "06a73398a89d0f01"), "raise safety.RULES, and write both down here"


def test_every_kind_of_key_in_a_text_of_our_own_is_taken_out_and_an_approval_token_is_not() -> None:  # decision 8
    shown = {
        "stripe": "sk_" + "live_aB3dE6gH9jK2mN5pQ8rS",
        "aws": "AKIA" + "Z7QWBERTCYUDIOPA",
        "url": "x://a:" + "b1c2d3@h/",
    }
    for name, key in {**shown, "github": KEY}.items():
        text = f"New in workspace memory: use-pnpm (by {key}), {name}."
        assert "[redacted: secret/" in let_out(text, lambda: None)
        assert let_out_data([{"a": (text,)}], lambda: None) == [{"a": [let_out(text, lambda: None)]}]
    for text in (
        "approval_token: 7Q2mN5pQ8rSaB3dE6gH9jK2xY7zW4vU1",
        "SKIPPED knowledge/x.md",
        f"sha256 {'3e05feff8a41' * 5}",
    ):
        assert let_out(text, lambda: None) == text


def test_memories_that_come_together_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    session = Session(str(tmp_path), {"HOME": str(tmp_path), "ENGRAM_CONFIG_DIR": str(tmp_path / "config")})
    root = MemoryRoot(str(tmp_path), "workspace")
    learner = Learner(session, root)
    texts = {"plain": "Use tabs.", "key": f"The key is {KEY}.", "mail": "Ask mara@acme.test.", "more": "Use blanks."}
    memories = {
        name: Memory(name, "rule", "workspace", name, text, authority="instruction") for name, text in texts.items()
    }
    hashes = {name: hashlib.sha256(name.encode()).hexdigest() for name in texts}
    for name, memory in memories.items():
        learner.learn(hashes[name], memory)
    learner.finish()
    lines = (tmp_path / ".cache" / "found").read_text("ascii").splitlines()[1:]
    assert [line.partition(" ")[2] for line in lines] == ["", "secret/github-token", "personal/email", ""]
    for name, memory in memories.items():
        given = give(session, Entry(memory, name, f"rules/{name}.md", root, hashes[name])).memory
        assert (given == memory) is (name != "key")
        assert KEY not in given.content


def test_a_server_knows_what_it_and_others_found_without_looking_again(tmp_path: Path) -> None:  # decisions 8 and 9
    (tmp_path / "rules").mkdir()
    environ = {"HOME": str(tmp_path), "ENGRAM_CONFIG_DIR": str(tmp_path / "config")}
    root = MemoryRoot(str(tmp_path), "workspace")
    shelf = Shelf()

    def found(name: str, text: str, session: Session) -> str:
        memory = Memory(name, "rule", "workspace", name, text, authority="instruction")
        value = hashlib.sha256(name.encode()).hexdigest()
        return give(session, Entry(memory, name, f"rules/{name}.md", root, value)).memory.content

    assert KEY not in found("first", f"The key is {KEY}.", Session(str(tmp_path), environ, shelf))
    known = shelf.found[str(tmp_path)]
    assert list(known.values()) == [("secret/github-token",)]
    # What another process found is read when a call asks for it; what the server found is in the file.
    assert found("second", "Use tabs.", Session(str(tmp_path), environ)) == "Use tabs."
    assert found("second", "Use tabs.", Session(str(tmp_path), environ, shelf)) == "Use tabs."
    assert sorted(known.values()) == [(), ("secret/github-token",)]
    assert KEY not in found("first", f"The key is {KEY}.", Session(str(tmp_path), environ))
    # What is known is not read again: with the file gone it still holds.
    (tmp_path / ".cache" / "found").unlink()
    assert KEY not in found("first", f"The key is {KEY}.", Session(str(tmp_path), environ, shelf))
    assert not (tmp_path / ".cache" / "found").exists()
