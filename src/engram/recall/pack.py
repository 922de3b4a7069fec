"""Turn ranked memories into what an agent gets: in load order, as bodies, cards and omitted ids (C34, C35)."""

from __future__ import annotations

from engram.record import Record
from engram.safety.fence import fence_block, show_inert, show_line
from engram.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engram.model import Memory

    _Rendered = tuple["Item", str, int, str, int]  # body, its tokens, card, its tokens with a line end
    _Tiers = tuple[Sequence[_Rendered], Sequence[_Rendered], Sequence["Item"]]  # bodies, cards, what is left out

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
# By the budget, or in a pack of bodies alone by their number: what it needs may be more than there is room for.
_LEFT_OUT = "Left out for lack of room:"
# What an empty line between two texts costs, and the heading of the cards with the empty line before it.
_GAP = 2
_HEADING = estimate_tokens(_MORE) + _GAP
# What a process that lives long keeps of the bodies and cards that it made: so many, of so many characters at most.
_MOST_KEPT = 1000
_LONGEST_KEPT = 8000
_kept: dict[tuple[object, ...], tuple[str, int, str, int]] = {}
# What the shortest form of the omitted line takes; kept free as soon as something is left out.
_OMITTED_RESERVE = 20


class Item(Record):
    """A memory on its way into a pack.

    Attributes:
        memory: the memory.
        key: its id, ``global/<id>`` where both scopes have that id (C35).
        foreign: True where no human of this machine accepted its root (F18).
        note: what the reader has to know first, such as what superseded it.
        needed_by: for a prerequisite that is no hit itself, the key of a hit that it is there for.
        needs: the keys of what it depends on directly; those that are no items are nothing to the pack.
        card_only: True for what is one line at most: a working note among memories (C58), a skill at a session's start.
    """

    memory: Memory
    key: str
    foreign: bool = False
    note: str = ""
    needed_by: str = ""
    needs: tuple[str, ...] = ()
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

    ``needed_by`` is empty for a hit; for a memory that is there only because others need it, the key of the hit nearest
    to it.
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
        if hit in ordered:
            continue
        first = needs(hit)
        if not first:  # as of most
            ordered[hit] = Place(hit)
            continue
        pending = [(hit, "", False)]
        open_keys: set[str] = set()
        while pending:
            key, needed_by, expanded = pending.pop()
            if key in ordered:
                continue
            if expanded:
                ordered[key] = Place(key, needed_by)
                continue
            if key in open_keys:
                continue
            open_keys.add(key)
            if key in own:
                needed_by = ""
            pending.append((key, needed_by, True))
            wanted = first if key == hit else needs(key)
            pending += [(need, needed_by or key, False) for need in reversed(wanted) if need not in open_keys]
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
    units = _units(items, limit if disclosure == "bodies" else limit * 2)
    if not units:
        return empty_pack()
    rendered = {}
    for item in _each(items, units):
        body, size, card, card_size = _render(item, variant)
        whole = disclosure != "cards" and not item.card_only
        rendered[item.key] = (item, body if whole else "", size, card, card_size)
    return _packed(units, rendered, budget, limit, with_cards=disclosure != "bodies")


def empty_pack(reason: str = "") -> Pack:
    """Return the pack that holds nothing, and says so in one line (H3)."""
    text = f"{_NOTHING[:-1]}: {show_inert(reason)}." if reason else _NOTHING
    return Pack(text, (), (), (), estimate_tokens(text))


def _packed(
    units: Sequence[Sequence[Item]], rendered: Mapping[str, _Rendered], budget: int, limit: int, *, with_cards: bool
) -> Pack:
    tiers = _fill(units, rendered, budget, limit, with_cards=with_cards)
    if tiers[2]:
        tiers = _fill(units, rendered, budget - _OMITTED_RESERVE, limit, with_cards=with_cards)
    bodies, cards, omitted = tiers
    text, tokens = _join(tiers, budget)
    return Pack(
        text,
        tuple(entry[0].key for entry in bodies),
        tuple(entry[0].key for entry in cards),
        tuple(item.key for item in omitted),
        tokens,
    )


def _render(item: Item, variant: str) -> tuple[str, int, str, int]:
    """Return body and card of a memory, each with what it takes."""
    memory = item.memory
    content = _content(memory, variant)
    # All that they are made of: one memory may be redacted, foreign, or of either scope.
    made_of = (
        item.key, memory.title, content, memory.type, memory.scope, memory.authority, item.foreign, item.note
    )  # fmt: skip
    known = _kept.get(made_of)
    if known is None:
        body = render_body(item, variant)
        size = estimate_tokens(body)
        card = render_card(item, size)
        known = body, size, card, estimate_tokens(card) + 1
        if len(body) <= _LONGEST_KEPT:
            if len(_kept) >= _MOST_KEPT:
                _kept.clear()
            _kept[made_of] = known
    return known


def render_body(item: Item, variant: str) -> str:
    """Return a memory as a fenced block: title and content, of a rule the chosen variant (C34)."""
    return _fenced(item, f"# {item.memory.title}\n\n{_content(item.memory, variant)}")


def _content(memory: Memory, variant: str) -> str:
    if memory.type == "rule":
        return next((text for name, text in memory.variants if name.lower() == variant and text), memory.content)
    return memory.content


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


