"""The graph after the index: searches answer at once, and whoever asks for the graph waits for it or makes it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from filelock import FileLock

from coderag.api.index import Index
from coderag.graph.store import write_graph
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import GRAPH_LOCK, read_manifest
from tests.cli.conftest import ENVIRONMENT, Run
from tests.growth import HANG_SECONDS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc"),
]

SEARCH = ("search", "what a customer is about to buy", "--json")


@pytest.fixture
def background() -> Iterator[dict[str, str]]:
    """Return an environment in which commands leave processes behind; all of these have ended afterwards."""
    mark = f"background-{uuid4()}"
    yield {"CODERAG_BACKGROUND": "1", "CODERAG_TEST": mark}
    wait_for_all(mark)


def wait_for_all(mark: str) -> None:
    """Wait until no process has a mark in its environment."""
    limit = time.monotonic() + HANG_SECONDS
    while any(mark.encode() in environment for environment in environments()):
        assert time.monotonic() < limit, "a process was left behind"
        time.sleep(0.05)


def environments() -> Iterator[bytes]:
    for process in Path("/proc").glob("[0-9]*/environ"):
        try:
            yield process.read_bytes()
        except OSError:  # it ended, or belongs to somebody else
            continue


def test_the_graph_follows_and_is_waited_for(coderag: Run, project: Path, background: dict[str, str]) -> None:
    done = coderag("index", "--json", "--workers", "0", cwd=project, **background)
    (told,) = json.loads(done.stdout)
    assert (done.returncode, told["graph_follows"], told["graph"]) == (0, True, None)
    assert [hit["name"] for hit in json.loads(coderag(*SEARCH, cwd=project, **background).stdout)]
    found = coderag("refs", "Cart", "--json", cwd=project, **background)
    assert json.loads(found.stdout)[0]["target"]["name"] == "Cart"
    wait_for_all(background["CODERAG_TEST"])
    assert read_manifest(IndexPath(project / ".coderag")).graph
    (told,) = json.loads(coderag("index", "--json", cwd=project, **background).stdout)
    assert (told["graph_follows"], told["graph"]["nodes"] > 0) == (False, True)


def test_a_first_search_does_not_wait_for_it(coderag: Run, project: Path, background: dict[str, str]) -> None:
    assert coderag(*SEARCH, cwd=project, **background).returncode == 0
    wait_for_all(background["CODERAG_TEST"])
    assert read_manifest(IndexPath(project / ".coderag")).graph


@pytest.mark.parametrize(("options", "has_graph"), [(("--wait",), True), (("--no-graph",), False)])
def test_nothing_follows(
    coderag: Run, project: Path, background: dict[str, str], options: tuple[str, ...], has_graph: bool
) -> None:
    (told,) = json.loads(coderag("index", "--json", "--workers", "0", *options, cwd=project, **background).stdout)
    assert (told["graph_follows"], told["graph"] is not None) == (False, has_graph)


def test_a_summary_says_that_it_follows(coderag: Run, project: Path, background: dict[str, str]) -> None:
    assert "graph      follows in the background" in coderag("index", cwd=project, **background).stdout
    assert "graph      follows" not in coderag("index", "--wait", cwd=project, **background).stdout


def test_a_question_waits_for_who_makes_it(coderag: Run, project: Path) -> None:
    assert coderag("index", "--no-graph", cwd=project).returncode == 0
    command = [sys.executable, "-m", "coderag", "refs", "Cart"]
    with FileLock(project / ".coderag" / GRAPH_LOCK):
        asking = subprocess.Popen(
            command, cwd=project, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert asking.stderr is not None
        assert asking.stderr.readline() == "coderag: waiting for the graph, which another process makes\n"
        assert asking.poll() is None
    printed, _ = asking.communicate(timeout=HANG_SECONDS)
    assert (asking.returncode, "Cart" in printed) == (0, True)


def test_of_several_one_makes_it(project: Path) -> None:
    folder = Index.build(project, workers=0, graph=False).roots[0].folder
    code = (
        "import sys; from pathlib import Path; from coderag.graph.store import write_graph;"
        "from coderag.index.storage.folder.index_path import IndexPath;"
        "print(write_graph(IndexPath(Path(sys.argv[1])), Path(sys.argv[2])))"
    )
    with FileLock(folder.path / GRAPH_LOCK):
        command = [sys.executable, "-c", code, str(folder), str(project)]
        makers = [subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = sorted(maker.communicate(timeout=HANG_SECONDS)[0].strip() for maker in makers)
    assert printed == ["False", "False", "True"]
    assert not write_graph(folder, project)
