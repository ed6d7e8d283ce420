"""The example application, indexed once, and a client of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages need starlette: pip install -e '.[serve]'")

from starlette.testclient import TestClient

from tests.serve.html.desk import OneDesk, application


@pytest.fixture(scope="session")
def shop(indexed_shop: Path) -> Path:
    return indexed_shop


@pytest.fixture(scope="module")
def client(shop: Path) -> Iterator[TestClient]:
    desk = OneDesk(shop)
    with TestClient(application(desk)) as client:
        yield client
    desk.workspace.close()
