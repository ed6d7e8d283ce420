"""The example application, indexed once, and a client of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from tests.workspace import copy_shop

pytest.importorskip("starlette", reason="the pages need starlette: pip install -e '.[serve]'")

from starlette.testclient import TestClient

from tests.serve.html.desk import OneDesk, application


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = copy_shop(tmp_path_factory.mktemp("pages") / "shop")
    with Index.build(root, workers=0):
        return root


@pytest.fixture(scope="module")
def client(shop: Path) -> Iterator[TestClient]:
    desk = OneDesk(shop)
    with TestClient(application(desk)) as client:
        yield client
    desk.workspace.close()
