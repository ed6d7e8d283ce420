"""A segment to the blocks of its object, and the directory of these."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import count

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.inflate import inflate
from coderag.index.storage.arrays.packing import Coding, deflated
from coderag.index.storage.columns import Columns
from coderag.record import record
from coderag.stores.packet import decode_packet, squeeze
from coderag.stores.ranged.cells import cells_of, encode_cell
from coderag.stores.ranged.layout import FORM, Directory, digest_of
from coderag.stores.ranged.terms import Entries, encode_terms
from coderag.stores.store import StoredFile, StoredSegment

__all__ = ["Encoded", "decode_paths", "encode_segment", "upper_halves"]

MAX_PATHS_BYTES = 1 << 28
COMMONS = 20_000  # terms at most that are among the common ones: 60 KB
BASE = 2  # the least number of chunks with them is a power of it


@record
class Encoded:
    """A segment as it is stored."""

    directory: Directory
    data: bytes


def encode_segment(segment: StoredSegment) -> Encoded:
    """Return the object and the directory of a segment; equal segments give equal ones."""
    files = sorted(segment.files, key=lambda file: file.number)
    numbers = np.array([file.number for file in files], dtype="<i4")
    columns = [decode_packet(file.packet) for file in files]
    terms = list(encode_terms(segment, _entries(segment, numbers, columns)))
    least = next(least for least in map(BASE.__pow__, count()) if (segment.counts >= least).sum() <= COMMONS)
    common = segment.counts >= least
    cells = cells_of(segment.vectors)
    owners = np.searchsorted(numbers, segment.vector_files)
    blocks = [
        *(squeeze(file.packet) for file in files),
        _encode_paths(files),
        *(block for _, block in terms),
        *(encode_cell(segment.vectors[members], owners[members]) for members in cells.members),
    ]
    languages = sorted({file.language for file in files})
    directory = Directory(
        form=FORM,
        segment=segment.name,
        blocks=len(blocks),
        sizes=deflated(np.array(list(map(len, blocks)), dtype="<u4"), Coding.PLANES),
        digests=b"".join(map(digest_of, blocks)),
        files=numbers.tobytes(),
        chunk_counts=deflated(np.array([len(one.chunk_ids) for one in columns], dtype="<u4"), Coding.PLANES),
        languages=languages,
        file_languages=bytes(languages.index(file.language) for file in files),
        tests=bytes(file.is_test for file in files),
        first_keys=np.array([first for first, _ in terms], dtype="<u8").tobytes(),
        least_common=least,
        commons=int(common.sum()),
        common_keys=deflated(upper_halves(segment.terms[common]), Coding.STEPS),
        common_counts=deflated(segment.counts[common].astype("<u4"), Coding.PLANES),
        dimensions=segment.vectors.shape[1] if cells.members else 0,
        centroids=cells.centroids.tobytes(),
        cell_sizes=np.array(list(map(len, cells.members)), dtype="<u4").tobytes(),
    )
    return Encoded(directory, b"".join(blocks))


def upper_halves(keys: Array) -> Array:
    """Return the upper halves of keys u64[n], u32[n]: of a segment hardly two are the same."""
    found: Array = (keys >> np.uint64(32)).astype("<u4")
    return found


def _entries(segment: StoredSegment, numbers: Array, files: Sequence[Columns]) -> Entries:
    """Return the chunks with each term of a text, and the files with each other term."""
    firsts = np.cumsum([0, *(len(one.chunk_ids) for one in files)]).astype(np.uint32)
    none = np.zeros(0, dtype=np.uint64)
    keys = np.concatenate([none, *(one.vocabulary[one.posting_terms] for one in files)])
    chunk_keys = np.unique(keys)
    others = ~np.isin(segment.keys, chunk_keys)
    places = [one.posting_docs + first for one, first in zip(files, firsts[:-1], strict=True)]
    keys = np.concatenate([keys, segment.keys[others]])
    joined = np.concatenate([none.astype(np.uint32), *places, np.searchsorted(numbers, segment.key_files[others])])
    weights = np.concatenate([segment.weights[:0], *(one.posting_weights for one in files), segment.weights[others]])
    order = np.lexsort((joined, keys))
    return Entries(keys[order], joined[order].astype(np.uint32), weights[order], chunk_keys)


def _encode_paths(files: Sequence[StoredFile]) -> bytes:
    return zlib.compress(b"\0".join(file.path.encode("utf-8", "surrogateescape") for file in files))


def decode_paths(block: bytes, *, count: int) -> list[str]:
    """Return the paths of a segment's files; raises ValueError and zlib.error."""
    paths = inflate(block, MAX_PATHS_BYTES).decode("utf-8", "surrogateescape").split("\0")
    if len(paths) != count:
        raise ValueError("a segment has another number of paths")
    return paths
