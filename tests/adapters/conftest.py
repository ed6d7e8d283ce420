"""One index of the example application for all adapters."""

from __future__ import annotations

import pytest

from coderag import Index
from tests.workspace import copy_shop


@pytest.fixture(scope="package")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return the index of the example application, without a graph."""
    root = copy_shop(tmp_path_factory.mktemp("adapters") / "shop")
    return Index.build(root, workers=0, graph=False, history=False)
