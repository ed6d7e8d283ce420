"""A real database for stores, and a repository of which some files are for some groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from coderag import Index
from tests.catalog.introspect.servers import Postgres, run_postgres
from tests.workspace import copy_indexed, copy_shop, write

RULES = """
[[access]]
paths = ["vault/**"]
groups = ["hr"]

[[access]]
paths = ["vault/board/**"]
groups = ["board"]
"""
SALARIES = """
def salary_of(person):
    \"\"\"Return the monthly salary of a person.\"\"\"
    return zyxpay(person)
"""
BONUS = """
def bonus_of(person):
    \"\"\"Return the yearly bonus, paid with the salary.\"\"\"
    return zyxbonus(person)
"""
FILES = {"coderag.toml": RULES, "vault/salaries.py": SALARIES, "vault/board/bonus.py": BONUS}
DATABASES = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server of the tests' own."""
    with run_postgres() as running:
        yield running


@pytest.fixture
def database(server: Postgres) -> str:
    """The address of an empty database."""
    return server.database(f"store_{next(DATABASES)}")


@pytest.fixture
def address(database: str) -> str:
    """The address of an empty store."""
    return database


@pytest.fixture
def root(unchanged_root: Path, tmp_path: Path) -> Path:
    """The shop, some files of which are for some groups, indexed in two segments, with a file that changed since."""
    return copy_indexed(unchanged_root, tmp_path / "shop")


@pytest.fixture(scope="session")
def unchanged_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for tests that only read it: it takes longer to make than most of them do."""
    return indexed_shop(tmp_path_factory.mktemp("unchanged"))


def indexed_shop(folder: Path) -> Path:
    """Return the root of a shop in a folder, indexed in two segments."""
    root = copy_shop(folder / "shop")
    write(root, FILES)
    index = Index.build(root, cache=False, workers=0)
    write(root, {"payments/late.py": 'def remind_late_payers():\n    """Send a reminder for late payments."""\n'})
    write(root, {"vault/salaries.py": SALARIES + "\n\ndef salary_sum():\n    return 0\n"})
    index.update(workers=0)
    index.close()
    return root
