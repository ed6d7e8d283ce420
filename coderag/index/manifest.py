"""The manifest of an index: which segments it has, what wrote them, and what was left out.

An index folder holds

    manifest.json      this; replaced by a rename, so a reader sees the old index or the new one
    graph-N.bin        what calls, reads and writes what (coderag.graph)
    listing-N.bin      what the file system said of the root (coderag.index.listing)
    catalog-N.bin      the schema that the files and databases amount to (coderag.index.catalog)
    databases/         what databases said when they were asked last (coderag.index.snapshots)
    segments/NAME/     immutable (coderag.index.segment)
    merging/           segments that are being made of others (coderag.index.merging)
    lock, lock.json    who writes (coderag.index.lock)
    merging.lock, .gitignore
"""

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from coderag.errors import (
    IndexDamagedError,
    IndexFormatError,
    IndexMissingError,
    IndexTooNewError,
    IndexWriteError,
)
from coderag.index.arrays import Array
from coderag.index.listing import Listed, read_listing, write_listing
from coderag.index.vectors import vectors_name

__all__ = [
    "FORMAT",
    "INDEX_FOLDER",
    "MANIFEST",
    "MERGING",
    "MERGING_LOCK",
    "NO_SUM",
    "SEGMENTS",
    "Manifest",
    "SegmentEntry",
    "Sum",
    "listing_of",
    "read_manifest",
    "remove_leftovers",
    "sum_of",
    "sums_of",
    "sync",
    "sync_folder",
    "synced_sum",
    "write_manifest",
    "writing",
]

# History of the format:
# 1  first
# 2  what files tell of schemas, and the catalog folded from it
# 3  vectors
# 4  stamps of files in the listing instead of the segments, sums of all files in the manifest
# 5  links of files in segments, and the graph
FORMAT = 5
INDEX_FOLDER = ".coderag"
MANIFEST = "manifest.json"
SEGMENTS = "segments"
MERGING, MERGING_LOCK = "merging", "merging.lock"
READ_BYTES = 1 << 22
UNWRITABLE = frozenset(  # no bug, but what the system, the disk or a limit does not let happen
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EIO, errno.EFBIG}
)

Sum = tuple[int, int]  # the bytes of a file, and their CRC-32
NO_SUM: Sum = (0, 0)


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment as the manifest knows it."""

    name: str
    files: int
    chunks: int
    sums: dict[str, Sum]  # of each of its files
    dead: tuple[int, ...] = ()  # numbers of files that changed or went since


@dataclass(frozen=True, slots=True)
class Manifest:
    """An index as a whole."""

    root: str
    repository: str
    segments: tuple[SegmentEntry, ...] = ()
    listing: str = ""  # name of the listing's file
    listing_sum: Sum = NO_SUM
    contents: tuple[str, ...] = ("code", "docs")
    max_bytes: int = 0
    mask: bool = True  # whether secrets are covered
    version: str = ""  # of coderag
    parts: dict[str, str] = field(default_factory=dict)  # what the content depends on: chunker, tokenizer, languages
    updated_ns: int = 0  # when the files were listed
    seconds: float = 0.0  # the last full build took
    generation: int = 0  # counts the manifests written
    catalog: str = ""  # name of the catalog's file, "" where nothing tells of a schema
    catalog_sum: Sum = NO_SUM
    catalog_key: str = ""  # what the catalog was folded from, besides the files
    graph: str = ""  # name of the graph's file, "" where there is none
    graph_sum: Sum = NO_SUM
    graph_key: str = ""  # of what it was made of: the graph may be older than the segments
    graph_ns: int = 0  # when it was made
    graph_seconds: float = 0.0  # making it took
    encoder: dict[str, Any] = field(default_factory=dict)  # how to open it (EncoderSpec); {} for the shipped one
    vectors: str = ""  # the key of its identity, which names the files of vectors; "" where there are none
    access: dict[str, Any] = field(default_factory=dict)  # who may see what (coderag.index.access); {}: everybody all


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of an index.

    Raises IndexMissingError, IndexFormatError when an older version wrote it, IndexTooNewError when a newer one did,
    and IndexDamagedError.
    """
    path = folder / MANIFEST
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexMissingError(f'there is no index at {folder}; run "coderag index"') from error
    except OSError as error:
        raise IndexMissingError(f"the index at {folder} cannot be read: {error.strerror}") from error
    table = _checked(raw, path)
    found = table.get("format")
    if isinstance(found, int) and found > FORMAT:
        raise IndexTooNewError(
            f"the index at {folder} has format {found}, which a newer version of coderag wrote; this one reads "
            f"{FORMAT}: "
            'update coderag, choose another place with "--index DIR", or run "coderag index --rebuild"'
        )
    if found != FORMAT:
        raise IndexFormatError(
            f'the index at {folder} has format {found}, this version of coderag reads {FORMAT}; run "coderag index"'
        )
    content = table["manifest"]
    segments = tuple(_entry(entry) for entry in content.pop("segments"))
    tuples = {name: tuple(content[name]) for name in ("contents", "listing_sum", "catalog_sum", "graph_sum")}
    return Manifest(**{**content, **tuples, "segments": segments})


