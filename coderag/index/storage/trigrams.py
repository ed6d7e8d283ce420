"""Which trigrams a block of a file's text has, as a few bytes: what an exact search skips a file by.

A block's signature is a Bloom filter with one hash (Bloom 1970) over its distinct trigrams: three bytes in a row, ASCII
in lower case, so that one signature serves searches of either case. A literal has most of its trigrams in common with
few blocks, so one hash and three bits a trigram are enough: about a twentieth of an index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coderag.index.storage.arrays.arrays import Array

__all__ = ["MAX_LITERAL", "folded", "may_contain", "signature", "signatures"]

TRIGRAM = 3  # bytes
BITS_PER_TRIGRAM = 3  # a trigram that a text lacks passes by a chance of 28 %
HASHES = 1 << 16  # values of a trigram's hash
GOLDEN = np.uint32(0x9E3779B1)  # Knuth's multiplicative hash, The Art of Computer Programming 6.4
HASH_SHIFT = np.uint32(16)
MAX_LITERAL = 64  # bytes of a literal that are looked up: so much of the next block counts as of this one, too
MAX_TRIGRAMS = 32  # of a literal that are looked up
# The only characters beyond ASCII that are equal to an ASCII one when case is ignored (Unicode's CaseFolding.txt).
LONG_S, KELVIN = "\u017f".encode(), "\u212a".encode()


def folded(text: bytes) -> bytes:
    """Return a text as its trigrams are taken: what is equal when case is ignored is the same, where it is ASCII."""
    if not text.isascii():
        text = text.replace(LONG_S, b"s").replace(KELVIN, b"k")
    return text.lower()


def signatures(text: bytes, block_bytes: int) -> list[bytes]:
    """Return the signature of each block of a text."""
    return [signature(text[at : at + block_bytes + MAX_LITERAL]) for at in range(0, len(text), block_bytes)]


def signature(text: bytes) -> bytes:
    """Return the signature of a text, b"" for one that is shorter than a trigram."""
    hashes = _hashes(text)
    if not len(hashes):
        return b""
    present = np.zeros(HASHES, dtype=bool)
    present[hashes] = True
    distinct = np.flatnonzero(present)
    bits = np.zeros(min(-(-len(distinct) * BITS_PER_TRIGRAM // 8) * 8, HASHES), dtype=bool)
    bits[distinct * len(bits) // HASHES] = True
    return np.packbits(bits, bitorder="little").tobytes()


def may_contain(blob: Array, offsets: Array, literals: Sequence[bytes]) -> Array:
    """Return which blocks may hold the beginning of one of some folded literals, bool[blocks].

    The signatures are `blob` u8[bytes], each between two of `offsets`; a block without a signature may hold anything.
    """
    starts = np.asarray(offsets[:-1], dtype=np.int64)
    sizes = np.diff(np.asarray(offsets, dtype=np.int64))
    some = np.flatnonzero(sizes > 0)
    passed = np.zeros(len(some), dtype=bool)
    for literal in literals:
        passed |= _with_trigrams(blob, starts[some], sizes[some] * 8, literal[:MAX_LITERAL])
    mask = np.ones(len(sizes), dtype=bool)
    mask[some[~passed]] = False
    return mask


def _with_trigrams(blob: Array, starts: Array, bits: Array, literal: bytes) -> Array:
    passed = np.ones(len(starts), dtype=bool)
    left = np.arange(len(starts))
    for value in dict.fromkeys(_hashes(literal).tolist()[:MAX_TRIGRAMS]):
        at = value * bits[left] // HASHES
        has = (blob[starts[left] + (at >> 3)] >> (at & 7).astype(np.uint8)) & np.uint8(1) == 1
        passed[left[~has]] = False
        left = left[has]
    return passed


def _hashes(text: bytes) -> Array:
    """Return the hash of each trigram of a text, in order, u32[trigrams]: each below HASHES."""
    one = np.frombuffer(folded(text), dtype=np.uint8).astype(np.uint32)
    if len(one) < TRIGRAM:
        return one[:0]
    hashes: Array = ((one[:-2] << 16 | one[1:-1] << 8 | one[2:]) * GOLDEN) >> HASH_SHIFT
    return hashes
