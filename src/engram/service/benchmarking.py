"""A person's own cases: this task must bring these memories, and must not bring those."""

from __future__ import annotations

from engram.errors import UsageError
from engram.record import Record
from engram.service.recalling import load
from engram.store.files import read_optional
from engram.store.root import stem
from engram.text.jsonc import JsoncError, parse
from engram.text.slugs import check_id, fold_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.service.session import Session

__all__ = ["Case", "Judged", "baseline_keys", "judge_cases", "read_baseline", "read_cases"]

_VERSION = 1
_KEYS = frozenset({"task", "must", "must_not"})


class Case(Record):
    """One task with the ids that it must bring, and those that it must not."""

    task: str
    must: tuple[str, ...]
    must_not: tuple[str, ...]


class Judged(Record):
    """What a task brought: the missing and the unwanted ids, and all that it brought, in load order."""

    case: Case
    missing: tuple[str, ...]
    unwanted: tuple[str, ...]
    brought: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether everything is there that must be, and nothing that must not."""
        return not self.missing and not self.unwanted


def read_cases(path: str) -> list[Case]:
    """Return the cases of a file: ``{"version": 1, "cases": [{"task": …, "must": […], "must_not": […]}]}``.

    Raises:
        UsageError: for a file that is missing or is no such thing, with line and column or the number of the case.
    """
    value = _read(path)
    rows = value.get("cases")
    version = value.get("version")
    if version is True or version != _VERSION or not isinstance(rows, list) or not rows:
        raise UsageError(
            f'{path} is no file of cases: it needs "version": {_VERSION} and a list "cases" with one or more.',
            hint='{"version": 1, "cases": [{"task": "add a dependency", "must": ["use-pnpm"], "must_not": []}]}',
            path=path,
        )
    return [_case(path, number, row) for number, row in enumerate(rows, 1)]


def judge_cases(session: Session, cases: Sequence[Case]) -> list[Judged]:
    """Run every case against the memory that applies here; what a load gives as body or card counts as brought.

    What is skipped meanwhile, and an id of no memory, which is a slip or a memory that is gone, become notices.

    Raises:
        NotFoundError: where there is no memory at all.
        RefusedError: when reading is switched off (``read: off``).
    """
    judged = []
    for case in cases:
        loaded = load(session, case.task, counted=False)
        for line in loaded.skipped:
            session.say("skipped", "skipped", line)
        given = set(loaded.pack.selected_keys)
        there: set[str] = set()
        brought = []
        for one in loaded.recall.found:
            key = one.entry.key
            if key in given:
                brought.append(key)
                there |= {_folded(key), f"{one.entry.memory.scope}/{_folded(one.entry.memory.id)}"}
        judged.append(
            Judged(
                case,
                tuple(name for name in case.must if _folded(name) not in there),
                tuple(name for name in case.must_not if _folded(name) in there),
                tuple(brought),
            )
        )
    _name_unknown(session, cases)
    return judged


def _name_unknown(session: Session, cases: Sequence[Case]) -> None:
    """Say which ids of the cases no memory has: a case that must not bring one passes for ever."""
    known: set[str] = set()
    for root in session.roots:
        for memory_id in (*root.ids(), *map(stem, root.archived_paths())):
            known |= {fold_id(memory_id), f"{root.scope}/{fold_id(memory_id)}"}
    for name in dict.fromkeys(name for case in cases for name in (*case.must, *case.must_not)):
        if _folded(name) not in known:
            session.say("warning", "unknown_id", f"No memory here has the id {name}.")


def _folded(name: str) -> str:
    """Return an id as it is compared, with its scope where it names one (F12)."""
    scope, memory_id = check_id(name)
    return f"{scope}/{fold_id(memory_id)}" if scope else fold_id(memory_id)


def baseline_keys(cases: Sequence[Case]) -> list[str]:
    """Return what each case is called in a baseline: its task, with a number from the second of the same task on."""
    seen: dict[str, int] = {}
    keys = []
    for case in cases:
        seen[case.task] = seen.get(case.task, 0) + 1
        keys.append(case.task if seen[case.task] == 1 else f"{case.task} ({seen[case.task]})")
    return keys


def read_baseline(path: str) -> dict[str, bool] | None:
    """Return task → passed of an earlier run, None where there is no such file yet.

    Raises:
        UsageError: for a file that holds something else.
    """
    if read_optional(path) is None:
        return None
    passed = _read(path).get("passed")
    if not isinstance(passed, dict) or not all(isinstance(value, bool) for value in passed.values()):
        raise UsageError(f"{path} is no baseline.", hint="Remove it, and the next run writes a new one.", path=path)
    return passed


def _read(path: str) -> Mapping[str, object]:
    try:
        data = read_optional(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", path=path) from error
    if data is None:
        raise UsageError(f"There is no file {path}.", path=path)
    try:
        value = parse(data.decode("utf-8"))
    except (JsoncError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no JSON: {error}", path=path) from error
    return value if isinstance(value, dict) else {}


def _case(path: str, number: int, row: object) -> Case:
    if not isinstance(row, dict) or not isinstance(row.get("task"), str) or not row["task"].strip():
        raise _no_case(path, number, 'it needs a "task"')
    if unknown := sorted(row.keys() - _KEYS):
        raise _no_case(path, number, f'it has "{unknown[0]}", and may have {", ".join(sorted(_KEYS))}')
    lists = [row.get(name, []) for name in ("must", "must_not")]
    if not all(isinstance(ids, list) and all(isinstance(name, str) for name in ids) for ids in lists):
        raise _no_case(path, number, '"must" and "must_not" are lists of ids')
    must, must_not = lists
    for name in (*must, *must_not):
        try:
            check_id(name)
        except UsageError as error:
            raise _no_case(path, number, error.message.rstrip(".")) from error
    if not must and not must_not:
        raise _no_case(path, number, 'it needs an id in "must" or "must_not", or it passes whatever comes')
    unwanted = set(map(_folded, must_not))
    if both := [name for name in must if _folded(name) in unwanted]:
        raise _no_case(path, number, f'{both[0]} stands in "must" and in "must_not"')
    return Case(row["task"], tuple(must), tuple(must_not))


def _no_case(path: str, number: int, why: str) -> UsageError:
    return UsageError(f"Case {number} in {path} is no case: {why}.", path=path)
