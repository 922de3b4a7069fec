"""Recalled text as an agent sees it: fenced, with its provenance, and inert (decision 9, C2 of the complaint kinds).

>>> print(fence_block("Use pnpm.", id="use-pnpm", type="rule", scope="workspace", authority="instruction"))
<engram-memory id="use-pnpm" type="rule" scope="workspace" authority="instruction">
Use pnpm.
</engram-memory>

Used on every prompt: nothing here imports ``re``.
"""

from __future__ import annotations

__all__ = ["BLANK", "FENCE", "all_seen", "break_tags", "fence_block", "may_hold_key", "show_inert", "show_line"]

FENCE = "engram-memory"

# A tag whose name begins so could pass for our fence, or for the host's own frame around what its system says.
_NAMES = (
    "engram",
    "memor",
    "system",
    "instruction",
    "assistant",
    "human",
    "user_",
    "user>",
    "user ",
    "tool_",
    "function_",
    # The frames that hosts put around what a hook says, what the person typed, and where they are.
    "hook_",
    "hook-",
    "user-prompt",
    "session-start",
    "session_",
    "environment_",
    "additional_",
    "developer>",
)
# Characters that a reader, human or model, takes for the bracket that opens a tag.
_BRACKETS = ("<", "\uff1c", "\ufe64")
# Blank by design though Unicode files them under letters, marks or symbols; and the separators that break lines unseen.
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u2028\u2029"
# What Python takes for printable and ``hidden`` looks at: the blanks, variation selectors, and all from the tags on.
_DOUBTFUL = frozenset(BLANK + "".join([chr(code) for code in range(0xFE00, 0xFE10)]))
_TAGS = "\U000e0000"
# Format characters, and marks (variation selectors among them) that join the character before them.
_ON_OTHERS = ("Cf", "Mn", "Me")
# A tag's name stands within so many characters of its bracket, blanks and strokes between them included.
_REACH = 64


# What parts the words of a text as far as keys go.
_PARTS = {number: " " for number in range(128) if not chr(number).isalnum() and chr(number) not in "_-"}
_SHORTEST_KEY = 14  # characters of a key and its mark without a dot, colon or slash
_SHORTEST_PIECE = 10  # of those, between two signs
_SHORTEST_LOUD = 20  # characters of a key in capitals
_CAPITALS = 4  # so many are in a key that happens to have no digit


def may_hold_key(text: str) -> bool:
    """Say whether ``text`` has a word as long and as mixed as a provider's key; ordinary text, ids and paths have none.

    It is asked about everything that leaves: where it says no, no rule is imported and no pattern compiled.
    """
    if len(text) < _SHORTEST_KEY:
        return False
    if "://" in text and "@" in text:
        return True  # an address may hold a password
    return any(len(word) >= _SHORTEST_KEY and _is_mixed(word) for word in text.translate(_PARTS).split())


def _is_mixed(word: str) -> bool:
    lower = word.lower()
    capitals = word != lower and word != word.upper()
    if not capitals and word != lower and len(word) >= _SHORTEST_LOUD and "_" not in word:
        return True  # a setting's name has its words parted
    if not any(char.isdigit() for char in word):
        return capitals and sum(char.isupper() for char in word) >= _CAPITALS
    return capitals or any(
        len(piece) >= _SHORTEST_PIECE and not piece.isdigit() and not piece.isalpha()
        for piece in word.replace("_", "-").split("-")
    )


