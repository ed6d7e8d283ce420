"""Indexes as an attacker makes them: unsigned, signed by another key, with names that are paths, with false text."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from coderag import Index
from coderag.files.blob import blob_id
from coderag.index.storage.arrays.arrays import open_arrays, write_arrays
from coderag.index.storage.manifest import SEGMENTS, read_manifest
from coderag.index.storage.manifest_writer import publish_manifest, sums_of

__all__ = ["another_user", "false_index", "index_files", "manifest_of", "unsigned"]

PLACE = "../../x/a/b/c"
TARGET = "../../../../.bashrc"


@contextmanager
def another_user(home: Path) -> Iterator[None]:
    """Do something as somebody else, with a key and a cache of their own."""
    names = ("XDG_DATA_HOME", "XDG_CACHE_HOME")
    before = {name: os.environ[name] for name in names}
    os.environ.update({name: str(home / name) for name in names})
    try:
        yield
    finally:
        os.environ.update(before)


def manifest_of(number: int, **more: Any) -> bytes:
    """Return the body of a manifest whose names lead to files of the user."""
    segment = {"name": PLACE, "files": 1, "chunks": 300, "sums": {TARGET: [13, "0" * 64]}, "dead": [], "foreign": False}
    manifest = {"root": "/", "repository": "x", "segments": [segment], "listing": TARGET, "catalog": TARGET, **more}
    return json.dumps({"format": number, "home": "/", "manifest": manifest}).encode()


def unsigned(body: bytes, *, signature: str = "") -> bytes:
    """Return a file with a checksum that fits, and a signature that does not, or none."""
    rest = f"{signature}\n".encode() + body + b"\n" if signature else body
    return b"%08x %s" % (zlib.crc32(rest), rest) if signature else b"%08x\n%s\n" % (zlib.crc32(body), body)


def false_index(root: Path, genuine: Mapping[str, str]) -> None:
    """Index a root, and say of its files that they are other ones: of the same size, with other text."""
    index = Index.build(root, workers=0, graph=False)
    folder = index.roots[0].folder
    manifest = read_manifest(folder)
    entries = []
    for entry in manifest.segments:
        place = folder / SEGMENTS / entry.name
        arrays = {name: array.copy() for name, array in open_arrays(place / "arrays.bin").items()}
        for number, path in enumerate(index._snapshot.corpus.members[0].segment.paths.all()):
            arrays["file_blob"][number] = list(blob_id(genuine[path].encode()))
        write_arrays(place / "arrays.bin", arrays)
        entries.append(replace(entry, sums=sums_of(place)))
    publish_manifest(folder, replace(manifest, segments=tuple(entries)))


def index_files(root: Path) -> dict[str, bytes]:
    """Return the files of a root and its index, to be shipped."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
