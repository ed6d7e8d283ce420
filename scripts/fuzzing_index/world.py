"""A small repository with an index, a cache and a key of its own, that is put back after each input."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import coderag.index.build.build as building
import coderag.index.build.sharing as sharing
from coderag import Index
from coderag.index.storage.database_snapshots import write_snapshot
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import INDEX_FOLDER
from coderag.sql.records import AddQuery, Column, CreateTable, ExampleQuery, Facts, Name, Table

__all__ = ["World", "own_environment"]

SHOP = Path(__file__).resolve().parents[2] / "fixtures/shop"
FILES = (
    *("schema/schema.sql", "schema/migrations/0002_coupons.sql", "schema/queries/money.sql", "shop/db/orders.py"),
    *("shop/money.py", "shop/payments/retry.py", "shop/routes/checkout.py", "shop/db/models.py", "web/src/cart.ts"),
    *(
        "worker/poller.go",
        "docs/payments.md",
        "examples/revenue.ipynb",
        "tests/test_orders.py",
        "vendor/fetch-retry.js",
    ),
)
MORE: Mapping[str, str] = {
    "coderag.toml": (
        '[schema]\ndialect = "postgres"\n\n[[schema.files]]\npath = "schema/queries/"\nenvironment = "test"\n\n'
        '[[access]]\npaths = ["vendor/", "docs/*.md"]\ngroups = ["ops"]\n\n'
        '[[access]]\ndatabases = ["ledger"]\ngroups = ["hr"]\n'
    ),
    "glossary.yml": "- term: margin\n  definition: What is left of the total of orders.\n  synonyms: [gain]\n",
    "broken.py": "def half(:\n    return (\n",
    "settings.py": 'TOKEN = "ghp_0123456789abcdefABCDEF0123456789abcd"\n\n\ndef token():\n    return TOKEN\n',
}
SECOND = {"late/more.py": "def later(order):\n    return order.total\n", "late/gone.py": "def gone():\n    return 1\n"}
OLD = 1_700_000_000  # seconds: files that were written long before they were listed
DATABASE = "postgresql://localhost/ledger"


@dataclass(frozen=True, slots=True)
class World:
    """The folders of one, below a folder of its own."""

    folder: Path

    @property
    def root(self) -> Path:
        """The repository."""
        return self.folder / "root"

    @property
    def index(self) -> Path:
        """Its index."""
        return self.root / INDEX_FOLDER

    @property
    def clone(self) -> Path:
        """The same repository once more, without an index."""
        return self.folder / "clone"

    @property
    def outside(self) -> Path:
        """What nobody may read; a link in the repository leads here."""
        return self.folder / "outside"

    @property
    def nowhere(self) -> Path:
        """An empty folder to work in, where nothing may be read or written."""
        return self.folder / "nowhere"

    @property
    def cached(self) -> list[Path]:
        """The entries of the cache of segments."""
        return list((self.folder / "cache/coderag/segments").iterdir())

    @classmethod
    def make(cls, folder: Path) -> World:
        """Write a repository and index it: several segments, a dead file, a catalog, a database, a graph, access rules.

        The environment must be `own_environment` of the same folder.
        """
        world = cls(folder)
        for one in (world.outside, world.nowhere, folder / "home"):
            one.mkdir(parents=True)
        (world.outside / "secret.txt").write_text("nobody reads this\n", encoding="utf-8")
        _write(world.outside / "deep/secret.py", "def secret():\n    return 1\n")
        for path in FILES:
            _write(world.root / path, (SHOP / path).read_text(encoding="utf-8"))
        for path, text in MORE.items():
            _write(world.root / path, text)
        (world.root / "out").symlink_to("../outside")
        shutil.copytree(world.root, world.clone, symlinks=True)
        index = Index.build(world.root, workers=0)
        _write_second(world)
        index.update(workers=0)
        (world.root / "late/gone.py").unlink()
        write_snapshot(IndexPath(world.root, (INDEX_FOLDER,)), DATABASE, _ledger())
        os.utime(world.root / "late", (OLD, OLD))
        Index.ensure(world.root, workers=0).close()
        for name in ("root/.coderag", "cache"):
            shutil.copytree(folder / name, folder / "saved" / name)
        return world

    def restore(self, *, changed: bool = False) -> None:
        """Put the index and the cache back; with `changed`, a file of the repository is not as it was indexed."""
        for name in ("root/.coderag", "cache"):
            with suppress(FileNotFoundError):
                shutil.rmtree(self.folder / name)
            shutil.copytree(self.folder / "saved" / name, self.folder / name)
        for folder in (*self.root.glob(".coderag-*"), *self.clone.glob(".coderag*")):
            shutil.rmtree(folder)
        time = OLD + 60 if changed else OLD
        os.utime(self.root / "shop/money.py", (time, time))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (OLD, OLD))


def _write_second(world: World) -> None:
    for path, text in SECOND.items():
        _write(world.root / path, text)


def _ledger() -> Facts:
    """Return what a database said."""
    columns = (Column("id", "int"), Column("amount", "numeric", comment="in cents"))
    table = Table(Name("entries", "public"), columns=columns, primary_key=("id",), comment="the ledger")
    query = ExampleQuery("SELECT sum(amount) FROM entries", question="How much is in the ledger?")
    return Facts(dialect="postgres", database="ledger", operations=(CreateTable(table), AddQuery(query)))


@contextmanager
def own_environment(folder: Path) -> Iterator[None]:
    """Give this process a home, a cache and a key of its own, and let small repositories share segments, too."""
    own = {
        "HOME": str(folder / "home"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "home"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "CODERAG_INDEX_KEY": "",
    }
    before = {name: os.environ.get(name) for name in own}
    limits = building.SHARED_FILES, sharing.WORTH_CHUNKS
    os.environ.update(own)
    building.SHARED_FILES = sharing.WORTH_CHUNKS = 1
    try:
        yield
    finally:
        building.SHARED_FILES, sharing.WORTH_CHUNKS = limits
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
