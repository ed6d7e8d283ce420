"""What all files and databases tell of schemas, to the catalog of an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import msgspec

from coderag.index.columns import unpack_labels
from coderag.index.embed import Embedding
from coderag.index.manifest import Manifest, SegmentEntry
from coderag.index.segment import Segment
from coderag.index.snapshots import read_snapshots
from coderag.sql.model import SchemaFile
from coderag.sql.settings import Settings

__all__ = ["CATALOG_VERSION", "catalog_key", "tells_of_schemas", "write_schema"]

CATALOG_VERSION = 2  # raise it when the same facts give another catalog


def catalog_key(folder: Path, settings: Settings) -> str:
    """Return the identity of what a catalog is folded from besides the files: settings and databases."""
    known = blake2b(f"{CATALOG_VERSION}".encode(), digest_size=8)
    known.update(msgspec.json.encode(settings))
    for snapshot in read_snapshots(folder):
        known.update(f"\0{snapshot.name}\0{snapshot.taken}".encode())
    return known.hexdigest()


def tells_of_schemas(segments: Iterable[tuple[Segment, Iterable[int]]]) -> bool:
    """Tell whether one of some files, by their numbers in their segments, tells of a schema."""
    return any(set(segment.files_with_facts()) & set(numbers) for segment, numbers in segments)


def write_schema(folder: Path, manifest: Manifest, settings: Settings, *, embedding: Embedding) -> str:
    """Write the catalog of an index beside the one it has, and return its name; "" where nothing tells of a schema.

    Nothing names it before the manifest does. Raises EncoderError.
    """
    files = [*_schema_files(folder, manifest.segments)]
    files += [SchemaFile(one.name, one.facts, modified=one.taken) for one in read_snapshots(folder)]
    if not files:
        return ""
    # Only an index that has a schema, and only when it changed, needs what folds and writes one.
    from coderag.index.catalog import write_catalog
    from coderag.index.catalog_vectors import schema_vectors
    from coderag.sql.dbt.project import in_projects
    from coderag.sql.fold import fold
    from coderag.sql.models.django_project import settled

    name = f"catalog-{manifest.generation + 1}.bin"
    schema = fold(settled(in_projects(files)), settings)
    vectors = schema_vectors(schema, embedding.opened()) if embedding.key else None
    write_catalog(folder / name, schema, vectors=vectors)
    return name


def _schema_files(folder: Path, entries: Sequence[SegmentEntry]) -> Iterator[SchemaFile]:
    for entry in entries:
        segment = Segment(folder / "segments" / entry.name)
        dead = set(entry.dead)
        for number in segment.files_with_facts():
            if number in dead:
                continue
            file = segment.file(number)
            modified = datetime.fromtimestamp(file.mtime_ns / 1e9, UTC).isoformat(timespec="seconds")
            labels = tuple(sorted(unpack_labels(file.labels)))
            yield SchemaFile(file.path, segment.facts(number), labels, modified)
