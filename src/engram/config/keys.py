"""The table of configuration keys (F21): from it come validation, defaults, help, and what a workspace file may do.

One row is one key. ``safety.<group>`` and ``safety.<group>.<kind>`` are families: a row stands for each group, and
``find`` makes the row of a kind when it is asked for.

>>> find("load.limit").default
8
>>> validate("load.limit", 6, "engram.config.json")
6
"""

from __future__ import annotations

from engram.errors import ConfigError, UsageError
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Type = Literal["integer", "enum", "list", "path"]
    WorkspaceRule = Literal["adds", "counts", "never", "stricter", "safety"]

__all__ = [
    "ACTIONS",
    "GROUPS",
    "KEYS",
    "Key",
    "closest",
    "find",
    "is_group",
    "parse_text",
    "require",
    "shown",
    "validate",
    "variable_of",
]

# What is done with a finding, loosest first (F21).
ACTIONS = ("allow", "redact", "block")
# The groups of findings with what is done by default (F21).
GROUPS = {"secret": "block", "personal": "redact", "instruction": "block", "hidden": "block"}
# The kinds whose default is not their group's (F21).
_KINDS = {"safety.personal.email": "allow"}


class Key(Record):
    """One row of the table.

    ``minimum`` and ``maximum`` bound an integer, in ``unit``. ``choices`` are those of an enum. ``strictness`` orders
    them from loose to strict where that matters. ``workspace_rule`` says when a value in a workspace file, which may
    come with a clone, counts: always (``counts``), beside what others say (``adds``), ``never``, where ``stricter``
    than the value below, or by the rule for ``safety``. ``risk`` says what a looser value risks, and is empty
    where nothing is at risk.
    """

    name: str
    type: Type
    default: int | str | tuple[str, ...]
    help: str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()
    strictness: tuple[str, ...] = ()
    unit: str = ""
    risk: str = ""
    workspace_rule: WorkspaceRule = "counts"


_SAFETY_HELP = {
    "secret": "What is done with keys, passwords and tokens in a text.",
    "personal": "What is done with personal data in a text.",
    "instruction": "What is done with text that tries to give an agent orders.",
    "hidden": "What is done with characters that a reader cannot see.",
}
_SAFETY_RISK = {
    "secret": "Secrets end up in files, in Git and with the model's vendor.",
    "personal": "Personal data ends up in files, in Git and with the model's vendor.",
    "instruction": "A memory can make an agent do what nobody approved.",
    "hidden": "What is approved is not what was seen.",
}


def _safety(name: str, group: str) -> Key:
    return Key(
        name=name,
        type="enum",
        default=_KINDS.get(name, GROUPS[group]),
        help=_SAFETY_HELP[group],
        choices=("block", "redact", "allow"),
        strictness=ACTIONS,
        risk=_SAFETY_RISK[group],
        workspace_rule="safety",
    )


