"""One process's view of the memory that applies in a folder: roots, settings, trust, and what has to be said."""

from __future__ import annotations

import os

from engram.config.files import CONFIG_NAME
from engram.config.files import config_dir as config_dir_of
from engram.config.settings import Settings, find_global_path, load_settings
from engram.errors import ConfigError, NotFoundError, RefusedError, UsageError
from engram.portable import command_line
from engram.record import Record
from engram.roots.find import Workspace, find_workspace, private_root
from engram.store.files import digest
from engram.store.root import NOTES, REVIEW_COMMAND, MemoryRoot, Skipped, closest_hint, is_active
from engram.store.trust import is_trusted, recheck_trust, was_trusted
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from engram.model import Memory, Scope
    from engram.service.shelf import Shelf
    from engram.store.accepted import Accepted
    from engram.store.write import RootWriter, Write

__all__ = ["Entry", "Notice", "Session", "check_reading", "known_keys", "skipped_lines"]

# More skipped files than this are said in one line with their count (F13).
_SAID_ONE_BY_ONE = 3


class Notice(Record):
    """Something worth saying beside the answer: ``info``, ``warning`` or ``skipped``."""

    level: str
    code: str
    message: str
    path: str = ""
    line: int = 0
    hint: str = ""

    def as_data(self) -> dict[str, object]:
        """Return it as plain data, without what is empty."""
        return {name: value for name, value in self.as_dict().items() if value}


class Entry(Record):
    """A memory, or a working note with its objective, in the place where it was found.

    ``doubt`` is why its authority is less than what it says of itself, as ``service.giving`` found; empty as a rule.
    """

    memory: Memory
    key: str
    path: str
    root: MemoryRoot
    hash: str
    objective: str = ""
    doubt: str = ""

    @property
    def foreign(self) -> bool:
        """Whether it is for reference only, because nobody on this machine accepted it (F18)."""
        return self.root.foreign if self.is_note else self.root.is_foreign(self.hash)

    @property
    def is_note(self) -> bool:
        """Whether it is a working note: what lies in their folder is one, and nothing else is."""
        return self.path.startswith(f"{NOTES}/")

    @property
    def note_mark(self) -> str:
        """What tells a working note from a memory in a line that shows it; ``""`` of a memory."""
        return f"working note until {self.memory.valid_until}" if self.is_note else ""


def _seen_whole(write: Write, accepted: Accepted, before: MemoryRoot) -> bool:
    """Tell whether a human here has seen all of what is about to be written (F18).

    A change of what somebody else brought is shown as a difference, so the rest of it was not read. Of a new file, and
    of one that nobody approved, all was shown; of one that was edited by hand the approved bytes count.
    """
    if not write.old or accepted.has(write.old):
        return True
    approved = before.ledger().lookup(write.path)
    return write.old not in approved and (not approved or any(map(accepted.has, approved)))


