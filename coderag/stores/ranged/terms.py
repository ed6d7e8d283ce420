"""Terms with the chunks or files that have them, in blocks, of which a question reads those that hold its terms."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise

import msgspec
import numpy as np

from coderag.decoding import msgpack_decoder
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.packing import Coding, deflated, unpack
from coderag.record import record
from coderag.stores.store import StoredSegment

__all__ = ["Entries", "TermBlock", "decode_terms", "encode_terms"]

# A block ends after so many terms or entries: about 4 KB, most of which a question for one term does not need.
BLOCK_TERMS, BLOCK_ENTRIES = 256, 1024
MAX_ENTRIES = 1 << 27  # of a block: one term in every file of a segment is far less


@record
class TermBlock:
    """Some terms in order of their keys, and the chunks that have each, or of a path's terms and of names the files."""

    keys: Array  # u64[terms]
    counts: Array  # u32[terms]: chunks with each, or of a path's term, files
    ends: Array  # i64[terms + 1]: where the entries of each begin, and the last one's end
    places: Array  # u32[entries]: chunks of the segment, or files by their positions in the directory
    are_chunks: Array  # bool[terms]: which of both
    weights: Array  # u8[entries]

    def place(self, key: int) -> int:
        """Return the position of a term, -1 where it is not here."""
        at = int(np.searchsorted(self.keys, np.uint64(key)))
        return at if at < len(self.keys) and int(self.keys[at]) == key else -1

    def entries(self, place: int) -> tuple[Array, Array]:
        """Return where the term at a position is, u32[n], and its weights, u8[n]."""
        here = slice(int(self.ends[place]), int(self.ends[place + 1]))
        return self.places[here], self.weights[here]


@record
class Entries:
    """Where the terms of a segment are, in order of their keys."""

    keys: Array  # u64[entries]
    places: Array  # u32[entries]
    weights: Array  # u8[entries]
    chunk_keys: Array  # u64[n], ascending: the terms whose places are chunks


def encode_terms(segment: StoredSegment, entries: Entries) -> Iterator[tuple[int, bytes]]:
    """Yield the first key of each block, and the block."""
    ends = np.append(0, np.searchsorted(entries.keys, segment.terms, side="right"))
    are_chunks = np.isin(segment.terms, entries.chunk_keys, assume_unique=True)
    for first, past in pairwise(_cuts(ends)):
        terms, own = slice(first, past), slice(int(ends[first]), int(ends[past]))
        lengths = np.diff(ends[first : past + 1]).astype("<u4")
        block = (
            past - first,
            int(ends[past] - ends[first]),
            deflated(segment.terms[terms].astype("<u8"), Coding.STEPS),
            deflated(segment.counts[terms].astype("<u4"), Coding.PLANES),
            deflated(lengths, Coding.PLANES),
            deflated(entries.places[own].astype("<u4"), Coding.STEPS),
            zlib.compress(entries.weights[own].tobytes()),
            are_chunks[terms].tobytes(),
        )
        yield int(segment.terms[first]), msgspec.msgpack.encode(block)


def _cuts(ends: Array) -> list[int]:
    """Return the terms with which blocks begin, and the end of the last one."""
    cuts = [0]
    for term, end in enumerate(ends[1:].tolist(), start=1):
        if term - cuts[-1] == BLOCK_TERMS or end - ends[cuts[-1]] >= BLOCK_ENTRIES:
            cuts.append(term)
    if cuts[-1] != len(ends) - 1:
        cuts.append(len(ends) - 1)
    return cuts


def decode_terms(block: bytes, *, files: int, chunks: int) -> TermBlock:
    """Return a block; raises ValueError for bytes that do not fit a segment of so many files and chunks."""
    try:
        decoder = msgpack_decoder(tuple[int, int, bytes, bytes, bytes, bytes, bytes, bytes])
        count, entries, keys, counts, lengths, places, weights, are_chunks = decoder.decode(block)
        if not (0 <= count <= BLOCK_TERMS and 0 <= entries <= MAX_ENTRIES):
            raise ValueError("a block of terms is too large")
        found = TermBlock(
            keys=unpack(keys, Coding.STEPS, dtype=np.dtype("<u8"), shape=(count,)),
            counts=unpack(counts, Coding.PLANES, dtype=np.dtype("<u4"), shape=(count,)),
            ends=np.append(
                0, unpack(lengths, Coding.PLANES, dtype=np.dtype("<u4"), shape=(count,)).cumsum(dtype=np.int64)
            ),
            places=unpack(places, Coding.STEPS, dtype=np.dtype("<u4"), shape=(entries,)),
            weights=unpack(weights, Coding.BYTES, dtype=np.dtype(np.uint8), shape=(entries,)),
            are_chunks=np.frombuffer(are_chunks, dtype=bool),
        )
    except (msgspec.DecodeError, zlib.error) as error:
        raise ValueError(str(error)) from error
    if int(found.ends[-1]) != entries or len(found.are_chunks) != count:
        raise ValueError("a block of terms does not fit itself")
    of_chunks = np.repeat(found.are_chunks, np.diff(found.ends))
    if (found.places >= np.where(of_chunks, chunks, files)).any():
        raise ValueError("a block of terms does not fit its segment")
    return found


def _ends(lengths: Array) -> Array:
    """Return where runs of some lengths begin, and the end of the last one: i64[n + 1]."""
    return np.append(0, np.cumsum(lengths, dtype=np.int64))
