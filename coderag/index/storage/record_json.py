"""Records to JSON and back: names of files, and what is called after them, need not be UTF-8, which JSON is."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from coderag.decoding import converted

__all__ = ["decode_record", "encode_record"]

# Surrogates stand for bytes that are no UTF-8. Where there are any, they are stored as characters of the last plane
# that means nothing, and a space in front says so.
ESCAPED = b" "
SURROGATES = range(0xD800, 0xE000)
PLANE = 0x100000
ESCAPE = {one: one + PLANE for one in SURROGATES} | {one + PLANE: 0xFFFD for one in SURROGATES}
UNESCAPE = {one + PLANE: one for one in SURROGATES}
ENCODER = msgspec.json.Encoder()

T = TypeVar("T")


def encode_record(record: object) -> bytes:
    """Return a record as JSON."""
    try:
        return ENCODER.encode(record)
    except UnicodeEncodeError:
        return ESCAPED + ENCODER.encode(_translated(msgspec.to_builtins(record), ESCAPE))


def decode_record(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Return what `encode_record` gave; raises MsgspecError for anything else."""
    if not data.startswith(ESCAPED):
        return decoder.decode(data)
    return converted(_translated(msgspec.json.decode(data), UNESCAPE), decoder.type)


def _translated(value: Any, table: dict[int, int]) -> Any:
    """Return a value of JSON with each of its texts translated."""
    if isinstance(value, str):
        return value.translate(table)
    if isinstance(value, dict):
        return {_translated(key, table): _translated(inside, table) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [_translated(inside, table) for inside in value]
    return value
