r"""A block of ours inside somebody's text file, and whole files of ours, each under a seal.

The seal is a hash of what Engram wrote, so that on every machine and without any record it can be told whether a
person changed it since: what is unchanged may be refreshed and taken out, what is not is the person's too.

>>> text = add_block("# Rules\n", "Use memory.")
>>> [block.edited for block in find_blocks(text)]
[False]
>>> remove_blocks(text, ())[0]
'# Rules\n'
>>> file_state(sealed_file("Use memory.\n", "<!-- {} -->"))
'ours'
"""

from __future__ import annotations

from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    FileState = Literal["ours", "edited", "foreign"]

__all__ = [
    "Block",
    "BlockError",
    "add_block",
    "file_state",
    "find_blocks",
    "remove_blocks",
    "replace_block",
    "sealed_file",
]

_BEGIN = "<!-- engram:begin "
_END = "<!-- engram:end -->"
_CLOSE = " -->"
_FILE = "engram:file "
_SEAL_DIGITS = 12
_MOST_INDENT = 3  # blanks before a line of HTML in Markdown


class BlockError(ValueError):
    """The marks of a block do not belong together; ``line`` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Block(Record):
    """A block: ``text[start:end]`` from its first mark to behind its last, without that line's end."""

    start: int
    end: int
    body: str
    edited: bool


def add_block(text: str, body: str) -> str:
    """Return the text with the block at its end, a blank line before it.

    Args:
        text: a text file; an empty one gets the block alone.
        body: the lines of the block, with LF, without a final line end.
    """
    bare = text.removeprefix("\ufeff")
    newline = _newline(text)
    block = _block(body, newline)
    if not bare:
        return text + block + newline
    if bare.endswith(("\n", "\r")):
        return text + newline + block + newline
    return text + newline * 2 + block  # without a line end, as the file's last line: it can go without a trace


def find_blocks(text: str) -> list[Block]:
    """Return the blocks of a text, in order; marks inside of fenced code are somebody's example.

    Raises:
        BlockError: for a first mark without a last one, or the other way round.
    """
    found = []
    begin = begin_end = -1
    begin_line = 0
    given = indent = ""
    for number, start, end in _plain_lines(text):
        line = text[start:end].strip(" \t")
        lead = text[start : start + text[start:end].index(line)]
        if lead.strip(" ") or len(lead) > _MOST_INDENT:
            continue  # that deep it is code
        if line.startswith(_BEGIN) and line.endswith(_CLOSE):
            if begin >= 0:
                raise BlockError("a block of Engram begins inside another one", number)
            begin, begin_end, begin_line, indent = start, end, number, lead
            given = line.removeprefix(_BEGIN).removesuffix(_CLOSE)
        elif line == _END:
            if begin < 0:
                raise BlockError("a block of Engram ends here that did not begin", number)
            body = text[begin_end:start].replace("\r\n", "\n").replace("\r", "\n").lstrip("\n").removesuffix("\n")
            if indent:  # another program moved the block in as a whole
                body = "\n".join(each.removeprefix(indent) for each in body.split("\n"))
            found.append(Block(begin, start + len(lead) + len(_END), body, _seal(body) != given))
            begin = -1
    if begin >= 0:
        raise BlockError(f"the block of Engram that begins here has no line {_END}", begin_line)
    return found


def replace_block(text: str, block: Block, body: str) -> str:
    """Return the text with another body in a block."""
    return text[: block.start] + _block(body, _newline(text)) + text[block.end :]


def remove_blocks(text: str, known: Sequence[str]) -> tuple[str, int]:
    """Return the text without its blocks, and how many lines of an edited one were a person's and stay in its place.

    Args:
        text: a text file.
        known: bodies that Engram wrote; what an edited block has beside their lines is the person's.

    Raises:
        BlockError: as ``find_blocks``.
    """
    kept = 0
    words = {_words(body) for body in known}
    ours = {line.strip() for body in known for line in body.splitlines()} | {""}
    for block in reversed(find_blocks(text)):
        mixed = block.edited and _words(block.body) not in words
        inside = text[block.start : block.end].replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:-1]
        lines = [line for line in inside if line.strip() not in ours] if mixed else []
        kept += len(lines)
        if lines:
            text = text[: block.start] + _newline(text).join(lines) + text[block.end :]
        else:
            text = _cut(text, block.start, block.end)
    return text, kept


