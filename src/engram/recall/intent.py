"""What a task is about beside its words: the kind of work, technologies, file paths, names of errors.

A small table of stems, syllables and characters in English, Spanish, Chinese and Vietnamese; no model and no state, so
that one text has one intent everywhere (G2). It gives a small signal to the ranking, and a person its reasons.

>>> intent = read_intent("Fix the TypeError in src/app/main.py before we release the wheel")
>>> intent.task_types, intent.paths, intent.errors
(('debugging', 'release'), ('src/app/main.py',), ('TypeError',))
"""

from __future__ import annotations

from engram.record import Record
from engram.text.stems import english, spanish
from engram.text.words import fold, is_unspaced, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TASK_TYPES", "Intent", "matching", "read_intent"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Type of task: English stems; Spanish stems; syllables of Vietnamese that stand together, without their marks; Chinese.
_TABLE: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "release",
        "releas publish ship changelog semver",
        "public lanz version",
        "phat-hanh cong-bo",
        "发布 发版 上线 版本号 發布",
    ),
    (
        "deployment",
        "deploy deploi rollout rollback provis",
        "despleg desplieg despliegu implant",
        "trien-khai",
        "部署 回滚 回滾",
    ),
    (
        "debugging",
        "debug debugg fix bug bugfix crash traceback stacktrac broken hotfix troubleshoot diagnos",
        "depur arregl correg correc corrig corrij error fall",
        "go-loi sua-loi loi-nay bi-loi",
        "调试 修复 报错 错误 崩溃 故障 排查 調試 修復",
    ),
    (
        "testing",
        "test pytest unittest e2e mock fixtur coverag jest vitest",
        "prueb prob teste",
        "kiem-thu viet-test bai-test",
        "测试 单测 用例 覆盖率 測試",
    ),
    (
        "refactoring",
        "refactor renam restructur simplifi cleanup dedupl extract",
        "refactoriz renombr simplific",
        "tai-cau doi-ten don-dep",
        "重构 重命名 简化 整理 重構",
    ),
    (
        "configuration",
        "configur config set setup env environ dotfil",
        "configur ajust",
        "cau-hinh thiet-lap cai-dat",
        "配置 设置 环境变量 設定",
    ),
    (
        "documentation",
        "document doc docstr readm tutori",
        "document document",
        "tai-lieu viet-huong",
        "文档 说明 注释 教程 文檔",
    ),
    (
        "security",
        "secur vulner secret credenti auth authent author cve xss csrf inject permiss",
        "segur seguridad vulnerabilidad credencial permis autentic",
        "bao-mat lo-hong phan-quyen",
        "安全 漏洞 权限 密钥 认证 注入 許可權",
    ),
    (
        "performance",
        "perform slow fast faster speed optim optimis profil latenc benchmark",
        "rend lent lentitud optimiz optimic velocidad aceler",
        "hieu-nang toi-uu cham-qua tang-toc",
        "性能 优化 慢 加速 延迟 基准 效能",
    ),
    (
        "review",
        "review pr audit approv",
        "revis revision audit auditor",
        "xem-lai danh-gia kiem-tra",
        "评审 审查 审核 复审 審查",
    ),
    (
        "migration",
        "migrat upgrad port convert deprec legaci",
        "migr actualiz",
        "di-chuyen nang-cap chuyen-doi",
        "迁移 升级 移植 兼容 遷移",
    ),
    (
        "dependencies",
        "depend depende lockfil vendor requir packag",
        "dependenc dependenci paquet bibliotec",
        "phu-thuoc thu-vien",
        "依赖 依賴 第三方库",
    ),
    (
        "feature",
        "implement featur build scaffold",
        "implement funcionalidad anad",
        "tinh-nang chuc-nang",
        "实现 新增 功能 開發",
    ),
)
TASK_TYPES: tuple[str, ...] = tuple(row[0] for row in _TABLE)

_TECHNOLOGIES = _set(
    """android angular ansible astro aws azure bash bazel bun c c# c++ cargo celery clang cmake css cuda cypress dart
    deno django docker dotnet .net eslint express fastapi flask flutter gcp git github gitlab go golang gradle graphql
    grpc helm html ios java javascript jest jquery jvm kafka keras kotlin kubernetes k8s langchain laravel linux lua
    macos maven mongodb mypy mysql next.js nextjs nginx node node.js nodejs npm numpy nuxt openapi oauth pandas perl php
    pip playwright pnpm poetry postgres postgresql powershell prisma pydantic pytest python pytorch rabbitmq rails react
    redis redux ruby ruff rust scala selenium spark spring sql sqlalchemy sqlite svelte swift tailwind tensorflow
    terraform typescript ubuntu uv vite vitest vue webpack windows yarn zig"""
)
# Everyday words, which are names only where they are written as names.
_EVERYDAY = frozenset(("bun", "c", "dart", "express", "go", "spark", "spring", "swift"))
_EXTENSIONS = _set(
    """c cc cfg cpp cs css csv dart db ex exs go gradle h hpp html ini ipynb java js json jsonc jsx kt lock lua md mdx
    mjs php pl proto ps1 py pyi pyx r rb rs rst scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml
    zig"""
)
_ERROR_ENDS = ("Error", "Exception", "Warning", "Fault", "Panic")
_SIGNALS = frozenset(("SIGSEGV", "SIGKILL", "SIGTERM", "SIGABRT", "SIGPIPE", "SIGBUS", "SIGINT"))
_ERRNO = _set(
    """EACCES EADDRINUSE EAGAIN EBUSY ECONNREFUSED ECONNRESET EEXIST EINVAL EISDIR EMFILE ENOENT ENOMEM ENOSPC ENOTDIR
    ENOTEMPTY EPERM EPIPE ETIMEDOUT"""
)
_NAME_CHARS = frozenset("_./\\-+@~:")
_MOST = 8
_LONGEST = 10_000