class Session:
    """Where everything starts: the folder one is in, and the environment.

    Args:
        start: the folder where looking for a workspace begins (F1); the process's own by default.
        environ: the environment; the process's own by default.
        shelf: what a process that lives long keeps for its next session.
    """

    def __init__(self, start: str = "", environ: Mapping[str, str] | None = None, shelf: Shelf | None = None) -> None:
        self.shelf = shelf
        self.environ: Mapping[str, str] = os.environ if environ is None else environ
        self.config_dir = config_dir_of(self.environ)
        self.notices: list[Notice] = []
        self.found: dict[str, object] = {}
        """What the rules found in memories, by root; ``service.giving`` keeps it."""
        self.progress: Callable[[int], None] | None = None
        """What a long rebuild of the index calls with the number of files read; set by a face that can show it."""
        self._start = start
        self._workspace: Workspace | None = None
        self._looked = False
        self._settings: Settings | None = None
        self._trusted: bool | None = None
        self._roots: list[MemoryRoot] | None = None
        self._accepted: Accepted | None = None

    @property
    def start(self) -> str:
        """The folder where looking begins, resolved.

        Raises:
            NotFoundError: when it does not exist (any more).
        """
        try:
            folder = os.path.realpath(self._start) if self._start else os.getcwd()
        except OSError as error:
            raise NotFoundError("The current folder is gone.", hint="Change into a folder that exists.") from error
        if not os.path.isdir(folder):
            raise NotFoundError(f"There is no folder {self._start or folder}.", path=folder)
        return folder

    @property
    def workspace(self) -> Workspace | None:
        """The workspace whose memory applies here, None where there is none."""
        if not self._looked:
            self._workspace = find_workspace(self.start, self.environ, self.config_dir)
            self._looked = True
        return self._workspace

    @property
    def trusted(self) -> bool:
        """Whether a human of this machine accepted the workspace (F18)."""
        if self._trusted is None:
            self._trusted = self.workspace is not None and is_trusted(self.workspace, self.environ, self.config_dir)
        return self._trusted

    def recheck_trust(self) -> bool:
        """Look at the history itself, as ``status`` and ``trust`` do (F18); call it before the roots are asked for."""
        git = self.workspace.git if self.workspace else None
        known = self.shelf is not None and git is not None and self.shelf.history_is_known(git.common_dir)
        if self.workspace is not None and not known:
            self._trusted = recheck_trust(self.workspace, self.environ, self.config_dir)
            if not self._trusted and was_trusted(self.workspace, self.config_dir):
                self.say(
                    "warning",
                    "other_history",
                    f"{self.workspace.project} is not the project that you trusted here: its history is another one.",
                    hint="Look at it, then: engram trust",
                )
        return self.trusted

    @property
    def accepted(self) -> Accepted | None:
        """Which bytes of the workspace came from this machine's people; None where the environment trusts them all."""
        if self._accepted is None and self.workspace is not None and self.environ.get("ENGRAM_TRUST") != "1":
            from engram.store.accepted import Accepted
            from engram.store.trust import trust_key

            self._accepted = Accepted(self.config_dir, trust_key(self.workspace))
        return self._accepted

    @property
    def strict(self) -> bool:
        """Whether what a pull brings waits for ``engram trust`` (``trust.mode``, F18)."""
        return self.settings.string("trust.mode") == "strict"

    @property
    def user_file(self) -> str:
        """The user's own configuration file."""
        return os.path.join(self.config_dir, CONFIG_NAME)

    @property
    def settings(self) -> Settings:
        """The effective configuration (F21).

        Raises:
            ConfigError: when a file is no JSON or a value is not acceptable.
        """
        if self._settings is None:
            folder = find_global_path(user_file=self.user_file, environ=self.environ)
            self._settings = load_settings(
                workspace_file=os.path.join(self.workspace.root, CONFIG_NAME) if self.workspace else None,
                # The global root may carry configuration of its own, below the workspace's.
                global_file=os.path.join(folder, CONFIG_NAME) if folder else None,
                user_file=self.user_file,
                environ=self.environ,
                workspace_trusted=self.trusted,
            )
        return self._settings

    def forget_settings(self) -> None:
        """Read the configuration anew when it is next asked for: a file of it was changed."""
        self._settings = None

    @property
    def roots(self) -> list[MemoryRoot]:
        """The memory roots that apply here, the workspace's before the global one.

        What a dead writer left in them is finished or undone first, and said (F15).
        """
        if self._roots is None:
            found = []
            if self.workspace:
                found.append(
                    MemoryRoot(
                        self.workspace.root,
                        "workspace",
                        foreign=not self.trusted,
                        private=private_root(self.workspace),
                        project=self.workspace.project,
                        patterns=self.settings.strings("ignore.patterns"),
                        accepted=self.accepted if self.strict else None,
                    )
                )
            if folder := self.settings.string("global_path"):
                path = os.path.realpath(folder)
                if os.path.isdir(path):
                    found.append(MemoryRoot(path, "global", patterns=self.settings.strings("ignore.patterns")))
                else:
                    reason = "is no folder" if os.path.exists(path) else "does not exist"
                    hint = f"Make it: {command_line(['engram', 'inject', '--global-path', folder])}"
                    if os.path.exists(path):
                        hint = "Put a folder there, or do without: engram config unset global_path --global"
                    message = f"The global memory {folder} {reason}."
                    self.say("warning", "global_missing", message, path=folder, hint=hint)
            for root in found:
                for sentence in root.heal():
                    self.say("info", "healed", sentence, path=root.path)
            self._roots = found
        return self._roots

    def root(self, scope: Scope) -> MemoryRoot:
        """Return the root of one scope.

        Raises:
            NotFoundError: where there is none, with the command that makes it.
        """
        for root in self.roots:
            if root.scope == scope:
                return root
        if scope == "global":
            raise NotFoundError("There is no global memory.", hint="Make one: engram inject --global-path FOLDER")
        self.require_workspace()
        raise AssertionError(scope)  # a workspace always is among the roots

    def require_workspace(self) -> Workspace:
        """Return the workspace; raise NotFoundError with the command that makes one."""
        if self.workspace is None:
            raise NotFoundError(f"There is no memory in {self.start} or above it.", hint="Make one: engram inject")
        return self.workspace

    def require_roots(self) -> list[MemoryRoot]:
        """Return the roots; raise NotFoundError where there is not a single one."""
        if not self.roots:
            self.root("workspace")
        return self.roots

    def locate(self, text: str) -> tuple[MemoryRoot, str]:
        """Return root and path of the active memory that a person named: an id, or ``global/<id>`` (F12).

        Raises:
            UsageError: when the text is no id.
            NotFoundError: with the closest ids (C37), or that it is the id of a working note.
        """
        named = text.removeprefix("note/")
        scope, memory_id = check_id(named)
        roots = [root for root in self.require_roots() if scope in {"", root.scope}]
        for root in roots if named == text else ():
            if path := root.find(memory_id):
                return root, path
        known = known_keys(roots)
        where = "working note" if named != text else f"{scope} memory" if scope else "memory"
        error = NotFoundError(f"There is no {where} with the id {memory_id}.", hint=closest_hint(memory_id, known))
        if any(root.has_notes() for root in roots):
            from engram.service.notebook import name_note

            name_note(self, named, error)
        raise error

    def say(self, level: str, code: str, message: str, *, path: str = "", line: int = 0, hint: str = "") -> None:
        """Add a notice, once; what it quotes from a file or a name stays within its line."""
        from engram.safety.fence import show_line

        notice = Notice(level, code, show_line(message), path, line, show_line(hint))
        if notice not in self.notices:
            self.notices.append(notice)

    def writer(self, root: str) -> RootWriter:
        """Return the right to write a root: within ``lock.timeout`` (F16), and saying what it had to heal (F15)."""
        from engram.store.write import RootWriter

        try:
            timeout = self.settings.integer("lock.timeout")
        except ConfigError:
            # `engram config set` has to be able to mend the value that stands in its way.
            timeout = Settings().integer("lock.timeout")
        own = self.workspace is not None and root == self.workspace.root and self.trusted
        return RootWriter(
            root,
            timeout,
            lambda sentence: self.say("info", "healed", sentence, path=root),
            approved=(lambda writes: self._vouch_written(root, writes)) if own else None,
            written=lambda: self._index_written(root),
        )

    def vouch(self, values: Iterable[str]) -> None:
        """Note that a human of this machine accepted bytes of the workspace, by their hashes (F18)."""
        if self.accepted is None:
            return
        try:
            self.accepted.add(values)
        except OSError as error:
            # Saved all the same. Without strict mode nothing depends on it.
            if self._is_strict():
                place = self.accepted.path
                message = f"{place} cannot be written ({error.strerror}), so what was saved waits for engram trust."
                self.say("warning", "not_vouched", message, path=place)

    def _index_written(self, root: str) -> None:
        from engram.service.indexes import index_written

        index_written(self, root)

    def _vouch_written(self, root: str, writes: Sequence[Write]) -> None:
        """Note what is about to be written as this machine's own.

        Before it is there: whatever ends this process in between, approved bytes never look like somebody else's. Of
        bytes that were approved and not written the note says nothing untrue.
        """
        accepted = self.accepted
        if accepted is None:
            return
        own = [write for write in writes if write.data is not None and is_active(write.path)]
        before = MemoryRoot(root, "workspace")
        known: list[str] = []
        if not accepted.known and not self._is_strict():
            # The first write here: what is in use until now is no news.
            known = before.active_hashes()
        else:
            own = [write for write in own if _seen_whole(write, accepted, before)]
        self.vouch([*known, *(digest(write.data or b"") for write in own)])

    def _is_strict(self) -> bool:
        try:
            return self.strict
        except ConfigError:
            return True

    def save_scopes(self, wanted: str) -> tuple[Scope, ...]:
        """Return the scopes that a save goes to: what was asked, else the configured one.

        Raises:
            UsageError: for a word that is no scope.
        """
        chosen = wanted or self.settings.string("scope")
        match chosen:
            case "workspace":
                return ("workspace",)
            case "global":
                return ("global",)
            case "both":
                return ("workspace", "global")
            case _:
                raise UsageError(f"{chosen} is no scope.", hint="Scopes are workspace, global and both.")


