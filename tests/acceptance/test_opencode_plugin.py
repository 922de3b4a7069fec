"""The plugin that `engram link opencode` writes, run by the real Node: it asks the real hook, once for each message."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Runner, Scratch

NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="there is no node here")

# What OpenCode does with a plugin: a message, then several calls of the model, the title generator's among them.
DRIVER = """
import { Engram } from "./plugin.mjs"
const plugin = await Engram({ directory: process.cwd() })
const say = async (text) =>
  plugin["chat.message"]({ sessionID: "s1" }, { message: {}, parts: [{ type: "text", text }] })
const call = async (first) => {
  const output = { system: [first] }
  await plugin["experimental.chat.system.transform"]({ sessionID: "s1", model: {} }, output)
  return output.system
}
const seen = {}
await say("which package manager do we use for an install?")
seen.title = await call("You are a title generator. Be brief.")
seen.first = await call("You are an agent.")
seen.again = await call("You are an agent.")
await say("which package manager do we use for an install?")
seen.second = await call("You are an agent.")
await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
await say("hello")
seen.compacted = await call("You are an agent.")
console.log(JSON.stringify(seen))
"""


def drive(folder: Path, scratch: Scratch) -> dict[str, Any]:
    shutil.copy(folder / ".opencode/plugins/engram.js", folder / "plugin.mjs")
    (folder / "driver.mjs").write_text(DRIVER, encoding="utf-8")
    assert NODE is not None
    done = subprocess.run(
        [NODE, "driver.mjs"],
        cwd=folder,
        env=scratch.env,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def test_memory_comes_once_for_a_message_and_stays_for_its_calls(
    engram: Runner, scratch: Scratch, workspace: Path
) -> None:
    engram.ok("inject")
    engram.save("rule", "Use pnpm for every install of a package; npm rewrites the lockfile.")
    engram.ok("link", "opencode")

    seen = drive(workspace, scratch)

    assert seen["title"] == ["You are a title generator. Be brief."]
    given = "\n".join(seen["first"][1:])
    assert given.count("npm rewrites the lockfile") == 1
    assert seen["again"] == seen["first"]
    assert seen["second"] == seen["first"]  # the session has it already
    assert "Use pnpm" in "\n".join(seen["compacted"][1:])


def test_a_hook_that_is_gone_gives_nothing_and_stops_nobody(engram: Runner, scratch: Scratch, workspace: Path) -> None:
    engram.ok("link", "opencode")
    plugin = workspace / ".opencode/plugins/engram.js"
    text = plugin.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("const COMMAND"))
    plugin.write_text(text.replace(line, 'const COMMAND = ["/nowhere/engram", "hook", "opencode"]'), encoding="utf-8")
    seen = drive(workspace, scratch)
    assert seen["first"] == ["You are an agent."]
