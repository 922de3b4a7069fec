"""What is fuzzed, and what is promised of each: the four places where bytes come in that nobody vouches for."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from tests.conftest import CASES, Scratch, installed_engram, make_repository, scratch
from tests.contract.conftest import Host, Memories, installed_server
from tests.contract.test_mcp_fuzz import ENGRAM, Schemas, batches, recorded, serves
from tests.fuzz.mutators import Mutator

from engram.config.edit import set_key, unset_key
from engram.config.files import CONFIG_NAME, scan_config
from engram.config.keys import KEYS, validate
from engram.config.settings import load_settings
from engram.errors import ConfigError, FormatError, UsageError
from engram.markdown.document import parse_document
from engram.markdown.memory import read_memory
from engram.markdown.writing import update_document
from engram.proposals.candidates import (
    candidate_fields,
    candidate_of_fields,
    format_candidate,
    looks_like_candidates,
    parse_candidates,
)
from engram.text.jsonc import JsoncError, parse

if TYPE_CHECKING:
    import random
    from pathlib import Path

KEY = "ghp_" + "A1b2C3d4E5f6" * 3
EXITS = {0, 1, 2, 3, 4, 5}  # what a command may end with (C59); a traceback is 1 too, and looked for


class Target:
    """A place where bytes come in, with a scratch workspace in which the real programs run.

    Args:
        folder: an empty folder that goes away afterwards.
    """

    name = ""
    shrinks = True
    seeds: tuple[bytes, ...] = ()
    words: tuple[bytes, ...] = ()
    lines: tuple[bytes, ...] = ()
    every = 100  # so many inputs between two looks by the real programs

    def __init__(self, folder: str) -> None:
        from pathlib import Path

        self.scratch = scratch_in(Path(folder))
        self.workspace = make_repository(self.scratch, Path(folder) / "project")
        self.engram("inject")
        self.root = self.workspace / ".agents" / ".engram"
        self.taken = self.refused = self.runs = 0
        self._waiting: list[bytes] = []

    def input(self, rng: random.Random) -> bytes:
        """Return an input that depends on nothing but the random numbers."""
        return Mutator(rng, self.seeds, self.words, self.lines).input()

    def check(self, data: bytes) -> None:
        """Feed one input; any exception that leaves this is a finding."""
        self.look(data)
        self._waiting.append(data)
        if len(self._waiting) >= self.every:
            waiting, self._waiting = self._waiting, []
            self.real(waiting)

    def look(self, data: bytes) -> None:
        """Feed one input to the code that reads it."""
        raise NotImplementedError

    def real(self, inputs: list[bytes]) -> None:
        """Let the real programs meet some of these inputs."""
        raise NotImplementedError

    def counts(self) -> str:
        """Say how many inputs were taken and refused, so that nobody trusts a fuzzer that only meets refusals."""
        return f"{self.taken:,} taken, {self.refused:,} refused, {self.runs:,} runs of the programs"

    def close(self) -> None:
        """End what still runs."""

    def engram(self, *words: str, env: dict[str, str] | None = None) -> tuple[int, str]:
        """Run the real ``engram``; return its exit code and output. It never shows a traceback."""
        done = subprocess.run(
            [*installed_engram(), *words], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
            cwd=self.workspace, env={**self.scratch.env, **(env or {})}, timeout=120, check=False,
            start_new_session=True,
        )  # fmt: skip
        said = f"engram {words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.returncode in EXITS, said
        assert "Traceback" not in done.stderr, said
        assert "report it" not in done.stderr, said
        if "--json" in words:
            json.loads(done.stdout)
        return done.returncode, done.stdout


def scratch_in(folder: Path) -> Scratch:
    """Return a home of its own, as the tests have one."""
    made = scratch.__wrapped__  # type: ignore[attr-defined]
    return made(folder)  # type: ignore[no-any-return]


class Frontmatter(Target):
    """A memory file: it is read or refused with a line; what is read comes back byte for byte and can be changed."""

    name = "frontmatter"
    lines = tuple(
        line.encode()
        for line in (
            "---", "--- ", "...", "id: a", "type: rule", "tags: [a, b]", "tags:", "  - a", "  - 'b'", "- c", "x: |",
            "  text", "y: >-", "z: 'q", '  r"', 'w: "e\\', "u: {a: b}", "s: &a", "t: *a", "v: !t x", "level: ~",
            "scope:  x  # y", "? a", ": b", "id: b", "ID: c", "#", "  # d", "", "   ", "# Title", "## Content",
            "## Origin", "### Light", "```", "~~~", "<!--", "-->", "<pre>", "- a", "  b", "    code", "> e", "===",
            "<<<<<<< x", "=======", ">>>>>>> y", "|||||||", "schema_version: 3", "schema_version: 99", "revision: 0x1",
            "created: 2026-02-30", "depends_on: [a]", "supersedes: a", "lifecycle: gone", "triggers: 用户，b",
        )
    )  # fmt: skip
    words = (*lines, b": ", b"- ", b" #", b"&", b"*", b"!", b"%", b"@", b"`", b"? ", b"<<: ", b"\\x", b"\\u", b"''")

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        seeds = []
        for here, _, names in os.walk(os.path.join(CASES, "legacy-root")):
            for name in sorted(names):
                if name.endswith(".md"):
                    with open(os.path.join(here, name), "rb") as file:
                        seeds.append(file.read())
        self.engram("--version")
        memories = Memories(self.root)
        path = memories.add("rule", "use-pnpm", "- Use pnpm.", sections="\n## Origin\n\n- a\n", tags="[a, 'b']")
        self.seeds = (*sorted(seeds), path.read_bytes())

    def look(self, data: bytes) -> None:
        try:
            document = parse_document(data, "rules/a.md")
        except FormatError as error:
            assert 0 <= error.line <= data.count(b"\n") + 2, error.line
            assert error.path == "rules/a.md"
            assert "\n" not in error.message
            self.refused += 1
            return
        assert document.to_bytes() == data
        self.as_yaml(document.entries)
        try:
            read_memory(data, path="rules/a.md", scope="workspace")
        except FormatError as error:
            assert 0 <= error.line <= data.count(b"\n") + 2, error.line
            self.refused += 1
            return
        self.taken += 1
        try:
            changed = update_document(document, {"tags": ("x", "y: z"), "origin": "- why\n# not a title"}).to_bytes()
        except FormatError as error:
            assert error.hint or "256" in error.message
            return
        again = parse_document(changed)
        assert again.get("tags") == ("x", "y: z")
        for entry in document.entries:
            if entry.key not in {"tags", "scope"}:
                assert again.get(entry.key) == entry.value, entry.key
        read_memory(changed, path="rules/a.md", scope="workspace")

    @staticmethod
    def as_yaml(entries: Any) -> None:
        """Compare the values with PyYAML's, where it takes the same lines and both mean the same by a line."""
        text = "\n".join([*[line.removesuffix("\r") for entry in entries for line in entry.lines], ""])
        if any(char in text for char in "\x85\u2028\u2029\t\r\ufeff") or "<<" in text:
            return
        try:
            loaded = yaml.load(text, Loader=yaml.BaseLoader)
        except (yaml.YAMLError, RecursionError):
            return
        for entry in entries:
            theirs = (loaded or {}).get(entry.key)
            if isinstance(theirs, str) and isinstance(entry.value, str):
                assert entry.value == ("" if theirs == "~" else theirs), entry.key
            elif isinstance(theirs, list) and all(isinstance(item, str) for item in theirs):
                assert entry.value == tuple(theirs), entry.key

    def real(self, inputs: list[bytes]) -> None:
        """Put the files into the memory: every reader goes on, names them, and leaves their bytes."""
        self.runs += 1
        files = {self.root / "rules" / f"f{number}.md": data for number, data in enumerate(inputs)}
        for path, data in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        if self.runs % 2:
            Memories(self.root).approve()  # as if a human had approved each, so that all of it is read
        for words in (["list"], ["load", "use text"], ["load", "--id", "f1"], ["repair"], ["scan"], ["status"]):
            self.engram(*words, "--json")
        for path, data in files.items():
            assert path.read_bytes() == data, path
        for path in files:
            path.unlink()


