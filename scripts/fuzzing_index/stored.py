"""The files of an index, taken apart, and put together again under sums and signatures that are right."""

from __future__ import annotations

import hashlib
import json
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import write_sealed
from coderag.index.storage.folder.signing import Signer
from coderag.index.storage.manifest import MANIFEST, SEGMENTS
from coderag.index.storage.segment import ARRAYS, TEXT
from scripts.fuzzing_index.array_file import ArrayFile
from scripts.fuzzing_index.json_edits import encode

__all__ = ["StoredIndex", "seal", "sealed_body", "sum_of_file", "text_sum"]


@dataclass(slots=True)
class StoredIndex:
    """An index that is being tampered with: what is changed is written by `write`."""

    folder: Path
    manifest: Any  # the body of its file as a tree of JSON
    names: dict[str, str]  # of the listing, the catalog and the graph, before anything was changed
    segments: tuple[str, ...]
    _open: dict[Path, ArrayFile] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> StoredIndex:
        """Return a sound index."""
        manifest = json.loads(sealed_body(folder / MANIFEST))
        told = manifest["manifest"]
        names = {kind: told[kind] for kind in ("listing", "catalog", "graph")}
        return cls(folder, manifest, names, tuple(entry["name"] for entry in told["segments"]))

    def file(self, kind: str) -> ArrayFile:
        """Return the listing, the catalog or the graph."""
        return self._arrays(self.folder / self.names[kind])

    def segment(self, number: int, name: str = ARRAYS) -> ArrayFile:
        """Return a file of arrays of a segment, by its position."""
        return self._arrays(self.folder / SEGMENTS / self.segments[number] / name)

    def vectors(self, number: int) -> ArrayFile:
        """Return the vectors of a segment."""
        (path,) = (self.folder / SEGMENTS / self.segments[number]).glob("vectors-*.bin")
        return self._arrays(path)

    def text_path(self, number: int) -> Path:
        """Return the file of the text of a segment."""
        return self.folder / SEGMENTS / self.segments[number] / TEXT

    def _arrays(self, path: Path) -> ArrayFile:
        if path not in self._open:
            self._open[path] = ArrayFile.read(path)
        return self._open[path]

    def write(self) -> None:
        """Write what was changed, with the sums of all files, and sign it as this user does."""
        for file in self._open.values():
            file.write()
        for number, name in enumerate(self.segments):
            folder = self.folder / SEGMENTS / name
            with suppress(LookupError, TypeError, AttributeError):  # what the manifest says may be anything by now
                sums = self.manifest["manifest"]["segments"][number]["sums"]
                for file_name in [one for one in sums if (folder / str(one)).is_file()]:
                    sums[file_name] = sum_of_file(folder / file_name)
        for kind, name in self.names.items():
            with suppress(LookupError, TypeError):
                table = self.manifest["manifest"]
                if table[kind] == name:
                    table[f"{kind}_sum"] = sum_of_file(self.folder / name)
        seal(self.folder / MANIFEST, "manifest", encode(self.manifest))


def sealed_body(path: Path) -> bytes:
    """Return what a sealed file holds behind its first line."""
    return path.read_bytes().partition(b"\n")[2][:-1]


def seal(path: Path, purpose: str, body: bytes) -> None:
    """Write a sealed file with the signature of this user."""
    write_sealed(IndexPath(path.parent) / path.name, purpose, body, signer=Signer.USER)


def text_sum(path: Path) -> int:
    """Return the sum of a segment's text that its tables hold."""
    return zlib.crc32(path.read_bytes())


def sum_of_file(path: Path) -> list[Any]:
    """Return the size and the sum of a file as a manifest has them."""
    raw = path.read_bytes()
    return [len(raw), hashlib.sha256(raw).hexdigest()]
