"""K: whatever stands in the files, the titles or on the wire, each memory is whole, named, or refused.

====  ==========================================================================================================
K1    test_every_title_gives_one_file_with_valid_yaml_that_reads_back_exactly, test_a_text_of_two_lines_…,
      test_two_spellings_of_one_letter_are_one_text_and_one_id, test_ids_that_differ_only_in_case_are_two_files_…
K2    test_what_is_read_tolerantly_…, test_what_cannot_be_read_is_named_with_line_and_reason_and_left
K3    test_link_twice_then_unlink_leaves_every_file_as_it_was; more of linking: test_link.py, test_link_files.py
K4    test_what_a_library_prints_while_a_tool_runs_stays_off_the_wire
====  ==========================================================================================================
"""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
import unicodedata
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.acceptance.persons import HOSTS, tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Runner, Scratch
    from tests.contract.conftest import Host, Memories

NFC, NFD = "caf\u00e9", "cafe\u0301"
HEAD = b"---\nid: x\ntype: rule\n---\n\n# "


@pytest.fixture
def root(engram: Runner, workspace: Path) -> Path:
    engram.ok("inject")
    return workspace / ".agents" / ".engram"


def approve(root: Path) -> None:
    """Write a ledger that vouches for every file, as if a human had approved what a test puts there."""
    paths = sorted(path.relative_to(root).as_posix() for kind in ("rules", "skills") for path in root.glob(f"{kind}/*"))
    lines = [f"{hashlib.sha256((root / path).read_bytes()).hexdigest()}  {path}\n" for path in paths]
    (root / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")


def put(root: Path, name: str, data: bytes) -> Path:
    path = root / "rules" / f"{name}.md"
    path.write_bytes(data)
    return path


def frontmatter(path: Path) -> dict[str, object]:
    """Read a file's frontmatter with a YAML library that is not ours."""
    found: dict[str, object] = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
    return found


TITLES = {
    "Governance: x": "governance-x",
    "'type' is x": "type-is-x",
    '"quoted" twice': "quoted-twice",
    "- dash": "dash",
    "# hash": "hash",
    "yes": "yes",
    "2026-01-01": "2026-01-01",
    "{a: [b, &c *d !e]}": "a-b-c-d-e",
    "C# and C++": "c-and-c",
    "CON": "con-memory",
    "nul.": "nul-memory",
    "a" * 300: "a" * 80,
    "用户身份要先确认": "用户身份要先确认",
    "每次部署前运行测试": "每次部署前运行测试",
    "đừng đẩy lên main": "đừng-đẩy-lên-main",
    "trailing dots...": "trailing-dots",
}


def test_every_title_gives_one_file_with_valid_yaml_that_reads_back_exactly(engram: Runner, root: Path) -> None:  # K1
    for title, name in TITLES.items():
        body = f"It is {name} that is meant."
        engram.save("rule", body, "--title", title)
        path = root / "rules" / f"{name}.md"
        assert path.exists(), f"{title} is not in {name}.md but among {sorted(p.name for p in path.parent.iterdir())}"
        assert frontmatter(path)["id"] == name or str(frontmatter(path)["id"]) == name
        shown = engram.json("show", name)["data"]
        assert shown["title"] == title
        assert shown["text"] == path.read_text(encoding="utf-8")
        assert f"- {body}\n" in shown["text"]
    assert len(list((root / "rules").iterdir())) == len(TITLES)
    assert engram.run("verify").returncode == 0
    listed = {memory["id"]: memory["title"] for memory in engram.json("list")["data"]["memories"]}
    assert listed == {name: title for title, name in TITLES.items()}


@pytest.mark.parametrize("title", ["---", "?!", "***", "…"])
def test_a_title_of_marks_reads_back_exactly_and_the_text_names_its_file(
    engram: Runner, root: Path, title: str
) -> None:  # K1
    engram.save("rule", "The gates close at nine.", "--title", title)
    path = root / "rules" / "the-gates-close-at-nine.md"
    assert frontmatter(path)["id"] == path.stem
    assert engram.json("show", path.stem)["data"]["title"] == title
    assert engram.run("verify").returncode == 0


def test_a_text_of_two_lines_is_kept_and_its_first_is_the_title(engram: Runner, root: Path) -> None:  # K1
    engram.save("rule", "the first line\nthe second line")
    text = (root / "rules" / "the-first-line.md").read_text(encoding="utf-8")
    assert "# the first line\n" in text
    assert "the first line\n" in text.partition("## Content")[2]
    assert "the second line\n" in text.partition("## Content")[2]


def test_a_title_of_two_lines_is_one_line_in_the_file(engram: Runner, root: Path) -> None:  # K1
    engram.save("rule", "It holds.", "--title", "the first line\nthe second line")
    (path,) = (root / "rules").iterdir()
    assert frontmatter(path)["id"] == path.stem == "the-first-line-the-second-line"
    assert "\n# the first line the second line\n" in path.read_text(encoding="utf-8")
    assert engram.json("show", path.stem)["data"]["title"] == "the first line the second line"


def made_up(number: int) -> str:
    """Return a sentence of words that no other one has."""
    rng = random.Random(number)
    return " ".join("".join(rng.choices("bdfglmnprstvz", k=3)) + f"a{rng.choice('eiou')}" for _ in range(8))


def test_every_title_that_an_agent_proposes_gives_the_same_file(
    engram: Runner, serve: Callable[..., Host], root: Path
) -> None:  # K1
    host = serve()
    host.handshake()
    # No two of them are near to each other: an agent would have to say how they belong together.
    rows = [f"TYPE: rule | TITLE: {title} | TEXT: {made_up(number)}" for number, title in enumerate(TITLES)]
    for row, name in zip(rows, TITLES.values(), strict=True):
        token = host.data("engram_save_session", text=row)["approval_token"]
        assert "Saved 1 of 1" in host.text("engram_commit", approval_token=token, approve="all"), row
        assert str(frontmatter(root / "rules" / f"{name}.md")["id"]) == name
    listed = {memory["id"]: memory["title"] for memory in engram.json("list")["data"]["memories"]}
    assert listed == {name: title for title, name in TITLES.items()}
    assert engram.run("verify").returncode == 0


def test_two_spellings_of_one_letter_are_one_text_and_one_id(engram: Runner, root: Path) -> None:  # K1, I2, F11
    engram.save("rule", f"The {NFC} closes at five", "--title", NFC)
    same = engram.ok("save", "rule", f"The {NFD} closes at five", "--title", NFD, input="A\n")
    assert "Verdict: NOOP" in same
    engram.save("rule", "Another house, which opens at nine", "--title", NFD)
    names = sorted(path.name for path in (root / "rules").iterdir())
    assert names == [f"{NFC}-2.md", f"{NFC}.md"]
    assert all(unicodedata.is_normalized("NFC", name) for name in names)
    assert "opens at nine" in engram.ok("show", f"{NFD}-2"), "an id is found however its letters are spelled"


def test_ids_that_differ_only_in_case_are_two_files_on_every_file_system(engram: Runner, root: Path) -> None:  # K1
    engram.save("rule", "One thing holds here", "--title", "Foo")
    engram.save("rule", "Quite another matter", "--title", "foo")
    names = sorted(path.name for path in (root / "rules").iterdir())
    assert names == ["foo-2.md", "foo.md"]
    assert "Quite another matter" in engram.ok("show", "FOO-2")


def test_the_same_text_gives_the_same_bytes(engram: Runner, root: Path, tmp_path: Path) -> None:  # F5
    other = tmp_path / "other"
    other.mkdir()
    engram.ok("inject", cwd=other)
    for folder in (engram.cwd, other):
        engram.save("rule", "Bytes: the same; 'always'.", "--triggers", "b, a", cwd=folder)
    first, second = (
        (folder / ".agents/.engram/rules/bytes-the-same.md").read_bytes() for folder in (root / "../..", other)
    )
    assert first == second


READABLE = {
    "bom": b"\xef\xbb\xbf" + HEAD + b"Mark\n\n## Content\n\n- text of bom\n",
    "crlf": (HEAD + b"Lines\n\n## Content\n\n- text of crlf\n").replace(b"\n", b"\r\n"),
    "no-end": HEAD + b"End\n\n## Content\n\n- text of no-end",
    "two": b"---\nid: two\ntype: rule\n---\n---\nid: other\n---\n\n# Two\n\n## Content\n\n- text of two\n",
    "block": b"---\nid: block\ntags:\n  - a\n  - b\nx: |\n  two\n  lines\ntype: rule # us\n---\n\n# B\n\ntext of block",
    "no-type": b"---\nid: no-type\n---\n\n# T\n\n## Content\n\n- text of no-type\n",
    "long-line": HEAD + b"Long\n\n## Content\n\n- text of long-line " + b"x" * 250_000 + b"\n",
}
UNREADABLE = {
    "empty": (b"", "empty", 0),
    "bare": (b"# A title\n\n- text of bare\n", "no frontmatter", 1),
    "open": (b"---\nid: open\n\n# Open\n\n- text of open\n", "never closed", 1),
    "broken": (b"---\nid: broken\ntags: [a, b\n---\n\n# B\n\n- text of broken\n", "never closed", 3),
    "indent": (b"---\nid: indent\n  type: rule\n---\n\n# B\n\n- text of indent\n", "", 3),
    "nul": (HEAD + b"N\0\n\n- text of nul\n", "NUL", 6),
    "latin": (HEAD + b"caf\xe9\n\n- text of latin\n", "UTF-8", 6),
    "anchor": (b"---\nid: anchor\nx: &a b\n---\n\n# A\n\n- text of anchor\n", "anchors", 3),
    "alias": (b"---\nid: alias\nx: *a\n---\n\n# A\n\n- text of alias\n", "anchors", 3),
    "tag": (b"---\nid: tag\nx: !!python/none b\n---\n\n# A\n\n- text of tag\n", "tags", 3),
    "conflict": (HEAD + b"C\n\n<<<<<<< HEAD\n- text of conflict\n=======\n- b\n>>>>>>> other\n", "conflict", 8),
    "newer": (b"---\nid: newer\nschema_version: 4\n---\n\n# A\n\n- text of newer\n", "newer", 3),
    "large": (HEAD + b"L\n\n- text of large " + b"x" * 2_000_000 + b"\n", "262,144", 0),
}


def test_what_is_read_tolerantly_is_read_and_its_bytes_stay(engram: Runner, root: Path) -> None:  # K2, F9
    paths = {name: put(root, name, data) for name, data in READABLE.items()}
    approve(root)
    for name in READABLE:
        assert f"text of {name}" in engram.ok("load", "--id", name)
        assert name in engram.json("load", f"text of {name}")["data"]["selected_keys"]
    assert engram.run("verify").returncode == 0
    assert {name: path.read_bytes() for name, path in paths.items()} == READABLE


def test_what_cannot_be_read_is_named_with_line_and_reason_and_left(
    engram: Runner, root: Path
) -> None:  # K2, J3, F8, F9
    paths = {name: put(root, name, data) for name, (data, _, _) in UNREADABLE.items()}
    approve(root)
    done = engram.run("verify")
    assert done.returncode == 4
    for name, (_, reason, line) in UNREADABLE.items():
        named = next(text for text in done.stdout.splitlines() if f"SKIPPED rules/{name}.md: " in text)
        assert reason in named
        assert not line or f"(line {line})" in named, named
        for command in (("show",), ("load", "--id")):
            alone = engram.run(*command, name)
            assert alone.returncode == 1, (command, name)
            assert f"rules/{name}.md" in alone.stderr
            assert reason in alone.stderr
            assert not line or f"line {line}" in alone.stderr
            assert "text of" not in alone.stdout + alone.stderr
    text = engram.ok("load", "text of anything")
    assert f"SKIPPED {len(UNREADABLE)} files" in text, "many at once are one line with their count (F13)"
    assert "text of" not in text
    assert f"SKIPPED {len(UNREADABLE)} files" in engram.ok("list")
    engram.save("rule", "Another one is saved beside them.")
    assert {name: path.read_bytes() for name, path in paths.items()} == {n: d for n, (d, _, _) in UNREADABLE.items()}


def test_an_update_of_what_cannot_be_read_is_refused_and_changes_nothing(engram: Runner, root: Path) -> None:  # F8
    path = put(root, "broken", UNREADABLE["broken"][0])
    approve(root)
    done = engram.run("save", "More of it.", "--update", "broken", input="A\n")
    assert done.returncode != 0
    assert "broken.md" in done.stderr
    assert path.read_bytes() == UNREADABLE["broken"][0]


def test_what_is_read_tolerantly_is_rewritten_as_utf8_with_unix_lines(engram: Runner, root: Path) -> None:  # F5
    data = READABLE["crlf"].replace(b"type: rule", b"schema_version: 3\r\ntype: rule\r\nx_ours: kept")
    path = put(root, "crlf", b"\xef\xbb\xbf" + data)
    approve(root)
    engram.save("And a second line.", "--update", "crlf")
    new = path.read_bytes()
    assert new.startswith(b"---\n")
    assert b"\r" not in new
    assert b"x_ours: kept\n" in new
    assert new.endswith(b"- And a second line.\n")


PATHS = (
    *("..", ".", "../rules/x", "a/../../b", "/etc/passwd", "rules/x", "C:x", "C:\\x", "\\\\host\\x", "a\\b", ".hidden"),
    *("", "global/../x", "workspace//etc/passwd", "global/C:x", "x\ny", "a" * 300),
)


def test_a_path_is_no_id_wherever_one_comes_in(engram: Runner, root: Path) -> None:  # F12
    commands: list[tuple[str, ...]] = [("archive", "--reason", "x"), ("save", "t", "--update")]
    commands += [("save", "t", "--supersedes"), ("load", "--id")]
    wrong: list[tuple[tuple[str, ...], str]] = [(("show",), memory_id) for memory_id in PATHS]
    wrong += [(command, memory_id) for command in commands for memory_id in ("..", "/etc/passwd", "C:\\x", "")]
    for command, memory_id in wrong:
        done = engram.run(*command, memory_id, input="A\n" if command[0] == "save" else None)
        assert done.returncode == 2, (command, memory_id, done.stdout, done.stderr)
        assert "Saved" not in done.stdout
        if (command[0], memory_id) != ("load", ""):
            assert "is no memory id" in done.stderr


@pytest.mark.slow
def test_ten_thousand_files_are_listed_loaded_and_added_to(engram: Runner, root: Path) -> None:
    for number in range(10_000):
        text = f"---\nid: fact-{number}\ntype: rule\n---\n\n# Fact {number}\n\n- Fact number {number} is kept.\n"
        (root / "rules" / f"fact-{number}.md").write_text(text, encoding="utf-8")
    approve(root)
    assert "Fact number 7777 is kept" in engram.ok("load", "--id", "fact-7777")
    pack = engram.json("load", "fact number 7777")["data"]
    assert pack["selected_keys"][0] == "fact-7777"
    assert len(pack["selected_keys"]) <= 32
    engram.save("rule", "One more than ten thousand.")
    lines = (root / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 10_001


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"load": {"limit": }}', 1, 20),
        ('{\n  "scope": "global",,\n}', 2, 21),
        ("", 1, 1),
        ("[1]", 1, 1),
        ('{"a": 1', 1, 8),
    ],
)
def test_a_configuration_that_is_no_json_is_named_with_line_and_column_and_kept(
    engram: Runner, root: Path, text: str, line: int, column: int
) -> None:
    path = root / "engram.config.json"
    path.write_text(text, encoding="utf-8")
    for command in (
        ("load", "anything"),
        ("save", "rule", "Something."),
        ("config", "set", "load.limit", "6"),
        ("config", "unset", "load.limit"),
        ("inject",),
        ("status",),
    ):
        done = engram.run(*command, input="A\n")
        if command == ("inject",) and done.returncode == 0:
            continue  # it needs no settings, and leaves them alone
        assert done.returncode == 3, command
        assert f"{path}" in done.stderr
        assert f"line {line}, column {column}" in done.stderr
    assert path.read_text(encoding="utf-8") == text