class Candidates(Target):
    """The candidates of an agent: they are read, or refused as a whole with the lines; nothing of them is lost."""

    name = "candidates"
    words = tuple(
        word.encode()
        for word in (
            "TYPE: rule", "TEXT: Use pnpm.", "TITLE: ", "CONTEXT: ", "TRIGGERS: a, b", "DEPENDS_ON: [a, b]", "LEVEL: ",
            "ROLE: qa，dev", "UPDATE: a", "SUPERSEDES: global/b", "CONFIDENCE: high", "SCOPE: both", "LIGHT: ",
            "BALANCED: ", "STRICT: ", " | ", "\\|", "|", "text：", "TYPE: workflow", "- ", "1. ", "* ", "```", "~~~",
            "UNKNOWN: x", ":", "：", "，", "、", "[", "]", "TYPE: rule | TEXT: a | TRIGGERS: x", KEY,
        )
    )  # fmt: skip
    lines = words
    seeds = (
        b"TYPE: rule | TEXT: Use pnpm for every install. | TRIGGERS: install, lockfile",
        b"```\n- TYPE: rule\n  TEXT: Use pnpm.\n  TITLE: Use pnpm\n\n- TYPE: knowledge\n  TEXT: a \\| b\n```",
        b"1. TYPE: skill | TEXT: Tag it. | LEVEL: 2 | ROLE: qa, dev | LIGHT: a | BALANCED: b | STRICT: c",
        "TYPE: knowledge | TEXT: 用户身份存储在 SQLite。 | TRIGGERS: 用户，身份".encode(),
        b"Use tabs in Makefiles.\n\nBecause make wants them.",
    )

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._server = Host(installed_server(), environ=self.scratch.env, cwd=self.workspace, stderr=subprocess.DEVNULL)
        self._server.handshake()

    def look(self, data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape" if len(data) % 5 == 0 else "replace")
        looks_like_candidates(text)
        try:
            found = parse_candidates(text)
        except UsageError as error:
            problems = error.details["problems"]
            assert isinstance(problems, list)
            assert problems
            assert all(1 <= problem["line"] <= len(text.splitlines()) + 1 for problem in problems)
            assert not re.search(rf"(?<!\w){KEY}(?!\w)", f"{error} {error.details}"), "a key is shown"
            self.refused += 1
            return
        self.taken += 1
        for candidate in found:
            assert candidate.text
            same = candidate.replace(line=1)
            assert candidate_of_fields(candidate_fields(candidate)).replace(line=1) == same
            try:
                line = format_candidate(candidate)
            except UsageError:
                continue
            assert [one.replace(line=1) for one in parse_candidates(line)] == [same], line

    def real(self, inputs: list[bytes]) -> None:
        """Propose them to a server: it answers each with a proposal or an error that says why, and lives."""
        self.runs += 1
        for data in inputs[::10]:
            text = data.decode("utf-8", "replace")
            for tool, more in (("engram_save_session", {}), ("engram_save", {"type": "rule"})):
                answer = self._server.request("tools/call", {"name": tool, "arguments": {"text": text, **more}})
                assert "error" not in answer, answer
                assert answer["result"]["content"][0]["text"], answer
        assert not list((self.root / "rules").glob("*.md")), "something was saved that nobody approved"

    def close(self) -> None:
        self._server.stop()


class Configuration(Target):
    """A configuration file: it counts or is refused with line and column; a change of one key leaves all the rest."""

    name = "configuration"
    words = (
        *(json.dumps(key.name).encode() for key in KEYS),
        *(json.dumps(part).encode() for key in KEYS for part in key.name.split(".")[:1]),
        *(word.encode() for word in (": ", ", ", "{}", "[]", "6", "-1", "1e3", "1.0", '"block"', '"allow"', '"both"')),
        *(word.encode() for word in ('"strict"', '["a"]', '"\\ud800"', "// x\n", "/* y */", '"safety.secret.jwt"')),
    )
    lines = (b"{", b"}", b'"load": {"limit": 6},', b'"load.limit": 7,', b'"scope": "global", // mine', b'"x": [1, {}],',
             b'"safety": {"personal": "allow"},', b'"safety.personal.email": "block",', b"/* a", b"*/", b"",
             b'"ignore": {"paths": ["a"]},', b'"global_path": "~/x",')  # fmt: skip
    seeds = (
        b'{\n  // mine\n  "scope": "global",\n  "load": { "limit": 6, "max_tokens": 900 }, /* two */\n}\n',
        b'{"load.limit": 6, "safety": {"secret": {"jwt": "block"}, "personal": "redact"}, "x": [1, {"a": null}]}',
        b'\xef\xbb\xbf{"trust": {"mode": "strict"}, "ignore.paths": ["*.key"], "lock": {"timeout": 5}}',
        b"{}",
    )

    def look(self, data: bytes) -> None:
        file = self.scratch.config / "tried.json"
        file.write_bytes(data)
        for layer in ("workspace_file", "global_file", "user_file"):
            files = {"workspace_file": None, "global_file": None, "user_file": None, layer: str(file)}
            try:
                found = load_settings(**files, environ={"HOME": "/h"}, workspace_trusted=len(data) % 2 == 0)
            except ConfigError as error:
                assert error.path == str(file)
                assert 0 <= error.line <= data.count(b"\n") + data.count(b"\r") + 2
                assert "\n" not in error.message
                self.refused += 1
                continue
            self.taken += 1
            for entry in found.entries():
                given = list(entry.value) if isinstance(entry.value, tuple) else entry.value
                assert entry.layer == "default" or validate(entry.name, given, "") == entry.value, entry
        self.edits(data)
        self.as_json(data)

    @staticmethod
    def edits(data: bytes) -> None:
        """Set and unset a key: it is there, or gone, and every other one is as it was."""
        try:
            text = data.decode()
            before = {name: place.value for name, place in scan_config(text, "f").known.items()}
            others = {name: place.value for name, place in scan_config(text, "f").unknown.items()}
        except (UnicodeDecodeError, ConfigError):
            return
        for name, value in (("load.limit", 4), ("scope", "both"), ("safety.personal.email", "allow"), ("scope", 1)):
            try:
                changed = set_key(text, name, value)
            except ConfigError:
                assert value == 1
                continue
            found = scan_config(changed, "f")
            assert {key: place.value for key, place in found.known.items()} == {**before, name: value}
            assert {key: place.value for key, place in found.unknown.items()} == others
            gone = scan_config(unset_key(changed, name), "f")
            assert {key: place.value for key, place in gone.known.items()} == {
                key: old for key, old in before.items() if key != name
            }
            if name not in before:
                assert unset_key(text, name) == text
            assert changed.count("//") + changed.count("/*") >= text.count("//") + text.count("/*")

    @staticmethod
    def as_json(data: bytes) -> None:
        """What the standard library takes as JSON is read as the same; only twice the same key and depth differ."""

        def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
            if len(dict(pairs)) != len(pairs):
                raise ValueError
            return dict(pairs)

        def refuse(name: str) -> object:
            raise ValueError(name)

        try:
            text = data.decode()
            theirs = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
            ours = parse(text)
        except (ValueError, RecursionError) as error:
            if isinstance(error, JsoncError):
                allowed = ("deep", "twice", "surrogate", "too large", "range", "digits", "half", "nested", "long")
                assert any(word in error.reason for word in allowed), error.reason
            return
        assert ours == theirs

    def real(self, inputs: list[bytes]) -> None:
        """Put some into the workspace: every command answers, and nothing but a change that was asked for writes."""
        self.runs += 1
        file = self.root / CONFIG_NAME
        for data in inputs[::25]:
            file.write_bytes(data)
            for words in (["config", "view"], ["list"], ["config", "get", "load.limit"]):
                self.engram(*words, "--json")
            assert file.read_bytes() == data
            code, _ = self.engram("config", "set", "load.limit", "5")
            if code:
                assert file.read_bytes() == data
        file.unlink()


class JsonRpc(Target):
    """The wire: each request with an id gets one answer that the official schema allows, and the server lives on."""

    name = "json-rpc"
    shrinks = False
    every = 1
    words = (
        *(f'"{word}"'.encode() for word in ("jsonrpc", "id", "method", "params", "result", "error", "_meta", "cursor")),
        *(f'"{word}"'.encode() for word in ("tools/call", "initialize", "ping", "resources/read", "name", "arguments")),
        b'"2.0"', b'"1.0"', b"1e400", b"-0", b"1.0", b"\\ud800", b"\\u0000", b":", b",", b"{}", b"[]",
    )  # fmt: skip

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        memories = Memories(self.root)
        memories.add("rule", "use-pnpm", "- Use pnpm for every install of a library.", title="Use pnpm")
        memories.add("knowledge", "用", "- 用户身份存储在 SQLite。", title="用户身份")
        self._schemas = Schemas()
        self._errors = open(os.path.join(folder, "stderr"), "w+b")  # noqa: SIM115
        self._server = Host(installed_server(), environ=self.scratch.env, cwd=self.workspace, stderr=self._errors)
        self._server.silent()
        self.seeds = tuple(json.dumps(message).encode() for message in recorded(ENGRAM))
        self.lines = self.seeds

    def input(self, rng: random.Random) -> bytes:
        """Return a few lines: changed recordings, or, as one number, what hypothesis is to draw its lines from."""
        if rng.random() < 0.05:
            return b"hypothesis %d" % rng.randrange(10**9)
        return super().input(rng)

    def check(self, data: bytes) -> None:
        if data.startswith(b"hypothesis "):
            self._draw(int(data.split()[1]))
        else:
            lines = [line for line in data.split(b"\n") if b"notifications/cancelled" not in line]
            for first in range(0, min(len(lines), 30), 3):
                serves(self._server, self._schemas, lines[first : first + 3])
                self.taken += len(lines[first : first + 3])
        self._errors.seek(0)
        said = self._errors.read()
        assert b"Traceback" not in said, said.decode("utf-8", "replace")

    def _draw(self, number: int) -> None:
        """Send lines of every kind that the contract's own fuzz test knows; hypothesis makes a failing one smaller."""
        quiet = list(HealthCheck)
        phases = (Phase.generate, Phase.shrink)

        @seed(number)
        @settings(max_examples=40, deadline=None, database=None, suppress_health_check=quiet, phases=phases)
        @given(batch=batches(ENGRAM))
        def tried(batch: list[bytes]) -> None:
            self.taken += len(batch)
            serves(self._server, self._schemas, batch)

        tried()

    def close(self) -> None:
        self._server.stop()
        self._errors.close()


TARGETS: dict[str, type[Target]] = {one.name: one for one in (Frontmatter, Candidates, Configuration, JsonRpc)}
