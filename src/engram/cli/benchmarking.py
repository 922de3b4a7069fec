"""``benchmark``: does recall still bring what it must?"""

from __future__ import annotations

import os

from engram.service.benchmarking import baseline_keys, judge_cases, read_baseline, read_cases
from engram.store.files import atomic_write
from engram.text.jsonc import dumps
from engram.text.plural import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.benchmarking import Judged
    from engram.service.session import Session

__all__ = ["REGRESSION", "benchmark_command"]

# The exit code that says: a case fails that must not.
REGRESSION = 6


def benchmark_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Run the cases, print a table, and end with 6 when one fails that did not fail before."""
    cases = read_cases(os.path.abspath(parsed.word("CASES")))
    judged = judge_cases(session, cases)
    path = os.path.abspath(parsed.value("baseline")) if parsed.given("baseline") else ""
    before = read_baseline(path) if path else None
    keys = baseline_keys(cases)
    named = list(zip(keys, judged, strict=True))
    worse = [one for key, one in named if not one.passed and (before is None or before.get(key, True))]
    for one in judged:
        output.line(_row(one, known=one not in worse))
    passed = sum(one.passed for one in judged)
    first = bool(path) and before is None
    end = f"; {counted(len(worse), 'regression')}" if before is not None else ""
    output.line(f"{passed} of {counted(len(judged), 'case')} {'passes' if len(judged) == 1 else 'pass'}{end}")
    if first:
        results = {key: one.passed for key, one in named}
        atomic_write(path, (dumps({"passed": results}, indent=2) + "\n").encode())
        output.line(f"Wrote the baseline {path}.")
        worse = []
    data = [
        {
            "task": one.case.task,
            "passed": one.passed,
            "missing": list(one.missing),
            "unwanted": list(one.unwanted),
            "brought": list(one.brought),
        }
        for one in judged
    ]
    return output.done(
        {"cases": data, "regressions": [one.case.task for one in worse]}, code=REGRESSION if worse else 0
    )


def _row(one: Judged, *, known: bool) -> str:
    state = "pass" if one.passed else "known" if known else "FAIL"
    detail = [f"missing {name}" for name in one.missing] + [f"unwanted {name}" for name in one.unwanted]
    return f"{state:<6}{one.case.task}" + (f"  ({'; '.join(detail)})" if detail else "")
