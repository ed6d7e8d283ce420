"""SQL text to an opened catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coderag.catalog.fold import fold
from coderag.index.catalog.catalog import Catalog, write_catalog
from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import Definition, SchemaFile
from coderag.sql.settings import Settings
from tests.workspace import index_file

__all__ = ["catalog_of", "names_of"]


def catalog_of(
    folder: Path, files: Mapping[str, str], *, definitions: Sequence[Definition] = (), labels: Sequence[str] = ()
) -> Catalog:
    """Return the catalog of SQL files, each of its own database unless their names say otherwise."""
    from msgspec.structs import replace

    read = [
        SchemaFile(path, parse_file(text.encode(), path=path, dialect="postgres"), tuple(labels))
        for path, text in files.items()
    ]
    schema = replace(fold(read, Settings()), definitions=tuple(definitions))
    write_catalog(index_file(folder / "catalog.bin"), schema)
    return Catalog.open(index_file(folder / "catalog.bin"))


def names_of(catalog: Catalog, tables: Sequence[int]) -> list[str]:
    """Return the names of tables by their numbers."""
    return [catalog.names[number] for number in tables]
