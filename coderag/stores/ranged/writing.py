"""A segment to the blocks of its object, and the directory of these."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from coderag.index.storage.arrays.inflate import inflate
from coderag.record import record
from coderag.stores.ranged.cells import cells_of, encode_cell
from coderag.stores.ranged.layout import FORM, Directory, digest_of
from coderag.stores.ranged.terms import encode_terms
from coderag.stores.store import StoredFile, StoredSegment

__all__ = ["Encoded", "decode_paths", "encode_segment"]

MAX_PATHS_BYTES = 1 << 28


@record
class Encoded:
    """A segment as it is stored."""

    directory: Directory
    data: bytes


def encode_segment(segment: StoredSegment) -> Encoded:
    """Return the object and the directory of a segment; equal segments give equal ones."""
    files = sorted(segment.files, key=lambda file: file.number)
    numbers = np.array([file.number for file in files], dtype="<i4")
    terms = list(encode_terms(segment, np.searchsorted(numbers, segment.key_files)))
    cells = cells_of(segment.vectors)
    owners = np.searchsorted(numbers, segment.vector_files)
    blocks = [
        *(file.packet for file in files),
        _encode_paths(files),
        *(block for _, block in terms),
        *(encode_cell(segment.vectors[members], owners[members]) for members in cells.members),
    ]
    languages = sorted({file.language for file in files})
    directory = Directory(
        form=FORM,
        segment=segment.name,
        sizes=np.array(list(map(len, blocks)), dtype="<u4").tobytes(),
        digests=b"".join(map(digest_of, blocks)),
        files=numbers.tobytes(),
        languages=languages,
        file_languages=bytes(languages.index(file.language) for file in files),
        tests=bytes(file.is_test for file in files),
        first_keys=np.array([first for first, _ in terms], dtype="<u8").tobytes(),
        dimensions=segment.vectors.shape[1] if cells.members else 0,
        centroids=cells.centroids.tobytes(),
        cell_sizes=np.array(list(map(len, cells.members)), dtype="<u4").tobytes(),
    )
    return Encoded(directory, b"".join(blocks))


def _encode_paths(files: Sequence[StoredFile]) -> bytes:
    return zlib.compress(b"\0".join(file.path.encode("utf-8", "surrogateescape") for file in files))


def decode_paths(block: bytes, *, count: int) -> list[str]:
    """Return the paths of a segment's files; raises ValueError and zlib.error."""
    paths = inflate(block, MAX_PATHS_BYTES).decode("utf-8", "surrogateescape").split("\0")
    if len(paths) != count:
        raise ValueError("a segment has another number of paths")
    return paths
