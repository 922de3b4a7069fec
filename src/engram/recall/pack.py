"""Turn ranked memories into what an agent gets: in load order, as bodies, cards and omitted ids (C34, C35)."""

from __future__ import annotations

from engram.record import Record
from engram.safety.fence import fence_block, show_inert, show_line
from engram.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engram.model import Memory

    _Shown = tuple["Item", str]
    _Rendered = tuple["Item", str, int, str]  # body, its tokens, card

__all__ = [
    "DISCLOSURES",
    "FOREIGN_NOTE",
    "Item",
    "Pack",
    "Place",
    "build_pack",
    "card_of",
    "empty_pack",
    "join_whole",
    "load_order",
    "render_card",
]

DISCLOSURES = ("auto", "bodies", "cards")
FOREIGN_NOTE = "foreign: reference only"
_NOTHING = "No memory matches this task."
_MORE, _ALONE = "More memory, by id:", "Memory, by id:"
# What an empty line between two texts costs, and the heading of the cards with the empty line before it.
_GAP = 2
_HEADING = estimate_tokens(_MORE) + _GAP
# What the shortest form of the omitted line takes; kept free as soon as something is left out.
_OMITTED_RESERVE = 20


class Item(Record):
    """A memory on its way into a pack.

    Attributes:
        memory: the memory.
        key: its id, ``global/<id>`` where both scopes have that id (C35).
        foreign: True where no human of this machine accepted its root (F18).
        note: what the reader has to know first, such as what superseded it.
        needed_by: for a prerequisite that is no hit itself, the key of the hit that it is there for.
        card_only: True for what is one line at most: a working note among memories (C58), a skill at a session's start.
    """

    memory: Memory
    key: str
    foreign: bool = False
    note: str = ""
    needed_by: str = ""
    card_only: bool = False


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


class Place(Record):
    """One memory's place in load order.

    ``needed_by`` is empty for a hit; for a memory that is there only because another one needs it, that one's key.
    """

    key: str
    needed_by: str = ""


def load_order(hits: Sequence[str], needs: Callable[[str], Sequence[str]]) -> list[Place]:
    """Return the hits with everything they depend on before them, each once (C34).

    Args:
        hits: keys, best first.
        needs: gives the keys that a memory depends on directly, in its own order; unknown ones are left out by it.

    A cycle is broken where it closes.
    """
    own = set(hits)
    ordered: dict[str, Place] = {}
    for hit in hits:
        pending = [(hit, False)]
        open_keys: set[str] = set()
        while pending:
            key, expanded = pending.pop()
            if key in ordered:
                continue
            if expanded:
                ordered[key] = Place(key, "" if key in own else hit)
                continue
            if key in open_keys:
                continue
            open_keys.add(key)
            pending.append((key, True))
            pending += [(need, False) for need in reversed(needs(key)) if need not in open_keys]
    return list(ordered.values())


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
    while chosen and chosen[-1].needed_by:
        chosen.pop()  # the hit that it is there for was cut off
    if not chosen:
        return empty_pack()
    rendered = []
    for item in chosen:
        body = render_body(item, variant)
        size = estimate_tokens(body)
        whole = disclosure != "cards" and not item.card_only
        rendered.append((item, body if whole else "", size, render_card(item, size)))
    return _packed(rendered, budget, limit, with_cards=disclosure != "bodies")


def empty_pack(reason: str = "") -> Pack:
    """Return the pack that holds nothing, and says so in one line (H3)."""
    text = f"{_NOTHING[:-1]}: {show_inert(reason)}." if reason else _NOTHING
    return Pack(text, (), (), (), estimate_tokens(text))


