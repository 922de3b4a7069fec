"""``python -m tests.fuzz TARGET``: one target for so many minutes; ``scripts/fuzz`` starts it."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
import traceback
from typing import TYPE_CHECKING

from tests.fuzz.mutators import smaller
from tests.fuzz.targets import TARGETS

if TYPE_CHECKING:
    from tests.fuzz.targets import Target

# Seconds of processor time for one input of at most 64 KiB: what is linear takes some milliseconds.
SLOW_S = 4.0


def why(target: Target, data: bytes) -> str:
    """Return how an input breaks a promise, ``""`` for a good answer."""
    began = time.process_time()
    try:
        target.check(data)
    except Exception:
        return traceback.format_exc()
    took = time.process_time() - began
    return f"it took {took:.1f} s" if took > SLOW_S else ""


def kind(reason: str) -> str:
    """Return what stays the same while an input is made smaller: the kind of error and where it came from."""
    lines = [line for line in reason.splitlines() if line.strip().startswith("File ")]
    return reason[:10] if not lines else lines[-1].split(", in ")[0] + reason.splitlines()[-1].split(":")[0]


def main() -> int:
    """Run one target; 0 when nothing was found, 1 when something was."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description="Feed broken input to one target.")
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first input")
    options = parser.parse_args()
    print(f"{options.target}: seed {options.seed}, {options.minutes:g} minutes", flush=True)
    ends = time.monotonic() + options.minutes * 60
    number = options.first
    with tempfile.TemporaryDirectory(prefix="engram-fuzz-") as scratch:
        target = TARGETS[options.target](scratch)
        try:
            while time.monotonic() < ends:
                data = target.input(random.Random(f"{options.seed} {number}"))
                if reason := why(target, data):
                    return failed(target, data, reason, f"--seed {options.seed} --from {number}")
                number += 1
        finally:
            target.close()
    print(f"{options.target}: {number - options.first:,} inputs, {target.counts()}; nothing found")
    return 0


def failed(target: Target, data: bytes, reason: str, again: str) -> int:
    """Print what was found, as small as it can be made, and keep the input."""
    if target.shrinks:
        data = smaller(data, lambda less: kind(why(target, less)) == kind(reason))
        reason = why(target, data) or reason
    handle, path = tempfile.mkstemp(prefix=f"engram-fuzz-{target.name}-")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    print(f"{reason}\nThe input, also in {path}:\n{data[:3000]!r}\nAgain: scripts/fuzz {target.name} {again}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
