"""The example application, indexed once for all tests of answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from tests.workspace import copy_shop


@pytest.fixture(scope="session")
def shop_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of fixtures/shop with its index."""
    root = copy_shop(tmp_path_factory.mktemp("ask") / "shop")
    Index.build(root, workers=0)
    return root


@pytest.fixture(scope="session")
def shop(shop_root: Path) -> Index:
    """Return the index of fixtures/shop."""
    return Index.open(shop_root)