def sealed_file(body: str, comment: str) -> str:
    """Return the text of a file that is ours as a whole: the body, and a last line with its seal.

    Args:
        body: lines with LF, the last one ended.
        comment: how the file's language writes a comment, with ``{}`` for its text.
    """
    return body + comment.format(_FILE + _seal(body)) + "\n"


def file_state(text: str) -> FileState:
    """Tell whose a file is: ours as we wrote it, ours but edited, or somebody else's (one without a seal)."""
    lines = text.removeprefix("\ufeff").splitlines()
    for at in range(len(lines) - 1, -1, -1):
        _, mark, rest = lines[at].partition(_FILE)
        if mark:
            body = "".join(f"{line}\n" for line in lines[:at])
            same = rest.split()[:1] == [_seal(body)] and not any(line.strip() for line in lines[at + 1 :])
            return "ours" if same else "edited"
    return "foreign"


def _block(body: str, newline: str) -> str:
    return newline.join([f"{_BEGIN}{_seal(body)}{_CLOSE}", *body.split("\n"), _END])


def _seal(body: str) -> str:
    """Return the seal of a text; line ends and blanks at the ends of lines, which tools change, do not count."""
    import hashlib

    plain = "\n".join(line.rstrip() for line in body.strip().splitlines())
    return hashlib.sha256(plain.encode()).hexdigest()[:_SEAL_DIGITS]


def _words(body: str) -> tuple[str, ...]:
    """Return the words of a text, which a formatter keeps when it breaks lines elsewhere or marks lists otherwise."""
    return tuple("-" if word in {"*", "+"} else word for word in body.split())


def _cut(text: str, start: int, end: int) -> str:
    """Return the text without a block, its line end, and the blank line that ``add_block`` put before it."""
    before, after = text[:start], text[end:]
    if not after:
        return _without_break(_without_break(before))
    after = after[2:] if after.startswith("\r\n") else after.lstrip(" \t")[1:]
    shorter = _without_break(before)
    blank = shorter != before and (shorter.endswith(("\n", "\r")) or not shorter.removeprefix("\ufeff"))
    return (shorter if blank else before) + after


def _without_break(text: str) -> str:
    if text.endswith("\r\n"):
        return text[:-2]
    return text[:-1] if text.endswith(("\n", "\r")) else text


def _newline(text: str) -> str:
    """Return the line end of the text's last line that has one: what follows it must not merge with ours."""
    at = max(text.rfind("\n"), text.rfind("\r"))
    if at < 0:
        return "\n"
    return "\r\n" if text[at] == "\n" and text[at - 1 : at] == "\r" else text[at]


def _plain_lines(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield number, start and end (without its line end) of the lines that stand in no fenced code."""
    at = 1 if text.startswith("\ufeff") else 0
    number = 0
    fence = ""
    # Where the next of each stands; looked for again once it was passed, so that a large file is read once.
    feed = carriage = -1
    while at < len(text):
        number += 1
        if feed < at:
            feed = text.find("\n", at) % (len(text) + 1)
        if carriage < at:
            carriage = text.find("\r", at) % (len(text) + 1)
        end = min(feed, carriage)
        line = text[at:end].strip(" \t")
        run = line[: len(line) - len(line.lstrip(line[:1]))] if line[:1] in ("`", "~") else ""
        if fence:
            if len(run) >= len(fence) and run[0] == fence[0] and run == line:
                fence = ""
        elif len(run) >= 3:
            fence = run
        else:
            yield number, at, end
        at = end + (2 if text.startswith("\r\n", end) else 1)
