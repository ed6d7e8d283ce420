"""Decoders of typed records, made by one thread at a time.

msgspec notes how a class is decoded on the class itself, and does so before it has looked at all of its fields. A
thread that decodes the class meanwhile reads what is not there yet, and the process ends with a segmentation fault. So
nothing else in the package makes a decoder or converts to a class.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

__all__ = ["converted", "json_decoder", "msgpack_decoder"]

T = TypeVar("T")

_making = threading.RLock()
_json: dict[Any, msgspec.json.Decoder[Any]] = {}
_msgpack: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return the decoder of JSON to a type; any number of threads may use it at once."""
    with _making:
        if kind not in _json:
            _json[kind] = msgspec.json.Decoder(kind)
        return _json[kind]


def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    """Return the decoder of MessagePack to a type; any number of threads may use it at once."""
    with _making:
        if kind not in _msgpack:
            _msgpack[kind] = msgspec.msgpack.Decoder(kind)
        return _msgpack[kind]


def converted(value: Any, kind: type[T], *, strict: bool = True) -> T:
    """Return built-in objects as a type; raises msgspec.ValidationError for those that do not fit.

    Not strict, text is read as the number or boolean that is wanted: {"k": "5"} for a record with `k: int`.
    """
    msgpack_decoder(kind)
    return msgspec.convert(value, kind, strict=strict)
