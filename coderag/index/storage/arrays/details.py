"""What only a shown chunk needs, as it is stored: a group of chunks deflated together, a line of JSON each."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

import msgspec

from coderag.index.storage.columns import TEXT_LEVEL, Details

__all__ = ["deflate_details"]

JSON = msgspec.json.Encoder()


def deflate_details(details: Sequence[Details]) -> bytes:
    """Return the details of some chunks as they are stored: a line of JSON each, so that one is read alone."""
    return zlib.compress(b"\n".join(map(_json, details)), TEXT_LEVEL)


def _json(details: Details) -> bytes:
    try:
        return JSON.encode(details)
    except UnicodeEncodeError:  # half a pair, as in a string of a notebook
        return json.dumps(details, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
