"""Fill a memory root with N varied memories, the same ones on every machine: ``python -m benchmarks.memories N ROOT``.

The files are written as Engram writes them (schema 3, keys sorted, LF) and entered into the ledger, without going
through Engram: a thousand approvals are not what is measured.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys

FOLDERS = {"rule": "rules", "skill": "skills", "knowledge": "knowledge"}

# A sentence is put together from these; {0} and {1} are two different parts of a shop.
PARTS = (
    "address book", "advance order", "basket", "box office", "bundle", "carrier label", "cash drawer", "colour swatch",
    "customer card", "customs form", "delivery slot", "discount", "e-mail receipt", "family account", "gift wrap",
    "guest list", "invoice", "leaflet", "loyalty point", "magazine", "order history", "packing list", "pick-up point",
    "price tag", "product photo", "quote", "recall notice", "return label", "review", "seat map", "shelf plan",
    "size chart", "stock count", "subscription", "supplier feed", "till roll", "tracking page", "voucher",
    "waiting list", "warranty", "wish list",
)  # fmt: skip
ACTS = (
    "archived", "batched", "checked twice", "compressed", "counted", "encrypted", "frozen", "indexed", "kept apart",
    "logged", "merged", "numbered", "paged", "printed", "purged", "queued", "rendered", "retried", "rounded", "sampled",
    "signed", "sorted", "synced", "translated",
)  # fmt: skip
TOOLS = (
    "Ansible", "asyncio", "C++20", "Caddy", "cron", "ffmpeg", "Go", "GraphQL", "gRPC", "Java", "k6", "libvips", "Lua",
    "MariaDB", "Memcached", "nftables", "Node.js", "OpenAPI", "OpenSSL", "Pandoc", "Perl", "PHP", "RabbitMQ", "rsync",
    "Ruby", "S3", "Scala", "SQLite", "Swift", "systemd", "Tcl", "TypeScript", "Varnish", "WebAssembly", "XSLT", "Zig",
)  # fmt: skip
WHERE = ("on the till", "in the app", "at the warehouse", "for wholesale", "in the nightly run", "on the staging site")
WHY = (
    "a double charge in spring took a week to trace", "the auditors ask for it", "two teams had built it twice",
    "phones in the shop lose their network", "the old way cost 40 % more", "nobody could read the reports",
)  # fmt: skip
# Every twentieth memory is in another language.
ELSEWHERE = (
    (
        "Los datos de «{0}» se guardan con {tool}",
        "Los datos de «{0}» pasan por {tool} antes de llegar a «{1}»; número {n}.",
    ),
    ("«{0}» 的数据用 {tool} 处理", "“{0}”先经过 {tool},再写入“{1}”,编号 {n}。"),
    ("「{0}」は{tool}で扱う", "「{0}」は{tool}を通してから「{1}」に渡す。番号{n}。"),
    ("Données « {0} » : toujours par {tool}", "Les données « {0} » passent par {tool}, puis par « {1} » ; numéro {n}."),
    ("{0}: обрабатывает {tool}", "Данные «{0}» проходят через {tool}, затем «{1}»; номер {n}."),
)


def slug(title: str) -> str:
    """Return an id for a title: letters and digits of any script in lower case, single hyphens between."""
    return "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())


def memory(number: int, earlier: list[str]) -> tuple[str, str, str]:
    """Return kind, id and file text of memory ``number``; ``earlier`` holds the ids made before it."""
    rng = random.Random(number)  # each memory has its own stream: the first 1,000 are the same whatever N is
    kind = rng.choice(("rule", "rule", "skill", "knowledge", "knowledge"))
    first, second = rng.sample(PARTS, 2)
    act, tool, where = rng.choice(ACTS), rng.choice(TOOLS), rng.choice(WHERE)
    why = rng.choice(WHY)
    if number % 20 == 19:
        shape, sentence = rng.choice(ELSEWHERE)
        title = shape.format(first, second, tool=tool) + f" ({number})"
        lines = [sentence.format(first, second, tool=tool, n=number)]
    elif kind == "rule":
        title = f"Each {first} is {act} with {tool} {where} ({number})"
        lines = [f"Each {first} is {act} with {tool} {where}, before the {second} sees it.", f"Reason: {why}."]
    elif kind == "skill":
        title = f"Change how the {first} is {act} with {tool} ({number})"
        lines = [
            f"Stop the {second} {where}.",
            f"Change the {tool} part of the {first}.",
            f"See that it is {act}, and start again.",
        ]
    else:
        title = f"The {first} reaches the {second} through {tool} ({number})"
        lines = [f"Each {first} is {act} {where} by {tool}, then goes to the {second}.", f"It is so because {why}."]
    name = slug(title)
    day = f"2026-{1 + number % 9:02}-{1 + number % 28:02}"
    keys = {
        "author_email": "bench@example.test",
        "author_name": "Bench",
        "authority": "reference" if kind == "knowledge" else "instruction",
        "confidence": rng.choice(("high", "medium", "medium", "low")),
        "created": day,
        "id": name,
        "last_confirmed": day,
        "revision": "1",
        "schema_version": "3",
        "scope": "workspace",
        "source": "manual",
        "tags": f"[{slug(first)}, {slug(tool) or 'tool'}]",
        "triggers": f"[{first}, {act}]",
        "type": kind,
        "updated": day,
        "valid_from": day,
    }
    if earlier and number % 10 == 0:
        keys["depends_on"] = f"[{rng.choice(earlier)}]"
    head = "".join(f"{key}: {value}\n" for key, value in sorted(keys.items()))
    body = "".join(f"- {line}\n" for line in lines)
    return kind, name, f"---\n{head}---\n\n# {title}\n\n## Content\n\n{body}"


def fill(root: str, count: int) -> list[str]:
    """Write memories 0 to ``count`` - 1 and their ledger into a memory root; return their ids in order."""
    ids: list[str] = []
    ledger: dict[str, str] = {}
    for number in range(count):
        kind, name, text = memory(number, ids)
        path = f"{FOLDERS[kind]}/{name}.md"
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        data = text.encode("utf-8")
        with open(target, "wb") as file:
            file.write(data)
        ledger[path] = hashlib.sha256(data).hexdigest()
        ids.append(name)
    with open(os.path.join(root, "SHA256SUMS"), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{ledger[path]}  {path}\n" for path in sorted(ledger))
    return ids


if __name__ == "__main__":
    fill(sys.argv[2], int(sys.argv[1]))
