"""The example application, indexed once for all tests of answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index


@pytest.fixture(scope="session")
def shop_root(indexed_shop: Path) -> Path:
    """Return a copy of fixtures/shop with its index."""
    return indexed_shop


@pytest.fixture(scope="session")
def shop(shop_root: Path) -> Index:
    """Return the index of fixtures/shop."""
    return Index.open(shop_root)
