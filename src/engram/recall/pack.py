"""Turn ranked memories into what an agent gets: bodies, cards, omitted ids, within a token budget (C34, C35)."""

from __future__ import annotations

from engram.record import Record
from engram.safety.fence import fence_block, show_inert
from engram.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model import Memory

__all__ = ["DISCLOSURES", "FOREIGN_NOTE", "Item", "Pack", "build_pack", "render_card", "render_whole"]

DISCLOSURES = ("auto", "bodies", "cards")
FOREIGN_NOTE = "foreign: reference only"
_NOTHING = "No memory matches this task."
# What the shortest form of the omitted line takes; kept free as soon as something is left out.
_OMITTED_RESERVE = 20


class Item(Record):
    """A memory on its way into a pack. ``key`` is its id, ``global/<id>`` where both scopes have that id (C35)."""

    memory: Memory
    key: str
    foreign: bool = False
    note: str = ""


class Pack(Record):
    """What a load returns (C35); ``tokens`` is the estimate for ``text``."""

    text: str
    body_keys: tuple[str, ...]
    card_ids: tuple[str, ...]
    omitted_ids: tuple[str, ...]
    tokens: int

    @property
    def selected_keys(self) -> tuple[str, ...]:
        """Bodies and cards, in load order."""
        return (*self.body_keys, *self.card_ids)


def build_pack(
    items: Sequence[Item], *, limit: int, budget: int, disclosure: str = "auto", variant: str = "balanced"
) -> Pack:
    """Fill a pack from items in load order.

    Args:
        items: the hits, prerequisites before what needs them.
        limit: how many bodies at most (``load.limit``).
        budget: tokens for the whole text; never exceeded.
        disclosure: ``auto`` (bodies, then cards up to twice the limit), ``bodies`` or ``cards``.
        variant: which section of a rule's variants is its body (``rule_variant``).
    """
    chosen = list(items[: limit if disclosure == "bodies" else limit * 2])
    if not chosen:
        return Pack(_NOTHING, (), (), (), estimate_tokens(_NOTHING))
    rendered = [
        (item, render_body(item, variant) if number < limit and disclosure != "cards" else "", render_card(item))
        for number, item in enumerate(chosen)
    ]
    return _packed(rendered, budget, with_cards=disclosure != "bodies")


def _packed(rendered: Sequence[tuple[Item, str, str]], budget: int, *, with_cards: bool) -> Pack:
    bodies, cards, omitted = _fill(rendered, budget, with_cards=with_cards)
    if omitted:
        bodies, cards, omitted = _fill(rendered, budget - _OMITTED_RESERVE, with_cards=with_cards)
    text = _join(bodies, cards, omitted, budget)
    return Pack(
        text,
        tuple(item.key for item, _ in bodies),
        tuple(item.key for item, _ in cards),
        tuple(item.key for item in omitted),
        estimate_tokens(text),
    )


def render_body(item: Item, variant: str) -> str:
    """Return a memory as a fenced block: title and content, of a rule the chosen variant (C34)."""
    memory = item.memory
    content = memory.content
    if memory.type == "rule":
        content = next((text for name, text in memory.variants if name.lower() == variant and text), content)
    return _fenced(item, f"# {memory.title}\n\n{content}")


def render_whole(item: Item) -> str:
    """Return everything that a memory says: all variants, Origin and Human Note too (C33)."""
    memory = item.memory
    parts = [f"# {memory.title}"]
    for name, text in (
        ("Context", memory.context),
        ("Content", memory.content),
        ("Example", memory.example),
        ("Rule Variants", "\n\n".join(f"### {name}\n\n{text}" for name, text in memory.variants)),
        ("Origin", memory.origin),
        ("Human Note", memory.human_note),
    ):
        if text:
            parts.append(f"## {name}\n\n{text}")
    return _fenced(item, "\n\n".join(parts))


def render_card(item: Item) -> str:
    """Return one line: id, type, scope, title, and what the body would cost."""
    memory = item.memory
    size = estimate_tokens(f"{memory.title}\n{memory.content}")
    title = show_inert(memory.title).replace("\n", " ")
    marks = "".join(f" ({note})" for note in (FOREIGN_NOTE if item.foreign else "", item.note) if note)
    return f"- {item.key} [{memory.type}, {memory.scope}, {size} tokens] {title}{marks}"


def join_whole(items: Sequence[Item], budget: int | None = None) -> Pack:
    """Return a pack of whole memories, without cards (C33).

    Args:
        items: the memories in load order.
        budget: tokens for the whole text, never exceeded (C35); None for as many as it takes.
    """
    if not items:
        return Pack(_NOTHING, (), (), (), estimate_tokens(_NOTHING))
    rendered = [(item, render_whole(item), "") for item in items]
    if budget is not None:
        return _packed(rendered, budget, with_cards=False)
    text = "\n\n".join(whole for _, whole, _ in rendered)
    return Pack(text, tuple(item.key for item in items), (), (), estimate_tokens(text))


def _fenced(item: Item, body: str) -> str:
    memory = item.memory
    authority = "reference" if item.foreign else memory.authority
    notes = [note for note in (FOREIGN_NOTE if item.foreign else "", item.note) if note]
    return fence_block(
        body, id=item.key, type=memory.type, scope=memory.scope, authority=authority, note="; ".join(notes)
    )


def _fill(
    rendered: Sequence[tuple[Item, str, str]], budget: int, *, with_cards: bool
) -> tuple[list[tuple[Item, str]], list[tuple[Item, str]], list[Item]]:
    bodies: list[tuple[Item, str]] = []
    cards: list[tuple[Item, str]] = []
    omitted: list[Item] = []
    for item, body, card in rendered:
        if body and _size([*bodies, (item, body)], cards) <= budget:
            bodies.append((item, body))
        elif with_cards and _size(bodies, [*cards, (item, card)]) <= budget:
            cards.append((item, card))
        else:
            omitted.append(item)
    return bodies, cards, omitted


def _size(bodies: Sequence[tuple[Item, str]], cards: Sequence[tuple[Item, str]]) -> int:
    return estimate_tokens(_text(bodies, cards))


def _text(bodies: Sequence[tuple[Item, str]], cards: Sequence[tuple[Item, str]]) -> str:
    parts = [text for _, text in bodies]
    if cards:
        heading = "More memory, by id:" if bodies else "Memory, by id:"
        parts.append("\n".join([heading, *(text for _, text in cards)]))
    return "\n\n".join(parts)


def _join(
    bodies: Sequence[tuple[Item, str]], cards: Sequence[tuple[Item, str]], omitted: Sequence[Item], budget: int
) -> str:
    text = _text(bodies, cards)
    if not omitted:
        return text
    # As many ids as fit, then a count; where not even the count fits, `omitted_ids` alone has them.
    for shown in range(len(omitted), -1, -1):
        names = ", ".join(item.key for item in omitted[:shown])
        more = len(omitted) - shown
        rest = f"{' and ' if names else ''}{more} more" if more else ""
        whole = f"{text}\n\nLeft out by the token budget: {names}{rest}".strip()
        if estimate_tokens(whole) <= budget:
            return whole
    return text