def join_whole(items: Sequence[Item], *, limit: int | None = None, budget: int | None = None) -> Pack:
    """Return a pack of whole memories, without cards (C33).

    Args:
        items: the memories in load order.
        limit: how many hits at most, and what they need comes with them; None for all.
        budget: tokens for the whole text, never exceeded (C35); None for as many as it takes.
    """
    units = _units(items, len(items) if limit is None else limit)
    chosen = _each(items, units)
    if not chosen:
        return empty_pack()
    wholes = [render_whole(item) for item in chosen]
    if budget is not None:
        rendered = {
            item.key: (item, whole, estimate_tokens(whole), "", 0) for item, whole in zip(chosen, wholes, strict=True)
        }
        return _packed(units, rendered, budget, len(chosen), with_cards=False)
    text = "\n\n".join(wholes)
    return Pack(text, tuple(item.key for item in chosen), (), (), estimate_tokens(text))


def _fenced(item: Item, body: str) -> str:
    memory = item.memory
    authority = "reference" if item.foreign else memory.authority
    notes = [note for note in (FOREIGN_NOTE if item.foreign else "", item.note) if note]
    return fence_block(
        body, id=item.key, type=memory.type, scope=memory.scope, authority=authority, note="; ".join(notes)
    )


def _units(items: Sequence[Item], most: int) -> list[list[Item]]:
    """Return the first hits in load order, each after what it needs of the items before it, directly or not.

    A prerequisite that several hits need is in the unit of each; one that none of these needs is in none.
    """
    needs = {item.key: set(item.needs) for item in items}
    for item in items:
        if item.needed_by in needs:
            needs[item.needed_by].add(item.key)
    units: list[list[Item]] = []
    for at, item in enumerate(items):
        if len(units) == most:
            break
        if item.needed_by:
            continue
        unit = [item]
        if wanted := needs[item.key]:
            for other in reversed(items[:at]):  # what a memory needs stands before it
                if other.key in wanted:
                    unit.append(other)
                    wanted = wanted | needs[other.key]
        units.append(unit[::-1])
    return units


def _each(items: Sequence[Item], units: Sequence[Sequence[Item]]) -> list[Item]:
    """Return those of the items that are in one of the units, in load order."""
    chosen = {item.key for unit in units for item in unit}
    return [item for item in items if item.key in chosen]


def _fill(
    units: Sequence[Sequence[Item]], rendered: Mapping[str, _Rendered], budget: int, limit: int, *, with_cards: bool
) -> _Tiers:
    """Give each hit, in load order, the best tier that it fits into together with what it needs and is not there yet.

    So nothing stands there without what it depends on, nor a prerequisite without a hit that it is there for.
    """
    bodies: set[str] = set()
    cards: set[str] = set()
    # Each text is counted once: the estimate adds up over texts that an empty line or a line end parts.
    of_bodies = of_cards = 0
    for unit in units:
        missing = [rendered[item.key] for item in unit if item.key not in bodies]
        if len(bodies) + len(missing) <= limit and all(entry[1] for entry in missing):
            more = sum([entry[2] + _GAP for entry in missing])
            less = sum([entry[4] for entry in missing if entry[0].key in cards])
            if of_bodies + more + of_cards - less <= budget:
                bodies.update(entry[0].key for entry in missing)
                cards -= bodies
                of_bodies += more
                of_cards -= less
                continue
        missing = [entry for entry in missing if entry[0].key not in cards]
        more = sum([entry[4] for entry in missing]) + (0 if cards else _HEADING)
        if with_cards and of_bodies + of_cards + more <= budget:
            cards.update(entry[0].key for entry in missing)
            of_cards += more
    omitted = [entry[0] for key, entry in rendered.items() if key not in bodies and key not in cards]
    return (
        [entry for key, entry in rendered.items() if key in bodies],
        [entry for key, entry in rendered.items() if key in cards],
        omitted,
    )


def _text(tiers: _Tiers) -> tuple[str, int]:
    """Return bodies and cards as one text, and what it takes."""
    bodies, cards, _ = tiers
    parts = [entry[1] for entry in bodies]
    sizes = [entry[2] for entry in bodies]
    if cards:
        heading = _MORE if bodies else _ALONE
        parts.append("\n".join([heading, *[entry[3] for entry in cards]]))
        sizes.append(estimate_tokens(heading) + sum([entry[4] for entry in cards]))
    return "\n\n".join(parts), sum(sizes) + _GAP * max(0, len(sizes) - 1)


def _join(tiers: _Tiers, budget: int) -> tuple[str, int]:
    """Return the text of a pack and its size in tokens."""
    (text, size), omitted = _text(tiers), tiers[2]
    if not omitted:
        return text, size
    names_of = [show_line(item.key) for item in omitted]
    room = budget - size
    fitting = 0
    for name in names_of:
        room -= estimate_tokens(name)
        if room < 0:
            break
        fitting += 1
    # As many ids as fit, then a count; where not even the count fits, `omitted_ids` alone has them.
    for shown in range(fitting, -1, -1):
        names = ", ".join(names_of[:shown])
        more = len(omitted) - shown
        rest = f"{' and ' if names else ''}{more} more" if more else ""
        line = f"{_LEFT_OUT} {names}{rest}"
        tokens = estimate_tokens(line) + (size + _GAP if text else 0)
        if tokens <= budget:
            return (f"{text}\n\n{line}" if text else line), tokens
    return text, size
