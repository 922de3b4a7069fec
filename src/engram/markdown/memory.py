"""From the bytes of a memory file to a Memory and back (F5 to F7).

A read memory holds its sections as Markdown (``- text``). A new one is rendered from plain text, and ``content_text``
gives that text back:

>>> new = Memory(id="use-pnpm", type="rule", scope="workspace", title="Use pnpm", content="Use pnpm for every install.")
>>> memory = read_memory(render_memory(new), path="rules/use-pnpm.md", scope="workspace")
>>> memory.content, content_text(memory.content)
('- Use pnpm for every install.', 'Use pnpm for every install.')
"""

from __future__ import annotations

from engram.errors import FormatError, UsageError
from engram.markdown.document import Document, checked_bytes, parse_document
from engram.markdown.frontmatter import KNOWN_KEYS, LIST_KEYS, format_entry, parse_entries
from engram.markdown.sections import (
    SECTION_ORDER,
    content_text,
    escape_title,
    plain_title,
    section_markdown,
    section_text,
)
from engram.model import KIND_OF_FOLDER, KINDS, Memory
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from engram.markdown.sections import Outline
    from engram.model import Kind, Scope

    Values = dict[str, str | tuple[str, ...]]

__all__ = ["content_text", "read_memory", "render_memory", "update_document"]

_NEWEST = 3
_VARIANTS = {"light": "Light", "balanced": "Balanced", "strict": "Strict"}
_LEGACY_TITLES = ("Skill: ", "Rule: ", "Knowledge: ")
# The fields of Memory that are one frontmatter key each, written always or only when set (F6).
_ALWAYS = (
    "author_email", "author_name", "authority", "confidence", "created", "id", "last_confirmed", "scope", "source",
    "tags", "type", "updated", "valid_from",
)  # fmt: skip
_OPTIONAL = (
    "archived_at", "depends_on", "level", "lifecycle", "parent", "review_after", "role", "superseded_by", "supersedes",
    "task_types", "triggers", "valid_until",
)  # fmt: skip
_READ = frozenset((*_ALWAYS, *_OPTIONAL, "author", "revision", "schema_version"))
_UNREAD = frozenset(KNOWN_KEYS) - _READ
# What a new version of a memory sets by itself; schemas 1 and 2 do not have these keys (F7).
_SCHEMA_3_ONLY = frozenset({"author_email", "author_name", "authority", "last_confirmed", "revision", "valid_from"})
_SECTIONS = {
    "content": "Content", "context": "Context", "example": "Example", "human_note": "Human Note", "origin": "Origin",
}  # fmt: skip


