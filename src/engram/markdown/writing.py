"""From a Memory to the bytes of its file, and changes to a file that exists (F5 to F7).

A read memory holds its sections as Markdown (``- text``). A new one is rendered from plain text, and ``content_text``
gives that text back:

>>> from engram.markdown.memory import read_memory
>>> from engram.markdown.passages import content_text
>>> from engram.model import Memory
>>> new = Memory(id="use-pnpm", type="rule", scope="workspace", title="Use pnpm", content="Use pnpm for every install.")
>>> memory = read_memory(render_memory(new), path="rules/use-pnpm.md", scope="workspace")
>>> memory.content, content_text(memory.content)
('- Use pnpm for every install.', 'Use pnpm for every install.')
"""

from __future__ import annotations

from engram.errors import FormatError, UsageError
from engram.markdown.document import Document, checked_bytes
from engram.markdown.frontmatter import KNOWN_KEYS, LIST_KEYS, format_entry, parse_entries
from engram.markdown.memory import (
    ALWAYS,
    LEGACY_KEY,
    LEGACY_TITLES,
    NEWEST_SCHEMA,
    OPTIONAL,
    READ,
    VARIANTS,
    list_of,
)
from engram.markdown.passages import escape_title, section_markdown, section_text
from engram.markdown.sections import SECTION_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.model import Memory

    Values = dict[str, str | tuple[str, ...]]

__all__ = ["render_memory", "update_document"]

_UNREAD = frozenset(KNOWN_KEYS) - READ
# What a new version of a memory sets by itself; schemas 1 and 2 do not have these keys (F7).
_SCHEMA_3_ONLY = frozenset({"author_email", "author_name", "authority", "last_confirmed", "revision", "valid_from"})
_SECTIONS = {
    "content": "Content", "context": "Context", "example": "Example", "human_note": "Human Note", "origin": "Origin",
}  # fmt: skip


def render_memory(memory: Memory) -> bytes:
    """Return a new schema 3 file: the same bytes for the same memory, always (F5, F6).

    ``content``, ``origin``, ``human_note`` and the variants are plain text, which may hold anything; it is written so
    that ``content_text`` of the section that is read gives it back, white space around it dropped. For a file that
    exists use ``update_document``.

    Raises:
        FormatError: for a text that no memory file may hold, or too much of it (F9).
    """
    values: Values = {key: getattr(memory, key) for key in ALWAYS}
    values["revision"] = str(memory.revision)
    values["schema_version"] = str(NEWEST_SCHEMA)
    for key in OPTIONAL:
        value: str | tuple[str, ...] = getattr(memory, key)
        if value and not (key == "lifecycle" and value == "active"):
            values[key] = value
    for key, text in memory.extra:
        if key not in READ:
            values[key] = _listed(key, text)
    parts = ["---", *[format_entry(key, value) for key, value in sorted(values.items())], "---", ""]
    parts += [f"# {escape_title(memory.title) or memory.id}", ""]
    for field, name in sorted(_SECTIONS.items(), key=lambda pair: SECTION_ORDER.index(pair[1])):
        if name == "Origin" and memory.variants:
            parts += ["## Rule Variants", "", _variants(memory.variants), ""]
        text = section_text(getattr(memory, field), bullet=field == "content")
        if text or field == "content":
            parts += [f"## {name}", "", *([text, ""] if text else [])]
    return checked_bytes("\n".join(parts), f"{memory.id}.md")


def update_document(document: Document, changes: Mapping[str, object]) -> Document:
    """Return the document with some fields of its memory changed, by the rules of its schema (F5, F7).

    Args:
        document: the file as it is.
        changes: names of fields of ``Memory``, or other keys of F6, with their new values. Sections are Markdown as a
            read memory holds them; what could not stand in its section is written as a list item. ``""``, ``()`` and
            None take an optional key or a section out.

    A schema 3 document comes back as Engram writes it (LF, no byte-order mark). Schemas 1 and 2 keep their line ends,
    their schema, and take no key that only belongs to schema 3 and that a new version sets by itself.

    Raises:
        FormatError: where the text cannot be put in (``Document.with_section``).
        TypeError: for a name that is no field.
        UsageError: for an empty content.
    """
    older = document.get("schema_version") != str(NEWEST_SCHEMA)
    values: dict[str, str | tuple[str, ...] | None] = {}
    for field, new in changes.items():
        if field == "content":
            document = _with_content(document, str(new or ""))
        elif field in _SECTIONS:
            name = _SECTIONS[field]
            document = document.with_section(name, section_markdown(str(new or "")))
        elif field == "title":
            document = _with_title(document, str(new), older=older or document.has(LEGACY_KEY))
        elif field == "variants":
            document = document.with_section("Rule Variants", _variants(_pairs(new), raw=True))
        elif field in READ or field in _UNREAD:
            if older and field in _SCHEMA_3_ONLY and not document.has(field):
                continue
            values[field] = _changed(document, field, new)
        else:
            raise TypeError(f"{field} is no field of a memory that can be changed")
    document = document.with_values(values)
    return document if older else document.normalised()


def _changed(document: Document, key: str, new: object) -> str | tuple[str, ...] | None:
    """Return the value to write for a key, None to take it out; an equal list or text keeps its lines."""
    value = tuple(map(str, new)) if isinstance(new, (tuple, list)) else "" if new is None else str(new)
    old = document.get(key)
    if not value or (key == "lifecycle" and value == "active" and not document.has(key)):
        if key not in ALWAYS:
            return None
        return old if not old and document.has(key) else value
    if isinstance(value, tuple) and list_of(old) == value:
        return old
    return value


def _with_content(document: Document, markdown: str) -> Document:
    """Change the content, which in a file without such a section is what stands below the title."""
    if not markdown.strip():
        raise UsageError("a memory cannot be left without content", hint="archive it instead")
    found = document.outline()
    if found.section("Content") is None:
        if markdown == found.text(*found.loose()):
            return document
        document = document.without_lines(*found.loose())
    return document.with_section("Content", section_markdown(markdown, bullet=True))


def _with_title(document: Document, title: str, *, older: bool) -> Document:
    """Change the title; in files of schemas 1 and 2, migrated ones too, a prefix (``Skill: ``) stays."""
    old = document.title()
    prefix = next((prefix for prefix in LEGACY_TITLES if old.startswith(prefix)), "") if older else ""
    return document.with_title(prefix + title)


def _pairs(variants: object) -> tuple[tuple[str, str], ...]:
    assert isinstance(variants, (tuple, list))
    return tuple([(str(name), str(text)) for name, text in variants])


def _variants(variants: tuple[tuple[str, str], ...], *, raw: bool = False) -> str:
    """Return the Markdown below ``## Rule Variants``: Light, Balanced, Strict, then others as they come."""
    order = list(VARIANTS)
    named = [(VARIANTS.get(name.casefold(), name), text) for name, text in variants]
    named.sort(key=lambda pair: order.index(pair[0].casefold()) if pair[0].casefold() in order else len(order))
    store = section_markdown if raw else section_text
    return "\n\n".join([f"### {escape_title(name)}\n\n{store(text, level=3)}".rstrip("\n") for name, text in named])


def _listed(key: str, text: str) -> str | tuple[str, ...]:
    """Return a value of ``Memory.extra`` for writing: a list again, where the key holds lists."""
    if key in LIST_KEYS and text.startswith("["):
        try:
            entries, _ = parse_entries([f"{key}: {text}"])
        except FormatError:
            return text
        return entries[0].value if len(entries) == 1 else text
    return text
