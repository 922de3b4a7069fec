"""C34, C35: whatever the memories and the budget, a pack never costs more than its budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.model import Memory
from engram.recall.pack import DISCLOSURES, Item, build_pack
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
