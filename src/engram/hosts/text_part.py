"""Parts in text files: a managed block in somebody's file, and files that are ours as a whole."""

from __future__ import annotations

from engram.hosts.part import Edit, Part, PartError
from engram.text.jsonc import JsoncError, parse
from engram.text.managed import (
    BlockError,
    add_block,
    file_state,
    find_blocks,
    remove_blocks,
    replace_block,
    sealed_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.hosts.part import State, Wish
    from engram.text.managed import Block

__all__ = ["OwnFile", "TextBlock"]

MARKDOWN = "\n<!-- {} -->"


class TextBlock(Part):
    """A managed block with ``body`` in an instruction file."""

    body: str = ""

    @property
    def where(self) -> str:
        """What it is."""
        return "a block"

    def link(self, text: str, wish: Wish) -> Edit:
        """Put the block at the end, or write it afresh where nobody edited it."""
        blocks = _blocks(text)
        if not blocks:
            new = add_block(text, self.body)
            if not _blocks(new):
                return Edit(text, "left", "a code fence in it is never closed, and a block behind it would be code")
            return Edit(new, "added")
        block = blocks[0]
        if block.body == self.body:
            return Edit(text, "unchanged")
        if block.edited and not wish.force:
            return Edit(text, "left", f"its block was edited by hand; {wish.afresh}")
        return Edit(replace_block(text, block, self.body), "updated")

    def unlink(self, text: str, wish: Wish, made: tuple[tuple[str, ...], ...], known: tuple[str, ...]) -> Edit:
        """Take the block out; lines that a person put into it stay."""
        del wish, made
        if not _blocks(text):
            return Edit(text, "absent")
        new, kept = remove_blocks(text, (self.body, *known))
        lines = "line of your own inside the block stays" if kept == 1 else "lines of your own inside the block stay"
        notes = (f"{kept} {lines}",) if kept else ()
        return Edit(new, "removed", notes=notes)

    def state(self, text: str, wish: Wish) -> State:
        """Tell what block stands there."""
        del wish
        blocks = _blocks(text)
        if not blocks:
            return "absent"
        if blocks[0].body == self.body:
            return "linked"
        return "edited" if blocks[0].edited else "stale"


class OwnFile(Part):
    """A file that is ours as a whole.

    Attributes:
        body: its text.
        comment: how its language writes a comment, with ``{}``, for the seal; ``""`` for JSON, which has none.
    """

    body: str = ""
    comment: str = MARKDOWN

    @property
    def text(self) -> str:
        """The whole file."""
        return sealed_file(self.body, self.comment) if self.comment else self.body

    def link(self, text: str, wish: Wish) -> Edit:
        """Write the file, or write it afresh where nobody edited it."""
        if not text.removeprefix("\ufeff").strip():
            return Edit(self.text, "added")
        match self.state(text, wish):
            case "linked":
                return Edit(text, "unchanged")
            case "stale":
                return Edit(self.text, "updated")
            case _ if wish.force:
                return Edit(self.text, "updated")
            case "edited":
                return Edit(text, "left", f"it was edited by hand; {wish.afresh}")
            case _:
                return Edit(text, "left", f"a file of that name is there that Engram did not write; {wish.afresh}")

    def unlink(self, text: str, wish: Wish, made: tuple[tuple[str, ...], ...], known: tuple[str, ...]) -> Edit:
        """Take the file away, if nobody edited it."""
        del made
        state = self.state(text, wish)
        if state == "absent":
            return Edit(text, "absent")
        if state in {"linked", "stale"} or _plain(text) in known or (state == "edited" and wish.force):
            return Edit("", "removed", delete=True)
        why = "it was edited by hand" if state == "edited" else "Engram did not write it"
        return Edit(text, "left", f"{why}; remove it by hand if you do not need it")

    def state(self, text: str, wish: Wish) -> State:
        """Tell whose file stands there."""
        del wish
        if not text.removeprefix("\ufeff").strip():
            return "absent"
        if _plain(text) == self.text:
            return "linked"
        if not self.comment:
            return self._state_without_seal(text)
        whose = file_state(text)
        return "stale" if whose == "ours" else whose

    def _state_without_seal(self, text: str) -> State:
        """Tell whose JSON it is: another program may have laid it out afresh, or set more in it."""
        try:
            found, ours = parse(text), parse(self.body)
        except JsoncError:
            return "foreign"
        if not isinstance(found, dict) or not isinstance(ours, dict):
            return "foreign"
        if found == ours:
            return "linked"
        return "edited" if ours.items() <= found.items() else "foreign"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _blocks(text: str) -> list[Block]:
    try:
        return find_blocks(text)
    except BlockError as error:
        raise PartError(error.reason, error.line) from error
