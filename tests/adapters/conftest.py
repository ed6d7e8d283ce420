"""One index of the example application for all adapters, and the examples of the guide."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from coderag import Index
from tests.documents import DOCS, blocks, section
from tests.workspace import copy_shop


@pytest.fixture(scope="package")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return the index of the example application, without a graph."""
    root = copy_shop(tmp_path_factory.mktemp("adapters") / "shop")
    return Index.build(root, workers=0, graph=False, history=False)


@pytest.fixture
def run_example(
    shop: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], tuple[str, str]]:
    """Return a function that runs the example below a heading of the guide: what it prints, and what is shown."""

    def run(heading: str) -> tuple[str, str]:
        monkeypatch.chdir(shop.roots[0].root)
        example, shown = blocks(section(DOCS / "guides/adapters.md", heading))
        exec(example.body, {})
        return capsys.readouterr().out, shown.body

    return run
