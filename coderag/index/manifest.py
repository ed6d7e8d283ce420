"""The manifest of an index: which segments it has, what wrote them, and what was left out.

An index folder holds

    manifest.json      this; replaced by a rename, so a reader sees the old index or the new one
    listing-N.json     the folders and rule files as they were, and every file left out
    catalog-N.bin      the schema that the files and databases amount to (coderag.index.catalog)
    databases/         what databases said when they were asked last (coderag.index.snapshots)
    segments/NAME/     immutable (coderag.index.segment)
    lock, .gitignore
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

from coderag.errors import IndexDamagedError, IndexFormatError, IndexMissingError, IndexWriteError
from coderag.index.vectors import vectors_name

__all__ = [
    "FORMAT",
    "INDEX_FOLDER",
    "Listed",
    "Manifest",
    "SegmentEntry",
    "read_listing",
    "read_manifest",
    "remove_leftovers",
    "sync_folder",
    "write_manifest",
    "writing",
]

# History of the format:
# 1  first
# 2  what files tell of schemas, and the catalog folded from it
# 3  vectors
FORMAT = 3
INDEX_FOLDER = ".coderag"
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment as the manifest knows it."""

    name: str
    files: int
    chunks: int
    sizes: dict[str, int]  # bytes of each of its files
    dead: tuple[int, ...] = ()  # numbers of files that changed or went since


@dataclass(frozen=True, slots=True)
class Manifest:
    """An index as a whole."""

    root: str
    repository: str
    segments: tuple[SegmentEntry, ...] = ()
    listing: str = ""  # name of the listing's file
    contents: tuple[str, ...] = ("code", "docs")
    max_bytes: int = 0
    version: str = ""  # of coderag
    parts: dict[str, str] = field(default_factory=dict)  # what the content depends on: chunker, tokenizer, languages
    updated_ns: int = 0  # when the files were listed
    seconds: float = 0.0  # the last full build took
    generation: int = 0  # counts the manifests written
    catalog: str = ""  # name of the catalog's file, "" where nothing tells of a schema
    catalog_key: str = ""  # what the catalog was folded from, besides the files
    encoder: dict[str, Any] = field(default_factory=dict)  # how to open it (EncoderSpec); {} for the shipped one
    vectors: str = ""  # the key of its identity, which names the files of vectors; "" where there are none


@dataclass(frozen=True, slots=True)
class Listed:
    """What a walk saw besides the files that are indexed."""

    folders: dict[str, int]  # path -> mtime in ns
    rules: dict[str, int]  # ignore files -> mtime in ns
    skipped: tuple[tuple[str, str, str], ...]  # path, reason, detail


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of an index.

    Raises IndexMissingError, IndexFormatError when another version wrote it, IndexDamagedError.
    """
    path = folder / MANIFEST
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexMissingError(f'there is no index at {folder}; run "coderag index"') from error
    except OSError as error:
        raise IndexMissingError(f"the index at {folder} cannot be read: {error.strerror}") from error
    table = _checked(raw, path)
    if table.get("format") != FORMAT:
        raise IndexFormatError(
            f"the index at {folder} has format {table.get('format')}, this version of coderag reads {FORMAT}; "
            'run "coderag index --rebuild"'
        )
    content = table["manifest"]
    segments = tuple(SegmentEntry(**{**entry, "dead": tuple(entry["dead"])}) for entry in content.pop("segments"))
    return Manifest(**{**content, "segments": segments, "contents": tuple(content["contents"])})


def read_listing(folder: Path, manifest: Manifest) -> Listed:
    """Return what the last walk saw; raises IndexDamagedError."""
    path = folder / manifest.listing
    try:
        table = _checked(path.read_bytes(), path)
    except OSError as error:
        raise IndexDamagedError(f'{path} cannot be read: {error.strerror}; run "coderag index --rebuild"') from error
    return Listed(table["folders"], table["rules"], tuple(tuple(one) for one in table["skipped"]))


def write_manifest(folder: Path, manifest: Manifest, listed: Listed) -> Manifest:
    """Publish a manifest and its listing; what only earlier manifests name is removed."""
    generation = manifest.generation + 1
    manifest = replace(manifest, generation=generation, listing=f"listing-{generation}.json")
    _write(folder / manifest.listing, asdict(listed))
    _write(folder / MANIFEST, {"format": FORMAT, "manifest": asdict(manifest)})
    remove_leftovers(folder, manifest)
    return manifest


def remove_leftovers(folder: Path, manifest: Manifest) -> None:
    """Remove segments and listings that the manifest does not name: of earlier manifests, or of writers that died."""
    import shutil  # only writers need it, and it takes 5 ms

    named = {entry.name for entry in manifest.segments}
    segments = folder / "segments"
    for path in segments.iterdir() if segments.is_dir() else ():
        if path.name not in named:
            shutil.rmtree(path, ignore_errors=True)
            continue
        for vectors in path.glob("vectors-*"):
            if vectors.name != vectors_name(manifest.vectors):
                vectors.unlink(missing_ok=True)
    for path in (*folder.glob("listing-*"), *folder.glob("catalog-*"), *folder.glob("*.tmp")):
        if path.name not in (manifest.listing, manifest.catalog):
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
        if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}:
            raise IndexWriteError(
                f'the index at {folder} cannot be written: {error.strerror}; choose another place with "--index DIR"'
            ) from error
        raise


def sync_folder(folder: Path) -> None:
    """Make a folder and the files in it durable."""
    for path in [*sorted(one for one in folder.iterdir() if one.is_file()), folder]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.EBADF}:  # a folder on a system that cannot sync folders
                raise
        finally:
            os.close(handle)


def _write(path: Path, table: dict[str, Any]) -> None:
    body = json.dumps(table, separators=(",", ":"))
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(f"{zlib.crc32(body.encode()):08x}\n{body}\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _checked(raw: bytes, path: Path) -> dict[str, Any]:
    checksum, _, body = raw.partition(b"\n")
    try:
        if int(checksum, 16) == zlib.crc32(body.rstrip(b"\n")):
            return dict(json.loads(body))
    except ValueError:
        pass
    raise IndexDamagedError(f'{path} is damaged: it does not match its checksum; run "coderag index --rebuild"')
