"""Indexes as somebody else makes them: built on another machine, changed with care, and put into a repository."""

from __future__ import annotations

import hashlib
import hmac
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coderag.index.storage.arrays.arrays import Array, open_arrays, write_arrays
from coderag.index.storage.folder.index_path import IndexPath

__all__ = ["Forged", "index_files", "sealed"]

KEY = bytes(range(32))  # of somebody else
Arrays = dict[str, Array]


def sealed(body: Any, *, key: bytes | None = None, signature: str = "", purpose: str = "manifest") -> bytes:
    """Return a file with its checksum: signed by a key, with a signature that is nobody's, or with none at all."""
    text = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
    if key is not None:
        signature = hmac.digest(key, f"coderag {purpose}\0".encode() + text, "sha256").hex()
    if not signature:
        return b"%08x\n%s\n" % (zlib.crc32(text), text)
    rest = b"%s\n%s\n" % (signature.encode(), text)
    return b"%08x %s" % (zlib.crc32(rest), rest)


def index_files(root: Path, folder: str = ".coderag") -> dict[str, bytes]:
    """Return the files of an index by their paths from its root."""
    return {one.relative_to(root).as_posix(): one.read_bytes() for one in (root / folder).rglob("*") if one.is_file()}


@dataclass
class Forged:
    """The index of a root as its maker changes it before it is handed on."""

    root: Path

    @property
    def manifest(self) -> dict[str, Any]:
        """What its manifest says."""
        raw = (self.root / ".coderag/manifest.json").read_bytes()
        found: dict[str, Any] = json.loads(raw.partition(b"\n")[2])
        return found

    def files(self, change: Callable[[dict[str, Any]], object] = lambda _: None, **seal: Any) -> dict[str, bytes]:
        """Return the files of the index with a manifest that was changed, sealed as `sealed` does it."""
        table = self.manifest
        change(table)
        return index_files(self.root) | {".coderag/manifest.json": sealed(table, **seal)}

    def change_segment(self, change: Callable[[Arrays], object]) -> dict[str, Any]:
        """Change the tables of the first segment; return the manifest with the sums that they have then."""
        table = self.manifest
        entry = table["manifest"]["segments"][0]
        folder = IndexPath(self.root / ".coderag") / "segments" / entry["name"]
        arrays = {name: np.array(array) for name, array in open_arrays(folder / "arrays.bin").items()}
        change(arrays)
        write_arrays(folder / "arrays.bin", arrays)
        for name in entry["sums"]:
            raw = (folder / name).read_bytes(1 << 30)
            entry["sums"][name] = [len(raw), hashlib.sha256(raw).hexdigest()]
        return table
