"""What databases said when they were asked, kept in an index folder: one file for each database.

databases/SLUG.json    signed (coderag.index.storage.folder.sealed), the snapshot as JSON; replaced by a rename
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from coderag.catalog.introspect.url import slug_of
from coderag.decoding import json_decoder
from coderag.errors import IndexDamagedError, IndexFormatError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import Sealed, read_sealed, write_sealed
from coderag.index.storage.symptoms import writing
from coderag.sql.records import Facts

__all__ = [
    "FOLDER",
    "DatabaseSnapshot",
    "adopt_snapshots",
    "has_foreign_snapshot",
    "has_snapshot",
    "read_snapshots",
    "remove_snapshot",
    "write_snapshot",
]

# History of the format:
# 1  first
# 2  signed
FORMAT = 2
FOLDER = "databases"
PURPOSE = "snapshot"  # of the signature
MOST_BYTES = 256 << 20  # a table with 20 columns takes 5 kB
NAME = re.compile(r"[a-z0-9-]{1,120}\.json")


class DatabaseSnapshot(msgspec.Struct, frozen=True):
    """A database as it was when it was asked."""

    name: str  # its address, without credentials
    taken: str  # ISO 8601, in UTC
    facts: Facts
    inside: tuple[str, ...] | None = None  # paths from the root of a file inside it; None: from before they were kept


class _Stored(msgspec.Struct, frozen=True):
    """What a file holds; the format is looked at before the rest is read."""

    format: int
    snapshot: msgspec.Raw


def write_snapshot(
    folder: IndexPath, name: str, facts: Facts, *, inside: tuple[str, ...] | None = None
) -> DatabaseSnapshot:
    """Store what a database said in an index folder, in place of what it said before.

    `inside` are the paths from the root at which the database is a file inside it. Raises IndexWriteError where there
    is no space or permission.
    """
    snapshot = DatabaseSnapshot(name, datetime.now(UTC).isoformat(timespec="microseconds"), facts, inside)
    with writing(folder):
        (folder / FOLDER).make_folders()
        _write(_path(folder, name), snapshot)
    return snapshot


def read_snapshots(folder: IndexPath) -> list[DatabaseSnapshot]:
    """Return the snapshots of an index folder by name.

    Raises IndexDamagedError, IndexFormatError, and IndexUntrustedError for one that this user did not make.
    """
    paths = [folder / FOLDER / name for name in _names(folder)]
    return sorted(map(_read, paths), key=lambda snapshot: snapshot.name)


def has_snapshot(folder: IndexPath, name: str) -> bool:
    """Tell whether an index folder keeps what a database said, readable or not."""
    return _path(folder, name).exists()


def remove_snapshot(folder: IndexPath, name: str) -> bool:
    """Remove what a database said from an index folder; tell whether there was anything."""
    path = _path(folder, name)
    with writing(folder):
        known = path.exists()
        path.remove()
    return known


def has_foreign_snapshot(folder: IndexPath) -> bool:
    """Tell whether an index folder holds what somebody else says that a database said."""
    for name in _names(folder):
        with suppress(OSError, IndexDamagedError):
            if read_sealed(folder / FOLDER / name, PURPOSE, most_bytes=MOST_BYTES).signer is None:
                return True
    return False


def adopt_snapshots(folder: IndexPath) -> None:
    """Sign the snapshots of an index folder, whoever made them; raises like `read_snapshots`, and IndexWriteError."""
    paths = [folder / FOLDER / name for name in _names(folder)]
    snapshots = [_decoded(path, _sealed(path).body) for path in paths]
    with writing(folder):
        for path, snapshot in zip(paths, snapshots, strict=True):
            _write(path, snapshot)


def _names(folder: IndexPath) -> list[str]:
    return [name for name in (folder / FOLDER).entries() if NAME.fullmatch(name)]


def _path(folder: IndexPath, name: str) -> IndexPath:
    return folder / FOLDER / f"{slug_of(name)}.json"


def _write(path: IndexPath, snapshot: DatabaseSnapshot) -> None:
    body = msgspec.json.encode(_Stored(FORMAT, msgspec.Raw(msgspec.json.encode(snapshot))))
    write_sealed(path, PURPOSE, body)


def _read(path: IndexPath) -> DatabaseSnapshot:
    return _decoded(path, _sealed(path).checked(path))


def _sealed(path: IndexPath) -> Sealed:
    try:
        return read_sealed(path, PURPOSE, most_bytes=MOST_BYTES)
    except OSError as error:
        raise _damaged(path, error.strerror or str(error)) from error
    except IndexDamagedError as error:
        raise _damaged(path, "it does not match its checksum") from error


def _decoded(path: IndexPath, body: bytes) -> DatabaseSnapshot:
    try:
        stored = json_decoder(_Stored).decode(body)
        if stored.format != FORMAT:
            raise IndexFormatError(
                f"{path} has format {stored.format}, this version of coderag reads {FORMAT}; "
                'remove it and run "coderag index" with the address of its database again'
            )
        snapshot = json_decoder(DatabaseSnapshot).decode(stored.snapshot)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise _damaged(path, str(error)) from error
    if path.name != f"{slug_of(snapshot.name)}.json":
        raise _damaged(path, "it is of another database")
    return snapshot


def _damaged(path: IndexPath, why: str) -> IndexDamagedError:
    return IndexDamagedError(
        f'{path} is damaged: {why}; remove it and run "coderag index" with the address of its database again'
    )
