"""The nearest vectors by a graph: what it finds, what it must not, and what becomes of one that does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.api.snapshot import open_snapshot
from coderag.errors import IndexDamagedError, QueryError
from coderag.index.build import vector_graph as building
from coderag.index.build.vector_graph import refresh_vector_graph
from coderag.index.reader import dense_search as nearest
from coderag.index.reader.corpus import Corpus
from coderag.index.reader.dense_search import How, dense_search, way
from coderag.index.storage import vector_graph as stored
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from tests.commands import Run
from tests.workspace import write

pytest.importorskip("usearch")
pytestmark = [pytest.mark.dev("usearch"), pytest.mark.slow]

NOUNS = ("title", "author", "table", "margin", "chapter", "footnote", "index", "cover")
VERBS = ("read", "write", "print", "remove", "count", "sort")
RULES = '[[access]]\npaths = ["vault/**"]\ngroups = ["hr"]\n'


def functions(first: int, count: int) -> str:
    return "".join(
        f'def {verb}_{noun}_{number}():\n    """{verb} the {noun} of page {number}."""\n'
        for number in range(first, first + count)
        for verb, noun in [(VERBS[number % 6], NOUNS[number % 8])]
    )


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose index counts as a large one, and has a graph."""
    for name, value in (("EXACT_UP_TO", 100), ("COMPARED", 400), ("SAMPLED", 1)):
        monkeypatch.setattr(nearest, name, value)
    monkeypatch.setattr(stored, "EXPLORED", 300)
    files: dict[str, str | bytes] = {f"part_{part}.py": functions(200 * part, 200) for part in range(6)}
    made = write(tmp_path / "app", files | {"vault/pay.py": functions(5_000, 200), "coderag.toml": RULES})
    with Index.build(made, workers=0, cache=False) as index:
        assert index.graph_vectors()
        assert not index.graph_vectors()  # it fits
    return made


def corpus_of(root: Path) -> Corpus:
    with Index.open(root) as index:
        return open_snapshot(index.roots).corpus


def questions(corpus: Corpus) -> Iterator[np.ndarray]:
    for member in corpus.members:
        assert member.segment.vectors is not None
        for row in member.segment.vectors.rows[::97]:
            yield row.astype(np.float32) / np.linalg.norm(row.astype(np.float32))


def recall(corpus: Corpus, counts: np.ndarray, k: int = 50) -> float:
    """Return the share of the nearest that a graph finds; what counts nothing must not be among them."""
    shares = []
    for question in questions(corpus):
        found = dense_search(corpus, question, counts, k=k).chunks
        assert (counts[found] > 0).all()
        wanted = dense_search(corpus, question, counts, k=k, how=How.ALL).chunks
        shares.append(np.isin(wanted, found).mean())
    return float(np.mean(shares))


def test_a_graph_finds_nearly_all(root: Path) -> None:
    corpus = corpus_of(root)
    assert way(corpus) is How.GRAPH
    assert recall(corpus, np.ones(len(corpus), dtype=np.float32)) > 0.97
    with Index.open(root) as index:
        found = index.recall()
        assert found is not None
        assert (found.how, found.at_10 > 0.97) == (How.GRAPH, True)
        assert index.status()[0].chunks == len(index)
        assert index.damage() == []


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_a_filter_is_exact_and_a_narrow_one_takes_the_signs(root: Path, share: float) -> None:
    corpus = corpus_of(root)
    counts = (np.random.default_rng(1).random(len(corpus)) < share).astype(np.float32)
    assert recall(corpus, counts) > 0.97
    if share < 0.1:
        assert nearest._by_graph(corpus, next(questions(corpus)), counts, 50) is None


def test_what_counts_less_does_not_hide_what_is_farther(root: Path) -> None:
    corpus = corpus_of(root)
    counts = np.where(np.arange(len(corpus)) % 3, 0.5, 1.0).astype(np.float32)
    assert recall(corpus, counts) > 0.97


