"""The example application with a history of two commits, and a second root beside it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from coderag import Index
from tests.workspace import copy_shop, write

PARCELS = {
    "schema.sql": "CREATE TABLE parcels (\n  id INTEGER PRIMARY KEY,\n  weight INTEGER,\n  note TEXT\n);\n",
    "models.py": (
        "from sqlalchemy import Column, Integer\n"
        "from sqlalchemy.orm import declarative_base\n\n"
        "Base = declarative_base()\n\n\n"
        "class Parcel(Base):\n"
        '    __tablename__ = "parcels"\n\n'
        "    id = Column(Integer, primary_key=True)\n"
        "    weight = Column(Integer)\n"
    ),
    "old.py": (
        "def weigh(parcel):\n"
        '    """Deprecated: use weigh_all."""\n'
        "    return parcel.weight\n\n\n"
        "def weigh_all(parcels):\n"
        '    """Return the weights of parcels."""\n'
        "    return [weigh(parcel) for parcel in parcels]\n"
    ),
}


@pytest.fixture(scope="package")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two indexed roots that tests only read."""
    shop = copy_shop(tmp_path_factory.mktemp("sql") / "shop")
    _git(shop, "init", "--quiet")
    money = shop / "shop/money.py"
    whole = money.read_text()
    money.write_text(whole.replace("self.cents", "self.pennies"))
    _commit(shop, "Add the shop")
    money.write_text(whole)
    _commit(shop, "Count money in cents")
    parcels = write(tmp_path_factory.mktemp("sql") / "parcels", PARCELS)
    for root in (shop, parcels):
        Index.build(root, workers=0, cache=False).close()
    return shop, parcels


@pytest.fixture(scope="package")
def index(roots: tuple[Path, Path]) -> Index:
    """Both roots as one index."""
    return Index.open(*roots)


def _commit(root: Path, subject: str) -> None:
    _git(root, "add", "--all")
    _git(root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message", subject)


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
