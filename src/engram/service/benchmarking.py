"""A person's own cases: this task must bring these memories, and must not bring those."""

from __future__ import annotations

from engram.errors import UsageError
from engram.record import Record
from engram.service.recalling import recall
from engram.store.files import read_optional
from engram.text.jsonc import JsoncError, parse
from engram.text.slugs import fold_id

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
    if value.get("version") != _VERSION or not isinstance(rows, list) or not rows:
        raise UsageError(
            f'{path} is no file of cases: it needs "version": {_VERSION} and a list "cases" with one or more.',
            hint='{"version": 1, "cases": [{"task": "add a dependency", "must": ["use-pnpm"], "must_not": []}]}',
            path=path,
        )
    return [_case(path, number, row) for number, row in enumerate(rows, 1)]


def judge_cases(session: Session, cases: Sequence[Case]) -> list[Judged]:
    """Run every case against the memory that applies here; what a load gives as body or card counts as brought.

    Raises:
        NotFoundError: where there is no memory at all.
    """
    limit = session.settings.integer("load.limit") * 2
    judged = []
    for case in cases:
        brought = tuple(one.entry.key for one in recall(session, case.task, limit=limit).found)
        there = {fold_id(key) for key in brought}
        judged.append(
            Judged(
                case,
                tuple(name for name in case.must if fold_id(name) not in there),
                tuple(name for name in case.must_not if fold_id(name) in there),
                brought,
            )
        )
    return judged


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
    if not must and not must_not:
        raise _no_case(path, number, 'it needs an id in "must" or "must_not", or it passes whatever comes')
    unwanted = {fold_id(name) for name in must_not}
    if both := [name for name in must if fold_id(name) in unwanted]:
        raise _no_case(path, number, f'{both[0]} stands in "must" and in "must_not"')
    return Case(row["task"], tuple(must), tuple(must_not))


def _no_case(path: str, number: int, why: str) -> UsageError:
    return UsageError(f"Case {number} in {path} is no case: {why}.", path=path)
