"""What reaches an agent, or anybody else: every memory passes ``give`` on its way out (decisions 8 and 9).

A memory on disk may hold what no save lets through: written by hand and accepted, brought by a pull, older than a rule.
A secret in it is redacted whoever asks, personal data as the configuration says. A rule or skill that tells an agent to
carry data out, to switch safety off or the like is given as reference, with the reason. What ``recall.pack`` and
``safety.fence`` then make of it is inert.

What is no text of a memory (the name of a file, an id, an author, a reason, the line that cannot be read) is quoted in
many places. It passes ``let_out`` in the one place where each face writes, with everything else that the face says.

What the rules find in a memory depends on its bytes, so it is looked up once and remembered beside the index, by their
hash: most memories hold nothing, and a cold process neither imports the rules nor compiles a pattern for them.
Memories that come into the index are looked at together, which takes a fraction of the time of one by one.
"""

from __future__ import annotations

import os

from engram.errors import EngramError
from engram.safety import RULES
from engram.safety.fence import may_hold_key
from engram.service.caches import cache_of
from engram.service.session import Entry
from engram.store.files import OWN_FILE, read_optional
from engram.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from engram.model import Memory
    from engram.safety.finding import Finding
    from engram.service.session import Session
    from engram.store.root import MemoryRoot, Stored

__all__ = ["Learner", "entry_of", "give", "give_text", "let_out", "let_out_data"]

_FILE = "found"
# The bytes of the hash and of the kind by which a memory is known, and how large the file may grow.
_DIGITS = 40
_LARGEST = 8 * 1024 * 1024
# A file of so many bytes is taken apart by a process that lives long: some ten megabytes of memory at most.
_TAKEN_APART = 2 * 1024 * 1024
# From so many on that the file has not, it is taken apart by any process: an index is being made.
_MANY = 100
# So many characters of memories are looked at together.
_TOGETHER = 64 * 1024
_GAP = "\n\n.\n\n"
_TEXTS = ("title", "content", "context", "example", "origin", "human_note")
_LISTS = ("tags", "triggers", "role", "task_types")
# What is taken out of a text that may not stand there; the other groups are shown inert, and demoted.
_TAKEN_OUT = ("secret", "personal")
# Secrets that no mark begins and that look like nothing else.
_TELLING = ("url-password", "jwt", "private-key")


def entry_of(session: Session, root: MemoryRoot, stored: Stored, key: str) -> Entry:
    """Return a memory that was read and checked, as it may be given to anybody."""
    return give(session, Entry(stored.memory, key, stored.path, root, stored.hash))


def give(session: Session, entry: Entry) -> Entry:
    """Return a memory as it may be given: redacted, and as reference where it may not instruct."""
    rules = _found_in(session, entry)
    if not rules:
        return entry
    action = session.settings.action
    acted = {rule: what for rule in rules if (what := action(*_parts(rule))) != "allow"}
    memory = entry.memory
    if any(_is_taken_out(rule, what) for rule, what in acted.items()):
        memory = _redacted(session, memory)
    orders = [rule for rule, what in acted.items() if what == "block" and rule.startswith("instruction/")]
    if not orders:
        return entry.replace(memory=memory)
    # Recalled text that gives orders where it may not is no instruction, whoever let it in.
    return entry.replace(memory=memory.replace(authority="reference"), doubt=f"holds {orders[0]}: reference only")


def give_text(session: Session, entry: Entry, text: str) -> str:
    """Return the text of a memory's file as it may be given."""
    # The file has more than the memory: unknown keys, comments, the header of the archive.
    known = _known(session, entry.root)
    name = f"{entry.hash[:_DIGITS]}f"
    rules = known.get(name)
    if rules is None:
        rules = _look(_without_plain_lines(text), entry.memory.type)
        known.add({name: list(rules)})
    action = session.settings.action
    if not any(_is_taken_out(rule, action(*_parts(rule))) for rule in rules):
        return text
    from engram.safety.scan import redact
    from engram.service.safeguard import names_author

    findings = [one for one in _findings(session, text, entry.memory.type) if not names_author(text, one)]
    return redact(text, findings)


def let_out(text: str, session: Callable[[], Session | None]) -> str:
    """Return what a face is about to write, without the keys in it that a provider's mark gives away (decision 8).

    Args:
        text: everything that is written.
        session: gives the session whose configuration allows a kind of key (F21); None where there is none. It is
            called only where there is something to take out.
    """
    return _without_keys(text, session) if may_hold_key(text) else text


