"""Why recall gave what it gave, as text and as data (``--explain``)."""

from __future__ import annotations

from engram.safety.fence import show_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.service.recalling import Found, Recall

__all__ = ["explained", "explained_data"]


def explained(recall: Recall) -> list[str]:
    """Return lines: why each memory is there, and what was left out for which reason."""
    lines = []
    for one in (*recall.found, *recall.notes):
        lines.append(_head(one))
        lines += [f"    {value:+7.2f}  {signal}: {about}" for signal, value, about in one.reasons]
    ranking = recall.ranking
    if ranking.abstained:
        lines.append(f"nothing is shown: {ranking.abstained}")
    lines += [f"read {typed} as {meant}" for typed, meant in ranking.corrected]
    if ranking.unknown:
        lines.append(f"no memory has: {', '.join(ranking.unknown)}")
    lines += [f"left out {row.id}: {why}" for row, why in ranking.left_out]
    return [show_line(line) for line in lines]


def explained_data(recall: Recall) -> dict[str, object]:
    """Return the same as plain data."""
    ranking = recall.ranking
    return {
        "hits": [
            {
                "key": one.entry.key,
                "score": round(one.score, 4),
                "needed_by": one.needed_by,
                "reasons": [
                    {"signal": signal, "value": round(value, 4), "about": about} for signal, value, about in one.reasons
                ],
            }
            for one in (*recall.found, *recall.notes)
        ],
        "abstained": ranking.abstained,
        "corrected": [list(pair) for pair in ranking.corrected],
        "unknown": list(ranking.unknown),
        "left_out": [{"id": row.id, "scope": row.scope, "reason": why} for row, why in ranking.left_out],
    }


def _head(one: Found) -> str:
    if one.needed_by:
        return f"{one.entry.key}  needed by {one.needed_by}"
    return f"{one.entry.key}  {one.score:.2f}"