def _packed(rendered: Sequence[_Rendered], budget: int, limit: int, *, with_cards: bool) -> Pack:
    units = _units(rendered)
    bodies, cards, omitted = _fill(units, budget, limit, with_cards=with_cards)
    if omitted:
        bodies, cards, omitted = _fill(units, budget - _OMITTED_RESERVE, limit, with_cards=with_cards)
    text, tokens = _join(bodies, cards, omitted, budget)
    return Pack(
        text,
        tuple(item.key for item, _ in bodies),
        tuple(item.key for item, _ in cards),
        tuple(item.key for item in omitted),
        tokens,
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


def render_card(item: Item, size: int) -> str:
    """Return one line: id, type, scope, title, and the tokens that the body takes as ``render_body`` gives it."""
    memory = item.memory
    marks = "".join(f" ({note})" for note in (FOREIGN_NOTE if item.foreign else "", item.note) if note)
    return show_line(f"- {item.key} [{memory.type}, {memory.scope}, {size} tokens] {memory.title}{marks}")


def card_of(item: Item, variant: str) -> str:
    """Return the card of a memory outside of a pack."""
    return render_card(item, estimate_tokens(render_body(item, variant)))


def join_whole(items: Sequence[Item], budget: int | None = None) -> Pack:
    """Return a pack of whole memories, without cards (C33).

    Args:
        items: the memories in load order.
        budget: tokens for the whole text, never exceeded (C35); None for as many as it takes.
    """
    if not items:
        return empty_pack()
    wholes = [render_whole(item) for item in items]
    if budget is not None:
        rendered = [(item, whole, estimate_tokens(whole), "") for item, whole in zip(items, wholes, strict=True)]
        return _packed(rendered, budget, len(items), with_cards=False)
    text = "\n\n".join(wholes)
    return Pack(text, tuple(item.key for item in items), (), (), estimate_tokens(text))


def _fenced(item: Item, body: str) -> str:
    memory = item.memory
    authority = "reference" if item.foreign else memory.authority
    notes = [note for note in (FOREIGN_NOTE if item.foreign else "", item.note) if note]
    return fence_block(
        body, id=item.key, type=memory.type, scope=memory.scope, authority=authority, note="; ".join(notes)
    )


def _units(rendered: Sequence[_Rendered]) -> list[list[_Rendered]]:
    """Return the items in groups that stay together: a hit after the prerequisites that are there for it alone."""
    units: list[list[_Rendered]] = []
    for entry in rendered:
        if units and units[-1][-1][0].needed_by:
            units[-1].append(entry)
        else:
            units.append([entry])
    return units


def _fill(
    units: Sequence[Sequence[_Rendered]], budget: int, limit: int, *, with_cards: bool
) -> tuple[list[_Shown], list[_Shown], list[Item]]:
    """Give each unit the best tier that it fits into whole, so that no prerequisite stands there without its hit."""
    bodies: list[_Shown] = []
    cards: list[_Shown] = []
    omitted: list[Item] = []
    # Each text is counted once: the estimate adds up over texts that an empty line or a line end parts.
    of_bodies = of_cards = 0
    for unit in units:
        as_bodies = [(item, body) for item, body, _, _ in unit if body]
        as_cards = [(item, card) for item, _, _, card in unit]
        if as_bodies and len(bodies) + len(unit) <= limit:
            more = sum(size + _GAP for _, body, size, _ in unit if body)
            if of_bodies + more + of_cards <= budget:
                bodies += as_bodies
                of_bodies += more
                continue
        more = sum(estimate_tokens(card) + 1 for _, card in as_cards) + (0 if cards else _HEADING)
        if with_cards and of_bodies + of_cards + more <= budget:
            cards += as_cards
            of_cards += more
        else:
            omitted += [item for item, _, _, _ in unit]
    return bodies, cards, omitted


def _text(bodies: Sequence[_Shown], cards: Sequence[_Shown]) -> str:
    parts = [text for _, text in bodies]
    if cards:
        parts.append("\n".join([_MORE if bodies else _ALONE, *(text for _, text in cards)]))
    return "\n\n".join(parts)


def _join(bodies: Sequence[_Shown], cards: Sequence[_Shown], omitted: Sequence[Item], budget: int) -> tuple[str, int]:
    """Return the text of a pack and its size in tokens."""
    text = _text(bodies, cards)
    if not omitted:
        return text, estimate_tokens(text)
    # As many ids as fit, then a count; where not even the count fits, `omitted_ids` alone has them.
    for shown in range(len(omitted), -1, -1):
        names = ", ".join(show_line(item.key) for item in omitted[:shown])
        more = len(omitted) - shown
        rest = f"{' and ' if names else ''}{more} more" if more else ""
        whole = f"{text}\n\nLeft out by the token budget: {names}{rest}".strip()
        tokens = estimate_tokens(whole)
        if tokens <= budget:
            return whole, tokens
    return text, estimate_tokens(text)
