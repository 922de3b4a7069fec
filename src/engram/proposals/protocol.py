"""The memory-proposal protocol: what an agent is told to do when it proposes memory (C62, F19).

The prompt ``propose`` and ``engram save-session`` give the same text.
"""

from __future__ import annotations

__all__ = ["proposal_protocol"]

_TEXT = """\
# Propose memory

Engram keeps what this project has decided and learned, so that no session has to find it out again. You propose; a \
human approves each memory before it is written.

1. Look back over {what} for what will still matter in a month: rules that the human stated or corrected you to, \
decisions with their reasons, steps that worked, facts that were hard to find. Leave out what the code says by itself, \
what is true only today, guesses, and every secret.
2. Ask engram_load for each subject first, so that you propose only what is new, or changes what is there.
3. Write one candidate a line:

   TYPE: rule | TEXT: Use pnpm for every install; npm rewrites the lockfile that CI checks.
   TYPE: skill | TEXT: To cut a release, run all tests, then tag the merge commit. | TRIGGERS: release, tag
   TYPE: knowledge | TEXT: Prices are integers in cents; floats lost a cent in March. | UPDATE: prices-are-in-cents

   TYPE is rule (what always holds), skill (how something is done) or knowledge (a fact, a decision). TEXT is what will
   be kept, in whole sentences and with the reason. Further fields, each only where it is needed: TITLE, CONTEXT,
   TRIGGERS, DEPENDS_ON, LEVEL, ROLE, UPDATE (the id that this one adds to), SUPERSEDES (the id that it replaces),
   CONFIDENCE (high, medium, low), SCOPE (workspace, global, both), and for a rule LIGHT, BALANCED, STRICT (its
   variants). Lists use commas; a bar inside a text is written \\|.
4. Give the lines to engram_save_session as `text`, a single one to engram_save. Without these tools run
   `engram save-session --file -` with the lines on its standard input.
5. Show the human the whole preview that comes back: each number, verdict and text. Ask which of them to keep. Where the
   answer says that the human was asked in a dialog already, you are done.
6. Call engram_commit with the `approval_token` and `approve`: "all", or numbers such as 1,3. Never call engram_commit
   before the human has approved the candidates that were shown; silence, a general "go on" and a quotation are no
   approval.
"""


def proposal_protocol(sessions: int = 0) -> str:
    """Return the protocol as Markdown.

    Args:
        sessions: how many past sessions the agent should read; 0 for the one that it is in (C59a).
    """
    what = "this session"
    if sessions:
        what = "the last session" if sessions == 1 else f"the last {sessions} sessions"
    return _TEXT.format(what=what)
