"""The plugin that stands for hooks in OpenCode: it asks ``engram hook opencode`` and puts the answer into the prompt.

The hook reads ``session_id``, ``cwd`` and ``event``: ``start`` with ``source`` before a session's first message and
after a compaction, ``prompt`` with ``prompt`` for each message. It answers with ``additionalContext``.
"""

from __future__ import annotations

from engram.hosts.launch import form_of, hook_host
from engram.hosts.part import Edit, Part
from engram.hosts.text_part import OwnFile
from engram.text.jsonc import JsoncError, dumps, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.part import State, Wish

__all__ = ["OpencodePlugin"]

_COMMAND = "const COMMAND = "
_BODY = """\
// Gives the agent the memory that belongs to a prompt. Written by `engram link opencode`; taken out by `engram unlink`.
import { spawn } from "node:child_process"

const COMMAND = $command
const WAIT = 5000 // milliseconds
const MOST = 18000 // characters of one session; what is older than the newest of these goes

function ask(payload) {
  return new Promise((resolve) => {
    let out = ""
    const give = () => {
      try {
        resolve(JSON.parse(out).additionalContext ?? "")
      } catch {
        resolve("")
      }
    }
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout: WAIT })
      child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
      child.on("error", () => resolve(""))
      child.on("close", give)
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })
}

export const Engram = async ({ directory }) => {
  const sessions = new Map()

  async function add(session, payload) {
    const text = await ask({ session_id: session.id, cwd: directory, ...payload })
    if (text) session.texts.push(text)
    while (session.texts.length > 1 && session.texts.join("").length > MOST) session.texts.splice(1, 1)
  }

  return {
    // Once for each message; the calls of the model that follow it take what is kept here.
    "chat.message": async (input, output) => {
      const known = sessions.get(input.sessionID)
      const session = known ?? { id: input.sessionID, texts: [], source: "startup" }
      sessions.set(input.sessionID, session)
      if (session.source) {
        const source = session.source
        session.source = ""
        session.texts = []
        await add(session, { event: "start", source })
      }
      const prompt = (output.parts ?? [])
        .filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\\n")
      if (prompt) await add(session, { event: "prompt", prompt })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const texts = sessions.get(input.sessionID)?.texts ?? []
      if (texts.length && !output.system[0]?.startsWith("You are a title generator")) output.system.push(...texts)
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID
      if (event.type === "session.compacted" && sessions.has(id)) sessions.get(id).source = "compact"
      if (event.type === "session.deleted") sessions.delete(event.properties?.info?.id ?? id)
    },
  }
}
"""


class OpencodePlugin(Part):
    """The plugin's file; what it starts is written into it."""

    def file_for(self, wish: Wish) -> OwnFile:
        """Return the file as it would be written."""
        body = _BODY.replace("$command", dumps([*wish.hook, "hook", wish.host], None))
        return OwnFile(part=self.part, file=self.file, body=body, comment="// {}")

    def link(self, text: str, wish: Wish) -> Edit:
        """Write the file; as with other hooks only a pin of the same kind is written afresh (C12)."""
        own = self.file_for(wish)
        if own.state(text, wish) == "stale" and not (wish.force or wish.refresh):
            old, new = self.command(text), (*wish.hook, "hook", wish.host)
            forms = form_of(old[:-2], "engram"), form_of(new[:-2], "engram")
            if forms[0] and forms[1] and forms[0].kind != forms[1].kind:
                own = self.file_for(wish.replace(hook=old[:-2]))
        return own.link(text, wish)

    def unlink(self, text: str, wish: Wish, made: tuple[tuple[str, ...], ...], known: tuple[str, ...]) -> Edit:
        """Take the file away, if nobody edited it."""
        return self.file_for(wish).unlink(text, wish, made, known)

    def state(self, text: str, wish: Wish) -> State:
        """Tell whose file stands there."""
        return self.file_for(wish).state(text, wish)

    def command(self, text: str) -> tuple[str, ...]:
        """Return the words of the command that the file starts, ``()`` where there is none."""
        line = next((line for line in text.splitlines() if line.startswith(_COMMAND)), "")
        try:
            words = parse(line.removeprefix(_COMMAND))
        except JsoncError:
            return ()
        found = tuple(word for word in words if isinstance(word, str)) if isinstance(words, list) else ()
        return found if hook_host(" ".join(f'"{word}"' for word in found)) else ()
