"""Recall sets as memory: a folder of ``docs.jsonl`` and ``queries.jsonl`` becomes a workspace that Engram opens.

The sets have licences of their own and are not part of this project. Each document becomes a memory as a user would
have written it: its title, or the text's first sentence (F10); its description as a trigger; its text as content. The
files are written as Engram writes them and entered into the ledger; approving thousands is not what is measured.
Everything after that goes through the public Python API, so that the product is measured and not a copy of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import engram
from engram.markdown.writing import render_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Query", "Set", "environment", "found", "lines", "load", "project", "written"]


class Query(NamedTuple):
    """A query and the documents that answer it."""

    text: str
    relevant: frozenset[str]


class Set(NamedTuple):
    """One set: memory ``m-000001`` stands for the first of ``ids``. ``project`` is where they were written, if so."""

    name: str
    ids: tuple[str, ...]
    queries: tuple[Query, ...]
    memories: tuple[engram.Memory, ...]
    project: str = ""

    def documents(self, session: engram.Session, text: str, without: Iterable[str] = ()) -> list[str]:
        """Return the documents that a load brings for a task, best first, at most eight."""
        return [self.ids[int(key[2:]) - 1] for key in found(session, text, without)[:8]]


def environment(home: str, caches: str = "") -> dict[str, str]:
    """Return an environment in which nothing but the project's own memory applies, and that is trusted.

    Args:
        home: a folder of the benchmark's own.
        caches: where the table of ``engram semantic on`` is looked for; nowhere by default.
    """
    return {"HOME": home, "XDG_CACHE_HOME": caches or os.path.join(home, "caches"), "ENGRAM_TRUST": "1"}


def found(session: engram.Session, text: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the keys that a load brings for a task, as cards: no body's length keeps another hit out."""
    return engram.load(session, text, disclosure="cards", budget=16000, without=without).selected_keys


def load(data: str, name: str) -> Set:
    """Read one set."""
    documents = list(lines(os.path.join(data, name, "docs.jsonl")))
    queries = tuple(
        Query(str(line["text"]), frozenset(line["relevant"]))
        for line in lines(os.path.join(data, name, "queries.jsonl"))
    )
    memories = tuple(as_memory(f"m-{number:06d}", document) for number, document in enumerate(documents, 1))
    return Set(name, tuple(str(document["id"]) for document in documents), queries, memories)


def written(one: Set, folder: str) -> Set:
    """Write a set's memories as those of a new project below ``folder``."""
    files = {f"knowledge/{memory.id}.md": render_memory(memory) for memory in one.memories}
    return one._replace(project=project(os.path.join(folder, one.name), files))


def project(folder: str, files: Mapping[str, bytes]) -> str:
    """Write memory files and their ledger as the memory of a project; return the project's folder."""
    root = os.path.join(folder, ".agents", ".engram")
    for path, data in files.items():
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
    with open(os.path.join(root, "SHA256SUMS"), "w", encoding="utf-8", newline="\n") as ledger:
        ledger.writelines(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    return folder


def lines(path: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON Lines file."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def as_memory(memory_id: str, document: dict[str, Any]) -> engram.Memory:
    """Return a document as the memory that a user would have made of it."""
    text = str(document["text"])
    description = str(document.get("description") or "")
    tags = document.get("tags")
    return engram.Memory(
        id=memory_id,
        type="knowledge",
        scope="workspace",
        title=str(document.get("title") or first_sentence(text)),
        content=text,
        triggers=(description,) if description else (),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
    )


def first_sentence(text: str) -> str:
    """Return the title that F10 gives a text without one."""
    line = text.strip().partition("\n")[0]
    for end in (". ", "; ", "。", "；"):
        line = line.partition(end)[0]
    if len(line) > 80:
        line = line[:80].rpartition(" ")[0] or line[:80]
    return line.rstrip(" .;。；")
