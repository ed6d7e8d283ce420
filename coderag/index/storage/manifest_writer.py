"""What writers of an index do: a manifest and its listing become those of a folder, what it does not name goes."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import asdict

from coderag.index.storage.arrays.arrays import MAPPED_BYTES
from coderag.index.storage.folder.index_path import IndexPath, is_name
from coderag.index.storage.folder.sealed import write_sealed
from coderag.index.storage.listing import Listed, write_listing
from coderag.index.storage.manifest import (
    FORMAT,
    MANIFEST,
    OPTIONAL,
    PURPOSE,
    SEGMENT_NAME,
    SEGMENTS,
    Manifest,
    Sum,
    home_of,
    numbered_name,
)
from coderag.index.storage.vectors import vectors_name
from coderag.record import replaced

__all__ = [
    "publish_manifest",
    "remove_leftovers",
    "sum_of",
    "sums_of",
    "sync_folder",
    "synced_sum",
    "write_manifest",
]

READ_BYTES = 1 << 20
LEFT_OVER = re.compile(r"(?:listing|catalog|graph|history|hnsw)-[0-9]+(?:-[0-9a-f]+)?\.bin|[a-z0-9-]+\.tmp")


def write_manifest(folder: IndexPath, manifest: Manifest, listed: Listed | None) -> Manifest:
    """Publish a manifest and its listing, None for the one that it names; what only earlier ones name is removed."""
    manifest = replaced(manifest, generation=manifest.generation + 1)
    if listed is not None:
        path = folder / numbered_name("listing", manifest.generation)
        write_listing(path, listed)
        manifest = replaced(manifest, listing=path.name, listing_sum=synced_sum(path))
    publish_manifest(folder, manifest)
    remove_leftovers(folder, manifest)
    return manifest


def publish_manifest(folder: IndexPath, manifest: Manifest) -> None:
    """Sign a manifest as that of an index in this folder, and replace the one that is there."""
    fields = {name: value for name, value in asdict(manifest).items() if OPTIONAL.get(name, ...) != value}
    table = {"format": FORMAT, "home": home_of(folder), "manifest": fields}
    body = json.dumps(table, separators=(",", ":")).encode()
    write_sealed(folder / MANIFEST, PURPOSE, body)


def remove_leftovers(folder: IndexPath, manifest: Manifest) -> None:
    """Remove segments and listings that the manifest does not name: of earlier manifests, or of writers that died.

    Only who holds the index's lock may do so. What coderag does not call anything so stays.
    """
    named = {entry.name for entry in manifest.segments}
    for name in (folder / SEGMENTS).entries():
        segment = folder / SEGMENTS / name if is_name(name) else None
        if segment is None or not SEGMENT_NAME.fullmatch(name):
            continue
        if name not in named:
            with suppress(OSError):  # what cannot be removed now is tried again by the next writer
                segment.remove_tree()
            continue
        for file in segment.entries():
            if file.startswith("vectors-") and file != vectors_name(manifest.vectors):
                (segment / file).remove()
    kept = {manifest.listing, manifest.catalog, manifest.graph, manifest.history, manifest.hnsw}
    for name in folder.entries():
        if LEFT_OVER.fullmatch(name) and name not in kept:
            (folder / name).remove()


def sum_of(path: IndexPath) -> Sum:
    """Return the size and the SHA-256 of a file; raises OSError."""
    size, digest = 0, hashlib.sha256()
    with path.open(MAPPED_BYTES) as file:
        while block := file.read(READ_BYTES):
            size += len(block)
            digest.update(block)
    return size, digest.hexdigest()


def sums_of(folder: IndexPath) -> dict[str, Sum]:
    """Return the sums of the files of a segment."""
    return {name: sum_of(folder / name) for name in folder.entries()}


def synced_sum(path: IndexPath) -> Sum:
    """Make a file that was just written durable, and return its sum; raises OSError."""
    path.sync()
    return sum_of(path)


def sync_folder(folder: IndexPath) -> None:
    """Make a folder and the files in it durable."""
    for name in folder.entries():
        (folder / name).sync()
    folder.sync()