KEYS: tuple[Key, ...] = (
    Key(
        name="scope",
        type="enum",
        default="workspace",
        choices=("workspace", "global", "both"),
        help="Where a save goes when nothing else is said.",
    ),
    Key(
        name="read",
        type="enum",
        default="auto",
        choices=("auto", "startup", "always", "manual", "off"),
        help="When hooks give memory to an agent: auto sends with each prompt what the session has not seen.",
    ),
    Key(
        name="global_path",
        type="path",
        default="",
        help="The folder of the global memory; none by default.",
        risk="Memory in this folder is trusted.",
        workspace_rule="never",
    ),
    Key(
        name="roles",
        type="list",
        default=(),
        help="The roles at work here: a memory with a role is routed only while this is empty or holds it.",
    ),
    Key(
        name="rule_variant",
        type="enum",
        default="balanced",
        choices=("light", "balanced", "strict"),
        help="Which section of a rule's variants is given to an agent.",
    ),
    Key(
        name="load.limit",
        type="integer",
        default=8,
        minimum=1,
        maximum=32,
        unit="memories",
        help="How many memories one load gives in full.",
    ),
    Key(
        name="load.max_tokens",
        type="integer",
        default=1600,
        minimum=200,
        maximum=16000,
        unit="tokens",
        help="How many tokens one load may take.",
    ),
    Key(
        name="load.working_ttl_days",
        type="integer",
        default=14,
        minimum=1,
        maximum=365,
        unit="days",
        help="How long a working note lives.",
    ),
    Key(
        name="mcp.resource_limit",
        type="integer",
        default=20,
        minimum=0,
        maximum=200,
        unit="memories",
        help="How many memories the MCP server lists as resources, beside the index.",
    ),
    Key(
        name="mcp.dialog_timeout",
        type="integer",
        default=60,
        minimum=1,
        maximum=600,
        unit="seconds",
        help="How long an approval dialog waits for its answer.",
    ),
    Key(
        name="approval.terminal",
        type="enum",
        default="any",
        choices=("any", "tty"),
        strictness=("any", "tty"),
        help="Where the answer of an approval may come from: tty takes it from a terminal only.",
        risk="With any, a program that pipes an answer can approve.",
        workspace_rule="stricter",
    ),
    Key(
        name="trust.mode",
        type="enum",
        default="normal",
        choices=("normal", "strict"),
        strictness=("normal", "strict"),
        help="What a pull brings into a trusted memory: strict holds it back until engram trust.",
        risk="With normal, what others push is used without a look.",
        workspace_rule="stricter",
    ),
    Key(
        name="hosts.codex.approval_mode",
        type="enum",
        default="approve",
        choices=("approve", "prompt"),
        strictness=("approve", "prompt"),
        help="What engram link writes for Codex: with prompt, Codex itself asks before each commit.",
        risk="With approve, Codex does not ask by itself: the server does.",
        workspace_rule="stricter",
    ),
    Key(
        name="ignore.patterns",
        type="list",
        default=(),
        help="Files that Engram leaves alone: gitignore lines, beside .engramignore. drafts/ is a folder anywhere,"
        " drafts/** one in the project's or the memory's own folder.",
        workspace_rule="adds",
    ),
    *(_safety(f"safety.{group}", group) for group in GROUPS),
    *(_safety(name, name.split(".")[1]) for name in _KINDS),
    Key(
        name="lock.timeout",
        type="integer",
        default=10,
        minimum=1,
        maximum=120,
        unit="seconds",
        help="How long a command waits for another one that writes.",
    ),
)
_BY_NAME = {key.name: key for key in KEYS}


def find(name: str) -> Key | None:
    """Return the row of a key, also of one of a family (``safety.<group>.<kind>``); None for an unknown one."""
    if key := _BY_NAME.get(name):
        return key
    first, _, rest = name.partition(".")
    group, _, kind = rest.partition(".")
    if first == "safety" and group in GROUPS and _is_kind(kind):
        return _safety(name, group)
    return None


def _is_kind(kind: str) -> bool:
    """Tell whether a word can be a kind of finding: lower-case ASCII letters, digits and ``_``, a letter first."""
    return kind[:1].isalpha() and kind.isascii() and kind.islower() and kind.replace("_", "").isalnum()


def require(name: str) -> Key:
    """Return the row of a key that a person named.

    Raises:
        UsageError: for an unknown key, with the closest names.
    """
    if key := find(name):
        return key
    if is_group(name):
        inside = ", ".join(key.name for key in KEYS if key.name.startswith(name + "."))
        raise UsageError(f"{name} is a group of configuration keys: {inside}", hint="Name one of them.")
    near = closest(name)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(f"there is no configuration key {shown(name)}", hint=hint + "engram config view lists all keys.")


def is_group(name: str) -> bool:
    """Tell whether a name is the first part of a key's name: ``load``, ``hosts.codex``, ``safety.personal``."""
    return (name.startswith("safety.") and name[7:] in GROUPS) or any(key.name.startswith(name + ".") for key in KEYS)


