"""The error of the token estimate against a real tokenizer: ``python -m benchmarks.tokens [DATA]``.

The tokenizer is ``o200k_base`` as the npm package gpt-tokenizer carries it; it is installed into a scratch folder and
needs Node. Texts: this project's documents (English) and sources (code); Spanish and Chinese paragraphs from the sets
``xquad-es`` and ``xquad-zh`` of DATA (or of ENGRAM_BENCH_DIR). Printed is the estimate in units of the real count: the
median, the lowest, and the 5th and 95th of 100 texts. An estimate below the real count can break a budget, so it leans
above. A budget is spent on several memories, so the same is printed of six texts together, drawn again and again.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

from benchmarks.sets import lines
from engram.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPT = """
import {encode} from 'gpt-tokenizer/encoding/o200k_base';
import {createInterface} from 'node:readline';
// A text that names a special token, as our own rules against them do, is text like any other.
const plain = {disallowedSpecial: new Set()};
for await (const line of createInterface({input: process.stdin})) console.log(encode(JSON.parse(line), plain).length);
"""
# The size of a text in characters: that of a memory.
SIZE = 600
# So many of them are a pack, and so many packs are drawn.
TOGETHER, PACKS = 6, 300


def main() -> int:
    """Print the table; return 77 where the tokenizer cannot be had."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tokens", description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", default=os.environ.get("ENGRAM_BENCH_DIR", ""), help="the folder of sets")
    data = parser.parse_args().data
    kinds = {
        "English": pieces(glob.glob(os.path.join(CHECKOUT, "**", "*.md"), recursive=True)),
        "code": pieces(glob.glob(os.path.join(CHECKOUT, "src", "**", "*.py"), recursive=True)),
    }
    for name, language in (("xquad-es", "Spanish"), ("xquad-zh", "Chinese")):
        path = os.path.join(data, name, "docs.jsonl")
        if data and os.path.exists(path):
            kinds[language] = [str(line["text"]) for line in lines(path)]
    with tempfile.TemporaryDirectory(prefix="engram-bench-") as folder:
        if not install(folder):
            print("tokens: skipped, npm or Node cannot be had here")
            return 77
        print("| texts | number | estimate / real: lowest | 5 % | median | 95 % | below the real count |")
        print("|---|---|---|---|---|---|---|")
        rng = random.Random(0)
        for name, texts in sorted(kinds.items()):
            row(name, folder, texts)
            packs = ["\n\n".join(rng.sample(texts, TOGETHER)) for _ in range(PACKS)]
            row(f"{name}, six together", folder, packs)
    return 0


def row(name: str, folder: str, texts: Sequence[str]) -> None:
    """Print one line of the table."""
    shares = sorted(
        estimate_tokens(text) / real for text, real in zip(texts, counts(folder, texts), strict=True) if real
    )
    low, high = shares[len(shares) // 20], shares[len(shares) * 19 // 20]
    under = sum(share < 1 for share in shares) / len(shares)
    middle = statistics.median(shares)
    print(f"| {name} | {len(shares)} | {shares[0]:.2f} | {low:.2f} | {middle:.2f} | {high:.2f} | {under:.0%} |")


def pieces(paths: Sequence[str]) -> list[str]:
    """Return the texts of files in pieces of the size of a memory."""
    found = []
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        found += [text[at : at + SIZE] for at in range(0, len(text) - SIZE // 2, SIZE)]
    return found


def install(folder: str) -> bool:
    """Install the tokenizer into a folder; False where that is not to be had."""
    if not shutil.which("npm") or not shutil.which("node"):
        return False
    with open(os.path.join(folder, "count.mjs"), "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    command = ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", "gpt-tokenizer@3"]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0


def counts(folder: str, texts: Sequence[str]) -> list[int]:
    """Return the real number of tokens of each text."""
    done = subprocess.run(
        ["node", "count.mjs"],
        input="".join(f"{json.dumps(text)}\n" for text in texts),
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        check=True,
    )
    return [int(line) for line in done.stdout.split()]


if __name__ == "__main__":
    sys.exit(main())