def _entry(table: dict[str, Any]) -> SegmentEntry:
    sums = {name: (size, checksum) for name, (size, checksum) in table["sums"].items()}
    return SegmentEntry(**{**table, "sums": sums, "dead": tuple(table["dead"])})


def listing_of(folder: Path, manifest: Manifest, held: Array | None = None) -> Listed:
    """Return what the last walk saw; raises IndexDamagedError. `held`: its file, opened before."""
    return read_listing(folder / manifest.listing, held)


def write_manifest(folder: Path, manifest: Manifest, listed: Listed | None) -> Manifest:
    """Publish a manifest and its listing, None for the one that it names; what only earlier ones name is removed."""
    manifest = replace(manifest, generation=manifest.generation + 1)
    if listed is not None:
        path = folder / f"listing-{manifest.generation}.bin"
        write_listing(path, listed)
        manifest = replace(manifest, listing=path.name, listing_sum=synced_sum(path))
    _write(folder / MANIFEST, {"format": FORMAT, "manifest": asdict(manifest)})
    remove_leftovers(folder, manifest)
    return manifest


def remove_leftovers(folder: Path, manifest: Manifest) -> None:
    """Remove segments and listings that the manifest does not name: of earlier manifests, or of writers that died.

    Only who holds the index's lock may do so.
    """
    import shutil  # only writers need it, and it takes 5 ms

    named = {entry.name for entry in manifest.segments}
    segments = folder / SEGMENTS
    for path in segments.iterdir() if segments.is_dir() else ():
        if path.name not in named:
            shutil.rmtree(path, ignore_errors=True)
            continue
        for vectors in path.glob("vectors-*"):
            if vectors.name != vectors_name(manifest.vectors):
                vectors.unlink(missing_ok=True)
    kept = {manifest.listing, manifest.catalog, manifest.graph}
    for path in [path for name in ("listing-*", "catalog-*", "graph-*", "*.tmp") for path in folder.glob(name)]:
        if path.name not in kept:
            path.unlink(missing_ok=True)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what the system says while an index is written into IndexWriteError."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise IndexWriteError(
                f"no space left to write the index at {folder}; the old index is unchanged"
            ) from error
        if error.errno in UNWRITABLE:
            raise IndexWriteError(
                f'the index at {folder} cannot be written: {error.strerror}; choose another place with "--index DIR"'
            ) from error
        raise


def sum_of(path: Path) -> Sum:
    """Return the size and the CRC-32 of a file; raises OSError."""
    size = checksum = 0
    with path.open("rb", buffering=0) as file:
        while block := file.read(READ_BYTES):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return size, checksum


def sums_of(folder: Path) -> dict[str, Sum]:
    """Return the sums of the files of a segment."""
    return {path.name: sum_of(path) for path in sorted(folder.iterdir())}


def synced_sum(path: Path) -> Sum:
    """Make a file that was just written durable, and return its sum; raises OSError."""
    sync(path)
    return sum_of(path)


def sync_folder(folder: Path) -> None:
    """Make a folder and the files in it durable."""
    for path in [*sorted(one for one in folder.iterdir() if one.is_file()), folder]:
        sync(path)


def sync(path: Path) -> None:
    """Make a file or folder durable; a system that cannot sync folders is believed to need none."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.EBADF}:
            raise
    finally:
        os.close(handle)


def _write(path: Path, table: dict[str, Any]) -> None:
    body = json.dumps(table, separators=(",", ":")).encode()
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        file.write(b"%08x\n%s\n" % (zlib.crc32(body), body))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync(path.parent)


def _checked(raw: bytes, path: Path) -> dict[str, Any]:
    checksum, _, rest = raw.partition(b"\n")
    body = rest[:-1]
    # Compared as text: "A" and "a" are one bit apart and the same number.
    if rest[-1:] == b"\n" and checksum == b"%08x" % zlib.crc32(body):
        return dict(json.loads(body))
    raise IndexDamagedError(f'{path} is damaged: it does not match its checksum; run "coderag index"')
