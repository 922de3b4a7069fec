r"""From the bytes of a memory file to a Memory (F5 to F7); module ``writing`` is the way back.

>>> memory = read_memory(b"---\ntype: rule\n---\n# A\n## Content\n- Text.\n", path="rules/a.md", scope="global")
>>> memory.id, memory.title, memory.content
('a', 'A', '- Text.')
"""

from __future__ import annotations

from engram.errors import FormatError, UsageError
from engram.markdown.frontmatter import format_entry, read_values, split_source
from engram.markdown.sections import outline, plain_title
from engram.model import KIND_OF_FOLDER, KINDS, Memory
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from engram.model import Kind, Scope

    Values = dict[str, str | tuple[str, ...]]

__all__ = [
    "ALWAYS",
    "LEGACY_KEY",
    "LEGACY_TITLES",
    "NEWEST_SCHEMA",
    "OPTIONAL",
    "READ",
    "VARIANTS",
    "list_of",
    "read_memory",
]

NEWEST_SCHEMA = 3
VARIANTS = {"light": "Light", "balanced": "Balanced", "strict": "Strict"}
LEGACY_TITLES = ("Skill: ", "Rule: ", "Knowledge: ")
# Only schemas 1 and 2 have it: it tells a file that was migrated, whose body is what it was, title included (F7).
LEGACY_KEY = "author"
# The fields of Memory that are one frontmatter key each, written always or only when set (F6).
ALWAYS = (
    "author_email", "author_name", "authority", "confidence", "created", "id", "last_confirmed", "scope", "source",
    "tags", "type", "updated", "valid_from",
)  # fmt: skip
OPTIONAL = (
    "archived_at", "depends_on", "level", "lifecycle", "parent", "review_after", "role", "superseded_by", "supersedes",
    "task_types", "triggers", "valid_until",
)  # fmt: skip
# The keys that become fields of Memory; the others are its ``extra``.
READ = frozenset((*ALWAYS, *OPTIONAL, "author", "revision", "schema_version"))


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
    source = split_source(data, path)
    try:
        values: Values = read_values(source.front)
    except FormatError as error:
        error.path = path
        raise
    memory_id = _id(path)
    named = values.get("id", "")
    if named and named != memory_id:
        _check_id(data, path, _one(named))
    schema = _integer(data, path, values, "schema_version")
    if schema > NEWEST_SCHEMA:
        reason = f"its schema {schema} is newer than this Engram, which reads 1 to {NEWEST_SCHEMA}"
        _refuse(data, path, "schema_version", reason)
    kind = _kind(data, path, values)
    found = outline(source.body)
    title = plain_title(found.title.text) if found.title else ""
    if schema < NEWEST_SCHEMA or LEGACY_KEY in values:
        for prefix in LEGACY_TITLES:
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
        content=texts["content"].text if "content" in texts else found.text(*found.loose()),
        authority=_one(get("authority", "")) or ("reference" if kind == "knowledge" else "instruction"),
        tags=list_of(get("tags", ())),
        triggers=list_of(get("triggers", ())),
        depends_on=list_of(get("depends_on", ())),
        role=list_of(get("role", ())),
        task_types=list_of(get("task_types", ())),
        level=_one(get("level", "")),
        parent=_one(get("parent", "")),
        confidence=_one(get("confidence", "")) or "medium",
        source=_one(get("source", "")),
        revision=_integer(data, path, values, "revision"),
        schema=schema,
        created=_one(get("created", "")),
        updated=_one(get("updated", "")),
        valid_from=_one(get("valid_from", "")),
        valid_until=_one(get("valid_until", "")),
        last_confirmed=_one(get("last_confirmed", "")),
        author_name=name,
        author_email=email,
        lifecycle=_one(get("lifecycle", "")) or "active",
        supersedes=list_of(get("supersedes", ())),
        superseded_by=_one(get("superseded_by", "")),
        archived_at=_one(get("archived_at", "")),
        review_after=_one(get("review_after", "")),
        context=texts["context"].text if "context" in texts else "",
        example=texts["example"].text if "example" in texts else "",
        origin=texts["origin"].text if "origin" in texts else "",
        human_note=texts["human note"].text if "human note" in texts else "",
        variants=()
        if variants is None
        else tuple([(VARIANTS.get(name.casefold(), name), text) for name, text in found.inner(variants)]),
        extra=tuple([(key, _text(value)) for key, value in values.items() if key not in READ]),
    )


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


def _check_id(data: bytes, path: str, value: str) -> None:
    try:
        check_id(value)
    except UsageError as error:
        _refuse(data, path, "id", error.message)


def _refuse(data: bytes, path: str, key: str, reason: str) -> NoReturn:
    from engram.markdown.document import parse_document  # only what is refused needs the line

    raise FormatError(reason, path=path, line=parse_document(data, path).line_of(key))


def _kind(data: bytes, path: str, values: Values) -> Kind:
    """Return the type: what the file says, else what its folder is for."""
    said = _one(values.get("type", "")).lower()
    if said == "workflow":
        return "skill"
    for kind in KINDS:
        if said == kind:
            return kind
    if said:
        _refuse(data, path, "type", f"`type: {said}` is none of {', '.join(KINDS)}")
    for part in reversed(path.split("/")[:-1]):
        if part in KIND_OF_FOLDER:
            return KIND_OF_FOLDER[part]
    return "knowledge"


def _scope(scope: str) -> Scope:
    return "global" if scope == "global" else "workspace"


def _integer(data: bytes, path: str, values: Values, key: str) -> int:
    text = values.get(key, "1")
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
        _refuse(data, path, key, f"`{key}` is {_text(text) or 'empty'!r}, and must be a number from 1")
    return int(text)


def _one(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def list_of(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return a list, which older files also write as one text with commas."""
    if isinstance(value, str):
        return tuple([item for part in value.split(",") if (item := part.strip())]) if value else ()
    return value if "" not in value else tuple([item for item in value if item])


def _text(value: str | tuple[str, ...]) -> str:
    """Return a value as text: a list as it would stand inline."""
    return value if isinstance(value, str) else format_entry("x", value).removeprefix("x: ")
