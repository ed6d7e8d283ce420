"""One indexed copy of the example application for all tests of the checker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index


@pytest.fixture(scope="session")
def shop(indexed_shop: Path) -> Iterator[Index]:
    with Index.open(indexed_shop) as index:
        yield index
