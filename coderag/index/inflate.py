"""Deflated bytes to what they were, up to a size: a few kilobytes may claim to be gigabytes."""

from __future__ import annotations

import zlib

__all__ = ["GROUP_BYTES", "RECORD_BYTES", "inflate"]

GROUP_BYTES = 64 << 20  # of names or details that are deflated together, at most; some kilobytes are usual
RECORD_BYTES = 256 << 20  # of what a file tells of schemas or of other files


def inflate(data: bytes, most_bytes: int) -> bytes:
    """Return the bytes that were deflated; raises zlib.error for damaged ones, and for more than `most_bytes`."""
    stream = zlib.decompressobj()
    raw = stream.decompress(data, most_bytes)
    if not stream.eof:
        raise zlib.error(f"the data is truncated, or more than {most_bytes:,} bytes")
    return raw
