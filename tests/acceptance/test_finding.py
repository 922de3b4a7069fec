"""H: what a search has to find, survive and refuse, in every script.

====  ==========================================================================================================
H1    test_what_is_written_in_any_script_is_found_by_load_and_by_search, test_words_inside_of_others_are_found
H2    test_no_query_is_an_error, test_no_query_is_an_error_to_an_agent, test_words_of_code_are_found_as_written
H3    test_a_nonsense_phrase_gives_nothing_and_says_so
H4    test_a_word_is_found_by_its_other_forms_and_with_a_typo, test_forms_of_a_word_meet_in_russian_german_and_french
====  ==========================================================================================================
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Runner
    from tests.contract.conftest import Host, Memories


def found(engram: Runner, query: str) -> list[str]:
    """Return what a load and a search give for a query: they always agree on what is first."""
    keys: list[str] = json.loads(engram.ok("load", "--json", "--", query))["data"]["selected_keys"]
    hits = json.loads(engram.ok("search", "--json", "--", query))["data"]["entries"]
    assert [hit["id"] for hit in hits[:1]] == keys[:1], query
    return keys


# A memory's id, its text, and what somebody types who looks for it.
SCRIPTS = [
    ("identity", "用户身份存储在 SQLite。", ["用户身份", "用户身份存储在哪里？", "身份"]),
    ("shiritori", "しりとりは二人で遊ぶ。", ["しりとり", "しりとりの遊び方"]),
    ("chain", "끝말잇기는 두 사람이 한다.", ["끝말잇기", "끝말잇기 규칙"]),
    ("example", "Mỗi hàm cần một ví dụ ngắn.", ["ví dụ", "VÍ DỤ"]),
    ("rerun", "重跑gen-itgc后50条，其余跳过。", ["itgc", "gen-itgc", "重跑gen-itgc后50条", "ITGC"]),
    ("logs", "日志保留30天然后删除。", ["日志", "30天", "日志保留"]),
    ("cache", "キャッシュは一時間で切れる。", ["キャッシュ", "ｷｬｯｼｭ"]),
    ("vault", "Пароли серверов лежат в сейфе.", ["пароли", "СЕЙФЕ"]),
    ("invoices", "الفواتير تحفظ عشر سنوات.", ["الفواتير"]),
    ("backup", "גיבוי נעשה בכל לילה.", ["גיבוי"]),
    ("market", "बाज़ार सुबह खुलता है।", ["बाज़ार"]),
    ("market-thai", "ตลาดเปิดตอนเช้า", ["ตลาด"]),
    ("harbour", "Το λιμάνι ανοίγει στις έξι.", ["λιμάνι", "ΛΙΜΑΝΙ"]),
    ("pitch", "La señal de pago llega después.", ["señal", "senal"]),
]


@pytest.fixture
def many(memories: Memories) -> Memories:
    """Return a memory of every script, and a few of English."""
    for name, text, _ in SCRIPTS:
        memories.add("knowledge", name, f"- {text}")
    memories.add("rule", "deploy", "- Deploy the orders service on Monday, never on Friday.")
    memories.add("rule", "prices", "- Prices are integers in cents.")
    return memories


def test_what_is_written_in_any_script_is_found_by_load_and_by_search(engram: Runner, many: Memories) -> None:  # H1
    for name, _, queries in SCRIPTS:
        for query in queries:
            assert found(engram, query)[:1] == [name], query


def test_an_agent_finds_the_same(serve: Callable[..., Host], many: Memories) -> None:  # H1
    host = serve()
    for name, _, queries in SCRIPTS:
        for query in queries:
            assert host.data("engram_load", query=query)["selected_keys"][:1] == [name], query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("重跑gen-itgc后50条", "itgc"),  # H1
        ("Der Dienst heißt orders-api-v2.", "orders"),
        ("Call getUserName first.", "user name"),
        ("Set MAX_RETRY_COUNT to 3.", "retry"),
        ("看parse_config的注释", "parse_config"),
        ("用pnpm安装依赖", "pnpm"),
        ("ログはsyslogへ送る", "syslog"),
        ("버전v2를배포한다", "배포"),
    ],
)
def test_words_inside_of_others_are_found(engram: Runner, memories: Memories, text: str, query: str) -> None:  # H1
    memories.add("rule", "wanted", f"- {text}", title="Wanted")
    memories.add("rule", "other", "- Bake the bread at dawn.", title="Other")
    assert found(engram, query) == ["wanted"]


QUERIES = [
    "C++", "src/main.py", "don't", "multi-agent", "a AND", '"unbalanced', "*", "NEAR(", "", "   ", "\n", "'; DROP--",
    "deploy " * 1500, "用户身份", "🚀", "\u202e", "%s %d {x}", "(((", "NOT", "a OR b", "col:x", "^deploy", "-- x", "--",
    "-x", "NEAR/2", '""', "''", "\\", "[a-z]+(", "content:deploy", "deploy*", "OR OR", "{", "\x7f", "x" * 10_000,
    "部署" * 3500, "{}" * 5000, "\u0000".replace("\0", "\u0001"), "\ufeff", "e\u0301" * 200, "@a #b $c `d`",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: f"{query[:12]!a}")
def test_no_query_is_an_error(engram: Runner, many: Memories, query: str) -> None:  # H2
    for command in ("load", "search", "route"):
        done = engram.run(command, "--json", "--", query)
        assert done.returncode == 0, (command, done.stderr)
        assert "Traceback" not in done.stderr
    data = json.loads(engram.ok("load", "--json", "--", query))["data"]
    assert ("deploy" in query) == ("deploy" in data["selected_keys"])


def test_no_query_is_an_error_to_an_agent(serve: Callable[..., Host], many: Memories) -> None:  # H2
    host = serve()
    for query in (*QUERIES, "\0", "\ud7ff"):
        for tool in ("engram_load", "engram_search", "engram_route"):
            answer = host.request("tools/call", {"name": tool, "arguments": {"query": query}})
            assert "error" not in answer, (tool, query)
            text = answer["result"]["content"][0]["text"]
            assert text, (tool, query)
            assert not answer["result"]["isError"] or not query.strip(), (tool, query, text)


def test_words_of_code_are_found_as_written(engram: Runner, many: Memories) -> None:  # H2
    many.add("knowledge", "cpp", "- The C++ part builds with clang.")
    many.add("knowledge", "main", "- src/main.py starts the server.")
    many.add("knowledge", "apostrophe", "- We don't retry uploads.")
    many.add("knowledge", "agents", "- A multi-agent run has one writer.")
    for query, key in (
        ("C++", "cpp"), ("src/main.py", "main"), ("main.py", "main"), ("don't retry", "apostrophe"),
        ("multi-agent", "agents"), ("multi agent", "agents"), ('"C++', "cpp"), ("clang AND", "cpp"),
        ("NEAR(clang", "cpp"), ("clang*", "cpp"), ("filler word " * 900 + "clang", "cpp"),
    ):  # fmt: skip
        assert key in found(engram, query), query


@pytest.mark.parametrize(
    "query", ["xyzzy plugh frobnicate", "qwrtz 12345 zzkk", "¿Cuándo florecen los cerezos?", "月亮为什么是红色的？"]
)
def test_a_nonsense_phrase_gives_nothing_and_says_so(engram: Runner, many: Memories, query: str) -> None:  # H3
    data = engram.json("load", query)["data"]
    assert data["selected_keys"] == data["omitted_ids"] == []
    assert "No memory matches" in engram.ok("load", query)
    assert engram.json("search", query)["data"]["entries"] == []
    for command in ("search", "route"):
        assert "o memory matches" in engram.ok(command, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The resume is sent as a PDF.", "résumé"),  # H4
        ("The résumé is sent as a PDF.", "resume"),
        ("Run every test before a release.", "tests"),
        ("Run the tests before a release.", "test"),
        ("The kubernetes cluster is in Zurich.", "kuberentes"),  # H4, one typo in a rare word
        ("The kubernetes cluster is in Zurich.", "kubernets"),
        ("The kubernetes cluster is in Zurich.", "kubernettes"),
        ("The kubernetes cluster is in Zurich.", "kubernates"),
        ("Резервное копирование идёт ночью.", "копиорвание"),
        ("Конфігурація лежить окремо.", "конфгурація"),  # the letter that fell out is in no Russian word
        ("Ổkhóa nằm trong phòng máy.", "ổkóa"),
        ("Ứngdụng khởi động ban đêm.", "ứngdng"),  # the letter that fell out has a mark
        ("Ứngdụng khởi động ban đêm.", "ngdụng"),
        ("Caches are invalidated by an event.", "cache"),
        ("La configuración está en el repositorio.", "configuracion"),
        ("Đừng đẩy lên nhánh chính.", "dung day len nhanh chinh"),
        ("The naïve parser is slow.", "naive"),
        ("Der Schlüssel liegt im Tresor.", "Schlussel"),
        ("The STRASSE index is rebuilt.", "straße"),
    ],
)
def test_a_word_is_found_by_its_other_forms_and_with_a_typo(
    engram: Runner, memories: Memories, text: str, query: str
) -> None:  # H4
    memories.add("knowledge", "wanted", f"- {text}", title="Wanted")
    memories.add("rule", "other", "- Bake the bread at dawn.", title="Other")
    assert found(engram, query) == ["wanted"]


def test_forms_of_a_word_meet_in_russian_german_and_french(engram: Runner, memories: Memories) -> None:  # H4
    memories.add("rule", "russian", "- Пароли серверов лежат в сейфе.", title="Серверы")
    memories.add("rule", "german", "- Die Häuser bekommen neue Schlüssel.", title="Schlüssel")
    memories.add("rule", "french", "- Les journaux sont gardés un an.", title="Archives")
    for task, name in {
        "сервером": "russian", "пароль": "russian", "Haus": "german", "journal": "french", "les journaux": "french",
        "Häusern": "german",
    }.items():  # fmt: skip
        assert found(engram, task) == [name], task