def let_out_data(value: Any, session: Callable[[], Session | None]) -> Any:
    """Return the same of plain data: each text in it, names included."""
    if isinstance(value, str):
        return let_out(value, session)
    if isinstance(value, dict):
        return {let_out_data(name, session): let_out_data(part, session) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [let_out_data(part, session) for part in value]
    return value


def _without_keys(text: str, session: Callable[[], Session | None]) -> str:
    from engram.safety.scan import redact, scan

    found = [one for one in scan(text) if one.group == "secret" and _is_marked(one, text)]
    if not found:
        return text
    try:
        known = session()
        action = known.settings.action if known else None
    except (EngramError, OSError):
        action = None  # a configuration that cannot be read allows nothing
    return redact(text, [one for one in found if action is None or action(one.group, one.kind) != "allow"])


def _is_marked(finding: Finding, text: str) -> bool:
    """Tell whether the secret itself gives it away.

    In a text of Engram's own the words before a value announce nothing: an approval token is one, and is to be shown.
    """
    from engram.safety.secrets import MARKS

    return finding.kind in _TELLING or text[finding.start : finding.end].startswith(MARKS)


class Learner:
    """Looks at the memories that come into an index, many at once, and remembers what it found."""

    def __init__(self, session: Session, root: MemoryRoot) -> None:
        self._known = _known(session, root)
        self._waiting: list[tuple[str, str, str]] = []
        self._size = 0

    def learn(self, value: str, memory: Memory) -> None:
        """Take a memory with the hash of its bytes."""
        name = _name(value, memory)
        if self._known.get(name) is None:
            text = _whole(memory)
            self._waiting.append((name, memory.type, text))
            self._size += len(text)
            if self._size >= _TOGETHER:
                self.finish()

    def finish(self) -> None:
        """Look at what waits; to be called at the end."""
        if not self._waiting:
            return
        from bisect import bisect_right

        from engram.safety.scan import scan

        waiting, self._waiting, self._size = self._waiting, [], 0
        starts = [0]
        for _, _, text in waiting:
            starts.append(starts[-1] + len(text) + len(_GAP))
        # As reference: what nobody may hold, and what only rules and skills may.
        suspects = {
            number
            for one in scan(_GAP.join(text for _, _, text in waiting))
            for number in range(bisect_right(starts, one.start) - 1, bisect_right(starts, max(one.end - 1, one.start)))
        }
        found = {}
        for number, (name, kind, text) in enumerate(waiting):
            found[name] = sorted({one.rule for one in scan(text, kind=kind)}) if number in suspects else []
        self._known.add(found)


class _Known:
    """What the rules found in memories, by their hashes; a file that cannot be read or written knows nothing.

    Args:
        path: of the file.
        kept: what a process that lives long knows already, by name: a hash and what was found never part, so it is
            right for as long as the process runs. To look for a name in the bytes of the file takes fifty times as
            long, and to take the file apart as long as a hundred of these.
    """

    def __init__(self, path: str, kept: dict[str, tuple[str, ...]] | None = None) -> None:
        self._path = path
        self._kept = kept
        self._head = f"engram {__version__} rules {RULES}\n".encode()
        self._data = b""
        self._size = 0
        self._read = False
        self._apart = False
        self._missed = 0

    def get(self, name: str) -> tuple[str, ...] | None:
        """Return the rules that a memory's text is found by, ``()`` for none, None where it is not known."""
        if self._kept is not None and name in self._kept:
            return self._kept[name]
        if not self._read:
            self._read = True
            try:
                data = read_optional(self._path) or b""
            except OSError:
                data = b""
            self._data = data if data.startswith(self._head) else b""
            self._size = len(self._data)
            if self._kept is not None and self._size <= _TAKEN_APART:
                return self._take_apart().get(name)
        if self._apart:
            return None
        at = self._data.find(f"\n{name} ".encode())
        if at < 0:
            self._missed += 1
            if self._missed == _MANY:
                self._take_apart()
            return None
        start = at + len(name) + 2
        end = self._data.find(b"\n", start)
        if end < 0:
            return None  # a line that was cut
        return tuple(self._data[start:end].decode("ascii", "replace").split(",")) if end > start else ()

    def _take_apart(self) -> dict[str, tuple[str, ...]]:
        """Know from now on what the file has by name, instead of looking through its bytes."""
        if self._kept is None:
            self._kept = {}
        self._kept.update(_taken_apart(self._data))
        self._apart, self._data = True, b""
        return self._kept

    def add(self, found: dict[str, list[str]]) -> None:
        """Remember what was found."""
        if self._kept is not None:
            self._kept.update({name: tuple(rules) for name, rules in found.items()})
        lines = "".join(f"{name} {','.join(rules)}\n" for name, rules in found.items()).encode("ascii", "replace")
        fresh = not self._size or self._size > _LARGEST
        if fresh:
            lines, self._data, self._size = self._head + lines, b"", 0
        self._size += len(lines)
        if not self._apart:
            self._data += lines
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if fresh else os.O_APPEND) | OWN_FILE
        try:
            try:
                file = os.open(self._path, flags, 0o600)
            except FileNotFoundError:
                from engram.index.folder import make_cache

                make_cache(os.path.dirname(self._path))
                file = os.open(self._path, flags, 0o600)
        except OSError:
            return
        try:
            # One write, so that lines of two processes do not mix.
            os.write(file, lines)
        except OSError:
            pass  # a full disk: it is looked at again the next time
        finally:
            os.close(file)


