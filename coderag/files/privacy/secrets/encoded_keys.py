"""A private key in PEM that is in base64 once more, as in kubeconfig and in variables of CI, to where it is."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Iterable

from coderag.files.privacy.secrets.private_keys import MAX_KEY_BYTES, base64_runs, key_body

__all__ = ["encoded_key"]

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
QUAD, TRIPLE = 4, 3  # so many letters of base64 are so many bytes
HEAD_LETTERS = 80  # before and behind the anchor; the longest head takes 72
MIN_REST = 60  # bytes behind a key that is over; fewer may be the begin of its next line
# A key of 2048 bits takes 2300 letters. Most are within the first of these, so that a row of heads takes no longer.
SIZES = (2400, MAX_KEY_BYTES * QUAD // TRIPLE)

Span = tuple[int, int]


def encoded_key(data: bytes, anchor: int) -> list[Span]:
    """Return where the body of a key is, of whose head four letters at a position are "PRI", "RIV" or "IVA"."""
    before = data[max(0, anchor - HEAD_LETTERS) : anchor]
    start = anchor - (len(before) - len(before.rstrip(ALPHABET))) // QUAD * QUAD
    inside = (anchor - start) // QUAD * TRIPLE
    if not _has_head(data[start : anchor + HEAD_LETTERS]):
        return []
    for size in SIZES:
        runs = base64_runs(data, start, start + size)
        decoded = _decoded(b"".join(data[first:last] for first, last in runs))
        lines = key_body(decoded, inside)
        if not lines:
            return []
        if lines[-1][1] + MIN_REST < len(decoded):
            break
    first, last = lines[0][0], lines[-1][1]
    return list(_within(runs, first * QUAD // TRIPLE, -(-last * QUAD // TRIPLE)))


def _has_head(letters: bytes) -> bool:
    decoded = _decoded(letters[: len(letters) - len(letters.lstrip(ALPHABET))])
    return b"PRIVATE KEY" in decoded and b"BEGIN" in decoded


def _decoded(letters: bytes) -> bytes:
    """Return what whole groups of four letters before the padding stand for."""
    unpadded = letters.partition(b"=")[0]
    return a2b_base64(unpadded[: len(unpadded) // QUAD * QUAD])


def _within(runs: Iterable[Span], start: int, end: int) -> Iterable[Span]:
    """Yield the pieces of a file from one letter to another, counted in some runs of it."""
    counted = 0
    for first, last in runs:
        begin, stop = max(first, first + start - counted), min(last, first + end - counted)
        if begin < stop:
            yield begin, stop
        counted += last - first
