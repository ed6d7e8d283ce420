"""The facts of a file, as stored: deflated JSON, or nothing at all."""

from __future__ import annotations

import zlib

from coderag.decoding import json_decoder
from coderag.index.storage.arrays.inflate import RECORD_BYTES, inflate
from coderag.index.storage.record_json import decode_record, encode_record
from coderag.sql.records import Facts

__all__ = ["deflate_facts", "inflate_facts"]

_DECODER = json_decoder(Facts)


def deflate_facts(facts: Facts) -> bytes:
    """Return facts as bytes; b"" for those that tell nothing."""
    content = (facts.operations, facts.unparsed, facts.series, facts.database, facts.unread)
    if not any((*content, facts.entities, facts.shared, facts.settings)):
        return b""
    return zlib.compress(encode_record(facts), 1)


def inflate_facts(data: bytes) -> Facts:
    """Return what `deflate_facts` gave; raises ValueError or zlib.error when it is damaged."""
    try:
        return decode_record(inflate(data, RECORD_BYTES), _DECODER) if data else Facts()
    except RecursionError as error:
        raise ValueError("facts have no end") from error
