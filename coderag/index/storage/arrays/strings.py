"""Many short strings as one blob of UTF-8 and their offsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from coderag.index.storage.arrays.arrays import Array

__all__ = ["Strings", "last_bytes", "pack_strings"]


def pack_strings(strings: Sequence[str]) -> tuple[Array, Array]:
    """Return (blob u8[bytes], offsets u32[n + 1]); lone surrogates, as in names of invalid bytes, survive."""
    encoded = [string.encode("utf-8", "surrogateescape") for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.uint32)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.uint32, count=len(encoded)), out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


SUSPICIOUS = (b"\0", b"../", b"/..")  # in paths


class Strings:
    """A read-only sequence of strings over a blob and its offsets."""

    __slots__ = ("_blob", "_offsets")

    def __init__(self, blob: Array, offsets: Array) -> None:
        self._blob = blob
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: int) -> str:
        blob = self._blob[self._offsets[index] : self._offsets[index + 1]]
        return bytes(blob).decode("utf-8", "surrogateescape")

    def all(self) -> list[str]:
        """Return every string, faster than one by one; raises ValueError where they overlap."""
        self._check_order()
        blob, offsets = bytes(self._blob), self._offsets.tolist()
        return [blob[a:b].decode("utf-8", "surrogateescape") for a, b in pairwise(offsets)]

    def below_root(self) -> list[str]:
        """Return every string as the path of a file below a root; raises ValueError for one that leads elsewhere."""
        found, blob = self.all(), bytes(self._blob)
        begins = self._offsets[:-1]
        absolute = (self._blob[begins[begins < len(blob)]] == ord("/")).any()
        # Few paths have any of these, so all at once are looked through before each.
        if absolute or any(sign in blob for sign in SUSPICIOUS):
            for path in found:
                if path.startswith("/") or "\0" in path or ".." in path.split("/"):
                    raise ValueError(f"the path {path!r} leads out of the root")
        return found

    def some(self, indices: Sequence[int] | Array) -> list[str]:
        """Return the strings at some positions, faster than one by one."""
        blob, places = self._blob.data, np.asarray(indices, dtype=np.int64)
        begins, ends = self._offsets[places].tolist(), self._offsets[places + 1].tolist()
        if sum(ends) - sum(begins) > len(blob):  # some are asked for twice, or they overlap
            self._check_order()
        return [str(blob[a:b], "utf-8", "surrogateescape") for a, b in zip(begins, ends, strict=True)]

    def _check_order(self) -> None:
        if (self._offsets[1:] < self._offsets[:-1]).any():  # else a few bytes could become terabytes
            raise ValueError("offsets of strings are not in order")


def last_bytes(text: str, size: int) -> str:
    """Return the last `size` bytes of a text in UTF-8."""
    if text.isascii():
        return text[len(text) - size :]
    return text.encode("utf-8", "surrogateescape")[-size:].decode("utf-8", "surrogateescape") if size else ""