def closest(name: str) -> list[str]:
    """Return up to three names of keys that look like ``name``, the likeliest first."""
    import difflib

    names = [key.name for key in KEYS]
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.6)
    return near or [known for known in names if known.rpartition(".")[2] == name.lower().rpartition(".")[2]][:3]


def variable_of(name: str) -> str:
    """Return the environment variable that sets a key: capitals, ``.`` as ``_`` (F21)."""
    return "ENGRAM_GLOBAL_DIR" if name == "global_path" else "ENGRAM_" + name.upper().replace(".", "_")


def validate(name: str, value: object, where: str) -> object:
    """Return a key's value as Engram uses it, a list as a tuple.

    Types are strict: true is no integer, and "8" is not 8.

    Args:
        name: a known key.
        value: as read from JSON.
        where: the file or variable that it stands in, for the message; may be empty.

    Raises:
        UsageError: for an unknown key.
        ConfigError: names the key, what was given and what is allowed.
    """
    key = require(name)
    if key.type == "integer":
        if type(value) is int and key.minimum <= value <= key.maximum:
            return value
    elif key.type == "enum":
        if isinstance(value, str) and value in key.choices:
            return value
    elif key.type == "path":
        if isinstance(value, str) and _is_clean(value):
            return value
    elif isinstance(value, list | tuple) and all(
        isinstance(item, str) and item.strip() and _is_clean(item) for item in value
    ):
        return tuple(value)
    raise _bad_value(key, value, where)


def parse_text(name: str, text: str, where: str = "") -> object:
    """Return the value of a key that stands as text in the environment or on the command line.

    An integer is its digits; a list is a JSON array, or items with commas between them.

    Raises:
        UsageError: for an unknown key.
        ConfigError: as ``validate``.
    """
    key = require(name)
    stripped = text.strip()
    if key.type == "integer":
        digits = stripped.removeprefix("-")
        number = int(stripped) if digits.isascii() and digits.isdigit() and len(digits) < 10 else text
        return validate(name, number, where)
    if key.type == "list":
        if stripped == "[]" or stripped.startswith('["'):
            from engram.text.jsonc import JsoncError, parse

            try:
                return validate(name, parse(stripped), where)
            except JsoncError as error:
                raise _bad_value(key, text, where) from error
        return validate(name, [item.strip() for item in text.split(",") if item.strip()], where)
    return validate(name, stripped if key.type == "enum" else text, where)


def shown(value: object) -> str:
    """Return a value as JSON for a message: at most 80 characters, none that a terminal obeys or does not show."""
    from engram.text.jsonc import dumps, printable

    try:
        text = dumps(value, None)
    except ValueError:
        text = ascii(value)
    return printable(text if len(text) <= 80 else text[:79] + "…")


def _is_clean(text: str) -> bool:
    """Tell whether a text can stand in a file and in a path: no control character, nothing that UTF-8 cannot hold."""
    return not any(char < " " or char == "\x7f" or "\ud800" <= char <= "\udfff" for char in text)


def _bad_value(key: Key, value: object, where: str) -> ConfigError:
    allowed = {
        "integer": f"a whole number from {key.minimum} to {key.maximum} ({key.unit})",
        "enum": "one of " + ", ".join(key.choices),
        "list": "a list of texts, none of them empty",
        "path": "the path of a folder, as text",
    }[key.type]
    example = {"list": '["one", "two"]', "path": "/path/to/folder"}.get(key.type, str(key.default))
    place = f" in {where}" if where else ""
    return ConfigError(
        f"{key.name}{place} is {shown(value)}, but must be {allowed}",
        hint=f"Correct it there, for example to {example}." if where else f"For example: {example}",
        details={"key": key.name, "value": shown(value), "allowed": allowed},
    )
