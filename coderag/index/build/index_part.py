"""A folder to the part of an index that it holds, which `coderag index --part` made: whose it is, and of what.

A whole index is a part, too: the only one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from coderag.errors import IndexMissingError, IndexPartError, IndexUntrustedError
from coderag.index.storage.checksums import check_segment
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import Sealed
from coderag.index.storage.folder.signing import Signer
from coderag.index.storage.manifest import (
    SEGMENTS,
    Manifest,
    as_foreign,
    decode_manifest,
    read_sealed_manifest,
)
from coderag.index.storage.readable import check_readable
from coderag.index.storage.segment import Segment
from coderag.record import record

__all__ = ["IndexPart", "missing_portions", "open_parts"]

ONLY = "1/1"


@record
class IndexPart:
    """An index of a portion of a root's files."""

    folder: IndexPath
    manifest: Manifest


def open_parts(folders: Iterable[str | os.PathLike[str]], *, trusted: bool = False) -> list[IndexPart]:
    """Open the parts of an index.

    `trusted`: whoever made them is believed, after all of them was read once. Raises IndexMissingError,
    IndexFormatError, IndexDamagedError, IndexUntrustedError for a part that neither this user nor somebody with the
    shared key made, and IndexPartError for one that is there twice, or is of another division than the others.
    """
    parts = [_open_part(IndexPath(Path(folder).absolute()), trusted=trusted) for folder in folders]
    seen: dict[str, IndexPart] = {}
    for part in parts:
        portion = part.manifest.portion or ONLY
        if portion in seen:
            raise IndexPartError(f"{seen[portion].folder} and {part.folder} both hold part {portion}")
        seen[portion] = part
    if len({portion.partition("/")[2] for portion in seen}) > 1:
        raise IndexPartError(f"these are parts of different divisions: {', '.join(sorted(seen))}")
    return parts


def _open_part(folder: IndexPath, *, trusted: bool) -> IndexPart:
    check_entries(folder)
    sealed = _sealed(folder)
    if sealed.signer is None and not trusted:
        raise IndexUntrustedError(
            f"nobody known here signed the part at {folder}: set CODERAG_INDEX_KEY to the same key here and where it "
            'is made, or say "--trust" if you know who made it'
        )
    manifest = decode_manifest(folder, sealed.body)
    if sealed.signer is not Signer.USER:
        manifest = as_foreign(manifest)
    if sealed.signer is None:
        for entry in manifest.segments:
            check_segment(folder / SEGMENTS / entry.name, entry)
            check_readable(Segment.of(folder, entry, vectors=manifest.vectors))
    return IndexPart(folder, manifest)


def missing_portions(parts: Iterable[IndexPart]) -> tuple[str, ...]:
    """Return the portions that parts lack of a whole, such as "3/4"."""
    there = {part.manifest.portion or ONLY for part in parts}
    counts = {int(portion.partition("/")[2]) for portion in there}
    return tuple(name for of in counts for number in range(1, of + 1) if (name := f"{number}/{of}") not in there)


def _sealed(folder: IndexPath) -> Sealed:
    try:
        return read_sealed_manifest(folder)
    except IndexMissingError as error:
        raise IndexMissingError(f'there is no part at {folder}; "coderag index --part" makes parts') from error
