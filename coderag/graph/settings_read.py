"""Files of settings that a graph depends on: what was read while it was made, and whether that is still so."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import Strings, pack_strings

__all__ = ["RecordedSettings", "settings_known"]

ABSENT, THERE = 0, 1  # instead of the hash of a content
PACKAGE = "__init__.py"  # which is asked for only to know whether it is there
Read = Callable[[str], bytes | None]


class RecordedSettings:
    """What was read, by path."""

    def __init__(self, read: Read, known: Mapping[str, int]) -> None:
        """Take what reads a file below the root, and what is known to be so."""
        self._read = read
        self._known = dict(known)
        self._contents: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, None where there is none, and remember which it was."""
        if self._known.get(path) == ABSENT:
            return None
        if path not in self._contents:
            data = self._contents[path] = self._read(path)
            self._known[path] = _hash(path, data)
        return self._contents[path]

    def arrays(self) -> dict[str, Array]:
        """Return what `settings_known` reads."""
        paths = sorted(self._known)
        blob, offsets = pack_strings(paths)
        hashes = np.array([self._known[path] for path in paths], np.uint64)
        return {"setting_path_blob": blob, "setting_path_offsets": offsets, "setting_hash": hashes}


def settings_known(arrays: Mapping[str, Array], root: Path, read: Read) -> dict[str, int] | None:
    """Return what was recorded in a graph where all of it is still so, else None; raises ValueError for nonsense."""
    if "setting_hash" not in arrays:
        return None
    paths = Strings(arrays["setting_path_blob"], arrays["setting_path_offsets"]).below_root()
    known = dict(zip(paths, arrays["setting_hash"].tolist(), strict=True))
    for path, recorded in known.items():
        if recorded == ABSENT and not os.path.lexists(os.path.join(root, path)):
            continue
        if _hash(path, read(path)) != recorded:
            return None
    return known


def _hash(path: str, data: bytes | None) -> int:
    if data is None:
        return ABSENT
    if path.rpartition("/")[2] == PACKAGE:
        return THERE
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little") | 2  # neither of the two above
