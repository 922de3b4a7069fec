"""``engram load``: tiers within a budget, the same bytes everywhere, sensible answers to any task (C33 to C35)."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from engram.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner

KEYS = ["text", "selected_keys", "body_keys", "card_ids", "omitted_ids", "tokens"]


def put(root: Path, kind: str, memory_id: str, content: str, **keys: str) -> None:
    """Write an approved memory file straight to the disk, with its line in the ledger: many saves would take long."""
    folder = {"rule": "rules", "skill": "skills", "knowledge": "knowledge"}[kind]
    scope = "workspace" if root.name == ".engram" else "global"
    fields = {
        "author_email": "ada@example.test", "author_name": "Ada", "confidence": "high", "created": "2024-01-01",
        "authority": "reference" if kind == "knowledge" else "instruction", "id": memory_id, "revision": "1",
        "schema_version": "3", "scope": scope, "source": "manual", "tags": "[]", "type": kind,
        "updated": "2024-01-01", "valid_from": "2024-01-01", "last_confirmed": "2024-01-01", **keys,
    }  # fmt: skip
    head = "".join(f"{name}: {value}\n" for name, value in sorted(fields.items()))
    title = keys.get("title", memory_id.replace("-", " ").capitalize())
    data = f"---\n{head}---\n\n# {title}\n\n## Content\n\n{content}\n".encode()
    file = root / folder / f"{memory_id}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    ledger = root / "SHA256SUMS"
    old = ledger.read_text(encoding="utf-8").splitlines() if ledger.exists() else []
    lines = [line for line in old if not line.endswith(f"  {folder}/{memory_id}.md")]
    lines.append(f"{hashlib.sha256(data).hexdigest()}  {folder}/{memory_id}.md")
    ledger.write_text("".join(f"{line}\n" for line in sorted(lines, key=lambda line: line[66:])), "utf-8", newline="\n")


@pytest.fixture
def full_root(root: Path) -> Path:
    """Put twenty memories about deploying there, and one about prices."""
    for number in range(20):
        words = " ".join(f"detail{number}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[: 4 + number])
        kind = ("rule", "skill", "knowledge")[number % 3]
        put(root, kind, f"deploy-step-{number:02}", f"- Deploy step {number}: {words}")
    put(root, "knowledge", "prices", "- Prices are integers in cents.")
    return root


def load(engram: Runner, *args: str) -> dict[str, list[str]]:
    """Return the data of a load that has to succeed; ``text`` and ``tokens`` are checked here."""
    envelope = engram.json("load", *args)
    assert envelope["ok"], envelope
    data: dict[str, list[str]] = envelope["data"]
    assert list(data) == KEYS
    assert data["selected_keys"] == [*data["body_keys"], *data["card_ids"]]
    assert not set(data["selected_keys"]) & set(data["omitted_ids"])
    text = envelope["data"]["text"]
    assert text.count("<engram-memory ") == text.count("</engram-memory>") == len(data["body_keys"])
    assert envelope["data"]["tokens"] == estimate_tokens(text)
    return data


def test_bodies_then_cards_then_what_the_budget_left_out(engram: Runner, full_root: Path) -> None:
    # C34
    data = load(engram, "deploy step", "--budget-tokens", "16000")
    assert (len(data["body_keys"]), len(data["card_ids"]), data["omitted_ids"]) == (8, 8, [])
    text = engram.ok("load", "deploy step", "--budget-tokens", "16000")
    for key in data["card_ids"]:
        (line,) = [line for line in text.splitlines() if line.startswith(f"- {key} ")]
        assert "tokens]" in line
    assert "Prices" not in text
    bodies = load(engram, "deploy step", "--budget-tokens", "16000", "--disclosure", "bodies")
    assert bodies["body_keys"] == data["body_keys"]
    assert bodies["card_ids"] == []
    cards = load(engram, "deploy step", "--disclosure", "cards", "--budget-tokens", "16000")
    assert cards["body_keys"] == []
    assert sorted(cards["card_ids"]) == sorted(data["selected_keys"])
    engram.ok("config", "set", "load.limit", "2")
    small = load(engram, "deploy step")
    assert (len(small["body_keys"]), len(small["card_ids"])) == (2, 2)


def test_a_budget_is_never_exceeded(engram: Runner, full_root: Path) -> None:
    # C34, C35
    seen = 0
    for budget in (50, 51, 60, 75, 100, 150, 222, 400, 801):
        for disclosure in ("auto", "bodies", "cards"):
            data = load(engram, "deploy step", "--budget-tokens", str(budget), "--disclosure", disclosure)
            assert int(str(data["tokens"])) <= budget
            seen += len(data["selected_keys"])
            hits = 8 if disclosure == "bodies" else 16
            assert len(data["selected_keys"]) + len(data["omitted_ids"]) == hits, "nothing is dropped silently"
    assert seen > 50
    for limit in ("60", "300"):
        full = load(engram, "deploy step", "--full", "--budget-tokens", limit)
        assert int(str(full["tokens"])) <= int(limit)
        assert len(full["body_keys"]) + len(full["omitted_ids"]) == 8


def test_a_budget_out_of_range_is_refused(engram: Runner, full_root: Path) -> None:
    for wrong in ("49", "16001", "-1", "0", "1e3", "9" * 30, ""):
        assert engram.run("load", "deploy", f"--budget-tokens={wrong}").returncode == 2


def test_full_gives_whole_memories_and_no_cards(engram: Runner, root: Path) -> None:
    # C33
    engram.ok(
        "save", "rule",
        "TEXT: Review each migration. | TYPE: rule | CONTEXT: Outage in May. | LIGHT: Look at it. | STRICT: Two look",
        input="B ask Bo\n",
    )  # fmt: skip
    short = engram.ok("load", "review migration")
    assert "Outage" not in short
    assert "ask Bo" not in short
    for args in (("review migration", "--full"), ("--id", "review-each-migration")):
        whole = engram.ok("load", *args)
        for part in ("Review each migration.", "Outage in May.", "Look at it.", "Two look", "ask Bo"):
            assert part in whole
    engram.ok("config", "set", "rule_variant", "strict")
    strict = engram.ok("load", "review migration")
    assert "Two look" in strict
    assert "Look at it." not in strict


def test_a_dry_run_names_the_same_memories_without_their_text(engram: Runner, full_root: Path) -> None:
    real = load(engram, "deploy step")
    envelope = engram.json("load", "deploy step", "--dry-run")["data"]
    assert envelope["text"] == ""
    assert {**envelope, "text": real["text"]} == real
    shown = engram.ok("load", "deploy step", "--dry-run")
    assert f"{real['tokens']} tokens" in shown
    assert all(key in shown for key in real["selected_keys"])
    assert "detail" not in shown


def test_prerequisites_come_before_what_needs_them(engram: Runner, root: Path) -> None:
    # C34
    put(root, "skill", "release", "- Release the package with the script.", depends_on="[tag, sign]")
    put(root, "skill", "tag", "- Make an annotated mark.", depends_on="[changelog]")
    put(root, "skill", "changelog", "- Close the section.", depends_on="[release]")
    put(root, "knowledge", "sign", "- The hardware token is in the drawer.")
    put(root, "knowledge", "other", "- Nothing to do with it.", depends_on="[gone, release]")
    keys = load(engram, "release the package")["selected_keys"]
    assert set(keys) >= {"release", "tag", "changelog", "sign"}
    assert keys.index("changelog") < keys.index("tag") < keys.index("release")
    assert keys.index("sign") < keys.index("release")
    assert len(keys) == len(set(keys))


def test_a_prerequisite_of_a_hit_comes_too_where_another_hit_needs_that_hit(engram: Runner, root: Path) -> None:
    # C34: the ranking has the skill first, and the rule that it needs is a hit as well.
    put(root, "rule", "base", "- Corepack is enabled.")
    put(root, "rule", "pnpm", "- Install with pnpm.", depends_on="[base]")
    put(root, "skill", "release", "- Release the release: tag the merge commit.", depends_on="[drawer, pnpm]")
    put(root, "knowledge", "drawer", "- The hardware token is in there.")
    for task in ("release", "install", "install for the release", "release, tag, install with pnpm"):
        keys = load(engram, task)["selected_keys"]
        assert keys.index("base") < keys.index("pnpm"), task
        if "release" in task:
            assert max(keys.index("pnpm"), keys.index("drawer")) < keys.index("release"), task
        listed = [entry["id"] for entry in engram.json("route", task)["data"]["entries"]]
        assert listed == keys


def test_more_prerequisites_than_a_pack_has_room_for_are_given_as_cards(engram: Runner, root: Path) -> None:
    # C34: they are no hits, so their number is not bounded, but by the budget.
    for number in range(20):
        need = {"depends_on": f"[link-{number - 1}]"} if number else {}
        put(root, "rule", f"link-{number}", f"- Alpha{number}.", **need)
    put(root, "skill", "zeppelin", "- Inspect the hull of the zeppelin.", depends_on="[link-19]")
    put(root, "skill", "paint", "- Paint the hull.")
    chain = [*(f"link-{number}" for number in range(20)), "zeppelin"]
    data = load(engram, "inspect the hull of the zeppelin")
    assert data["body_keys"] == ["paint"]
    assert data["card_ids"] == chain
    assert load(engram, "inspect the hull of the zeppelin", "--full")["body_keys"] == [*chain, "paint"]
    bodies = load(engram, "inspect the hull of the zeppelin", "--disclosure", "bodies")
    assert bodies["body_keys"] == ["paint"]
    assert bodies["omitted_ids"] == chain
    assert "Left out for lack of room: link-0, link-1" in str(bodies["text"])
    assert load(engram, "inspect the hull of the zeppelin", "--budget-tokens", "100")["body_keys"] == ["paint"]


def test_what_two_hits_need_stands_before_the_one_that_there_is_room_for(engram: Runner, root: Path) -> None:
    # C34
    put(root, "knowledge", "base", "- The token is in the drawer.")
    put(root, "skill", "long", "- Inspect the zeppelin. " + "Look at every seam. " * 400, depends_on="[base]")
    put(root, "skill", "short", "- Inspect the zeppelin and its hull now and then, in autumn.", depends_on="[base]")
    for task in ("inspect the zeppelin", "inspect the hull of the zeppelin"):
        data = load(engram, task)
        assert data["body_keys"] == ["base", "short"], task
        assert data["card_ids"] == ["long"], task


def test_nothing_stands_before_what_it_needs_though_that_is_too_long(engram: Runner, root: Path) -> None:
    # C34: a body that does not fit becomes a card, and so does what needs it.
    put(root, "skill", "long", "- Inspect the zeppelin. " + "Look at every seam. " * 400)
    put(root, "skill", "short", "- Inspect the zeppelin and its hull.", depends_on="[long]")
    put(root, "skill", "other", "- Inspect the seams of the zeppelin.")
    data = load(engram, "inspect the zeppelin hull")
    assert data["body_keys"] == ["other"]
    assert data["card_ids"] == ["long", "short"]


def test_what_an_edited_hit_needs_is_there_for_the_other_hit_alone(engram: Runner, root: Path) -> None:
    # C34, F13
    put(root, "knowledge", "base", "- The token is in the drawer.")
    put(root, "skill", "first", "- Inspect the zeppelin hull.", depends_on="[base]")
    put(root, "skill", "second", "- Inspect the zeppelin now and then.", depends_on="[base]")
    put(root, "knowledge", "alone", "- The drawer is green.")
    put(root, "skill", "third", "- Inspect every zeppelin.", depends_on="[alone]")
    load(engram, "inspect the zeppelin hull")
    for name in ("first", "third"):
        path = root / "skills" / f"{name}.md"
        path.write_bytes(path.read_bytes() + b"- Added by hand.\n")
    assert load(engram, "inspect the zeppelin hull")["selected_keys"] == ["base", "second"]


def test_search_is_in_the_order_of_the_scores_whatever_needs_what(engram: Runner, root: Path) -> None:
    # C36: what the best hit needs takes no better hit's place.
    put(root, "skill", "best", "- Zeppelin hull, zeppelin seams.", depends_on="[weak]")
    for number in range(3):
        put(root, "skill", f"good-{number}", "- The zeppelin hull.")
    put(root, "skill", "weak", "- The zeppelin, " + "seen from afar by some people, " * 3)
    scores = {entry["id"]: entry["score"] for entry in engram.json("search", "zeppelin hull")["data"]["entries"]}
    assert min(scores, key=lambda key: scores[key]) == "weak"
    found = engram.json("search", "zeppelin hull", "--limit", "3")["data"]["entries"]
    assert [entry["id"] for entry in found] == list(scores)[:3]


def test_what_was_saved_where_the_clock_is_ahead_is_given_at_once(engram: Runner, root: Path) -> None:
    # A save writes its day; on a machine whose clock is behind, that day is still to come.
    put(root, "rule", "ahead", "- Deploy with two people.", valid_from="2999-01-01", last_confirmed="2999-01-01")
    put(root, "rule", "planned", "- Deploy with the future tool.", valid_from="2999-01-02", last_confirmed="2999-01-01")
    assert load(engram, "deploy")["selected_keys"] == ["ahead"]
    assert "left out planned: valid from 2999-01-02" in engram.ok("load", "deploy", "--explain")


def test_both_scopes_are_routed_and_keys_tell_them_apart(engram: Runner, root: Path, global_root: Path) -> None:
    # C35, F20
    put(root, "rule", "deploy", "- Deploy with the script of this project.")
    put(global_root, "rule", "deploy", "- Deploy on weekdays.")
    put(root, "rule", "deploy-twice", "- Deploy to staging first.")
    put(global_root, "rule", "deploy-twice", "- Deploy to staging first.")
    put(global_root, "rule", "deploy-alone", "- Deploy with somebody beside you.")
    keys = load(engram, "deploy")["selected_keys"]
    assert sorted(keys) == ["deploy", "deploy-alone", "deploy-twice", "global/deploy"]
    for key in keys:
        one = load(engram, "--id", key)
        assert one["body_keys"] == [key]
        assert f'id="{key}"' in str(one["text"])
    assert "weekdays" in str(load(engram, "--id", "global/deploy")["text"])
    assert "script" in str(load(engram, "--id", "workspace/deploy")["text"])
    assert load(engram, "--id", "global/deploy-alone")["body_keys"] == ["deploy-alone"]
    assert engram.run("load", "--id", "workspace/deploy-alone").returncode == 7


def test_a_file_that_nobody_approved_is_skipped_and_named(engram: Runner, full_root: Path) -> None:
    # F13
    file = full_root / "knowledge" / "prices.md"
    file.write_bytes(file.read_bytes() + b"- Prices are secret orders.\n")
    shown = engram.ok("load", "prices in cents")
    assert "SKIPPED knowledge/prices.md" in shown
    assert "secret orders" not in shown
    envelope = engram.json("load", "prices in cents")
    assert "prices.md" in json.dumps(envelope["diagnostics"])
    assert engram.run("load", "--id", "prices").returncode == 4


def test_foreign_memory_is_given_as_reference_and_says_so(engram: Runner, legacy_root: Path) -> None:
    # F18, C1
    ids = [memory["id"] for memory in engram.json("list")["data"]["memories"]]
    assert len(ids) == 4
    for memory_id in ids:
        first = engram.ok("load", "--id", memory_id).splitlines()[0]
        assert 'authority="reference"' in first
        assert "foreign: reference only" in first
        assert "foreign" not in engram.ok("load", "--id", memory_id, env={"ENGRAM_TRUST": "1"}).splitlines()[0]


def test_an_archived_memory_is_neither_loaded_nor_routed_but_can_be_read(engram: Runner, full_root: Path) -> None:
    engram.ok("archive", "prices", "--reason", "we bill in points now")
    assert load(engram, "prices in cents")["selected_keys"] == []
    done = engram.run("load", "--id", "prices")
    assert done.returncode == 7
    assert "archived" in done.stderr
    assert "Prices are integers" in engram.ok("show", "prices")


def test_reading_that_is_switched_off_answers_so(engram: Runner, full_root: Path) -> None:
    # F21 read
    engram.ok("config", "set", "read", "off")
    for args in (("deploy",), ("--id", "prices")):
        done = engram.run("load", *args)
        assert done.returncode == 5
        assert "read: off" in done.stderr
        assert done.stdout == ""


def test_without_a_memory_the_way_to_one_is_named(engram: Runner) -> None:
    done = engram.run("load", "deploy")
    assert done.returncode == 7
    assert "engram inject" in done.stderr
