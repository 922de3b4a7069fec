"""C34: what a card says of its body."""

from __future__ import annotations

from engram.model import Memory
from engram.recall.pack import Item, build_pack
from engram.text.tokens import estimate_tokens


def test_a_card_says_what_its_body_takes_with_the_fence() -> None:
    memory = Memory(
        id="use-pnpm",
        type="rule",
        scope="workspace",
        title="Use pnpm",
        content="Use pnpm for every install.",
        authority="instruction",
        variants=(("Strict", "Use pnpm for every install. " * 40),),
    )
    for variant in ("balanced", "strict"):
        items = (Item(memory, "use-pnpm"),)
        body = build_pack(items, limit=1, budget=4000, disclosure="bodies", variant=variant).text
        card = build_pack(items, limit=1, budget=4000, disclosure="cards", variant=variant).text
        assert f"[rule, workspace, {estimate_tokens(body)} tokens]" in card
