"""A repository that is indexed, for tests that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shop(indexed_shop: Path) -> Path:
    """Return an indexed copy of the example application."""
    return indexed_shop
