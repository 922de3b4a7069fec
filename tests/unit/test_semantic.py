"""Recall by meaning: pieces, vectors, and what they add to a ranking. The table is tiny, made by the same code."""

from __future__ import annotations

import importlib.util
import json
import os
import sqlite3
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from engram.errors import EngramError
from engram.index.database import SqliteError
from engram.index.embedding import DIMENSIONS, VECTOR_BYTES, Embedding, cosine
from engram.index.embedding_table import make_table, package_files
from engram.index.segment import Segment
from engram.index.vectors import Vectors
from engram.model import Memory
from engram.recall.rank import rank
from engram.recall.semantic import SemanticScorer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from engram.index.layout import Entry
    from engram.recall.query import Query
    from engram.recall.scorer import Scorer

HAS_PACKAGE = importlib.util.find_spec("wordllama") and importlib.util.find_spec("tokenizers")

SAMPLES = (
    "Use pnpm for every install; npm rewrites the lockfile.",
    "getUserName in src/main.py, C++ and .NET, don't, gen-itgc",
    "¿Cómo se validan las facturas con el esquema de pagos?",
    "系统中的用户身份由网关校验，然后写入日志。",
    "しりとりのルールを説明する 끝말잇기 게임의 규칙",
    "Thêm ví dụ cho mỗi quy tắc; Додай приклад до кожного правила",
    "أضف مثالا لكل قاعدة और हर नियम के लिए उदाहरण",
    "emoji 🙂🏳️‍🌈 and \x00 \x7f control, ﬁ ligature, a\u0301 combined",
    "0x1F <0x41> [INST] {{template}} aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "internationalisation antidisestablishmentarianism electroencephalographically",
)
FILLER = (
    "invoices are archived",
    "thumbnails are rendered",
    "sessions expire",
    "uploads are scanned",
    "flags live long",
)


@pytest.fixture
def table_path(tmp_path: Path, tiny_package: Path) -> str:
    path = str(tmp_path / "cache" / "embeddings.sqlite")
    make_table(path, *package_files(str(tiny_package)), "wordllama 0.4.0")
    return path


@pytest.fixture
def table(table_path: str) -> Iterator[Embedding]:
    with Embedding(table_path) as opened:
        yield opened


@pytest.fixture
def vectors(table: Embedding, tmp_path: Path) -> Vectors:
    return Vectors(str(tmp_path / "root" / ".cache"), table.fingerprint)


def memory(memory_id: str, content: str) -> Memory:
    return Memory(id=memory_id, type="rule", scope="workspace", title="", content=content)


def indexed(texts: Mapping[str, str]) -> Segment:
    segment = Segment()
    for number, text in enumerate(FILLER):
        segment.add(f"knowledge/filler-{number}.md", f"hash-{number}", memory(f"filler-{number}", text))
    for memory_id, text in texts.items():
        segment.add(f"rules/{memory_id}.md", f"hash-{memory_id}", memory(memory_id, text))
    return segment


def unpacked(vector: bytes) -> tuple[list[int], int]:
    return memoryview(vector).cast("b")[:DIMENSIONS].tolist(), vector[-2] | vector[-1] << 8


def near(table: Embedding, one: str, other: str) -> float:
    return cosine(table.embed(one), *unpacked(table.embed(other)))


def test_a_word_of_the_vocabulary_is_one_piece_and_others_are_their_letters(table: Embedding) -> None:
    assert table.pieces("car  \n wheel") == ["▁car", "▁wheel"]
    assert table.pieces("carx") == ["▁car", "x"]
    assert table.pieces("é") == ["▁", "<0xC3>", "<0xA9>"]
    assert table.pieces("") == []


def test_the_whole_table_in_memory_gives_the_same_as_single_look_ups(table_path: str) -> None:
    text = "replace every automobile wheel, 重跑 xyz carwheel the the"
    with Embedding(table_path) as one, Embedding(table_path) as other:
        other.read_all()
        assert one.embed(text) == other.embed(text)
        assert one.pieces(text) == other.pieces(text)


def test_words_of_one_meaning_are_near_and_others_are_not(table: Embedding) -> None:
    assert near(table, "car", "automobile") == pytest.approx(1, abs=0.01)
    assert near(table, "car", "cheese") == pytest.approx(0, abs=0.01)
    assert near(table, "car wheel", "automobile wheel") == pytest.approx(1, abs=0.01)
    assert near(table, "car wheel", "wheel") == pytest.approx(0.7071, abs=0.01)
    assert near(table, "", "wheel") == 0


def test_a_text_with_half_a_surrogate_has_a_vector(table: Embedding) -> None:
    assert len(table.embed("car \ud800")) == VECTOR_BYTES


