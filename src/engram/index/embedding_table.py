"""The table of embeddings, made from the files of an installed ``wordllama`` package (decision 0009).

The package's weights and its tokenizer's description are read as what they are, safetensors and JSON: importing the
package would bring numpy and start a logger. The vectors come from language models whose licences do not say
whether a table made of them may be passed on, so the table is made on each machine and never shipped.
"""

from __future__ import annotations

import os
from struct import error as StructError  # noqa: N812
from struct import unpack, unpack_from

from engram.errors import EngramError
from engram.index.embedding import DIMENSIONS, VERSION
from engram.index.placing import put_in_place
from engram.store.files import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from sqlite3 import Connection
    from typing import Any

__all__ = ["make_table", "package_files"]

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
# A scale of 1 in the table, as a share of 1.
_UNIT = 1 / (1 << 20)
_PROGRESS_EVERY = 2000

_SCHEMA = f"""
pragma user_version={VERSION};
create table state(key text primary key, value) without rowid;
create table pieces(piece text primary key, number integer not null) without rowid;
create table vectors(number integer primary key, scale integer not null, dimensions blob not null);
"""


def package_files(folder: str) -> tuple[str, str]:
    """Return the paths of weights and tokenizer in a package's folder.

    Raises:
        EngramError: the package has other files than those that this Engram knows.
    """
    found = tuple(os.path.join(folder, *name.split("/")) for name in (_WEIGHTS, _TOKENIZER))
    for path in found:
        if not os.path.isfile(path):
            raise EngramError(
                f"The wordllama package in {folder} has no {os.path.basename(path)}.",
                hint="This Engram knows wordllama 0.4: install that.",
                path=path,
            )
    return found[0], found[1]


def make_table(
    path: str, weights: str, tokenizer: str, made_from: str, progress: Callable[[int, int], None] | None = None
) -> None:
    """Write the table and put it in place at once.

    Args:
        path: where the table goes; its folder is made where it is missing.
        weights: a safetensors file with the embeddings.
        tokenizer: the tokenizer's description (a BPE model with byte fallback).
        made_from: name and version of the package.
        progress: called now and then with the number of pieces done and of all.

    Raises:
        EngramError: the files are not of the kind that this Engram knows.
        OSError: a file cannot be read or written.
        SqliteError: SQLite cannot write there.
    """
    with open(weights, "rb") as file:
        data = file.read()
    with open(tokenizer, "rb") as file:
        description = file.read()
    try:
        rows = _rows(data)
        numbers = _numbers(description)
    except (KeyError, TypeError, ValueError, StructError) as error:
        raise EngramError(
            f"The files of {made_from} are of a kind that this Engram does not know ({error}).",
            hint="This Engram knows wordllama 0.4.",
            path=weights,
        ) from error
    joints = {name[at : at + 2] for name in numbers if not _is_byte(name) for at in range(len(name) - 1)}
    state = {
        "fingerprint": digest(f"{VERSION} {digest(data)} {digest(description)}".encode()),
        "made_from": made_from,
        "joints": "".join(sorted(joints)),
    }
    os.makedirs(os.path.dirname(path), exist_ok=True)

    def fill(connection: Connection) -> None:
        connection.executemany("insert into state values(?,?)", sorted(state.items()))
        connection.executemany(
            "insert into pieces values(?,?)", sorted((name, place) for name, (place, _) in numbers.items())
        )
        connection.executemany("insert into vectors values(?,?,?)", _small(rows, numbers, progress))

    put_in_place(path, _SCHEMA, fill)


def _rows(data: bytes) -> memoryview:
    """Return the embeddings in a safetensors file: 256 numbers of 16 bits for each token."""
    import json

    (size,) = unpack_from("<Q", data)
    tensor = json.loads(data[8 : 8 + size])[_TENSOR]
    if tensor["dtype"] != "F16" or tensor["shape"][1] != DIMENSIONS:
        raise ValueError(f"{_TENSOR} is {tensor['dtype']} {tensor['shape']}")
    start, end = tensor["data_offsets"]
    if end - start != tensor["shape"][0] * DIMENSIONS * 2 or 8 + size + end > len(data):
        raise ValueError("its size is not what it says")
    return memoryview(data)[8 + size + start : 8 + size + end]


def _numbers(description: bytes) -> dict[str, tuple[int, int]]:
    """Return for each piece its place in the order of merges, and the token that has its vector."""
    import json

    model: dict[str, Any] = json.loads(description)["model"]
    if model["type"] != "BPE" or not model["byte_fallback"]:
        raise ValueError(f"a {model['type']} tokenizer")
    vocabulary: dict[str, int] = model["vocab"]
    places: dict[str, int] = {}
    for pair in model["merges"]:
        left, right = pair.split(" ") if isinstance(pair, str) else pair
        places.setdefault(left + right, len(places))
    special = {str(token["content"]) for token in json.loads(description).get("added_tokens", ())}
    for name in vocabulary:
        if name not in special:
            places.setdefault(name, len(places))
    return {name: (place, vocabulary[name]) for name, place in places.items()}


def _small(
    rows: memoryview, numbers: dict[str, tuple[int, int]], progress: Callable[[int, int], None] | None
) -> Iterator[tuple[int, int, bytes]]:
    """Yield place, scale and the dimensions in 8 bits each, 128 for nothing."""
    size = DIMENSIONS * 2
    for done, (place, token) in enumerate(sorted(numbers.values())):
        if progress is not None and done % _PROGRESS_EVERY == 0:
            progress(done, len(numbers))
        values = unpack(f"<{DIMENSIONS}e", rows[token * size : token * size + size])
        scale = max(1, round(max(map(abs, values)) / (127 * _UNIT)))
        factor = 1 / (scale * _UNIT)
        yield place, scale, bytes([min(255, max(0, round(value * factor) + 128)) for value in values])


def _is_byte(name: str) -> bool:
    return len(name) == 6 and name.startswith("<0x") and name.endswith(">")
