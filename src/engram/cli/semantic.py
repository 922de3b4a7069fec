"""``semantic``."""

from __future__ import annotations

import sys

from engram.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.semantic import SemanticState
    from engram.service.session import Session

__all__ = ["semantic_command"]

_SAID = {"table": "Making the table of embeddings", "vectors": "Comparing memories"}


def semantic_command(session: Session, parsed: Parsed, output: Output) -> int:
    """``semantic on|off|status``: recall by meaning, beside recall by words."""
    from engram.service.semantic import semantic_state, switch_off, switch_on

    match parsed.word("ACTION") or "status":
        case "on":
            state, made = switch_on(session, _progress(output))
            output.text("Recall by meaning is on." if made else "Recall by meaning is on already.")
            _tell(state, output)
            return output.done({**_data(state), "changed": made})
        case "off":
            gone = switch_off(session)
            output.text("Recall by meaning is off." if gone else "Recall by meaning is off already.")
            return output.done({"on": False, "changed": gone})
        case "status":
            state = semantic_state(session)
            if state.on:
                output.text("Recall by meaning is on.")
                _tell(state, output)
            elif state.problem:
                output.text(f"Recall by meaning is off: {state.table} cannot be used ({state.problem}).")
                output.text("Make it anew: engram semantic on")
            else:
                output.text("Recall by meaning is off.")
                have = state.package or 'The package that it needs is missing; in a checkout: pip install ".[semantic]"'
                output.text(f"{have} is installed: engram semantic on" if state.package else have)
            return output.done(_data(state))
        case other:
            raise UsageError(f"engram semantic does not know {other}.", hint="It is on, off or status.")


def _tell(state: SemanticState, output: Output) -> None:
    output.text(f"Table: {state.table} ({state.size / 1_000_000:.1f} MB, from {state.made_from})")
    for root in state.roots:
        output.text(f"{root.scope} memory: {root.ready} of {root.memories} memories are ready")


def _data(state: SemanticState) -> dict[str, object]:
    return {**state.as_dict(), "roots": [root.as_dict() for root in state.roots]}


def _progress(output: Output) -> Callable[[str, int, int], None]:
    """Return what shows how far the work is: a line that is written over at a terminal, else one line for each part."""
    said: set[str] = set()

    def show(what: str, done: int, count: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{_SAID[what]}: {done:,} of {count:,} …" + ("\n" if done >= count else ""))
            sys.stderr.flush()
        elif what not in said:
            said.add(what)
            output.aside(f"{_SAID[what]} …")

    return show
