"""DuckDB files, through its own package."""

from __future__ import annotations

from contextlib import nullcontext

from coderag.catalog.introspect.drivers.connection import Link, load_driver, said
from coderag.catalog.introspect.url import DatabaseUrl
from coderag.errors import DatabaseError
from coderag.extras import Extra

__all__ = ["open_duckdb"]

# A view of the file must not reach for other files or the network, nor fetch extensions.
SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
}


def open_duckdb(url: DatabaseUrl, *, timeout: float) -> Link:  # noqa: ARG001 - opening a file does not wait
    """Return a connection to a file, opened for reading, which nobody can write to meanwhile."""
    if url.path is None or not url.path.is_file():
        raise DatabaseError(f"{url.name} cannot be opened: there is no such file")
    duckdb = load_driver("duckdb", extra=Extra.DUCKDB, title="DuckDB")
    try:
        connection = duckdb.connect(str(url.path), read_only=True, config=SETTINGS)
    except duckdb.Error as error:
        raise DatabaseError(f"{url.name} cannot be opened: {said(error, url)}") from None
    return Link(
        dialect="duckdb",
        cursor=lambda: nullcontext(connection),  # what its cursors do is not stopped with it
        close=connection.close,
        errors=(duckdb.Error,),
        parameter="${}",
        array=list,
        stop=connection.interrupt,
        alive=lambda: True,
    )
