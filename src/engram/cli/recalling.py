"""``load``, ``search``, ``route``: what recall finds, as text for agents and people or as data."""

from __future__ import annotations

from engram.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.recall.pack import Pack
    from engram.service.recalling import Recall
    from engram.service.searching import Listed
    from engram.service.session import Session

__all__ = ["load_command", "route_command", "search_command"]


def load_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print the pack for a task, or one memory whole (C33 to C35)."""
    task, memory_id = parsed.word("TASK"), parsed.value("id")
    if bool("TASK" in parsed.words) == bool(memory_id):
        raise UsageError(
            "engram load takes a task or an id, not both." if memory_id else "engram load needs a task or an id.",
            hint='engram load "what you are about to do", or engram load --id ID',
        )
    recall: Recall | None = None
    dry = parsed.given("dry-run")
    if memory_id:
        from engram.service.reading import load_id

        pack, _ = load_id(session, memory_id, counted=not dry)
    else:
        from engram.service.recalling import load

        loaded = load(
            session,
            task,
            budget=parsed.integer("budget-tokens"),
            disclosure=parsed.value("disclosure") or "auto",
            full=parsed.given("full"),
            everything=parsed.given("all"),
            without=_without(parsed),
            counted=not dry,
        )
        pack, recall = loaded.pack, loaded.recall
    text = "\n".join(_plan(pack, recall)) if dry else pack.text
    data: dict[str, object] = {
        "text": "" if dry else pack.text,
        "selected_keys": list(pack.selected_keys),
        "body_keys": list(pack.body_keys),
        "card_ids": list(pack.card_ids),
        "omitted_ids": list(pack.omitted_ids),
        "tokens": pack.tokens,
    }
    return _answer(session, parsed, output, text, data, recall)


def search_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print ids, scores and snippets with the matches marked (C36)."""
    from engram.service.searching import search

    limit = parsed.integer("limit")
    found = search(
        session,
        parsed.word("QUERY"),
        limit=8 if limit is None else limit,
        kind=parsed.value("type"),
        scope=parsed.value("scope"),
        everything=parsed.given("all"),
        without=_without(parsed),
    )
    data: dict[str, object] = {"entries": [entry.as_dict() for entry in found.entries]}
    if found.nothing:
        data["nothing"] = found.nothing
    text = _only_named(found.text, found.entries, data) if parsed.given("dry-run") else found.text
    return _answer(session, parsed, output, text, data, found.recall)


def route_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print what kind of task it is, and what it routes to, in load order (C36)."""
    from engram.service.searching import route

    routed = route(session, parsed.word("TASK"), everything=parsed.given("all"), without=_without(parsed))
    data: dict[str, object] = {
        "intent": {name: list(found) for name, found in routed.intent.as_dict().items()},
        "entries": [entry.as_dict() for entry in routed.entries],
    }
    if routed.nothing:
        data["nothing"] = routed.nothing
    text = _only_named(routed.text, routed.entries, data) if parsed.given("dry-run") else routed.text
    return _answer(session, parsed, output, text, data, routed.recall)


def _answer(  # noqa: PLR0917
    session: Session, parsed: Parsed, output: Output, text: str, data: dict[str, object], recall: Recall | None
) -> int:
    """Print an answer with the lines for what may not be shown and, where asked for, the reasons."""
    skipped = recall.skipped if recall else ()
    output.text("\n".join([text, *skipped]))
    if output.as_json:
        for line in skipped:
            session.say("skipped", "skipped", line)
    if parsed.given("explain") and recall is None:
        output.text("\nIt was asked for by its id: nothing was ranked.")
        data["explain"] = {"hits": [], "asked_for": parsed.value("id")}
    elif recall and parsed.given("explain"):
        from engram.service.explaining import explained, explained_data

        output.text("\n".join(["", *explained(recall)]))
        data["explain"] = explained_data(recall)
    return output.done(data, fenced=True)


def _without(parsed: Parsed) -> tuple[str, ...]:
    from engram.recall.rank import SIGNALS

    given = tuple(word.strip() for word in parsed.value("without").split(",") if word.strip())
    for name in given:
        if name not in SIGNALS:
            known = "\n".join(f"  {signal}: {meaning}" for signal, meaning in SIGNALS.items())
            raise UsageError(f"{name} is no signal of the ranking.", hint=f"These are the signals:\n{known}")
    return given


def _plan(pack: Pack, recall: Recall | None) -> Sequence[str]:
    from engram.cli.reading import one_line
    from engram.safety.fence import show_line

    sized = {one.entry.key: one_line(one.entry) for one in (*recall.found, *recall.notes)} if recall else {}
    lines = []
    for heading, keys in (("bodies", pack.body_keys), ("cards", pack.card_ids), ("omitted", pack.omitted_ids)):
        if keys:
            lines.append(f"{heading}:")
        lines += [f"  {sized.get(key, key)}" for key in keys]
    return [*(map(show_line, lines) if lines else [pack.text]), f"{pack.tokens} tokens"]


def _only_named(text: str, entries: Sequence[Listed], data: dict[str, object]) -> str:
    """Return the keys of a list and the size of its text, in place of the text (``--dry-run``); ``data`` likewise."""
    from engram.safety.fence import show_line
    from engram.text.tokens import estimate_tokens

    size = estimate_tokens(text)
    data["entries"] = [{name: getattr(one, name) for name in ("id", "type", "scope", "score")} for one in entries]
    data["tokens"] = size
    return "\n".join([*(show_line(entry.key) for entry in entries), f"{size} tokens"]) if entries else text