def check_reading(session: Session) -> None:
    """Raise RefusedError when reading is switched off here (F21 ``read``)."""
    if session.settings.string("read") == "off":
        raise RefusedError(
            "Reading memory is switched off here (read: off).", hint="Switch it on: engram config set read auto"
        )


def known_keys(roots: Sequence[MemoryRoot]) -> list[str]:
    """Return the keys of all active files: where roots hold the same id, all but the first name their scope (C35)."""
    known: list[str] = []
    held: set[str] = set()
    for root in roots:
        ids = root.ids()
        known += [f"{root.scope}/{name}" if fold_id(name) in held else name for name in ids]
        held.update(map(fold_id, ids))
    return known


def skipped_lines(skipped: Sequence[tuple[MemoryRoot, Skipped]]) -> tuple[str, ...]:
    """Return one line for each skipped file; many of one kind in one scope are one line with their count (F13)."""
    groups: dict[tuple[str, str], list[Skipped]] = {}
    for root, skip in skipped:
        groups.setdefault((root.scope, skip.kind), []).append(skip)
    lines = []
    for (scope, kind), group in groups.items():
        if len(group) <= _SAID_ONE_BY_ONE:
            lines += [skip.text for skip in group]
        else:
            how = {
                "mismatch": "changed since they were approved",
                "unlisted": "are not in SHA256SUMS",
                "unreadable": "cannot be read as memory",
                "duplicate": "have the id of another file",
                "missing": "are gone",
                "note": "are no working notes",
            }[kind]
            command = "engram verify" if kind in {"unreadable", "duplicate"} else REVIEW_COMMAND
            if kind == "note":
                command = "engram list --json"
            lines.append(f"SKIPPED {len(group)} files in {scope} memory: they {how}; see them: {command}")
    return tuple(lines)