def _visible(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"


def all_seen(text: str) -> bool:
    """Say whether every character is one that is seen, a line end or a tab: most texts are, in any language.

    It may say no of a text that is all visible, never yes of another one: then ``hidden`` has to look.
    """
    plain = text.replace("\n", "").replace("\t", "")
    if not plain.isprintable():  # no control, format, surrogate, private or unassigned character, no unusual separator
        return False
    return plain.isascii() or (_DOUBTFUL.isdisjoint(plain) and max(plain) < _TAGS)


def show_inert(text: str) -> str:
    r"""Return ``text`` with everything unseen made visible, and every tag that could pass for a fence broken.

    Control, zero-width, bidirectional and tag characters, and lone surrogates, become ``\u{200b}``, and so does the
    opening bracket of ``</memory>`` and its like. Line ends and tabs stay, CR LF becomes LF. Joiners inside emoji and
    inside words of the scripts that need them stay. Showing the result again changes nothing.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", _visible("\r"))
    if not all_seen(text):
        text = _show(text)
    for bracket in _BRACKETS:
        if bracket in text:
            text = _break_tags(text, bracket, _visible(bracket))
    return text


def break_tags(text: str, written: str) -> str:
    """Return ``text`` with ``written`` for each ``<`` that opens a tag that could pass for a fence; no more is done."""
    return _break_tags(text, "<", written)


def show_line(text: str) -> str:
    r"""Return ``text`` inert and on one line: line ends and tabs become ``\u{a}`` and ``\u{9}`` too.

    For what stands in a line of Engram's own (a file's name, a reason, an id): it can neither end that line nor begin
    another one.
    """
    line = show_inert(text)
    for char in "\n\t":
        if char in line:
            line = line.replace(char, _visible(char))
    return line


def _show(text: str) -> str:
    from engram.safety.hidden import unseen  # plain text, the most of all, never needs it

    parts = []
    at = 0
    for index, _kind in unseen(text):
        parts += [text[at:index], _visible(text[index])]
        at = index + 1
    shown = "".join([*parts, text[at:]])
    # A byte order mark is allowed at the start of a file, and a text may stand anywhere else by now.
    return _visible("\ufeff") + shown[1:] if shown.startswith("\ufeff") else shown


def _break_tags(text: str, bracket: str, written: str) -> str:
    head, *rest = text.split(bracket)
    parts = [head]
    last = len(rest) - 1
    for number, piece in enumerate(rest):
        parts += [written if _opens(piece, open_end=number == last) else bracket, piece]
    return "".join(parts)


def _opens(piece: str, *, open_end: bool) -> bool:
    """Say whether what follows a bracket reads as the name of a fence, whatever its case, width, or marks on it.

    Where nothing but blanks follow, the name may come with the next text (``open_end``) or behind so many blanks; of
    ``<<`` in a shift, a here-document or a conflict the second bracket is the one that is asked about.
    """
    plain = piece[:_REACH]
    if not plain.isascii():
        plain = _plain(piece)
    name = plain.lstrip(" \t\n/\\!?|[").casefold()
    # <|im_start|> and its like part the turns of a conversation in the vocabulary of a model.
    if not name:
        return open_end or len(plain) >= _REACH
    return name.startswith(_NAMES) or (plain.startswith("|") and plain[1:2].isalpha() and "|>" in plain)


def _plain(piece: str) -> str:
    """Return the first ``_REACH`` characters without marks and selectors, which may stand on any, as plain ones."""
    import unicodedata

    plain = ""
    for char in piece:
        if unicodedata.category(char) not in _ON_OTHERS:
            plain += unicodedata.normalize("NFKC", char)
            if len(plain) >= _REACH:
                break
    return plain


def _attribute(value: str) -> str:
    line = show_inert(value).replace("\n", " ").replace("\t", " ")
    for char in '"<>':
        if char in line:
            line = line.replace(char, _visible(char))
    return line


def fence_block(body: str, *, id: str, type: str, scope: str, authority: str, note: str = "") -> str:  # noqa: A002
    """Return ``body`` inside Engram's fence, without a line end after it.

    Args:
        body: the text of one memory; whatever it holds, it cannot close the fence or open another.
        id: the memory's id.
        type: ``rule``, ``skill`` or ``knowledge``.
        scope: ``workspace`` or ``global``.
        authority: ``instruction`` or ``reference``, so that a reference never reads as an instruction.
        note: what else the reader has to know first, such as ``foreign: reference only``.
    """
    facts = {"id": id, "type": type, "scope": scope, "authority": authority}
    if note:
        facts["note"] = note
    head = " ".join(f'{name}="{_attribute(value)}"' for name, value in facts.items())
    return f"<{FENCE} {head}>\n{show_inert(body).strip(chr(10))}\n</{FENCE}>"