def test_callers_see_nothing_of_what_is_hidden(root: Path) -> None:
    with Index.open(root) as index:
        seen = index.as_seen_by(())
        for number in range(5_000, 5_040):
            hits = seen.search(f"{VERBS[number % 6]} the {NOUNS[number % 8]} of page {number}", k=50)
            assert hits
            assert not any(hit.chunk.path.startswith("vault/") for hit in hits)
        assert any(hit.chunk.path.startswith("vault/") for hit in index.search("read the title of page 5000", k=50))


def test_new_chunks_are_compared_and_gone_ones_left_out(root: Path) -> None:
    (root / "part_2.py").unlink()
    write(root, {"later.py": functions(9_000, 60)})
    with Index.open(root) as index:
        index.update(workers=0)
        corpus = open_snapshot(index.roots).corpus
        assert way(corpus) is How.GRAPH
        counts = np.ones(len(corpus), dtype=np.float32)
        counts[~corpus.live_file[corpus.chunk_file]] = 0
        assert recall(corpus, counts) > 0.97
        assert index.search("print the table of page 9002", k=3)[0].chunk.path == "later.py"


def test_a_graph_that_no_longer_fits_is_made_again(root: Path) -> None:
    folder = IndexPath(root, (".coderag",))
    first = read_manifest(folder).hnsw
    assert not refresh_vector_graph(folder)
    write(root, {f"more_{part}.py": functions(20_000 + 400 * part, 400) for part in range(3)})
    with Index.open(root) as index:
        index.update(workers=0)
        assert way(open_snapshot(index.roots).corpus) is How.SIGNS
    assert refresh_vector_graph(folder)
    assert way(corpus_of(root)) is How.GRAPH
    assert read_manifest(folder).hnsw != first
    assert not (root / ".coderag" / first).exists()


def test_without_the_extra_signs_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (stored, building):
        monkeypatch.setattr(module, "is_installed", lambda: False)
    assert way(corpus_of(root)) is How.SIGNS
    with Index.open(root) as index, pytest.raises(QueryError, match=r"pip install '\.\[hnsw\]'"):
        index.graph_vectors()
    assert not refresh_vector_graph(IndexPath(root, (".coderag",)))


def test_a_damaged_graph_is_said_and_dropped(root: Path) -> None:
    file = root / ".coderag" / read_manifest(IndexPath(root, (".coderag",))).hnsw
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    with pytest.raises(IndexDamagedError, match=r'hnsw-.* is not what was written; run "coderag index"'):
        Index.open(root)
    with Index.ensure(root, workers=0, graph=False) as index:
        assert index.reports[0].read == 0
        assert way(open_snapshot(index.roots).corpus) is How.SIGNS
    with Index.open(root) as index:
        index.graph_vectors()
        file = root / ".coderag" / read_manifest(IndexPath(root, (".coderag",))).hnsw
        flipped = bytearray(file.read_bytes())
        flipped[len(flipped) // 2] ^= 1
        file.unlink()
        file.write_bytes(flipped)
        assert [one.path for one in index.damage()] == [file.name]
    with pytest.raises(IndexDamagedError, match="is not what was written"):
        Index.open(root)


def test_a_graph_of_somebody_else_is_not_followed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data of another user"))
    Index.trust(root)
    assert way(corpus_of(root)) is How.SIGNS
    assert not read_manifest(IndexPath(root, (".coderag",))).hnsw


def test_the_command_makes_and_removes_it(coderag: Run, root: Path) -> None:
    folder = IndexPath(root, (".coderag",))
    assert coderag("index", "--no-hnsw", "--quiet", cwd=root).returncode == 0
    assert not read_manifest(folder).hnsw
    assert not list((root / ".coderag").glob("hnsw-*"))
    assert coderag("index", "--hnsw", "--quiet", cwd=root).returncode == 0
    assert read_manifest(folder).hnsw
    assert coderag("status", "--check", cwd=root).returncode == 0