def test_what_means_the_same_comes_first_and_says_so(table: Embedding, vectors: Vectors) -> None:
    texts = {"a": "turn the cheese wheel", "b": "turn the automobile wheel"}
    vectors.add(table, [(f"hash-{key}", memory(key, text)) for key, text in texts.items()])
    scorer = SemanticScorer(table, [(vectors, None)])
    by_words = rank([indexed(texts)], "turn the car wheel")
    by_meaning = rank([indexed(texts)], "turn the car wheel", scorers=[scorer])
    switched_off = rank([indexed(texts)], "turn the car wheel", scorers=[scorer], without={"semantic"})

    assert [hit.entry.id for hit in by_words.hits] == ["a", "b"]
    assert [hit.entry.id for hit in by_meaning.hits] == ["b", "a"]
    added = {name: value for name, value, _ in by_meaning.hits[0].reasons}
    assert added["semantic"] > 0
    assert by_meaning.hits[0].score == pytest.approx(sum(value for _, value, _ in by_meaning.hits[0].reasons), abs=0.01)
    assert switched_off.hits == by_words.hits


def test_meaning_alone_brings_nothing(table: Embedding, vectors: Vectors) -> None:
    texts = {"a": "turn the automobile around"}
    vectors.add(table, [("hash-a", memory("a", texts["a"]))])
    ranking = rank([indexed(texts)], "vehicle", scorers=[SemanticScorer(table, [(vectors, None)])])
    assert ranking.hits == ()
    assert ranking.abstained


def test_a_memory_whose_vector_is_not_ready_is_found_all_the_same(table: Embedding, vectors: Vectors) -> None:
    texts = {"a": "turn the cheese wheel", "b": "turn the automobile wheel", "c": "turn the steering wheel"}
    vectors.add(table, [(f"hash-{key}", memory(key, texts[key])) for key in "ab"])
    ranking = rank([indexed(texts)], "turn the car wheel", scorers=[SemanticScorer(table, [(vectors, None)])])
    assert [hit.entry.id for hit in ranking.hits] == ["b", "c", "a"]
    assert ("semantic", "not compared yet") in {(name, about) for name, _, about in ranking.hits[1].reasons}


def test_a_second_scorer_can_join(table: Embedding, vectors: Vectors) -> None:
    class LastLetter:
        name = "letter"
        weight = 5.0

        def score(self, query: Query, docs: Mapping[int, Entry]) -> dict[int, float]:
            assert query.text == "turn the car wheel"
            return {doc: float(ord(entry.id) - ord("a")) for doc, entry in docs.items()}

        def close(self) -> None: ...

    texts = {"a": "turn the cheese wheel", "b": "turn the automobile wheel", "c": "turn the steering wheel"}
    vectors.add(table, [(f"hash-{key}", memory(key, text)) for key, text in texts.items()])
    both: list[Scorer] = [SemanticScorer(table, [(vectors, None)]), LastLetter()]
    hits = rank([indexed(texts)], "turn the car wheel", scorers=both).hits
    assert [hit.entry.id for hit in hits] == ["c", "b", "a"]
    assert {"semantic", "letter"} <= {name for name, _, _ in hits[0].reasons}


def test_an_opinion_that_is_the_same_of_all_lifts_nothing_over_the_floor() -> None:  # decision 7
    class Indifferent:
        name = "indifferent"
        weight = 0.5

        def score(self, query: Query, docs: Mapping[int, Entry]) -> dict[int, float]:
            assert query.text == task
            return dict.fromkeys(docs, 0.4)

        def close(self) -> None: ...

    texts = {f"common-{number}": f"the wheel {'of some thing or other ' * 9}{number}" for number in range(12)}
    texts |= {"near": "inspect the seams of the zeppelin hull and its wheel", "half": "paint the zeppelin hull"}
    task = "inspect zeppelin hull seams and the wheel"
    by_words = rank([indexed(texts)], task)
    scorer: Scorer = Indifferent()
    with_opinion = rank([indexed(texts)], task, scorers=[scorer])
    assert [hit.entry.id for hit in by_words.hits] == ["near", "half"]
    assert [hit.entry.id for hit in with_opinion.hits] == ["near", "half"]
    assert with_opinion.weak == by_words.weak == 12


def test_vectors_of_another_table_do_not_count_and_go(table: Embedding, vectors: Vectors, tmp_path: Path) -> None:
    assert vectors.put([("one", table.embed("car"))])
    other = Vectors(os.path.dirname(vectors.path), "another table")
    assert vectors.get(["one"]) == {"one": table.embed("car")}
    assert other.get(["one"]) == {}
    assert other.put([("two", table.embed("wheel"))])
    assert vectors.get(["one", "two"]) == {}
    assert list(other.get(["one", "two"])) == ["two"]


def test_only_the_vectors_of_what_there_is_are_kept(table: Embedding, vectors: Vectors) -> None:
    vectors.put([(key, table.embed("car")) for key in ("one", "two", "three")])
    vectors.keep_only(["two", "four"])
    assert list(vectors.get(["one", "two", "three"])) == ["two"]