class Intent(Record):
    """What a task is about: types of task by weight, technologies, paths and errors as they stand in the text."""

    task_types: tuple[str, ...] = ()
    technologies: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def read_intent(text: str) -> Intent:
    """Read a task text of any length (of a very long one the end, C59c); never raises."""
    text = text[-_LONGEST:]
    found = words(text)
    paths: dict[str, None] = {}
    errors: dict[str, None] = {}
    for name in _names(text):
        if path := _path(name):
            paths[path] = None
        elif error := _error(name):
            errors[error] = None
    technologies = [
        name
        for name in dict.fromkeys(found)
        if name in _TECHNOLOGIES and (name not in _EVERYDAY or f" {name.capitalize()}" in text)
    ]
    types = _types(found, text)
    if errors and "debugging" not in types:
        types.append("debugging")
    return Intent(tuple(types[:3]), tuple(technologies[:_MOST]), tuple(paths)[:_MOST], tuple(errors)[:_MOST])


def matching(intent: Intent, query: Iterable[str], named: Iterable[str]) -> str:
    """Return the first type that a memory names and the task has, as the memory spells it, or an empty string.

    Args:
        intent: what the task is about.
        query: the words of the task, for types that people made up.
        named: the memory's task types; ``bugfix`` is read as ``debugging``.
    """
    said = frozenset(query)
    for name in named:
        own = words(name)
        if intent.task_types and not set(intent.task_types).isdisjoint(_types(own, name)):
            return name
        if own and said.issuperset(own):
            return name
    return ""


def _types(found: list[str], text: str) -> list[str]:
    """Return the types that the words of a text stand for, those with more words first, then in order."""
    first: dict[str, int] = {}
    often: dict[str, int] = {}
    plain = [fold(word) for word in found]
    for at, word in enumerate(plain):
        kinds = {_WORDS.get(english(word)), _WORDS.get(word)}
        stem = spanish(word)
        if stem != found[at]:  # public and fall are English
            kinds.add(_SPANISH_WORDS.get(stem))
        if at:
            kinds.add(_SYLLABLES.get((plain[at - 1], word)))
        if word in TASK_TYPES:
            kinds.add(word)
        for kind in kinds:
            if kind:
                often[kind] = often.get(kind, 0) + 1
                first.setdefault(kind, at)
    if not text.isascii():
        for characters, kind in _CHARACTERS:
            place = text.find(characters)
            if place >= 0:
                often[kind] = often.get(kind, 0) + 1
                first[kind] = min(first.get(kind, place), place)
    return sorted(often, key=lambda kind: (-often[kind], first[kind], kind))


_WORDS = {word: row[0] for row in _TABLE for word in row[1].split()}
_SPANISH_WORDS = {word: row[0] for row in _TABLE for word in row[2].split()}
_SYLLABLES = {tuple(pair.split("-")): row[0] for row in _TABLE for pair in row[3].split()}
_CHARACTERS = [(characters, row[0]) for row in _TABLE for characters in row[4].split()]


def _names(text: str) -> list[str]:
    """Return the pieces of a text that can be names of files and errors, without the punctuation around them."""
    if text.isascii():
        kept = "".join([char if char.isalnum() or char in _NAME_CHARS else " " for char in text])
    else:
        kept = "".join(
            [char if (char.isalnum() and not is_unspaced(char)) or char in _NAME_CHARS else " " for char in text]
        )
    return [name for name in (piece.rstrip(".:-+").lstrip(":-+") for piece in kept.split()) if len(name) > 1]


def _path(name: str) -> str:
    """Return the path that a name is, with slashes and without a line number, or an empty string."""
    if "://" in name:
        return ""
    path = name if name[1:2] == ":" else name.partition(":")[0]  # C:\temp, but main.py:12
    path = path.replace("\\", "/")
    stem, dot, extension = path.rpartition("/")[2].rpartition(".")
    if dot and extension.lower() in _EXTENSIONS and (stem or "/" in path):
        return path
    folders = path.strip("/").count("/")
    # and/or, client/server and 24/7 are no paths; ./bin, ~/x, /etc/hosts and a/b/c are.
    return path if folders >= 2 or (folders >= 1 and path[0] in "./~") else ""


def _error(name: str) -> str:
    last = name.rpartition(".")[2].strip(":")
    if last.endswith(_ERROR_ENDS) and last not in _ERROR_ENDS and last[0].isupper():
        return last
    if last in _SIGNALS or last in _ERRNO or (last.startswith("ERR_") and last.isupper()):
        return last
    digits = last.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if digits.isdigit() and len(digits) in (4, 5) and last[: -len(digits)] in {"E", "TS", "CS", "C", "SQLSTATE"}:
        return last  # E0502, TS2345
    return ""
