"""C34, C35: whatever the memories and the budget, a pack never costs more than its budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.model import Memory
from engram.recall.pack import DISCLOSURES, Item, build_pack, load_order
from engram.text.tokens import estimate_tokens

TEXT = st.text(st.one_of(st.characters(), st.sampled_from("ab \n\t  -#用户")), max_size=300)


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    found = []
    for number in range(draw(st.integers(0, 12))):
        memory = Memory(f"m-{number}", "rule", "workspace", draw(TEXT), draw(TEXT))
        found.append(Item(memory, memory.id, foreign=draw(st.booleans())))
    for number in range(len(found) - 1):
        if draw(st.integers(0, 4)) == 0:
            found[number] = found[number].replace(needed_by=found[number + 1].key)
    return found


@given(items(), st.integers(50, 900), st.sampled_from(DISCLOSURES), st.integers(1, 8))
def test_a_pack_is_never_above_its_budget(found: list[Item], budget: int, disclosure: str, limit: int) -> None:
    pack = build_pack(found, limit=limit, budget=budget, disclosure=disclosure)
    assert pack.tokens == estimate_tokens(pack.text) <= budget
    assert len(pack.body_keys) <= limit
    shown = [*pack.body_keys, *pack.card_ids]
    assert len(set(shown)) == len(shown)
    needed = {item.key: item.needed_by for item in found if item.needed_by}
    for key in shown:
        if key in needed:
            assert needed[key] in shown, "a prerequisite that is there for a hit alone never stands without it"


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[str, list[str]], list[str]]:
    """Return what each of some memories needs, in circles too, and which of them are hits."""
    names = [f"m-{number}" for number in range(draw(st.integers(1, 10)))]
    needs = {name: draw(st.lists(st.sampled_from(names), max_size=3, unique=True)) for name in names}
    return needs, draw(st.lists(st.sampled_from(names), min_size=1, unique=True))


@given(graphs(), st.data(), st.integers(50, 600), st.sampled_from(DISCLOSURES), st.integers(1, 8))
def test_nothing_in_a_pack_stands_without_what_it_needs_nor_is_needed_by_nothing(
    graph: tuple[dict[str, list[str]], list[str]], data: st.DataObject, budget: int, disclosure: str, limit: int
) -> None:
    needs, hits = graph
    places = load_order(hits, needs.__getitem__)
    order = [place.key for place in places]
    found = []
    for place in places:
        words = data.draw(st.integers(1, 200))
        memory = Memory(place.key, "rule", "workspace", "Title", "word " * words)
        found.append(Item(memory, place.key, needed_by=place.needed_by, needs=tuple(needs[place.key])))
    pack = build_pack(found, limit=limit, budget=budget, disclosure=disclosure)
    assert pack.tokens == estimate_tokens(pack.text) <= budget
    shown = pack.selected_keys
    # A circle is broken where it closes: there the order says which comes first.
    before = {key: [need for need in needs[key] if order.index(need) < order.index(key)] for key in order}
    for key in shown:
        for need in before[key]:
            assert need in shown, "nothing stands without what it needs"
            assert shown.index(need) < shown.index(key)
    wanted = [key for key in shown if key in hits]
    for key in wanted:  # which grows
        wanted += [need for need in before[key] if need not in wanted]
    assert set(shown) <= set(wanted), "nothing stands there that no hit needs"
    assert set(order) >= set(pack.omitted_ids)
    assert not set(shown) & set(pack.omitted_ids)
    assert [key for key in order if key in pack.body_keys] == list(pack.body_keys)