def test_the_users_own_configuration_that_is_no_json_is_not_overwritten(engram: Runner, root: Path) -> None:
    path = engram.scratch.config / "engram.config.json"
    path.write_text('{"scope": "global"', encoding="utf-8")
    for command in (("config", "set", "load.limit", "6", "--global"), ("inject", "--global-path", str(root / "../g"))):
        done = engram.run(*command)
        assert done.returncode == 3
        assert "line 1, column 19" in done.stderr
        assert str(path) in done.stderr
    assert path.read_text(encoding="utf-8") == '{"scope": "global"'


def test_names_of_every_kind_pass_sha256sum(engram: Runner, root: Path) -> None:
    program = shutil.which("sha256sum")
    if not program:
        pytest.skip("there is no sha256sum here")
    (root / "rules" / "sub folder").mkdir()
    for name in ("with space", "back\\slash", "new\nline", "用户", "-dash"):
        (root / "rules" / "sub folder" / f"{name}.md").write_bytes(HEAD + b"N\n\n- text\n")
    engram.save("rule", "One that is approved.")
    engram.ok("archive", "one-that-is-approved", "--reason", "x")
    engram.save("rule", "用户身份")
    subprocess.run([program, "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=root, check=True)
    assert engram.ok("list").count("SKIPPED") == 1


@pytest.mark.parametrize("scope", ["--workspace", "--global"])
@pytest.mark.parametrize("host", HOSTS)
def test_link_twice_then_unlink_leaves_every_file_as_it_was(
    engram: Runner, machine: Path, host: str, scope: str
) -> None:  # K3
    before = tree(machine)

    engram.ok("link", host, scope)
    linked = tree(machine)
    engram.ok("link", host, scope)
    assert tree(machine) == linked
    assert linked != before or (host, scope) == ("agents-md", "--global")

    engram.ok("unlink", host, scope)
    assert tree(machine) == before


def test_all_hosts_in_both_scopes_go_without_a_trace_in_any_order(engram: Runner, machine: Path) -> None:  # K3
    before = tree(machine)
    for order in (HOSTS, tuple(reversed(HOSTS))):
        engram.ok("link", *HOSTS, "--global", "--workspace")
        for host in order:
            engram.ok("unlink", host, "--global", "--workspace")
        assert tree(machine) == before


def test_where_nothing_was_nothing_stays(engram: Runner, scratch: Scratch, tmp_path: Path) -> None:
    before = tree(tmp_path)
    engram.ok("link", *HOSTS, "--global", "--workspace")
    assert len(tree(tmp_path)) > len(before) + 30
    engram.ok("unlink", "all", "--global", "--workspace")
    assert tree(tmp_path) == before


def test_what_a_library_prints_while_a_tool_runs_stays_off_the_wire(
    serve: Callable[..., Host], memories: Memories, tmp_path: Path
) -> None:  # K4, C15
    memories.add("rule", "oven", "- Clean the oven.")
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "def careless(event, _arguments):\n"
        "    if event == 'sqlite3.connect':\n"
        "        print('printed', flush=True)\n"
        '        os.write(1, b\'{"jsonrpc":"2.0","id":1,"result":{}}\\n\')\n'
        "sys.addaudithook(careless)\n",
        encoding="utf-8",
    )
    host = serve(PYTHONPATH=str(tmp_path))

    assert host.data("engram_load", query="clean the oven")["selected_keys"] == ["oven"]
    exit_code, stderr = host.close()
    assert exit_code == 0
    assert "printed" in stderr
    assert len(host.lines) == 1
