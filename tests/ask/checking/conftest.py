"""One indexed copy of the example application for all tests of the checker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from coderag import Index
from tests.workspace import copy_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = copy_shop(tmp_path_factory.mktemp("checking") / "shop")
    with Index.build(root, workers=0) as index:
        yield index
