"""Why recall gave what it gave, as text and as data (``--explain``).

What a signal added to a score is told by the ranking. What orders hits, or keeps them out, without a score of its own
(scope, recency, confidence, role, lifecycle, graph) is told here, from the memories that were found.
"""

from __future__ import annotations

from engram.recall.validity import unreadable_days
from engram.safety.fence import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.service.recalling import Found, Recall

    _Reason = tuple[str, float, str]

__all__ = ["explained", "explained_data"]

# So many of what was left out are named to a reader.
_MOST_LEFT_OUT = 20


def explained(recall: Recall) -> list[str]:
    """Return lines: why each memory is there, and what was left out for which reason."""
    lines = []
    needed = _needed_after(recall)
    for one in (*recall.found, *recall.notes):
        lines.append(_head(one))
        lines += [_line(*reason) for reason in _reasons(recall, one, needed)]
    ranking = recall.ranking
    if ranking.abstained:
        lines.append(f"nothing is shown: {ranking.abstained}")
    lines += [f"read {typed} as {meant}" for typed, meant in ranking.corrected]
    if ranking.unknown:
        lines.append(f"no memory has: {', '.join(ranking.unknown)}")
    lines += [f"left out {row.id}: {why}" for row, why in ranking.left_out[:_MOST_LEFT_OUT]]
    if more := ranking.left_out[_MOST_LEFT_OUT:]:
        lines.append(f"left out: {len(more)} more, all of them with --json")
    if ranking.weak:
        lines.append(f"weak matches below the floor: {ranking.weak}")
    if ranking.off:
        lines.append(f"switched off: {', '.join(sorted(ranking.off))}")
    return [show_line(line) for line in lines]


def explained_data(recall: Recall) -> dict[str, object]:
    """Return the same as plain data; the value of a signal that orders hits without a score is 0."""
    ranking = recall.ranking
    needed = _needed_after(recall)
    return {
        "hits": [
            {
                "key": one.entry.key,
                "score": round(one.score, 4),
                "needed_by": one.needed_by,
                "reasons": [
                    {"signal": signal, "value": round(value, 4), "about": about}
                    for signal, value, about in _reasons(recall, one, needed)
                ],
            }
            for one in (*recall.found, *recall.notes)
        ],
        "abstained": ranking.abstained,
        "corrected": [list(pair) for pair in ranking.corrected],
        "unknown": list(ranking.unknown),
        "left_out": [{"id": row.id, "scope": row.scope, "reason": why} for row, why in ranking.left_out],
        "weak": ranking.weak,
        "off": sorted(ranking.off),
    }


def _head(one: Found) -> str:
    if one.needed_by:
        return f"{one.entry.key}  needed by {one.needed_by}"
    return f"{one.entry.key}  {one.score:.2f}"


def _line(signal: str, value: float, about: str) -> str:
    amount = f"{value:+7.2f}" if value else " " * 7
    return f"    {amount}  {signal}: {about}"


def _needed_after(recall: Recall) -> dict[str, list[str]]:
    """Return for each key the keys of what depends on it and stands after it: of a circle some stand before it."""
    places = {one.entry.key: at for at, one in enumerate(recall.found)}
    found: dict[str, list[str]] = {}
    for key, needs in recall.needs.items():
        for need in needs:
            if places.get(key, -1) > places.get(need, len(places)):
                found.setdefault(need, []).append(key)
    return found


def _reasons(recall: Recall, one: Found, needed: Mapping[str, Sequence[str]]) -> list[_Reason]:
    """Return what added to the score of a memory, then what else decided its place."""
    off = recall.ranking.off
    placed = _placed_by(recall, one, needed)
    return [*one.reasons, *((signal, 0.0, about) for signal, about in placed if signal not in off)]


def _placed_by(recall: Recall, one: Found, needed: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    memory = one.entry.memory
    found: list[tuple[str, str]] = []
    if not one.entry.is_note and (after := needed.get(one.entry.key)):
        found.append(("graph", f"comes before {', '.join(after)}, which depends on it"))
    if one.needed_by:
        return found
    found.append(("scope", memory.scope))
    if not one.entry.is_note:
        found.append(("recency", _recency(recall, memory.last_confirmed)))
    if memory.confidence == "low":
        found.append(("confidence", "low, so it comes after the others"))
    if memory.role:
        found.append(("role", f"for {', '.join(memory.role)}"))
    if memory.valid_from or memory.valid_until:
        dates = (("from", memory.valid_from), ("until", memory.valid_until))
        found.append(("lifecycle", "valid " + " ".join(f"{word} {day}" for word, day in dates if day)))
        found += [("lifecycle", f"{key} is {text}, which is no day") for key, text in unreadable_days(memory)]
    return found


def _recency(recall: Recall, day: str) -> str:
    """Return when a memory was confirmed, and its place among the hits by that, the latest first."""
    if not day:
        return "never confirmed"
    days = [one.entry.memory.last_confirmed for one in recall.found if not one.needed_by]
    place = 1 + sum(other > day for other in days)
    return f"confirmed {day}, {place} of {len(days)} from the latest"