def _taken_apart(data: bytes) -> dict[str, tuple[str, ...]]:
    """Return the whole lines of the file, without its head, by their names."""
    lines = data.decode("ascii", "replace").split("\n")[1:-1]
    pairs = [line.partition(" ") for line in lines]
    return {name: tuple(rules.split(",")) if rules else () for name, _, rules in pairs}


def _known(session: Session, root: MemoryRoot) -> _Known:
    known = session.found.get(root.path)
    if not isinstance(known, _Known):
        kept = session.shelf.found.setdefault(root.path, {}) if session.shelf else None
        known = session.found[root.path] = _Known(os.path.join(cache_of(session, root), _FILE), kept)
    return known


def _found_in(session: Session, entry: Entry) -> tuple[str, ...]:
    known = _known(session, entry.root)
    name = _name(entry.hash, entry.memory)
    rules = known.get(name)
    if rules is None:
        rules = _look(_whole(entry.memory), entry.memory.type)
        known.add({name: list(rules)})
    return rules


def _without_plain_lines(text: str) -> str:
    """Return a memory file without the lines of its frontmatter that hold a date, a number or the author.

    They are in every file, and an expression would have to be compiled for each of them.
    """
    head, mark, body = text.partition("\n---")
    if not mark:
        return text
    return "\n".join(line for line in head.split("\n") if not _is_plain(line)) + mark + body


def _is_plain(line: str) -> bool:
    name, colon, value = line.partition(":")
    if name in {"author_name", "author_email", "source"}:
        return len(value) < 100
    return bool(colon) and len(value) < 12 and value.replace("-", "").strip().isdecimal()


def _look(text: str, kind: str) -> tuple[str, ...]:
    from engram.safety.scan import scan

    return tuple(sorted({one.rule for one in scan(text, kind=kind)}))


def _name(value: str, memory: Memory) -> str:
    return f"{value[:_DIGITS]}{memory.type[:1]}"


def _whole(memory: Memory) -> str:
    """Return everything of a memory that anybody is shown, as one text."""
    texts = [str(getattr(memory, name)) for name in _TEXTS]
    texts += [" ".join(getattr(memory, name)) for name in _LISTS]
    texts += [text for _, text in memory.variants]
    return "\n\n".join(text for text in texts if text)


def _parts(rule: str) -> tuple[str, str]:
    group, _, kind = rule.partition("/")
    return group, kind


def _is_taken_out(rule: str, action: str) -> bool:
    return action == "redact" or (action == "block" and rule.startswith(_TAKEN_OUT))


def _findings(session: Session, text: str, kind: str) -> list[Finding]:
    from engram.safety.scan import scan

    action = session.settings.action
    return [one for one in scan(text, kind=kind) if _is_taken_out(one.rule, action(one.group, one.kind))]


def _redacted(session: Session, memory: Memory) -> Memory:
    from engram.safety.scan import redact

    def clean(text: str) -> str:
        return redact(text, _findings(session, text, memory.type)) if text else text

    def cleaned(texts: Iterable[str]) -> Sequence[str]:
        return tuple(clean(text) for text in texts)

    changes: dict[str, object] = {name: clean(str(getattr(memory, name))) for name in _TEXTS}
    changes |= {name: cleaned(getattr(memory, name)) for name in _LISTS}
    changes["variants"] = tuple((name, clean(text)) for name, text in memory.variants)
    return memory.replace(**changes)
