"""Where an HTML block begins and ends, by the seven start conditions of CommonMark 0.31, section 4.6.

A heading inside an HTML block is no heading, so ``engram.text.headings`` has to know.

>>> html_start("<!-- a note")
2
>>> html_ends(2, "that ends here -->")
True
>>> html_start("a < b")
0
"""

from __future__ import annotations

__all__ = ["MAY_NOT_INTERRUPT", "html_ends", "html_start"]

# The kind of block that cannot interrupt a paragraph: any complete tag alone on its line.
MAY_NOT_INTERRUPT = 7

_VERBATIM = ("script", "pre", "style", "textarea")
# By kind; 6 and 7 end at a blank line instead.
_ENDS: tuple[tuple[str, ...], ...] = ((), tuple(f"</{tag}>" for tag in _VERBATIM), ("-->",), ("?>",), (">",), ("]]>",))
# fmt: off
_BLOCKS = frozenset({
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
    "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
})
# fmt: on
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAME = frozenset(_LETTERS + _LETTERS.upper() + "0123456789-")
_ATTRIBUTE_START = frozenset(_LETTERS + _LETTERS.upper() + "_:")
_ATTRIBUTE = _ATTRIBUTE_START | frozenset("0123456789.-")


def html_start(text: str) -> int:
    """Return which start condition (1 to 7) a line fulfils whose indentation was taken off; 0 for none.

    Tabs are expected as spaces.
    """
    if text.startswith("<!"):
        if text.startswith("<!--"):
            return 2
        if text.startswith("<![CDATA["):
            return 5
        return 4 if text[2:3].lower() in _LETTERS and text[2:3] else 0
    if text.startswith("<?"):
        return 3
    closing = text.startswith("</")
    begin = 2 if closing else 1
    end = _run(text, begin, _NAME)
    name = text[begin:end].lower()
    if not name or name[0] not in _LETTERS:
        return 0
    after = text[end : end + 1]
    if name in _VERBATIM and not closing:
        return 1 if after in {"", " ", ">"} else 0
    if name in _BLOCKS and (after in {"", " ", ">"} or text.startswith("/>", end)):
        return 6
    rest = _after_closing_tag(text, end) if closing else _after_open_tag(text, end)
    return 7 if rest >= 0 and not text[rest:].strip(" ") else 0


def html_ends(kind: int, text: str) -> bool:
    """Return whether a block of kind 1 to 5 ends with this line; kinds 6 and 7 end at a blank line."""
    if kind >= len(_ENDS):
        return False
    lower = text.lower()
    return any(end in lower for end in _ENDS[kind])


def _run(text: str, at: int, chars: frozenset[str]) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] == " ":
        at += 1
    return at


def _after_closing_tag(text: str, at: int) -> int:
    at = _blanks(text, at)
    return at + 1 if text[at : at + 1] == ">" else -1


def _after_open_tag(text: str, at: int) -> int:
    """Return where an open tag ends whose name ends at ``at``, or -1."""
    while True:
        gap = _blanks(text, at)
        if text.startswith(">", gap):
            return gap + 1
        if text.startswith("/>", gap):
            return gap + 2
        if gap == at or text[gap : gap + 1] not in _ATTRIBUTE_START or gap >= len(text):
            return -1
        at = _run(text, gap, _ATTRIBUTE)
        equals = _blanks(text, at)
        if text.startswith("=", equals):
            at = _after_value(text, _blanks(text, equals + 1))
            if at < 0:
                return -1


def _after_value(text: str, at: int) -> int:
    quote = text[at : at + 1]
    if quote and quote in "\"'":
        end = text.find(quote, at + 1)
        return end + 1 if end > 0 else -1
    end = at
    while end < len(text) and text[end] not in " \"'=<>`":
        end += 1
    return end if end > at else -1
