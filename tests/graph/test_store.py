"""The graph of an index on disk: made with it, made anew when it is older, and never in the way of answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.api.background import spawn_maintenance
from coderag.errors import IndexDamagedError
from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind
from coderag.graph.store import is_graph_outdated, write_graph
from coderag.index.build.job import Progress
from coderag.index.build.merging import merge_index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import locked, the_only_one
from coderag.index.storage.manifest import GRAPH_LOCK, read_manifest
from tests.graph.shown_edges import edges_of
from tests.graph.whole import draft_of
from tests.growth import HANG_SECONDS
from tests.workspace import SHOP, write

FILES = {
    "app/money.py": "def rounded(amount):\n    return round(amount, 2)\n",
    "app/orders.py": "from app.money import rounded\n\n\ndef total(order):\n    return rounded(order.sum)\n",
    "secret/plans.py": "from app.money import rounded\n\n\ndef plan(one):\n    return rounded(one)\n",
    "coderag.toml": '[[access]]\npaths = ["secret/**"]\ngroups = ["board"]\n',
    "schema.sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, total TEXT);\n",
}
CALLS = {"total -calls> rounded", "plan -calls> rounded"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", FILES)
    Index.build(root, workers=0)
    return root


def calls(index: Index) -> set[str]:
    [graph] = index.graphs()
    return edges_of(graph, EdgeKind.CALLS)


def same(one: Graph, other: Graph) -> bool:
    return one.arrays.keys() == other.arrays.keys() and all(
        np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items()
    )


def test_a_build_makes_it(root: Path) -> None:
    manifest = read_manifest(IndexPath(root / ".coderag"))
    assert (root / ".coderag" / manifest.graph).exists()
    assert calls(Index.open(root)) == CALLS


def test_what_a_resolver_forgets_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = draft_of(SHOP).arrays()
    monkeypatch.setattr("coderag.graph.edges.references.MOST_CACHED", 0)
    assert same(Graph(draft_of(SHOP).arrays()), Graph(known))


def test_a_build_may_leave_it(root: Path) -> None:
    index = Index.build(root, workers=0, graph=False)
    assert not read_manifest(IndexPath(root / ".coderag")).graph
    assert calls(index) == CALLS
    assert read_manifest(IndexPath(root / ".coderag")).graph


def test_after_an_update_it_is_made_anew(root: Path, tmp_path: Path) -> None:
    index = Index.open(root)
    before = calls(index)
    write(root, {"app/refunds.py": "from app.money import rounded\n\n\ndef refund(one):\n    return rounded(one)\n"})
    (root / "secret/plans.py").unlink()
    index.update(workers=0)
    assert calls(index) == before - {"plan -calls> rounded"} | {"refund -calls> rounded"}
    fresh = Index.build(root, index=tmp_path / "fresh", workers=0)
    assert same(index.graphs()[0], fresh.graphs()[0])
    index.close()


def test_other_rules_make_it_anew_of_the_same_segments(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = IndexPath(root / ".coderag")
    before = read_manifest(folder)
    monkeypatch.setattr("coderag.graph.store.GRAPH_VERSION", 0)
    assert is_graph_outdated(folder)
    Index.ensure(root, workers=0)
    index = Index.open(root)
    assert calls(index) == CALLS
    after = read_manifest(folder)
    assert after.graph_key != before.graph_key
    assert after.segments == before.segments
    assert not is_graph_outdated(folder)
    index.close()


def test_it_is_made_once(root: Path) -> None:
    assert not write_graph(IndexPath(root / ".coderag"), root)
    (root / "app/money.py").touch()
    Index.ensure(root, workers=0)
    assert not write_graph(IndexPath(root / ".coderag"), root)


@pytest.mark.slow
def test_a_merge_leaves_it(root: Path) -> None:
    index = Index.open(root)
    for number in range(6):
        write(root, {f"app/new_{number}.py": f"def new_{number}(): ...\n"})
        index.update(workers=0)
    index.graphs()
    index.close()
    merge_index(IndexPath(root / ".coderag"))
    assert not write_graph(IndexPath(root / ".coderag"), root)


def test_while_another_process_writes_it_is_kept_in_memory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coderag.graph.store.LOCK_SECONDS", 0.05)
    index = Index.build(root, workers=0, graph=False)
    with locked(IndexPath(root / ".coderag"), 1.0):
        assert calls(index) == CALLS
    assert not read_manifest(IndexPath(root / ".coderag")).graph


@pytest.mark.slow
def test_a_process_of_its_own_brings_it_up_to_date(root: Path) -> None:
    index = Index.open(root)
    (root / "secret/plans.py").unlink()
    index.update(workers=0)
    index.close()
    old = read_manifest(IndexPath(root / ".coderag")).graph_key
    assert spawn_maintenance(IndexPath(root / ".coderag"), root).wait() == 0
    assert read_manifest(IndexPath(root / ".coderag")).graph_key != old
    assert calls(Index.open(root)) == {"total -calls> rounded"}


@pytest.mark.slow
def test_nobody_waits_in_a_row_to_make_it(root: Path) -> None:
    folder = IndexPath(root / ".coderag")
    with Index.open(root) as index:
        (root / "secret/plans.py").unlink()
        index.update(workers=0)
    old = read_manifest(folder).graph_key
    with the_only_one(folder / GRAPH_LOCK):
        assert spawn_maintenance(folder, root).wait(HANG_SECONDS) == 0
    assert read_manifest(folder).graph_key == old


@pytest.mark.parametrize(("pause", "due"), [(0, True), (10**9, False)])
def test_an_update_says_when_it_should_be_made_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch, pause: int, due: bool
) -> None:
    monkeypatch.setattr("coderag.index.build.build.GRAPH_PAUSE", pause)
    with Index.open(root) as index:
        index.update(workers=0)
        assert not index.reports[0].graph_due  # nothing changed
        write(root, {"app/more.py": "def more(): ...\n"})
        index.update(workers=0)
        assert index.reports[0].graph_due == due


def test_progress_tells_when_it_is_made(root: Path) -> None:
    told: list[Progress] = []
    Index.build(root, workers=0, watch=told.append)
    assert told[-1].linking
    assert not any(one.linking for one in told[:-1])


def test_what_is_hidden_is_in_no_graph(root: Path) -> None:
    [graph] = Index.open(root).as_seen_by(["staff"]).graphs()
    assert edges_of(graph, EdgeKind.CALLS) == {"total -calls> rounded"}
    assert "secret/plans.py" not in graph.paths.all()
    assert calls(Index.open(root).as_seen_by(["board"])) == CALLS


def test_damage_is_found_and_repaired(root: Path) -> None:
    path = root / ".coderag" / read_manifest(IndexPath(root / ".coderag")).graph
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(bytes(data))
    index = Index.open(root)
    assert [one.path for one in index.damage()] == [path.name]
    with pytest.raises(IndexDamagedError, match="coderag index"):
        index.verify()
    assert calls(Index.ensure(root, workers=0)) == CALLS
    assert Index.open(root).damage() == []


@pytest.mark.parametrize("files", [{}, {"empty.py": ""}, {"one.py": "x = 1\n"}, {"notes.txt": "hello\n"}])
def test_hardly_anything(tmp_path: Path, files: dict[str, str]) -> None:
    root = write(tmp_path / "root", files)
    root.mkdir(exist_ok=True)
    index = Index.build(root, workers=0)
    assert calls(index) == set()
    assert index.refs("x") == [] or files.get("one.py")
    assert index.map()


def test_several_roots_have_a_graph_each(root: Path, tmp_path: Path) -> None:
    other = write(
        tmp_path / "other", {"app/money.py": "def rounded(x): ...\n\n\ndef half(x):\n    return rounded(x / 2)\n"}
    )
    Index.build(other, workers=0)
    first, second = Index.open(root, other).graphs()
    assert edges_of(first, EdgeKind.CALLS) == CALLS
    assert edges_of(second, EdgeKind.CALLS) == {"half -calls> rounded"}
