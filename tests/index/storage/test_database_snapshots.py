"""What databases said, kept in an index folder."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from coderag.errors import IndexDamagedError, IndexFormatError, IndexWriteError
from coderag.index.storage.database_snapshots import read_snapshots, remove_snapshot, write_snapshot
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import write_sealed
from coderag.sql.records import Column, CreateTable, Facts, Name, Origin, Source, Table, Unparsed
from tests.workspace import index_file

ORDERS = Table(
    name=Name("orders", "public"), columns=(Column("id", "integer"),), origins=(Origin.LIVE,), sources=(Source(),)
)
FACTS = Facts(
    dialect="postgres",
    database="shop",
    unparsed=(Unparsed(0, "TABLE public.secret", "no right", table=True),),
    operations=(CreateTable(ORDERS),),
)
NAME = "postgresql://host:5432/shop"


def only_file(folder: Path) -> Path:
    """Return the one file that there is."""
    (path,) = folder.rglob("*.*")
    return path


def test_a_snapshot_comes_back_as_it_was(tmp_path: Path) -> None:
    written = write_snapshot(IndexPath(tmp_path), NAME, FACTS)
    assert read_snapshots(IndexPath(tmp_path)) == [written]
    assert (written.name, written.facts) == (NAME, FACTS)
    assert datetime.now(UTC) - datetime.fromisoformat(written.taken) < timedelta(minutes=1)
    assert only_file(tmp_path).name.startswith("postgresql-host-5432-shop-")


def test_a_newer_one_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    write_snapshot(IndexPath(tmp_path), NAME, FACTS)
    write_snapshot(IndexPath(tmp_path), NAME, Facts(database="shop"))
    write_snapshot(IndexPath(tmp_path), "duckdb:////srv/a.duckdb", FACTS)
    assert [(snapshot.name, len(snapshot.facts.operations)) for snapshot in read_snapshots(IndexPath(tmp_path))] == [
        ("duckdb:////srv/a.duckdb", 1),
        (NAME, 0),
    ]


def test_one_can_be_removed(tmp_path: Path) -> None:
    write_snapshot(IndexPath(tmp_path), NAME, FACTS)
    assert remove_snapshot(IndexPath(tmp_path), NAME)
    assert not remove_snapshot(IndexPath(tmp_path), NAME)
    assert read_snapshots(IndexPath(tmp_path)) == []


def test_no_snapshots_are_none(tmp_path: Path) -> None:
    assert read_snapshots(IndexPath(tmp_path)) == []
    assert read_snapshots(IndexPath(tmp_path / "nowhere")) == []
    assert not remove_snapshot(IndexPath(tmp_path / "nowhere"), NAME)


@pytest.mark.parametrize("cut", [0, 1, 8, 9, 20, -1, -2])
def test_damage_is_noticed(tmp_path: Path, cut: int) -> None:
    write_snapshot(IndexPath(tmp_path), NAME, FACTS)
    path = only_file(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:cut])
    with pytest.raises(IndexDamagedError, match=r"is damaged: .*remove it and run .coderag index. with the address"):
        read_snapshots(IndexPath(tmp_path))
    path.write_bytes(data.replace(b"orders", b"orderz"))
    with pytest.raises(IndexDamagedError):
        read_snapshots(IndexPath(tmp_path))


def test_another_format_is_said(tmp_path: Path) -> None:
    write_snapshot(IndexPath(tmp_path), NAME, FACTS)
    body = b'{"format":99,"snapshot":{"written":"otherwise"}}'
    write_sealed(index_file(only_file(tmp_path)), "snapshot", body)
    with pytest.raises(IndexFormatError, match="has format 99, this version of coderag reads 2"):
        read_snapshots(IndexPath(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(IndexWriteError, match="cannot be written"):
        write_snapshot(IndexPath(tmp_path), NAME, FACTS)


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "databases").touch()
    with pytest.raises(IndexWriteError, match="cannot be written"):
        write_snapshot(IndexPath(tmp_path), NAME, FACTS)
