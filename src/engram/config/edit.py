"""A configuration text with one key changed; comments and everything else stay. Writing it to disk is the store's.

>>> set_key('{"scope": "global" /* mine */}', "load.limit", 6)
'{"scope": "global", /* mine */ "load": {"limit": 6}}'
>>> unset_key(_, "load.limit")
'{"scope": "global" /* mine */}'
"""

from __future__ import annotations

from engram.config.files import CONFIG_NAME, scan_config
from engram.config.keys import require, validate
from engram.text.jsonc import Node, read_tree
from engram.text.jsonc_edit import set_value, unset_value

__all__ = ["new_config_text", "set_key", "unset_key"]

_NEW = """\
// Configuration of this memory. Every key has a default: `engram config view` shows what counts, and from where.
{
  // Where a save goes when nothing else is said: "workspace", "global" or "both".
  // "scope": "workspace",

  // How many memories one load gives in full, and how many tokens it may take.
  // "load": { "limit": 8, "max_tokens": 1600 },
}
"""


def new_config_text() -> str:
    """Return the file that ``engram inject`` writes: comments that show the way, and no key."""
    return _NEW


def set_key(text: str, name: str, value: object, file: str = CONFIG_NAME) -> str:
    """Return the text with a key set; a key that stands there keeps its spelling, nested or flat.

    Args:
        text: a configuration file's text.
        name: a known key.
        value: as read from JSON; ``parse_text`` makes it from the command line's text.
        file: the file's name for messages.

    Raises:
        UsageError: for an unknown key, with the closest names.
        ConfigError: for a value that is not allowed, or a text that cannot be read, with line and column.
    """
    require(name)
    value = validate(name, value, "")
    found = scan_config(text, file)
    path = found.known[name].path if name in found.known else _free_path(read_tree(text), name)
    return set_value(text, path, value)


def unset_key(text: str, name: str, file: str = CONFIG_NAME) -> str:
    """Return the text without a key, and without the group that held nothing else; absent, the text as it was.

    A key that Engram does not know can be taken out by the name that ``engram config view`` gives it.

    Raises:
        UsageError: for a key that is unknown and not there, with the closest names.
        ConfigError: for a text that cannot be read, with line and column.
    """
    found = scan_config(text, file)
    place = found.known.get(name) or found.unknown.get(name)
    if place is None:
        require(name)
        return text
    path = place.path
    text = unset_value(text, path)
    while len(path := path[:-1]) and _is_bare(text, path):
        text = unset_value(text, path)
    return text


def _free_path(root: Node, name: str) -> tuple[str, ...]:
    """Return where a new key goes: nested, or with dots where a value or an object already has that place.

    ``safety.personal`` may hold a value, and ``safety.personal.email`` too.
    """
    parts = name.split(".")
    for depth in range(len(parts) - 1, 0, -1):
        path = (*parts[:depth], ".".join(parts[depth:]))
        node: Node | None = root
        for key in path:
            taken = node is not None and node.members is None
            node = None if node is None else _child(node, key)
            if taken:
                break
        else:
            if node is None:
                return path
    return (name,)


def _child(node: Node, key: str) -> Node | None:
    return next((member.value for member in node.members or () if member.key == key), None)


def _is_bare(text: str, path: tuple[str, ...]) -> bool:
    """Tell whether nothing, not even a comment, stands in the object at a path."""
    node = read_tree(text)
    for key in path:
        child = _child(node, key)
        assert child is not None
        node = child
    return not text[node.start + 1 : node.end - 1].strip()
