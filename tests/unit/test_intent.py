"""The intent of a task in four languages: kind of work, technologies, paths, errors."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.index.segment import Segment
from engram.model import Memory
from engram.recall.intent import TASK_TYPES, Intent, read_intent
from engram.recall.rank import rank

TEXT = "The harbour gateway asks every ship for its papers, and keeps what it was told until the evening."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("prepare the 2.0 release", "release"),
        ("publicar una nueva versión", "release"),
        ("发布新版本", "release"),
        ("phát hành phiên bản mới", "release"),
        ("deploying to staging", "deployment"),
        ("desplegar en producción", "deployment"),
        ("why does it crash?", "debugging"),
        ("arreglar el fallo", "debugging"),
        ("调试登录", "debugging"),
        ("sửa lỗi đăng nhập", "debugging"),
        ("write unit tests", "testing"),
        ("escribir pruebas", "testing"),
        ("给解析器写测试", "testing"),
        ("kiểm thử đơn vị", "testing"),
        ("rename a function", "refactoring"),
        ("refactorizar el módulo", "refactoring"),
        ("重构这个模块", "refactoring"),
        ("đổi tên hàm", "refactoring"),
        ("change the settings", "configuration"),
        ("configurar el servidor", "configuration"),
        ("配置服务器", "configuration"),
        ("cấu hình máy chủ", "configuration"),
        ("document the API", "documentation"),
        ("la documentación del módulo", "documentation"),
        ("写文档", "documentation"),
        ("viết tài liệu", "documentation"),
        ("a security audit", "security"),
        ("vulnerabilidades de seguridad", "security"),
        ("修补安全漏洞", "security"),
        ("vá lỗ hổng bảo mật", "security"),
        ("make the query faster", "performance"),
        ("optimizar el rendimiento", "performance"),
        ("性能太差", "performance"),
        ("tối ưu truy vấn", "performance"),
        ("review my pull request", "review"),
        ("revisar los cambios", "review"),
        ("代码评审", "review"),
        ("đánh giá mã nguồn", "review"),
        ("migrate to Postgres", "migration"),
        ("migrar la base de datos", "migration"),
        ("迁移数据库", "migration"),
        ("di chuyển dữ liệu", "migration"),
    ],
)
def test_the_kind_of_work_is_read_in_four_languages(text: str, kind: str) -> None:
    assert kind in read_intent(text).task_types
    assert kind in TASK_TYPES


@pytest.mark.parametrize(
    "text", ["", "hello", "¿qué hora es?", "今天天气怎么样", "\x00", "the the the", "a public fall"]
)
def test_a_text_about_no_work_has_no_kind(text: str) -> None:
    assert read_intent(text) == Intent()


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("look at src/app/main.py, please", ("src/app/main.py",)),
        ("main.py:12 and `lib/util.ts`", ("main.py", "lib/util.ts")),
        (r"open C:\work\a.cs", ("C:/work/a.cs",)),
        ("修复src/app/main.py的错误", ("src/app/main.py",)),
        ("sửa ./bin/chạy và ~/.bashrc", ("./bin/chạy", "~/.bashrc")),
        ("and/or 24/7 client/server https://example.com/a/b.html 3.11 e.g.", ()),
    ],
)
def test_paths_are_found_and_other_slashes_are_not(text: str, paths: tuple[str, ...]) -> None:
    assert read_intent(text).paths == paths


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("a TypeError in java.lang.NullPointerException", ("TypeError", "NullPointerException")),
        ("error[E0502] and TS2345", ("E0502", "TS2345")),
        ("ENOENT, SIGSEGV, ERR_MODULE_NOT_FOUND", ("ENOENT", "SIGSEGV", "ERR_MODULE_NOT_FOUND")),
        ("出现了ValueError错误", ("ValueError",)),
        ("an Error or Exception is raised", ()),
    ],
)
def test_names_of_errors_are_found_and_mean_debugging(text: str, errors: tuple[str, ...]) -> None:
    intent = read_intent(text)
    assert intent.errors == errors
    assert not errors or "debugging" in intent.task_types


def test_technologies_are_names_and_not_everyday_words() -> None:
    assert read_intent("port it from Go to Python on k8s").technologies == ("go", "python", "k8s")
    assert read_intent("go to the spring cleaning in Rust or .NET").technologies == ("rust", ".net")


@given(st.text())
def test_any_text_has_an_intent_and_always_the_same(text: str) -> None:
    assert read_intent(text) == read_intent(text)


def test_a_memory_for_the_kind_of_task_comes_before_its_equal_and_says_why() -> None:
    segment = Segment()
    for memory_id, more in (("a", {}), ("b", {"task_types": ("bugfix",)}), ("c", {"tags": ("task_type:debugging",)})):
        memory = Memory(id=memory_id, type="rule", scope="workspace", title="", content=TEXT, **more)  # type: ignore[arg-type]
        segment.add(f"rules/{memory_id}.md", "", memory)
    for number in range(40):
        segment.add(f"rules/{number}.md", "", Memory(f"m-{number}", "rule", "workspace", "", f"invoices of {number}"))
    hits = rank([segment], "fix the harbour gateway").hits
    assert {hit.entry.id for hit in hits[:2]} == {"b", "c"}
    assert ("task_type", "bugfix") in {(signal, about) for hit in hits for signal, _, about in hit.reasons}
    plain = rank([segment], "fix the harbour gateway", without={"task_type"}).hits
    assert "task_type" not in {signal for hit in plain for signal, _, _ in hit.reasons}


def test_a_type_that_people_made_up_matches_by_its_words() -> None:
    segment = Segment()
    for memory_id, types in (("a", ()), ("b", ("customer onboarding",))):
        memory = Memory(
            id=memory_id, type="rule", scope="workspace", title="", content="the gateway asks", task_types=types
        )
        segment.add(f"rules/{memory_id}.md", "", memory)
    assert rank([segment], "onboarding: when the gateway asks a customer").hits[0].entry.id == "b"


def test_reading_an_intent_needs_no_regular_expressions() -> None:
    code = (
        "import sys; sys.path[:] = sys.argv[1:]; import engram.recall.intent; "
        "print({'re', 'typing', 'enum'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *sys.path], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "set()"
