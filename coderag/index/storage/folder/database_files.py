"""Databases that are files, to their paths in a root, also after the root was moved or renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from coderag.index.storage.database_snapshots import DatabaseSnapshot

__all__ = ["paths_inside", "places_of_database"]

SCHEMES = ("sqlite:", "duckdb:")


def paths_inside(root: Path, file: Path | None) -> tuple[str, ...]:
    """Return the paths from a root at which a file lies inside it: as it is written, and without links."""
    if file is None:
        return ()
    spellings = (Path(os.path.normpath(file.absolute())), Path(os.path.realpath(file)))
    return tuple(dict.fromkeys(path.relative_to(root).as_posix() for path in spellings if path.is_relative_to(root)))


def places_of_database(snapshot: DatabaseSnapshot, root: str) -> Iterator[str]:
    """Yield the paths from a root, which may lead out of it, of the file that a database is; none for a server.

    A snapshot is called by the place where its file was when it was asked, and the root may have moved since. So it
    keeps the path from the root; of one that was written without, any end of its address may be that path.
    """
    if not snapshot.name.startswith(SCHEMES):
        return
    address = snapshot.name.partition("://")[2].removeprefix("/")
    if not address.startswith("/"):
        yield address
        return
    for path in dict.fromkeys((os.path.normpath(address), os.path.realpath(address))):
        yield os.path.relpath(path, root).replace(os.sep, "/")
    if snapshot.inside is not None:
        yield from snapshot.inside
    elif not Path(address).is_relative_to(root):
        parts = PurePosixPath(address).parts[1:]
        yield from ("/".join(parts[start:]) for start in range(len(parts)))