@pytest.mark.parametrize("damage", [b"", b"no database at all, only some text " * 40])
def test_a_damaged_file_of_vectors_is_made_anew(table: Embedding, vectors: Vectors, damage: bytes) -> None:
    vectors.put([("one", table.embed("car"))])
    with open(vectors.path, "wb") as file:
        file.write(damage)
    assert vectors.get(["one"]) == {}
    assert vectors.put([("one", table.embed("car"))])
    assert vectors.get(["one"]) == {"one": table.embed("car")}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_another_database_is_replaced_and_never_followed(table: Embedding, vectors: Vectors) -> None:
    os.makedirs(os.path.dirname(vectors.path))
    mine = os.path.join(os.path.dirname(vectors.path), "mine.sqlite")
    connection = sqlite3.connect(mine)
    connection.execute("create table vectors(hash, vector)")
    connection.close()
    with open(mine, "rb") as file:
        before = file.read()
    os.symlink(mine, vectors.path)
    vectors.keep_only([])
    assert vectors.get(["one"]) == {}
    assert vectors.put([("one", table.embed("car"))])
    assert vectors.get(["one"]) == {"one": table.embed("car")}
    with open(mine, "rb") as file:
        assert file.read() == before


def test_vectors_that_cannot_be_kept_stop_nobody(table: Embedding, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    nowhere = Vectors(str(tmp_path / "file" / ".cache"), table.fingerprint)
    assert nowhere.put([("one", table.embed("car"))]) is False
    assert nowhere.get(["one"]) == {}
    assert nowhere.add(table, [("one", memory("a", "car"))]) == 0


def test_a_damaged_table_is_not_opened(table_path: str) -> None:
    with open(table_path, "r+b") as file:
        file.truncate(3000)
    with pytest.raises(SqliteError):
        Embedding(table_path)
    with pytest.raises(SqliteError):
        Embedding(f"{table_path}.gone")


def test_a_table_without_its_rows_leaves_the_words_alone(table_path: str, tmp_path: Path) -> None:
    connection = sqlite3.connect(table_path)
    connection.execute("drop table vectors")
    connection.commit()
    connection.close()
    texts = {"a": "turn the cheese wheel", "b": "turn the automobile wheel"}
    with Embedding(table_path) as table:
        scorer = SemanticScorer(table, [(Vectors(str(tmp_path), table.fingerprint), None)])
        assert rank([indexed(texts)], "turn the car wheel", scorers=[scorer]) == rank(
            [indexed(texts)], "turn the car wheel"
        )


@pytest.mark.parametrize("broken", ["weights", "tokenizer"])
def test_files_of_another_kind_are_refused_and_leave_nothing(tiny_package: Path, tmp_path: Path, broken: str) -> None:
    weights, tokenizer = package_files(str(tiny_package))
    if broken == "weights":
        header = json.dumps({"embedding.weight": {"dtype": "F32", "shape": [1, 256], "data_offsets": [0, 1024]}})
        with open(weights, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header.encode() + bytes(1024))
    else:
        with open(tokenizer, "w", encoding="utf-8") as text:
            json.dump({"model": {"type": "Unigram"}}, text)
    folder = tmp_path / "cache"
    with pytest.raises(EngramError, match="of a kind that this Engram does not know"):
        make_table(str(folder / "embeddings.sqlite"), weights, tokenizer, "wordllama 9")
    assert not folder.exists() or list(folder.iterdir()) == []


def test_a_package_without_its_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngramError, match=r"has no l2_supercat_256\.safetensors"):
        package_files(str(tmp_path))


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); "
        "import engram.index.vectors, engram.recall.semantic, engram.service.scorers; print(*sys.modules)"
    )
    source = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules["engram"].__file__ or "")))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, source], capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    assert not {"typing", "json", "re", "numpy", "wordllama", "struct", "hashlib"} & set(done.stdout.split())


@pytest.mark.skipif(not HAS_PACKAGE, reason='the extra is not installed: pip install ".[semantic]"')
@pytest.mark.slow
def test_pieces_are_those_of_the_package_and_vectors_point_where_its_own_do(tmp_path: Path) -> None:
    spec = importlib.util.find_spec("wordllama")
    assert spec
    assert spec.submodule_search_locations
    weights, tokenizer = package_files(spec.submodule_search_locations[0])
    path = str(tmp_path / "embeddings.sqlite")
    make_table(path, weights, tokenizer, "the installed one")
    theirs = importlib.import_module("tokenizers").Tokenizer.from_file(tokenizer)
    numpy = importlib.import_module("numpy")
    matrix = importlib.import_module("safetensors.numpy").load_file(weights)["embedding.weight"].astype("float32")
    with Embedding(path) as table:
        for text in SAMPLES:
            plain = " ".join(text.split())
            encoded = theirs.encode(plain, add_special_tokens=False)
            assert table.pieces(text) == encoded.tokens
            wanted = matrix[encoded.ids].mean(axis=0)
            ours = numpy.array(unpacked(table.embed(text))[0], dtype="float32")
            assert ours @ wanted / numpy.linalg.norm(ours) / numpy.linalg.norm(wanted) > 0.999
