"""What databases said when they were asked, kept in an index folder: one file for each database.

databases/SLUG.json    a checksum on the first line, then the snapshot as JSON; replaced by a rename
"""

from __future__ import annotations

import os
import zlib
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from coderag.errors import IndexDamagedError, IndexFormatError
from coderag.index.manifest import writing
from coderag.sql.live.url import slug_of
from coderag.sql.model import Facts

__all__ = ["Snapshot", "has_snapshot", "read_snapshots", "remove_snapshot", "write_snapshot"]

# History of the format:
# 1  first
FORMAT = 1
FOLDER = "databases"


class Snapshot(msgspec.Struct, frozen=True):
    """A database as it was when it was asked."""

    name: str  # its address, without credentials
    taken: str  # ISO 8601, in UTC
    facts: Facts


class _Stored(msgspec.Struct, frozen=True):
    """What a file holds; the format is looked at before the rest is read."""

    format: int
    snapshot: msgspec.Raw


def write_snapshot(folder: Path, name: str, facts: Facts) -> Snapshot:
    """Store what a database said in an index folder, in place of what it said before.

    Raises IndexWriteError where there is no space or permission.
    """
    snapshot = Snapshot(name, datetime.now(UTC).isoformat(timespec="microseconds"), facts)
    body = msgspec.json.encode(_Stored(FORMAT, msgspec.Raw(msgspec.json.encode(snapshot))))
    path = _path(folder, name)
    temporary = path.with_suffix(".tmp")
    with writing(folder):
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(b"%08x\n%s\n" % (zlib.crc32(body), body))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    return snapshot


def read_snapshots(folder: Path) -> list[Snapshot]:
    """Return the snapshots of an index folder by name.

    Raises IndexDamagedError and IndexFormatError.
    """
    paths = sorted((folder / FOLDER).glob("*.json"))
    return sorted(map(_read, paths), key=lambda snapshot: snapshot.name)


def has_snapshot(folder: Path, name: str) -> bool:
    """Tell whether an index folder keeps what a database said, readable or not."""
    return _path(folder, name).exists()


def remove_snapshot(folder: Path, name: str) -> bool:
    """Remove what a database said from an index folder; tell whether there was anything."""
    path = _path(folder, name)
    with writing(folder):
        known = path.exists()
        path.unlink(missing_ok=True)
    return known


def _path(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{slug_of(name)}.json"


def _read(path: Path) -> Snapshot:
    try:
        checksum, _, body = path.read_bytes().partition(b"\n")
        if int(checksum, 16) != zlib.crc32(body.rstrip(b"\n")):
            raise ValueError("the checksum does not match")
        stored = msgspec.json.decode(body, type=_Stored)
        if stored.format != FORMAT:
            raise IndexFormatError(
                f"{path} has format {stored.format}, this version of coderag reads {FORMAT}; "
                'remove it and run "coderag index" with the address of its database again'
            )
        return msgspec.json.decode(stored.snapshot, type=Snapshot)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise IndexDamagedError(
            f'{path} is damaged: {error}; remove it and run "coderag index" with the address of its database again'
        ) from error
