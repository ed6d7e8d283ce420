"""The facts of a file, as stored: deflated JSON, or nothing at all."""

from __future__ import annotations

import zlib

import msgspec

from coderag.index.storage.arrays.inflate import RECORD_BYTES, inflate
from coderag.sql.records import Facts

__all__ = ["deflate_facts", "inflate_facts"]

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Facts)


def deflate_facts(facts: Facts) -> bytes:
    """Return facts as bytes; b"" for those that tell nothing."""
    told = (facts.operations, facts.unparsed, facts.series, facts.database, facts.unread)
    if not any((*told, facts.entities, facts.shared, facts.settings)):
        return b""
    return zlib.compress(_ENCODER.encode(facts), 1)


def inflate_facts(data: bytes) -> Facts:
    """Return what `deflate_facts` gave; raises ValueError or zlib.error when it is damaged."""
    try:
        return _DECODER.decode(inflate(data, RECORD_BYTES)) if data else Facts()
    except RecursionError as error:
        raise ValueError("facts have no end") from error
