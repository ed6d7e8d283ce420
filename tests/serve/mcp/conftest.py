"""A repository that is indexed, for tests that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from tests.workspace import copy_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an indexed copy of the example application."""
    root = copy_shop(tmp_path_factory.mktemp("served") / "shop")
    Index.build(root, workers=0).close()
    return root