def read_memory(data: bytes, *, path: str, scope: str) -> Memory:
    """Return the memory that a file holds.

    Args:
        data: the file's bytes, of schema 1, 2 or 3.
        path: where it is in its root, with ``/``: ``rules/sub/x.md``. The id is the stem, as NFC.
        scope: ``workspace`` or ``global``, the root's; what the file says about it does not count.

    Raises:
        FormatError: with path, line and reason, where the file cannot be read (F9), its schema is newer, its name or
            ``id`` is not fit to be an id (F12), or ``type`` or ``revision`` is none.
    """
    document = parse_document(data, path)
    values: Values = {entry.key: entry.value for entry in document.entries}
    memory_id = _id(path)
    named = values.get("id", "")
    if named and named != memory_id:
        _check_id(document, _one(named), "id")
    schema = _integer(document, values, "schema_version")
    if schema > _NEWEST:
        _refuse(
            document, "schema_version", f"its schema {schema} is newer than this Engram, which reads 1 to {_NEWEST}"
        )
    kind = _kind(document, values, path)
    found = document.outline()
    title = plain_title(found.title.text) if found.title else ""
    if schema < _NEWEST:
        for prefix in _LEGACY_TITLES:
            if title.startswith(prefix):
                title = title[len(prefix) :].lstrip(" ")
                break
    texts = {section.name.casefold(): section for section in reversed(found.sections)}
    variants = texts.get("rule variants")
    get = values.get
    email = _one(get("author_email", ""))
    name = _one(get("author_name", ""))
    if "author" in values and not email and not name:
        author = _one(values["author"])
        email, name = (author, "") if "@" in author else ("", author)
    return Memory(
        id=memory_id,
        named=_one(named) if named and fold_id(_one(named)) != fold_id(memory_id) else "",
        type=kind,
        scope=_scope(scope),
        title=title or memory_id,
        content=texts["content"].text if "content" in texts else _without_content(found),
        authority=_one(get("authority", "")) or ("reference" if kind == "knowledge" else "instruction"),
        tags=_list(get("tags", ())),
        triggers=_list(get("triggers", ())),
        depends_on=_list(get("depends_on", ())),
        role=_list(get("role", ())),
        task_types=_list(get("task_types", ())),
        level=_one(get("level", "")),
        parent=_one(get("parent", "")),
        confidence=_one(get("confidence", "")) or "medium",
        source=_one(get("source", "")),
        revision=_integer(document, values, "revision"),
        schema=schema,
        created=_one(get("created", "")),
        updated=_one(get("updated", "")),
        valid_from=_one(get("valid_from", "")),
        valid_until=_one(get("valid_until", "")),
        last_confirmed=_one(get("last_confirmed", "")),
        author_name=name,
        author_email=email,
        lifecycle=_one(get("lifecycle", "")) or "active",
        supersedes=_list(get("supersedes", ())),
        superseded_by=_one(get("superseded_by", "")),
        archived_at=_one(get("archived_at", "")),
        review_after=_one(get("review_after", "")),
        context=texts["context"].text if "context" in texts else "",
        example=texts["example"].text if "example" in texts else "",
        origin=texts["origin"].text if "origin" in texts else "",
        human_note=texts["human note"].text if "human note" in texts else "",
        variants=()
        if variants is None
        else tuple([(_VARIANTS.get(name.casefold(), name), text) for name, text in found.inner(variants)]),
        extra=tuple([(key, _text(value)) for key, value in values.items() if key not in _READ]),
    )


def render_memory(memory: Memory) -> bytes:
    """Return a new schema 3 file: the same bytes for the same memory, always (F5, F6).

    ``content``, ``origin``, ``human_note`` and the variants are plain text, which may hold anything; it is written so
    that ``content_text`` of the section that is read gives it back, white space around it dropped. For a file that
    exists use ``update_document``.

    Raises:
        FormatError: for a text that no memory file may hold, or too much of it (F9).
    """
    values: Values = {key: getattr(memory, key) for key in _ALWAYS}
    values["revision"] = str(memory.revision)
    values["schema_version"] = str(_NEWEST)
    for key in _OPTIONAL:
        value: str | tuple[str, ...] = getattr(memory, key)
        if value and not (key == "lifecycle" and value == "active"):
            values[key] = value
    for key, text in memory.extra:
        if key not in _READ:
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
    older = document.get("schema_version") != str(_NEWEST)
    values: dict[str, str | tuple[str, ...] | None] = {}
    for field, new in changes.items():
        if field == "content":
            document = _with_content(document, str(new or ""))
        elif field in _SECTIONS:
            name = _SECTIONS[field]
            document = document.with_section(name, section_markdown(str(new or "")))
        elif field == "title":
            document = _with_title(document, str(new), older=older)
        elif field == "variants":
            document = document.with_section("Rule Variants", _variants(_pairs(new), raw=True))
        elif field in _READ or field in _UNREAD:
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
        if key not in _ALWAYS:
            return None
        return old if not old and document.has(key) else value
    if isinstance(value, tuple) and _list(old) == value:
        return old
    return value


def _with_content(document: Document, markdown: str) -> Document:
    """Change the content, which in a file without such a section is what stands below the title."""
    if not markdown.strip():
        raise UsageError("a memory cannot be left without content", hint="archive it instead")
    found = document.outline()
    if found.section("Content") is None:
        if markdown == _without_content(found):
            return document
        document = document.without_lines(*_loose_content(found))
    return document.with_section("Content", section_markdown(markdown, bullet=True))


