"""One server of each kind for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.catalog.introspect.servers import MariaDb, Postgres, run_mariadb, run_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with run_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDb]:
    with run_mariadb() as server:
        yield server
