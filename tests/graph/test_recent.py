"""What a file was before it changed again is known from the graph that was made of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.graph.graph import Graph
from coderag.graph.recent import recent_files
from coderag.graph.store import made_graph
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import Manifest, read_manifest
from coderag.index.storage.segment import Segment
from coderag.sql.records import Schema
from tests.workspace import write

PLAIN = {f"app/part_{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(12)}
FILES = PLAIN | {
    "app/money.py": "def rounded(amount):\n    return round(amount, 2)\n",
    "app/orders.py": "from app.money import rounded\n\n\ndef total(order):\n    return rounded(order.sum)\n",
    "web/page.ts": "import { money } from '@app/money';\n\nexport function show() {\n  return money();\n}\n",
    "web/src/money.ts": "export function money() {\n  return 1;\n}\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", FILES)
    Index.build(root, workers=0)
    return root


def opened(root: Path) -> tuple[Manifest, list[Segment]]:
    folder = IndexPath(root / ".coderag")
    manifest = read_manifest(folder)
    return manifest, [Segment.of(folder, entry) for entry in manifest.segments]


def answers(graph: Graph) -> dict[str, Array]:
    """Return what a graph answers from: all but what tells how it was made."""
    return {name: array for name, array in graph.arrays.items() if not name.startswith("setting_")}


def check_whole(root: Path, graph: Graph) -> None:
    """Compare a graph with the one that is made of nothing."""
    manifest, segments = opened(root)
    whole = made_graph(manifest.segments, segments, Schema(), root=root)
    known = answers(graph)
    assert [name for name in answers(Graph(whole)) if not np.array_equal(known[name], whole[name])] == []


@pytest.mark.slow
def test_edits_of_one_file_one_after_another(root: Path) -> None:
    index = Index.open(root)
    for name in ("rounded", "rounds", "round_up", "rounded"):
        text = f"def {name}(amount):\n    return round(amount, 2)\n\n\ndef plan():\n    return {name}(1)\n"
        write(root, {"app/money.py": text})
        index.update(workers=0)
        [graph] = index.graphs()
        check_whole(root, graph)
        kept = recent_files(graph)
        assert set(kept) == {"app/money.py"}
        assert [definition.name for definition in kept["app/money.py"].links.definitions] == [name, "plan"]
    index.close()


def test_settings_that_changed_count_for_all_files(root: Path) -> None:
    index = Index.open(root)
    paths = '{"compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["src/*"]}}}'
    [before] = index.graphs()
    write(root, {"web/tsconfig.json": paths, "app/money.py": "def rounded(amount):\n    return amount\n"})
    index.update(workers=0)
    [graph] = index.graphs()
    check_whole(root, graph)
    assert len(graph.edge_kind) > len(before.edge_kind)
    index.close()


def test_nonsense_in_the_earlier_graph_is_not_taken(root: Path) -> None:
    manifest, segments = opened(root)
    graph = made_graph(manifest.segments, segments, Schema(), root=root)
    for name in ("edge_source", "edge_target", "node_file", "setting_path_offsets", "recent_sizes", "file_blob"):
        damaged = Graph(graph | {name: np.full_like(graph[name], 200)})
        again = made_graph(manifest.segments, segments, Schema(), root=root, earlier=damaged)
        assert again.keys() == graph.keys()


def test_a_graph_of_another_version_is_not_taken(root: Path) -> None:
    manifest, segments = opened(root)
    graph = made_graph(manifest.segments, segments, Schema(), root=root)
    older = graph | {"graph_identity": np.zeros(8, np.uint8), "edge_row": np.full_like(graph["edge_row"], 99)}
    again = made_graph(manifest.segments, segments, Schema(), root=root, earlier=Graph(older))
    assert np.array_equal(again["edge_row"], graph["edge_row"])