def _with_title(document: Document, title: str, *, older: bool) -> Document:
    """Change the title; in schemas 1 and 2 a prefix (``Skill: ``) stays."""
    old = document.title()
    prefix = next((prefix for prefix in _LEGACY_TITLES if old.startswith(prefix)), "") if older else ""
    return document.with_title(prefix + title)


def _pairs(variants: object) -> tuple[tuple[str, str], ...]:
    assert isinstance(variants, (tuple, list))
    return tuple([(str(name), str(text)) for name, text in variants])


def _variants(variants: tuple[tuple[str, str], ...], *, raw: bool = False) -> str:
    """Return the Markdown below ``## Rule Variants``: Light, Balanced, Strict, then others as they come."""
    order = list(_VARIANTS)
    named = [(_VARIANTS.get(name.casefold(), name), text) for name, text in variants]
    named.sort(key=lambda pair: order.index(pair[0].casefold()) if pair[0].casefold() in order else len(order))
    store = section_markdown if raw else section_text
    return "\n\n".join([f"### {escape_title(name)}\n\n{store(text, level=3)}".rstrip("\n") for name, text in named])


def _id(path: str) -> str:
    stem = path.rpartition("/")[2].removesuffix(".md")
    if not stem.isascii():
        import unicodedata

        stem = unicodedata.normalize("NFC", stem)
    try:
        scope, name = check_id(stem)
    except UsageError as error:
        raise FormatError(f"the name of the file is not fit to be an id: {error.message}", path=path) from None
    return name if not scope else stem


def _check_id(document: Document, value: str, key: str) -> None:
    try:
        check_id(value)
    except UsageError as error:
        _refuse(document, key, error.message)


def _refuse(document: Document, key: str, reason: str) -> NoReturn:
    raise FormatError(reason, path=document.path, line=document.line_of(key))


def _kind(document: Document, values: Values, path: str) -> Kind:
    """Return the type: what the file says, else what its folder is for."""
    said = _one(values.get("type", "")).lower()
    if said == "workflow":
        return "skill"
    for kind in KINDS:
        if said == kind:
            return kind
    if said:
        _refuse(document, "type", f"`type: {said}` is none of {', '.join(KINDS)}")
    for part in reversed(path.split("/")[:-1]):
        if part in KIND_OF_FOLDER:
            return KIND_OF_FOLDER[part]
    return "knowledge"


def _scope(scope: str) -> Scope:
    return "global" if scope == "global" else "workspace"


def _integer(document: Document, values: Values, key: str) -> int:
    text = values.get(key, "1")
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
        _refuse(document, key, f"`{key}` is {_text(text) or 'empty'!r}, and must be a number from 1")
    return int(text)


def _one(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _list(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return a list, which older files also write as one text with commas."""
    if isinstance(value, str):
        return tuple([item for part in value.split(",") if (item := part.strip())]) if value else ()
    return value if "" not in value else tuple([item for item in value if item])


def _text(value: str | tuple[str, ...]) -> str:
    """Return a value as text: a list as it would stand inline."""
    return value if isinstance(value, str) else format_entry("x", value).removeprefix("x: ")


def _listed(key: str, text: str) -> str | tuple[str, ...]:
    """Return a value of ``Memory.extra`` for writing: a list again, where the key holds lists."""
    if key in LIST_KEYS and text.startswith("["):
        try:
            entries, _ = parse_entries([f"{key}: {text}"])
        except FormatError:
            return text
        return entries[0].value if len(entries) == 1 else text
    return text


def _without_content(found: Outline) -> str:
    """Return the content of a file without such a section."""
    return found.text(*_loose_content(found))


def _loose_content(found: Outline) -> tuple[int, int]:
    """Return the lines after the title, up to a section that we know."""
    known = {name.casefold() for name in SECTION_ORDER}
    start = found.title.end if found.title else 0
    end = next((section.line for section in found.sections if section.name.casefold() in known), len(found.lines))
    return start, end
